"""Time of one training step of every layout, by part: the work, at the pace that frameworks keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import Resource, TrainingTable
from gpuplanner_gui.engine.explaining.formula import is_tracing, leaf
from gpuplanner_gui.engine.training.communication import exposed_s
from gpuplanner_gui.engine.training.rates import Rates
from gpuplanner_gui.engine.training.step_parts import (
    bubble_s,
    expert_communication_s,
    host_s,
    input_wait_s,
    kernel_efficiency,
    pipeline_communication_s,
    stage_bandwidth_s,
    stage_compute_s,
    step_bandwidth_s,
    step_compute_s,
    step_total_s,
    tensor_communication_s,
)
from gpuplanner_gui.engine.training.work import TrainingStepWork

SENDING_UNITS_SHARE = 20 / 132
"""Of a device's compute units, that send tokens to their experts while the others compute: DeepSeek-V3 report 2024,
section 3.2.2."""


@dataclass(frozen=True)
class TrainingStep:
    """Seconds of one step; the parts add up to `total`."""

    compute_s: Floats
    bandwidth_s: Floats
    tensor_communication_s: Floats
    data_communication_s: Floats
    pipeline_communication_s: Floats
    expert_communication_s: Floats
    bubble_s: Floats
    host_s: Floats
    input_s: Floats
    total: Floats
    passes: Floats
    """Forward-sized passes: 3, more with recomputation."""


def training_step(work: TrainingStepWork, rates: Rates) -> TrainingStep:
    """Time of a step; arrays of the layouts' shape."""
    rates = _marked(rates) if is_tracing() else rates
    m = work.micro_batches
    # An interleaved schedule goes round in groups of as many micro-batches as there are stages (Narayanan et al. 2021,
    # section 2.2); another count runs as if it were not interleaved.
    chunks = np.where(m % work.pipeline_parallel == 0, work.virtual_stages, 1)
    passes = 1.0 + work.backward_share + work.full_share
    share, has_head = slowest_stage(work, rates, passes)
    compute = pass_compute_s(work, rates, passes, share, has_head)
    bandwidth = pass_bandwidth_s(work, rates, share, has_head)
    overlap: Floats | float = rates.expert_overlap
    if bool(work.hides_experts.any()):
        apart = work.all_to_all_s > 0
        compute = np.where(work.hides_experts & apart, compute / (1.0 - SENDING_UNITS_SHARE), compute)
        overlap = np.where(work.hides_experts, 1.0, overlap)
    busy = compute + bandwidth
    tensor = tensor_communication_s(m, share * work.tensor_sums, work.tensor_half_s, rates.tensor_overlap, busy)
    cover = share * (1.0 + rates.attention_backward) * work.times.attention_compute_s
    ring = exposed_s(share * work.ring_s, cover, 0.0)
    expert = expert_communication_s(m, share * work.all_to_alls, work.all_to_all_s, ring, overlap, busy)
    sending = m, chunks, work.send_s, work.pipeline_parallel
    pipeline = pipeline_communication_s(*sending, rates.pipeline_overlap, busy)
    slot = busy + (tensor + expert) / m
    idle = bubble_s(work.pipeline_parallel, chunks, work.idle_share, slot)
    data = exposed_s(work.data_exchange_s, rates.data_cover * slot * work.covering_passes, rates.data_leak)
    per_layer = rates.layer_host_s + work.expert_layer_share * rates.expert_host_s
    launch = share * work.launched_layers * per_layer * passes
    waits = host_s(m, launch, work.streamed_s, slot, rates.step_host_s, work.offload_s)
    computing = step_compute_s(m, compute)
    moving = step_bandwidth_s(m, bandwidth, work.optimizer_bytes, work.bandwidth_bytes_per_s, rates.sustained_bandwidth)
    so_far = computing + moving + tensor + data + pipeline + expert + idle + waits
    feeding = input_wait_s(work.tokens_per_step, work.input_tokens_per_s, so_far)
    total = step_total_s(computing, moving, tensor, data, pipeline, expert, idle, waits, feeding)
    return TrainingStep(computing, moving, tensor, data, pipeline, expert, idle, waits, feeding, total, passes)


def limiting_resource(
    step: TrainingStep | TrainingTable, total: Floats, lost_to_store: Floats, slowed: Floats
) -> NDArray[np.int64]:
    """The resource that takes most of the time, by the parts of steps and the share of the run that the store costs.

    Data, as soon as devices wait for it: then it alone sets the pace. Likewise the store of checkpoints, as soon as
    devices wait for data because it takes them (`slowed`, a share of the run).
    """
    network = (
        step.tensor_communication_s + step.data_communication_s
        + step.pipeline_communication_s + step.expert_communication_s
    )  # fmt: skip
    waits = np.where(step.input_s > STARVED * total, total, 0.0)
    parts = np.stack([step.compute_s, step.bandwidth_s, network, step.host_s, waits])
    lost = np.where((slowed > STARVED) & (waits == 0), 1.0, lost_to_store)
    shares = np.concatenate([parts / total * (1.0 - lost), lost[None]])
    return np.asarray(np.array([int(one) for one in LIMITS])[shares.argmax(axis=0)], np.int64)


