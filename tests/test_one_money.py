"""One number per question of money on every page: plan, JSON, terms, order list, samples, fleets, sheet, findings."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from gpuplanner_gui import api
from gpuplanner_gui.cli.plan import as_json
from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.domain.decision import FleetsAnswer, OwnershipAnswer, UncertaintyAnswer
from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan, column
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Project
from gpuplanner_gui.drawing.report.money import cost_sheets
from gpuplanner_gui.drawing.results import Decision, Results
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.files.knowledge import load_calibration
from gpuplanner_gui.files.project import load_project

pytestmark = pytest.mark.usefixtures("short_simulations")

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path
    for folder in ("resources/examples", "tests/cases", "tests/engine/decision/order_cases")
    for path in (ROOT / folder).glob("*.gpuplan")
)
USUAL = frozenset((
    "13b-two-deployments", "rag", "own-405b-train", "own-chat-1gb200", "s11-batch", "t11-both", "autoscaled-chat",
    "autoscaled-beside-owned",
    "7b-continued-pretraining",
))  # fmt: skip
"""Projects of every run; `make test-deep` walks all."""
WALKED = [path for path in FILES if path.stem in USUAL or "GPUPLANNER_DEEP" in os.environ]
CENT = 0.005
SAMPLES = 200
Numbers = Iterator[tuple[str, float, float]]
"""What is asked, the plan's answer, and that of another page."""


@pytest.mark.parametrize("file", WALKED, ids=lambda one: one.stem)
def test_every_page_gives_one_number(file: Path) -> None:
    project = load_project(file)
    asked = 0
    for results in api.plan(project):
        known = decided(results, project)
        for workload in results.workloads():
            answer = results.answer(workload)
            if answer is None or answer.best < 0 or not math.isfinite(_price(answer)):
                continue
            numbers = list(_numbers(project, known, workload))
            differing = [one for one in numbers if not abs(one[1] - one[2]) <= CENT]
            assert not differing, (results.scenario.name, workload, differing)
            asked += len(numbers)
    assert asked


def decided(results: Results, project: Project) -> Results:
    """The results with all that the page on money shows."""
    given = results.scenario, results.catalog, load_calibration(), results.plan
    made = Decision(
        fleets=doors.fleets(*given), ownership=doors.ownership(*given) or {},
        uncertainty=doors.uncertainty(*given, project.seed, SAMPLES),
    )  # fmt: skip
    return replace(results, decision=made)


def _price(answer: ServingPlan | TrainingPlan) -> float:
    return float(answer.table.usd_per_device_hour[answer.best])


def _numbers(project: Project, results: Results, workload: str) -> Numbers:
    answer, known = results.answer(workload), results.decision
    assert answer is not None
    assert known is not None

    def of(name: str) -> float:
        return float(column(answer.table, name)[answer.best])

    is_service = isinstance(answer, ServingPlan)
    cost = "usd_per_month" if is_service else "usd_per_run"
    (row, *_) = as_json(project, (results,), 1)["scenarios"][0][workload]
    for name in (cost, "devices", "paid_devices", "usd_per_device_hour", *(("replicas",) if is_service else ())):
        yield f"JSON: {name}", of(name), row[name]
    yield from _of_terms(results, known.ownership[workload], of, cost)
    yield from _of_samples(known.uncertainty, known.ownership[workload], results, of, cost)
    yield from _of_sheets(results, of, cost)
    yield from _of_findings(results, known.ownership[workload], workload)
    if known.fleets is not None:
        yield from _of_fleets(results, known.fleets, known.ownership[workload], answer)


def _of_terms(results: Results, owned: OwnershipAnswer, of: Any, cost: str) -> Numbers:
    """Cost page and order list: the scenario's own term is what the plan costs."""
    economics, is_service = results.scenario.economics, owned.workload == "serving"
    term = economics.serving_procurement if is_service else economics.training_procurement
    paid = next(one for one in owned.terms if one.term == term)
    yield "device-hour on its term", of("usd_per_device_hour"), paid.usd_per_device_hour
    yield "devices", of("devices"), owned.devices
    times = 12.0 if is_service else central(economics.fleets.training_runs_per_year)
    order = owned.order
    assert order is not None
    yield "order: a year", of(cost) * times, order.planned_usd_per_year
    yield "order: devices", of("paid_devices"), order.devices + order.stock_devices
    if term == "own":
        yield "owned: devices bought", of("paid_devices"), owned.bought_devices
        if is_service and not order.stock_devices:
            drawn = next(one for one in order.lines if one.item == "electricity")
            yield (
                "electricity: a year's bill",
                owned.energy.electricity_usd,
                owned.annual.energy_usd * of("paid_devices"),
            )
            yield "electricity: order list", owned.energy.electricity_usd, drawn.usd
            yield "electricity: kWh of the order list", owned.energy.energy_kwh, drawn.quantity
    units = {one.code: one.value for one in owned.unit_costs}
    yield ("a request", of("usd_per_request"), units["request"]) if is_service else ("a run", of(cost), units["run"])
    yield "power", of("power_w"), owned.energy.facility_power_w
    if is_service:
        yield "replicas", of("replicas"), owned.replicas
        if not owned.growth_per_year:
            yield "replicas of the first year", of("replicas"), owned.replicas_by_year[0]
            if term == "rent_on_demand" and not central(economics.price_trend_per_year):
                yield "bill of the first year", 12 * of(cost), paid.usd_by_year[0]


