"""The matrix of formats as a file: it loads, and damage is named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import SUPPORT_FILE, load_precision_support
from gpuplanner_gui.paths import catalogs_dir


def test_the_shipped_matrix_loads():
    assert {one.engine for one in load_precision_support().engines} == {"vllm", "sglang", "trtllm", "llama_cpp", "mlx"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rule: rule.update(formats=["fp5"]), "'fp5' is not a number format"),
        (lambda rule: rule.update(level="perhaps"), "level"),
        (lambda rule: rule.pop("source"), "source"),
        (lambda rule: rule.update(surprise=1), "surprise"),
    ],
)
def test_damage_is_named(tmp_path: Path, change, says):
    content = json.loads((catalogs_dir() / SUPPORT_FILE).read_text(encoding="utf-8"))
    change(content["engines"][0]["rules"][0])
    (tmp_path / SUPPORT_FILE).write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileProblem, match=says):
        load_precision_support(tmp_path)
