"""Time of one training step of every layout, by part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.formula import leaf
from gpuplanner_gui.engine.kernels import Kernels
from gpuplanner_gui.engine.operations import AllReduce, encoder_operations, operations
from gpuplanner_gui.engine.training.cluster import Cluster
from gpuplanner_gui.engine.training.communication import (
    Wires,
    all_to_all_s,
    exposed_s,
    half_exchange_s,
    ranks_in_domain,
    send_s,
)
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.kernel_time import PassTime, Shape, forward_pass, machine_of
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.memory import TrainingMemory, micro_batches
from gpuplanner_gui.engine.training.state_memory import Shards, stage_layers
from gpuplanner_gui.engine.training.step_parts import (
    bubble_s,
    expert_communication_s,
    host_s,
    input_wait_s,
    kernel_efficiency,
    optimizer_bytes,
    pipeline_communication_s,
    stage_bandwidth_s,
    stage_compute_s,
    step_bandwidth_s,
    step_compute_s,
    step_total_s,
    tensor_communication_s,
)

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

IDLE_SHARE = {"1f1b": 1.0, "interleaved": 1.0, "zero_bubble": 1.0 / 3.0}


@dataclass(frozen=True)
class Equipment:
    """What layouts run on: devices, their kernels, their wiring."""

    devices: DeviceTable
    kernels: Kernels
    cluster: Cluster
    opaque_efficiency: float
    """Share of the peak that a model reaches which is not made of known layers."""


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


def wires_of(cluster: Cluster, accelerator: Integers) -> Wires:
    """The wiring of each layout's devices."""

    def read(values: Floats, name: str, unit: str) -> Floats:
        return leaf(values[accelerator], name, unit, "catalogue: link, with its usual efficiency")  # type: ignore[no-any-return]

    return Wires(
        cluster.domain_devices[accelerator],
        read(cluster.scale_up_bytes_per_s, "scale_up_bytes_per_s", "bytes/s"),
        cluster.scale_up_step_s[accelerator],
        read(cluster.network_bytes_per_s, "network_bytes_per_s", "bytes/s"),
        cluster.network_step_s[accelerator],
    )


def pass_times(job: TrainingJob, layouts: TrainingLayouts, equipment: Equipment) -> PassTime:
    """Forward pass of one micro-batch of each layout through the whole model; equal shapes are timed once."""
    key = layouts.accelerator
    for part in (layouts.tensor_parallel, layouts.context_parallel, layouts.expert_parallel, layouts.micro_batch):
        key = key * 100_003 + part
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    chosen = layouts.at(first)
    sequences = chosen.micro_batch.astype(np.float64)
    context = chosen.context_parallel.astype(np.float64)
    shape = Shape(
        chosen.accelerator,
        chosen.tensor_parallel.astype(np.float64),
        context,
        chosen.expert_parallel.astype(np.float64),
        sequences,
        sequences * job.sequence_tokens / context,
    )
    if job.numbers.is_opaque:
        times = _opaque_pass(job, shape, equipment)
    else:
        times = forward_pass(job, shape, machine_of(job, chosen.accelerator, equipment.devices, equipment.kernels))
    return PassTime(*(getattr(times, name)[back] for name in PassTime.__dataclass_fields__))


def _opaque_pass(job: TrainingJob, shape: Shape, equipment: Equipment) -> PassTime:
    """A model known only by its FLOPs runs at the usual efficiency of such models."""
    peak = equipment.devices.peak_flop_per_s[shape.accelerator, job.compute_index]
    compute = job.numbers.flop_per_token * shape.sequences / (peak * equipment.opaque_efficiency)
    none = np.zeros_like(compute)
    return PassTime(compute, none, none, none, none, none, none)


