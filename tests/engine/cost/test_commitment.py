import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.constants import HOURS_PER_YEAR
from gpuplanner_gui.engine.cost import commitment
from gpuplanner_gui.engine.cost.bill import PlanYears
from gpuplanner_gui.engine.cost.commitment import MixPrices


def mixed_cost_usd(need, bases, reserved, on_demand, step_h: float):
    """What a need costs with each base reserved, added up step by step."""
    above = np.maximum(need - np.asarray(bases, float)[..., None], 0.0).sum(axis=-1)
    return bases * len(need) * step_h * reserved + above * step_h * on_demand


MINUTES = np.arange(24 * 60) / 60
DAY_LOAD = 20 * (1 - 0.8 * np.cos(2 * np.pi * (MINUTES - 3) / 24))
DAY_NEED = np.ceil(DAY_LOAD / 4.65).astype(int)


def test_day_needs_eight_replicas_at_its_peak():
    assert DAY_NEED.max() * 24 == 192
    assert DAY_NEED.sum() / 60 == pytest.approx(114.65, abs=0.005)


def test_worked_case_reserves_five_replicas():
    costs = mixed_cost_usd(DAY_NEED, np.array([4, 5, 6]), 2.0, 4.0, 1 / 60)
    assert costs == pytest.approx([337.20, 334.47, 340.67], abs=0.005)
    moments = np.linspace(0, DAY_NEED.size, HOURS_PER_YEAR, endpoint=False).astype(int)
    assert reserved_for_a_year(DAY_NEED[moments], 2.0 / 4.0) == 5
    assert np.mean(DAY_NEED >= 5) == pytest.approx(0.5285, abs=5e-5)
    assert np.mean(DAY_NEED >= 6) == pytest.approx(0.4354, abs=5e-5)


def reserved_for_a_year(day: np.ndarray, ratio: float) -> int:
    plan = commitment.commitment_plan(np.resize(day, HOURS_PER_YEAR), 1, MixPrices(1.0, one_year_usd_per_h=ratio))
    return int(plan.reserved_units(1)[0])


def test_reservation_that_saves_nothing_is_not_bought():
    assert reserved_for_a_year(DAY_NEED[30::60], 1.0) <= DAY_NEED.min()
    assert reserved_for_a_year(DAY_NEED[30::60], 1.2) == 0


needs = st.lists(st.integers(0, 12), min_size=3, max_size=40).map(np.array)


@given(need=needs, ratio=st.floats(0.05, 1.1))
def test_rule_finds_the_cheapest_base(need: np.ndarray, ratio: float):
    year = np.resize(need, HOURS_PER_YEAR)
    costs = mixed_cost_usd(year, np.arange(15), ratio, 1.0, 1.0)
    plan = commitment.commitment_plan(year, 1, MixPrices(1.0, one_year_usd_per_h=ratio))
    assert plan.usd.sum() == pytest.approx(costs.min())
    assert costs[plan.reserved_units(1)[0]] == pytest.approx(costs.min())


def test_the_provider_whose_mix_is_worth_least_is_named():
    """Flat for two years: 1.5 by the hour against 1.0 for a year of a provider whose hour is dearer."""
    offers = (MixPrices(1.5, provider="plain"), MixPrices(2.0, one_year_usd_per_h=1.0, provider="terms"))
    flat, rare = np.full(2 * HOURS_PER_YEAR, 3), np.resize([3, *[0] * 23], 2 * HOURS_PER_YEAR)
    chosen = [commitment.cheapest_commitment(need, PlanYears.of(2.0), offers, 0.0, 0.1) for need in (flat, rare)]
    assert [one.provider for one in chosen] == ["terms", "plain"]
    assert chosen[0].usd.sum() == pytest.approx(3 * 2 * HOURS_PER_YEAR * 1.0)
    assert commitment.cheapest_commitment(flat, PlanYears.of(2.0), (), 0.0, 0.1) is None


def growing_need(years: int, growth: float) -> np.ndarray:
    hours = np.arange(years * HOURS_PER_YEAR)
    day = 1 - 0.6 * np.cos(2 * np.pi * hours / 24)
    return np.ceil(6 * day * (1 + growth) ** (hours / HOURS_PER_YEAR)).astype(int)


PRICES = MixPrices(on_demand_usd_per_h=4.0, one_year_usd_per_h=2.6, three_year_usd_per_h=1.9)


