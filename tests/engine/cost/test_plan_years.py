"""Years of a plan: growth, what is held on which term, and what payments are worth, against sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.economics import Procurement
from gpuplanner_gui.engine.cost.bill import (
    TERM_LENGTHS,
    PlanYears,
    ladder_of,
    priced_by_year,
    worth_of_payments,
)
from gpuplanner_gui.engine.cost.ownership import (
    annual_capital_usd,
    capital_recovery_factor,
    held_over_years,
    present_residual_usd,
)

NAN = float("nan")
PRICES: dict[Procurement, float] = {"rent_on_demand": 4.0, "rent_1y": 2.6, "rent_3y": 1.9}


def test_a_last_part_of_a_year_is_a_year_of_its_own():
    years = PlanYears.of(2.5)
    assert years.lengths.tolist() == [1.0, 1.0, 0.5]
    assert (years.ends.tolist(), years.whole) == ([1.0, 2.0, 2.5], 2)
    assert PlanYears.of(0.5).lengths.tolist() == [0.5]


def test_growth_is_steady_so_a_year_is_highest_at_its_end():
    years = PlanYears.of(2.5)
    assert years.highest_load(0.5) == pytest.approx([1.5, 2.25, 1.5**2.5])
    assert years.highest_load(-0.2) == pytest.approx([1.0, 0.8, 0.64])
    assert (
        pytest.approx(np.array([[1.5, 2.25, 1.5**2.5], [1.0, 0.8, 0.64]]))
        == years.highest_load(np.array([0.5, -0.2])).T
    )


def test_the_mean_load_of_a_year_is_that_of_its_days():
    """The first year at 50 %: 0.5 / ln 1.5 = 1.2332; days one by one give the same."""
    days = 1.5 ** ((np.arange(365) + 0.5) / 365)
    assert PlanYears.of(1.0).mean_load(0.5) == pytest.approx([days.mean()], rel=1e-6)
    assert PlanYears.of(3.0).mean_load(0.0).tolist() == [1.0, 1.0, 1.0]


def test_payments_are_discounted_from_the_end_of_their_year_or_of_the_part_that_is_planned():
    assert worth_of_payments(PlanYears.of(2.5), 0.1) == pytest.approx([1.1**-1, 1.1**-2, 1.1**-2.5])
    assert worth_of_payments(PlanYears.of(14 / 365), 0.1) == pytest.approx([1.1 ** (-14 / 365)])
    assert worth_of_payments(PlanYears.of(2.0), 0.0).tolist() == [1.0, 1.0]


@given(rate=st.floats(0.0, 0.3), life=st.integers(1, 10) | st.floats(0.5, 10.0))
def test_capital_over_a_whole_life_is_worth_the_purchase_less_the_sale(rate, life):
    """42,000 bought now and sold for a tenth: the yearly charges are worth just that, neither more nor less."""
    years = PlanYears.of(float(life))
    sold = float(present_residual_usd(42_000.0, 0.1, rate, life))
    yearly = float(annual_capital_usd(42_000.0, sold, capital_recovery_factor(rate, life)))
    worth = float(worth_of_payments(years, rate) @ years.lengths) * yearly
    assert worth == pytest.approx(42_000.0 - sold, rel=1e-6)


def ladder(term):
    return ladder_of(term, PRICES.__getitem__)


def test_by_the_hour_follows_the_need_and_the_price_of_the_day():
    priced = priced_by_year(np.array([2.0, 5.0, 3.0]), 3, ladder("rent_on_demand"), -0.2)
    assert priced == pytest.approx([2 * 4 * 0.8**0.5, 5 * 4 * 0.8**1.5, 3 * 4 * 0.8**2.5])


def test_three_years_hold_what_they_began_with_and_later_needs_take_what_still_ends_in_time():
    """Ten for three years; five more in the second year and two more in the third, a year at a time."""
    priced = priced_by_year(np.array([10.0, 15.0, 17.0]), 3, ladder("rent_3y"), -0.1)
    assert priced == pytest.approx([19.0, 19.0 + 5 * 2.6 * 0.9, 19.0 + 7 * 2.6 * 0.81])


def test_a_term_of_the_first_day_keeps_its_price_however_short_the_plan_is():
    """Three years are signed for ten: no trend of shorter terms reaches them. Five more find room for one year only,
    or for its hours where these fall below it."""
    for trend in (-0.7, 0.0, 0.5):
        priced = priced_by_year(np.array([10.0, 15.0]), 2, ladder("rent_3y"), trend)
        assert priced == pytest.approx([19.0, 19.0 + 5 * min(2.6 * (1 + trend), 4 * (1 + trend) ** 1.5)])
    assert priced_by_year(np.array([10.0]), 0, ladder("rent_1y")) == pytest.approx([26.0])


def test_a_falling_need_does_not_end_a_term_before_its_time():
    assert priced_by_year(np.array([10.0, 4.0, 4.0]), 3, ladder("rent_3y")) == pytest.approx([19.0] * 3)
    assert priced_by_year(np.array([10.0, 4.0, 4.0]), 3, ladder("rent_1y")) == pytest.approx([26.0, 10.4, 10.4])


def test_a_part_of_a_year_is_taken_by_the_hour():
    assert priced_by_year(np.array([10.0, 10.0, 10.0]), 2, ladder("rent_1y")) == pytest.approx([26.0, 26.0, 40.0])


def test_what_is_bought_stays_for_its_useful_life():
    years = PlanYears.of(3.0)
    needed = np.array([10.0, 15.0, 7.0])
    assert held_over_years(needed, years.starts, years.ends, 4.0) == pytest.approx([10.0, 15.0, 15.0])
    assert held_over_years(needed, years.starts, years.ends, 1.0) == pytest.approx(needed)


def test_a_price_that_is_not_known_is_passed_over():
    """Without a yearly offer, later needs are taken by the hour; without that either, on the one term there is."""
    three, hourly = (3, 1.9), (0, 4.0)
    needed = np.array([1.0, 2.0, 2.0])
    assert priced_by_year(needed, 3, (three, (1, NAN), hourly)) == pytest.approx([1.9, 5.9, 5.9])
    assert priced_by_year(needed, 3, (three, (1, NAN), (0, NAN))) == pytest.approx([1.9, 3.8, 3.8])
    assert np.isnan(priced_by_year(needed, 3, ((1, NAN), (0, NAN)))).all()


@pytest.mark.parametrize(("trend", "later"), [(0.0, [4.0, 4.0]), (0.9, [6.0 * 1.9, 6.0 * 1.9**2])])
def test_nobody_signs_a_year_that_costs_more_than_its_hours(trend: float, later: list[float]):
    """A year at 6.0 was taken where its hours cost 4.0; with rents that rise by 90 % a year they cost 4 · 1.9^1.5."""
    dear = ((3, 1.9), (1, 6.0), (0, 4.0))
    priced = priced_by_year(np.array([10.0, 15.0, 17.0]), 3, dear, trend)
    second, third = (min(usd, 4.0 * (1 + trend) ** (year + 0.5)) for year, usd in zip((1, 2), later, strict=True))
    assert priced == pytest.approx([19.0, 19.0 + 5 * second, 19.0 + 7 * third])


def test_terms_fall_back_on_shorter_ones():
    assert [years for years, _ in ladder("rent_3y")] == [3, 1, 0]
    assert [years for years, _ in ladder("rent_1y")] == [1, 0]
    assert set(TERM_LENGTHS) == {"rent_1y", "rent_3y"}
