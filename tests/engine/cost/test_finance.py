"""Worked figures of the owned-cost case: 42,000 USD, 10 % residual, 10 % interest, four years."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import ownership

CAPITAL_USD = 42_000.0
FLOWS = np.array([-CAPITAL_USD, 12_000, 12_000, 12_000, 12_000 + 4_200])
YEAR_ENDS = np.arange(5.0)
"""What flows through a year counts at its end."""

rates = st.floats(0.0, 0.5)
lives = st.floats(0.5, 30)


def test_capital_recovery_factor_of_four_years_at_ten_percent():
    assert ownership.capital_recovery_factor(0.1, 4) == pytest.approx(0.315470804, rel=1e-8)


def test_capital_recovery_factor_of_two_and_a_half_years_pays_the_half_at_its_end():
    """1 / (1 / 1.1 + 1 / 1.1² + ½ / 1.1^2.5) = 1 / (0.909091 + 0.826446 + 0.393993)."""
    assert ownership.capital_recovery_factor(0.1, 2.5) == pytest.approx(1 / 2.129530, rel=1e-6)


def test_capital_recovery_factor_without_interest_is_straight_line():
    assert ownership.capital_recovery_factor(np.array([0.0, 1e-9]), 4) == pytest.approx([0.25, 0.25], rel=1e-6)


def test_annual_capital_with_residual():
    residual = ownership.present_residual_usd(CAPITAL_USD, 0.1, 0.1, 4)
    annual = ownership.annual_capital_usd(CAPITAL_USD, residual, ownership.capital_recovery_factor(0.1, 4))
    assert residual == pytest.approx(2_868.656513, rel=1e-9)
    assert annual == pytest.approx(12_344.796380, rel=1e-9)
    assert annual / 8760 == pytest.approx(1.409223, abs=5e-7)
    assert ownership.straight_line_usd_per_year(CAPITAL_USD, 0.1, 4) / 8760 == pytest.approx(1.078767, abs=5e-7)


def test_net_present_value_internal_rate_and_payback():
    assert ownership.net_present_value(0.1, FLOWS, YEAR_ENDS) == pytest.approx(-1_092.958131, rel=1e-9)
    assert ownership.internal_rate_of_return(FLOWS, YEAR_ENDS) == pytest.approx(0.08846697, rel=1e-6)
    without_resale = np.array([-CAPITAL_USD, 12_000, 12_000, 12_000, 12_000])
    assert ownership.payback_years(without_resale, YEAR_ENDS) == pytest.approx(3.5)


def test_money_is_back_within_a_part_of_a_year_as_within_a_whole_one():
    flows, ends = np.array([-100.0, 60.0, 80.0]), np.array([0.0, 1.0, 1.5])
    assert ownership.payback_years(flows, ends) == pytest.approx(1.25)


def test_money_that_never_comes_back_has_neither_rate_nor_payback():
    lost, back = np.array([-100.0, 10, 10]), np.array([-100.0, 60, 60])
    assert ownership.payback_years(lost, YEAR_ENDS[:3]) == np.inf
    assert np.isnan(ownership.internal_rate_of_return(np.array([-100.0, -10, -10]), YEAR_ENDS[:3]))
    assert np.isfinite([ownership.internal_rate_of_return(one, YEAR_ENDS[:3]) for one in (lost, back)]).all()


@given(rate=rates, years=lives)
def test_payments_of_the_recovery_factor_are_worth_the_capital(rate: float, years: float):
    whole_years = max(1, round(years))
    factor = float(ownership.capital_recovery_factor(rate, whole_years))
    payments = np.full(whole_years, factor)
    assert ownership.net_present_value(rate, payments, np.arange(1.0, whole_years + 1)) == pytest.approx(1, rel=1e-9)


@given(rate=st.floats(0, 0.4), dearer=st.floats(0.001, 0.3), years=lives)
def test_dearer_capital_never_lowers_the_yearly_cost(rate: float, dearer: float, years: float):
    def annual(at: float) -> float:
        residual = ownership.present_residual_usd(CAPITAL_USD, 0.1, at, years)
        return float(ownership.annual_capital_usd(CAPITAL_USD, residual, ownership.capital_recovery_factor(at, years)))

    assert annual(rate + dearer) > annual(rate)


@given(inflow=st.floats(12_000, 60_000))
def test_present_value_at_the_internal_rate_is_nothing(inflow: float):
    flows = np.array([-CAPITAL_USD, inflow, inflow, inflow, inflow])
    rate = ownership.internal_rate_of_return(flows, YEAR_ENDS)
    assert ownership.net_present_value(rate, flows, YEAR_ENDS) == pytest.approx(0, abs=1e-6 * CAPITAL_USD)
