"""Operations of a candidate as points of a roofline: arithmetic intensity and achieved rate, phase by phase."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import BatchShares, RooflinePoint
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES, FORMATS
from gpuplanner_gui.engine.kernels.special_time import experts_touched
from gpuplanner_gui.engine.model.operations import (
    AllReduce,
    AttentionCore,
    Elementwise,
    Experts,
    Gemm,
    LatentCore,
    Operation,
    StateCore,
)
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.limiting import limits, without_padding
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.rates import WITHOUT_OVERHEADS
from gpuplanner_gui.engine.serving.replica import Replica
from gpuplanner_gui.engine.serving.step import PIPELINE_HOP_S, StepTimes, step_times
from gpuplanner_gui.engine.serving.tabulated import breakdown
from gpuplanner_gui.engine.simulation.arrays import as_floats
from gpuplanner_gui.engine.simulation.step_time import Speculation, drafted_step_s

Seconds = Sequence[float]
"""Compute, memory bandwidth, interconnect, host; the same without padding."""

NONE = as_floats(0.0)
TOTAL = "total"
"""Code of a whole phase."""
BATCHES = np.geomspace(1.0, 65_536.0, 49)
"""Batches that are looked at."""


def serving_points(
    deployed: Deployments,
    batch: Floats,
    context_tokens: float,
    prompt_tokens: float,
    drafts: Speculation | None = None,
) -> tuple[tuple[RooflinePoint, ...], ...]:
    """Prefill of one prompt and a decode step at the working batch, in all and operation by operation.

    The points of each deployment at its batch. FLOPs and bytes are of one device. With
    drafts a decode step is one that verifies them: its operations are the model's, the whole has what drafting adds.
    """
    operations, replica = deployed.operations, deployed.replica
    each = 1.0 if drafts is None else float(drafts.verified_tokens)
    # The cache is read once for all tokens of a sequence.
    decode = StepWork(batch * each, as_floats(context_tokens / each), NONE, NONE, NONE)
    prefill = StepWork(NONE, NONE, as_floats(max(prompt_tokens, 1.0)), as_floats(1.0), NONE)
    # Both phases as rows, all candidates as columns of one question: an operation takes as long for many as for one.
    both = _stacked((prefill, decode), len(batch))
    kinds = [one for one in operations if not isinstance(one, AllReduce)]
    full = replace(deployed, replica=without_padding(replica))
    timed = [
        (one, _parts_s(operation_times(one, both, replica), operation_times(one, both, full.replica), len(batch)))
        for one in kinds
    ]
    passes = [step_times(operations, both, of.replica, of.engine) for of in (deployed, full)]
    whole = _parts_s(passes[0], passes[1], len(batch))
    if drafts is not None:
        drafted = [breakdown(of, batch, context_tokens, drafts) for of in (deployed, full)]
        whole[1] = _parts_s(drafted[0], drafted[1], len(batch))[1]
    plain = (prefill, StepWork(batch, as_floats(context_tokens), NONE, NONE, NONE))
    counted = _stacked(plain, len(batch))
    found = []
    for place in range(len(batch)):
        points: list[RooflinePoint] = []
        for row, phase in enumerate(("prefill", "decode")):
            work = StepWork(*(part[row, place] for part in vars(counted).values()))
            own = [(one, seconds[row][place]) for one, seconds in timed]
            parts = _points_of(own, replica, place, phase, work, each)
            total = _total(parts, phase, whole[row][place])
            if drafts is not None and phase == "decode":
                once = _points_of(own, replica, place, phase, work, 1.0)
                total = _drafted(total, _total(once, phase, whole[row][place]), drafts)
            points.extend(shared([*parts, total]))
        found.append(tuple(points))
    return tuple(found)


def sample_points(
    deployed: Deployments, batch: Floats, sample_flop: float, weights: float, sample_bytes: float
) -> tuple[tuple[RooflinePoint, ...], ...]:
    """A pass over a batch of samples as one point of each deployment: its operations are known as a whole alone.

    Parameters
    ----------
    sample_flop : forward FLOPs of one sample. [FLOP]
    weights : parameters of the model. [1]
    sample_bytes : activations that one sample moves. [bytes]
    """
    passes = deployed.samples
    assert passes is not None
    formats = deployed.replica.formats.ffn
    flop = batch * sample_flop
    moved = weights * FORMAT_WEIGHT_BYTES[formats] + batch * sample_bytes
    compute_s, bandwidth_s, host_s = (np.broadcast_to(part, batch.shape) for part in passes.parts_s(batch))
    time_s = compute_s + bandwidth_s + host_s
    resources = np.array([int(one) for one in (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.HOST)])
    limit = resources[np.stack([compute_s, bandwidth_s, host_s]).argmax(axis=0)]
    return tuple(
        (
            RooflinePoint(
                code=TOTAL, phase="sample", intensity_flop_per_byte=float(flop[one] / moved[one]),
                achieved_flop_per_s=float(flop[one] / time_s[one]), time_s=float(time_s[one]), resource=int(limit[one]),
                compute_s=float(compute_s[one]), bandwidth_s=float(bandwidth_s[one]), host_s=float(host_s[one]),
                share=1.0, precision=FORMATS[formats[one]],
            ),
        )
        for one in range(len(batch))
    )  # fmt: skip


def _stacked(works: tuple[StepWork, ...], count: int) -> StepWork:
    columns = zip(*(vars(work).values() for work in works), strict=True)
    return StepWork(*(np.stack([np.broadcast_to(one, (count,)) for one in column]) for column in columns))


def _parts_s(times: StepTimes, full: StepTimes, count: int) -> list[list[Seconds]]:
    """The parts of the time of each phase and candidate, then those without padding."""
    parts = (*vars(times).values(), *vars(full).values())
    whole: list[list[Seconds]] = np.stack([np.broadcast_to(one, (2, count)) for one in parts], axis=-1).tolist()
    return whole


def _points_of(
    timed: Iterable[tuple[Operation, Seconds]], replica: Replica, place: int, phase: str, work: StepWork, each: float
) -> list[RooflinePoint]:
    """A point for each kind of operation; those of different groups of layers are one.

    `each` decoding sequence puts so many tokens through the model.
    """
    sums: dict[str, _Sum] = {}
    for operation, seconds in timed:
        flop, moved = flop_and_bytes(operation, work, replica, place, each)
        if flop > 0 and moved > 0:
            sums.setdefault(operation.code, _Sum(_format_of(operation, replica, place))).add(flop, moved, seconds)
    return [_point(code, phase, one.flop, one.moved, one.seconds, one.precision) for code, one in sums.items()]


@dataclass
class _Sum:
    """All calls of one kind of operation."""

    precision: str
    flop: float = 0.0
    moved: float = 0.0
    seconds: Seconds = (0.0,) * 8

    def add(self, flop: float, moved: float, seconds: Seconds) -> None:
        self.flop += flop
        self.moved += moved
        self.seconds = [one + other for one, other in zip(self.seconds, seconds)]


def operation_times(operation: Operation, work: StepWork, replica: Replica) -> StepTimes:
    """Time of all calls of one operation as its kernels were timed, without the hops between stages."""
    times = step_times((operation,), work, replica, WITHOUT_OVERHEADS)
    hops_s = (replica.pipeline_parallel - 1) * PIPELINE_HOP_S
    return replace(times, interconnect_s=np.maximum(times.interconnect_s - hops_s, 0.0))


def _point(code: str, phase: str, flop: float, moved: float, parts_s: Seconds, precision: str = "") -> RooflinePoint:
    compute_s, bandwidth_s, interconnect_s, host_s, *full_s = parts_s
    seconds = compute_s + bandwidth_s + interconnect_s + host_s
    return RooflinePoint(
        code=code,
        phase=phase,
        intensity_flop_per_byte=flop / max(moved, 1.0),
        achieved_flop_per_s=flop / max(seconds, 1e-12),
        time_s=seconds,
        resource=int(limits(np.array(parts_s[: len(full_s)]), np.array(full_s))),
        compute_s=compute_s,
        bandwidth_s=bandwidth_s,
        interconnect_s=interconnect_s,
        host_s=host_s,
        precision=precision,
    )


def _format_of(operation: Operation, replica: Replica, place: int) -> str:
    """What the operation computes in: the weights' format where it is native, else 16 bits."""
    if isinstance(operation, Gemm) and operation.is_quantized:
        which = replica.formats.mixer if operation.part == "mixer" else replica.formats.ffn
    elif isinstance(operation, Experts):
        which = replica.formats.expert
    else:
        return "bf16"
    products = replica.mixer if which is replica.formats.mixer else replica.ffn
    is_native = bool(products.activation_bytes[place] < 2.0) or bool(products.weight_bytes[place] >= 2.0)
    return FORMATS[int(which[place])] if is_native else "bf16"