def training_step(
    job: TrainingJob,
    layouts: TrainingLayouts,
    memory: TrainingMemory,
    part: Shards,
    equipment: Equipment,
    input_tokens_per_s: Floats,
) -> TrainingStep:
    """Time of a step of layouts with every choice made; arrays of the layouts' shape."""
    facts, numbers = job.framework, job.numbers
    who, p, v = layouts.accelerator, layouts.pipeline_parallel, layouts.virtual_stages
    times = pass_times(job, layouts, equipment)
    wires = wires_of(equipment.cluster, who)
    m = micro_batches(
        leaf(float(job.global_sequences), "global_sequences", "seq", "scenario: global batch"),
        layouts.micro_batch,
        layouts.data_parallel,
    )
    share, head_share = _slowest_stage(job, layouts, times)
    passes = 1.0 + job.backward_share + (layouts.recompute == 2)
    compute = _stage_compute(job, layouts, times, share, head_share, passes, equipment)
    memory_s = times.product_memory_s + times.attention_memory_s + facts.elementwise_share * times.elementwise_s
    bandwidth = stage_bandwidth_s(
        share, memory_s, passes, head_share * (1 + job.backward_share) * times.head_memory_s, facts.sustained_bandwidth
    )
    tensor = _tensor(job, layouts, m, share, wires)
    expert = _expert(job, layouts, m, share, wires, times)
    sends = send_s(_stream_bytes(job, layouts), p_stride(layouts), wires)
    pipeline = pipeline_communication_s(m, v, sends, p, facts.pipeline_overlap)
    slot = compute + bandwidth + (tensor + expert) / m
    idle = bubble_s(p, v, IDLE_SHARE[job.schedule], slot)
    data = _data(job, layouts, memory, part, wires, m, slot)
    launches = stage_layers(float(numbers.layers), p) * facts.layer_host_s * passes
    waits = host_s(
        m, launches, slot, leaf(facts.step_host_s, "step_host_s", "s", f"training calibration: {facts.name}")
    )
    state = memory.state
    moved = optimizer_bytes(
        state.master_weights + state.first_moment + state.second_moment,
        state.gradients,
        state.weights,
        np.where((layouts.zero_stage >= 1) & (layouts.zero_stage < 3), part.copies, 1).astype(np.float64),
    )
    computing = step_compute_s(m, compute)
    moving = step_bandwidth_s(
        m,
        bandwidth,
        moved,
        leaf(
            equipment.devices.bandwidth_bytes_per_s[who],
            "memory_bandwidth_bytes_per_s",
            "bytes/s",
            "catalogue: accelerator",
        ),
        facts.sustained_bandwidth,
    )
    so_far = computing + moving + tensor + data + pipeline + expert + idle + waits
    feeding = input_wait_s(job.tokens_per_step, input_tokens_per_s, so_far)
    total = step_total_s(computing, moving, tensor, data, pipeline, expert, idle, waits, feeding)
    return TrainingStep(
        computing, moving, tensor, data, pipeline, expert, idle, waits, feeding, total, passes.astype(np.float64)
    )


def _stage_compute(
    job: TrainingJob,
    layouts: TrainingLayouts,
    times: PassTime,
    share: Floats,
    head_share: Floats,
    passes: Floats,
    equipment: Equipment,
) -> Floats:
    """Attention's backward pass is slower than its FLOPs say, so its kernels count with their own factor."""
    facts, numbers = job.framework, job.numbers
    peak = leaf(
        equipment.devices.peak_flop_per_s[layouts.accelerator, job.compute_index],
        "peak_flop_per_s",
        "flop/s",
        "catalogue: accelerator, dense peak of the recipe",
    )
    recomputes_scores = (layouts.recompute == 1) & (not job.has_flash_attention)
    attention_passes = 1.0 + facts.attention_backward + (layouts.recompute == 2) + recomputes_scores
    kernel_s = times.product_compute_s + times.attention_compute_s * attention_passes / passes
    sequences = layouts.micro_batch.astype(np.float64)
    tokens = sequences * job.sequence_tokens / layouts.context_parallel / layouts.tensor_parallel
    per_token = numbers.flop_per_token - numbers.head_flop_per_token
    flop = leaf(per_token * tokens, "layer_flop", "flop", "model: forward FLOPs of a micro-batch's share on one device")
    efficiency = kernel_efficiency(flop, kernel_s, peak)
    head = head_share * (1 + job.backward_share) * times.head_compute_s
    return stage_compute_s(
        share, flop, peak, efficiency, passes, head,
        leaf(facts.sustained_compute, "sustained", "", f"training calibration: {facts.name}"),
        leaf(job.thermal_derate, "thermal_derate", "", "scenario"),
        leaf(job.recipe_facts.compute_share, "recipe_share", "", f"training calibration: {job.recipe}"),
    )  # fmt: skip


