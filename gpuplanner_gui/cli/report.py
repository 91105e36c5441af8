"""`gpuplanner report FILE.gpuplan -o OUT.pdf`: the plan as PDF, HTML, XLSX, CSV or Markdown, by the name's ending."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.domain.plan import LoadCurve, Roofline
from gpuplanner_gui.drawing.decision import Decision
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words_verdict import verdicts
from gpuplanner_gui.engine import load_curve, roofline
from gpuplanner_gui.engine.decision import doors
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
    answers = compared(tuple(in_depth(results) for results in answered(project)))
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


def compared(answers: tuple[Results, ...]) -> tuple[Results, ...]:
    """The answers with the scenarios beside each other, where there are several."""
    first = answers[: doors.MOST_SCENARIOS]
    if len(first) < 2:
        return answers
    one = first[0]
    calibration = calibrated_by(one.project.measurements, one.catalog, load_calibration())
    planned = [(results.scenario, results.plan) for results in first]
    weights = one.scenario.economics.ranking
    comparison = doors.compared(planned, one.catalog, calibration, one.project.seed, weights)
    decision = replace(one.decision or Decision(), comparison=comparison)
    return (replace(one, decision=decision), *answers[1:])


def in_depth(results: Results) -> Results:
    """A scenario's answer with load curve and rooflines of its best candidates, fleets, terms and uncertainty."""
    scenario, plan, catalog = results.scenario, results.plan, results.catalog
    calibration = calibrated_by(results.project.measurements, catalog, load_calibration())
    curve: LoadCurve | None = None
    if plan.serving is not None and plan.serving.best >= 0:
        curve = load_curve(scenario, catalog, calibration, plan, plan.serving.best)
    rooflines: dict[str, Roofline] = {
        workload: roofline(scenario, catalog, calibration, plan, workload, results.candidate(workload))
        for workload in results.workloads()
        if results.candidate(workload) >= 0
    }
    return replace(
        results,
        load_curve=curve,
        rooflines=rooflines,
        decision=Decision(
            fleets=doors.fleets(scenario, catalog, calibration, plan),
            ownership=doors.ownership(scenario, catalog, calibration, plan) or {},
            uncertainty=doors.uncertainty(scenario, catalog, calibration, plan, results.project.seed),
        ),
    )
