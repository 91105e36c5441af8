"""Rental prices that fall or rise over the horizon: terms, commitments, fleets, purchase and samples."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Range
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cost.bill import factors_of_years
from gpuplanner_gui.engine.cost.commitment import MixPrices, commitment_plan
from gpuplanner_gui.engine.decision.fleets_of_plan import fleets_of_plan
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan


def trending(scenario: Scenario, trend) -> Scenario:
    return msgspec.structs.replace(
        scenario, economics=msgspec.structs.replace(scenario.economics, price_trend_per_year=trend)
    )


def test_a_term_keeps_the_price_of_its_first_day():
    assert factors_of_years(-0.2, 4, 0) == pytest.approx(0.8 ** np.array([0.5, 1.5, 2.5, 3.5]))
    assert factors_of_years(-0.2, 4, 1) == pytest.approx(0.8 ** np.arange(4.0))
    assert factors_of_years(-0.2, 4, 3) == pytest.approx([1, 1, 1, 0.8**3])


def test_falling_prices_shorten_the_commitment():
    """By hand, one unit always needed for three years: a year's hours times 5.7 USD, or 2.6 + 2.6·0.8 + …"""
    need, prices = np.ones(3 * 8760, int), MixPrices(4.0, one_year_usd_per_h=2.6, three_year_usd_per_h=1.9)
    steady, falling = commitment_plan(need, 3, prices), commitment_plan(need, 3, prices, -0.2)
    assert steady.tier.tolist() == [[3, 3, 3]]
    assert steady.usd.sum() == pytest.approx(3 * 8760 * 1.9)
    assert falling.tier.tolist() == [[3, 3, 3]]
    steep = commitment_plan(need, 3, prices, -0.45)
    assert steep.tier.tolist() == [[1, 1, 1]]
    assert steep.usd.sum() == pytest.approx(8760 * 2.6 * (1 + 0.55 + 0.55**2))
    longer = commitment_plan(np.ones(4 * 8760, int), 4, prices, -0.3)
    assert longer.usd.sum(axis=0)[-1] < longer.usd.sum(axis=0)[0]


def test_trend_moves_what_is_rented_and_not_what_is_owned(service, service_plan, context):
    steady = ownership_of_plan(service, service_plan, context, "serving")
    falling = ownership_of_plan(trending(service, -0.2), service_plan, context, "serving")
    for before, after in zip(steady.terms, falling.terms, strict=True):
        if not np.isfinite(before.usd):
            continue
        if before.term in ("own", "rent_3y"):
            assert after.usd == pytest.approx(before.usd)
        else:
            assert after.usd < before.usd
    assert falling.investment.npv_usd < steady.investment.npv_usd
    assert falling.commitment_usd < steady.commitment_usd


def test_bursts_of_later_years_cost_less_when_prices_fall(both, both_plan, context):
    steady, falling = (fleets_of_plan(trending(both, trend), both_plan, context) for trend in (0.0, -0.3))
    assert falling.of("burst").usd < steady.of("burst").usd
    assert falling.of("shared").usd < steady.of("shared").usd
    for answer in (steady, falling):
        for one in answer.strategies:
            assert sum(span.usd for span in one.timeline) == pytest.approx(one.usd)
    runs = [span.usd for span in falling.of("burst").timeline if span.role == "training"]
    assert runs[1] / runs[0] == pytest.approx(0.7 / 1.1, rel=0.02)


def test_lifetime_follows_the_trend_and_its_range(service, service_plan, context):
    def lifetime(trend):
        answer = uncertainty_of_plan(trending(service, trend), service_plan, context, seed=1, samples=500)
        return answer.headline("serving.lifetime_usd")

    # By hand: the mean price of each year, that of its middle, is paid at its end, at 10 % a year.
    worth = 1.1 ** -(np.arange(3) + 1)
    falling = (0.8 ** (np.arange(3) + 0.5) * worth).sum() / worth.sum()
    assert lifetime(-0.2).planned == pytest.approx(lifetime(0.0).planned * falling, rel=1e-6)
    known = lifetime(Range(-0.01, 0.01))
    assert known.p90 / known.p10 < lifetime(0.0).p90 / lifetime(0.0).p10
