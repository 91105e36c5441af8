"""Failures, checkpoints and spares: how much of a cluster's time becomes progress."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.constants import SECONDS_PER_DAY, SECONDS_PER_HOUR
from gpuplanner_gui.engine.explaining.formula import formula

Values = float | NDArray[np.floating[Any]]


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
    title="Goodput",
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
