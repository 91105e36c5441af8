"""The kernel calibration as a file: it loads, its digest is its content's, and damage is named."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_kernel_calibration

SHIPPED = Path(__file__).resolve().parents[2] / "catalogs" / "calibration_kernels.json"


def damaged(folder: Path, change: Any) -> Path:
    content = json.loads(SHIPPED.read_text())
    change(content)
    path = folder / "calibration.json"
    path.write_text(json.dumps(content))
    return path


def test_the_shipped_calibration_loads() -> None:
    loaded = load_kernel_calibration(SHIPPED)
    assert loaded.digest == hashlib.sha256(SHIPPED.read_bytes()).hexdigest()
    assert len(loaded.calibration.sets) > 100


def test_every_set_knows_its_error() -> None:
    for found in load_kernel_calibration(SHIPPED).calibration.sets:
        assert 0 < found.residual.log_sd < 1.5, found.operation


def test_a_missing_file_is_a_file_problem(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="there is no such file"):
        load_kernel_calibration(tmp_path / "absent.json")


@pytest.mark.parametrize("content", [b"", b"{", b"[1, 2]", b"\xff\xfe", b"[" * 5000])
def test_what_is_no_calibration_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "calibration.json"
    path.write_bytes(content)
    with pytest.raises(FileProblem):
        load_kernel_calibration(path)


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (lambda c: c.update(format="other"), "$.format"),
        (lambda c: c.update(version=99), "$.version"),
        (lambda c: c["sets"][3]["parameters"].update(floor_s=-1.0), "$.sets[3].parameters.floor_s"),
        (lambda c: c["sets"][0].update(accelerator="nobody"), "$.sets[0].accelerator"),
        (lambda c: c["sets"][0].update(precision="posit8"), "$.sets[0].precision"),
        (lambda c: c["sets"][0].update(surprise=1), "$.sets[0]"),
    ],
)
def test_damage_is_named_with_its_place(tmp_path: Path, change: Any, where: str) -> None:
    with pytest.raises(FileProblem) as refused:
        load_kernel_calibration(damaged(tmp_path, change))
    assert refused.value.where == where
