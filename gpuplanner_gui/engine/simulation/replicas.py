"""How many replicas: for the peak, for spares, for zones, and how often enough of them are up."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, smallest

ROUNDING = 1e-9
"""A ratio that is a whole number but for rounding error needs no further replica."""
REACH = 14.0
_FEW = 64
"""Replicas down up to which terms are summed one by one."""
MANY = 3000.0
"""Standard deviation, in replicas, from which the binomial distribution is as good as normal."""


def _ceiling(ratio: Floats) -> Floats:
    return np.ceil(ratio - ROUNDING)


@formula(
    title="Replicas for the peak",
    unit="1",
    expression="⌈peak_rate_per_s/(slo_rate_per_s·target_utilisation)⌉ + spare_replicas",
    source="capacity over demand; N+1 and N+2 by spare_replicas",
)
def replicas_needed(
    peak_rate_per_s: Numbers, slo_rate_per_s: Numbers, target_utilisation: Numbers, spare_replicas: Numbers = 0
) -> Floats:
    """Replicas that carry the peak with headroom, plus spares.

    Parameters
    ----------
    peak_rate_per_s : float array
        Arrivals at the peak. [1/s]
    slo_rate_per_s : float array
        Largest rate at which one replica meets every target. [1/s]
    target_utilisation : float array
        Share of that rate to plan for, above 0, up to 1. [1]
    spare_replicas : int array
        Replicas that may be lost with the peak still carried. [1]

    Returns
    -------
    float array, broadcast shape
        Whole numbers. [1]

    Examples
    --------
    >>> float(replicas_needed(40.0, 6.2, 0.75, 1))
    10.0
    """
    ratio = as_floats(peak_rate_per_s) / (as_floats(slo_rate_per_s) * as_floats(target_utilisation))
    return _ceiling(ratio) + as_floats(spare_replicas)


@formula(
    title="Replicas over zones, one zone may fail",
    unit="1",
    expression="zones·⌈base_replicas/(zones − 1)⌉",
    source="loss of one of equal zones",
)
def replicas_over_zones(base_replicas: Numbers, zones: Numbers) -> Floats:
    """Replicas so that all zones but one hold `base_replicas`; `zones` is 2 or more."""
    return as_floats(zones) * _ceiling(as_floats(base_replicas) / (as_floats(zones) - 1))


def fleet_replicas(
    peak_rate_per_s: Numbers, slo_rate_per_s: Numbers, target_utilisation: Numbers, zones: int, spare_replicas: Numbers
) -> Floats:
    """All replicas that are paid for at a peak: those that carry it, over zones, and spares. [1]"""
    base = replicas_needed(peak_rate_per_s, slo_rate_per_s, target_utilisation)
    return (replicas_over_zones(base, zones) if zones > 1 else base) + as_floats(spare_replicas)


@formula(
    title="Availability of one replica",
    unit="1",
    expression="mtbf_s/(mtbf_s + mttr_s)",
    source="renewal theory",
)
def availability(mtbf_s: Numbers, mttr_s: Numbers) -> Floats:
    """Share of time that one replica is up, from mean time between failures and mean time to repair."""
    return as_floats(mtbf_s) / (as_floats(mtbf_s) + as_floats(mttr_s))


@formula(
    title="Availability of enough replicas",
    unit="1",
    expression="(1 − common_cause_share·(1 − A))·Σ_{j ≥ needed} C(replicas, j)·A^j·(1 − A)^(replicas − j)",
    source="k-of-n; beta-factor model for common causes",
)
def enough_replicas_share(
    needed: int, replicas: int, replica_availability: Numbers, common_cause_share: Numbers = 0.0
) -> Floats:
    """Share of time that at least `needed` of `replicas` are up.

    Parameters
    ----------
    needed, replicas : int
        k and n. [1]
    replica_availability : float array
        Availability of one. [1]
    common_cause_share : float array
        Share of one replica's downtime that takes all of them down (beta factor); 0 for independent failures. [1]

    Returns
    -------
    float array, broadcast shape of the last two. [1]

    Examples
    --------
    >>> float(enough_replicas_share(9, 10, 0.995).round(9))
    0.998904609
    """
    up = as_floats(replica_availability)
    common_down = as_floats(common_cause_share) * (1 - up)
    share = np.array([_at_least(needed, replicas, float(one)) for one in up.flat]).reshape(up.shape)
    return np.asarray((1 - common_down) * share)


def _at_least(needed: int, replicas: int, up: float) -> float:
    """The sum, over those numbers of replicas that can be down at all: as quick for millions of them as for ten.

    Terms further than `REACH` standard deviations from the mean are nought beside the others; where even those
    between are many, the normal distribution with a correction for continuity takes the sum's place (off by 2e-5).
    """
    spare, down = replicas - needed, 1 - up
    if needed <= 0 or spare < 0 or not 0 < up < 1:
        return float(needed <= 0 or (spare >= 0 and up >= 1))
    mean, spread = replicas * down, math.sqrt(replicas * up * down)
    if spare <= _FEW and mean <= _FEW:
        # Term by term: NumPy takes longer to begin than these to end.
        term = total = math.exp(replicas * math.log(up))
        for count in range(spare):
            term *= (replicas - count) / (count + 1) * (down / up)
            total += term
        return min(total, 1.0)
    if spread > MANY:
        return 0.5 * math.erfc((mean - spare - 0.5) / (spread * math.sqrt(2)))
    first = max(0, math.floor(mean - REACH * (spread + 1)))
    last = min(replicas, math.ceil(mean + REACH * (spread + 1)))
    counts = np.arange(first, last, dtype=np.float64)
    steps = np.log((replicas - counts) / (counts + 1)) + math.log(down) - math.log(up)
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    terms = np.exp(logs - logs.max())
    return float(terms[: max(spare - first + 1, 0)].sum() / terms.sum())


def replicas_for_availability(
    needed: int, replica_availability: float, target_share: float, limit: int | None = None
) -> int:
    """Smallest number of replicas of which `needed` are up for at least `target_share` of the time.

    Raises
    ------
    ValueError
        If `limit` replicas (twice `needed` and ten thousand more, where it is not said) are not enough.
    """
    most = limit if limit is not None else 2 * needed + 10_000

    def suffice(replicas: int) -> bool:
        return _at_least(needed, replicas, replica_availability) >= target_share

    # Around what a normal distribution of those that are up says: a few tries instead of a bisection of all.
    up, down = max(replica_availability, 0.5), 1.0 - replica_availability
    score = NormalDist().inv_cdf(min(max(target_share, 0.5), 1.0 - 1e-12))
    low = high = min(max(needed, math.floor((needed + score * math.sqrt(needed * down)) / up)), most)
    step = 1
    if suffice(high):
        while low >= needed and suffice(low := low - step):
            high, step = low, 2 * step
    else:
        while not suffice(high := min(low + step, most)):
            if high == most:
                raise ValueError(f"{most} replicas do not reach {target_share}")
            low, step = high, 2 * step
    low = max(low, needed - 1)
    return smallest(suffice, low, high)