def shared(points: Iterable[RooflinePoint]) -> tuple[RooflinePoint, ...]:
    """The points of one phase, each with its share of the time of all kernels; whole phases last."""
    parts = [one for one in points if one.code != TOTAL]
    wholes = [msgspec.structs.replace(one, share=1.0) for one in points if one.code == TOTAL]
    together_s = sum(one.time_s for one in parts) or 1.0
    return (*(msgspec.structs.replace(one, share=one.time_s / together_s) for one in parts), *wholes)


def slowed(points: Iterable[RooflinePoint], factors: Mapping[str, float]) -> tuple[RooflinePoint, ...]:
    """Points whose times are so many times the model's, by phase: at a measured pace, and on virtual machines."""
    names = ("time_s", "compute_s", "bandwidth_s", "interconnect_s", "host_s")
    return tuple(
        msgspec.structs.replace(
            one, achieved_flop_per_s=one.achieved_flop_per_s / factors[one.phase],
            **{name: getattr(one, name) * factors[one.phase] for name in names},
        )
        for one in points
    )  # fmt: skip


def _total(parts: list[RooflinePoint], phase: str, parts_s: Seconds) -> RooflinePoint:
    """The phase as a whole: all FLOPs over all bytes, and over all of the step's time."""
    return _point(TOTAL, phase, sum(_flop(one) for one in parts), sum(_moved(one) for one in parts), parts_s)


