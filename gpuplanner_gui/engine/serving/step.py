"""Time of one forward pass of a serving replica, by resource, for any number of candidates and any mix of work.

The pass is the sum of its operations; each is bound by compute, memory bandwidth or its floor, as measured kernels are,
and collectives and host time come on top. Work enters as `StepWork`; candidates as `Replica` arrays; both broadcast, so
a grid of loads (leading axis) times all candidates (last axis) is one call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.special_time import experts_touched
from gpuplanner_gui.engine.model.operations import Operation
from gpuplanner_gui.engine.serving.operation import KernelTimes, StepWork, add_operation, stage_share
from gpuplanner_gui.engine.serving.rates import VOCABULARY_UNIT, EngineRates, LayerCounts, layer_counts, rates_of
from gpuplanner_gui.engine.serving.replica import Layout, Products, Replica
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, in_one_shape

__all__ = [
    "KernelTimes", "Layout", "Products", "Replica", "StepTimes", "StepWork", "decode_busy_s", "experts_touched",
    "kernel_times", "longer_s", "prefill_busy_s", "prefill_launch_s", "small_kernels_s", "step_of",
    "step_times", "total_step_s",
]  # fmt: skip


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

    def retimed(self, change: Callable[[Floats], Floats]) -> StepTimes:
        """The same pass with other times of each part."""
        return StepTimes(*(change(part) for part in vars(self).values()))


@formula(
    title="One pass, by resource",
    unit="s",
    expression="sum over operations of count · (floor + smooth maximum of compute and memory time), collectives, host",
    source="kernels as timed, their parameters fitted (docs/derivations/serving-step.md#sum-over-operations)",
)
def step_times(
    operations: tuple[Operation, ...], work: StepWork, replica: Replica, engine: EngineFacts | EngineRates
) -> StepTimes:
    """Seconds from start to end of one pass, through all stages of a pipeline.

    Parameters
    ----------
    operations : tuple of Operation
        From `operations.operations`.
    work : StepWork
        Sequences and tokens of the pass over the whole replica.
    replica : Replica
        Of the deployments.
    engine : EngineFacts or EngineRates
        Host overheads, and what the engine makes of the kernels; facts stand for its latest releases.

    Returns
    -------
    StepTimes, broadcast shape. [s]

    Notes
    -----
    A pipeline works on as many micro-batches as it has stages: each stage sees that share of sequences and prompt
    tokens, and a token passes all stages in turn. Floors of kernels count as host and launch time.
    """
    rates = engine if isinstance(engine, EngineRates) else rates_of(engine)
    return step_of(kernel_times(operations, work, replica), work, layer_counts(operations), rates)


def kernel_times(
    operations: tuple[Operation, ...], work: StepWork, replica: Replica, has_hops: bool = True
) -> KernelTimes:
    """Sums over the operations of a pass, as kernels do on the replica's devices, with hops between its stages."""
    sums = KernelTimes()
    share = stage_share(work, replica)
    for operation in operations:
        add_operation(operation, share, replica, sums)
    family = replica.family
    hops = (replica.pipeline_parallel - 1) * PIPELINE_HOP_S if has_hops else 0.0
    parts = (
        sums.compute_s * family.compute_time,
        sums.bandwidth_s * family.memory_time,
        sums.product_launch_s * family.product_launch,
        sums.attention_launch_s * family.attention_launch,
        sums.expert_launch_s * family.expert_launch,
        sums.small_launch_s * family.small_launch,
        sums.collective_s + hops,
        sums.wire_s,
        sums.exchange_s,
    )
    return KernelTimes(*in_one_shape(*parts))


PIPELINE_HOP_S = 20e-6
"""Activations to the next stage: latency of a point-to-point message."""


def step_of(kernels: KernelTimes, work: StepWork, counts: LayerCounts, rates: EngineRates) -> StepTimes:
    """A pass from its kernels: fused launches and collectives, small kernels, and host time that kernels don't hide.

    Captured graphs launch a decode step at once; a prefill launches layer by layer, which shows only while the kernels
    are shorter than the launches.
    """
    small_s = small_kernels_s(counts, work, rates)
    launch_s = kernels.launch_s(rates)
    is_prefill = np.asarray(work.prefill_tokens > 0)
    if not is_prefill.any():
        network_s = kernels.network_s(rates)
        return StepTimes(*in_one_shape(kernels.compute_s, kernels.bandwidth_s, network_s, launch_s + small_s))
    share = np.where(is_prefill, rates.prefill_factor, 1.0)
    prefill_network_s = rates.prefill_factor * kernels.prefill_network_s(rates)
    network_s = np.where(is_prefill, prefill_network_s, kernels.network_s(rates))
    busy_s = share * (kernels.compute_s + kernels.bandwidth_s + launch_s) + network_s
    exposed_s = longer_s(busy_s, prefill_launch_s(counts, rates, work.tokens)) - busy_s + rates.prefill_step_host_s
    host_s = share * launch_s + small_s + np.where(is_prefill, exposed_s, 0.0)
    parts = (share * kernels.compute_s, share * kernels.bandwidth_s, network_s, host_s)
    return StepTimes(*in_one_shape(*parts))


def decode_busy_s(kernels: KernelTimes, rates: EngineRates) -> Floats:
    """Kernels and collectives of a decode step. [s]"""
    return np.asarray(kernels.compute_s + kernels.bandwidth_s + kernels.launch_s(rates) + kernels.network_s(rates))


def prefill_busy_s(kernels: KernelTimes, rates: EngineRates) -> Floats:
    """Kernels and collectives of a pass with prompts. [s]"""
    network_s = kernels.prefill_network_s(rates)
    whole_s = kernels.compute_s + kernels.bandwidth_s + kernels.launch_s(rates) + network_s
    return np.asarray(rates.prefill_factor * whole_s)


def small_kernels_s(counts: LayerCounts, work: StepWork, rates: EngineRates) -> Floats:
    """What a pass takes beside the timed kernels: small kernels of layers, sampling, the host's part. [s]"""
    layers_s = rates.decode_layer_host_s * counts.layers
    layers_s = layers_s + rates.expert_layer_host_s * counts.expert_layers
    layers_s = layers_s + rates.complex_layer_host_s * counts.complex_layers
    sampled = (work.decode_sequences + work.prefill_sequences) * (counts.vocabulary / VOCABULARY_UNIT)
    return np.asarray(rates.decode_step_host_s + layers_s + rates.sequence_host_s * sampled)


def prefill_launch_s(counts: LayerCounts, rates: EngineRates, tokens: Numbers) -> Floats:
    """Time that the host takes to launch a pass with prompts, layer by layer. [s]

    Passes of few tokens run from captured graphs with some engines, but for their attention.
    """
    share = np.where(as_floats(tokens) <= rates.captured_tokens, rates.captured_launch_share, 1.0)
    layers_s = rates.prefill_layer_host_s * counts.layers + rates.prefill_complex_layer_host_s * counts.complex_layers
    return np.asarray(share * layers_s)


def longer_s(a_s: Numbers, b_s: Numbers) -> Floats:
    """Smooth maximum of two times that overlap: (a⁴ + b⁴)^¼. [s]"""
    squares = np.square(np.square(a_s)) + np.square(np.square(b_s))
    return np.asarray(np.sqrt(np.sqrt(squares)))


@formula(
    title="Decode step",
    unit="s",
    expression="compute_s + bandwidth_s + interconnect_s + host_s",
    source="sum over the operations of one pass, each bound by compute or memory as measured kernels are",
)
def total_step_s(parts: StepTimes) -> Floats:
    """All of a step. [s]"""
    return parts.total