def _of_samples(
    sure: UncertaintyAnswer | None, owned: OwnershipAnswer, results: Results, of: Any, cost: str
) -> Numbers:
    """Page on uncertainty: the central case of the samples."""
    if sure is None:
        return
    planned = {one.code: one.planned for one in sure.headlines}
    economics = results.scenario.economics
    if owned.workload == "serving":
        yield "samples: a month", of(cost), planned["serving.usd_per_month"]
        # A plan may hold more than the expected figures need, never fewer.
        yield "samples: replicas that lack", 0.0, max(planned["serving.replicas_needed"] - of("replicas"), 0.0)
        term = next(one for one in owned.terms if one.term == economics.serving_procurement)
        if math.isfinite(term.usd):
            yield "samples: the horizon", term.usd, planned["serving.lifetime_usd"]
    else:
        yield "samples: a run", of(cost), planned["training.usd_per_run"]
        yield "samples: device-hours", of("device_hours"), planned["training.device_hours"]


def _of_sheets(results: Results, of: Any, cost: str) -> Numbers:
    """Cost sheet of the report, in the currency that is planned in: dollars in these files."""
    key, keys = ("month", ("replicas", "devices")) if cost == "usd_per_month" else ("run", ())
    for sheet in cost_sheets(results):
        rows = {one.key: one.value for one in sheet.rows}
        if key in rows:
            yield "sheet", of(cost), rows[key]
            yield from ((f"sheet: {name}", of(name), rows[name]) for name in keys)


def _of_findings(results: Results, owned: OwnershipAnswer, workload: str) -> Numbers:
    """The mix that a finding advises is that of the cost page, and so is what FP8 saves."""
    for one in results.plan.findings:
        if one.workload == workload and one.code in ("follow_the_load", "follow_the_load_then_reserve", "switch_off"):
            first = owned.commitments[0]
            reserved = first.three_years + first.one_year
            yield "finding: reserved", reserved, float(one.values["base"])
            more = float(one.values["more"])
            yield "finding: at most", reserved + first.by_the_hour, float(one.values["base"]) + more
        if one.code == "lever_narrow_recipe":
            yield from (("finding: FP8", one.usd, tip.alone_usd) for tip in owned.levers if tip.code == "faster")


def _of_fleets(
    results: Results, fleets: FleetsAnswer, owned: OwnershipAnswer, answer: ServingPlan | TrainingPlan
) -> Numbers:
    """Fleets of their own are the recommended ones, and pay what the plan and the Cost page say."""
    economics = results.scenario.economics
    (own,) = [one for one in fleets.of("burst").fleets if one.role == owned.workload]
    yield "fleets: candidate", float(answer.best), float(max(own.serving_candidate, own.training_candidate))
    if isinstance(answer, TrainingPlan):
        yield "fleets: devices that train", float(answer.table.devices[answer.best]), own.devices
        runs = central(economics.fleets.training_runs_per_year) * owned.horizon_years
        if economics.training_procurement == "rent_on_demand" and len(fleets.windows_h) == runs:
            yield "fleets: runs", next(one.usd for one in owned.terms if one.term == "rent_on_demand"), own.usd
        return
    if not owned.growth_per_year:
        yield "fleets: devices that serve", float(answer.table.devices[answer.best]), own.devices
    if not central(economics.price_trend_per_year):
        yield from _of_mix(results, fleets)


def _of_mix(results: Results, fleets: FleetsAnswer) -> Numbers:
    """A serving fleet, bought, reserved and by the hour: that of the Cost page over the years from its opening."""
    open_h = fleets.horizon_h - fleets.opens_h
    economics = msgspec.structs.replace(results.scenario.economics, horizon_years=open_h / HOURS_PER_YEAR)
    scenario = msgspec.structs.replace(results.scenario, economics=economics)
    asked = doors.ownership(scenario, results.catalog, load_calibration(), results.plan)
    assert asked is not None
    owned, later = (
        asked["serving"],
        (1 + central(economics.ownership.cost_of_capital)) ** -(fleets.opens_h / HOURS_PER_YEAR),
    )
    lengths = [min(open_h - start, HOURS_PER_YEAR) for start in range(0, int(open_h), HOURS_PER_YEAR)]
    is_own = economics.serving_procurement == "own"
    if is_own:
        held = float(np.maximum.accumulate(owned.replicas_by_year) @ np.array(lengths))
        bill = next(one.usd for one in owned.terms if one.term == "own")
    else:
        reserved = [one.three_years + one.one_year for one in owned.commitments]
        held, bill = float(np.array(reserved) @ np.array(lengths)), owned.commitment_usd
    for name in ("two_fleets", "burst"):
        (fleet,) = [one for one in fleets.of(name).fleets if one.role == "serving"]
        spans = {one.tier: one for one in fleets.of(name).timeline if one.role == "serving"}
        each = owned.devices / owned.replicas
        yield f"{name}: devices held", each * held / open_h, spans["committed"].devices if held else 0.0
        yield f"{name}: the bill", bill * later, fleet.usd
