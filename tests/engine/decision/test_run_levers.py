"""Measures that make a run cheaper: alone, and one after the other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.decision.ways_to_pay import lever_savings


def test_faster_and_spot_and_both():
    """Twice as fast, and spot at the price of a useful hour of case E15."""
    faster, spot = lever_savings(100_000.0, {"faster": 1 / 2.0, "spot": 2.133732 / 3.93})
    assert (faster.code, spot.code) == ("faster", "spot")
    assert [faster.alone_usd, spot.alone_usd] == pytest.approx([50_000, 45_706.6], rel=1e-5)
    assert [faster.in_order_usd, spot.in_order_usd] == pytest.approx([50_000, 22_853.3], rel=1e-5)


def test_measure_that_costs_shows_as_negative():
    (one,) = lever_savings(100.0, {"spot": 1.2})
    assert one.alone_usd == one.in_order_usd == pytest.approx(-20)


factors = st.floats(0.01, 2)


@given(base=st.floats(1, 1e9), faster=factors, spot=factors)
def test_savings_in_order_add_up(base: float, faster: float, spot: float):
    saved = math.fsum(one.in_order_usd for one in lever_savings(base, {"faster": faster, "spot": spot}))
    assert base - saved == pytest.approx(base * faster * spot, rel=1e-9, abs=1e-9 * base)
