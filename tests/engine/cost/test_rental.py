from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.cost import rental


def test_bill_by_part():
    bill = rental.rental_bill_usd(8 * 730, 2.5, 50e12, 0.14, 10e12, 0.09, 0.03)
    assert bill.devices_usd == pytest.approx(14_600)
    assert bill.storage_usd == pytest.approx(7_000)
    assert bill.egress_usd == pytest.approx(900)
    assert bill.support_usd == pytest.approx(0.03 * 22_500)
    assert bill.total == pytest.approx(22_500 * 1.03)


def test_quarter_paid_up_front_over_three_years():
    at_once = rental.prepaid_usd_per_hour(2.0, 1.0, 3, 0.1)
    assert at_once == pytest.approx(2.0 * 3 * 0.4021148, rel=1e-6)
    assert rental.prepaid_usd_per_hour(2.0, 0.25, 3, 0.1) == pytest.approx(0.75 * 2.0 + 0.25 * at_once)
    assert rental.prepaid_usd_per_hour(2.0, 0.25, 3, 0.0) == pytest.approx(2.0)


def test_virtualisation_is_bought_as_more_hours():
    assert rental.bare_metal_equivalent_usd_per_hour(1.9, 0.05) == pytest.approx(2.0)


def test_currency():
    assert rental.amount_in_usd(100.0, 1.08) == pytest.approx(108)


def test_prices_age():
    assert rental.price_age_days(date(2026, 5, 1), date(2026, 8, 1)) == 92
    assert rental.is_price_old(date(2026, 5, 1), date(2026, 8, 1))
    assert not rental.is_price_old(date(2026, 6, 1), date(2026, 8, 1))
    assert rental.price_age_days(date(2026, 9, 1), date(2026, 8, 1)) == 0


@given(upfront=st.floats(0, 1), rate=st.floats(0, 0.5), term=st.floats(0.1, 10))
def test_paying_early_is_never_cheaper(upfront: float, rate: float, term: float):
    assert rental.prepaid_usd_per_hour(2.0, upfront, term, rate) >= 2.0 * (1 - 1e-12)
