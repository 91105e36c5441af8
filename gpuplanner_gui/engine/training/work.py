"""What a training step has to do, per layout, before any fitted figure: kernel times, exchanges, counts."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.explaining.formula import leaf
from gpuplanner_gui.engine.hardware.devices import OF_HOST_LINK, DeviceTable
from gpuplanner_gui.engine.kernels.choice import Kernels
from gpuplanner_gui.engine.model.operations import AllReduce
from gpuplanner_gui.engine.training.communication import (
    Cluster,
    Wires,
    all_to_all_s,
    expert_exchange_s,
    half_exchange_s,
    ranks_together,
    send_s,
)
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.kernel_time import PassShape, PassTime, gathered_pass, machine_of, pass_time
from gpuplanner_gui.engine.training.layouts import DUALPIPE, IDLE_SHARE, ON_HOST, TrainingLayouts
from gpuplanner_gui.engine.training.memory import micro_batches, waiting_bytes
from gpuplanner_gui.engine.training.model_numbers import training_operations
from gpuplanner_gui.engine.training.rates import TrainingPaces
from gpuplanner_gui.engine.training.state_memory import (
    Shards,
    StateMemory,
    are_weights_streamed,
    end_parameters,
    fullest_stage_layers,
    may_stream_weights,
    state_memory,
    updated_bytes,
)
from gpuplanner_gui.engine.training.step_parts import offloaded_update_s, optimizer_bytes, streamed_s

HOST_LINK_SHARE = 0.8
"""Of PCIe's rate that copies of whole shards reach."""
UNSTATED_LINK_BYTES_PER_S = 16e9
RING_PASSES = 3.0
"""Keys and values travel once forward, and with their gradients twice as far back."""


@dataclass(frozen=True)
class Equipment:
    """What layouts run on: devices, their kernels, their wiring."""

    devices: DeviceTable
    kernels: Kernels
    space_kernels: Kernels
    """Where state-space layers were timed."""
    cluster: Cluster
    paces: TrainingPaces
    host_update_bytes_per_s: float
    """State that a device's share of the host updates, in host memory."""
    nvme_bytes_per_s: float
    """Of a device's share of NVMe, read and written."""
    opaque_efficiency: float
    """Share of the peak that a model reaches which is not made of known layers."""
    slow_device_share: float = 1.0
    """Speed of the slowest device over the others', for which every step waits."""


@dataclass(frozen=True)
class TrainingStepWork:
    """One entry per layout. Times are those of measured kernels and usual links; a pass is that of one micro-batch."""

    times: PassTime
    micro_batches: Floats
    pipeline_parallel: Integers
    virtual_stages: Integers
    idle_share: Floats
    hides_experts: NDArray[np.bool_]
    """Whether tokens travel to their experts while other micro-batches compute."""
    model_layers: Floats
    launched_layers: Floats
    """Layers whose kernels the framework's host time was fitted to; blocks of models without tokens are not among
    them."""
    expert_layer_share: Floats
    """Of the layers, those with experts."""
    full_stage_layers: Floats
    last_stage_layers: Floats
    """The last stage runs the output matrix as well."""
    full_share: Floats
    """Of the layers, recomputed in full."""
    selective_share: Floats
    """Of the layers, recomputed selectively."""
    selects_scores: Floats
    """1 where selective recomputation rebuilds attention scores, 0 where outputs of norms and activations."""
    backward_share: Floats
    """FLOPs of the backward pass over the forward's."""
    layer_flop: Floats
    """Forward FLOPs of all layers, a micro-batch's share on one device."""
    peak_flop_per_s: Floats
    bandwidth_bytes_per_s: Floats
    compute_pace: Floats
    """Of the kernels' pace that the accelerator sustains."""
    attention_pace: Floats
    thermal_derate: Floats
    slow_device_share: Floats
    tensor_half_s: Floats
    tensor_sums: Floats
    """All-reduces of a pass through the whole model."""
    send_s: Floats
    all_to_all_s: Floats
    all_to_alls: Floats
    ring_s: Floats
    """Keys and values around the context-parallel ring, for one pass through the whole model."""
    data_exchange_s: Floats
    """Gradients and weights among copies, the whole step."""
    covering_passes: Floats
    """Micro-batches whose passes can hide the exchange."""
    optimizer_bytes: Floats
    offload_s: Floats
    """Gradients to the host, the update there, weights back."""
    streamed_s: Floats
    """Of a pass, what travels between host and device: offloaded weights and activations."""
    tokens_per_step: Floats
    input_tokens_per_s: Floats


