"""Parameters of a stack, software on a family of devices, for each case: usual values times all effects that apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.operations import forward_flop_per_token
from gpuplanner_gui.engine.serving.deployments import Deployments, formats_of_case
from gpuplanner_gui.engine.serving.predict.points import Pass, one_pass
from gpuplanner_gui.engine.serving.rates import EngineRates
from gpuplanner_gui.engine.serving.samples import WIDE_FORMATS, StackTraits, is_known, logs_of, power_pressure
from gpuplanner_gui.engine.serving.step import longer_s

__all__ = ["NAMES", "StackParameters", "StackTraits", "is_known", "logs_of", "stack_parameters", "traits_of"]


@dataclass(frozen=True)
class StackParameters:
    """What a stack makes of timed kernels; factors of time unless a name ends in a unit. Cases' shape."""

    decode_kernels: Floats
    prefill_kernels: Floats
    collectives: Floats
    """Collectives over a scale-up fabric."""
    host_collectives: Floats
    """Collectives over PCIe."""
    layer_sync_s: Floats
    """Time per layer that devices sharing it wait for each other, besides the collectives."""
    batch_compute: Floats
    """Share of a decode step's products at the peak rate that comes on top: thin products far from the peak."""
    cache_reads: Floats
    """Share of reading the cache once at full bandwidth that comes on top."""
    layer_host_s: Floats
    sequence_host_s: Floats
    prefill_host_s: Floats
    prefill_launch: Floats
    prefill_power: Floats
    """Exponent of FLOPs per joule at the peak with which a device's power limit slows a prefill."""
    stage_loss: Floats
    """Exponent of pipeline stages with which one prompt takes longer than evenly divided work."""
    full_engine: Floats
    """Time of a full engine over that of its steps: scheduling, preemption, uneven replicas."""
    latency_limit: Floats
    """Extra rate at full load over the rate within a latency limit, as a share of the latter."""
    interactive_limit: Floats
    """The same for a limit that suits a reader who waits."""
    speculation: Floats
    """Tokens per step with a draft that a row names."""
    sample_compute: Floats
    """Time of a sample over its FLOPs at the peak rate."""
    sample_power: Floats
    """The same as `prefill_power`, for samples."""
    sample_balance: Floats
    """Exponent of FLOPs per value that memory moves with which a smaller share of the peak is reached."""
    sample_memory: Floats
    sample_host_s: Floats
    sample_fill: Floats
    """Samples whose compute time comes on top of every pass: a small batch does not fill the device."""
    sample_limit: Floats
    """The same as `latency_limit`, for samples."""


NAMES = tuple(StackParameters.__dataclass_fields__)


def traits_of(case: ServingCase, context: Context) -> StackTraits:
    """A case's software, family of devices, kind of model or task, and whether weights are narrower than 16 bits."""
    device = context.catalog.accelerators[case.accelerator]
    family = context.calibration.stacks.family_of(device.architecture, device.kind, device.memory_type)
    is_narrow = any(name not in WIDE_FORMATS for name in vars(formats_of_case(case)).values())
    kind = f"{case.model.kind}, accurate" if case.load == "samples" and case.needs_accuracy else case.model.kind
    return StackTraits(case.software or case.engine, family, kind, is_narrow)


def stack_parameters(cases: Sequence[ServingCase], context: Context) -> StackParameters:
    """The parameters of every case."""
    stacks = context.calibration.stacks
    traits = [traits_of(case, context) for case in cases]
    logs = {one: logs_of(one, stacks) for one in set(traits)}
    return StackParameters(
        **{name: stacks.usual[name] * np.exp([logs[one].get(name, 0.0) for one in traits]) for name in NAMES}
    )


@dataclass(frozen=True)
class DecodeWork:
    """A decode step, an entry per case. [s] unless said otherwise"""

    kernels_s: Floats
    collective_s: Floats
    """Time of collectives over a scale-up fabric."""
    host_collective_s: Floats
    """Time of collectives over PCIe."""
    host_s: Floats
    compute_s: Floats
    """Products of all sequences at the device's peak rate."""
    cache_s: Floats
    """Every sequence's cache read once at full bandwidth."""
    layers: Floats
    shared_layers: Floats
    """Layers that several devices share."""
    sequences: Floats


@dataclass(frozen=True)
class PrefillWork:
    """A pass of prompts."""

    kernels_s: Floats
    collective_s: Floats
    host_collective_s: Floats
    launch_s: Floats
    stages: Floats
    shared_layers: Floats
    power_demand: Floats


