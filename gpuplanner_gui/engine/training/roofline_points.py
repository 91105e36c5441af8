"""A training candidate's kernels as points of a roofline: arithmetic intensity and achieved rate, by kind."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.curves import RooflinePoint
from gpuplanner_gui.domain.plan import Resource, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.operations import AttentionCore, Elementwise, Experts, Gemm, LatentCore
from gpuplanner_gui.engine.training.model_numbers import training_operations
from gpuplanner_gui.engine.training.step_phases import CandidateWork, candidate_work
from gpuplanner_gui.engine.training.step_time import limiting_resource

PHASE = "training"
FLOP_PER_ELEMENTWISE_BYTE = 0.25


def training_points(
    scenario: Scenario, context: Context, table: TrainingTable, candidate: int
) -> tuple[RooflinePoint, ...]:
    """Forward and backward work of one micro-batch on one device of each kind of kernel, and of the whole step.

    Empty for a candidate that cannot run, or a model that is not made of layers. FLOPs are the model's own: work that
    is done again for memory's sake takes time and counts for none.
    """
    if not bool(table.fits[candidate]):
        return ()
    made = candidate_work(scenario, context, table, candidate)
    if made.job.numbers.is_opaque:
        return ()
    kinds = list(_kinds(made))
    flop = sum(kind.achieved_flop_per_s * kind.time_s for kind in kinds)
    moved = sum(kind.achieved_flop_per_s * kind.time_s / kind.intensity_flop_per_byte for kind in kinds)
    # One device of a stage runs its share of the layers, once for each micro-batch.
    passes = float(made.work.micro_batches[0]) / float(table.pipeline_parallel[candidate])
    step = float(table.step_time_s[candidate])
    total = RooflinePoint(
        code="total",
        phase=PHASE,
        intensity_flop_per_byte=flop / max(moved, 1.0),
        achieved_flop_per_s=flop * passes / step,
        time_s=step,
        resource=_limit_of_step(table, candidate),
    )
    return (*kinds, total)


def _limit_of_step(table: TrainingTable, candidate: int) -> int:
    """What takes most of a step; a slow checkpoint store takes time of the run, not of its steps."""
    if table.limit[candidate] != Resource.STORAGE:
        return int(table.limit[candidate])
    none = np.zeros(len(table.limit))
    return int(limiting_resource(table, table.step_time_s, none, none)[candidate])


def _kinds(made: CandidateWork) -> Iterator[RooflinePoint]:
    """Forward and backward through the whole model, as if one device ran all of its layers."""
    job, rates, times, work = made.job, made.job.rates, made.work.times, made.work
    both = 1.0 + job.backward_share
    slowest = float(work.slow_device_share[0])
    pace = rates.compute_share * float(work.compute_pace[0]) * float(work.thermal_derate[0]) * slowest
    sustained = rates.sustained_bandwidth * slowest
    attention = rates.attention_share * float(work.attention_pace[0])

    def of(values: np.ndarray) -> float:
        return float(values[0])

    seconds = {
        "products": (
            (of(times.forward_compute_s) + of(times.backward_compute_s)) / (rates.recipe_share * pace),
            (of(times.forward_memory_s) + of(times.backward_memory_s)) / sustained,
        ),
        "experts": (
            both * of(times.expert_compute_s) / (rates.expert_share * rates.recipe_share * pace),
            both * of(times.expert_memory_s) / (rates.expert_share * sustained),
        ),
        "attention": (
            (1.0 + rates.attention_backward) * of(times.attention_compute_s) / (attention * pace),
            (1.0 + rates.attention_backward) * of(times.attention_memory_s) / (attention * sustained),
        ),
        "norms_and_activations": (
            0.0,
            rates.elementwise_share * (1.0 + rates.elementwise_backward) * of(times.elementwise_s) / sustained,
        ),
        "head_and_loss": (of(times.head_compute_s) / pace, of(times.head_memory_s) / sustained),
    }
    for code, (flop, moved) in _flop_and_bytes(made).items():
        compute_s, memory_s = seconds[code]
        if flop > 0 and moved > 0 and compute_s + memory_s > 0:
            yield RooflinePoint(
                code=code,
                phase=PHASE,
                intensity_flop_per_byte=flop / moved,
                achieved_flop_per_s=flop / (compute_s + memory_s),
                time_s=compute_s + memory_s,
                resource=int(Resource.COMPUTE if compute_s >= memory_s else Resource.MEMORY_BANDWIDTH),
            )


def _flop_and_bytes(made: CandidateWork) -> dict[str, tuple[float, float]]:
    """FLOPs and bytes by kind; each of a product's three matrices is read or written once per pass."""
    job, layout = made.job, made.layout
    tp, cp, ep = (float(size[0]) for size in (layout.tensor_parallel, layout.context_parallel, layout.expert_parallel))
    tokens = float(layout.micro_batch[0]) * job.sequence_tokens / cp
    both, size = 1.0 + job.backward_share, job.product_bytes
    sums: dict[str, list[float]] = {
        name: [0.0, 0.0] for name in ("products", "experts", "attention", "norms_and_activations", "head_and_loss")
    }

    def add(kind: str, flop: float, moved: float) -> None:
        sums[kind][0] += flop
        sums[kind][1] += moved

    for one in training_operations(job.model):
        if isinstance(one, Gemm):
            columns = one.columns / (tp if one.cut == "columns" else 1.0)
            depth = one.depth / (tp if one.cut == "depth" else 1.0)
            matrices = tokens * (columns + depth) + columns * depth
            kind = "head_and_loss" if one.code == "head" else "products"
            add(kind, one.count * both * 2.0 * tokens * columns * depth, one.count * both * size * matrices)
        elif isinstance(one, Experts):
            pairs = tokens * one.top_k / (tp if ep > 1 else 1.0)
            width = one.size / (1.0 if ep > 1 else tp)
            weights = one.matrices * one.hidden * width
            kept = weights * one.experts / ep
            moved = kept + pairs * (2.0 * one.hidden + one.matrices * width)
            add("experts", one.count * both * 2.0 * pairs * weights, one.count * both * size * moved)
        elif isinstance(one, Elementwise):
            moved = one.count * 2.0 * one.bytes_per_token * tokens / tp
            add("norms_and_activations", moved * FLOP_PER_ELEMENTWISE_BYTE, moved)
        elif isinstance(one, AttentionCore):
            values = tokens * one.head_dim * 2.0 * (one.heads + one.kv_heads) / tp
            add("attention", 0.0, one.count * both * job.stream_bytes * values)
        elif isinstance(one, LatentCore):
            values = tokens * one.heads * 2.0 * (one.nope_dim + one.rope_dim + one.value_dim) / tp
            add("attention", 0.0, one.count * both * job.stream_bytes * values)
    add("attention", both * job.numbers.attention_flop_per_token * tokens / tp, 0.0)
    return {kind: (flop, moved) for kind, (flop, moved) in sums.items()}
