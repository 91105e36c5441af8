"""Failures and checkpoints of a run: how often the stores let one be taken, what it stops, what a failure costs.

A checkpoint is first copied to the shared store, to the hosts' own disks, or to the memory of two hosts. From disks
and memory it goes on to the store behind the steps; failures that take the first copy with them go back to the
store's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import SECONDS_PER_DAY, SECONDS_PER_HOUR
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.training_workload import Checkpoints, DataPipeline
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.hardware.devices import OF_HOST_LINK, DeviceTable
from gpuplanner_gui.engine.training.communication import Cluster
from gpuplanner_gui.engine.training.data_input import checkpoint_write_s

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


HOST_COPY_SHARE = 0.5
"""Share of the link's rate that copies of scattered shards to host memory reach."""
MEMORY_COPY_BYTES_PER_S = 20e9
"""Where a device shares its memory with the host or has no stated link: a copy within memory."""
LEAST_SHARE = 0.5
"""Least share of a store for the writer; two that want all of it get half each."""


@dataclass(frozen=True)
class CheckpointTerms:
    """What checkpoints of a scenario go over: the planner's terms, devices and their wiring, local disks."""

    checkpoints: Checkpoints
    devices: DeviceTable
    cluster: Cluster
    disk_bytes_per_s: float
    """Rate of a device's share of its host's disks."""
    interruptions_per_node_day: Values
    """Interruptions of spot capacity, in addition to failures."""


@dataclass(frozen=True)
class Checkpointing:
    """One entry per layout."""

    stall_s: Floats
    """Time for which a checkpoint stops the steps."""
    write_s: Floats
    """Until the shared store has one."""
    interval_s: Floats
    """Computing time between checkpoints."""
    store_interval_s: Floats
    """Time between checkpoints that reach the shared store."""
    goodput: Floats
    slowed_share: Floats
    """Share of the run lost to late data while the store takes a checkpoint; part of `goodput`."""


@formula(
    title="Rate at which checkpoints are written",
    unit="bytes/s",
    expression="min(store_bytes_per_s · max(½, 1 − read_share), devices · port_bytes_per_s)",
    source="reading data takes its part of a store that both share; a host writes no faster than its adapters send",
)
def checkpoint_rate(
    store_bytes_per_s: float, read_share: Floats, devices: Integers, port_bytes_per_s: Floats
) -> Floats:
    """Rate at which the shared store takes a checkpoint from all hosts together. [bytes/s]"""
    left = store_bytes_per_s * np.maximum(LEAST_SHARE, 1.0 - read_share)
    return np.asarray(np.fmin(left, devices * port_bytes_per_s))


@formula(
    title="Time that a checkpoint stops the run",
    unit="s",
    expression="asynchronous: checkpoint / devices / copy rate to the host; else the time of the first copy",
    source="docs/derivations/reliability.md#checkpoint-size-and-stall",
)
def checkpoint_stall_s(
    checkpoint_bytes: Floats, devices: Integers, copy_bytes_per_s: Floats, first_copy_s: Floats, is_async: bool
) -> Floats:
    """Stall of one checkpoint. [s]"""
    return np.asarray(checkpoint_bytes / devices / copy_bytes_per_s if is_async else first_copy_s)


@formula(
    title="Time to copy a checkpoint to local disks or memory",
    unit="s",
    expression="checkpoint / devices / rate of a device's share of disks or network",
    source="every host writes its own shards",
)
def near_copy_s(checkpoint_bytes: Floats, devices: Integers, bytes_per_s: Floats) -> Floats:
    """Until the hosts' own disks, or two hosts' memories, have a checkpoint. [s]"""
    return checkpoint_bytes / devices / bytes_per_s


@formula(
    title="Checkpoint interval",
    unit="s",
    expression="max(min(daly_s, 1 d), written_behind_s)",
    source="Daly's optimum; a run that hardly fails still keeps a checkpoint a day, and none begins before the one"
    " before it is written",
)
def bounded_interval_s(daly_s: Floats, written_behind_s: Floats) -> Floats:
    """Computing time between checkpoints. [s]"""
    return np.maximum(np.minimum(daly_s, SECONDS_PER_DAY), written_behind_s)


@formula(
    title="Loss at a failure besides the steps since the last checkpoint",
    unit="s",
    expression="max(restart_s, read_back_s) + written_behind_s",
    source="the checkpoint that is being written is lost too: a failure costs up to interval + write",
)
def failure_loss_s(restart_s: float, read_back_s: Floats, written_behind_s: Floats) -> Floats:
    """What a failure costs whenever it strikes: restart, and work whose checkpoint was not yet safe. [s]

    With exponential failures this is exact in Daly's formula: the k-th checkpoint counts once k intervals and the time
    of one write have passed without a failure, so that the write adds to the recovery.
    """
    return np.maximum(restart_s, read_back_s) + written_behind_s


@formula(
    title="Further loss where the first copy is lost too",
    unit="s",
    expression="written_s + max(0, written_s − restart_s)",
    source="the write under way is lost, and reading back takes as long as writing; what restarting takes is counted",
)
def store_loss_s(restart_s: float, written_s: Floats) -> Floats:
    """What going back to the shared store costs beyond a restart, whenever the failure strikes. [s]"""
    return written_s + np.maximum(0.0, written_s - restart_s)


