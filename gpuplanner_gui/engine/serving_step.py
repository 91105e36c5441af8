"""Time of one forward pass of a serving replica, by resource, for any number of candidates and any mix of work.

The pass is the sum of its operations; each is bound by compute, memory bandwidth or its floor, as measured kernels are,
and collectives and host time come on top. Work enters as `StepWork`; candidates as `Replica` arrays; both broadcast, so
a grid of loads (leading axis) times all candidates (last axis) is one call.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.expert_time import experts_touched
from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.operations import Elementwise, Operation
from gpuplanner_gui.engine.serving_operation import StepWork, Sums, add_operation, stage_share
from gpuplanner_gui.engine.serving_replica import Layout, Products, Replica, replica_arrays

__all__ = [
    "KernelTimes", "Layout", "Products", "Replica", "StepTimes", "StepWork", "experts_touched", "host_time_s",
    "kernel_times", "layer_count", "replica_arrays", "step_of", "step_times", "total_step_s",
]  # fmt: skip

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StepTimes:
    """Where a pass spends its time; the parts add up to `total`. [s]"""

    compute_s: Floats
    bandwidth_s: Floats
    interconnect_s: Floats
    host_s: Floats

    @property
    def total(self) -> Floats:
        return self.compute_s + self.bandwidth_s + self.interconnect_s + self.host_s


@dataclass(frozen=True)
class KernelTimes:
    """Kernels and collectives of a pass as they were timed alone, before what an engine makes of them. [s]"""

    compute_s: Floats
    bandwidth_s: Floats
    launch_s: Floats
    """Floors of the kernels: launches, first bytes, last wave."""
    collective_s: Floats


@formula(
    title="One pass, by resource",
    unit="s",
    expression="sum over operations of count · (floor + smooth maximum of compute and memory time), collectives, host",
    source="engine notes, serving peers, 5; kernel parameters fitted to measured timings (calibration)",
)
def step_times(operations: tuple[Operation, ...], work: StepWork, replica: Replica, engine: EngineFacts) -> StepTimes:
    """Seconds from start to end of one pass, through all stages of a pipeline.

    Parameters
    ----------
    operations : tuple of Operation
        From `operations.operations`.
    work : StepWork
        Sequences and tokens of the pass over the whole replica.
    replica : Replica
        From `replica_arrays`.
    engine : EngineFacts
        Host overheads, and what the engine makes of the kernels.

    Returns
    -------
    StepTimes, broadcast shape. [s]

    Notes
    -----
    A pipeline works on as many micro-batches as it has stages: each stage sees that share of sequences and prompt
    tokens, and a token passes all stages in turn. Floors of kernels count as host and launch time.
    """
    return step_of(kernel_times(operations, work, replica), work, layer_count(operations), engine)


def kernel_times(operations: tuple[Operation, ...], work: StepWork, replica: Replica) -> KernelTimes:
    """Sums over the operations of a pass, hops between pipeline stages included."""
    sums = Sums()
    share = stage_share(work, replica)
    for operation in operations:
        add_operation(operation, share, replica, sums)
    hops = (replica.pipeline_parallel - 1) * PIPELINE_HOP_S
    return KernelTimes(*np.broadcast_arrays(sums.compute_s, sums.bandwidth_s, sums.launch_s, sums.collective_s + hops))


PIPELINE_HOP_S = 20e-6
"""Activations to the next stage: latency of a point-to-point message."""


def step_of(kernels: KernelTimes, work: StepWork, layers: int, engine: EngineFacts) -> StepTimes:
    """A pass from its kernels: fused launches and collectives, and host time that kernels don't hide."""
    launch_s = engine.launch_factor * kernels.launch_s
    collective_s = engine.collective_factor * kernels.collective_s
    busy_s = kernels.compute_s + kernels.bandwidth_s + launch_s
    host_s = launch_s + host_time_s(work, layers, busy_s, engine)
    return StepTimes(*np.broadcast_arrays(kernels.compute_s, kernels.bandwidth_s, collective_s, host_s))


def layer_count(operations: tuple[Operation, ...]) -> int:
    """Layers that a pass launches one after the other."""
    return sum(
        operation.count for operation in operations if isinstance(operation, Elementwise) and "norms" in operation.code
    )


@formula(
    title="Decode step",
    unit="s",
    expression="compute_s + bandwidth_s + interconnect_s + host_s",
    source="sum over the operations of one pass, each bound by compute or memory as measured kernels are",
)
def total_step_s(parts: StepTimes) -> Floats:
    """All of a step. [s]"""
    return parts.total


def host_time_s(work: StepWork, layers: int, kernels_s: Floats, engine: EngineFacts) -> Floats:
    """Host time that kernels don't hide: scheduling of a step, and launches of an eager prefill beyond its kernels.

    Captured graphs launch a decode step at once; a prefill launches layer by layer, which shows only while the kernels
    are shorter than the launches.
    """
    prefilling = work.prefill_tokens > 0
    eager = np.maximum(engine.prefill_layer_host_s * layers - kernels_s, 0.0)
    step = np.where(
        prefilling, engine.prefill_step_host_s + eager, engine.decode_step_host_s + engine.decode_layer_host_s * layers
    )
    return np.asarray(step + engine.sequence_host_s * (work.decode_sequences + work.prefill_sequences))
