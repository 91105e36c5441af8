"""Arrival times: Poisson, gamma gaps, two-state bursts; over a profile of rates; the same draws at every rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gpuplanner_gui.domain.arrays import Floats

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