LIMITS = (
    Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST, Resource.INPUT, Resource.STORAGE,
)  # fmt: skip
"""What may take most of a run's time."""
STARVED = 0.02
"""Of a step, waiting for data, from which data is the limit."""


def slowest_stage(work: TrainingStepWork, rates: Rates, passes: Floats) -> tuple[Floats, Floats]:
    """Share of the model's layers that the slowest stage runs, and whether it runs the output matrix (1) or not (0)."""
    pace = rates.compute_share * work.compute_pace
    layers = _kernels(work, rates, passes) / pace
    layers = (layers + sum(_moved(work, rates)) / rates.sustained_bandwidth) / work.model_layers
    head = work.times.head_compute_s / pace + work.times.head_memory_s / rates.sustained_bandwidth
    is_last = (work.pipeline_parallel == 1) | (work.last_stage_layers * layers + head > work.full_stage_layers * layers)
    chosen = np.where(is_last, work.last_stage_layers, work.full_stage_layers)
    return chosen / work.model_layers, is_last.astype(np.float64)


def _kernels(work: TrainingStepWork, rates: Rates, passes: Floats) -> Floats:
    """Computing time of all layers' kernels, one micro-batch, at the measured pace."""
    times, full = work.times, work.full_share
    products = (1.0 + full) * times.forward_compute_s + times.backward_compute_s
    products = products + work.selective_share * times.repeated_s
    experts = (1.0 + full + work.backward_share) * times.expert_compute_s
    again = full + work.selective_share * work.selects_scores
    cores = (1.0 + again + rates.attention_backward) * times.attention_compute_s
    cores = cores / (rates.attention_share * work.attention_pace)
    return np.asarray((products + experts / rates.expert_share) / rates.recipe_share + cores)


def _moved(work: TrainingStepWork, rates: Rates) -> tuple[Floats, Floats]:
    """Memory time of all layers' kernels, and of what is moved between them, one micro-batch."""
    times, full = work.times, work.full_share
    products = (1.0 + full) * times.forward_memory_s + times.backward_memory_s
    experts = (1.0 + full + work.backward_share) * times.expert_memory_s / rates.expert_share
    scores = work.selective_share * work.selects_scores + full
    cores = (1.0 + scores + rates.attention_backward) * times.attention_memory_s
    cores = cores / (rates.attention_share * work.attention_pace)
    again = 1.0 + full + work.selective_share * (1.0 - work.selects_scores) + rates.elementwise_backward
    states = (1.0 + full + rates.state_backward) * times.state_s / rates.state_share
    routing = rates.routing_share * (2.0 + full) * times.routing_s
    casts = rates.cast_share * times.cast_s + rates.accumulation_share * times.accumulation_s
    moved = rates.elementwise_share * again * times.elementwise_s + states + casts + routing
    return products + experts + cores, moved


def pass_compute_s(work: TrainingStepWork, rates: Rates, passes: Floats, share: Floats, has_head: Floats) -> Floats:
    """Kernels of one micro-batch on the slowest stage, as an efficiency of their FLOPs."""
    kernels = _kernels(work, rates, passes)
    efficiency = kernel_efficiency(work.layer_flop, passes, kernels, work.peak_flop_per_s)
    return stage_compute_s(
        share, work.layer_flop, passes, work.peak_flop_per_s, efficiency, has_head * work.times.head_compute_s,
        work.compute_pace, rates.compute_share, work.thermal_derate, work.slow_device_share,
    )  # fmt: skip


def pass_bandwidth_s(work: TrainingStepWork, rates: Rates, share: Floats, has_head: Floats) -> Floats:
    """Memory traffic of one micro-batch on the slowest stage. [s]"""
    kernels, moved = _moved(work, rates)
    head = has_head * work.times.head_memory_s
    return stage_bandwidth_s(share, kernels, moved, head, rates.sustained_bandwidth, work.slow_device_share)


def _marked(rates: Rates) -> Rates:
    """The same figures as leaves of an explanation."""
    values = {
        name: leaf(getattr(rates, name), name, "", rates.source)
        for name in Rates.__dataclass_fields__
        if name not in ("name", "source")
    }
    return Rates(**values, name=rates.name, source=rates.source)
