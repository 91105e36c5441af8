"""Automatic choices: for each layout the micro-batch, schedule, ZeRO stage and recomputation that fit and run fastest.

Every pair of micro-batch and schedule is tried with each recomputation and the fastest ZeRO stage that lets it fit.
What a choice that is no slower makes needless is not timed; all else is, and the shortest step wins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.engine.training.communication import host_room_bytes
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import (
    AUTO,
    ON_HOST,
    ScheduleOption,
    TrainingLayouts,
    joined,
    schedule_options,
)
from gpuplanner_gui.engine.training.memory import host_activation_bytes, kept_memory, micro_batches, working_memory
from gpuplanner_gui.engine.training.state_memory import end_parameters, host_state_bytes, shards

MICRO_BATCHES = (1, 2, 4, 8)
SAMPLE_MICRO_BATCHES = (*MICRO_BATCHES, 16, 32, 64, 128, 256)
"""Samples of pictures and audio are often smaller than a text's sequence: ResNet-50 trains 256 at once."""
ZERO_STAGES = (0, 1, 2, 3)
FASTEST_FIRST = np.array([1, 0, 2, 3])
"""ZeRO stages by what they exchange in a step. A divided update sends no more than a whole one and takes less time;
stage 2 reduces gradients in every pass, stage 3 gathers weights in every pass as well."""
NONE_FITS = len(ZERO_STAGES)
RECOMPUTATIONS = ("none", "selective", "full")
_MODES = np.array([[0], [1], [2]])
"""Recomputation by the work that it adds, as rows over layouts."""
LARGEST_KEY = 2**62
WORTH_OFFLOADING = 0.05
"""Share of a step that offloading must save; hosts are known no better than the spread of step times."""
AS_FAST = 0.02
"""Share of a step that two offloaded variants may differ by and count as equally fast. Our choice: well within the
spread of step times."""
TIMED_AT_ONCE = 2**14
"""Layouts: as many as stay in the processor's cache."""


@dataclass(frozen=True)
class Choices:
    """Layouts with every choice made, and what the leanest of their variants needs beyond the memory."""

    layouts: TrainingLayouts
    missing_bytes: Floats
    """0 where a variant fits."""
    has_schedule: Booleans
    """Whether the layout's micro-batches can go round its stages in any schedule that may be used."""
    step_s: Floats
    """Step time of the chosen variant; infinite where none fits."""


@dataclass(frozen=True)
class Distinct:
    """Layouts that differ by more than their accelerator: all that need different memory."""

    layouts: TrainingLayouts
    of: Integers
    """Which of them each layout is like."""


def _distinct(layouts: TrainingLayouts) -> Distinct:
    """Each kind of layout once; all of them where every choice is made, since then hardly two are alike."""
    columns = [
        layouts.devices, layouts.tensor_parallel, layouts.pipeline_parallel, layouts.context_parallel,
        layouts.expert_parallel, layouts.expert_tensor_parallel, layouts.zero_stage, layouts.micro_batch,
        layouts.recompute, layouts.schedule, layouts.virtual_stages, layouts.sharding_group, layouts.offload,
        layouts.activation_offload,
    ]  # fmt: skip
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


@dataclass(frozen=True)
class _Search:
    """What stays the same for all variants."""

    job: TrainingJob
    layouts: TrainingLayouts
    distinct: Distinct
    kept: tuple[Floats, Floats]
    """Bytes of state on the first and last stage's devices, a row per ZeRO stage; infinite where it may not be used."""
    usable_bytes: Floats
    host_needed: Floats | None
    """Bytes of a device's state in host memory, a row per ZeRO stage; None where none is kept there."""
    host_bytes: Floats | None
    """Host memory that a device may take; NaN where unknown, and then nothing is refused."""


