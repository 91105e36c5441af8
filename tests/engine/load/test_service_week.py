"""The usual week of a service: stated in part, in full, or only by its mean over its peak."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.engine.fleet.service_need import day_profile, service_day, service_week


@given(st.floats(0.05, 0.999))
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


def test_a_day_is_the_cosine_of_the_notes():
    """Case E22 of docs/derivations: 20·(1 − 0.8·cos(2π(t − 3)/24)), whose mean is 20 of a peak of 36."""
    day = day_profile(20 / 36)
    assert [day[3], day[9], day[15], day[21]] == pytest.approx([4 / 36, 20 / 36, 1.0, 20 / 36])


def test_the_plain_cosine_and_the_raised_one_meet():
    assert day_profile(0.51 - 1e-9) == pytest.approx(day_profile(0.51), abs=1e-6)


def test_numbers_for_other_than_24_parts_of_a_day_keep_their_mean():
    """Half hours give each hour the mean of its two; five parts of 4.8 h leave hours that see two of them."""
    halves = (0.0, 2.0) * 23 + (4.0, 4.0)
    assert service_day(Traffic(hours=halves)).tolist() == pytest.approx([0.25] * 23 + [1.0])
    fifths = Traffic(hours=(1.0, 2.0, 3.0, 4.0, 5.0))
    assert service_day(fifths)[4] == pytest.approx((0.8 * 1 + 0.2 * 2) / 5)
    assert service_day(fifths).mean() == pytest.approx(3 / 5) == fifths.mean_share_of_peak


OFFICE = (0.0,) * 9 + (1.0,) * 8 + (0.5,) * 7
WEEKS = {
    "nothing stated": Traffic(mean_over_peak=0.4),
    "hours": Traffic(hours=OFFICE),
    "five days": Traffic(mean_over_peak=0.4, days=(1.0,) * 5),
    "five days and hours": Traffic(hours=OFFICE, days=(2.0, 2.0, 2.0, 2.0, 1.0)),
    "seven days": Traffic(days=(1.0,) * 5 + (0.5, 0.25)),
    "two weeks": Traffic(days=(1.0,) * 7 + (0.5,) * 7),
}


@pytest.mark.parametrize("traffic", WEEKS.values(), ids=WEEKS.keys())
def test_the_week_has_the_mean_that_costs_are_spread_over(traffic):
    week = service_week(traffic)
    assert week.shape == (7, 24)
    assert week.max() == pytest.approx(1.0)
    assert week.mean() == pytest.approx(traffic.mean_share_of_peak, rel=1e-6)


def test_a_day_that_is_left_out_has_no_load():
    assert service_week(Traffic(days=(1.0,) * 5))[5:].max() == 0.0
    assert (service_week(Traffic(days=(1.0,) * 5)) == service_week(Traffic(days=(1.0,) * 5 + (0.0, 0.0)))).all()
