"""`gpuplanner report FILE.gpuplan -o OUT.pdf`: the plan as PDF, HTML, XLSX, CSV or Markdown, by the name's ending."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.drawing.in_depth import compared, in_depth
from gpuplanner_gui.drawing.words_verdict import verdicts
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.local_calibration import calibrated_by
from gpuplanner_gui.files.project import load_project


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("report", help="write a project's plan as a document", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    command.add_argument(
        "-o", "--output", type=Path, required=True, metavar="OUT", help="ends in .pdf, .html, .xlsx, .csv or .md"
    )
    command.add_argument("--plots", type=Path, metavar="FOLDER", help="also write the plots as PNG files")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plan, draw and write; print the summary and where the report is."""
    # Draws with Qt, which the other commands do without.
    from gpuplanner_gui.drawing.report import format_of, write_report

    format_of(arguments.output)
    project = load_project(arguments.file)
    planned = answered(project)
    known = [calibrated_by(project.measurements, one.catalog, load_calibration()) for one in planned]
    answers = tuple(in_depth(results, calibration) for results, calibration in zip(planned, known))
    answers = compared(answers, known[0]) if known else answers
    written = write_report(project, answers, arguments.output, plots_dir=arguments.plots)
    for results in answers:
        print(results.scenario.name)
        for verdict in verdicts(results):
            print(verdict.text)
        print()
    print(f"Report: {arguments.output.resolve()}")
    for path in written:
        if path.resolve() != arguments.output.resolve():
            print(f"Plot: {path.resolve()}")
    return 0
