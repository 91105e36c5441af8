"""Failures, checkpoints and spares: how much of a cluster's time becomes progress."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula

Values = float | NDArray[np.floating[Any]]

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86400.0


@dataclass(frozen=True)
class RecoveryTime:
    """From a failure to the first new step. [s]"""

    detect_s: Values
    replace_s: Values
    restart_s: Values
    reload_s: Values

    @property
    def total(self) -> Values:
        return self.detect_s + self.replace_s + self.restart_s + self.reload_s


@dataclass(frozen=True)
class LostShare:
    """Share of a run's time that makes no progress, to first order. [1]"""

    checkpointing: Values
    recomputing: Values
    recovering: Values

    @property
    def total(self) -> Values:
        return self.checkpointing + self.recomputing + self.recovering


@formula(
    title="Mean time between failures of a job",
    unit="s",
    expression="1 / (nodes·failures_per_node_day/86400 + job_failures_per_hour/3600)",
    source="Kokolis et al. 2024, arXiv 2410.21680, section 4, and a term that does not grow with nodes",
)
def job_mtbf_s(nodes: Values, failures_per_node_day: Values, job_failures_per_hour: Values) -> NDArray[np.float64]:
    """Mean time between failures of a job that stops when any of its nodes does.

    Parameters
    ----------
    nodes : [1]
    failures_per_node_day : hardware and host failures. [1/d]
    job_failures_per_hour : software and scheduling failures that small jobs have as well. [1/h]

    Infinite where nothing fails. [s]
    """
    rate = np.asarray(nodes * failures_per_node_day / SECONDS_PER_DAY + job_failures_per_hour / SECONDS_PER_HOUR, float)
    with np.errstate(divide="ignore"):
        mtbf: NDArray[np.float64] = 1 / rate
    return mtbf


@formula(
    title="Time to recover",
    unit="s",
    expression="detect_s + replace_s + restart_s + bytes/bytes_per_s",
    source="sum of the parts",
)
def recovery_time_s(
    detect_s: Values, replace_s: Values, restart_s: Values, checkpoint_bytes: Values, read_bytes_per_s: Values
) -> RecoveryTime:
    """Time from a failure to the first new step, by part: notice, find a spare, start, load the checkpoint. [s]"""
    return RecoveryTime(detect_s, replace_s, restart_s, checkpoint_bytes / read_bytes_per_s)


@formula(
    title="Young's checkpoint interval",
    unit="s",
    expression="√(2·checkpoint_s·mtbf_s)",
    source="Young 1974, A first order approximation to the optimum checkpoint interval",
)
def young_interval_s(checkpoint_s: Values, mtbf_s: Values) -> NDArray[np.float64]:
    """Computing time between checkpoints that loses least, to first order. [s]"""
    interval: NDArray[np.float64] = np.sqrt(2 * np.asarray(checkpoint_s, float) * mtbf_s)
    return interval


@formula(
    title="Daly's checkpoint interval",
    unit="s",
    expression="√(2δM)·(1 + ⅓·√(δ/2M) + ⅑·δ/2M) − δ for δ < 2M, else M; δ = checkpoint_s, M = mtbf_s",
    source="Daly 2006, A higher order estimate of the optimum checkpoint interval, eq. 37",
)
def daly_interval_s(checkpoint_s: Values, mtbf_s: Values) -> NDArray[np.float64]:
    """Computing time between checkpoints that loses least, also where checkpoints are not short against the MTBF. [s]

    0 for a checkpoint that takes no time, infinite where nothing fails.
    """
    cost, mtbf = np.broadcast_arrays(np.asarray(checkpoint_s, float), np.asarray(mtbf_s, float))
    ratio = cost / (2 * mtbf)
    with np.errstate(invalid="ignore"):
        interval = np.sqrt(2 * cost * mtbf) * (1 + np.sqrt(ratio) / 3 + ratio / 9) - cost
    return np.where(np.isinf(mtbf), np.inf, np.where(cost < 2 * mtbf, interval, mtbf))


@formula(
    title="Checkpoint interval for most availability",
    unit="s",
    expression="δ + √(2·(M + R)·δ + δ²); δ = checkpoint_s, M = mtbf_s, R = recovery_s",
    source="Saxena et al. 2024, arXiv 2410.18124",
)
def availability_interval_s(checkpoint_s: Values, mtbf_s: Values, recovery_s: Values) -> NDArray[np.float64]:
    """Interval between checkpoints that keeps the machine available longest, recovery included. [s]"""
    cost = np.asarray(checkpoint_s, float)
    interval: NDArray[np.float64] = cost + np.sqrt(2 * (mtbf_s + np.asarray(recovery_s, float)) * cost + cost**2)
    return interval


