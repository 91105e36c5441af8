from __future__ import annotations

import pytest

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.traffic import Traffic


def test_mean_share_is_as_stated_without_a_profile():
    assert Traffic(mean_over_peak=0.4).mean_share_of_peak == 0.4


def test_mean_share_follows_a_profile():
    assert Traffic(hours=(1.0, 2.0, 3.0, 2.0)).mean_share_of_peak == pytest.approx(2 / 3)
    week = Traffic(hours=(1.0, 3.0), days=(2.0,) * 5 + (1.0,) * 2)
    assert week.mean_share_of_peak == pytest.approx((2 / 3) * (12 / 14))


def test_days_scale_what_a_day_is_like():
    """Half the peak on five days of seven: 0.5 · 5/7. The same for five numbers as for seven."""
    assert Traffic(mean_over_peak=0.5, days=(3.0,) * 5).mean_share_of_peak == pytest.approx(0.5 * 5 / 7)
    assert Traffic(mean_over_peak=0.5, days=(3.0,) * 5 + (0.0,) * 2).mean_share_of_peak == pytest.approx(0.5 * 5 / 7)
    assert Traffic(mean_over_peak=0.5, days=(1.0,) * 6 + (0.5,)).mean_share_of_peak == pytest.approx(0.5 * 6.5 / 7)


def test_further_weeks_count_with_their_mean():
    assert Traffic(days=(4.0,) * 7 + (2.0,)).week == pytest.approx((3 / 4,) + (1.0,) * 6)


def test_days_of_nothing_say_nothing():
    assert Traffic(days=(0.0, 0.0), mean_over_peak=0.4).mean_share_of_peak == 0.4


def test_a_profile_of_nothing_says_nothing():
    assert Traffic(hours=(0.0, 0.0), mean_over_peak=0.5).mean_share_of_peak == 0.5


def test_profiles_and_peaks_are_bounded():
    wrong = Traffic(hours=(1.0, -1.0), peak_over_mean_1s=0.5)
    assert {problem.path for problem in problems_of(wrong)} == {"hours[1]", "peak_over_mean_1s"}
