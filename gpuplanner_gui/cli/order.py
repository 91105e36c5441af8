"""`gpuplanner order FILE.gpuplan`: what to order for the recommended plan, and the cash by quarter."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.json_text import json_text
from gpuplanner_gui.cli.plan import answered
from gpuplanner_gui.cli.tables import aligned
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.order import OrderList
from gpuplanner_gui.drawing.decision_rows import alternatives_of, api_rows, api_sentence, ways_rows
from gpuplanner_gui.drawing.order_rows import amount_text, cash_rows, order_lines, order_rows
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project


def add_parser(subparsers: Any) -> None:
    """Mount the command."""
    command = subparsers.add_parser("order", help="print what to order for the recommended plan", description=__doc__)
    command.add_argument("file", type=Path, help="a .gpuplan file")
    command.add_argument("--json", action="store_true", help="print JSON")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the order list of every scenario; status 1 where there is nothing to order."""
    project = load_project(arguments.file)
    found: list[tuple[Results, OwnershipAnswer, OrderList]] = []
    for results in answered(project):
        calibration = calibrated_by(project.measurements, results.catalog, load_calibration())
        owned = doors.ownership(results.scenario, results.catalog, calibration, results.plan) or {}
        found += [(results, one, one.order) for one in owned.values() if one.order is not None]
    if arguments.json:
        print(json_text([_as_json(*one) for one in found]))
    elif not found:
        print("Nothing to order: no plan is recommended, or its price is not known. `gpuplanner plan` says why.")
    else:
        print("\n".join(line for one in found for line in _as_text(*one)))
    return 0 if found else 1


def _as_text(results: Results, answer: OwnershipAnswer, order: OrderList) -> list[str]:
    title = f"{results.scenario.name}: order list, {order.workload}"
    return [
        title, "=" * len(title), *order_lines(order), "",
        _aligned(order_rows(order)), "",
        _aligned(cash_rows(order)), "",
        _aligned(ways_rows(answer)), "",
        *([api_sentence(results), _aligned(api_rows(results)), ""] if order.workload == "serving" else []),
    ]  # fmt: skip


def _aligned(rows: Rows) -> str:
    cells = [[amount_text(one) if isinstance(one, float) else str(one or "") for one in row] for row in rows.cells]
    numbers = frozenset(place for place, column in enumerate(rows.columns) if column.unit)
    return aligned([column.heading for column in rows.columns], cells, right=numbers)


def _as_json(results: Results, answer: OwnershipAnswer, order: OrderList) -> dict[str, Any]:
    """The list as it is kept; unknown figures are null. See docs/derivations/cost.md#order-list."""
    made: dict[str, Any] = msgspec.to_builtins(order)
    for line, one in zip(made["lines"], order.lines, strict=True):
        line["usd"] = one.usd
    return {
        "scenario": results.scenario.name, **made, "capital_usd": order.capital_usd, "yearly_usd": order.yearly_usd,
        "unknown": list(order.unknown), "ways_to_pay": [
            {"term": one.term, "present_value_usd": one.usd, "reason": one.reason} for one in answer.terms
        ] + [{"term": "mixed", "present_value_usd": answer.commitment_usd, "reason": ""}],
        "apis": [msgspec.to_builtins(one) for one in alternatives_of(results)] if order.workload == "serving" else [],
    }  # fmt: skip
