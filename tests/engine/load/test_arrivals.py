"""Arrival processes: rate, burstiness, the same draws at every rate; processes fitted to a planner's peaks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.arrivals import (
    WINDOWS_S,
    Arrivals,
    BurstArrivals,
    GammaArrivals,
    PoissonArrivals,
    ProfileArrivals,
    fitted_bursts,
)
from gpuplanner_gui.engine.simulation.traffic import gap_cv, peak_over_mean

PROCESSES = [PoissonArrivals(), GammaArrivals(3.0), BurstArrivals(4.0, 0.1, 5.0)]


@pytest.mark.parametrize("process", PROCESSES)
def test_rate_is_the_one_asked_for(process: Arrivals) -> None:
    times = process.times_s(200_000, 20.0, seed=1)
    assert (np.diff(times) >= 0).all()
    assert len(times) / times[-1] == pytest.approx(20.0, rel=0.03)


@pytest.mark.parametrize("process", PROCESSES[:2])
def test_another_rate_only_stretches_time(process: Arrivals) -> None:
    slow, fast = process.times_s(100, 1.0, seed=3), process.times_s(100, 4.0, seed=3)
    assert slow == pytest.approx(4 * fast)


def test_gaps_vary_as_asked() -> None:
    assert gap_cv(PoissonArrivals().times_s(100_000, 5.0, 0)) == pytest.approx(1.0, abs=0.02)
    assert gap_cv(GammaArrivals(3.0).times_s(100_000, 5.0, 0)) == pytest.approx(3.0, rel=0.05)


def test_bursts_have_their_rate_share_and_length() -> None:
    process = BurstArrivals(burst_ratio=8.0, burst_share=0.1, burst_s=10.0)
    assert process.calm_ratio == pytest.approx(0.2 / 0.9)
    assert process.calm_s == pytest.approx(90.0)
    times = process.times_s(2_000_000, 50.0, seed=5)
    counts = np.bincount(times.astype(int))[:-1]
    in_burst = counts > 50 * 3
    assert in_burst.mean() == pytest.approx(0.1, rel=0.15)
    assert counts[in_burst].mean() == pytest.approx(50 * 8.0, rel=0.1)


def test_impossible_bursts_are_refused() -> None:
    with pytest.raises(ValueError, match="more than all arrivals"):
        BurstArrivals(4.0, 0.5, 1.0)
    with pytest.raises(ValueError, match="lasts some time"):
        BurstArrivals(2.0, 0.1, 0.0)


def test_peak_over_mean_by_hand() -> None:
    arrivals = np.array([0.0, 0.1, 0.2, 1.5, 2.5, 3.5, 4.0])
    assert peak_over_mean(arrivals, 1.0) == pytest.approx(3 / 1.5)
    assert np.isnan(peak_over_mean(arrivals, 60.0))


@pytest.mark.parametrize("peaks", [(2.9, 1.8, 1.5), (8.2, 3.0, 1.2), (26.0, 9.0, 3.0), (3.2, 1.9, 1.2)])
def test_fitted_process_has_the_peaks_that_the_planner_saw(peaks: tuple[float, float, float]) -> None:
    process = fitted_bursts(peaks, 5.0)
    seen = [process.times_s(18_000, 5.0, seed) for seed in range(100, 130)]
    hours = [[peak_over_mean(times, window_s) for window_s in WINDOWS_S] for times in seen]
    assert np.mean(hours, axis=0) == pytest.approx(peaks, rel=0.25)


@given(ratio=st.floats(1.5, 10), rate=st.floats(1, 50))
@settings(max_examples=10)
def test_any_peaks_can_be_fitted(ratio: float, rate: float) -> None:
    process = fitted_bursts((ratio, 1 + (ratio - 1) / 2, 1 + (ratio - 1) / 4), rate)
    assert process.burst_ratio * process.burst_share <= 1 + 1e-9


def test_profile_moves_requests_to_where_the_rate_is_high() -> None:
    profile = ProfileArrivals(PoissonArrivals(), np.array([0.0, 10.0, 20.0]), np.array([1.0, 3.0, 1.0]))
    times = profile.times_s(10_000, 100.0, seed=2)
    counts = np.histogram(times, [0, 10, 20, 30])[0]
    assert counts == pytest.approx([1000, 3000, 1000], rel=0.1)
