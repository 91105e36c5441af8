"""Kills a program again and again while it keeps unsaved work, and while it takes over what another one left behind.

    python -m tests.durability.kill_recovery [--kills 500]

A child is the part of a window that holds a project: its store, its file and what keeps its unsaved work. It gets
SIGKILL after a random time. Whoever looks afterwards must be offered whole copies only: while work was kept, one that
is no older than the last that was reported as kept; while work was taken over, still the work itself.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path

from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication, QWidget

from gpuplanner_gui.desktop.store import Store
from gpuplanner_gui.desktop.window.project_file import ProjectFile
from gpuplanner_gui.desktop.window.recovery import SUFFIX, LostWork, RecoveryKeeper
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.files.project import load_project
from gpuplanner_gui.paths import resources_dir

LONGEST_KEEPING_S = 0.25
SIZES = (10, 3_000, 30_000, 90_000)
EXAMPLE = "13b-two-deployments.gpuplan"

Child = Callable[[Path, int, int], None]


@lru_cache(maxsize=1)
def example() -> Project:
    """Read once, before the first child."""
    return load_project(resources_dir() / "examples" / EXAMPLE)


def notes_of(number: int) -> str:
    """The notes of edit `number`: say which one it is, and their length proves that they are whole."""
    return f"{number} " + "x" * SIZES[number % len(SIZES)]


def number_in(project: Project) -> int:
    """Which edit a copy holds. Raises ValueError for one that is not whole."""
    number = int(project.notes.split(" ", 1)[0])
    if project.notes != notes_of(number) or len(project.scenarios) != len(example().scenarios):
        raise ValueError(f"edit {number} is not whole")
    return number


class Work:
    """Store, file and keeper, as a window has them."""

    def __init__(self, folder: Path) -> None:
        self.app = QApplication.instance() or QApplication(["kill", "-platform", "offscreen"])
        self.window = QWidget()
        self.store = Store(example())
        settings = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        self.file = ProjectFile(self.store, settings, self.window, lambda project: project)
        self.keeper = RecoveryKeeper(self.store, self.file, folder, self.window)

    def edit(self, number: int) -> None:
        self.store.edit_project("notes", notes_of(number), "Change notes")


def kept_forever(folder: Path, first: int, done: int) -> None:
    """In the child: edit and keep, each copy reported through a pipe once it is on disk."""
    work, number = Work(folder), first
    _report(done, 0)
    while True:
        work.edit(number)
        if work.keeper.keep_at_once():
            _report(done, number)
        number += 1


def taken_over(folder: Path, number: int, done: int) -> None:
    """In the child: take over what was left behind, as the dialog's *Restore* does, then wait for the end."""
    work = Work(folder)
    _report(done, 0)
    lost = LostWork(folder)
    path, copy = lost.copies[0]
    work.file.take_recovered(copy.project, copy.original, copy.kept_at.timestamp())
    if work.keeper.keep_at_once():
        lost.discard(path)
        _report(done, number)
    time.sleep(3600)


def _report(done: int, number: int) -> None:
    os.write(done, number.to_bytes(8, "big"))


def killed(child: Child, folder: Path, number: int, lives_s: float | None) -> tuple[int, float]:
    """Run a child and kill it so long after it is ready, None: once it has reported something.

    The last number that it reported, and how long it lived.
    """
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        child(folder, number, writer)
    os.close(writer)
    os.read(reader, 8)
    start, last = time.monotonic(), b""
    if lives_s is None:
        last = os.read(reader, 8)
    else:
        time.sleep(lives_s)
    lived_s = time.monotonic() - start
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    while chunk := os.read(reader, 8 * 4096):
        last = chunk[-8:]
    os.close(reader)
    return int.from_bytes(last, "big"), lived_s


def left_behind(folder: Path) -> list[tuple[Path, int]]:
    """What is offered: each copy with the edit that it holds. Raises ValueError for one that is not whole."""
    lost = LostWork(folder)
    lost.release()
    if lost.problems:
        raise ValueError(" ".join(lost.problems))
    if len(lost.copies) != len(list(folder.glob(f"*{SUFFIX}"))):
        raise ValueError("a copy is not offered")
    return [(path, number_in(copy.project)) for path, copy in lost.copies]


def killed_keeping(folder: Path, kills: int, seed: int = 1) -> Iterator[tuple[int, int]]:
    """After each kill while work was kept: the last edit that was reported as kept, and the one that is offered."""
    chance, number = random.Random(seed), 1
    for _ in range(kills):
        reported, _ = killed(kept_forever, folder, number, LONGEST_KEEPING_S * chance.random() ** 2)
        found = left_behind(folder)
        newest = max((one for _, one in found), default=0)
        yield reported, newest
        number = max(number, newest, reported) + 1
        for path, _ in found:
            path.unlink()


def killed_taking_over(folder: Path, kills: int, seed: int = 1) -> Iterator[tuple[int, list[int]]]:
    """After each kill while work was taken over: the edit that it was, and those that are offered."""
    chance, number = random.Random(seed), 1
    killed(kept_forever, folder, number, None)
    number = _only_one(folder)
    _, whole_s = killed(taken_over, folder, number, None)
    for _ in range(kills):
        number = _only_one(folder)
        killed(taken_over, folder, number, 1.3 * whole_s * chance.random())
        yield number, [one for _, one in left_behind(folder)]


def _only_one(folder: Path) -> int:
    """Leave one copy, as a planner does who answers the question twice; its edit."""
    (_, number), *others = left_behind(folder)
    for path, _ in others:
        path.unlink()
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500, help="of each kind")
    options = parser.parse_args()
    example()
    with tempfile.TemporaryDirectory() as scratch:
        kept = list(killed_keeping(Path(scratch), options.kills))
    with tempfile.TemporaryDirectory() as scratch:
        taken = list(killed_taking_over(Path(scratch), options.kills))
    lost = sum(found < reported for reported, found in kept)
    gone = sum(number not in found for number, found in taken)
    twice = sum(len(found) > 1 for _, found in taken)
    after = sum(1 for reported, _ in kept if reported)
    print(
        f"{len(kept)} kills while work was kept, {after} of them after a copy had been reported: {lost} lost, 0 damaged"
    )
    print(f"{len(taken)} kills while work was taken over: offered again {len(taken) - gone} times,")
    print(f"{twice} times as old and new copy, {gone} lost, 0 damaged")
    return 1 if lost or gone else 0


if __name__ == "__main__":
    sys.exit(main())
