"""How the chosen plan is started: launch flags, and files that run it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.cli.plan import answered, warn_of_carried
from gpuplanner_gui.cli.terminal import (
    PROJECT_FILE,
    ProgressLine,
    aligned,
    aligned_rows,
    command,
    json_text,
    option,
    print_answers,
)
from gpuplanner_gui.domain.catalog import merged_with_snapshot
from gpuplanner_gui.domain.decision import OwnershipAnswer
from gpuplanner_gui.domain.launch import Launch
from gpuplanner_gui.domain.price import OrderList
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.decision_rows import alternative_rows, alternatives_text, ways_rows
from gpuplanner_gui.drawing.estate_rows import (
    first_rows,
    future_rows,
    limit_lines,
    now_lines,
    period_rows,
    price_rows,
    runner_up_rows,
    shown,
    workload_rows,
)
from gpuplanner_gui.drawing.estate_rows import order_rows as estate_order_rows
from gpuplanner_gui.drawing.in_depth import about_chosen, alternatives_of
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.order_rows import amount_text, cash_rows, order_lines, order_rows
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.drawing.rows import Cell, Rows
from gpuplanner_gui.drawing.shown_money import money_of, money_shown
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import candidate_text
from gpuplanner_gui.drawing.words.estate import (
    assumed_windows_line,
    estate_lines,
    futures_line,
    futures_meaning,
    left_out_lines,
)
from gpuplanner_gui.drawing.words.launch import (
    command_text,
    files_of,
    launcher_for,
    notes_of,
    setting_name,
    setting_value,
    status_name,
    variable_lines,
)
from gpuplanner_gui.drawing.words.selected_plan import selected_text
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.estate.answer import EstateAnswer, Robust, planned_estate, robust, workload_options
from gpuplanner_gui.engine.estate.draft import drafted_estate
from gpuplanner_gui.engine.estate.solve import NoPlan
from gpuplanner_gui.engine.estate.why import Reasons, reasons
from gpuplanner_gui.engine.handoff import launches
from gpuplanner_gui.engine.planning import plan
from gpuplanner_gui.files.catalogs import load_catalog
from gpuplanner_gui.files.deploy import TARGETS, DeployPlace, slug, write_deployment
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.knowledge import calibrated_by, load_calibration
from gpuplanner_gui.files.project import load_project, save_project
from gpuplanner_gui.files.shipped_tables import load_launchers


def _launchers() -> tuple[str, ...]:
    return tuple(one.id for one in load_launchers())


@command(
    "flags", "print launch flags of the chosen plan",
    PROJECT_FILE,
    option("--engine", choices=_launchers, help="only this engine or framework (default: all, planned one first)"),
    option("--json", action="store_true", help="print JSON"),
)  # fmt: skip
def flags(arguments: argparse.Namespace) -> int:
    """`gpuplanner flags FILE.gpuplan`: how the chosen plan is started, in the flags of each engine and framework."""
    project = load_project(arguments.file)
    found = [
        (results, launch)
        for results in answered(project, is_judged=False)
        for launch in _launches(results, arguments.engine)
    ]
    if arguments.json:
        print(json_text([_flags_json(results, launch) for results, launch in found]))
    else:
        for results, launch in found:
            print("\n".join(_flags_text(results, launch)))
    warn_of_carried(project)
    if not found:
        print("There is no plan to deploy: `gpuplanner plan` says why.", file=sys.stderr)
    return 0 if found else 1


def startable(results: Results) -> Iterator[tuple[str, int]]:
    """Each workload with its chosen candidate, where that runs."""
    for workload, answer in results.plan.answers.items():
        candidate = results.candidate(workload)
        if candidate >= 0 and answer.table.fits[candidate]:
            yield workload, candidate


def _launches(results: Results, engine: str | None) -> list[Launch]:
    launchers = [one for one in load_launchers() if engine in (None, one.id)]
    return [
        launch
        for workload, candidate in startable(results)
        for launch in launches(results.scenario, results.catalog, results.plan, workload, candidate, launchers)
    ]


def _flags_text(results: Results, launch: Launch) -> list[str]:
    candidate = candidate_text(results.plan, results.catalog, launch.workload, launch.candidate)
    title = f"{results.scenario.name}: {launch.name}, {candidate}"
    lines = [title, "=" * len(title)]
    if launch.is_possible:
        rows = [
            [setting_name(one.code), setting_value(one), one.text or f"({status_name(one)})"] for one in launch.settings
        ]
        lines += [command_text(launch), "", *variable_lines(launch, results.scenario.model.name), ""]
        lines += [aligned(("setting", "value", "flag"), rows), ""]
    return [*lines, *notes_of(launch), ""]


def _flags_json(results: Results, launch: Launch) -> dict[str, Any]:
    return {
        "scenario": results.scenario.name,
        "workload": launch.workload,
        "engine": launch.launcher,
        "candidate": candidate_text(results.plan, results.catalog, launch.workload, launch.candidate),
        "possible": launch.is_possible,
        "command": list(launch.command),
        "config": list(launch.config),
        "settings": [
            {"code": one.code, "value": one.value, "status": one.status, "text": one.text} for one in launch.settings
        ],
        "notes": [{"code": one.code, "values": one.values} for one in launch.notes],
        "as_of": launch.date,
        "release": launch.release,
        "followers": list(launch.followers),
        "sources": list(launch.sources),
        "prefill": None if launch.prefill is None else _flags_json(results, launch.prefill),
    }


PLACE = (
    ("model", "CHECKPOINT", "the checkpoint: a path on every server, or a name on a hub (default: /models/NAME)"),
    ("draft-model", "CHECKPOINT", "the draft model, where the plan has one"),
    ("image", "IMAGE", "the container image (default: the engine's own of the planned release)"),
    ("checkpoints", "FOLDER", "for a training run: a folder shared by all servers"),
    ("local-disk", "FOLDER", "for a training run: a folder on each server's local disks"),
)


@command(
    "deploy", "write files that run the chosen plan",
    PROJECT_FILE,
    option("--target", choices=tuple(TARGETS), required=True, help="what to deploy with"),
    option("-o", "--output", type=Path, required=True, metavar="FOLDER", help="folder for the files"),
    option("--engine", choices=_launchers, help="engine or framework, instead of the planned one"),
    *(option(f"--{name}", default="", metavar=metavar, help=text) for name, metavar, text in PLACE),
    option("--overwrite", action="store_true", help="overwrite existing files"),
)  # fmt: skip
def deploy(arguments: argparse.Namespace) -> int:
    """`gpuplanner deploy FILE.gpuplan --target kubernetes -o FOLDER`: files that run the chosen plan."""
    place = DeployPlace(**{name.replace("-", "_"): getattr(arguments, name.replace("-", "_")) for name, _, _ in PLACE})
    found: list[tuple[str, dict[str, str]]] = []
    problems: list[FileProblem] = []
    project = load_project(arguments.file)
    for results in answered(project, is_judged=False):
        for workload, candidate in startable(results):
            name = f"{slug(results.scenario.name)}-{workload}"
            if engine := launcher_for(results, workload, arguments.engine):
                try:
                    files = files_of(results, candidate, engine, arguments.target, place, arguments.output / name)
                    found.append((name, files))
                except FileProblem as problem:
                    problems.append(problem)
    if not found:
        what = "no plan in this file can be deployed this way"
        problems.append(FileProblem(arguments.file, "", what, "`gpuplanner plan` and `gpuplanner flags` say why"))
        raise problems[0]
    warn_of_carried(project)
    for one in problems:
        print(one, file=sys.stderr)
    parts = {name: text for folder, files in found for name, text in _in_folder(files, folder if found[1:] else "")}
    for path in write_deployment(arguments.output, parts, arguments.overwrite):
        print(path)
    return 0


def _in_folder(files: dict[str, str], folder: str) -> list[tuple[str, str]]:
    return [(f"{folder}/{name}" if folder else name, text) for name, text in files.items()]


@command(
    "order", "print the order list of the chosen plan",
    PROJECT_FILE,
    option("--json", action="store_true", help="print JSON"),
)  # fmt: skip
def order(arguments: argparse.Namespace) -> int:
    """`gpuplanner order FILE.gpuplan`: what to order for the chosen plan, and the cash by quarter."""
    project = load_project(arguments.file)
    found: list[tuple[Results, OwnershipAnswer, OrderList]] = []
    for results in answered(project, is_judged=False):
        calibration = calibrated_by(project.measurements, results.catalog, load_calibration())
        told = about_chosen(results, calibration)
        owned = doors.ownership(told.scenario, told.catalog, calibration, told.plan) or {}
        told = replace(told, decision=Decision(ownership=owned, alternatives=alternatives_of(told, calibration)))
        found += [(told, one, one.order) for one in owned.values() if one.order is not None]
    if arguments.json:
        print(json_text([_order_json(*one) for one in found]))
    elif found:
        print("\n".join(line for one in found for line in _order_text(*one)))
    warn_of_carried(project)
    if not found:
        nothing = "Nothing to order: no plan is recommended, or its price is not known. `gpuplanner plan` says why."
        print(nothing, file=sys.stderr)
    return 0 if found else 1


def _order_text(results: Results, answer: OwnershipAnswer, listed: OrderList) -> list[str]:
    """The order list as lines, amounts in the scenario's currency."""
    title = f"{results.scenario.name}: order list, {listed.workload}"
    with money_shown(money_of(results.scenario.economics)):
        beside = [alternatives_text(results), _aligned(alternative_rows(results)), ""]
        return [
            title, "=" * len(title), *filter(None, [selected_text(results, listed.workload)]), *order_lines(listed), "",
            _aligned(order_rows(listed)), "",
            _aligned(cash_rows(listed)), "",
            _aligned(ways_rows(answer, is_rounded=True)), "",
            *(beside if listed.workload == "serving" else []),
        ]  # fmt: skip