def chosen_layouts(
    job: TrainingJob,
    layouts: TrainingLayouts,
    usable_bytes: Floats,
    step_s: Callable[[TrainingLayouts], Floats],
    groups: Integers | None = None,
    host_bytes: Floats | None = None,
) -> Choices:
    """Make every automatic choice: of all variants that fit the one with the shortest step by `step_s`.

    `groups` are the copies that may divide state among themselves where that is open (0: none), `host_bytes` what
    offloaded state may take of host memory (NaN: not known). Every variant is tried whole and in groups, and offloaded
    where state on the device leaves no choice, or one that recomputes or divides more than the optimizer; to a host of
    unknown memory only where nothing else fits. Where nothing fits, the leanest variant stands.
    """
    plain = replace(
        layouts, sharding_group=np.maximum(layouts.sharding_group, 0), offload=np.maximum(layouts.offload, 0),
        activation_offload=np.maximum(layouts.activation_offload, 0),
    )  # fmt: skip
    best = _chosen(job, plain, usable_bytes, step_s, host_bytes)
    if groups is not None:
        # Groups divide state over fewer copies: what does not fit whole does not fit in groups.
        is_open = (layouts.sharding_group == AUTO) & (groups > 0) & np.isfinite(best.step_s)
        best = _or_faster(job, best, replace(plain, sharding_group=groups), is_open, usable_bytes, step_s, host_bytes)
    return best if host_bytes is None else _or_offloaded(job, best, layouts, plain, usable_bytes, step_s, host_bytes)


def _or_offloaded(
    job: TrainingJob,
    best: Choices,
    layouts: TrainingLayouts,
    plain: TrainingLayouts,
    usable_bytes: Floats,
    step_s: Callable[[TrainingLayouts], Floats],
    host_bytes: Floats,
) -> Choices:
    """The best choices, or with optimizer state, activations, or both where neither alone fits, in host memory."""
    has_none, is_unknown = ~np.isfinite(best.step_s), np.isnan(host_bytes)
    is_tight = has_none | (best.layouts.recompute > 0) | (best.layouts.zero_stage >= 2)
    is_tight &= np.where(is_unknown, has_none, host_bytes > 0)
    host_bytes = host_room_bytes(host_bytes, usable_bytes)
    of_state = (layouts.offload == AUTO) & (plain.sharding_group == 0)
    of_state &= np.isin(layouts.zero_stage, (AUTO, *job.framework.offload_stages))
    of_state &= bool(job.framework.offload_stages)
    known = (AUTO, *(RECOMPUTATIONS.index(name) for name in job.activation_offload))
    of_activations = (layouts.activation_offload == AUTO) & (layouts.pipeline_parallel == 1)
    of_activations &= np.isin(layouts.recompute, known) & bool(job.activation_offload)
    of_activations &= np.isin(layouts.zero_stage, (AUTO, *job.framework.activation_offload_stages))
    host = np.full(len(layouts), ON_HOST)
    state, activations = replace(plain, offload=host), replace(plain, activation_offload=host)
    best = _or_faster(job, best, state, is_tight & of_state, usable_bytes, step_s, host_bytes, WORTH_OFFLOADING)
    best = _or_faster(
        job, best, activations, is_tight & of_activations, usable_bytes, step_s, host_bytes, WORTH_OFFLOADING
    )  # fmt: skip
    both = is_tight & of_state & of_activations & ~np.isfinite(best.step_s)
    return _or_faster(job, best, replace(state, activation_offload=host), both, usable_bytes, step_s, host_bytes)


def _or_faster(
    job: TrainingJob,
    best: Choices,
    layouts: TrainingLayouts,
    is_open: Booleans,
    usable_bytes: Floats,
    step_s: Callable[[TrainingLayouts], Floats],
    host_bytes: Floats | None,
    by: float = 0.0,
) -> Choices:
    """The best choices so far, or those of other layouts where these are open and faster by a share of their time.

    Of offloaded ones that are equally fast the one that recomputes less is better: it draws less power.
    """
    own = np.flatnonzero(is_open)
    if not len(own):
        return best
    tried = _chosen(
        job, layouts.at(own), usable_bytes[own], step_s, None if host_bytes is None else host_bytes[own]
    )  # fmt: skip
    recomputes_less = (best.layouts.offload[own] > 0) & (tried.layouts.recompute < best.layouts.recompute[own])
    needed = np.where(recomputes_less, 1.0 / (1.0 + AS_FAST), 1.0 + by)
    better = np.flatnonzero(tried.step_s * needed < best.step_s[own])
    time, missing, columns = best.step_s.copy(), best.missing_bytes.copy(), _columns(best.layouts)
    time[own[better]], missing[own[better]] = tried.step_s[better], 0.0
    for name, column in columns.items():
        column[own[better]] = getattr(tried.layouts, name)[better]
    return replace(best, layouts=replace(best.layouts, **columns), missing_bytes=missing, step_s=time)


