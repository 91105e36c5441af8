"""Automatic choices: for each layout the micro-batch, ZeRO stage and recomputation that fit and run fastest."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import AUTO, TrainingLayouts
from gpuplanner_gui.engine.training.memory import kept_memory, working_memory
from gpuplanner_gui.engine.training.state_memory import end_parameters, shards

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

MICRO_BATCHES = (1, 2, 4, 8)
ZERO_STAGES = (0, 1, 2, 3)
_MODES = np.array([[0], [1], [2]])
"""Recomputation in the order in which it is resorted to, as rows over layouts."""
LEAST_CHUNK_LAYERS = 2
LARGEST_KEY = 2**62


@dataclass(frozen=True)
class Choices:
    """Layouts with every choice made, and what the leanest of their variants needs beyond the memory."""

    layouts: TrainingLayouts
    missing_bytes: Floats
    """0 where a variant fits."""


@dataclass(frozen=True)
class Distinct:
    """Layouts that differ by more than their accelerator: all that need different memory."""

    layouts: TrainingLayouts
    of: Integers
    """Which of them each layout is like."""


def _distinct(job: TrainingJob, layouts: TrainingLayouts) -> Distinct:
    """Each kind of layout once; all of them where every choice is made, since then hardly two are alike."""
    columns = [
        layouts.devices, layouts.tensor_parallel, layouts.pipeline_parallel, layouts.context_parallel,
        layouts.expert_parallel, layouts.zero_stage, layouts.micro_batch, layouts.recompute, layouts.virtual_stages,
    ]  # fmt: skip
    if job.hybrid_domains is not None:
        columns.append(layouts.accelerator)
    spans = [int(column.max() - column.min()) + 1 if len(column) else 1 for column in columns]
    is_open = bool((layouts.micro_batch == AUTO).any() or (layouts.zero_stage == AUTO).any())
    if not is_open or not bool(np.isnan(layouts.recompute_share).all()) or math.prod(spans) >= LARGEST_KEY:
        return Distinct(layouts, np.arange(len(layouts)))
    key = np.zeros(len(layouts), np.int64)
    for column, span in zip(columns, spans):
        if span > 1:
            key = key * span + (column - column.min())
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return Distinct(layouts.at(first), inverse)


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
    micro-batches then the fastest by `step_s`. Without a pipeline a larger micro-batch that needs no more recomputation
    is never slower, so that only the largest is timed. Where nothing fits, the leanest variant stands.
    """
    layouts = layouts.with_choices(
        layouts.zero_stage,
        layouts.micro_batch,
        layouts.recompute,
        virtual_stages(job, layouts),
        layouts.recompute_share,
    )
    distinct = _distinct(job, layouts)
    kept = _kept_by_stage(job, distinct.layouts)
    variants = [
        _leanest_that_fits(job, layouts, distinct, size, kept, usable_bytes)
        for size in _micro_batches(job, distinct.layouts)
    ]
    zero, batch, recompute, share = _columns(variants[0].layouts)
    best_time = np.full(len(layouts), np.inf)
    worth = _worth_timing(layouts, variants)
    for variant, is_worth in zip(variants, worth):
        tried = np.flatnonzero(is_worth)
        if not len(tried):
            continue
        time = step_s(variant.layouts.at(tried)) if len(variants) > 1 else np.zeros(len(tried))
        is_better = time < best_time[tried]
        better = tried[is_better]
        best_time[better] = time[is_better]
        for column, own in zip((zero, batch, recompute, share), _columns(variant.layouts)):
            column[better] = own[better]
    chosen = layouts.with_choices(zero, batch, recompute, layouts.virtual_stages, share)
    return Choices(chosen, variants[0].missing_bytes)


def _columns(layouts: TrainingLayouts) -> tuple[Integers, Integers, Integers, Floats]:
    return (
        layouts.zero_stage.copy(), layouts.micro_batch.copy(), layouts.recompute.copy(),
        layouts.recompute_share.copy(),
    )  # fmt: skip


def _worth_timing(layouts: TrainingLayouts, variants: list[Choices]) -> list[NDArray[np.bool_]]:
    """Variants that fit, less those without a pipeline that a larger one surpasses."""
    worth = []
    for index, variant in enumerate(variants):
        fits = variant.missing_bytes <= 0
        if index + 1 < len(variants):
            larger = variants[index + 1]
            surpassed = (larger.missing_bytes <= 0) & (larger.layouts.recompute <= variant.layouts.recompute)
            fits = fits & ~(surpassed & (layouts.pipeline_parallel == 1) & (larger.layouts.zero_stage < 3))
        if index:
            fits = fits & (variant.layouts.micro_batch > variants[index - 1].layouts.micro_batch)
        worth.append(fits)
    return worth


