"""One candidate's step in depth: its time by phase, the timeline of its stages, its kernels as points of a roofline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.curves import RooflinePoint
from gpuplanner_gui.domain.plan import Resource, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import PipelineTimeline, StepPhases, TimelineTask
from gpuplanner_gui.domain.training_workload import PipelineSchedule
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.operations import AttentionCore, Elementwise, Experts, Gemm, LatentCore
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import SCHEDULES, TrainingLayouts, table_layout
from gpuplanner_gui.engine.training.memory import training_memory
from gpuplanner_gui.engine.training.model_numbers import encoder_share, placed_operations
from gpuplanner_gui.engine.training.plan import equipment_of, job_for, training_of
from gpuplanner_gui.engine.training.rates import Rates
from gpuplanner_gui.engine.training.state_memory import shards
from gpuplanner_gui.engine.training.step_time import (
    limiting_resource,
    pass_bandwidth_s,
    pass_compute_s,
    slowest_stage,
    training_step,
)
from gpuplanner_gui.engine.training.work import TrainingStepWork, step_work

FORWARD, BACKWARD, WEIGHTS = "forward", "backward", "weights"


@dataclass(frozen=True)
class _Pass:
    kind: str
    micro_batch: int
    chunk: int


def pipeline_timeline(
    stages: int,
    micro_batches: int,
    chunks: int,
    schedule: PipelineSchedule,
    forward_s: float,
    backward_s: float,
) -> PipelineTimeline:
    """Start and end of every pass. `forward_s` and `backward_s` are those of one micro-batch on one whole stage. [s]

    1F1B: Narayanan et al. 2019, PipeDream; interleaved: Narayanan et al. 2021, section 2.2; zero bubble (H1): the
    backward pass in two halves, weights' gradients filling the gaps, Qi et al. 2024, section 2.
    """
    # DualPipe idles as long as zero bubble does; its two directions are drawn as one.
    is_split = schedule in ("zero_bubble", "dualpipe") and stages > 1
    chunks = chunks if stages > 1 and micro_batches % stages == 0 else 1
    orders = [_order(stage, stages, micro_batches, chunks, is_split) for stage in range(stages)]
    lengths = {
        FORWARD: forward_s / chunks,
        BACKWARD: backward_s / chunks / (2.0 if is_split else 1.0),
        WEIGHTS: backward_s / chunks / 2.0,
    }
    tasks = _run(orders, stages, chunks, lengths)
    total = max(task.end_s for task in tasks)
    busy = sum(task.end_s - task.start_s for task in tasks)
    return PipelineTimeline(
        stages=stages,
        micro_batches=micro_batches,
        tasks=tuple(tasks),
        total_s=total,
        idle_share=1.0 - busy / (stages * total),
    )


def _order(stage: int, stages: int, micro_batches: int, chunks: int, is_split: bool) -> list[_Pass]:
    """Passes of one stage in the order in which it runs them: warm-up, one forward one backward, cool-down."""
    count = micro_batches * chunks
    if chunks > 1:
        warm_up = min(count, (stages - stage - 1) * 2 + (chunks - 1) * stages)
    else:
        warm_up = min(count, stages - stage - 1)
    forwards = [_forward(step, stages, chunks) for step in range(count)]
    backwards = [_backward(step, stages, chunks) for step in range(count)]
    order = list(forwards[:warm_up])
    done = 0
    for one in forwards[warm_up:]:
        order += [one, backwards[done]]
        done += 1
    order += backwards[done:]
    return _with_weights(order, stage) if is_split else order


def _forward(step: int, stages: int, chunks: int) -> _Pass:
    group, within = divmod(step, stages * chunks)
    chunk, micro = divmod(within, stages)
    return _Pass(FORWARD, group * stages + micro, chunk) if chunks > 1 else _Pass(FORWARD, step, 0)


def _backward(step: int, stages: int, chunks: int) -> _Pass:
    made = _forward(step, stages, chunks)
    return _Pass(BACKWARD, made.micro_batch, chunks - 1 - made.chunk)


def _with_weights(order: list[_Pass], stage: int) -> list[_Pass]:
    """Weights' gradients follow their inputs', as many passes later as the stage is deep, then fill the end."""
    found: list[_Pass] = []
    waiting: list[_Pass] = []
    for one in order:
        found.append(one)
        if one.kind == BACKWARD:
            waiting.append(_Pass(WEIGHTS, one.micro_batch, one.chunk))
            if len(waiting) > stage:
                found.append(waiting.pop(0))
    return found + waiting


def _run(orders: list[list[_Pass]], stages: int, chunks: int, lengths: dict[str, float]) -> list[TimelineTask]:
    """Let every stage work through its list as soon as what a pass needs is there."""
    ends: dict[tuple[str, int, int, int], float] = {}
    free = [0.0] * stages
    at = [0] * stages
    tasks: list[TimelineTask] = []
    remaining = sum(len(order) for order in orders)
    while remaining:
        for stage in range(stages):
            while at[stage] < len(orders[stage]):
                one = orders[stage][at[stage]]
                ready = _ready(one, stage, stages, chunks, ends)
                if ready is None:
                    break
                start = max(free[stage], ready)
                end = start + lengths[one.kind]
                ends[(one.kind, one.micro_batch, one.chunk, stage)] = end
                free[stage] = end
                at[stage] += 1
                remaining -= 1
                tasks.append(TimelineTask(stage, one.micro_batch, one.chunk, one.kind, start, end))
    return tasks


def _ready(
    one: _Pass, stage: int, stages: int, chunks: int, ends: dict[tuple[str, int, int, int], float]
) -> float | None:
    """When the inputs of a pass are there; None while they are not."""
    micro, chunk = one.micro_batch, one.chunk
    if one.kind == WEIGHTS:
        return ends.get((BACKWARD, micro, chunk, stage))
    if one.kind == FORWARD:
        if stage > 0:
            return ends.get((FORWARD, micro, chunk, stage - 1))
        return 0.0 if chunk == 0 else ends.get((FORWARD, micro, chunk - 1, stages - 1))
    if stage < stages - 1:
        return ends.get((BACKWARD, micro, chunk, stage + 1))
    if chunk == chunks - 1:
        return ends.get((FORWARD, micro, chunk, stage))
    return ends.get((BACKWARD, micro, chunk + 1, 0))


ENDLESS_INPUT = np.array([np.inf])
ALL_DRAWN = 16
"""So many micro-batches are drawn one by one, whatever the stages."""
MOST_PASSES = 3000
"""Drawn at most."""


@dataclass(frozen=True)
class CandidateWork:
    """One candidate with the work of its step."""

    job: TrainingJob
    layout: TrainingLayouts
    work: TrainingStepWork


def candidate_work(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> CandidateWork:
    """The work of one candidate's step. Raises ValueError for one that cannot run, or a scenario without training."""
    if not bool(table.fits[candidate]):
        raise ValueError("the candidate cannot run")
    job = job_for(scenario, context, training_of(scenario))
    layout = table_layout(table, candidate)
    state = training_memory(job, layout).state
    work = step_work(job, layout, state, shards(job, layout), equipment_of(scenario, context), ENDLESS_INPUT)
    return CandidateWork(job, layout, work)


