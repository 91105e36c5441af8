"""The check speaks up about each promise that decisions break; runs, dates, pins, futures and prices of limits."""

from __future__ import annotations

import itertools
from dataclasses import replace

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.estate import (
    Estate,
    EstateHardware,
    EstatePin,
    EstatePool,
    EstateSite,
    EstateWorkload,
    ReservationTerm,
    StandingUnits,
    YearLimits,
)
from gpuplanner_gui.engine.estate.answer import robust
from gpuplanner_gui.engine.estate.building import problem_of
from gpuplanner_gui.engine.estate.check import evaluated
from gpuplanner_gui.engine.estate.highs import violated_cut
from gpuplanner_gui.engine.estate.problem import Option
from gpuplanner_gui.engine.estate.program import Cover, Item
from gpuplanner_gui.engine.estate.solve import NoPlan, solved
from gpuplanner_gui.engine.estate.why import runner_up, shadow_prices
from tests.benchmarks.drawn_estates import drawn_estate

NODE = EstateHardware(
    name="node", accelerator="a", devices_per_unit=8, kw_per_unit=10.0, purchase_usd=200_000.0,
    rent_usd_per_device_hour=4.0, resale_share=0.5, lead_time_months=3,
)  # fmt: skip
ESTATE = Estate(
    periods=4, discount_per_year=0.0, hardware=(NODE,), sites=(EstateSite(name="hall", max_kw=50.0),),
    pools=(EstatePool(name="p", site="hall", standing=(StandingUnits(hardware="node", units=2),)),),
    workloads=(
        EstateWorkload(scenario="chat", pool="p"),
        EstateWorkload(scenario="tune", part="training", pool="p", start="2027-04", end="2027-10", date="flexible"),
    ),
)  # fmt: skip
OPTIONS = {
    ("chat", "serving"): (Option(0, "a", 1, 14.0, 0),),
    ("tune", "training"): (Option(0, "a", 8, 1.0, 0, 500.0),),
}


def plan_of(**changes):
    problem = problem_of(msgspec.structs.replace(ESTATE, **changes), OPTIONS)
    return problem, solved(problem, gap=0.0)


def codes(problem, made) -> set[str]:
    return {one.code for one in evaluated(problem, made).violations}


def test_training_runs_by_night_where_the_service_sleeps():
    _, found = plan_of()
    hours = found.decisions.run_hours[1]
    assert hours.sum() == pytest.approx(500.0, abs=0.01)
    assert hours[1:3, 2].sum() == pytest.approx(500.0, abs=0.01)  # 14 of 16 devices serve at peak, 5 by night
    assert found.evaluation.violations == ()
    assert found.decisions.rented.sum() == 0


def test_a_run_ends_by_its_last_month_within_a_quarter_too():
    """A quarter of which two months were left gave its run all three: it ended a month after its deadline."""
    service, run = ESTATE.workloads
    two_months = (service, msgspec.structs.replace(run, start="2027-03", end="2027-06"))
    long = OPTIONS | {("tune", "training"): (Option(0, "a", 8, 1.0, 0, 1_600.0),)}
    problem = problem_of(msgspec.structs.replace(ESTATE, workloads=two_months), long)
    assert problem.loads[1].open_share.tolist() == pytest.approx([1 / 3, 2 / 3, 0, 0])
    found = solved(problem, gap=0.0).decisions
    hours = found.run_hours[1].sum(axis=1)
    assert hours.sum() == pytest.approx(1_600.0, abs=0.01)
    assert hours[1] <= problem.hours[1].sum() * 2 / 3 + 0.01
    later = {1: np.roll(found.run_hours[1], 1, axis=0)}
    assert "hours" in codes(problem, replace(found, run_hours={1: found.run_hours[1] * 2}))
    assert "date" in codes(problem, replace(found, run_hours=later))


@pytest.mark.parametrize(("period", "periods"), [("quarter", 4), ("month", 12)])
def test_a_run_is_rented_for_its_own_hours_in_a_window_of_a_month(period: str, periods: int):
    """Eight devices take 800 h of a window of 730 h: sixteen take 410 h, 16 · 410 · 4 = 26 240 dollars.

    The eight fit into a quarter, and ousted the sixteen there: whole hours of the day were rented instead.
    """
    run = EstateWorkload(scenario="tune", part="training", pool="p", start="2027-04", end="2027-05", date="flexible")
    options = {("tune", "training"): (Option(0, "a", 8, 1.0, 0, 800.0), Option(1, "a", 16, 1.0, 0, 410.0))}
    rented = msgspec.structs.replace(NODE, purchase_usd=None)
    pools = (EstatePool(name="p", site="hall"),)
    estate = msgspec.structs.replace(
        ESTATE, period=period, periods=periods, hardware=(rented,), workloads=(run,), pools=pools
    )
    found = solved(problem_of(estate, options), gap=0.0)
    assert found.evaluation.violations == ()
    assert found.evaluation.present_value_usd == pytest.approx(26_240.0)


