"""Time of the kernels that a micro-batch needs on one device, forward and backward, from measured kernels.

Sums over the operations of the whole model; arrays have one entry per (accelerator, sharding, micro-batch). The floors
of kernels count as memory time.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.kernels.choice import Kernels
from gpuplanner_gui.engine.kernels.operation_time import (
    OUTPUT_BYTES_PER_ELEMENT,
    Device,
    ElementwiseParameters,
    GemmParameters,
    OperationTime,
    PrefillAttentionParameters,
    elementwise_time,
    gemm_time,
    prefill_attention_time,
)
from gpuplanner_gui.engine.kernels.special_time import StatePrefillParameters, state_prefill_time
from gpuplanner_gui.engine.model.operations import (
    AttentionCore,
    Dispatch,
    Elementwise,
    Experts,
    Gemm,
    LatentCore,
    StateCore,
)
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.model_numbers import encoder_share, placed_operations

LOSS_BYTES_PER_LOGIT = 16.0
"""Cross entropy reads 16-bit logits, writes and reads FP32 ones, and writes their gradient."""
UNFUSED_BYTES_PER_SCORE = 13.0
"""Scores written and read, softmax written and read, dropout with its mask: at 2 bytes and 1."""
_TIMED_AS = np.int64(PRECISION_INDEX["bf16"])
"""Products in any format keep the measured shape of efficiency of 16-bit ones, at their own peak: serving's kernels in
narrow formats were timed with the rounding of their inputs, which training does once for three products."""
UP_PROJECTIONS = ("query_up", "latent_up")
"""Products of latent attention whose outputs selective recomputation does not keep (Megatron-Core, `mla_up_proj`)."""
ACCUMULATION_BYTES = 2.0
"""A gradient is read and written where it is added up: times the bytes of the accumulator."""


@dataclass(frozen=True)
class PassShape:
    """What a kernel sees of a layout; arrays of one length."""

    accelerator: Integers
    tensor_parallel: Floats
    context_parallel: Floats
    expert_parallel: Floats
    expert_tensor_parallel: Floats
    sequences: Floats
    tokens: Floats
    """Tokens on one device: sequences times sequence length over context parallelism."""


@dataclass(frozen=True)
class Machine:
    """Device and kernel parameters per entry of a `PassShape`."""

    narrow: Device
    """Device at the rate of the recipe's products."""
    wide: Device
    gemm: GemmParameters
    attention: PrefillAttentionParameters
    elementwise: ElementwiseParameters
    linear_state: StatePrefillParameters
    """Rates of linear attention."""
    space_state: StatePrefillParameters
    """Rates of state-space layers."""


@dataclass(frozen=True)
class PassTime:
    """Seconds of a micro-batch through all layers of the model, by kind of kernel, at the measured kernels' pace."""

    forward_compute_s: Floats
    """Matrix products; routed experts apart."""
    forward_memory_s: Floats
    backward_compute_s: Floats
    backward_memory_s: Floats
    expert_compute_s: Floats
    """Forward only, as are the parts below."""
    expert_memory_s: Floats
    routing_s: Floats
    """Tokens permuted for their experts and back."""
    attention_compute_s: Floats
    attention_memory_s: Floats
    state_s: Floats
    """Recurrences of linear attention and state-space layers."""
    elementwise_s: Floats
    cast_s: Floats
    """Values rounded to the recipe's format, for all three products."""
    accumulation_s: Floats
    """Gradients added up, once per micro-batch."""
    repeated_s: Floats
    """Up-projections of latent attention, which selective recomputation repeats."""
    head_compute_s: Floats
    """Output matrix and loss, forward and backward."""
    head_memory_s: Floats


class _Sums:
    def __init__(self, count: int) -> None:
        self.compute = np.zeros(count)
        self.memory = np.zeros(count)

    def add(self, times: Floats | float, time: OperationTime) -> None:
        self.compute = self.compute + times * time.compute_s
        self.memory = self.memory + times * (time.floor_s + time.memory_s)


def machine_of(
    job: TrainingJob, accelerator: Integers, devices: DeviceTable, kernels: Kernels, space_kernels: Kernels
) -> Machine:
    """Rates and measured efficiency of the recipe on each accelerator; `space_kernels` timed state-space layers."""
    narrow, wide = np.int64(job.compute_index), np.int64(job.wide_index)
    bandwidth, units = devices.bandwidth_bytes_per_s[accelerator], kernels.compute_units[accelerator]
    return Machine(
        Device(devices.peak_flop_per_s[accelerator, narrow], bandwidth, units),
        Device(devices.peak_flop_per_s[accelerator, wide], bandwidth, units),
        kernels.gemm_of(accelerator, np.broadcast_to(_TIMED_AS, accelerator.shape)),
        kernels.prefill.of(accelerator, np.zeros_like(accelerator)),
        kernels.elementwise.of(accelerator),
        kernels.state_prefill.of(accelerator),
        space_kernels.state_prefill.of(accelerator),
    )


