from __future__ import annotations

import pytest

from gpuplanner_gui.domain.field import problems_of
from gpuplanner_gui.domain.workload import Traffic


def test_mean_share_is_as_stated_without_a_profile():
    assert Traffic(mean_over_peak=0.4).mean_share_of_peak == 0.4


def test_mean_share_follows_a_profile():
    assert Traffic(hours=(1.0, 2.0, 3.0, 2.0)).mean_share_of_peak == pytest.approx(2 / 3)
    week = Traffic(hours=(1.0, 3.0), days=(2.0,) * 5 + (1.0,) * 2)
    assert week.mean_share_of_peak == pytest.approx((2 / 3) * (12 / 14))


def test_a_profile_of_nothing_says_nothing():
    assert Traffic(hours=(0.0, 0.0), mean_over_peak=0.5).mean_share_of_peak == 0.5


def test_profiles_and_peaks_are_bounded():
    wrong = Traffic(hours=(1.0, -1.0), peak_over_mean_1s=0.5)
    assert {problem.path for problem in problems_of(wrong)} == {"hours[1]", "peak_over_mean_1s"}
