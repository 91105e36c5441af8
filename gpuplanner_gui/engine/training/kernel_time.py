"""Time of one forward pass of all layers for a micro-batch on one device, from measured kernels.

Sums over the operations of the model; arrays have one entry per (accelerator, sharding, micro-batch). The floors of
kernels count as memory time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.kernels import Kernels
from gpuplanner_gui.engine.operation_time import (
    Device,
    ElementwiseParameters,
    GemmParameters,
    OperationTime,
    PrefillAttentionParameters,
    elementwise_time,
    gemm_time,
    prefill_attention_time,
)
from gpuplanner_gui.engine.operations import (
    AttentionCore,
    Dispatch,
    Elementwise,
    Experts,
    Gemm,
    LatentCore,
    StateCore,
    encoder_operations,
    operations,
)
from gpuplanner_gui.engine.training.job import UNPACK_BYTES_PER_VALUE, TrainingJob

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

STATE_COMPUTE_SHARE = 0.25
"""Recurrent kernels reach about a quarter of what matrix products do."""
LOSS_BYTES_PER_LOGIT = 16.0
"""Cross entropy reads 16-bit logits, writes and reads FP32 ones, and writes their gradient."""


@dataclass(frozen=True)
class Shape:
    """What a kernel sees of a layout; arrays of one length."""

    accelerator: Integers
    tensor_parallel: Floats
    context_parallel: Floats
    expert_parallel: Floats
    sequences: Floats
    tokens: Floats
    """On one device: sequences times sequence length over context parallelism."""


@dataclass(frozen=True)
class Machine:
    """Device and kernel parameters per entry of a `Shape`."""

    narrow: Device
    """At the rate of the recipe's products."""
    wide: Device
    gemm: GemmParameters
    wide_gemm: GemmParameters
    attention: PrefillAttentionParameters
    elementwise: ElementwiseParameters


@dataclass(frozen=True)
class PassTime:
    """Seconds of a forward pass through all layers of the model, by kind of kernel."""

    product_compute_s: Floats
    product_memory_s: Floats
    attention_compute_s: Floats
    attention_memory_s: Floats
    elementwise_s: Floats
    head_compute_s: Floats
    head_memory_s: Floats


class _Sums:
    def __init__(self, count: int) -> None:
        self.compute = np.zeros(count)
        self.memory = np.zeros(count)

    def add(self, times: float, time: OperationTime) -> None:
        self.compute = self.compute + times * time.compute_s
        self.memory = self.memory + times * (time.floor_s + time.memory_s)


def machine_of(job: TrainingJob, accelerator: Integers, devices: DeviceTable, kernels: Kernels) -> Machine:
    """Rates and measured efficiency of the recipe on each accelerator."""
    narrow, wide = np.int64(job.compute_index), np.int64(job.wide_index)
    bandwidth, units = devices.bandwidth_bytes_per_s[accelerator], kernels.compute_units[accelerator]
    return Machine(
        Device(devices.peak_flop_per_s[accelerator, narrow], bandwidth, units),
        Device(devices.peak_flop_per_s[accelerator, wide], bandwidth, units),
        kernels.gemm_of(accelerator, np.broadcast_to(narrow, accelerator.shape)),
        kernels.gemm_of(accelerator, np.broadcast_to(wide, accelerator.shape)),
        kernels.prefill_of(accelerator, np.zeros_like(accelerator)),
        kernels.elementwise_of(accelerator),
    )


def forward_pass(job: TrainingJob, shape: Shape, machine: Machine) -> PassTime:
    """One forward pass of a micro-batch through the whole model, as if one device ran all of its layers."""
    count = len(shape.accelerator)
    products, cores, head, moved = _Sums(count), _Sums(count), _Sums(count), np.zeros(count)
    for operation in (*operations(job.model), *encoder_operations(job.model)):
        if isinstance(operation, Gemm):
            time = _gemm(job, operation, shape, machine)
            (head if operation.code == "head" else products).add(operation.count, time)
        elif isinstance(operation, Experts):
            products.add(operation.count, _experts(job, operation, shape, machine))
        elif isinstance(operation, (AttentionCore, LatentCore)):
            cores.add(operation.count, _attention(job, operation, shape, machine))
        elif isinstance(operation, StateCore):
            cores.add(operation.count, _state(operation, shape, machine))
        elif isinstance(operation, Elementwise):
            time = _elementwise(operation, shape, machine)
            moved = moved + operation.count * operation.calls * time.floor_s + operation.count * time.memory_s
        elif isinstance(operation, Dispatch):
            traffic = 4.0 * operation.values_per_token * operation.top_k * shape.tokens / shape.tensor_parallel
            time = elementwise_time(traffic, machine.wide, machine.elementwise)
            moved = moved + operation.count * time.total
    if job.numbers.vocabulary:
        logits = LOSS_BYTES_PER_LOGIT * job.numbers.vocabulary * shape.tokens / shape.tensor_parallel
        head.add(1.0, elementwise_time(logits, machine.wide, machine.elementwise))
    return PassTime(
        products.compute, products.memory, cores.compute, cores.memory, moved, head.compute, head.memory
    )  # fmt: skip