def _micro_batches(job: TrainingJob, layouts: TrainingLayouts) -> list[Integers]:
    """Sizes to try per layout: the given one, or powers of two that do not pass a copy's part of the batch."""
    if len(layouts) == 0 or bool((layouts.micro_batch != AUTO).all()):
        return [np.maximum(layouts.micro_batch, 1)]
    share = np.maximum(1, job.global_sequences // layouts.data_parallel)
    largest = int(share.max())
    return [
        np.where(layouts.micro_batch == AUTO, np.minimum(size, share), layouts.micro_batch)
        for size in MICRO_BATCHES
        if size <= largest
    ]


def _kept_by_stage(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Bytes of state on the first and last stage's devices, a row per ZeRO stage; infinite where it may not be used."""
    part = shards(job, layouts)
    first, last = end_parameters(job, layouts)
    is_cut = part.copies > 1
    both = np.full((2, len(ZERO_STAGES), len(layouts)), np.inf)
    for stage in ZERO_STAGES:
        possible = (stage == 0) | (is_cut & ((stage == 1) | (layouts.pipeline_parallel == 1)))
        allowed = np.where(layouts.zero_stage == AUTO, possible, layouts.zero_stage == stage)
        if bool(allowed.any()):
            zero = np.full(len(layouts), stage)
            for row, ends in enumerate((first, last)):
                both[row, stage] = np.where(allowed, kept_memory(job, layouts, part, ends, zero).total, np.inf)
    return both[0], both[1]


def _leanest_that_fits(
    job: TrainingJob,
    layouts: TrainingLayouts,
    distinct: Distinct,
    micro_batch: Integers,
    kept: tuple[Floats, Floats],
    usable_bytes: Floats,
) -> Choices:
    """The first recomputation that fits, with the lowest ZeRO stage that lets it; of full recomputation as few layers
    as fit. Where nothing fits, the pair that lacks least. `micro_batch` and `kept` are of the distinct layouts."""
    kinds = distinct.layouts
    modes = np.where(kinds.recompute == AUTO, _MODES, kinds.recompute)
    share = np.where(np.isnan(kinds.recompute_share), 1.0, kinds.recompute_share)
    tried = kinds.with_choices(kinds.zero_stage, micro_batch, modes, kinds.virtual_stages, share)
    needed = np.zeros((len(_MODES), len(ZERO_STAGES), len(kinds)))
    for is_first, stage_kept in zip((True, False), kept):
        working = working_memory(job, tried, is_first=is_first).total
        np.maximum(needed, stage_kept[None] + working[:, None], out=needed)
    lacking = needed.reshape(-1, len(kinds))[:, distinct.of] - usable_bytes
    fits = lacking <= 0
    chosen = np.where(fits.any(axis=0), fits.argmax(axis=0), lacking.argmin(axis=0))
    missing = lacking[chosen, np.arange(len(layouts))]
    recompute = modes[chosen // len(ZERO_STAGES), distinct.of]
    zero = chosen % len(ZERO_STAGES)
    share = share[distinct.of]
    found = layouts.with_choices(zero, micro_batch[distinct.of], recompute, layouts.virtual_stages, share)
    partial = np.flatnonzero((recompute == 2) & (missing <= 0) & np.isnan(layouts.recompute_share))
    if len(partial):
        which = (zero[partial], distinct.of[partial])
        bytes_kept = (kept[0][which], kept[1][which])
        share[partial] = _least_share(job, found.at(partial), bytes_kept, usable_bytes[partial])
    return Choices(found, np.maximum(missing, 0.0))


def _least_share(
    job: TrainingJob, layouts: TrainingLayouts, kept: tuple[Floats, Floats], usable_bytes: Floats
) -> Floats:
    """Share of a stage's layers that must be recomputed for the rest to fit; memory falls linearly with it."""
    if not len(layouts) or job.numbers.is_opaque:
        return np.ones(len(layouts))
    rest = layouts.with_choices(
        layouts.zero_stage, layouts.micro_batch, layouts.recompute, layouts.virtual_stages, np.array([[0.0], [1.0]])
    )
    needed = np.zeros(len(layouts))
    for is_first, bytes_kept in zip((True, False), kept):
        none, full = working_memory(job, rest, is_first=is_first).total + bytes_kept
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.maximum(needed, np.nan_to_num((none - usable_bytes) / (none - full)))
    per_stage = np.maximum(1.0, np.ceil(job.numbers.layers / layouts.pipeline_parallel))
    return np.minimum(1.0, np.ceil(needed * per_stage - 1e-9) / per_stage)
