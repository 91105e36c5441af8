"""The day of a service that states only its mean over its peak."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.workload import Traffic
from gpuplanner_gui.engine.decision.load_profile import day_profile, service_day


@given(st.floats(0.1, 0.999))
def test_day_has_the_stated_mean_and_its_peak_in_the_afternoon(mean_over_peak):
    day = day_profile(mean_over_peak)
    assert day.mean() == pytest.approx(mean_over_peak, rel=1e-6)
    assert day.argmax() == 15
    assert day.max() == pytest.approx(1.0)
    assert day.min() >= 0


def test_flat_load_is_flat():
    assert set(day_profile(1.0)) == {1.0}


def test_a_day_that_is_stated_by_the_hour_is_taken_as_it_is():
    office = tuple(10.0 if 9 <= hour < 17 else 1.0 for hour in range(24))
    traffic = Traffic(hours=office, mean_over_peak=0.9)
    assert service_day(traffic).tolist() == [hour / 10 for hour in office]
    assert service_day(traffic).mean() == pytest.approx(traffic.mean_share_of_peak)


def test_a_day_without_hours_has_the_stated_mean():
    assert service_day(Traffic(mean_over_peak=0.4)).mean() == pytest.approx(0.4, abs=1e-6)