def step_work(
    job: TrainingJob,
    layouts: TrainingLayouts,
    state: StateMemory,
    part: Shards,
    equipment: Equipment,
    input_tokens_per_s: Floats,
) -> TrainingStepWork:
    """The work of layouts with every choice made."""
    wires = wires_of(equipment.cluster, layouts)
    m = micro_batches(
        leaf(float(job.global_sequences), "global_sequences", "seq", "scenario: global batch"),
        layouts.micro_batch,
        layouts.data_parallel,
    )
    full_layers, last_layers = _stage_layers(job, layouts)
    tokens = layouts.micro_batch * job.sequence_tokens / (layouts.context_parallel * layouts.tensor_parallel)
    per_token = job.numbers.flop_per_token - job.numbers.head_flop_per_token
    exchange, covering = _data_exchange(job, layouts, part, wires, m)
    full = np.where(layouts.recompute == 2, layouts.recompute_share, 0.0)
    return TrainingStepWork(
        times=pass_times(job, layouts, equipment),
        micro_batches=m,
        pipeline_parallel=layouts.pipeline_parallel,
        virtual_stages=layouts.virtual_stages,
        idle_share=IDLE_SHARE[layouts.schedule],
        hides_experts=layouts.schedule == DUALPIPE,
        model_layers=_same(max(job.numbers.layers, 1), layouts),
        launched_layers=_same(max(job.numbers.parted_layers, 1), layouts),
        full_stage_layers=full_layers,
        last_stage_layers=last_layers,
        full_share=full,
        selective_share=(layouts.recompute == 1).astype(np.float64),
        selects_scores=_same(float(not job.has_flash_attention), layouts),
        backward_share=_same(job.backward_share, layouts),
        layer_flop=leaf(per_token * tokens, "layer_flop", "flop", "model: forward FLOPs of a micro-batch's share"),
        **_device_rates(job, layouts, equipment),
        expert_layer_share=_same(job.numbers.moe_layers / max(job.numbers.layers, 1), layouts),
        thermal_derate=leaf(_same(job.thermal_derate, layouts), "thermal_derate", "share", "scenario"),
        tensor_half_s=_tensor_half(job, layouts, wires),
        tensor_sums=_all_reduces(job) * (2.0 + full),
        send_s=send_s(_stream_bytes(job, layouts), wires),
        all_to_all_s=_all_to_all(job, layouts, wires),
        all_to_alls=job.numbers.moe_layers * 2.0 * (2.0 + full),
        ring_s=_ring(job, layouts, wires),
        data_exchange_s=exchange,
        covering_passes=covering,
        optimizer_bytes=optimizer_bytes(
            state.master_weights + state.first_moment + state.second_moment,
            *_updated_on_device(job, layouts, part),
        ),
        offload_s=_offload(job, layouts, part, equipment),
        streamed_s=_streamed(job, layouts, part, equipment),
        tokens_per_step=leaf(_same(job.tokens_per_step, layouts), "tokens_per_step", "tok", "scenario: global batch"),
        input_tokens_per_s=input_tokens_per_s,
    )  # fmt: skip


