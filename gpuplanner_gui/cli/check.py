"""`gpuplanner check FILE.gpuplan`: is the file valid?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.drawing.carried import carried_lines
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
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
    lines = carried_lines(catalog, project.scenarios)
    if lines:
        print("It brings its own figures, and they are used:")
        print("\n".join(f"    {line}" for line in lines))
    return 0