def _drafted(verify: RooflinePoint, once: RooflinePoint, drafts: Speculation) -> RooflinePoint:
    """A step that drafts and verifies, from its verification and a pass over one token of each sequence."""
    flop, moved = (
        float(drafted_step_s(one, other, drafts.draft_tokens, drafts.draft_share))
        for one, other in ((_flop(verify), _flop(once)), (_moved(verify), _moved(once)))
    )
    rate, intensity = flop / max(verify.time_s, 1e-12), flop / max(moved, 1.0)
    return msgspec.structs.replace(verify, achieved_flop_per_s=rate, intensity_flop_per_byte=intensity)


def _flop(point: RooflinePoint) -> float:
    return point.achieved_flop_per_s * point.time_s


def _moved(point: RooflinePoint) -> float:
    return _flop(point) / point.intensity_flop_per_byte


@formula(
    title="Decode ceiling",
    unit="tok/s",
    expression="batch · bandwidth_bytes_per_s / moved_bytes",
    source="Williams, Waterman, Patterson 2009, the slope of the roofline: every step reads the weights and the cache",
)
def decode_ceiling_tokens_per_s(batch: float, moved_bytes: float, bandwidth_bytes_per_s: float) -> float:
    """Tokens per second of a replica that decodes no faster than one of its devices reads and writes. [tokens/s]

    `moved_bytes` are those of a step of all sequences, of one device.
    """
    return batch * bandwidth_bytes_per_s / moved_bytes


def decode_ceiling_of(points: Iterable[RooflinePoint], tokens: float, bandwidth_bytes_per_s: float) -> float:
    """Decode ceiling of a candidate from its points and the tokens per decode step; NaN without one. [tokens/s]"""
    whole = next((one for one in points if one.phase == "decode" and one.code == TOTAL), None)
    if whole is None or not whole.achieved_flop_per_s > 0:
        return float("nan")
    moved = whole.achieved_flop_per_s * whole.time_s / whole.intensity_flop_per_byte
    return decode_ceiling_tokens_per_s(tokens, moved, bandwidth_bytes_per_s)


def batch_shares(
    deployed: Deployments,
    planned_batch: Floats,
    largest_batch: Floats,
    context_tokens: float,
    drafts: Speculation | None,
    slowdown: Floats,
) -> tuple[BatchShares, ...]:
    """Parts of a decode step of each candidate over batches, and from where on it is bound by compute.

    `slowdown` is what they take over the model's time, shape (batches, candidates).
    """
    times = breakdown(deployed, BATCHES[:, None], context_tokens, drafts)
    parts = (times.compute_s, times.bandwidth_s, times.interconnect_s, times.host_s)
    whole = [(one * np.broadcast_to(slowdown, (len(BATCHES), len(planned_batch)))).T for one in parts]
    return tuple(
        BatchShares(
            batch=BATCHES,
            compute_s=compute_s,
            bandwidth_s=bandwidth_s,
            interconnect_s=interconnect_s,
            host_s=host_s,
            planned_batch=float(planned),
            largest_batch=float(largest),
            crossover_batch=crossover(BATCHES, compute_s - bandwidth_s),
        )
        for compute_s, bandwidth_s, interconnect_s, host_s, planned, largest in zip(
            *whole, planned_batch, largest_batch, strict=True
        )
    )