def _device_rates(job: TrainingJob, layouts: TrainingLayouts, equipment: Equipment) -> dict[str, Floats]:
    """Peaks of the layouts' devices, and the pace that they sustain of their kernels'."""
    who, devices = layouts.accelerator, equipment.devices
    return {
        "peak_flop_per_s": leaf(
            devices.peak_flop_per_s[who, job.compute_index], "peak_flop_per_s", "flop/s",
            "catalogue: accelerator, dense peak of the recipe's format",
        ),
        "bandwidth_bytes_per_s": leaf(
            devices.bandwidth_bytes_per_s[who], "memory_bandwidth_bytes_per_s", "bytes/s", "catalogue: accelerator"
        ),
        "compute_pace": leaf(
            equipment.paces.compute[who], "sustained", "", "training calibration: the accelerator's architecture"
        ),
        "slow_device_share": leaf(
            _same(equipment.slow_device_share, layouts), "slow_device_share", "", "scenario: hardware"
        ),
        "attention_pace": equipment.paces.attention[who],
    }  # fmt: skip


def _updated_on_device(job: TrainingJob, layouts: TrainingLayouts, part: Shards) -> tuple[Floats, Floats]:
    """Gradients that an update reads and weights that it writes on the device; none where both are streamed. [bytes]"""
    gradients, weights = updated_bytes(job, part, np.maximum(*end_parameters(job, layouts)), layouts.zero_stage)
    if not may_stream_weights(job, part):
        return gradients, weights
    is_away = are_weights_streamed(job, part, layouts.zero_stage)
    return np.where(is_away, 0.0, gradients), np.where(is_away, 0.0, weights)


def _offload(job: TrainingJob, layouts: TrainingLayouts, part: Shards, equipment: Equipment) -> Floats:
    if not bool(part.is_offloaded.any()):
        return np.zeros(len(layouts))
    ends = end_parameters(job, layouts)[0]
    state = state_memory(job, part, ends, layouts.zero_stage, counts_offloaded=True)
    is_near = layouts.offload == ON_HOST
    rate = np.where(is_near, equipment.host_update_bytes_per_s, equipment.nvme_bytes_per_s)
    seconds = offloaded_update_s(
        np.add(*updated_bytes(job, part, ends, layouts.zero_stage)),
        _host_link(layouts, equipment),
        state.master_weights + state.first_moment + state.second_moment,
        leaf(rate, "update_bytes_per_s", "bytes/s", "training calibration: host or NVMe, per device"),
    )
    return seconds if bool(part.is_offloaded.all()) else np.where(part.is_offloaded, seconds, 0.0)


def _host_link(layouts: TrainingLayouts, equipment: Equipment) -> Floats:
    link = equipment.devices.host_bytes_per_s[layouts.accelerator] * HOST_LINK_SHARE
    rate: Floats = leaf(
        np.where(np.isnan(link), UNSTATED_LINK_BYTES_PER_S, link), "link_bytes_per_s", "bytes/s", OF_HOST_LINK
    )
    return rate


def _streamed(job: TrainingJob, layouts: TrainingLayouts, part: Shards, equipment: Equipment) -> Floats:
    """A rank's part of the weights comes twice in a pass and its gradients go once; activations go and come back."""
    moved = np.zeros(len(layouts))
    if may_stream_weights(job, part):
        ends = end_parameters(job, layouts)[0]
        state = state_memory(job, part, ends, layouts.zero_stage, counts_offloaded=True)
        is_streamed = are_weights_streamed(job, part, layouts.zero_stage)
        moved += np.where(is_streamed, 2.0 * state.weights + state.gradients, 0.0)
    is_away = layouts.activation_offload > 0
    if bool(is_away.any()):
        moved += np.where(is_away, 2.0 * waiting_bytes(job, layouts), 0.0)
    return streamed_s(moved, _host_link(layouts, equipment))


def _same(value: float, layouts: TrainingLayouts) -> Floats:
    return np.full(len(layouts), float(value))


