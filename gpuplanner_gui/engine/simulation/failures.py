"""What replicas that fail do to a workload: how often a service is up, how many batches are done in time, and with how
many replicas that is as often as asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats
from gpuplanner_gui.engine.simulation.replicas import (
    MANY,
    REACH,
    ROUNDING,
    availability,
    enough_replicas_share,
    replicas_for_availability,
)


@dataclass(frozen=True)
class FailureRule:
    """The one place that says how many failures a fleet takes. Replicas that carry the load count with their fraction.

    A service is up while as many whole replicas are as carry its peak. A batch goes on once a replica is repaired:
    what its replicas have more time than they need is slack for repairs.
    """

    target_share: float
    repair_s: float
    batch_time_s: float | None
    """Time for a batch; None of a service."""

    @staticmethod
    def of(serving: ServingWorkload) -> FailureRule:
        traffic = serving.traffic
        time_s = traffic.batch_time_s if traffic.is_batch else None
        return FailureRule(serving.availability.target, central(serving.start.repair_s), time_s)

    def held_share(self, carrying: float, replicas: int, between_failures_s: Numbers) -> Floats:
        """Share of the time that a service is up, or of the batches that are done in time, for each time between
        failures."""
        between_s = as_floats(between_failures_s)
        if not carrying <= replicas + ROUNDING:
            return np.zeros(between_s.shape)
        if self.batch_time_s is None:
            return enough_replicas_share(int(_whole(carrying)), replicas, availability(between_s, self.repair_s))
        return done_in_time_share(carrying, replicas, between_s, self.repair_s, self.batch_time_s)

    def replicas(self, carrying: Floats, between_failures_s: float) -> Floats:
        """Fewest replicas whose share is the target's, for each number that carries the load.

        NaN where none carries it, or no number is enough.
        """
        if self.batch_time_s is None:
            up = float(availability(between_failures_s, self.repair_s))
            return _of_each(_whole(carrying), 1.0, lambda needed: _kept_up(int(needed), up, self.target_share))
        mean = carrying * self.batch_time_s / between_failures_s
        borne = _of_each(mean, 0.0, lambda one: _failures_borne(one, self.target_share))
        lost_share = min(self.repair_s / self.batch_time_s, 1.0)
        return np.asarray(np.maximum(np.ceil(carrying + borne * lost_share - ROUNDING), 1.0))


def carrying_replicas(peak_rate_per_s: float, slo_rate_per_s: float) -> float:
    """Replicas that carry the peak within the targets, with their fraction and without headroom; else infinite."""
    return peak_rate_per_s / slo_rate_per_s if slo_rate_per_s > 0 else math.inf


def _whole(carrying: Numbers) -> Floats:
    return np.asarray(np.maximum(np.ceil(as_floats(carrying) - ROUNDING), 1.0))


@formula(
    title="Batches done in time despite failures",
    unit="1",
    expression="Σ_{j ≤ k} e^(−λ)·λ^j/j!, λ = carrying·batch_time_s/mtbf_s, "
    "k = ⌊(replicas − carrying)·batch_time_s/min(mttr_s, batch_time_s)⌋",
    source="failures while the work is done are a Poisson process of its hours "
    "(docs/derivations/load.md#replicas-and-availability)",
)
def done_in_time_share(carrying: float, replicas: int, mtbf_s: Numbers, mttr_s: float, batch_time_s: float) -> Floats:
    """Share of batches that `replicas` end in time, of which `carrying` would if none failed.

    Examples
    --------
    >>> float(done_in_time_share(0.5, 1, 720.0, 3.6, 8.0).round(7))
    0.9999846
    """
    lost_s = min(mttr_s, batch_time_s)
    spare_s = (replicas - carrying + ROUNDING) * batch_time_s
    borne = math.floor(spare_s / lost_s) if lost_s > ROUNDING * batch_time_s else math.inf
    between_s = as_floats(mtbf_s)
    means = (carrying * batch_time_s / between_s).flat
    return np.array([_at_most(borne, float(one)) for one in means]).reshape(between_s.shape)


def _at_most(borne: float, mean: float) -> float:
    """Chance of no more failures than that, where so many are expected."""
    if mean > MANY**2:
        return 0.5 * math.erfc((mean - borne - 0.5) / math.sqrt(2 * mean))
    first, shares = _shares(mean)
    return float(shares[int(min(borne - first, len(shares) - 1))]) if borne >= first else 0.0


@lru_cache(maxsize=20_000)
def _failures_borne(mean: float, target_share: float) -> float:
    """Fewest failures of which there are no more with the target's chance, where so many are expected."""
    if mean > MANY**2:
        return max(math.ceil(mean + NormalDist().inv_cdf(target_share) * math.sqrt(mean) - 0.5), 0)
    first, shares = _shares(mean)
    return first + int(np.searchsorted(shares, target_share))


def _shares(mean: float) -> tuple[int, Floats]:
    """A number of failures, and the chances of no more than so many, one more, and on: all others are nought."""
    reach = REACH * (math.sqrt(mean) + 1)
    first = max(0, math.floor(mean - reach))
    counts = np.arange(first + 1, math.ceil(mean + reach) + 1, dtype=np.float64)
    logs = np.concatenate([[0.0], np.cumsum(np.log(mean / counts))])
    terms = np.exp(logs - logs.max())
    return first, np.cumsum(terms) / terms.sum()


@lru_cache(maxsize=20_000)
def _kept_up(needed: int, replica_availability: float, target_share: float) -> float:
    try:
        return float(replicas_for_availability(needed, replica_availability, target_share))
    except ValueError:
        return math.nan


def _of_each(numbers: Floats, finest: float, answer: Callable[[float], float]) -> Floats:
    """Answers to numbers rounded up to three digits, none finer: more matter to nobody, and fewer are asked about."""
    found = np.full(numbers.shape, np.nan)
    known = np.flatnonzero(np.isfinite(numbers) & (numbers > 0))
    step = np.maximum(10.0 ** (np.floor(np.log10(numbers[known])) - 2), finest)
    asked, place = np.unique(np.ceil(numbers[known] / step) * step, return_inverse=True)
    found[known] = np.array([answer(float(one)) for one in asked], np.float64)[place]
    return found
