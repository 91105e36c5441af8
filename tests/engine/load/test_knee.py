"""Where a load curve bends."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.simulation.curve import knee_rate_per_s, largest_kept, operating_rate_per_s

RATES = np.array([1.0, 2.0, 4.0, 8.0])


def test_knee_is_where_latency_outgrows_throughput() -> None:
    assert knee_rate_per_s(RATES, RATES, np.array([1.0, 1.1, 1.5, 6.0])) == 4.0
    assert np.isnan(knee_rate_per_s(RATES, RATES, np.array([1.0, 1.1, 1.2, 1.3])))


def test_throughput_that_stands_still_is_a_knee() -> None:
    assert knee_rate_per_s(RATES, np.array([1.0, 2.0, 2.0, 2.0]), np.array([1.0, 1.1, 1.2, 1.3])) == 2.0


def test_bracket_around_the_first_broken_target() -> None:
    assert largest_kept(RATES, np.array([True, True, False, True])) == (2.0, 4.0)
    assert largest_kept(RATES, np.array([False, True, True, True])) == (0.0, 1.0)
    kept, broken = largest_kept(RATES, np.full(4, True))
    assert kept == 8.0
    assert np.isnan(broken)


def test_plan_stays_below_four_fifths_of_the_capacity() -> None:
    assert operating_rate_per_s(9.9, 10.0) == pytest.approx(8.0)
    assert operating_rate_per_s(5.0, 10.0) == 5.0


def test_a_steep_piece_at_low_rates_is_no_knee() -> None:
    """A percentile that jumps from short requests to long ones, and then stands still until the queue grows."""
    rates = np.array([1.0, 2.0, 4.0, 6.0, 8.0, 9.0, 10.0])
    latency = np.array([0.10, 0.25, 0.26, 0.28, 0.34, 0.60, 3.00])
    assert knee_rate_per_s(rates, rates, latency) == 8.0


def test_infinite_latency_is_beyond_the_knee() -> None:
    assert knee_rate_per_s(RATES, RATES, np.array([1.0, 1.1, 1.2, np.inf])) == 4.0