def wires_of(cluster: Cluster, layouts: TrainingLayouts) -> Wires:
    """The wiring of each layout's devices."""
    accelerator = layouts.accelerator

    def read(values: Floats, name: str) -> Floats:
        found: Floats = leaf(values[accelerator], name, "bytes/s", "catalogue: link, with its usual efficiency")
        return found

    return Wires(
        layouts.devices,
        cluster.domain_devices[accelerator],
        cluster.is_one_host[accelerator],
        read(cluster.scale_up_bytes_per_s, "scale_up_bytes_per_s"),
        cluster.scale_up_step_s[accelerator],
        read(cluster.network_bytes_per_s, "network_bytes_per_s"),
        cluster.network_step_s[accelerator],
    )


def pass_times(job: TrainingJob, layouts: TrainingLayouts, equipment: Equipment) -> PassTime:
    """Kernels of one micro-batch of each layout through the whole model; equal shapes are timed once."""
    key = layouts.accelerator
    shapes = (
        layouts.tensor_parallel, layouts.context_parallel, layouts.expert_parallel, layouts.expert_tensor_parallel,
        layouts.micro_batch,
    )  # fmt: skip
    for part in shapes:
        # Sizes reach 4,096, and a key stays within 64 bits.
        key = key * 8_209 + part
    _, first, back = np.unique(key, return_index=True, return_inverse=True)
    chosen = layouts.at(first)
    sequences = chosen.micro_batch.astype(np.float64)
    context = chosen.context_parallel.astype(np.float64)
    shape = PassShape(
        chosen.accelerator,
        chosen.tensor_parallel.astype(np.float64),
        context,
        chosen.expert_parallel.astype(np.float64),
        chosen.expert_tensor_parallel.astype(np.float64),
        sequences,
        sequences * job.sequence_tokens / context,
    )
    if job.numbers.is_opaque:
        return gathered_pass(_opaque_pass(job, shape, equipment), back)
    machine = machine_of(job, chosen.accelerator, equipment.devices, equipment.kernels, equipment.space_kernels)
    return gathered_pass(pass_time(job, shape, machine), back)


def _opaque_pass(job: TrainingJob, shape: PassShape, equipment: Equipment) -> PassTime:
    """A model known only by its FLOPs runs at the usual efficiency of such models, of which runs in 16 bits or wider
    are known: narrow formats are promised no gain."""
    peak = equipment.devices.peak_flop_per_s[shape.accelerator, job.wide_index]
    shares = shape.sequences / (shape.tensor_parallel * shape.context_parallel)
    forward = job.numbers.flop_per_token * shares / (peak * equipment.opaque_efficiency)
    none = {part.name: np.zeros_like(forward) for part in fields(PassTime)}
    return PassTime(**(none | {"forward_compute_s": forward, "backward_compute_s": job.backward_share * forward}))


