"""Which cluster is chosen where it is bought or reserved: what it costs while it idles counts."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics, Procurement, Site
from gpuplanner_gui.domain.plan import Reason, TrainingPlan
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.ranking import AS_CHEAP, AS_CHEAP_BY_HOUR
from tests.engine.training.conftest import DAY_S, H100, LLAMA_8B, LLAMA_70B, ScenarioMaker

JOB = {"tokens": 100e9, "deadline_s": 60 * DAY_S}


def never() -> None:
    pass


def paid_by(
    term: Procurement, context: Context, made: ScenarioMaker, runs_per_year: float = 1.0, owned: int = 0,
    stored_bytes: float = 0.0,
) -> TrainingPlan:  # fmt: skip
    stock = (OwnedStock(accelerator=H100, devices=owned),) if owned else ()
    scenario = made(LLAMA_8B, {"accelerators": (H100,), "owned": stock}, **JOB)
    fleets = msgspec.structs.replace(Economics().fleets, training_runs_per_year=runs_per_year)
    # Power is free here: a year of what is held is then its devices times their price.
    renting = msgspec.structs.replace(Economics().renting, stored_bytes=stored_bytes)
    site = Site(electricity_usd_per_kwh=0.0)
    economics = Economics(training_procurement=term, fleets=fleets, renting=renting, site=site)
    return training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)


@pytest.mark.parametrize(("term", "owned_then"), [("rent_on_demand", 0), ("rent_1y", 0), ("own", 32)])
def test_a_run_is_on_devices_of_one_site(
    context: Context, made: ScenarioMaker, term: Procurement, owned_then: int
) -> None:
    """32 of its own do as part of 64 where the others are bought beside them; rented, the others stand elsewhere."""
    few, many = (paid_by(term, context, made, owned=owned) for owned in (32, 64))
    none = paid_by(term, context, made)
    hourly = []
    for plan in (none, few, many):
        rows = np.flatnonzero((plan.table.devices == 64) & np.isfinite(plan.table.usd_per_device_hour))
        hourly.append(float(np.median(plan.table.usd_per_device_hour[rows])))
    rented, mixed, owned = hourly
    assert owned < rented
    assert mixed == pytest.approx(rented - (rented - owned) * owned_then / 64, rel=0.05)


@pytest.mark.parametrize("term", ["rent_on_demand", "rent_spot"])
def test_who_rents_by_the_hour_without_a_deadline_does_not_wait_for_a_hundredth_of_the_cost(
    term: Procurement, context: Context, made: ScenarioMaker
) -> None:
    """405B once took 17 years on 128 H100, where eight times as many take two for 0.5 % more."""
    scenario = made(LLAMA_70B, {"accelerators": (H100,)}, tokens=1e13, deadline_s=None)
    economics = Economics(training_procurement=term)
    plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
    table, best = plan.table, plan.best
    rows = np.flatnonzero(table.meets_targets & np.isfinite(table.usd_per_run))
    least = rows[int(table.usd_per_run[rows].argmin())]
    near = rows[table.usd_per_run[rows] <= AS_CHEAP_BY_HOUR * table.usd_per_run[least]]
    assert table.usd_per_run[best] <= AS_CHEAP_BY_HOUR * table.usd_per_run[least]
    assert table.run_time_s[best] == table.run_time_s[near].min() < table.run_time_s[least]


def year_usd(plan: TrainingPlan, rows: np.ndarray) -> np.ndarray:
    return plan.table.devices[rows] * plan.table.usd_per_device_hour[rows]


@pytest.mark.parametrize("term", ["own", "rent_1y"])
def test_who_holds_a_cluster_all_year_for_one_run_gets_the_one_that_costs_least_a_year(
    term: Procurement, context: Context, made: ScenarioMaker
) -> None:
    plan = paid_by(term, context, made)
    good = np.flatnonzero(plan.table.reason == Reason.NONE)
    assert year_usd(plan, good).max() > 4 * year_usd(plan, good).min()
    assert year_usd(plan, np.array([plan.best]))[0] == pytest.approx(year_usd(plan, good).min(), rel=0.01)
    alike = good[plan.table.devices[good] == plan.table.devices[plan.best]]
    ranked = plan.table.order[np.isin(plan.table.order, alike)]
    assert len(ranked) >= 3
    assert (np.diff(plan.table.run_time_s[ranked]) >= 0).all()


def test_storage_that_any_cluster_pays_alike_changes_no_choice(context: Context, made: ScenarioMaker) -> None:
    """100 TB cost as much whichever cluster runs; billed again for idle hours, slower clusters looked cheaper."""
    without, stored = (paid_by("rent_1y", context, made, stored_bytes=size) for size in (0.0, 1e14))
    best = stored.table.order[:20]
    assert (best == without.table.order[:20]).all()
    more = stored.table.usd_per_run[best] - without.table.usd_per_run[best]
    assert (more > 1_000).all()


def test_runs_that_follow_one_another_are_paid_by_their_hours(context: Context, made: ScenarioMaker) -> None:
    once, often = (paid_by("own", context, made, runs_per_year=runs) for runs in (1.0, 1000.0))
    rows = np.flatnonzero(often.table.reason == Reason.NONE)
    assert often.table.usd_per_run_confident[often.best] == often.table.usd_per_run_confident[rows].min()
    assert once.table.devices[once.best] <= often.table.devices[often.best]


def test_who_owns_the_devices_gets_the_fastest_of_the_runs_that_cost_as_good_as_the_least(
    context: Context, made: ScenarioMaker
) -> None:
    plan = paid_by("own", context, made, owned=1000)
    rows = np.flatnonzero(plan.table.reason == Reason.NONE)
    usd, time_s = plan.table.usd_per_run_confident, plan.table.run_time_s
    as_cheap = rows[usd[rows] <= AS_CHEAP * usd[rows].min()]
    assert plan.best == as_cheap[time_s[as_cheap].argmin()]
    assert time_s[plan.best] < time_s[rows[usd[rows].argmin()]]


@pytest.mark.parametrize("most", [20, 24, 32, 100, 1024])
def test_owned_devices_and_whole_nodes_are_tried_whatever_the_most_allowed(
    most: int, context: Context, made: ScenarioMaker
) -> None:
    """16 of 12 owned ones and a node are late, 32 need three nodes: 20 use the one node whole."""
    stock = (OwnedStock(accelerator=H100, devices=12),)
    hardware = {"accelerators": (H100,), "owned": stock, "max_training_devices": most}
    scenario = made(LLAMA_70B, hardware, tokens=60e9, deadline_s=30 * DAY_S)
    economics = Economics(training_procurement="own")
    plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
    assert plan.table.meets_targets[plan.best]
    assert (plan.table.devices[plan.best], plan.table.paid_devices[plan.best]) == (20, 20)


@pytest.mark.parametrize("most", [3, 4, 1024])
def test_devices_that_are_reserved_one_by_one_are_counted_one_by_one(
    most: int, context: Context, made: ScenarioMaker
) -> None:
    hardware = {"accelerators": ("nvidia-b200-sxm-180gb",), "max_training_devices": most}
    scenario = made(LLAMA_8B, hardware, tokens=300e9, deadline_s=60 * DAY_S)
    economics = Economics(training_procurement="rent_1y")
    plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
    assert plan.table.meets_targets[plan.best]
    assert plan.table.devices[plan.best] == 3


def test_a_fixed_number_of_devices_is_tried_alone(context: Context, made: ScenarioMaker) -> None:
    scenario = made(LLAMA_8B, {"accelerators": (H100,), "training_devices": 16}, **JOB)
    assert set(training_plan(scenario, context, never).table.devices) == {16}


@pytest.mark.parametrize(("term", "held"), [("rent_on_demand", "device_hours"), ("rent_1y", "devices")])
def test_without_a_price_the_run_that_holds_least_is_first(
    term: Procurement, held: str, context: Context, made: ScenarioMaker
) -> None:
    """A thousand devices for three hours would be the fastest."""
    scenario = made(LLAMA_8B, {"accelerators": ("intel-gaudi3-oam",)}, tokens=100e9, deadline_s=40 * DAY_S)
    economics = Economics(training_procurement=term)
    plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
    in_time = plan.table.reason == Reason.NO_PRICE
    assert len(np.unique(plan.table.devices[in_time])) > 4
    used = getattr(plan.table, held)
    assert used[plan.best] == pytest.approx(used[in_time].min(), rel=1e-6)
