"""`gpuplanner estate FILE.gpuplan`: what to buy, rent, reserve and sell over the years for all workloads together."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.progress import Progress
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.drawing.estate_rows import order_rows, period_rows, workload_rows
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.estate.answer import EstateAnswer, planned_estate, workload_options
from gpuplanner_gui.engine.estate.futures import Robust, robust
from gpuplanner_gui.engine.estate.solve import NoPlan
from gpuplanner_gui.engine.estate.why import runner_up, shadow_prices
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.local_calibration import calibrated_by
from gpuplanner_gui.files.project import load_project


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("estate", help="plan many workloads over the years", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file with an estate")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--gap", type=float, default=0.01, help="stop when no plan can be cheaper by more (0.01)")
    command.add_argument("--seconds", type=float, default=20.0, help="stop after this long with the best so far (20)")
    command.add_argument("--futures", action="store_true", help="plan low, middle and high demand with one beginning")
    command.add_argument("--why", action="store_true", help="what limits are worth, and runners-up")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Plan the estate and print periods, workloads and orders."""
    project = load_project(arguments.file)
    if project.estate is None or not project.estate.workloads:
        raise FileProblem(arguments.file, "$.estate", tr("This file has no estate"), tr("Add workloads to it"))
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    limits = {"gap": max(arguments.gap, 0.0), "most_s": max(arguments.seconds, 0.1)}
    with Progress(tr("Planning")) as progress:
        options = workload_options(project, catalog, calibration)
        progress.show(0.5)
        try:
            answer = planned_estate(project.estate, options, **limits)
            ahead = robust(project.estate, options, **limits) if arguments.futures and project.estate.futures else None
        except NoPlan:
            raise FileProblem(
                arguments.file, "$.estate.pins", tr("No plan keeps every pinned decision"), tr("Remove one")
            ) from None
    if arguments.json:
        print(json_text(as_json(answer, ahead, arguments.why)))
    else:
        print("\n".join(as_text(answer, ahead, arguments.why)))
    return 0


def as_json(answer: EstateAnswer, ahead: Robust | None = None, with_why: bool = False) -> dict[str, Any]:
    """`periods`, `workloads`, `orders`, `gap`: amounts in dollars, months as 2027-01, units as sold."""
    checked = answer.found.evaluation
    found: dict[str, Any] = {
        "present_value_usd": checked.present_value_usd,
        "bound_usd": answer.found.bound_usd,
        "gap": answer.found.gap,
        "is_within_gap": answer.found.is_optimal,
        "elapsed_s": answer.found.elapsed_s,
        "left_out": [answer.problem.loads[one].name for one in checked.unserved],
        "violations": [
            {"code": one.code, "place": list(one.place), "excess": one.excess} for one in checked.violations
        ],
        "periods": period_rows(answer),
        "workloads": workload_rows(answer),
        "orders": order_rows(answer),
    }
    if ahead is not None:
        found["futures"] = [
            {
                "name": one.name,
                "probability": one.probability,
                "present_value_usd": one.evaluation.present_value_usd,
                "alone_usd": one.alone.evaluation.present_value_usd,
                "regret_usd": one.regret_usd,
            }
            for one in ahead.futures
        ]
        found["now"] = [
            {
                "kind": one.kind,
                "pool": answer.problem.pools[one.pool].name,
                "hardware": answer.problem.units[one.hardware].name,
                "units": one.units,
                "alone": list(one.alone),
                "can_wait": one.can_wait,
            }
            for one in ahead.orders
        ]
    if with_why:
        found["shadow_prices"] = [
            {"limit": one.limit, "place": list(one.place), "usd_per_unit": one.usd_per_unit}
            for one in shadow_prices(answer.problem, answer.found)
        ]
        found["runners_up"] = list(_runners_up(answer))
    return found


def _runners_up(answer: EstateAnswer) -> Iterator[dict[str, Any]]:
    for index, load in enumerate(answer.problem.loads):
        if index in answer.found.evaluation.unserved:
            continue
        other = runner_up(answer.problem, answer.found, index)
        names = [answer.problem.units[one].name for one in other.hardware]
        yield {"workload": load.name, "hardware": names, "extra_usd": other.extra_usd, "gap": other.gap}


def as_text(answer: EstateAnswer, ahead: Robust | None = None, with_why: bool = False) -> list[str]:
    """The plan as tables."""
    found, checked = answer.found, answer.found.evaluation
    sentence = tr("{cost} (present value, resale deducted). No plan is more than {gap} cheaper.")
    lines = [sentence.format(cost=_usd(checked.present_value_usd), gap=format_value(found.gap, "share"))]
    if checked.unserved:
        names = ", ".join(answer.problem.loads[one].name for one in checked.unserved)
        lines.append(tr("Left out, because limits do not allow them: {names}").format(names=names))
    lines += ["", _table(period_rows(answer)), "", _table(workload_rows(answer)), "", _table(order_rows(answer))]
    if ahead is not None:
        data = as_json(answer, ahead)
        lines += ["", _table(data["futures"]), "", _table(data["now"])]
    if with_why:
        data = as_json(answer, None, with_why=True)
        lines += ["", _table(data["shadow_prices"]), "", _table(data["runners_up"])]
    return lines


def _usd(amount: float) -> str:
    return format_value(amount, "USD")


def _table(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return ""
    names = list(rows[0])
    cells = [[_cell(name, row[name]) for name in names] for row in rows]
    numbers = frozenset(
        index for index, name in enumerate(names) if isinstance(rows[0][name], (int, float)) and name != "month"
    )
    return aligned([name.removesuffix("_usd").replace("_", " ") for name in names], cells, numbers)


def _cell(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(one) for one in value)
    if isinstance(value, float):
        return _usd(value) if "usd" in name else format_value(value, "share" if name.endswith("fill") else "")
    return str(value)