@formula(
    title="Goodput with two kinds of failure",
    unit="1",
    expression="kept_of_most · kept_of_lost_copies",
    source="failures that leave the first copy, and failures that take it with them, strike independently",
)
def kept_of_both(kept_of_most: Floats, kept_of_lost_copies: Floats) -> Floats:
    """Goodput where some failures go back to the shared store. [1]"""
    return kept_of_most * kept_of_lost_copies


@formula(
    title="Time for which a checkpoint slows data reads",
    unit="s",
    expression="write_s · max(0, 1 − ½ / read_share)",
    source="while both use the store each gets half of it: reading that wants more of it slows the steps to its pace",
)
def reading_slowed_s(write_s: Floats, read_share: Floats) -> Floats:
    """What the steps lose, while a checkpoint is written behind them, to data that comes late. [s]"""
    return write_s * (1.0 - LEAST_SHARE / np.maximum(read_share, LEAST_SHARE))


@formula(
    title="Share of the run lost to late data",
    unit="",
    expression="slowed_s / (interval_s + held_up_s)",
    source="each interval between checkpoints loses this much once",
)
def slowed_share(slowed_s: Floats, interval_s: Floats, held_up_s: Floats) -> Floats:
    """Share of the run lost because data waits while checkpoints are written. [1]"""
    return slowed_s / (interval_s + held_up_s)


def read_share(data: DataPipeline, checkpoints: Checkpoints, tokens_per_s: Floats) -> Floats:
    """Share of the checkpoints' store that reading training data takes; none where data lives elsewhere. [1]"""
    if not checkpoints.shares_store:
        return np.zeros_like(tokens_per_s)
    wanted = tokens_per_s * central(data.bytes_per_token)
    return np.asarray(np.minimum(1.0, wanted / central(data.storage_read_bytes_per_s)))


def checkpointing(
    terms: CheckpointTerms, accelerator: Integers, devices: Integers, size: Floats, reading: Floats
) -> Checkpointing:
    """Interval, stall and goodput of layouts; `size` is a checkpoint's, `reading` the store's share that data takes."""
    given, cluster = terms.checkpoints, terms.cluster
    rate = checkpoint_rate(
        leaf(central(given.storage_write_bytes_per_s), "store_bytes_per_s", "bytes/s", "scenario"),
        leaf(reading, "read_share", "", "scenario: data pipeline, at this run's pace"),
        devices,
        leaf(cluster.store_bytes_per_s[accelerator], "port_bytes_per_s", "bytes/s", "catalogue: adapters of a node"),
    )
    written = np.asarray(checkpoint_write_s(size, rate))
    written = carried(np.broadcast_to(written, devices.shape), written)
    link = terms.devices.host_bytes_per_s[accelerator] * HOST_COPY_SHARE
    copy = leaf(np.where(np.isnan(link), MEMORY_COPY_BYTES_PER_S, link), "copy_bytes_per_s", "bytes/s", OF_HOST_LINK)
    first = _first_copy_s(terms, accelerator, devices, size, written)
    stall = checkpoint_stall_s(size, devices, copy, first, given.asynchronous)
    behind = first if given.asynchronous else np.zeros_like(first)
    nodes = np.ceil(devices / cluster.node_devices[accelerator])
    failures = leaf(
        central(given.failures_per_node_day) + terms.interruptions_per_node_day,
        "failures_per_node_day", "1/d", "scenario, spot interruptions included",
    )  # fmt: skip
    mtbf = job_mtbf_s(nodes, failures, np.float64(0.0))
    is_store_first = given.first_copy == "store"
    slowed = reading_slowed_s(behind if is_store_first else written, reading)
    held_up = stall + slowed if is_store_first else stall
    interval = bounded_interval_s(daly_interval_s(held_up, mtbf), behind)
    restart = leaf(central(given.restart_s), "restart_s", "s", "scenario")
    goodput = checkpointed_efficiency(interval, held_up, mtbf, failure_loss_s(restart, first, behind))
    if is_store_first:
        return Checkpointing(stall, written, interval, interval, goodput, slowed_share(slowed, interval, held_up))
    lost = leaf(_lost_copy_share(given, failures, restart), "lost_copy_share", "", "scenario; for memory both hosts")
    rarer = job_mtbf_s(nodes, failures * lost, np.float64(0.0))
    store_interval = bounded_interval_s(interval, written)
    more = store_loss_s(restart, written)
    from_store = checkpointed_efficiency(store_interval, slowed, rarer, more)
    both = kept_of_both(goodput, from_store)
    return Checkpointing(stall, written, interval, store_interval, both, slowed_share(slowed, store_interval, slowed))


def _first_copy_s(
    terms: CheckpointTerms, accelerator: Integers, devices: Integers, size: Floats, written: Floats
) -> Floats:
    place = terms.checkpoints.first_copy
    if place == "store":
        return written
    if place == "local_disk":
        rate = leaf(terms.disk_bytes_per_s, "disk_bytes_per_s", "bytes/s", "training calibration: NVMe, per device")
    else:
        rate = leaf(
            terms.cluster.network_bytes_per_s[accelerator], "network_bytes_per_s", "bytes/s", "catalogue: network"
        )
    return near_copy_s(size, devices, rate)


def _lost_copy_share(given: Checkpoints, failures_per_node_day: Values, restart_s: float) -> Values:
    """Share of failures that lose the first copy; for a copy in memory both hosts of a pair must fail."""
    lost = central(given.lost_copy_share)
    if given.first_copy == "local_disk":
        return lost
    return np.minimum(1.0, lost * failures_per_node_day * restart_s / SECONDS_PER_DAY)
