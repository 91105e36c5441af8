"""`gpuplanner layouts` and `gpuplanner scaling`: ways to spread a training job, and how far more devices help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Reason, Resource, TrainingTable
from gpuplanner_gui.domain.training_results import LayoutRanking, ScalingCurve
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import scaling_rows
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name, recompute_name
from gpuplanner_gui.drawing.words.training import lost_text, objective_name, ranking_text
from gpuplanner_gui.engine.training.exploring import layouts, scaling
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project

OBJECTIVES = ("time", "cost", "devices")
SIZES = (
    ("devices", "devices"), ("TP", "tensor_parallel"), ("PP", "pipeline_parallel"), ("DP", "data_parallel"),
    ("CP", "context_parallel"), ("EP", "expert_parallel"), ("virtual", "virtual_stages"), ("ZeRO", "zero_stage"),
    ("micro-batch", "micro_batch"),
)  # fmt: skip
NUMBERS = (
    ("step", "step_time_s", "s"), ("MFU", "mfu", "share"), ("run", "run_time_s", "s"), ("cost", "usd_per_run", "USD"),
)  # fmt: skip
CODES = {"reason": Reason, "limit": Resource}


@dataclass(frozen=True)
class TrainingQuestion:
    """A scenario's plan, what is known, and the accelerator that the question is about."""

    results: Results
    calibration: Calibration
    accelerator: str
    devices: int
    """Of the candidate that is looked at."""


def add_parser(subparsers: Any) -> None:
    """Mount both commands."""
    command = _command(subparsers, "layouts", "rank every layout of a training job", run_layouts)
    command.add_argument("--by", choices=OBJECTIVES, default="time", help="what makes a layout good (default time)")
    command.add_argument("--devices", type=int, default=0, metavar="N", help="default: those of the best candidate")
    command.add_argument("--top", type=int, default=10, metavar="N", help="layouts to print (default 10)")
    _command(subparsers, "scaling", "show a training run on 1 to 100,000 devices", run_scaling)


