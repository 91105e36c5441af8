from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings

from gpuplanner_gui.desktop.settings import LIMIT, RecentFiles
from gpuplanner_gui.desktop.window.project_file import disk_state, was_changed_by_others
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.whole_file import write_whole_file


def test_file_is_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "plan.gpuplan"
    write_whole_file(path, b"one")
    write_whole_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


def test_unwritable_place_is_a_problem_with_a_remedy_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="could not be written") as problem:
        write_whole_file(tmp_path / "no such folder" / "plan.gpuplan", b"one")
    assert "another name" in str(problem.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_link_stays_a_link(tmp_path: Path) -> None:
    target = tmp_path / "target.gpuplan"
    target.write_bytes(b"old")
    link = tmp_path / "link.gpuplan"
    link.symlink_to(target)
    write_whole_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_change_by_others_is_noticed_and_a_touch_is_not(tmp_path: Path) -> None:
    path = tmp_path / "plan.gpuplan"
    path.write_bytes(b"mine")
    known = disk_state(path)
    assert known is not None
    assert not was_changed_by_others(path, known)
    os.utime(path, ns=(1, 1))
    assert not was_changed_by_others(path, known)
    path.write_bytes(b"ours")
    os.utime(path, ns=(2, 2))
    assert was_changed_by_others(path, known)


def test_removed_file_is_no_change(tmp_path: Path) -> None:
    path = tmp_path / "plan.gpuplan"
    path.write_bytes(b"mine")
    known = disk_state(path)
    path.unlink()
    assert known is not None
    assert not was_changed_by_others(path, known)
    assert disk_state(path) is None


def test_recent_files_are_newest_first_once_each_and_few(tmp_path: Path, settings: QSettings) -> None:
    recent = RecentFiles(settings)
    paths = [tmp_path / f"{number}.gpuplan" for number in range(LIMIT + 3)]
    for path in paths:
        path.touch()
        recent.add(path)
    recent.add(paths[5])
    assert len(recent.paths()) == LIMIT
    assert recent.paths()[:2] == [paths[5], paths[-1]]


def test_vanished_file_is_left_out(tmp_path: Path, settings: QSettings) -> None:
    recent = RecentFiles(settings)
    path = tmp_path / "a.gpuplan"
    path.touch()
    recent.add(path)
    assert RecentFiles(settings).paths() == [path]
    path.unlink()
    assert recent.paths() == []