@formula(
    title="Share of time that makes progress",
    unit="1",
    expression="τ / (M·e^(R/M)·(e^((τ + δ)/M) − 1)); τ = interval_s, M = mtbf_s, R = recovery_s, δ = checkpoint_s",
    source="Daly 2006, eq. 20, exponential failures that also strike checkpoints and recovery",
)
def checkpointed_efficiency(
    interval_s: Values, checkpoint_s: Values, mtbf_s: Values, recovery_s: Values
) -> NDArray[np.float64]:
    """Productive over elapsed time of a job that checkpoints after each `interval_s` of work.

    `checkpoint_s` is the time that a checkpoint stops the job: all of it if blocking, the copy out of device memory if
    it is written in the background. Without failures (infinite MTBF) only checkpoints cost. From 0 to 1. [1]
    """
    interval, cost, mtbf, recovery = np.broadcast_arrays(
        *(np.asarray(x, float) for x in (interval_s, checkpoint_s, mtbf_s, recovery_s))
    )
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        failing: NDArray[np.float64] = interval / (mtbf * np.exp(recovery / mtbf) * np.expm1((interval + cost) / mtbf))
        flawless = interval / (interval + cost)
    return np.where(np.isinf(mtbf), flawless, failing)


@formula(
    title="Share of time that makes progress, first order",
    unit="1",
    expression="max(0, 1 − √(2·checkpoint_s/mtbf_s) − recovery_s/mtbf_s)",
    source="Young 1974, at Young's interval",
)
def first_order_efficiency(checkpoint_s: Values, mtbf_s: Values, recovery_s: Values) -> NDArray[np.float64]:
    """Productive share at Young's interval; good while it stays above about 0.8. [1]"""
    cost = np.asarray(checkpoint_s, float)
    return np.maximum(0.0, 1 - np.sqrt(2 * cost / mtbf_s) - recovery_s / mtbf_s)


@formula(
    title="Where a run's time is lost",
    unit="1",
    expression="δ/τ + τ/(2M) + R/M; δ = checkpoint_s, τ = interval_s, M = mtbf_s, R = recovery_s",
    source="Young 1974, first-order terms",
)
def lost_share(interval_s: Values, checkpoint_s: Values, mtbf_s: Values, recovery_s: Values) -> LostShare:
    """Shares lost to writing checkpoints, repeating steps, recovering; first order, so their sum can pass 1. [1]"""
    return LostShare(checkpoint_s / interval_s, interval_s / (2 * mtbf_s), recovery_s / mtbf_s)


@formula(
    title="Expected effective training time ratio",
    unit="1",
    expression="(1 − (restart_s + interval_s/2)/mtbf_s) / (1 + write_s/interval_s)",
    source="Kokolis et al. 2024, arXiv 2410.21680, expected ETTR",
)
def expected_ettr(interval_s: Values, write_s: Values, mtbf_s: Values, restart_s: Values) -> NDArray[np.float64]:
    """Productive over scheduled time as Meta's study estimates it; a check of the exact form, 0 to 1. [1]"""
    alive = 1 - (restart_s + np.asarray(interval_s, float) / 2) / mtbf_s
    ratio: NDArray[np.float64] = np.maximum(0.0, alive / (1 + write_s / np.asarray(interval_s, float)))
    return ratio


@formula(
    title="Goodput",
    unit="1",
    expression="availability·progress_share·(1 − other_share)·scaling_efficiency",
    source="independent losses multiply",
)
def goodput(availability: Values, progress_share: Values, other_share: Values, scaling_efficiency: Values) -> Values:
    """Share of paid capacity that becomes training progress; `other_share` is validation and the like. [1]"""
    return availability * progress_share * (1 - other_share) * scaling_efficiency


@formula(
    title="Nodes in repair",
    unit="1",
    expression="nodes·failures_per_node_day·repair_days",
    source="Little's law",
)
def nodes_in_repair(nodes: Values, failures_per_node_day: Values, repair_days: Values) -> Values:
    """Mean number of nodes that are away. [1]"""
    return nodes * failures_per_node_day * repair_days


@formula(
    title="Spare nodes",
    unit="1",
    expression="smallest s with P(Poisson(nodes_in_repair) ≤ s) ≥ confidence",
    source="Feller, An Introduction to Probability Theory and Its Applications, vol. 1, section VI.6",
)
def spare_nodes(nodes_in_repair: Values, confidence: Values) -> NDArray[np.float64]:
    """Spares that cover all nodes in repair with a given probability. [1]

    `confidence` is below 1. Independent failures: a rack or power feed that fails as a whole needs spares of its own.
    """
    mean, asked = np.broadcast_arrays(np.asarray(nodes_in_repair, float), np.asarray(confidence, float))
    reach = int(np.max(mean + 12 * np.sqrt(mean) + 40, initial=0))
    counts = np.arange(reach + 1)
    log_factorial = np.array([math.lgamma(count + 1.0) for count in counts])
    with np.errstate(divide="ignore", invalid="ignore"):
        log_probability = counts * np.log(mean)[..., None] - mean[..., None] - log_factorial
    probability = np.where(mean[..., None] == 0, counts == 0, np.exp(log_probability))
    is_enough = np.cumsum(probability, axis=-1) >= asked[..., None]
    return np.asarray(np.argmax(is_enough, axis=-1), float)


@formula(
    title="Availability",
    unit="1",
    expression="mtbf_s / (mtbf_s + repair_s)",
    source="steady state of alternating up and down times",
)
def steady_availability(mtbf_s: Values, repair_s: Values) -> Values:
    """Share of time that one unit is up. [1]"""
    return mtbf_s / (mtbf_s + repair_s)


def is_flush_in_time(flush_s: Values, interval_s: Values) -> NDArray[np.bool_]:
    """Whether a checkpoint written in the background has left before the next one is taken."""
    in_time: NDArray[np.bool_] = np.less(flush_s, interval_s)
    return in_time