def _gemm(job: TrainingJob, operation: Gemm, shape: Shape, machine: Machine) -> OperationTime:
    ways = shape.tensor_parallel
    columns = operation.columns / (ways if operation.cut == "columns" else 1.0)
    depth = operation.depth / (ways if operation.cut == "depth" else 1.0)
    if not operation.is_quantized:
        return gemm_time(shape.tokens, columns, depth, 2.0, 2.0, machine.wide, machine.wide_gemm)
    size = job.product_bytes
    time = gemm_time(shape.tokens, columns, depth, size, size, machine.narrow, machine.gemm)
    extra = job.recipe_facts.cast_bytes_per_value * (columns * depth + (columns + depth) * shape.tokens) / 3.0
    if job.method == "qlora":
        extra = extra + UNPACK_BYTES_PER_VALUE * columns * depth
    return OperationTime(time.floor_s, time.compute_s, time.memory_s + _traffic_s(extra, machine))


def _traffic_s(traffic: Floats, machine: Machine) -> Floats:
    rate = machine.wide.bandwidth_bytes_per_s * machine.elementwise.memory_efficiency
    return np.asarray(traffic / rate)


def _experts(job: TrainingJob, operation: Experts, shape: Shape, machine: Machine) -> OperationTime:
    """Grouped products: the local experts, each with its even share of the tokens of all ranks that feed it."""
    is_spread = shape.expert_parallel > 1
    local = np.maximum(1.0, np.where(is_spread, operation.experts / shape.expert_parallel, operation.experts))
    size = operation.size / np.where(is_spread, 1.0, shape.tensor_parallel)
    pairs = shape.tokens * operation.top_k / np.where(is_spread, shape.tensor_parallel, 1.0)
    rows = pairs / local
    width = job.product_bytes
    inner = [
        gemm_time(rows, columns, depth, width, width, machine.narrow, machine.gemm)
        for columns, depth in (((operation.matrices - 1) * size, operation.hidden), (operation.hidden, size))
    ]
    return OperationTime(
        inner[0].floor_s + inner[1].floor_s,
        local * (inner[0].compute_s + inner[1].compute_s),
        local * (inner[0].memory_s + inner[1].memory_s),
    )


def _attention(
    job: TrainingJob, operation: AttentionCore | LatentCore, shape: Shape, machine: Machine
) -> OperationTime:
    """Context parallelism shares the queries of a sequence evenly."""
    ways = shape.tensor_parallel
    length = np.float64(job.sequence_tokens)
    if isinstance(operation, AttentionCore):
        heads, kv_heads = operation.heads / ways, np.maximum(1.0, operation.kv_heads / ways)
        head_dim, causal = float(operation.head_dim), operation.is_causal
        window = float(operation.window_tokens or np.inf)
    else:
        heads = kv_heads = operation.heads / ways
        head_dim, causal, window = (operation.nope_dim + operation.rope_dim + operation.value_dim) / 2, True, np.inf
    if operation.selected_tokens:
        window = min(window, float(operation.selected_tokens))
    time = prefill_attention_time(
        shape.sequences, length, np.float64(0.0), np.float64(window), heads, kv_heads, np.float64(head_dim),
        np.float64(2.0), machine.wide, machine.attention, causal,
    )  # fmt: skip
    shared = shape.context_parallel
    memory = time.memory_s / shared
    if not job.has_flash_attention:
        scores = shape.sequences * heads * length * min(float(length), window)
        memory = memory + _traffic_s(UNFUSED_BYTES_PER_SCORE * scores / shared, machine)
    return OperationTime(time.floor_s, time.compute_s / shared, memory)


UNFUSED_BYTES_PER_SCORE = 13.0
"""Scores written and read, softmax written and read, dropout with its mask: at 2 bytes and 1."""


def _state(operation: StateCore, shape: Shape, machine: Machine) -> OperationTime:
    flop = operation.flop_per_token * shape.tokens / shape.tensor_parallel
    rate = machine.wide.peak_flop_per_s * machine.wide_gemm.compute_efficiency * STATE_COMPUTE_SHARE
    zero = np.zeros_like(flop)
    return OperationTime(zero, flop / rate, zero)


def _elementwise(operation: Elementwise, shape: Shape, machine: Machine) -> OperationTime:
    """With tensor parallelism norms and residuals are cut along the sequence, the rest along the heads."""
    traffic = operation.bytes_per_token * shape.tokens / shape.tensor_parallel
    return elementwise_time(traffic, machine.wide, machine.elementwise)