def _slowest_stage(job: TrainingJob, layouts: TrainingLayouts, times: PassTime) -> tuple[Floats, Floats]:
    """Share of the model's layers that the slowest stage runs, and whether it runs the head (1) or not (0)."""
    layers = max(job.numbers.layers, 1)
    p = layouts.pipeline_parallel
    full = np.ceil(layers / p)
    last = np.maximum(1.0, layers - (p - 1) * full)
    body = times.product_compute_s + times.product_memory_s + times.attention_compute_s + times.attention_memory_s
    body = (body + times.elementwise_s) / layers
    head = times.head_compute_s + times.head_memory_s
    is_last = (p == 1) | (last * body + head > full * body)
    return np.where(is_last, last, full) / layers, is_last.astype(np.float64)


def _stream_bytes(job: TrainingJob, layouts: TrainingLayouts) -> Floats:
    """A micro-batch's residual stream on one device. [bytes]"""
    tokens = layouts.micro_batch * job.sequence_tokens / (layouts.context_parallel * layouts.tensor_parallel)
    return np.asarray(job.stream_bytes * tokens * job.numbers.hidden)


def p_stride(layouts: TrainingLayouts) -> Integers:
    """Devices of one stage: how far apart neighbouring stages' ranks are."""
    return layouts.devices // layouts.pipeline_parallel


def _tensor(job: TrainingJob, layouts: TrainingLayouts, m: Floats, share: Floats, wires: Wires) -> Floats:
    ways = layouts.tensor_parallel
    inside = ranks_in_domain(ways, np.ones_like(ways), wires.domain_devices)
    message = _stream_bytes(job, layouts) * ways
    once = half_exchange_s(message, ways, inside, wires)
    sums = sum(
        one.count for one in (*operations(job.model), *encoder_operations(job.model)) if isinstance(one, AllReduce)
    )
    count = share * sums * (2.0 + (layouts.recompute == 2))
    overlap = leaf(job.framework.tensor_overlap, "overlap", "", f"training calibration: {job.framework.name}")
    return tensor_communication_s(m, count, once, overlap)


def _expert(
    job: TrainingJob, layouts: TrainingLayouts, m: Floats, share: Floats, wires: Wires, times: PassTime
) -> Floats:
    numbers, facts = job.numbers, job.framework
    ways = layouts.expert_parallel
    inside = ranks_in_domain(ways, np.ones_like(ways), wires.domain_devices)
    sent = _stream_bytes(job, layouts) * numbers.top_k
    once = all_to_all_s(sent, ways, inside, wires)
    count = share * numbers.moe_layers * 2.0 * (2.0 + (layouts.recompute == 2))
    ring = np.zeros(len(layouts))
    c = layouts.context_parallel
    if bool((c > 1).any()):
        near = ranks_in_domain(c, layouts.tensor_parallel, wires.domain_devices)
        keys = 2.0 * job.stream_bytes * numbers.kv_width * layouts.micro_batch * job.sequence_tokens
        around = 3.0 * half_exchange_s(keys / layouts.tensor_parallel, c, near, wires)
        cover = share * (1.0 + facts.attention_backward) * times.attention_compute_s
        ring = exposed_s(around * share, cover, facts.tensor_overlap)
    return expert_communication_s(m, count, once, ring, facts.expert_overlap)


def _data(
    job: TrainingJob,
    layouts: TrainingLayouts,
    memory: TrainingMemory,
    part: Shards,
    wires: Wires,
    m: Floats,
    slot: Floats,
) -> Floats:
    """Gradients are summed once per step, weights gathered after a divided update; ZeRO-3 does both every pass."""
    state, facts = job.state, job.framework
    stride = layouts.tensor_parallel
    inside = ranks_in_domain(part.copies, stride, wires.domain_devices)
    expert_stride = np.maximum(stride, part.expert_ways)
    expert_inside = ranks_in_domain(part.expert_copies, expert_stride, wires.domain_devices)
    scale = job.trained_parameters / max(job.numbers.parameters, 1.0)

    def exchange(bytes_per_parameter: float) -> Floats:
        dense = half_exchange_s(bytes_per_parameter * part.dense_layers, part.copies, inside, wires)
        expert = half_exchange_s(bytes_per_parameter * part.experts, part.expert_copies, expert_inside, wires)
        return np.asarray(dense + expert * (job.numbers.expert_parameters > 0))

    gradients, weights = exchange(state.gradients * scale), exchange(state.weights)
    zero = layouts.zero_stage
    once = np.where(zero == 0, 2.0 * gradients, gradients + weights * scale)
    every = np.where(zero >= 3, m * (2.0 * weights + gradients), once)
    cover = facts.data_overlap * slot * np.where(zero >= 3, m, 1.0)
    return exposed_s(every, cover, facts.data_overlap)
