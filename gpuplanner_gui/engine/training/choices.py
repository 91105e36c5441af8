"""Automatic choices: for each layout the micro-batch, ZeRO stage and recomputation that fit and run fastest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts
from gpuplanner_gui.engine.training.memory import training_memory
from gpuplanner_gui.engine.training.state_memory import shards

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MICRO_BATCHES = (1, 2, 4, 8, 16)
LEAST_CHUNK_LAYERS = 2


@dataclass(frozen=True)
class Choices:
    """Layouts with every choice made, and what the leanest of their variants needs beyond the memory."""

    layouts: TrainingLayouts
    missing_bytes: Floats
    """0 where a variant fits."""


def virtual_stages(job: TrainingJob, layouts: TrainingLayouts) -> Integers:
    """Virtual stages of an interleaved schedule: as many as leave chunks of some layers; 1 for other schedules."""
    asked = layouts.virtual_stages
    if job.schedule != "interleaved":
        return np.where(asked == AUTO, 1, asked)
    per_stage = np.maximum(1, job.numbers.layers // layouts.pipeline_parallel)
    usual = np.where(layouts.pipeline_parallel > 1, np.maximum(1, per_stage // LEAST_CHUNK_LAYERS), 1)
    return np.where(asked == AUTO, usual, asked)


def chosen_layouts(
    job: TrainingJob,
    layouts: TrainingLayouts,
    usable_bytes: Floats,
    step_s: Callable[[TrainingLayouts], Floats],
) -> Choices:
    """Make every automatic choice.

    For each micro-batch the first of (no, selective, full recomputation), with the lowest ZeRO stage, that fits; of the
    micro-batches then the fastest by `step_s`. Where nothing fits, the leanest variant stands, with what it lacks.
    """
    virtual = virtual_stages(job, layouts)
    micro = _micro_batches(job, layouts)
    fitting = [_leanest_that_fits(job, layouts, size, virtual, usable_bytes) for size in micro]
    best_time = np.full(len(layouts), np.inf)
    best = fitting[0]
    missing = fitting[0].missing_bytes
    decided = len(micro) == 1
    if not decided:
        zero, batch, recompute = (
            getattr(best.layouts, name).copy() for name in ("zero_stage", "micro_batch", "recompute")
        )
        for variant in fitting:
            fits = np.flatnonzero(variant.missing_bytes <= 0)
            if not len(fits):
                continue
            time = step_s(variant.layouts.at(fits))
            better = fits[time < best_time[fits]]
            best_time[better] = time[time < best_time[fits]]
            zero[better] = variant.layouts.zero_stage[better]
            batch[better] = variant.layouts.micro_batch[better]
            recompute[better] = variant.layouts.recompute[better]
        return Choices(layouts.with_choices(zero, batch, recompute, virtual), missing)
    return best


def _micro_batches(job: TrainingJob, layouts: TrainingLayouts) -> list[Integers]:
    """Sizes to try per layout: the given one, or powers of two that do not pass a copy's part of the batch."""
    if len(layouts) == 0 or bool((layouts.micro_batch != AUTO).all()):
        return [np.maximum(layouts.micro_batch, 1)]
    share = np.maximum(1, job.global_sequences // layouts.data_parallel)
    largest = int(share.max())
    tried = []
    for size in MICRO_BATCHES:
        if size > largest:
            break
        tried.append(np.where(layouts.micro_batch == AUTO, np.minimum(size, share), layouts.micro_batch))
    return tried


def _leanest_that_fits(
    job: TrainingJob, layouts: TrainingLayouts, micro_batch: Integers, virtual: Integers, usable_bytes: Floats
) -> Choices:
    part = shards(job, layouts)
    zero = np.where(layouts.zero_stage == AUTO, 0, layouts.zero_stage)
    recompute = np.where(layouts.recompute == AUTO, 0, layouts.recompute)
    missing = np.full(len(layouts), np.inf)
    modes = (0, 2) if job.has_flash_attention else (0, 1, 2)
    for mode in modes:
        for stage in range(4):
            open_ = _may_use(layouts, stage, mode) & (missing > 0)
            if not bool(open_.any()):
                continue
            tried = layouts.with_choices(
                np.where(layouts.zero_stage == AUTO, stage, layouts.zero_stage),
                micro_batch,
                np.where(layouts.recompute == AUTO, mode, layouts.recompute),
                virtual,
            )
            lacking = np.maximum(training_memory(job, tried, part).total - usable_bytes, 0.0)
            take = open_ & (lacking < missing)
            zero = np.where(take, tried.zero_stage, zero)
            recompute = np.where(take, tried.recompute, recompute)
            missing = np.where(take, lacking, missing)
    return Choices(layouts.with_choices(zero, micro_batch, recompute, virtual), missing)


def _may_use(layouts: TrainingLayouts, stage: int, mode: int) -> NDArray[np.bool_]:
    """Gradients and weights are not cut across copies while a pipeline keeps several micro-batches in flight."""
    is_cut = layouts.data_parallel * layouts.context_parallel > 1
    possible = (stage == 0) | (is_cut & ((stage == 1) | (layouts.pipeline_parallel == 1)))
    stage_open = np.where(layouts.zero_stage == AUTO, possible, stage == 0)
    mode_open = np.where(layouts.recompute == AUTO, True, mode == 0)
    return np.asarray(stage_open & mode_open)
