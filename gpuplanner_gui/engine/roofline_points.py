"""Operations of a candidate as points of a roofline: arithmetic intensity and achieved rate, phase by phase."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Resource, RooflinePoint
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.load.arrays import as_floats
from gpuplanner_gui.engine.operations import (
    AllReduce,
    AttentionCore,
    Elementwise,
    Experts,
    Gemm,
    LatentCore,
    Operation,
    StateCore,
)
from gpuplanner_gui.engine.serving_grid import NO_OVERHEADS
from gpuplanner_gui.engine.serving_step import Replica, StepTimes, StepWork, experts_touched, step_times

Floats = NDArray[np.float64]

NONE = as_floats(0.0)


def serving_points(
    operations: tuple[Operation, ...],
    replica: Replica,
    engine: EngineFacts,
    batch: float,
    context_tokens: float,
    prompt_tokens: float,
) -> tuple[RooflinePoint, ...]:
    """Prefill of one prompt and a decode step at the working batch, in all and operation by operation.

    `replica` holds one candidate. FLOPs and bytes are of one device.
    """
    decode = StepWork(as_floats(batch), as_floats(context_tokens), NONE, NONE, NONE)
    prefill = StepWork(NONE, NONE, as_floats(max(prompt_tokens, 1.0)), as_floats(1.0), NONE)
    points: list[RooflinePoint] = []
    for phase, work in (("prefill", prefill), ("decode", decode)):
        parts = list(_points_of(operations, replica, phase, work))
        points.extend(parts)
        points.append(_total(parts, phase, step_times(operations, work, replica, engine)))
    return tuple(points)


def _points_of(
    operations: tuple[Operation, ...], replica: Replica, phase: str, work: StepWork
) -> Iterator[RooflinePoint]:
    for operation in operations:
        if isinstance(operation, AllReduce):
            continue
        flop, moved = flop_and_bytes(operation, work, replica)
        times = step_times((operation,), work, replica, NO_OVERHEADS)
        seconds = float(np.sum(times.total))
        if flop <= 0 or seconds <= 0 or moved <= 0:
            continue
        yield RooflinePoint(
            code=operation.code,
            phase=phase,
            intensity_flop_per_byte=flop / moved,
            achieved_flop_per_s=flop / seconds,
            time_s=seconds,
            resource=int(_resource(times)),
        )


def _total(parts: list[RooflinePoint], phase: str, times: StepTimes) -> RooflinePoint:
    """The phase as a whole: all FLOPs over all bytes, and over all of the step's time."""
    flop = sum(one.achieved_flop_per_s * one.time_s for one in parts)
    moved = sum(one.achieved_flop_per_s * one.time_s / one.intensity_flop_per_byte for one in parts)
    seconds = float(np.sum(times.total))
    return RooflinePoint(
        code="total",
        phase=phase,
        intensity_flop_per_byte=flop / max(moved, 1.0),
        achieved_flop_per_s=flop / max(seconds, 1e-12),
        time_s=seconds,
        resource=int(_resource(times)),
    )


def _resource(times: StepTimes) -> Resource:
    parts = {
        Resource.COMPUTE: times.compute_s,
        Resource.MEMORY_BANDWIDTH: times.bandwidth_s,
        Resource.INTERCONNECT: times.interconnect_s,
        Resource.HOST: times.host_s,
    }
    return max(parts, key=lambda one: float(np.sum(parts[one])))


def flop_and_bytes(operation: Operation, work: StepWork, replica: Replica) -> tuple[float, float]:
    """FLOPs and bytes of all calls of one operation in a pass, on one device; a multiply-add counts two."""
    tp = float(replica.tensor_parallel[0])
    stages = float(replica.pipeline_parallel[0])
    tokens = float(work.tokens) / stages
    decoding = float(work.decode_sequences) / stages
    count = operation.count
    if isinstance(operation, Gemm):
        share = 1.0 if operation.cut == "none" else tp
        rows = decoding + float(work.prefill_sequences) if operation.on_sampled_tokens else tokens
        per_weight = float(replica.weight_bytes[0]) if operation.is_quantized else 2.0
        weights = operation.columns * operation.depth / share
        moved = weights * per_weight + rows * (operation.columns + operation.depth) / share * 2.0
        return count * 2.0 * rows * weights, count * moved
    if isinstance(operation, (AttentionCore, LatentCore)):
        return _attention_flop_and_bytes(operation, work, replica)
    if isinstance(operation, Experts):
        size = operation.matrices * operation.hidden * operation.size / tp
        touched = float(experts_touched(as_floats(tokens), as_floats(operation.top_k), as_floats(operation.experts)))
        moved = touched * size * float(replica.expert_bytes[0]) + 4.0 * tokens * operation.top_k * operation.hidden
        return count * 2.0 * tokens * operation.top_k * size, count * moved
    if isinstance(operation, StateCore):
        sequences = decoding + float(work.prefill_sequences)
        return count * operation.flop_per_token * tokens / tp, count * 2.0 * operation.state_bytes * sequences / tp
    if isinstance(operation, Elementwise):
        share = tp if operation.is_sharded else 1.0
        moved = operation.bytes_per_token * tokens / share
        return count * moved / 4.0, count * moved
    return 0.0, 0.0


def _attention_flop_and_bytes(
    operation: AttentionCore | LatentCore, work: StepWork, replica: Replica
) -> tuple[float, float]:
    tp = float(replica.tensor_parallel[0])
    stages = float(replica.pipeline_parallel[0])
    width = float(replica.cache_bytes[0])
    heads = operation.heads / tp
    decoding, context = float(work.decode_sequences) / stages, float(work.decode_context_tokens)
    prompt = float(work.prefill_tokens) / stages
    if isinstance(operation, LatentCore):
        latent = operation.latent_dim + operation.rope_dim
        decode_flop = 2.0 * decoding * context * heads * (latent + operation.latent_dim)
        decode_bytes = decoding * context * latent * width
        dims = operation.nope_dim + operation.rope_dim + operation.value_dim
        prefill_flop = heads * dims * prompt**2
        prefill_bytes = 2.0 * prompt * heads * dims
    else:
        limit = float(operation.window_tokens or operation.selected_tokens or np.inf)
        kv_heads = max(1.0, operation.kv_heads / tp)
        reach = min(context, limit)
        decode_flop = 4.0 * decoding * reach * heads * operation.head_dim
        decode_bytes = 2.0 * decoding * reach * kv_heads * operation.head_dim * width
        prefill_flop = 4.0 * heads * operation.head_dim * prompt * min(prompt / 2, limit)
        prefill_bytes = 2.0 * prompt * operation.head_dim * (heads + 2 * kv_heads)
    return operation.count * (decode_flop + prefill_flop), operation.count * (decode_bytes + prefill_bytes)
