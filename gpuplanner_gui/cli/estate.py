"""`gpuplanner estate FILE.gpuplan`: what to buy, rent, reserve and sell over the years for all workloads together."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.progress import Progress
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.estate_rows import (
    estate_lines,
    first_rows,
    future_rows,
    futures_line,
    now_lines,
    order_rows,
    period_rows,
    price_rows,
    runner_up_rows,
    shown,
    workload_rows,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Cell, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.estate.answer import EstateAnswer, planned_estate, workload_options
from gpuplanner_gui.engine.estate.draft import drafted_estate
from gpuplanner_gui.engine.estate.futures import Robust, robust
from gpuplanner_gui.engine.estate.solve import NoPlan
from gpuplanner_gui.engine.estate.why import Reasons, reasons
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project, project_to_bytes
from gpuplanner_gui.files.whole_file import write_whole_file


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("estate", help="plan many workloads over the years", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file with an estate")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--gap", type=float, default=0.01, help="stop when no plan can be cheaper by more (0.01)")
    command.add_argument("--seconds", type=float, default=20.0, help="stop after this long with the best so far (20)")
    command.add_argument("--futures", action="store_true", help="plan low, middle and high demand with one beginning")
    command.add_argument("--why", action="store_true", help="what limits are worth, and runners-up")
    command.add_argument(
        "--draft",
        type=Path,
        metavar="OUT",
        help="write the file with an estate of all its workloads at catalogue prices",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plan the estate and print periods, workloads and orders."""
    project = load_project(arguments.file)
    if arguments.draft is not None:
        return _draft(project, arguments.draft)
    if project.estate is None or not project.estate.workloads:
        raise FileProblem(
            arguments.file, "$.estate", tr("This file has no estate"), tr("Make one with --draft OUT.gpuplan")
        )
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    limits = {"gap": max(arguments.gap, 0.0), "most_s": max(arguments.seconds, 0.1)}
    with Progress(tr("Planning")) as progress:
        options = workload_options(project, catalog, calibration)
        progress.show(0.5)
        try:
            answer = planned_estate(project.estate, options, **limits)
            ahead = robust(project.estate, options, **limits) if arguments.futures and project.estate.futures else None
            why = reasons(answer.problem, answer.found) if arguments.why else None
        except NoPlan:
            raise FileProblem(
                arguments.file, "$.estate.pins", tr("No plan keeps every pinned decision"), tr("Remove one")
            ) from None
    if arguments.json:
        print(json_text(as_json(answer, ahead, why)))
    else:
        print("\n".join(as_text(answer, ahead, why)))
    return 0


def _draft(project: Project, path: Path) -> int:
    """Write the project with a first estate, whose terms and limits the planner completes."""
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    with Progress(tr("Planning")):
        plans = {one.name: plan(one, catalog, calibration) for one in project.scenarios}
    estate = drafted_estate(project, catalog, calibration, plans)
    write_whole_file(path, project_to_bytes(msgspec.structs.replace(project, estate=estate)))
    print(tr("The estate is in {path}. Add dates, growth, lead times and budgets.").format(path=path))
    return 0


def as_json(answer: EstateAnswer, ahead: Robust | None = None, why: Reasons | None = None) -> dict[str, Any]:
    """`periods`, `workloads`, `orders`, `gap`: amounts in dollars, months as 2027-01, units as sold."""
    checked = answer.found.evaluation
    found: dict[str, Any] = {
        "present_value_usd": checked.present_value_usd,
        "bound_usd": answer.found.bound_usd,
        "gap": answer.found.gap,
        "is_within_gap": answer.found.is_optimal,
        "elapsed_s": answer.found.elapsed_s,
        "are_most_served": answer.found.are_most_served,
        "left_out": [answer.problem.loads[one].name for one in checked.unserved],
        "violations": [
            {"code": one.code, "place": list(one.place), "excess": one.excess} for one in checked.violations
        ],
        "periods": period_rows(answer),
        "workloads": workload_rows(answer),
        "orders": order_rows(answer),
    }
    if ahead is not None:
        found["expected_usd"] = ahead.expected_usd
        found["futures"] = future_rows(ahead)
        found["now"] = first_rows(answer, ahead)
    if why is not None:
        found["shadow_prices"] = [
            {"limit": one.limit, "place": list(one.place), "usd_per_unit": one.usd_per_unit} for one in why.prices
        ]
        found["runners_up"] = runner_up_rows(answer, why)
    return found


def as_text(answer: EstateAnswer, ahead: Robust | None = None, why: Reasons | None = None) -> list[str]:
    """The plan as tables."""
    lines = estate_lines(answer)
    tables = [period_rows(answer), workload_rows(answer), order_rows(answer)]
    if ahead is not None:
        lines += [futures_line(ahead), *now_lines(answer, ahead)]
        tables.append(future_rows(ahead))
    if why is not None:
        tables += [price_rows(answer, why), runner_up_rows(answer, why)]
    for one in tables:
        lines += ["", _table(shown(one))]
    return lines


def _table(rows: Rows) -> str:
    if not rows.cells:
        return ""
    cells = [[_cell(one, rows.columns[place].unit) for place, one in enumerate(row)] for row in rows.cells]
    numbers = frozenset(place for place, one in enumerate(rows.cells[0]) if isinstance(one, (int, float)))
    return aligned([column.title for column in rows.columns], cells, numbers)


def _cell(value: Cell, unit: str) -> str:
    return format_value(value, unit) if isinstance(value, (int, float)) else str(value or "")