def test_a_period_holds_what_the_load_needs_at_its_end():
    """Fourteen devices at the start, twice as many after a year: 17, 20, 24 and 28 at the ends of quarters."""
    growing = (msgspec.structs.replace(ESTATE.workloads[0], growth_per_year=1.0),)
    (load,) = problem_of(msgspec.structs.replace(ESTATE, workloads=growing), OPTIONS).loads
    assert load.choices[0].devices[:, 0].tolist() == [17, 20, 24, 28]


def test_a_term_that_would_outlast_the_estate_is_signed_only_by_a_pin():
    """A service of the last half year: a year's term at three quarters of the hourly price ends half a year later."""
    term = ReservationTerm(months=12, usd_per_device_hour=3.0)
    late = {
        "hardware": (msgspec.structs.replace(NODE, purchase_usd=None, reservations=(term,)),), "pools": (),
        "workloads": (EstateWorkload(scenario="chat", start="2027-07"),),
    }  # fmt: skip
    _, found = plan_of(**late)
    assert found.decisions.rented.sum() > 0
    assert found.decisions.reserved[0, 0, 0].sum() == 0
    pin = EstatePin(kind="reserve", period=2, pool="chat", hardware="node", units=2, term_months=12)
    problem, found = plan_of(**late, pins=(pin,))
    assert found.decisions.reserved[0, 0, 0].tolist() == [0, 0, 2, 0]
    assert evaluated(problem, found.decisions).violations == ()


def test_the_check_finds_each_broken_promise():
    problem, found = plan_of()
    made = found.decisions
    assert codes(problem, made) == set()
    fewer = replace(made, sold=made.sold + np.array([1, 0, 0, 0]))
    assert "capacity" in codes(problem, fewer)
    bought = made.bought.copy()
    bought[0, 0, 0] = 5
    assert "power" in codes(problem, replace(made, bought=bought))
    late = {1: np.roll(made.run_hours[1], 2, axis=0)}
    assert "date" in codes(problem, replace(made, run_hours=late))
    assert "unfinished" in codes(problem, replace(made, run_hours={1: made.run_hours[1] * 0.9}))
    assert "queue" in codes(problem, replace(made, run_hours={1: made.run_hours[1] * 9}))
    gone = made.choice.copy()
    gone[0, 2] = -1
    assert "interrupted" in codes(problem, replace(made, choice=gone))


def test_money_by_hand_to_a_cent():
    """Two nodes for a year: 2 × 10 kW × 0.76 × 1.25 × 8,760 h × $0.085; half their price less 35 % comes back."""
    limits = (YearLimits(capital_usd=0.0),)
    pins = tuple(EstatePin(kind="sell", period=period, pool="p", hardware="node") for period in range(4))
    _, found = plan_of(years=limits, pins=pins)
    energy = round(2 * 10 * 0.76 * 1.25 * 8760 * 0.085, 2)
    assert found.evaluation.running_usd.sum() == pytest.approx(energy, abs=0.005)
    assert found.evaluation.proceeds_usd[-1] == pytest.approx(2 * 65_000, abs=0.005)
    assert found.evaluation.present_value_usd == pytest.approx(energy - 130_000, abs=0.005)


def test_what_cannot_all_be_served_is_left_out_by_priority():
    hungry = (ESTATE.workloads[0], msgspec.structs.replace(ESTATE.workloads[0], scenario="second", priority=3))
    options = OPTIONS | {("second", "serving"): (Option(0, "a", 1, 3.0, 0),)}
    no_money = (YearLimits(capital_usd=0.0, operating_usd=16_000.0),)
    problem = problem_of(msgspec.structs.replace(ESTATE, workloads=hungry, years=no_money), options)
    found = solved(problem, gap=0.0)
    assert found.evaluation.unserved == (1,)
    assert found.evaluation.violations == ()


def test_a_pinned_order_is_made_and_the_rest_follows():
    pin = EstatePin(kind="buy", period=1, pool="p", hardware="node", units=1)
    _, found = plan_of(pins=(pin,))
    assert found.decisions.bought[0, 0].tolist() == [0, 1, 0, 0]
    assert found.evaluation.violations == ()


