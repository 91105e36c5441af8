from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gpuplanner_gui.desktop.window.project_file import new_project
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.recovery import RecoveryCopy, load_recovery, recovery_to_bytes


def kept(original: Path | None = Path("/plans/mine.gpuplan")) -> RecoveryCopy:
    return RecoveryCopy(project=new_project(), kept_at=datetime(2026, 3, 1, 12, 30, tzinfo=UTC), original=original)


@pytest.mark.parametrize("original", [Path("/plans/mine.gpuplan"), None])
def test_copy_comes_back_as_it_was_kept(tmp_path: Path, original: Path | None) -> None:
    path = tmp_path / "a.recovery"
    path.write_bytes(recovery_to_bytes(kept(original)))
    found = load_recovery(path)
    assert (found.kept_at, found.original) == (kept().kept_at, original)
    assert found.project.scenarios == new_project().scenarios


@pytest.mark.parametrize(
    ("key", "value"),
    [("format", "gpuplan"), ("version", 2), ("kept_at", "yesterday"), ("original", 7), ("project", {}), ("project", 1)],
)
def test_foreign_or_damaged_copy_gets_a_sentence(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "a.recovery"
    path.write_text(json.dumps(json.loads(recovery_to_bytes(kept())) | {key: value}))
    with pytest.raises(FileProblem):
        load_recovery(path)


def test_truncated_copy_gets_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.recovery"
    path.write_bytes(recovery_to_bytes(kept())[:-40])
    with pytest.raises(FileProblem):
        load_recovery(path)