def _chosen(
    job: TrainingJob,
    layouts: TrainingLayouts,
    usable_bytes: Floats,
    step_s: Callable[[TrainingLayouts], Floats],
    host_bytes: Floats | None,
) -> Choices:
    """Choices for layouts that have their groups and the place of their state."""
    distinct = _distinct(layouts)
    host_needed = _host_by_stage(job, distinct.layouts) if host_bytes is not None else None
    kept = _kept_by_stage(job, distinct.layouts)
    search = _Search(job, layouts, distinct, kept, usable_bytes, host_needed, host_bytes)
    sizes = _micro_batches(job, distinct.layouts)
    best = _leanest(search, sizes[0])
    columns = _columns(best.layouts)
    best_time, has_schedule = np.full(len(layouts), np.inf), np.zeros(len(layouts), bool)
    surpassing = np.full((len(_MODES), len(layouts)), NONE_FITS)
    for index in range(len(sizes) - 1, -1, -1):
        is_new = sizes[index] > sizes[index - 1] if index else np.ones(len(sizes[0]), bool)
        for option in _options(job, distinct.layouts, sizes[index]):
            possible = (option.is_possible & is_new)[distinct.of]
            has_schedule |= option.is_possible[distinct.of]
            for found, variant in _variants(search, sizes[index], option, possible, surpassing):
                _take_faster(found, variant, step_s, best_time, columns)
    chosen = replace(best.layouts, **columns)
    missing = np.where(np.isfinite(best_time), 0.0, best.missing_bytes)
    return Choices(chosen, missing, has_schedule, best_time)


def _columns(layouts: TrainingLayouts) -> dict[str, Any]:
    names = ("zero_stage", "micro_batch", "recompute", "schedule", "virtual_stages", "recompute_share",
             "sharding_group", "offload", "activation_offload")  # fmt: skip
    return {name: getattr(layouts, name).copy() for name in names}


def _take_faster(
    found: Integers,
    variant: TrainingLayouts,
    step_s: Callable[[TrainingLayouts], Floats],
    best_time: Floats,
    columns: dict[str, Any],
) -> None:
    """Keep a variant of some layouts where it is faster than what was found before."""
    for start in range(0, len(found), TIMED_AT_ONCE):
        part = slice(start, start + TIMED_AT_ONCE)
        own, tried = found[part], variant.at(part)
        time = step_s(tried)
        is_better = time < best_time[own]
        better = own[is_better]
        best_time[better] = time[is_better]
        for name, column in columns.items():
            column[better] = getattr(tried, name)[is_better]


def _options(job: TrainingJob, layouts: TrainingLayouts, micro_batch: Integers) -> list[ScheduleOption]:
    """Schedules to try; the given one where it is fixed."""
    if bool((layouts.schedule != AUTO).all()):
        given = np.ones(len(layouts), bool)
        return [ScheduleOption(layouts.schedule, np.maximum(layouts.virtual_stages, 1), given)]
    count = micro_batches(float(job.global_sequences), micro_batch, layouts.data_parallel)
    return schedule_options(
        job.schedule, layouts.virtual_stages, job.framework.schedules, job.numbers.layers, layouts.pipeline_parallel,
        count.astype(np.int64), job.numbers.experts > 0,
    )  # fmt: skip