def pass_time(job: TrainingJob, sequence: PassShape, machine: Machine) -> PassTime:
    """Kernels of one micro-batch through the whole model, as if one device ran all of its layers."""
    count = len(sequence.accelerator)
    encoder = replace(sequence, tokens=sequence.tokens * encoder_share(job.model, job.sequence_tokens))
    forward, backward, head, experts, cores, states, repeated = (_Sums(count) for _ in range(7))
    elementwise, routing, cast, weights = (np.zeros(count) for _ in range(4))
    for operation, is_of_encoder in placed_operations(job.model):
        shape = encoder if is_of_encoder else sequence
        if isinstance(operation, Gemm):
            is_head = operation.code == "head"
            _add_gemm(job, operation, shape, machine, head if is_head else forward, head if is_head else backward)
            if not is_head:
                values = operation.count * operation.columns * operation.depth / shape.tensor_parallel
                weights = weights + values
            if operation.code in UP_PROJECTIONS and job.has_flash_attention and not job.framework.selects_by_operator:
                _add_gemm(job, operation, shape, machine, repeated, _Sums(count))
            if operation.is_quantized:
                cast = cast + operation.count * _cast_values(operation, shape)
        elif isinstance(operation, Experts):
            local = operation.experts / shape.expert_parallel
            size = operation.size / shape.expert_tensor_parallel
            weights = weights + operation.count * operation.matrices * operation.hidden * size * local
            experts.add(operation.count, _experts(job, operation, shape, machine, local, size))
            elementwise = elementwise + operation.count * _expert_activation_s(operation, shape, machine)
            cast = cast + operation.count * _expert_cast_values(operation, shape, local, size)
        elif isinstance(operation, (AttentionCore, LatentCore)):
            cores.add(operation.count, _attention(job, operation, shape, machine))
        elif isinstance(operation, StateCore):
            states.add(operation.count, _state(job, operation, shape, machine))
        elif isinstance(operation, Elementwise):
            # With tensor parallelism norms and residuals are cut along the sequence, the rest along the heads.
            traffic = operation.bytes_per_token * shape.tokens / shape.tensor_parallel
            time = elementwise_time(traffic, machine.wide, machine.elementwise)
            elementwise = elementwise + operation.count * (operation.calls * time.floor_s + time.memory_s)
        elif isinstance(operation, Dispatch):
            traffic = 4.0 * operation.values_per_token * operation.top_k * shape.tokens / shape.tensor_parallel
            routing = routing + operation.count * elementwise_time(traffic, machine.wide, machine.elementwise).total
    for sums, moved_bytes in zip((forward, backward), job.adapters_moved):
        moved = moved_bytes * job.numbers.adapter_values_per_token * sequence.tokens / sequence.tensor_parallel
        sums.memory = sums.memory + _traffic_s(moved, machine)
    if job.numbers.vocabulary:
        logits = LOSS_BYTES_PER_LOGIT * job.numbers.vocabulary * sequence.tokens / sequence.tensor_parallel
        head.add(1.0, elementwise_time(logits, machine.wide, machine.elementwise))
    added = ACCUMULATION_BYTES * job.gradient_accumulation_bytes * job.weight_gradient_share * weights
    return PassTime(
        forward.compute, forward.memory, backward.compute, backward.memory, experts.compute, experts.memory, routing,
        cores.compute, cores.memory, states.compute + states.memory, elementwise,
        _traffic_s(job.cast_bytes_per_value * cast, machine),
        _traffic_s(added, machine), repeated.compute + repeated.memory, head.compute, head.memory,
    )  # fmt: skip


def gathered_pass(times: PassTime, index: Integers) -> PassTime:
    """The times at some positions."""
    return PassTime(*(getattr(times, part.name)[index] for part in fields(PassTime)))


def _add_gemm(
    job: TrainingJob, operation: Gemm, shape: PassShape, machine: Machine, forward: _Sums, backward: _Sums
) -> None:
    """The product itself, its input's gradient, and its weight's gradient for the share that is trained."""
    ways = shape.tensor_parallel
    columns = operation.columns / (ways if operation.cut == "columns" else np.ones_like(ways))
    depth = operation.depth / (ways if operation.cut == "depth" else np.ones_like(ways))
    narrow = operation.is_quantized
    device = machine.narrow if narrow else machine.wide
    size = np.asarray(job.product_bytes if narrow else job.stream_bytes)
    unpacked = job.unpacked_bytes_per_value * columns * depth if narrow else np.zeros(1)
    extra = unpacked / machine.wide.bandwidth_bytes_per_s

    def product(rows: Floats, outputs: Floats, inputs: Floats) -> OperationTime:
        time = gemm_time(rows, outputs, inputs, size, size, device, machine.gemm)
        return OperationTime(time.floor_s, time.compute_s, time.memory_s + extra)

    forward.add(operation.count, product(shape.tokens, columns, depth))
    backward.add(operation.count, product(shape.tokens, depth, columns))
    backward.add(operation.count * job.weight_gradient_share, product(columns, depth, shape.tokens))


