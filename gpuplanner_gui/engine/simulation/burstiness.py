"""How bursty arrivals are, as a planner sees it (busiest second, ten seconds, minute), and a process that is so."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.workload import Traffic
from gpuplanner_gui.engine.simulation.arrivals import BurstArrivals

WINDOWS_S = (1.0, 10.0, 60.0)
HORIZON_S = 3600.0
"""Time over which "the busiest second" is meant, when a planner states it."""

FEWEST_BURSTS = 10.0
"""Bursts that a fitted process has within the horizon, so that an hour shows its peaks."""

_ROUNDS = 5
_HOURS = 12
_EULER = 0.5772156649


def expected_peak_over_mean(
    burst_ratio: Floats, burst_share: Floats, burst_s: Floats, rate_per_s: float, window_s: float
) -> Floats:
    """Peak over mean to expect of a two-state process within `HORIZON_S`, arguments broadcast.

    The busiest window lies in the longest burst; beyond its length it is filled up at the mean rate. To the expected
    count comes the largest deviation of a Poisson number among the windows that lie in bursts.
    """
    bursts = np.maximum(HORIZON_S * burst_share / burst_s, 1.0)
    longest_s = burst_s * (np.log(bursts) + _EULER)
    covered = np.minimum(longest_s / window_s, 1.0)
    ratio = covered * burst_ratio + (1 - covered)
    count = ratio * rate_per_s * window_s
    windows = np.maximum(HORIZON_S * burst_share / window_s, 1.0)
    return np.asarray(_largest_of(count, windows) / (rate_per_s * window_s))


def _largest_of(mean: Floats, draws: Floats) -> Floats:
    """Typical largest of a number of Poisson draws: where the tail, by Chernoff's bound, holds one of them.

    Solves mean·h(x) = ln(draws) with h(x) = x·ln x − x + 1 for the ratio x ≥ 1 by Newton's method.
    """
    level = np.log(np.maximum(draws, 1.0)) / mean
    ratio = 1 + np.sqrt(2 * level) + level / 3
    for _ in range(8):
        excess = ratio * np.log(ratio) - ratio + 1 - level
        ratio = np.maximum(ratio - excess / np.maximum(np.log(ratio), 1e-9), 1 + 1e-9)
    return np.asarray(mean * ratio)


@lru_cache(maxsize=64)
def fitted_bursts(peak_over_mean_at: tuple[float, ...], rate_per_s: float) -> BurstArrivals:
    """Two-state process whose busiest second, ten seconds and minute are as asked for.

    Parameters
    ----------
    peak_over_mean_at : tuple of float
        Peak over mean count in windows of `WINDOWS_S`, within an hour; the shorter window has the larger ratio. [1]
    rate_per_s : float
        Mean rate at which they were seen; at low rates a part of each peak is chance. [1/s]

    Notes
    -----
    Least squares in the logarithm over a grid of ratio, share and length, refined around the best. What the process
    then gives in a few simulated hours corrects what is asked of the fit; the closest of some rounds is kept. Two
    states cannot follow every combination of peaks; short windows come out closer than the minute.
    """
    asked = np.array(peak_over_mean_at)
    wanted = np.array(peak_over_mean_at)
    best, best_error = None, np.inf
    for _ in range(_ROUNDS):
        fitted = _fit(tuple(asked.tolist()), rate_per_s)
        given = _peaks_given(fitted, rate_per_s)
        error = float((np.log(given / wanted) ** 2).sum())
        if best is None or error < best_error:
            best, best_error = fitted, error
        asked = np.maximum(asked * wanted / given, 1.0)
    assert best is not None
    return best


def _peaks_given(process: BurstArrivals, rate_per_s: float) -> Floats:
    """Peak over mean that a process shows in an hour, averaged over some, shape of `WINDOWS_S`."""
    seconds = np.arange(HORIZON_S + 1)
    peaks = np.zeros((_HOURS, len(WINDOWS_S)))
    for seed in range(_HOURS):
        knots, passed = process.path(HORIZON_S * process.burst_ratio, seed)
        expected = rate_per_s * np.diff(np.interp(seconds, knots, passed))
        counts = np.random.default_rng(seed).poisson(expected)
        for place, window_s in enumerate(WINDOWS_S):
            in_windows = counts.reshape(-1, int(window_s)).sum(axis=1)
            peaks[seed, place] = in_windows.max() / max(in_windows.mean(), np.finfo(float).tiny)
    return np.asarray(peaks.mean(axis=0))


def _fit(peak_over_mean_at: tuple[float, ...], rate_per_s: float) -> BurstArrivals:
    """Process whose `expected_peak_over_mean` is closest."""
    ratio_range = (0.0, np.log(max(*peak_over_mean_at, 1.0) * 1.2 + 0.2))
    share_range = (np.log(1e-3), np.log(0.9))
    length_range = (np.log(0.2), np.log(1200.0))
    ranges = [ratio_range, share_range, length_range]
    best = np.zeros(3)
    for _ in range(4):
        grid = np.meshgrid(*(np.linspace(low, high, 17) for low, high in ranges), indexing="ij")
        ratio, share, length = (np.exp(axis) for axis in grid)
        ratio = np.minimum(ratio, 1 / share)
        error = np.zeros(ratio.shape)
        error += np.where(HORIZON_S * share < FEWEST_BURSTS * length, np.inf, 0.0)
        for window_s, wanted in zip(WINDOWS_S, peak_over_mean_at, strict=True):
            error += np.log(expected_peak_over_mean(ratio, share, length, rate_per_s, window_s) / wanted) ** 2
        place = np.unravel_index(int(error.argmin()), error.shape)
        best = np.array([axis[place] for axis in grid])
        ranges = [_around(centre, low, high) for centre, (low, high) in zip(best, ranges, strict=True)]
    burst_ratio, burst_share, burst_s = np.exp(best).tolist()
    return BurstArrivals(max(1.0, min(burst_ratio, 1 / burst_share)), burst_share, burst_s)


def _around(centre: float, low: float, high: float) -> tuple[float, float]:
    width = (high - low) / 8
    return max(low, centre - width), min(high, centre + width)


def bursts_of(traffic: Traffic, rate_per_s: float) -> BurstArrivals | None:
    """The bursts that a scenario describes by its busiest windows, or that its trace had; None where it has none.

    `rate_per_s` is that at which the busiest windows were stated. [1/s]
    """
    figures = traffic.trace
    if traffic.arrivals == "trace" and figures is not None and figures.rate_per_s > 0:
        peaks = (figures.peak_over_mean_1s, figures.peak_over_mean_10s, figures.peak_over_mean_60s)
        if all(peaks):
            return fitted_bursts(peaks, figures.rate_per_s)
    if traffic.arrivals in ("mmpp", "trace"):
        peaks = (traffic.peak_over_mean_1s, traffic.peak_over_mean_10s, traffic.peak_over_mean_60s)
        return fitted_bursts(peaks, rate_per_s)
    return None
