"""Time of one forward pass of a serving replica, by resource, for any number of candidates and any mix of work.

The pass is the sum of its operations; each is bound by compute, memory bandwidth or its floor, as measured kernels are,
and collectives and host time come on top. Work enters as `StepWork`; candidates as `Replica` arrays; both broadcast, so
a grid of loads (leading axis) times all candidates (last axis) is one call.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.communication import all_reduce_time_s, fabric_of
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.formula import formula, leaf
from gpuplanner_gui.engine.kernels import Kernels
from gpuplanner_gui.engine.load.arrays import as_floats
from gpuplanner_gui.engine.operation_time import (
    DecodeAttentionParameters,
    Device,
    ElementwiseParameters,
    GemmParameters,
    OperationTime,
    PrefillAttentionParameters,
    decode_attention_time,
    elementwise_time,
    gemm_time,
    overlapped,
    prefill_attention_time,
)
from gpuplanner_gui.engine.operations import (
    AllReduce,
    AttentionCore,
    Dispatch,
    Elementwise,
    Experts,
    Gemm,
    LatentCore,
    Operation,
    StateCore,
)
from gpuplanner_gui.engine.precision import PRECISION_INDEX, cache_bytes_per_value, weight_bytes_per_value
from gpuplanner_gui.engine.serving_candidates import ServingCandidates

Floats = NDArray[np.float64]
BF16 = PRECISION_INDEX["bf16"]
NARROW_CACHE = np.array([1.0 if size < 2 else 0.0 for size in cache_bytes_per_value()])
UNLIMITED = np.inf


@dataclass(frozen=True)
class StepWork:
    """What one pass works on, over the whole replica; arrays broadcast against the candidates."""

    decode_sequences: Floats
    decode_context_tokens: Floats
    prefill_tokens: Floats
    prefill_sequences: Floats
    prefill_cached_tokens: Floats
    """Tokens of each prompt that are already in the cache: prefix hits and earlier chunks."""

    @property
    def tokens(self) -> Floats:
        return self.decode_sequences + self.prefill_tokens


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
class Replica:
    """What the candidates are to the kernels: shares, device, parameters; every array has the candidates' shape."""

    tensor_parallel: Floats
    pipeline_parallel: Floats
    weight_bytes: Floats
    activation_bytes: Floats
    cache_bytes: Floats
    device: Device
    """Peak at the weights' precision."""
    wide_device: Device
    """Peak at 16 bits."""
    gemm: GemmParameters
    wide_gemm: GemmParameters
    prefill: PrefillAttentionParameters
    decode: DecodeAttentionParameters
    elementwise: ElementwiseParameters
    link_bytes_per_s: Floats
    link_latency_s: Floats
    expert_bytes: Floats

    def __len__(self) -> int:
        return len(self.tensor_parallel)


def replica_arrays(candidates: ServingCandidates, devices: DeviceTable, kernels: Kernels) -> Replica:
    """Gather everything that the kernels need to know about each candidate."""
    who, weights = candidates.accelerator, candidates.weight_precision
    specification = "catalogue: accelerator"
    peak = leaf(devices.peak_flop_per_s[who, weights], "peak_flop_per_s", "FLOP/s", specification)
    wide_peak = leaf(devices.peak_flop_per_s[who, BF16], "peak_flop_per_s at 16 bits", "FLOP/s", specification)
    bandwidth = leaf(devices.bandwidth_bytes_per_s[who], "bandwidth_bytes_per_s", "bytes/s", specification)
    units = kernels.compute_units[who]
    native = ~devices.is_emulated[who, weights] & (weight_bytes_per_value()[weights] < 2)
    weight_only = weights == PRECISION_INDEX["int4"]
    narrow = NARROW_CACHE[candidates.kv_precision].astype(np.int64)
    link_rate, link_latency = fabric_of(candidates, devices)
    bytes_per_weight = weight_bytes_per_value()[weights]
    return Replica(
        tensor_parallel=candidates.tensor_parallel.astype(np.float64),
        pipeline_parallel=candidates.pipeline_parallel.astype(np.float64),
        weight_bytes=bytes_per_weight,
        activation_bytes=np.where(native & ~weight_only, np.minimum(bytes_per_weight, 2.0), 2.0),
        cache_bytes=cache_bytes_per_value()[candidates.kv_precision],
        device=Device(peak, bandwidth, units),
        wide_device=Device(wide_peak, bandwidth, units),
        gemm=kernels.gemm_of(who, weights),
        wide_gemm=kernels.gemm_of(who, np.full_like(weights, BF16)),
        prefill=kernels.prefill_of(who, narrow),
        decode=kernels.decode_of(who, narrow),
        elementwise=kernels.elementwise_of(who),
        link_bytes_per_s=link_rate,
        link_latency_s=link_latency,
        expert_bytes=bytes_per_weight,
    )


