"""How many replicas: for the peak, for spares, for zones, and how often enough of them are up."""

from __future__ import annotations

import math

import numpy as np

from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import FloatArray, Numbers, as_floats

MINUTES_PER_YEAR = 365 * 24 * 60
_ROUNDING = 1e-9
"""A ratio that is a whole number but for rounding error needs no further replica."""


def _ceiling(ratio: FloatArray) -> FloatArray:
    return np.ceil(ratio - _ROUNDING)


@formula(
    title="Replicas for the peak",
    unit="1",
    expression="⌈peak_rate_per_s/(slo_rate_per_s·target_utilisation)⌉ + spare_replicas",
    source="capacity over demand; N+1 and N+2 by spare_replicas",
)
def replicas_needed(
    peak_rate_per_s: Numbers, slo_rate_per_s: Numbers, target_utilisation: Numbers, spare_replicas: Numbers = 0
) -> FloatArray:
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
def replicas_over_zones(base_replicas: Numbers, zones: Numbers) -> FloatArray:
    """Replicas so that all zones but one hold `base_replicas`; `zones` is 2 or more."""
    return as_floats(zones) * _ceiling(as_floats(base_replicas) / (as_floats(zones) - 1))


@formula(
    title="Availability of one replica",
    unit="1",
    expression="mtbf_s/(mtbf_s + mttr_s)",
    source="renewal theory",
)
def availability(mtbf_s: Numbers, mttr_s: Numbers) -> FloatArray:
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
) -> FloatArray:
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
    share = np.zeros(np.broadcast(up, common_down).shape)
    for running in range(max(needed, 0), replicas + 1):
        share = share + _exactly_up_share(running, replicas, up)
    return np.asarray((1 - common_down) * np.minimum(share, 1.0))


def _exactly_up_share(running: int, replicas: int, up: FloatArray) -> FloatArray:
    """C(replicas, running)·up^running·(1 − up)^(replicas − running), in logarithms: fleets of any size."""
    log_count = math.lgamma(replicas + 1) - math.lgamma(running + 1) - math.lgamma(replicas - running + 1)
    with np.errstate(divide="ignore"):
        log_up = running * np.log(up) if running else np.zeros_like(up)
        log_down = (replicas - running) * np.log1p(-up) if replicas > running else np.zeros_like(up)
    return np.asarray(np.exp(log_count + log_up + log_down))


def downtime_minutes_per_year(up_share: Numbers) -> FloatArray:
    """Minutes of a 365-day year outside `up_share`."""
    return (1 - as_floats(up_share)) * MINUTES_PER_YEAR


def replicas_for_availability(
    needed: int, replica_availability: float, target_share: float, limit: int = 10_000
) -> int:
    """Smallest number of replicas of which `needed` are up for at least `target_share` of the time.

    Raises
    ------
    ValueError
        If `limit` replicas are not enough.
    """
    for replicas in range(needed, limit + 1):
        if enough_replicas_share(needed, replicas, replica_availability) >= target_share:
            return replicas
    raise ValueError(f"{limit} replicas do not reach {target_share}")