def step_phases(scenario: Scenario, context: Context, table: TrainingTable, candidate: int) -> StepPhases:
    """A candidate's step by phase; the parts add up to the step time of its table.

    Raises ValueError for one that cannot run, or a scenario without training.
    """
    made = candidate_work(scenario, context, table, candidate)
    phases = pass_phases_s(made.work, made.job.rates)
    work, rates, m = made.work, made.job.rates, float(made.work.micro_batches[0])
    optimizer = float((work.optimizer_bytes / (work.bandwidth_bytes_per_s * rates.sustained_bandwidth))[0])
    # The plan may know this candidate's pace from own measurements: the table's figures stand, here they are divided.
    modelled = m * sum(phases) + optimizer
    scale = float(table.compute_s[candidate] + table.bandwidth_s[candidate]) / modelled if modelled > 0 else 0.0
    experts = expert_share(work, rates) * float(table.expert_communication_s[candidate])

    def read(name: str) -> float:
        return float(getattr(table, name)[candidate])

    return StepPhases(
        forward_s=scale * m * phases[0],
        backward_s=scale * m * phases[1],
        recompute_s=scale * m * phases[2],
        optimizer_s=scale * optimizer,
        tensor_communication_s=read("tensor_communication_s"),
        pipeline_communication_s=read("pipeline_communication_s"),
        bubble_s=read("bubble_s"),
        data_communication_s=read("data_communication_s"),
        expert_communication_s=experts,
        context_communication_s=read("expert_communication_s") - experts,
        host_s=read("host_s"),
        input_s=read("input_s"),
        micro_batches=round(m),
    )