@dataclass
class _Sums:
    compute_s: Any = 0.0
    bandwidth_s: Any = 0.0
    interconnect_s: Any = 0.0
    launch_s: Any = 0.0

    def add(self, count: float, time: OperationTime) -> None:
        self.compute_s = self.compute_s + count * time.compute_s
        self.bandwidth_s = self.bandwidth_s + count * time.memory_s
        self.launch_s = self.launch_s + count * time.floor_s


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
        Host overheads.

    Returns
    -------
    StepTimes, broadcast shape. [s]

    Notes
    -----
    A pipeline works on as many micro-batches as it has stages: each stage sees that share of sequences and prompt
    tokens, and a token passes all stages in turn. Floors of kernels count as host and launch time.
    """
    sums = _Sums()
    share = _stage_share(work, replica)
    for operation in operations:
        _TIMED[type(operation)](operation, share, replica, sums)
    layers = sum(
        operation.count for operation in operations if isinstance(operation, Elementwise) and "norms" in operation.code
    )
    host_s = sums.launch_s + host_time_s(work, layers, sums.compute_s + sums.bandwidth_s + sums.launch_s, engine)
    hops = (replica.pipeline_parallel - 1) * replica.link_latency_s
    return StepTimes(*np.broadcast_arrays(sums.compute_s, sums.bandwidth_s, sums.interconnect_s + hops, host_s))


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


def _stage_share(work: StepWork, replica: Replica) -> StepWork:
    stages = replica.pipeline_parallel
    return StepWork(
        work.decode_sequences / stages,
        work.decode_context_tokens,
        work.prefill_tokens / stages,
        work.prefill_sequences / stages,
        work.prefill_cached_tokens,
    )


def _time_gemm(operation: Gemm, work: StepWork, replica: Replica, sums: _Sums) -> None:
    tp = replica.tensor_parallel
    columns, depth = as_floats(operation.columns), as_floats(operation.depth)
    if operation.cut == "columns":
        columns = (operation.columns - operation.kv_columns) / tp
        if operation.kv_heads:
            columns = columns + operation.kv_columns * np.ceil(operation.kv_heads / tp) / operation.kv_heads
    elif operation.cut == "depth":
        depth = operation.depth / tp
    rows = work.decode_sequences + (work.prefill_sequences if operation.on_sampled_tokens else work.prefill_tokens)
    if operation.is_quantized:
        time = gemm_time(
            rows, columns, depth, replica.weight_bytes, replica.activation_bytes, replica.device, replica.gemm
        )
    else:
        wide = as_floats(2.0)
        time = gemm_time(rows, columns, depth, wide, wide, replica.wide_device, replica.wide_gemm)
    sums.add(operation.count, time)


def _time_attention(operation: AttentionCore, work: StepWork, replica: Replica, sums: _Sums) -> None:
    tp = replica.tensor_parallel
    heads, kv_heads = operation.heads / tp, np.ceil(operation.kv_heads / tp)
    window = float(operation.window_tokens or UNLIMITED)
    reach = float(operation.selected_tokens or UNLIMITED)
    head_dim = as_floats(operation.head_dim)
    decoding = work.decode_sequences > 0
    decode = decode_attention_time(
        work.decode_sequences, work.decode_context_tokens, as_floats(min(window, reach)), heads, kv_heads, head_dim,
        replica.cache_bytes, replica.wide_device, replica.decode,
    )  # fmt: skip
    sums.add(operation.count, _where(decoding, decode))
    prefilling = work.prefill_tokens > 0
    prefill = prefill_attention_time(
        np.maximum(work.prefill_sequences, 1e-9), work.prefill_tokens / np.maximum(work.prefill_sequences, 1e-9),
        work.prefill_cached_tokens, as_floats(min(window, reach)), heads, kv_heads, head_dim, replica.cache_bytes,
        replica.wide_device, replica.prefill, operation.is_causal,
    )  # fmt: skip
    sums.add(operation.count, _where(prefilling, prefill))


def _time_latent(operation: LatentCore, work: StepWork, replica: Replica, sums: _Sums) -> None:
    """Decode reads one latent vector per token for all heads; prefill attends with expanded heads."""
    tp = replica.tensor_parallel
    heads = operation.heads / tp
    latent = as_floats((operation.latent_dim + operation.rope_dim) / 2)
    reach = as_floats(operation.selected_tokens or UNLIMITED)
    decode = decode_attention_time(
        work.decode_sequences, work.decode_context_tokens, reach, heads * 2, np.ones_like(tp), latent,
        replica.cache_bytes, replica.wide_device, replica.decode,
    )  # fmt: skip
    sums.add(operation.count, _where(work.decode_sequences > 0, decode))
    average = as_floats((operation.nope_dim + operation.rope_dim + operation.value_dim) / 2)
    prefill = prefill_attention_time(
        np.maximum(work.prefill_sequences, 1e-9), work.prefill_tokens / np.maximum(work.prefill_sequences, 1e-9),
        work.prefill_cached_tokens, reach, heads, heads, average, replica.cache_bytes, replica.wide_device,
        replica.prefill,
    )  # fmt: skip
    sums.add(operation.count, _where(work.prefill_tokens > 0, prefill))


def experts_touched(tokens: Floats, experts: float, top_k: float) -> Floats:
    """Mean number of different experts that a batch uses: E (1 - (1 - k/E)^n), for even routing."""
    return np.asarray(experts * -np.expm1(tokens * np.log1p(-min(top_k / experts, 1.0 - 1e-12))))


def _time_experts(operation: Experts, work: StepWork, replica: Replica, sums: _Sums) -> None:
    tokens = work.tokens
    per_expert = float(operation.matrices * operation.hidden * operation.size)
    touched = experts_touched(tokens, operation.experts, operation.top_k)
    flop = 2.0 * tokens * operation.top_k * per_expert / replica.tensor_parallel
    moved = touched * per_expert * replica.expert_bytes / replica.tensor_parallel
    moved = moved + 2.0 * tokens * operation.top_k * (2 * operation.hidden + operation.size / replica.tensor_parallel)
    parameters, device = replica.gemm, replica.device
    time = overlapped(
        2 * parameters.floor_s,
        flop / (device.peak_flop_per_s * parameters.compute_efficiency),
        moved / (device.bandwidth_bytes_per_s * parameters.memory_efficiency),
        parameters.overlap_loss,
    )
    sums.add(operation.count, time)


def _time_state(operation: StateCore, work: StepWork, replica: Replica, sums: _Sums) -> None:
    sequences = work.decode_sequences + work.prefill_sequences
    moved = 2.0 * operation.state_bytes * sequences / replica.tensor_parallel
    flop = operation.flop_per_token * work.tokens / replica.tensor_parallel
    memory = elementwise_time(moved, replica.wide_device, replica.elementwise)
    compute_s = flop / (replica.wide_device.peak_flop_per_s * replica.wide_gemm.compute_efficiency * 0.25)
    sums.add(operation.count, OperationTime(memory.floor_s, compute_s, memory.memory_s))


def _time_elementwise(operation: Elementwise, work: StepWork, replica: Replica, sums: _Sums) -> None:
    share = replica.tensor_parallel if operation.is_sharded else 1.0
    time = elementwise_time(operation.bytes_per_token * work.tokens / share, replica.wide_device, replica.elementwise)
    sums.add(operation.count, OperationTime(time.floor_s * operation.calls, time.compute_s, time.memory_s))


def _time_all_reduce(operation: AllReduce, work: StepWork, replica: Replica, sums: _Sums) -> None:
    message = 2.0 * operation.values_per_token * work.tokens
    time_s = all_reduce_time_s(message, replica.tensor_parallel, replica.link_bytes_per_s, replica.link_latency_s)
    sums.interconnect_s = sums.interconnect_s + operation.count * time_s


def _time_dispatch(operation: Dispatch, work: StepWork, replica: Replica, sums: _Sums) -> None:
    """Tensor-parallel experts see every token already; only the sort and the weighted sum are left."""
    moved = 4.0 * operation.values_per_token * operation.top_k * work.tokens / replica.tensor_parallel
    time = elementwise_time(moved, replica.wide_device, replica.elementwise)
    sums.add(operation.count, OperationTime(2 * time.floor_s, time.compute_s, time.memory_s))


def _where(mask: NDArray[np.bool_], time: OperationTime) -> OperationTime:
    return OperationTime(*(np.where(mask, getattr(time, part.name), 0.0) for part in fields(time)))


_TIMED: dict[type, Callable[[Any, StepWork, Replica, _Sums], None]] = {
    Gemm: _time_gemm,
    AttentionCore: _time_attention,
    LatentCore: _time_latent,
    Experts: _time_experts,
    StateCore: _time_state,
    Elementwise: _time_elementwise,
    AllReduce: _time_all_reduce,
    Dispatch: _time_dispatch,
}
