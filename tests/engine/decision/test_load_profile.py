"""The day of a service that states only its mean over its peak."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.decision.load_profile import day_profile


@given(st.floats(0.1, 0.999))
def test_day_has_the_stated_mean_and_its_peak_in_the_afternoon(mean_over_peak):
    day = day_profile(mean_over_peak)
    assert day.mean() == pytest.approx(mean_over_peak, rel=1e-6)
    assert day.argmax() == 15
    assert day.max() == pytest.approx(1.0)
    assert day.min() >= 0


def test_flat_load_is_flat():
    assert set(day_profile(1.0)) == {1.0}