def pass_phases_s(work: TrainingStepWork, rates: Rates) -> tuple[float, float, float]:
    """Forward, backward and recomputation of one micro-batch on the slowest stage. [s]

    The model's own time, without the parts that a phase has no share in: products of the backward pass, its share of
    the output matrix, of routing and of rounding.
    """
    passes = 1.0 + work.backward_share + work.full_share
    share, has_head = slowest_stage(work, rates, passes)

    def seconds(done: TrainingStepWork, pace: Rates) -> float:
        compute = pass_compute_s(done, pace, passes, share, has_head)
        return float((compute + pass_bandwidth_s(done, pace, share, has_head))[0])

    none = np.zeros_like(work.full_share)
    plain = replace(work, full_share=none, selective_share=none)
    times, ahead = work.times, 1.0 / (1.0 + work.backward_share)
    forward_times = replace(
        times,
        backward_compute_s=none,
        backward_memory_s=none,
        routing_s=times.routing_s / 2.0,
        cast_s=times.cast_s / 3.0,
        accumulation_s=none,
        head_compute_s=times.head_compute_s * ahead,
        head_memory_s=times.head_memory_s * ahead,
    )
    forward_rates = replace(rates, attention_backward=0.0, elementwise_backward=0.0, state_backward=0.0)
    forward = seconds(replace(plain, backward_share=none, times=forward_times), forward_rates)
    both = seconds(plain, rates)
    return forward, both - forward, seconds(work, rates) - both


def expert_share(work: TrainingStepWork, rates: Rates) -> float:
    """Of the expert and context communication, the share that is sent to experts; the rest goes round the ring."""
    total = float(training_step(work, rates).expert_communication_s[0])
    without = replace(work, ring_s=np.zeros_like(work.ring_s))
    return float(training_step(without, rates).expert_communication_s[0]) / total if total > 0 else 1.0


def candidate_passes(table: TrainingTable, candidate: int, phases: StepPhases) -> PipelineTimeline:
    """Passes of a candidate's step over its stages; as many micro-batches as can be told apart.

    Recomputation is part of the backward pass; communication within a pass is dealt out over it.
    """
    schedule = SCHEDULES[int(table.schedule[candidate])]
    stages, chunks = int(table.pipeline_parallel[candidate]), int(table.virtual_stages[candidate])
    busy = phases.forward_s + phases.backward_s + phases.recompute_s
    inside = busy + phases.tensor_communication_s + phases.expert_communication_s + phases.context_communication_s
    slot = inside / phases.micro_batches
    forward = slot * phases.forward_s / busy
    usual = max(MOST_PASSES // (2 * stages * chunks), 1)
    drawn = min(phases.micro_batches, max(usual, stages), max(2 * stages + 4, ALL_DRAWN))
    if chunks > 1 and phases.micro_batches % stages == 0:
        # An interleaved schedule goes round in groups of as many micro-batches as there are stages.
        drawn = max(stages, drawn // stages * stages)
    return pipeline_timeline(stages, drawn, chunks, schedule, forward, slot - forward)


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
    decoded = float(layout.micro_batch[0]) * job.sequence_tokens / cp
    both, size = 1.0 + job.backward_share, job.product_bytes
    sums: dict[str, list[float]] = {
        name: [0.0, 0.0] for name in ("products", "experts", "attention", "norms_and_activations", "head_and_loss")
    }

    def add(kind: str, flop: float, moved: float) -> None:
        sums[kind][0] += flop
        sums[kind][1] += moved

    share = encoder_share(job.model, job.sequence_tokens)
    for one, is_of_encoder in placed_operations(job.model):
        tokens = decoded * (share if is_of_encoder else 1.0)
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
    add("attention", both * job.numbers.attention_flop_per_token * decoded / tp, 0.0)
    return {kind: (flop, moved) for kind, (flop, moved) in sums.items()}