def _aligned(rows: Rows) -> str:
    cells = [[amount_text(one) if isinstance(one, float) else str(one or "") for one in row] for row in rows.cells]
    numbers = frozenset(place for place, column in enumerate(rows.columns) if column.unit)
    return aligned([column.heading for column in rows.columns], cells, right=numbers)


def _order_json(results: Results, answer: OwnershipAnswer, listed: OrderList) -> dict[str, Any]:
    """The list as it is kept; unknown figures are null. See docs/derivations/cost.md#order-list."""
    made: dict[str, Any] = msgspec.to_builtins(listed)
    others = results.known.alternatives if listed.workload == "serving" else ()
    beside = [msgspec.to_builtins(one) for one in others]
    for line, one in zip(made["lines"], listed.lines, strict=True):
        line["usd"] = one.usd
    return {
        "scenario": results.scenario.name, **made, "capital_usd": listed.capital_usd, "yearly_usd": listed.yearly_usd,
        "unknown": list(listed.unknown), "ways_to_pay": [
            {"term": one.term, "present_value_usd": one.usd, "reason": one.reason} for one in answer.terms
        ] + [{"term": "mixed", "present_value_usd": answer.commitment_usd, "reason": ""}],
        "apis": [one for one in beside if one["kind"] == "api"], "alternatives": beside,
    }  # fmt: skip