def _micro_batches(job: TrainingJob, layouts: TrainingLayouts) -> list[Integers]:
    """Sizes to try per layout: the given one, or a copy's whole part of the batch and powers of two that divide it.

    Launchers start no run whose batch leaves a copy with part of a micro-batch.
    """
    if len(layouts) == 0 or bool((layouts.micro_batch != AUTO).all()):
        return [np.maximum(layouts.micro_batch, 1)]
    share = np.maximum(1, job.global_sequences // layouts.data_parallel)
    largest = int(share.max())
    return [
        np.where(layouts.micro_batch == AUTO, np.where(size < share, np.gcd(size, share), share), layouts.micro_batch)
        for size in (SAMPLE_MICRO_BATCHES if job.is_sampled else MICRO_BATCHES)
        if size < 2 * largest
    ]


def _kept_by_stage(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Bytes of state on the first and last stage's devices, a row per ZeRO stage; infinite where it may not be used.

    Stages 2 and 3 divide what a pipeline uses in every pass: no framework combines them with one.
    """
    part = shards(job, layouts)
    first, last = end_parameters(job, layouts)
    is_cut, is_one = part.copies > 1, layouts.pipeline_parallel == 1
    is_whole, is_divided = layouts.sharding_group <= 0, layouts.is_model_divided
    both = np.full((2, len(ZERO_STAGES), len(layouts)), np.inf)
    for stage in ZERO_STAGES:
        is_known = np.where(is_one, stage in job.framework.zero_stages, stage <= 1)
        possible = np.where(is_whole, (stage == 0) | (is_cut & is_known), stage in job.framework.hybrid_stages)
        # With one copy a stage divides nothing: frameworks that offload want it all the same.
        possible = np.where(layouts.offload > 0, is_known & (stage in job.framework.offload_stages), possible)
        possible &= (layouts.activation_offload <= 0) | (stage in job.framework.activation_offload_stages)
        possible &= np.where(is_divided, stage in job.optimizer_stages.divided, stage in job.optimizer_stages.whole)
        allowed = np.where(layouts.zero_stage == AUTO, possible, layouts.zero_stage == stage)
        if bool(allowed.any()):
            zero = np.full(len(layouts), stage)
            for row, ends in enumerate((first, last)):
                both[row, stage] = np.where(allowed, kept_memory(job, layouts, part, ends, zero).total, np.inf)
    return both[0], both[1]


def _host_by_stage(job: TrainingJob, layouts: TrainingLayouts) -> Floats | None:
    """Bytes of a device's state in host memory, a row per ZeRO stage; None where all state stays on the device."""
    if not bool((layouts.offload > 0).any()):
        return None
    part, ends = shards(job, layouts), end_parameters(job, layouts)[0]
    return np.stack([host_state_bytes(job, part, ends, np.full(len(layouts), stage)) for stage in ZERO_STAGES])


def _lacking(search: _Search, micro_batch: Integers, option: ScheduleOption) -> tuple[Floats, Integers]:
    """Bytes beyond the memory by (recomputation, ZeRO stage, layout), and the recomputations of the distinct ones."""
    kinds = search.distinct.layouts
    modes = np.where(kinds.recompute == AUTO, _MODES, kinds.recompute)
    tried = replace(
        kinds, micro_batch=micro_batch, recompute=modes, schedule=option.schedule,
        virtual_stages=option.virtual_stages,
        recompute_share=np.where(np.isnan(kinds.recompute_share), 1.0, kinds.recompute_share),
    )  # fmt: skip
    is_known = np.array([name in search.job.recomputations for name in RECOMPUTATIONS])[:, None]
    if search.job.activation_offload:
        can_leave = np.array([name in search.job.activation_offload for name in RECOMPUTATIONS])[:, None]
        is_known = is_known & ((kinds.activation_offload <= 0) | can_leave)
    needed = np.where((kinds.recompute == AUTO) & ~is_known, np.inf, 0.0)[:, None].repeat(len(ZERO_STAGES), axis=1)
    for is_first, stage_kept in zip((True, False), search.kept):
        working = working_memory(search.job, tried, is_first=is_first).total
        np.maximum(needed, stage_kept[None] + working[:, None], out=needed)
    lacking = needed[:, :, search.distinct.of] - search.usable_bytes
    if search.host_bytes is not None:
        host = search.host_needed if search.host_needed is not None else np.zeros((len(ZERO_STAGES), len(kinds)))
        away = host_activation_bytes(search.job, tried)
        if search.host_needed is not None or bool((kinds.activation_offload > 0).any()):
            lacking[(host[None] + away[:, None])[:, :, search.distinct.of] > search.host_bytes] = np.inf
    return lacking, modes


def _variants(
    search: _Search, micro_batch: Integers, option: ScheduleOption, possible: Booleans, surpassing: Integers
) -> Iterator[tuple[Integers, TrainingLayouts]]:
    """Layouts that fit with each recomputation, with their fastest ZeRO stage, if worth timing.

    More recomputation is worth it only for a faster ZeRO stage. Without a pipeline a larger micro-batch that needs
    neither more recomputation nor a slower stage is never slower; `surpassing` holds the stages of those seen so far.
    """
    if not bool(possible.any()):
        return
    lacking, modes = _lacking(search, micro_batch, option)
    ranked = (lacking <= 0)[:, FASTEST_FIRST]
    rank = np.where(ranked.any(axis=1), ranked.argmax(axis=1), NONE_FITS)
    of, is_one = search.distinct.of, search.layouts.pipeline_parallel == 1
    faster = np.full(len(of), NONE_FITS)
    for mode in range(len(_MODES)):
        is_worth = possible & (rank[mode] < faster)
        is_worth &= ~is_one | (rank[mode] < surpassing[mode])
        faster = np.minimum(faster, rank[mode])
        found = np.flatnonzero(is_worth)
        if len(found):
            yield found, _variant(search, found, micro_batch, option, modes[mode], FASTEST_FIRST[rank[mode][found]])
        counts = is_one & possible & (rank[mode] < NONE_FITS - 1)
        for lower in range(mode, len(_MODES)):
            np.minimum(surpassing[lower], np.where(counts, rank[mode], NONE_FITS), out=surpassing[lower])


def _variant(
    search: _Search, found: Integers, micro_batch: Integers, option: ScheduleOption, mode: Integers, zero: Integers
) -> TrainingLayouts:
    """Some layouts with their choices made; of full recomputation as few layers as fit."""
    of = search.distinct.of[found]
    layouts = search.layouts.at(found)
    recompute = mode[of]
    share = np.where(np.isnan(layouts.recompute_share), np.where(recompute == 2, 1.0, 0.0), layouts.recompute_share)
    made = replace(
        layouts, zero_stage=zero, micro_batch=micro_batch[of], recompute=recompute, schedule=option.schedule[of],
        virtual_stages=option.virtual_stages[of], recompute_share=share,
    )  # fmt: skip
    partial = np.flatnonzero((recompute == 2) & np.isnan(layouts.recompute_share))
    if len(partial):
        bytes_kept = tuple(kept[zero[partial], of[partial]] for kept in search.kept)
        share[partial] = _least_share(search.job, made.at(partial), bytes_kept, search.usable_bytes[found[partial]])
    return made


def _leanest(search: _Search, micro_batch: Integers) -> Choices:
    """The variant of a micro-batch that lacks least, run one forward, one backward or as it is fixed."""
    option = _options(search.job, search.distinct.layouts, micro_batch)[0]
    lacking, modes = _lacking(search, micro_batch, option)
    flat = lacking.reshape(-1, len(search.layouts))
    leanest = flat.argmin(axis=0)
    missing = flat[leanest, np.arange(len(search.layouts))]
    every = np.arange(len(search.layouts))
    mode = modes[leanest // len(ZERO_STAGES), search.distinct.of]
    made = [
        _variant(search, every[mode == kind], micro_batch, option, np.full(len(search.distinct.layouts), kind),
                 (leanest % len(ZERO_STAGES))[mode == kind])
        for kind in range(len(_MODES))
    ]  # fmt: skip
    back = np.argsort(np.concatenate([every[mode == kind] for kind in range(len(_MODES))]), kind="stable")
    whole = np.ones(len(back), bool)
    return Choices(joined(made).at(back), np.maximum(missing, 0.0), whole, np.full(len(back), np.inf))


def _least_share(
    job: TrainingJob, layouts: TrainingLayouts, kept: tuple[Floats, ...], usable_bytes: Floats
) -> Floats:  # fmt: skip
    """Share of the layers that must be recomputed for the rest to fit; memory falls linearly with it."""
    if not len(layouts) or not job.numbers.layers:
        return np.ones(len(layouts))
    rest = replace(layouts, recompute_share=np.array([[0.0], [1.0]]))
    needed = np.zeros(len(layouts))
    for is_first, bytes_kept in zip((True, False), kept):
        none, full = working_memory(job, rest, is_first=is_first).total + bytes_kept
        with np.errstate(divide="ignore", invalid="ignore"):
            needed = np.maximum(needed, np.nan_to_num((none - usable_bytes) / (none - full)))
    return part_share(job, needed, layouts.pipeline_parallel, layouts.virtual_stages)


def part_share(job: TrainingJob, needed: Floats, pipeline: Integers, chunks: Integers) -> Floats:
    """The least share of the layers, from `needed` on, that the framework can be told to recompute in full."""
    kind = job.part_recomputation
    if kind == "never":
        return np.ones(len(needed))
    if kind == "every_nth":
        return 1.0 / np.maximum(1.0, np.floor(1.0 / np.maximum(needed, 1e-9) + 1e-9))
    layers = np.maximum(1.0, np.ceil(np.ceil(job.numbers.layers / pipeline) / chunks))
    return np.minimum(1.0, np.ceil(needed * layers - 1e-9) / layers)