def test_pins_that_cannot_be_kept_are_said():
    pins = (EstatePin(kind="sell", period=0, pool="p", hardware="node", units=2),) * 1
    with pytest.raises(NoPlan):
        plan_of(pins=(*pins, EstatePin(kind="sell", period=1, pool="p", hardware="node", units=2)),
                hardware=(msgspec.structs.replace(NODE, purchase_usd=None),))  # fmt: skip


def test_futures_begin_alike_and_regret_is_what_foresight_saves():
    found = robust(ESTATE, OPTIONS, gap=0.0)
    first = [one.decisions.bought[:, :, 0].tolist() for one in found.futures]
    assert first[0] == first[1] == first[2]
    assert all(one.regret_usd >= -0.02 for one in found.futures)
    assert all(one.evaluation.violations == () for one in found.futures)


def test_power_is_worth_what_renting_beside_it_costs():
    workloads = (msgspec.structs.replace(ESTATE.workloads[0], growth_per_year=20.0),)
    limits = {"sites": (EstateSite(name="hall", max_kw=30.0),), "workloads": workloads}
    problem, found = plan_of(**limits)
    prices = [one for one in shadow_prices(problem, found) if one.limit == "power"]
    assert prices
    assert all(one.usd_per_unit > 0 for one in prices)


def test_a_runner_up_costs_more():
    other = msgspec.structs.replace(NODE, name="dear", accelerator="b", rent_usd_per_device_hour=9.0, purchase_usd=None)
    options = OPTIONS | {("chat", "serving"): (Option(0, "a", 1, 14.0, 0), Option(1, "b", 1, 14.0, 0))}
    problem = problem_of(msgspec.structs.replace(ESTATE, hardware=(NODE, other)), options)
    found = solved(problem, gap=0.0)
    second = runner_up(problem, found, 0, gap=0.0)
    assert second.hardware == (1,)
    assert second.extra_usd > 0


def test_a_search_can_be_stopped():
    problem = problem_of(ESTATE, OPTIONS)
    with pytest.raises(NoPlan):
        solved(problem, gap=0.0, most_s=0.0, is_cancelled=lambda: True)


@pytest.mark.parametrize("most_s", [0.0, 3.0])
def test_there_is_always_a_plan_and_who_is_left_out_is_named(most_s: float):
    """Money for a few of eight workloads, with time to search and without."""
    estate, options = drawn_estate(4, 8, 4, 12)
    poor = msgspec.structs.replace(estate, years=(YearLimits(capital_usd=0.0, operating_usd=400_000.0),))
    problem = problem_of(poor, options)
    found = solved(problem, most_s=most_s)
    assert found.evaluation.violations == ()
    assert 0 < len(found.evaluation.unserved) <= 8
    assert most_s == 0.0 or len(found.evaluation.unserved) < 8


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_drawn_plan_passes_the_check_and_no_bound_is_above_it(seed: int):
    problem = problem_of(*drawn_estate(seed, 8, 4, 16))
    loose = solved(problem, gap=0.2, most_s=60.0)
    tight = solved(problem, gap=0.002, most_s=60.0)
    for found in (loose, tight):
        assert found.evaluation.violations == ()
        cost = tight.evaluation.present_value_usd
        assert found.bound_usd <= cost + max(1e-6 * abs(cost), 0.05)


def test_cuts_hold_for_every_choice():
    """No set of choices with the whole units that it needs breaks a cut."""
    draw = np.random.default_rng(3)
    for _ in range(40):
        loads = int(draw.integers(1, 5))
        items = [
            Item(column, load, draw.integers(0, 30, 2))
            for column, load in enumerate(np.repeat(np.arange(loads), 2).tolist())
        ]
        units = [[(len(items), 1.0)], [(len(items), 1.0), (len(items) + 1, 1.0)]]
        cover = Cover(8, items, units)
        values = np.concatenate([draw.dirichlet(np.ones(3), loads)[:, :2].ravel(), draw.uniform(0, 4, 2)])
        cut = violated_cut(cover, values)
        if cut is None:
            continue
        low, terms = cut
        for chosen in itertools.product((0, 1, 2), repeat=loads):
            point = np.zeros(len(values))
            taken = [items[2 * load + number - 1] for load, number in enumerate(chosen) if number]
            point[[one.column for one in taken]] = 1.0
            need = -(-np.sum([one.devices for one in taken], axis=0) // 8) if taken else np.zeros(2)
            first = np.asarray(need)[0]
            point[-2:] = first, max(np.asarray(need)[1] - first, 0)
            assert sum(share * point[column] for column, share in terms) >= low - 1e-6