def _command(
    subparsers: Any, name: str, what: str, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:  # fmt: skip
    command: argparse.ArgumentParser = subparsers.add_parser(name, help=what, description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    command.add_argument("--scenario", metavar="NAME", help="only this scenario (default: all that train)")
    command.add_argument("--accelerator", metavar="ID", help="default: that of the best candidate")
    command.add_argument("--json", action="store_true", help="print JSON, in SI base units")
    command.set_defaults(run=run)
    return command


def run_layouts(arguments: argparse.Namespace) -> int:
    """Rank the layouts of each scenario that trains."""
    top, found = max(0, arguments.top), []
    for one in asked(arguments):
        training = one.results.scenario.training
        if arguments.by == "devices" and training is not None and training.deadline_s is None:
            raise FileProblem(
                arguments.file, one.results.scenario.name, "has no deadline that a number of devices could hold",
                "Set the training job's deadline, or choose --by time or --by cost",
            )  # fmt: skip
        devices = min(max(arguments.devices or one.devices, 1), 1_000_000)
        results = one.results
        ranking = layouts(
            results.scenario, results.catalog, one.calibration, one.accelerator, arguments.by, devices
        )  # fmt: skip
        found.append((results, ranking))
    if arguments.json:
        print(json_text({"scenarios": [layouts_as_json(*one, top) for one in found]}))
        return 0
    for results, ranking in found:
        with money_shown(money_of(results.scenario.economics)):
            print("\n".join([*_heading(results), *layouts_as_text(results, ranking, top), ""]))
    return 0


def run_scaling(arguments: argparse.Namespace) -> int:
    """The scaling curve of each scenario that trains."""
    found = []
    for one in asked(arguments):
        results = one.results
        found.append((one, scaling(results.scenario, results.catalog, one.calibration, one.accelerator)))
    if arguments.json:
        print(json_text({"scenarios": [scaling_as_json(*one) for one in found]}))
        return 0
    for one, curve in found:
        name = accelerator_name(one.accelerator, one.results.catalog)
        with money_shown(money_of(one.results.scenario.economics)):
            print("\n".join([*_heading(one.results), name, *scaling_as_text(curve), ""]))
    return 0


def asked(arguments: argparse.Namespace) -> list[TrainingQuestion]:
    """The scenarios that train. Raises FileProblem for a file without, or an accelerator that the catalogue lacks."""
    project = load_project(arguments.file)
    training = {one.name for one in project.scenarios if one.training is not None}
    if arguments.scenario:
        training &= {arguments.scenario}
    if not training:
        what = f"no scenario {arguments.scenario!r} trains anything" if arguments.scenario else "no scenario trains"
        raise FileProblem(arguments.file, "", what, "Choose a scenario with a training job")
    found = []
    for results in (one for one in answered(project) if one.scenario.name in training):
        known = calibrated_by(project.measurements, results.catalog, load_calibration())
        answer = results.plan.training
        assert answer is not None
        best = answer.best if answer.best >= 0 else int(answer.table.order[0])
        own = results.plan.accelerators[int(answer.table.accelerator[best])]
        chosen = arguments.accelerator or own
        if chosen not in results.plan.accelerators:
            what = f"--accelerator names {chosen!r}, which the catalogue lacks"
            raise FileProblem(arguments.file, "", what, "`gpuplanner plan --json` prints the identifiers")
        found.append(TrainingQuestion(results, known, chosen, int(answer.table.devices[best])))
    return found


def _heading(results: Results) -> list[str]:
    name = results.scenario.name
    return [name, "=" * len(name)]


def layouts_as_text(results: Results, ranking: LayoutRanking, top: int) -> list[str]:
    """What was tried, and the best layouts as a table."""
    table, rows = ranking.table, []
    for row in range(min(top, len(table.order))):
        cells = [str(row + 1), "*" if ranking.on_front[row] else ""]
        cells += [str(int(getattr(table, name)[row])) for _, name in SIZES]
        cells.append(recompute_name(int(table.recompute[row])))
        cells += [format_value(float(getattr(table, name)[row]), unit) for _, name, unit in NUMBERS]
        rows.append([*cells, lost_text(ranking, results.plan, row)])
    headings = ["#", "front", *(title for title, _ in SIZES), "recompute", *(title for title, _, _ in NUMBERS)]
    numbers = [*range(2, 2 + len(SIZES)), *range(3 + len(SIZES), 3 + len(SIZES) + len(NUMBERS))]
    lines = [f"{objective_name(ranking.objective)}: {ranking_text(ranking, results.catalog)}"]
    return [*lines, aligned([*headings, "why it lost"], rows, frozenset(numbers))]


def layouts_as_json(results: Results, ranking: LayoutRanking, top: int) -> dict[str, Any]:
    """All columns of the best layouts, with what each lost by."""
    names = [field.name for field in fields_of(TrainingTable) if field.name not in ("order", "accelerator")]
    rows = []
    for row in range(min(top, len(ranking.table.order))):
        entry: dict[str, Any] = {"rank": row + 1, "on_front": bool(ranking.on_front[row])}
        for name in names:
            column = getattr(ranking.table, name)
            entry[name] = None if column is None else _plain(name, column[row])
        part = int(ranking.lost_part[row])
        entry["lost_by"] = ranking.parts[part] if part >= 0 else None
        entry["lost_by_s"] = _plain("", ranking.lost_part_s[row])
        entry["slower_s"] = _plain("", ranking.lost_step_s[row])
        rows.append(entry)
    return {
        "name": results.scenario.name, "accelerator": ranking.accelerator, "ranked_by": ranking.objective,
        "front_by": list(ranking.front_by), "tried": ranking.tried, "fitting": ranking.fitting, "layouts": rows,
    }  # fmt: skip


def scaling_as_text(curve: ScalingCurve) -> list[str]:
    """The curve as a table, a row for each number of devices."""
    rows = scaling_rows(curve)
    cells = [
        [
            cell if isinstance(cell, str) else "–" if cell is None else format_value(float(cell), column.unit, 4)
            for cell, column in zip(row, rows.columns)
        ]
        for row in rows.cells
    ]
    return [aligned([column.title for column in rows.columns], cells, frozenset(range(len(rows.columns))))]


def scaling_as_json(one: TrainingQuestion, curve: ScalingCurve) -> dict[str, Any]:
    """Every column of the curve, unknown numbers as null."""
    names = [field.name for field in fields_of(ScalingCurve) if field.name not in ("accelerator", "knee")]
    points = [
        {name: _plain(name, getattr(curve, name)[place]) for name in names} for place in range(len(curve.devices))
    ]  # fmt: skip
    knee = int(curve.devices[curve.knee]) if curve.knee >= 0 else None
    return {
        "name": one.results.scenario.name, "accelerator": one.accelerator, "knee_devices": knee, "points": points
    }  # fmt: skip


def _plain(name: str, value: Any) -> Any:
    if name in CODES:
        return CODES[name](int(value)).name.lower()
    return value
