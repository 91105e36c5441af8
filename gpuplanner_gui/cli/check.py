"""`gpuplanner check FILE.gpuplan`: is the file valid?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.domain.catalog import merged_with_snapshot, snapshot_differences
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.local_calibration import calibrated_by
from gpuplanner_gui.files.project import load_project


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("check", help="validate a project file", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say that the file is valid, and where this program's knowledge differs from the sender's."""
    project = load_project(arguments.file)
    count = len(project.scenarios)
    print(f"{arguments.file.name}: valid, {count} scenario{'' if count == 1 else 's'}.")
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    if project.calibration_digest and project.calibration_digest != calibration.digest:
        print("It was saved with another calibration: results may differ from those that the sender saw.")
    differing = snapshot_differences(load_catalog(), project.catalog)
    if differing:
        names = ", ".join(one.id for one in differing[:5]) + (" …" if len(differing) > 5 else "")
        print(f"It carries its own figures for {len(differing)} catalogue entries, which are used: {names}")
    return 0