def crossover(batch: Floats, excess: Floats) -> float:
    """Batch from which on computing takes longer than memory traffic; infinite where it never does for good."""
    below = np.flatnonzero(excess <= 0)
    first = int(below[-1]) + 1 if len(below) else 0
    if first == len(batch):
        return float("inf")
    if first == 0:
        return float(batch[0])
    before, after = excess[first - 1], excess[first]
    weight = -before / (after - before)
    return float(np.exp((1 - weight) * np.log(batch[first - 1]) + weight * np.log(batch[first])))


def flop_and_bytes(
    operation: Operation, work: StepWork, replica: Replica, place: int = 0, each: float = 1.0
) -> tuple[float, float]:
    """FLOPs and bytes of all calls of one operation in a pass, on one device; a multiply-add counts two.

    `work` is that of the candidate at a place of `replica`; a decoding sequence puts `each` tokens through the model.
    """
    tp = float(replica.tensor_parallel[place])
    stages = float(replica.pipeline_parallel[place])
    sequences = float(work.decode_sequences) / stages
    decoding = sequences * each
    tokens = float(work.tokens) / stages + decoding - sequences
    count = operation.count
    if isinstance(operation, Gemm):
        share = 1.0 if operation.cut == "none" else tp
        rows = decoding + float(work.prefill_sequences) if operation.on_sampled_tokens else tokens
        per_weight = float(replica.weight_bytes[place]) if operation.is_quantized else 2.0
        weights = operation.columns * operation.depth / share
        moved = weights * per_weight + rows * (operation.columns + operation.depth) / share * 2.0
        return count * 2.0 * rows * weights, count * moved
    if isinstance(operation, (AttentionCore, LatentCore)):
        return _attention_flop_and_bytes(operation, work, replica, place, each)
    if isinstance(operation, Experts):
        size = operation.matrices * operation.hidden * operation.size / tp
        touched = float(experts_touched(as_floats(tokens), as_floats(operation.top_k), as_floats(operation.experts)))
        moved = touched * size * float(replica.expert_bytes[place]) + 4.0 * tokens * operation.top_k * operation.hidden
        return count * 2.0 * tokens * operation.top_k * size, count * moved
    if isinstance(operation, StateCore):
        states = sequences + float(work.prefill_sequences)
        return count * operation.flop_per_token * tokens / tp, count * 2.0 * operation.state_bytes * states / tp
    if isinstance(operation, Elementwise):
        share = tp if operation.is_sharded else 1.0
        moved = operation.bytes_per_token * tokens / share
        return count * moved / 4.0, count * moved
    return 0.0, 0.0


def _attention_flop_and_bytes(
    operation: AttentionCore | LatentCore, work: StepWork, replica: Replica, place: int, each: float
) -> tuple[float, float]:
    """The cache of a sequence is read once for all tokens that it puts through."""
    tp = float(replica.tensor_parallel[place])
    stages = float(replica.pipeline_parallel[place])
    width = float(replica.cache_bytes[place])
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
        encoded = float(operation.encoder_tokens)
        reach = encoded or min(context, limit)
        decode_flop = 4.0 * decoding * reach * heads * operation.head_dim
        decode_bytes = 2.0 * decoding * reach * kv_heads * operation.head_dim * width
        prefill_flop = 4.0 * heads * operation.head_dim * prompt * (encoded or min(prompt / 2, limit))
        prefill_bytes = 2.0 * prompt * operation.head_dim * (heads + 2 * kv_heads)
        if encoded:  # Every token sees all that was heard, whose keys and values are read once for a prompt.
            held = 2.0 * float(work.prefill_sequences) / stages * encoded * kv_heads * width
            prefill_bytes = operation.head_dim * (2.0 * prompt * heads + held)
    return operation.count * (decode_flop * each + prefill_flop), operation.count * (decode_bytes + prefill_bytes)