def test_yearly_use_falls_with_the_level_and_sums_to_the_need():
    need = growing_need(3, 0.5)
    units, use = commitment.yearly_use(need, 3)
    assert np.all(np.diff(use, axis=0) <= 0)
    assert (units[:, None] * use).sum() * HOURS_PER_YEAR == pytest.approx(need.sum())
    assert units.sum() == need.max()


def test_a_part_of_a_unit_is_needed_for_that_part_of_the_hour():
    units, use = commitment.yearly_use(np.full(HOURS_PER_YEAR, 2.25), 1)
    assert units.tolist() == [2, 1]
    assert use[:, 0] == pytest.approx([1.0, 0.25])


def brute_force_usd(units: np.ndarray, use: np.ndarray, prices: MixPrices) -> float:
    """Every sequence of terms for each level, priced one by one."""
    years = use.shape[1]
    total = 0.0
    for count, level in zip(units, use, strict=True):
        options = []
        for sequence in itertools.product((0, 1, 3), repeat=years):
            cost, year, is_legal = 0.0, 0, True
            while year < years:
                if sequence[year] == 3:
                    is_legal &= sequence[year : year + 3] == (3, 3, 3)
                    cost += prices.three_year_usd_per_h * 3 * 8760
                    year += 3
                elif sequence[year] == 1:
                    cost += prices.one_year_usd_per_h * 8760
                    year += 1
                else:
                    cost += level[year] * 8760 * prices.on_demand_usd_per_h
                    year += 1
            if is_legal:
                options.append(cost)
        total += count * min(options)
    return total


@pytest.mark.parametrize("growth", [0.0, 0.4, -0.3])
def test_plan_over_years_is_the_cheapest_of_all_sequences(growth: float):
    need = growing_need(5, growth)
    plan = commitment.commitment_plan(need, 5, PRICES)
    assert plan.usd.sum() == pytest.approx(brute_force_usd(plan.units, plan.use, PRICES))


def test_three_year_terms_are_held_for_three_years():
    plan = commitment.commitment_plan(growing_need(5, 0.4), 5, PRICES)
    for level in plan.tier:
        runs = [len(list(group)) for tier, group in itertools.groupby(level) if tier == 3]
        assert all(length % 3 == 0 for length in runs)
    assert plan.reserved_units(3).max() > 0


def test_terms_that_are_not_offered_are_never_used():
    plan = commitment.commitment_plan(growing_need(2, 0.2), 2, MixPrices(4.0))
    assert not plan.tier.any()
    assert plan.usd.sum() == pytest.approx(growing_need(2, 0.2).sum() * 4.0)


def test_flat_need_is_reserved_and_spikes_are_not():
    flat = np.full(3 * 8760, 10)
    spiky = np.zeros(3 * 8760, int)
    spiky[::50] = 10
    assert (commitment.commitment_plan(flat, 3, PRICES).tier == 3).all()
    assert not commitment.commitment_plan(spiky, 3, PRICES).tier.any()


def test_a_fleet_of_millions_is_planned_like_one_of_dozens():
    small = commitment.commitment_plan(growing_need(5, 0.4), 5, PRICES)
    large = commitment.commitment_plan(growing_need(5, 0.4) * 10**8, 5, PRICES)
    assert large.tier.shape == small.tier.shape
    assert large.usd.sum() == pytest.approx(small.usd.sum() * 1e8)
    assert (large.reserved_units(3) == small.reserved_units(3) * 10**8).all()
    assert (large.units_by_the_hour() == small.units_by_the_hour() * 10**8).all()


@pytest.mark.parametrize(
    ("hour", "year", "paid_to", "quoted_by"),
    [(1.0, 0.5, "Acme", "Acme"), (0.4, 0.5, "Near", None), (1.0, np.inf, "Near", None)],
)
def test_a_mix_names_those_whose_prices_it_pays(hour, year, paid_to, quoted_by):
    """One unit, needed always: a quoted year is paid where it costs less than Near's hour, and named only then."""
    prices = MixPrices(hour, one_year_usd_per_h=year, provider="Near", quoted=((1, "Acme"),))
    plan = commitment.commitment_plan(np.ones(HOURS_PER_YEAR, int), 1, prices)
    assert (plan.provider, plan.paid_to, plan.quoted_by) == ("Near", paid_to, quoted_by)
    half = np.concatenate([np.ones(HOURS_PER_YEAR // 5, int), np.zeros(HOURS_PER_YEAR * 4 // 5, int)])
    both = commitment.commitment_plan(1 + half, 1, replace(prices, on_demand_usd_per_h=1.0, one_year_usd_per_h=0.5))
    assert (both.paid_to, both.quoted_by) == ("Acme, Near", "Acme")