def _stage_layers(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Layers of a full stage, and of the last one, which runs the output matrix as well."""
    layers = max(job.numbers.layers, 1)
    p = layouts.pipeline_parallel
    full = fullest_stage_layers(job, p)
    return full, np.maximum(1.0, layers - (p - 1) * full)


def _stream_bytes(job: TrainingJob, layouts: TrainingLayouts) -> Floats:
    """A micro-batch's residual stream on one device. [bytes]"""
    tokens = layouts.micro_batch * job.sequence_tokens / (layouts.context_parallel * layouts.tensor_parallel)
    return np.asarray(job.stream_bytes * tokens * job.numbers.hidden)


def _all_reduces(job: TrainingJob) -> float:
    return float(sum(one.count for one in training_operations(job.model) if isinstance(one, AllReduce)))


def _tensor_half(job: TrainingJob, layouts: TrainingLayouts, wires: Wires) -> Floats:
    ways = layouts.tensor_parallel
    if bool((ways == 1).all()):
        return np.zeros(len(layouts))
    inside = ranks_together(ways, np.ones_like(ways), wires)
    return half_exchange_s(_stream_bytes(job, layouts) * ways, ways, inside, wires)


def _all_to_all(job: TrainingJob, layouts: TrainingLayouts, wires: Wires) -> Floats:
    """One way of tokens to their experts: to the devices that hold these, then to all that share each of them."""
    ways, shared = layouts.expert_parallel, layouts.expert_tensor_parallel
    gathers = layouts.gathers_experts
    if bool((ways == 1).all()) and not bool(gathers.any()):
        return np.zeros(len(layouts))
    numbers = job.numbers
    once = _stream_bytes(job, layouts) * (numbers.dispatched_values / max(numbers.hidden * numbers.top_k, 1))
    sent = all_to_all_s(once, float(numbers.top_k), ways, ranks_together(ways, shared, wires), wires)
    if not bool(gathers.any()):
        return sent
    together = ranks_together(shared, np.ones_like(shared), wires)
    gathered = half_exchange_s(once * numbers.top_k * shared, shared, together, wires)
    return expert_exchange_s(sent, np.where(gathers, gathered, 0.0))


def _ring(job: TrainingJob, layouts: TrainingLayouts, wires: Wires) -> Floats:
    c = layouts.context_parallel
    if bool((c == 1).all()):
        return np.zeros(len(layouts))
    inside = ranks_together(c, layouts.tensor_parallel, wires)
    keys = 2.0 * job.stream_bytes * job.numbers.kv_width * layouts.micro_batch * job.sequence_tokens
    return RING_PASSES * half_exchange_s(keys / layouts.tensor_parallel, c, inside, wires)


def _data_exchange(
    job: TrainingJob, layouts: TrainingLayouts, part: Shards, wires: Wires, m: Floats
) -> tuple[Floats, Floats]:
    """Gradients are summed once per step, weights gathered after a divided update; ZeRO-2 keeps a part of the sums
    alone, and so reduces every pass, ZeRO-3 does both every pass."""
    state = job.state
    trained = job.trained_parameters / max(job.numbers.parameters, 1.0)
    expert_stride = np.maximum(layouts.tensor_parallel, part.expert_ways)
    ends = np.maximum(*end_parameters(job, layouts))
    groups = [_Group(part.dense_layers + ends, part.copies, part.cut_ways, layouts.tensor_parallel)]
    if job.numbers.expert_parameters > 0:
        groups.append(_Group(part.experts, part.expert_copies, part.expert_cut_ways, expert_stride))
    none = np.zeros(len(layouts))
    gradients = sum((_reduced(group, state.gradients * trained, wires) for group in groups), none)
    # Beside matrices in 4 bits, embeddings and head stay in 16.
    gathered = replace(groups[0], parameters=part.dense_layers + ends * (job.stream_bytes / job.gathered_bytes))
    weights = sum((_spread(group, job.gathered_bytes, wires) for group in (gathered, *groups[1:])), none)
    zero = layouts.zero_stage
    once = np.where(zero == 0, 2.0 * gradients, gradients + weights * trained)
    reduced = np.where(zero == 2, m * gradients + weights * trained, once)
    every = np.where(zero >= 3, m * (2.0 * weights + gradients), reduced)
    return every, np.where(zero >= 2, m, 1.0)


@dataclass(frozen=True)
class _Group:
    """Parameters that some ranks hold copies of, `stride` devices apart, divided over `ways` of them."""

    parameters: Floats
    copies: Integers
    ways: Integers
    stride: Integers


def _spread(group: _Group, bytes_per_parameter: float, wires: Wires) -> Floats:
    """All-gather, or reduce-scatter, over the ranks that divide state."""
    message = bytes_per_parameter * group.parameters
    return half_exchange_s(message, group.ways, ranks_together(group.ways, group.stride, wires), wires)


def _reduced(group: _Group, bytes_per_parameter: float, wires: Wires) -> Floats:
    """Reduce-scatter of gradients; with hybrid sharding, each part is then summed over the groups."""
    inside = _spread(group, bytes_per_parameter, wires)
    groups = group.copies // group.ways
    if bool((groups == 1).all()):
        return inside
    part = bytes_per_parameter * group.parameters / group.ways
    return inside + 2.0 * half_exchange_s(part, groups, np.ones(len(part)), wires)