@command(
    "estate", "plan many workloads over the years",
    option("file", type=Path, help="a .gpuplan file with an estate"),
    option("--json", action="store_true", help="print JSON"),
    option("--gap", type=float, default=0.01, help="stop when the best plan is this close to the optimum (0.01)"),
    option("--seconds", type=float, default=20.0, help="stop after this many seconds with the best plan so far (20)"),
    option("--futures", action="store_true", help="plan low, medium and high demand with the same first orders"),
    option("--why", action="store_true", help="also show the value of each limit and the runners-up"),
    option(
        "--draft", type=Path, metavar="OUT",
        help="write a file with an estate of all its workloads at catalogue prices",
    ),
)  # fmt: skip
def estate(arguments: argparse.Namespace) -> int:
    """`gpuplanner estate FILE.gpuplan`: what to buy, rent, reserve and sell over the years for all workloads."""
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
    with ProgressLine(tr("Planning")) as progress:
        options = workload_options(project, catalog, calibration)
        progress.show(0.5)
        try:
            answer = planned_estate(project.estate, options, **limits)
            ahead = robust(project.estate, options, **limits) if arguments.futures and project.estate.futures else None
            why = reasons(answer.problem, answer.found) if arguments.why else None
        except NoPlan:
            what, remedy = tr("The search was stopped before the first plan"), tr("Give it more time with --seconds")
            if project.estate.pins:
                what, remedy = tr("No plan satisfies every pinned decision"), tr("Remove one")
            raise FileProblem(arguments.file, "$.estate", what, remedy) from None
    warn_of_carried(project)
    left_out = left_out_lines(project, answer.estate, catalog)
    return print_answers(
        arguments, lambda: _estate_json(answer, ahead, why), lambda: _estate_text(answer, left_out, ahead, why)
    )  # fmt: skip


def _draft(project: Project, path: Path) -> int:
    """Write the project with a first estate, whose terms and limits the planner completes."""
    catalog = merged_with_snapshot(load_catalog(), project.catalog)
    calibration = calibrated_by(project.measurements, catalog, load_calibration())
    with ProgressLine(tr("Planning")):
        plans = {one.name: plan(one, catalog, calibration) for one in project.scenarios}
    drafted = drafted_estate(project, catalog, calibration, plans)
    save_project(msgspec.structs.replace(project, estate=drafted), path)
    print(tr("The estate is in {path}. Add dates, growth, lead times and budgets.").format(path=path))
    for line in filter(None, (assumed_windows_line(project, drafted), *left_out_lines(project, drafted, catalog))):
        print(line)
    return 0


def _estate_json(answer: EstateAnswer, ahead: Robust | None, why: Reasons | None) -> dict[str, Any]:
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
        "orders": estate_order_rows(answer),
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


def _estate_text(answer: EstateAnswer, left_out: list[str], ahead: Robust | None, why: Reasons | None) -> list[str]:
    """The plan as tables."""
    lines = [*estate_lines(answer), *left_out]
    tables = [period_rows(answer), workload_rows(answer), estate_order_rows(answer)]
    if ahead is not None:
        lines += [futures_line(ahead), *now_lines(answer, ahead), futures_meaning(answer)]
        tables.append(future_rows(ahead))
    if why is not None:
        lines += limit_lines(answer, why)
        tables += [price_rows(answer, why), runner_up_rows(answer, why)]
    for one in filter(None, tables):
        lines += ["", _table(shown(one))]
    return lines


def _table(rows: Rows) -> str:
    if not rows.cells:
        return ""
    numbers = frozenset(place for place, one in enumerate(rows.cells[0]) if isinstance(one, (int, float)))
    return aligned_rows(rows, _cell, numbers)


def _cell(value: Cell, unit: str) -> str:
    return format_value(value, unit) if isinstance(value, (int, float)) else str(value or "")