def decode_work(cases: Deployments, sequences: Floats, context_tokens: Floats, rates: EngineRates) -> DecodeWork:
    """A step of `sequences` over the replica at a mean context."""
    zero = np.zeros_like(sequences)
    found = one_pass(cases, sequences, context_tokens, zero, zero, zero)
    layout, device = cases.replica.layout, cases.replica.ffn.device
    sharing = layout.tensor_parallel * layout.pipeline_parallel * layout.data_parallel
    flop = forward_flop_per_token(cases.model, np.ones_like(sequences)).total * sequences
    cache = cases.cache_bytes_per_sequence(context_tokens) * sequences / layout.data_parallel
    kernels = found.kernels
    collective_s = kernels.network_s(rates)
    has_scale_up = cases.replica.devices.has_scale_up[cases.accelerator]
    layers = np.full_like(sequences, float(found.counts.layers))
    return DecodeWork(
        kernels_s=np.asarray(kernels.compute_s + kernels.bandwidth_s + kernels.launch_s(rates)),
        collective_s=np.where(has_scale_up, collective_s, 0.0),
        host_collective_s=np.where(has_scale_up, 0.0, collective_s),
        host_s=found.small_s(rates),
        compute_s=flop / (sharing * device.peak_flop_per_s),
        cache_s=cache / device.bandwidth_bytes_per_s,
        layers=layers,
        shared_layers=np.where(layout.tensor_parallel > 1, layers, 0.0),
        sequences=sequences,
    )


def prefill_work(found: Pass, cases: Deployments, rates: EngineRates) -> PrefillWork:
    """A pass of prompts alone."""
    kernels, shape = found.kernels, np.shape(cases.token_budget)
    busy_s = rates.prefill_factor * (kernels.compute_s + kernels.bandwidth_s + kernels.launch_s(rates))
    collective_s = np.asarray(rates.prefill_factor * kernels.prefill_network_s(rates))
    has_scale_up = cases.replica.devices.has_scale_up[cases.accelerator]
    layers = float(found.counts.layers)
    return PrefillWork(
        kernels_s=np.asarray(busy_s),
        collective_s=np.where(has_scale_up, collective_s, 0.0),
        host_collective_s=np.where(has_scale_up, 0.0, collective_s),
        launch_s=np.broadcast_to(found.uncaptured_launch_s(rates), shape),
        stages=cases.replica.layout.pipeline_parallel,
        shared_layers=np.where(cases.replica.layout.tensor_parallel > 1, layers, 0.0),
        power_demand=power_pressure(cases.replica),
    )


@formula(
    title="Decode step of a stack",
    unit="s",
    expression="decode_kernels · kernels_s + collectives_s + host_s + batch_compute · compute_s"
    " + cache_reads · cache_s + layers · layer_host_s + sequences · sequence_host_s",
    source="kernels as timed; the stack's parameters fitted by tools/fit_inference to published results",
)
def decode_step_s(work: DecodeWork, stack: StackParameters) -> Floats:
    """Seconds of a decode step under a stack."""
    kernels_s = stack.decode_kernels * work.kernels_s + _collectives_s(work, stack)
    thin_s = stack.batch_compute * work.compute_s + stack.cache_reads * work.cache_s
    host_s = work.host_s + work.layers * stack.layer_host_s + work.sequences * stack.sequence_host_s
    return np.asarray(kernels_s + thin_s + host_s)


@formula(
    title="Prefill pass of a stack",
    unit="s",
    expression="max(prefill_kernels · power_demand^prefill_power · kernels_s + collectives_s,"
    " prefill_launch · launch_s) · stages^stage_loss + prefill_host_s",
    source="kernels as timed; the stack's parameters fitted by tools/fit_inference to published results",
)
def prefill_pass_s(work: PrefillWork, stack: StackParameters) -> Floats:
    """Seconds of a pass of prompts under a stack."""
    kernels_s = stack.prefill_kernels * work.kernels_s * work.power_demand**stack.prefill_power
    busy_s = kernels_s + _collectives_s(work, stack)
    staged_s = longer_s(busy_s, stack.prefill_launch * work.launch_s) * work.stages**stack.stage_loss
    return np.asarray(staged_s + stack.prefill_host_s)


def _collectives_s(work: DecodeWork | PrefillWork, stack: StackParameters) -> Floats:
    """Collectives and waits for each other of the devices that share layers. [s]"""
    moved_s = stack.collectives * work.collective_s + stack.host_collectives * work.host_collective_s
    return np.asarray(moved_s + work.shared_layers * stack.layer_sync_s)
