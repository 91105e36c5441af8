"""Kills a program again and again while its window saves a project, and while it writes reports.

    python -m tests.durability.kill_window [--kills 500]

A child is the part of a window that saves, or what writes a report once it is computed and drawn. It gets SIGKILL
after a random time. The project's file must open and hold an edit that is no older than the last that was reported as
saved. A report must be, to the last byte, one that was ever written, and no older than the last that was reported.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from gpuplanner_gui.drawing.report import rendered, report_of, write_file
from gpuplanner_gui.drawing.report.model import Report
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.engine import plan
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project
from tests.durability.kill_recovery import Work, example, killed, number_in

LONGEST_SAVING_S, LONGEST_WRITING_S = 0.4, 1.5
FORMATS = (".html", ".xlsx", ".csv", ".md", ".pdf")
PDFS = 3
"""A PDF holds the time, and takes as long to make as a hundred others, which touches no file: so many are made before
the first child, which writes them in turn."""


def saved_forever(folder: Path, first: int, done: int) -> None:
    """In the child: edit and save as the window does, each save reported through a pipe once it is done."""
    work, number = Work(folder), first
    work.file.open(folder / "plan.gpuplan")
    os.write(done, (0).to_bytes(8, "big"))
    while True:
        work.edit(number)
        if work.file.save():
            os.write(done, number.to_bytes(8, "big"))
        number += 1


def killed_saving(folder: Path, kills: int, seed: int = 1) -> Iterator[tuple[int, int]]:
    """After each kill: the last edit that was reported as saved, and the one in the file."""
    path = folder / "plan.gpuplan"
    work = Work(folder)
    work.edit(1)
    work.file.path = path
    assert work.file.save()
    chance, number = random.Random(seed), 1
    for _ in range(kills):
        reported, _ = killed(saved_forever, folder, number + 1, LONGEST_SAVING_S * chance.random() ** 2)
        found = number_in(load_project(path))
        yield max(reported, number), found
        number = max(number, found)


@lru_cache(maxsize=1)
def report() -> Report:
    """Computed once, before the first child."""
    project, catalog, calibration = example(), load_catalog(), load_calibration()
    scenario = project.scenarios[0]
    planned = plan(scenario, catalog, calibration, seed=project.seed)
    return report_of(project, (Results(project=project, scenario=scenario, plan=planned, catalog=catalog),))


def files_of(number: int, folder: Path) -> dict[Path, bytes]:
    """Report `number` in one of the formats: says which one it is."""
    suffix = format_of(number)
    if suffix == ".pdf":
        return pdf(number // len(FORMATS) % PDFS, folder / "report.pdf")
    return rendered(replace(report(), title=f"Report {number}"), suffix, {}, folder / f"report{suffix}")


@lru_cache(maxsize=PDFS)
def pdf(number: int, path: Path) -> dict[Path, bytes]:
    return rendered(replace(report(), title=f"Report {number}"), ".pdf", {}, path)


def written_forever(folder: Path, first: int, done: int) -> None:
    """In the child: write one report after the other, each reported through a pipe once it is on disk."""
    os.write(done, (0).to_bytes(8, "big"))
    number = first
    while True:
        for path, content in files_of(number, folder).items():
            write_file(path, content)
        os.write(done, number.to_bytes(8, "big"))
        number += 1


def killed_writing(folder: Path, kills: int, seed: int = 1) -> Iterator[tuple[int, list[str]]]:
    """After each kill: the last report that was written, and the formats whose file is not their newest, whole."""
    for number in range(PDFS):
        pdf(number, folder / "report.pdf")
    chance, first, there = random.Random(seed), 1, dict[str, int]()
    for _ in range(kills):
        reported, _ = killed(written_forever, folder, first, LONGEST_WRITING_S * chance.random() ** 2)
        for number in range(first, reported + 1):
            there[format_of(number)] = number
        begun = max(first, reported + 1)
        if is_there(folder, format_of(begun), begun):  # Written, and killed before it was reported.
            there[format_of(begun)] = begun
        yield reported, [suffix for suffix in FORMATS if not is_there(folder, suffix, there.get(suffix, 0))]
        first = begun + 1


def format_of(number: int) -> str:
    return FORMATS[number % len(FORMATS)]


def is_there(folder: Path, suffix: str, number: int) -> bool:
    """Whether a format's file is the report of this number; of 0: not there."""
    path = folder / f"report{suffix}"
    if not path.exists() or not number:
        return not path.exists() and not number
    return path.read_bytes() == files_of(number, folder)[path]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=500, help="of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report()
    with tempfile.TemporaryDirectory() as scratch:
        saved = list(killed_saving(Path(scratch), options.kills, options.seed))
    with tempfile.TemporaryDirectory() as scratch:
        written = list(killed_writing(Path(scratch), options.kills, options.seed))
    lost = sum(found < reported for reported, found in saved)
    damaged = sum(bool(formats) for _, formats in written)
    print(f"{len(saved)} kills during {saved[-1][1]} saves of the window: {lost} lost")
    print(f"{len(written)} kills during {written[-1][0]} reports: {damaged} lost or damaged")
    return 1 if lost or damaged else 0


if __name__ == "__main__":
    sys.exit(main())