def _cast_values(operation: Gemm, shape: PassShape) -> Floats:
    """Values rounded for the three products of a matrix: its input, its weight, its output's gradient."""
    ways = shape.tensor_parallel
    columns = operation.columns / (ways if operation.cut == "columns" else np.ones_like(ways))
    depth = operation.depth / (ways if operation.cut == "depth" else np.ones_like(ways))
    return np.asarray((columns + depth) * shape.tokens + columns * depth)


def _traffic_s(traffic: Floats, machine: Machine) -> Floats:
    rate = machine.wide.bandwidth_bytes_per_s * machine.elementwise.memory_efficiency
    return np.asarray(traffic / rate)


def _experts(
    job: TrainingJob, operation: Experts, shape: PassShape, machine: Machine, local: Floats, size: Floats
) -> OperationTime:
    """Two products of each local expert, with its even share of the tokens of all ranks that feed it.

    Frameworks run a matrix product for each, several at a time (Transformer Engine, `GroupedLinear`); serving's fused
    kernels say nothing of them.
    """
    pairs = shape.tokens * operation.top_k * shape.expert_tensor_parallel / shape.tensor_parallel
    hidden, width = np.asarray(float(operation.hidden)), np.asarray(job.product_bytes)
    sums = _Sums(len(shape.accelerator))
    for columns, depth in (((operation.matrices - 1) * size, hidden), (hidden, size)):
        sums.add(local, gemm_time(pairs / local, columns, depth, width, width, machine.narrow, machine.gemm))
    return OperationTime(np.zeros(1), sums.compute, sums.memory)


def _expert_activation_s(operation: Experts, shape: PassShape, machine: Machine) -> Floats:
    """The activation between the two products: read and written once per chosen expert."""
    pairs = shape.tokens * operation.top_k / shape.tensor_parallel
    traffic = OUTPUT_BYTES_PER_ELEMENT * operation.matrices * operation.size * pairs
    return elementwise_time(traffic, machine.wide, machine.elementwise).total


def _expert_cast_values(operation: Experts, shape: PassShape, local: Floats, size: Floats) -> Floats:
    """Values rounded for the grouped products: what enters and leaves the experts, and their weights."""
    pairs = shape.tokens * operation.top_k / shape.tensor_parallel
    rows = (2.0 * operation.hidden + operation.matrices * operation.size) * pairs
    return rows + operation.matrices * operation.hidden * size * local


def _attention(
    job: TrainingJob, operation: AttentionCore | LatentCore, shape: PassShape, machine: Machine
) -> OperationTime:
    """Context parallelism shares the queries of a sequence evenly."""
    ways = shape.tensor_parallel
    length = shape.tokens * shape.context_parallel / shape.sequences
    window = np.inf
    causal, seen = True, np.asarray(0.0)
    if isinstance(operation, AttentionCore):
        heads, kv_heads = operation.heads / ways, np.maximum(1.0, operation.kv_heads / ways)
        head_dim, causal = float(operation.head_dim), operation.is_causal
        window = float(operation.window_tokens or np.inf)
        if operation.encoder_tokens:
            # Queries see the encoder's tokens in place of their own sequence.
            seen = operation.encoder_tokens - length
    else:
        heads = kv_heads = operation.heads / ways
        head_dim = (operation.nope_dim + operation.rope_dim + operation.value_dim) / 2
    if operation.selected_tokens:
        window = min(window, float(operation.selected_tokens))
    time = prefill_attention_time(
        shape.sequences, length, seen, np.asarray(window), heads, kv_heads, np.asarray(head_dim),
        np.asarray(2.0), machine.wide, machine.attention, causal,
    )  # fmt: skip
    shared = shape.context_parallel
    memory = time.memory_s / shared
    if not job.has_flash_attention:
        scores = shape.sequences * heads * length * np.minimum(length + seen, window)
        memory = memory + _traffic_s(UNFUSED_BYTES_PER_SCORE * scores / shared, machine)
    return OperationTime(time.floor_s, time.compute_s / shared, memory)


def _state(job: TrainingJob, operation: StateCore, shape: PassShape, machine: Machine) -> OperationTime:
    ways = shape.tensor_parallel
    return state_prefill_time(
        shape.sequences,
        job.sequence_tokens / shape.context_parallel,
        operation.flop_per_token / ways,
        operation.values_per_token / ways,
        operation.state_bytes / ways,
        machine.wide,
        machine.space_state if operation.kind.startswith("mamba") else machine.linear_state,
    )
