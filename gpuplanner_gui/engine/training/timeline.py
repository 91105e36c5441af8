"""The passes of one training step over the stages of a pipeline, in the order that each schedule runs them.

For drawing: a few hundred passes at most. The bubble that a plan counts is the closed form of the same schedules.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.training_results import PipelineTimeline, TimelineTask
from gpuplanner_gui.domain.training_workload import PipelineSchedule

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
