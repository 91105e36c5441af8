"""Arrival times: Poisson, gamma gaps, two-state bursts; over a profile of rates; the same draws at every rate."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.traffic import Traffic

_SOJOURNS = 512
"""Sojourns in burst or calm drawn at a time."""


class Arrivals(Protocol):
    """An arrival process whose mean rate can be scaled with the same random draws."""

    def times_s(self, count: int, rate_per_s: float, seed: int) -> Floats:
        """The first `count` arrivals at a mean rate, shape (count,), increasing. [s]"""
        ...


@dataclass(frozen=True)
class PoissonArrivals:
    def times_s(self, count: int, rate_per_s: float, seed: int) -> Floats:
        return _unit_poisson(count, seed) / rate_per_s


@dataclass(frozen=True)
class GammaArrivals:
    """Independent gaps with a gamma distribution; `cv` is their standard deviation over their mean, 1 is Poisson."""

    cv: float

    def times_s(self, count: int, rate_per_s: float, seed: int) -> Floats:
        shape = 1 / self.cv**2
        gaps = np.random.default_rng((seed, 1)).gamma(shape, 1 / shape, count)
        return _with_unit_mean(np.cumsum(gaps)) / rate_per_s


@dataclass(frozen=True)
class BurstArrivals:
    """Two-state Markov-modulated Poisson process: calm, and bursts at a multiple of the mean rate.

    `burst_ratio` is the rate in a burst over the mean, `burst_share` the share of time in bursts, `burst_s` their mean
    length. The product of ratio and share is at most 1: the calm rate is what is left.
    """

    burst_ratio: float
    burst_share: float
    burst_s: float

    def __post_init__(self) -> None:
        if not (self.burst_ratio >= 1 and 0 < self.burst_share < 1 and self.burst_s > 0):
            raise ValueError("a burst has a ratio of 1 or more, a share between 0 and 1, and lasts some time")
        if self.burst_ratio * self.burst_share > 1 + 1e-9:
            raise ValueError("bursts carry more than all arrivals")

    @property
    def calm_ratio(self) -> float:
        """Rate between bursts over the mean."""
        return max(0.0, (1 - self.burst_ratio * self.burst_share) / (1 - self.burst_share))

    @property
    def calm_s(self) -> float:
        """Mean time between bursts."""
        return self.burst_s * (1 - self.burst_share) / self.burst_share

    def times_s(self, count: int, rate_per_s: float, seed: int) -> Floats:
        points = _unit_poisson(count, seed) / rate_per_s
        knots, passed = self.path(points[-1] if count else 0.0, seed)
        return np.interp(points, passed, knots)

    def path(self, length_s: float, seed: int) -> tuple[Floats, Floats]:
        """Times at which the state changes, and how far a clock has come by then that runs at the relative rate.

        Goes on until the clock has reached `length_s`. A longer path begins as a shorter one does.
        """
        rng = np.random.default_rng((seed, 2))
        states = [(self.burst_s, self.burst_ratio), (self.calm_s, self.calm_ratio)]
        if rng.random() >= self.burst_share:
            states.reverse()
        mean, ratio = (np.tile(column, _SOJOURNS // 2) for column in np.array(states).T)
        knots, passed = np.zeros(1), np.zeros(1)
        while passed[-1] < length_s:
            lengths = rng.exponential(1.0, _SOJOURNS) * mean
            knots = np.concatenate([knots, knots[-1] + np.cumsum(lengths)])
            passed = np.concatenate([passed, passed[-1] + np.cumsum(lengths * ratio)])
        return knots, passed


@dataclass(frozen=True)
class ProfileArrivals:
    """Another process, its clock driven by a profile of rates: times at which the rate is `factor` times the mean.

    `knot_s` and `factor` have shape (knots,); the rate is constant from each knot to the next, and after the last. The
    factor is relative to the mean rate asked for, and need not average 1.
    """

    base: Arrivals
    knot_s: Floats
    factor: Floats

    def times_s(self, count: int, rate_per_s: float, seed: int) -> Floats:
        steady = self.base.times_s(count, rate_per_s, seed)
        spans = np.diff(self.knot_s)
        passed = self.knot_s[0] + np.concatenate([[0.0], np.cumsum(spans * self.factor[:-1])])
        within = np.interp(steady, passed, self.knot_s)
        after = self.knot_s[-1] + (steady - passed[-1]) / max(self.factor[-1], np.finfo(float).tiny)
        return np.where(steady > passed[-1], after, within)


def _unit_poisson(count: int, seed: int) -> Floats:
    return _with_unit_mean(np.cumsum(np.random.default_rng((seed, 0)).exponential(1.0, count)))


def _with_unit_mean(points: Floats) -> Floats:
    """Stretched so that the draw has the rate asked for: a Poisson process conditioned on its number of arrivals."""
    return points * (len(points) / points[-1]) if len(points) else points


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
    if traffic.arrivals not in ("mmpp", "trace"):
        return None
    recorded = traffic.recorded_bursts
    return fitted_bursts(traffic.busiest_windows, rate_per_s if recorded is None else recorded.rate_per_s)
