"""Which cluster is chosen where it is bought or reserved: what it costs while it idles counts."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.economics import Economics, Procurement, Site
from gpuplanner_gui.domain.plan import Reason, TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import OwnedStock
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.held_cost import Sure, sure_held_usd, used_share_of_held
from gpuplanner_gui.engine.training.plan import training_plan
from gpuplanner_gui.engine.training.ranking import AS_CHEAP_AT_HAND, AS_CHEAP_TO_PAY, AS_GOOD_AS_LATE
from gpuplanner_gui.engine.uncertainty.sampling import log_sd_of, score_asked
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
def test_who_rents_by_the_hour_does_not_wait_for_a_hundredth_of_the_cost(
    term: Procurement, context: Context, made: ScenarioMaker
) -> None:
    """405B once took 17 years on 128 H100, where eight times as many take two for 0.5 % more."""
    scenario = made(LLAMA_70B, {"accelerators": (H100,)}, tokens=1e13, deadline_s=None)
    economics = Economics(training_procurement=term)
    plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
    table, best = plan.table, plan.best
    rows = np.flatnonzero(table.meets_targets & np.isfinite(table.usd_per_run))
    least = rows[int(table.usd_per_run[rows].argmin())]
    near = rows[table.usd_per_run[rows] <= AS_CHEAP_TO_PAY * table.usd_per_run[least]]
    assert table.usd_per_run[best] <= AS_CHEAP_TO_PAY * table.usd_per_run[least]
    assert table.run_time_s[best] == table.run_time_s[near].min() < table.run_time_s[least]


@pytest.mark.parametrize("wish", ["late", "dear", "unsure", "missed"])
def test_a_loose_deadline_or_a_budget_that_all_keep_or_miss_alike_changes_no_choice(
    wish: str, context: Context, made: ScenarioMaker
) -> None:
    """405B took 197 days on 512 H100, but 2.15 years on 128 where 20 years were allowed or the budget was short."""

    def best_of(**wishes: float | None) -> dict[str, float]:
        scenario = made(LLAMA_70B, {"accelerators": (H100,)}, tokens=1e13, **{"deadline_s": None} | wishes)
        plan = training_plan(scenario, context, never)
        names = ("reason", "devices", "run_time_s", "usd_per_run", "usd_per_run_confident")
        return {name: float(getattr(plan.table, name)[plan.best]) for name in names}

    free = best_of()
    usd, sure_usd = free["usd_per_run"], free["usd_per_run_confident"]
    wishes: dict[str, tuple[Reason, dict[str, float]]] = {
        "late": (Reason.NONE, {"deadline_s": 20 * 365 * DAY_S}),
        "dear": (Reason.NONE, {"budget_usd": 1.2 * sure_usd}),
        "unsure": (Reason.BELOW_CONFIDENCE, {"budget_usd": (usd + sure_usd) / 2}),
        "missed": (Reason.OVER_BUDGET, {"budget_usd": 0.9 * usd}),
    }
    reason, asked = wishes[wish]
    assert best_of(**asked) == free | {"reason": reason}


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


@pytest.mark.parametrize("term", ["own", "rent_1y"])
def test_a_year_without_a_deadline_costs_no_more_than_with_one(
    term: Procurement, context: Context, made: ScenarioMaker
) -> None:
    """8B took eight reserved H100 for 191,000 USD a year without a deadline, and one for 23,800 within 60 days."""
    economics = Economics(training_procurement=term)
    hardware = {"accelerators": (H100,), "max_training_devices": 64}
    costs = []
    for days in (60.0, 200.0, None):
        scenario = made(LLAMA_8B, hardware, tokens=1e11, deadline_s=None if days is None else days * DAY_S)
        plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
        costs.append(float(year_usd(plan, np.array([plan.best]))[0]))
    # What is bought comes in nodes of eight, whatever the deadline; what is reserved, one by one.
    assert (costs[0] > 1.5 * costs[1]) == (term == "rent_1y")
    assert costs[2] == pytest.approx(costs[1])


@pytest.mark.parametrize(("term", "years"), [("own", 3.0), ("own", 9.0), ("rent_1y", 9.0)])
def test_without_a_deadline_what_is_held_is_held_within_horizon_and_useful_life(
    term: Procurement, years: float, context: Context, made: ScenarioMaker
) -> None:
    """405B bought 64 H100 for 33.5 years of training; where none ends in time, the shortest runs come first."""
    economics = Economics(training_procurement=term, horizon_years=years)
    limit_s = years * 365 * DAY_S
    if term == "own":
        limit_s = min(limit_s, central(economics.ownership.useful_life_years) * 365 * DAY_S)
    for most, is_enough in ((1024, True), (8, False)):
        hardware = {"accelerators": (H100,), "max_training_devices": most}
        scenario = made(LLAMA_70B, hardware, tokens=3e12, deadline_s=None)
        plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
        runs = np.flatnonzero(plan.table.reason == Reason.NONE)
        time_s = plan.table.run_time_s
        assert (time_s[runs] > limit_s).any()
        assert (time_s[runs] <= limit_s).any() == is_enough
        if is_enough:
            assert time_s[plan.best] <= limit_s
        else:
            assert time_s[plan.best] <= (1 + AS_GOOD_AS_LATE) * time_s[runs].min()


@pytest.mark.parametrize(
    ("term", "runs_per_year", "run_years", "used"),
    [
        ("rent_1y", 1.0, 0.5, 0.5), ("rent_1y", 1.0, 1.0, 1.0), ("rent_1y", 1.0, 1.01, 1.01 / 2),
        ("rent_1y", 1.0, 2.51, 2.51 / 3), ("own", 1.0, 1.01, 1.01 / 2), ("rent_3y", 1.0, 0.5, 0.5),
        ("rent_3y", 1.0, 1.2, 1.2 / 3), ("rent_3y", 1.0, 3.3, 3.3 / 6), ("rent_1y", 0.5, 1.5, 0.75),
        ("rent_1y", 0.5, 2.5, 2.5 / 3), ("rent_1y", 30.0, 0.05, 0.75),
    ],
)  # fmt: skip
def test_what_is_held_for_a_run_is_held_for_whole_terms(
    term: Procurement, runs_per_year: float, run_years: float, used: float
) -> None:
    """1.01 years of a one-year term are two of them; runs that share a year share what it costs."""
    fleets = msgspec.structs.replace(Economics().fleets, training_runs_per_year=runs_per_year)
    economics = Economics(training_procurement=term, fleets=fleets)
    assert used_share_of_held(economics, run_years * 8760) == pytest.approx(used)


@pytest.mark.parametrize(("term", "term_years"), [("rent_1y", 1), ("own", 1), ("rent_3y", 3)])
def test_a_run_just_over_a_year_is_not_as_cheap_as_one_that_fills_its_last_term(
    term: Procurement, term_years: int, context: Context, made: ScenarioMaker
) -> None:
    """405B took 320 reserved H100 for 1.01 years, of which two terms are $15.2 M; 176 fill two for $8.39 M."""
    uncertainty = msgspec.structs.replace(Economics().uncertainty, confidence="expected")
    site = Site(electricity_usd_per_kwh=0.0)
    economics = Economics(training_procurement=term, horizon_years=6.0, uncertainty=uncertainty, site=site)
    hardware = {"accelerators": (H100,), "max_training_devices": 64}
    scenario = made(LLAMA_70B, hardware, tokens=2e12, deadline_s=None)
    table = (plan := training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)).table
    limit_s = min(6.0, central(economics.ownership.useful_life_years)) * 365 * DAY_S
    runs = np.flatnonzero((table.reason == Reason.NONE) & (table.run_time_s <= limit_s))
    years = table.device_hours[runs] / table.devices[runs] / 8760
    # Runs of a year or less follow one another within a term.
    held_years = np.where(years <= 1, 1.0, np.ceil(years / term_years) * term_years)
    assert (held_years > years + 0.5).any()
    whole_usd = dict(zip(runs.tolist(), held_years * year_usd(plan, runs), strict=True))
    assert whole_usd[plan.best] <= AS_CHEAP_TO_PAY * min(whole_usd.values()) * (1 + 1e-6)


@pytest.mark.parametrize("term", ["rent_1y", "own"])
def test_at_a_confidence_a_longer_run_fills_hours_that_are_paid_for(
    term: Procurement, context: Context, made: ScenarioMaker
) -> None:
    """A year of the same devices costs the same on the late day: only its price is unsure, and of all of it."""
    economics = Economics(training_procurement=term, site=Site(electricity_usd_per_kwh=0.0))
    scenario = msgspec.structs.replace(made(LLAMA_8B, {"accelerators": (H100,)}, **JOB), economics=economics)
    table = (plan := training_plan(scenario, context, never)).table
    sure = Sure(table.run_time_confident_s, table.usd_per_run_confident)
    usd = sure_held_usd(scenario, context, table, sure, msgspec.structs.asdict(table))
    rows = np.flatnonzero(table.reason == Reason.NONE)
    year = 8760 * year_usd(plan, rows)
    known = {one.id: one.distribution.value for one in context.calibration.uncertainty.inputs}
    price = log_sd_of(known["device_price"]) if term != "own" else 0.0
    assert usd[rows] == pytest.approx(year * np.exp(score_asked(scenario) * price))


def test_a_run_on_owned_devices_alone_buys_none_to_end_within_the_horizon(
    context: Context, made: ScenarioMaker
) -> None:
    """16 owned H200 take 45 days beyond three years; a node of eight was bought for 361,000 USD to end within them."""
    stock = (OwnedStock(accelerator=H100, devices=16),)
    scenario = made(LLAMA_70B, {"accelerators": (H100,), "owned": stock}, tokens=2e12, deadline_s=None)
    found = {}
    for years in (1.0, 9.0):
        economics = Economics(training_procurement="own", horizon_years=years)
        plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
        found[years] = plan.table.devices[plan.best], plan.table.run_time_s[plan.best]
        assert plan.table.devices[plan.best] <= 16
    assert found[1.0] == found[9.0]
    assert found[1.0][1] > 365 * DAY_S


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
    as_cheap = rows[usd[rows] <= AS_CHEAP_AT_HAND * usd[rows].min()]
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
    """A thousand devices for three hours would be the fastest. Of those that hold as good as the least, the fastest."""
    scenario = made(LLAMA_8B, {"accelerators": ("intel-gaudi3-oam",)}, tokens=100e9, deadline_s=40 * DAY_S)
    economics = Economics(training_procurement=term)
    plan = training_plan(msgspec.structs.replace(scenario, economics=economics), context, never)
    in_time = plan.table.reason == Reason.NO_PRICE
    assert len(np.unique(plan.table.devices[in_time])) > 4
    used = getattr(plan.table, held)
    as_good = np.flatnonzero(in_time & (used <= AS_CHEAP_TO_PAY * used[in_time].min()))
    assert len(as_good) > 1
    assert plan.best in as_good
    assert plan.table.run_time_s[plan.best] == plan.table.run_time_s[as_good].min()
