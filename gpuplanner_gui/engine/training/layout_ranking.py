"""The layouts of one accelerator ranked by time, by cost or by devices for a deadline, with why each lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import Reason, TrainingPlan, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_calibration import ExpertTensor
from gpuplanner_gui.domain.training_results import LayoutObjective, LayoutRanking
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.table_memory import memory_bytes
from gpuplanner_gui.engine.training.choices import RECOMPUTATIONS, part_share
from gpuplanner_gui.engine.training.communication import cluster_for
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import (
    DUALPIPE,
    INTERLEAVED,
    OFFLOADS,
    ON_HOST,
    PLAIN,
    SCHEDULES,
    TrainingLayouts,
    chunk_counts,
    device_counts,
    expert_tensor_sizes,
    hybrid_groups,
    joined,
    most_devices,
)
from gpuplanner_gui.engine.training.plan import job_for, planned, training_of

LARGEST_MICRO_BATCH, LARGEST_SAMPLE_BATCH = 16, 256
LARGEST_CONTEXT_PARALLEL = 16
RECOMPUTE_CHOICES = ((0, 0.0), (1, 0.0), (2, 0.25), (2, 0.5), (2, 1.0))
"""Recomputation and the share of layers that it is done for in full."""
STEP_PARTS = (
    "compute_s", "bandwidth_s", "tensor_communication_s", "data_communication_s", "pipeline_communication_s",
    "expert_communication_s", "bubble_s", "host_s", "input_s",
)  # fmt: skip


def every_layout(job: TrainingJob, accelerator: int, devices: int, widest_tensor: int) -> TrainingLayouts:
    """All combinations of tensor, pipeline, context, expert and expert tensor parallelism, virtual stages, micro-batch,
    ZeRO stage and recomputation that divide the devices and the model. Read-only arrays."""
    numbers = job.numbers
    shape = (max(numbers.parted_layers, 1), numbers.heads, numbers.experts, widest_tensor, job.sequence_tokens)
    split = job.framework.expert_tensor
    known = tuple(SCHEDULES.index(name) for name in job.framework.schedules)
    largest = LARGEST_SAMPLE_BATCH if job.is_sampled else LARGEST_MICRO_BATCH
    batch = (job.global_sequences, min(largest, job.global_sequences))
    found = _every_layout(accelerator, devices, shape, batch, known, job.framework.zero_stages, split)
    modes = [RECOMPUTATIONS.index(name) for name in job.recomputations]
    allowed = part_share(job, found.recompute_share, found.pipeline_parallel, found.virtual_stages)
    is_known = np.isin(found.recompute, modes) & ((found.recompute < 2) | (found.recompute_share == allowed))
    return found if bool(is_known.all()) else found.at(np.flatnonzero(is_known))


@lru_cache(maxsize=8)
def _every_layout(
    accelerator: int,
    devices: int,
    shape: tuple[int, int, int, int, int],
    batch: tuple[int, int],
    schedules: tuple[int, ...],
    zero_stages: tuple[int, ...],
    expert_tensor: ExpertTensor,
) -> TrainingLayouts:
    global_sequences, largest = batch
    shapes, choices = _shapes(devices, *shape, schedules, expert_tensor), _choices(largest)
    who = np.repeat(np.arange(len(shapes)), len(choices))
    what = np.tile(np.arange(len(choices)), len(shapes))
    tp, pp, cp = (shapes[who, column] for column in range(3))
    micro, zero = (choices[what, column].astype(np.int64) for column in range(2))
    copies = devices // (tp * pp * cp)
    per_copy = global_sequences // np.maximum(copies, 1)
    sensible = (micro <= np.maximum(per_copy, 1)) & ((zero == 0) | (copies * cp > 1)) & ((zero <= 1) | (pp == 1))
    sensible &= np.isin(zero, zero_stages) | (pp > 1)
    rounds = np.ceil(per_copy / micro)
    schedule, chunks = shapes[who, 5], shapes[who, 6]
    sensible &= (chunks == 1) | (rounds % pp == 0)
    sensible &= (schedule != DUALPIPE) | ((rounds % 2 == 0) & (rounds >= 2 * pp))
    kept = np.flatnonzero(sensible)
    who, what = who[kept], what[kept]

    def shaped(column: int) -> Integers:
        return np.ascontiguousarray(shapes[who, column])

    def chosen(column: int) -> Integers:
        return np.asarray(choices[what, column], np.int64)

    layouts = TrainingLayouts(
        np.full(len(kept), accelerator), np.full(len(kept), devices), shaped(0), shaped(1), shaped(2), shaped(3),
        shaped(4), chosen(1), chosen(0), chosen(2), shaped(5), shaped(6), np.ascontiguousarray(choices[what, 3]),
        np.zeros(len(kept), np.int64), np.zeros(len(kept), np.int64), np.zeros(len(kept), np.int64),
    )  # fmt: skip
    for name in TrainingLayouts.__dataclass_fields__:
        getattr(layouts, name).flags.writeable = False
    return layouts


@lru_cache(maxsize=32)
def _shapes(
    devices: int,
    layers: int,
    heads: int,
    experts: int,
    widest: int,
    sequence: int,
    schedules: tuple[int, ...],
    expert_tensor: ExpertTensor,
) -> NDArray[np.int64]:
    """Rows of (TP, PP, CP, EP, ETP, schedule, virtual stages); some thousands, whatever the number of layouts."""
    rows: list[tuple[int, ...]] = []
    for tensor in _divisors(devices, widest):
        if heads and heads % tensor:
            continue
        for context in _divisors(devices // tensor, LARGEST_CONTEXT_PARALLEL):
            if sequence % (2 * context) and context > 1:
                continue
            left = devices // (tensor * context)
            for pipeline in _divisors(left, layers):
                ranks, ways = devices // pipeline, _schedules(layers, pipeline, experts, schedules)
                for expert in _expert_divisors(experts, ranks):
                    splits = expert_tensor_sizes(expert_tensor, tensor, expert, experts)
                    rows.extend(
                        (tensor, pipeline, context, expert, split, *one)
                        for split in splits
                        if ranks % (expert * split) == 0
                        for one in ways
                    )
    return np.array(rows, np.int64).reshape(-1, 7)


def _divisors(number: int, most: int) -> list[int]:
    return [size for size in range(1, min(number, most) + 1) if number % size == 0]


def _expert_divisors(experts: int, ranks: int) -> list[int]:
    return [size for size in _divisors(experts, experts) if ranks % size == 0] if experts else [1]


def _schedules(layers: int, pipeline: int, experts: int, known: tuple[int, ...]) -> list[tuple[int, int]]:
    """Pairs of schedule and virtual stages."""
    if pipeline == 1:
        return [(PLAIN, 1)]
    plain = [(code, 1) for code in known if code != INTERLEAVED and (code != DUALPIPE or experts)]
    chunks = chunk_counts(layers, pipeline)[1:] if INTERLEAVED in known else ()
    return plain + [(INTERLEAVED, count) for count in chunks]


@lru_cache(maxsize=32)
def _choices(largest: int) -> Floats:
    """Rows of (micro-batch up to the largest, ZeRO stage, recomputation, share of layers)."""
    sizes = [2**power for power in range(largest.bit_length())]
    return np.array([(size, zero, *mode) for size in sizes for zero in range(4) for mode in RECOMPUTE_CHOICES])


def layout_search(
    scenario: Scenario, context: Context, accelerator: str, devices: int, check: Callable[[], None]
) -> TrainingPlan:
    """A plan over every legal layout of an accelerator at a device count; the scenario's own choices are left open, but
    for a place of optimizer state that it states beside no sizes.

    Raises ValueError for an accelerator that the catalogue lacks, or a scenario without training.
    """
    index = context.devices.ids.index(accelerator)
    job = job_for(scenario, context, training_of(scenario))
    domain = int(context.devices.scale_up_domain[index])
    widest = devices if scenario.hardware.tensor_parallel_across_nodes else min(devices, domain)
    layouts = every_layout(job, index, devices, min(widest, 256))
    cluster = cluster_for(context.catalog, scenario.hardware)
    host_bytes = float(cluster.host_memory_bytes[index])

    def tried(host_bytes: float) -> TrainingPlan:
        found = _placed(layouts, _places(training_of(scenario), job, host_bytes), job)
        found = _with_activations_away(found, training_of(scenario), job, host_bytes)
        groups = hybrid_groups(found, cluster.domain_devices[found.accelerator], job.framework.hybrid_stages)
        hybrid = np.flatnonzero((groups > 0) & (found.pipeline_parallel == 1))
        if len(hybrid) and not training_of(scenario).hybrid_sharding:
            found = joined([found, replace(found.at(hybrid), sharding_group=groups[hybrid])])
        return planned(scenario, context, found, check)

    plan = tried(host_bytes)
    # Hosts of unknown memory hold what fits nowhere else, within the room that is assumed of them.
    return tried(np.inf) if np.isnan(host_bytes) and not plan.table.fits.any() else plan


def _places(training: TrainingWorkload, job: TrainingJob, host_bytes: float) -> tuple[int, ...]:
    """Places of optimizer state worth trying: the stated one alone, else devices and, where its memory is known, the
    host."""
    if training.offload != "auto" and training.parallelism == Parallelism():
        return (OFFLOADS.index(training.offload),)
    return (0, ON_HOST) if host_bytes > 0 and job.framework.offload_stages else (0,)


def _with_activations_away(
    layouts: TrainingLayouts, training: TrainingWorkload, job: TrainingJob, host_bytes: float
) -> TrainingLayouts:
    """The layouts, and once more those that can keep activations in host memory; where that is stated, these alone."""
    if training.offload_activations and training.parallelism == Parallelism():
        return replace(layouts, activation_offload=np.ones(len(layouts), np.int64))
    if not host_bytes > 0 or not job.activation_offload:
        return layouts
    modes = [RECOMPUTATIONS.index(name) for name in job.activation_offload]
    can_leave = (layouts.pipeline_parallel == 1) & np.isin(layouts.recompute, modes)
    can_leave &= np.isin(layouts.zero_stage, job.framework.activation_offload_stages)
    away = layouts.at(np.flatnonzero(can_leave))
    return joined([layouts, replace(away, activation_offload=np.ones(len(away), np.int64))])


def _placed(layouts: TrainingLayouts, places: tuple[int, ...], job: TrainingJob) -> TrainingLayouts:
    """The layouts with optimizer state in each place; in one beside the device with the ZeRO stages that the framework
    offloads with, which a single copy takes as well."""
    if len(places) == 1:
        return replace(layouts, offload=np.full(len(layouts), places[0]))
    found = [layouts]
    for stage in job.framework.offload_stages:
        copies = layouts.data_parallel * layouts.context_parallel
        is_alone = (copies == 1) & (layouts.zero_stage == 0) & ((stage <= 1) | (layouts.pipeline_parallel == 1))
        away = layouts.at(np.flatnonzero((layouts.zero_stage == stage) | is_alone))
        same = np.full(len(away), stage)
        found += [replace(away, zero_stage=same, offload=np.full(len(away), place)) for place in places if place]
    return joined(found)


def pareto_front(*objectives: Floats) -> NDArray[np.bool_]:
    """Entries that no other beats in every objective (lower is better); NaN is never on the front.

    Two objectives take n log n, more are compared pair by pair among the survivors of a first sort.
    """
    values = np.stack(objectives)
    known = np.isfinite(values).all(axis=0)
    front = np.zeros(values.shape[1], bool)
    index = np.flatnonzero(known)
    index = index[np.lexsort(values[::-1, index])]
    if len(objectives) == 2:
        second = values[1, index]
        best_before = np.concatenate([[np.inf], np.minimum.accumulate(second)[:-1]])
        front[index[second < best_before]] = True
        return front
    kept: list[int] = []
    for candidate in index:
        mine = values[:, candidate]
        others = values[:, kept] if kept else np.empty((len(values), 0))
        if not bool((others <= mine[:, None]).all(axis=0).any()):
            kept.append(int(candidate))
    front[kept] = True
    return front


SHAPE = (
    "devices", "tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel", "expert_tensor_parallel",
    "virtual_stages",
)  # fmt: skip
MOST_ROWS = 4000
FINER_COUNTS = 8
"""Device counts between a power of two that misses the deadline and the next one, in equal steps."""
STEP_UNIT = 8
"""Counts are multiples of a usual node."""


def ranked_layouts(
    scenario: Scenario,
    context: Context,
    accelerator: str,
    objective: LayoutObjective,
    devices: int,
    check: Callable[[], None],
) -> LayoutRanking:
    """Every legal layout of an accelerator, reduced to the best variant of each shape and put in order.

    `time`: the fastest on `devices`; `cost` and `devices`: over every power of two up to the scenario's most (or
    `devices` where that is more), the cheapest, or the fewest that hold the deadline, near which counts are tried more
    finely. Raises ValueError for an accelerator that the catalogue lacks, a scenario without training, or `devices` for
    one without a deadline; whatever `check` raises when the caller has lost interest.
    """
    if objective == "devices" and training_of(scenario).deadline_s is None:
        raise ValueError("devices for a deadline need a deadline")
    if objective == "time":
        counts: tuple[int, ...] = (devices,)
    else:
        counts = device_counts(0, max(devices, most_devices(scenario.hardware, accelerator)))
    found = _Found(scenario, context, accelerator, objective, check)
    for count in counts:
        found.add(count)
    if objective == "devices":
        for count in _finer_counts(found.fewest_in_time(), counts):
            found.add(count)
    return found.ranking(accelerator, devices if objective == "time" else 0)


class _Found:
    """Tables of several device counts, each reduced as soon as it is there."""

    def __init__(
        self,
        scenario: Scenario,
        context: Context,
        accelerator: str,
        objective: LayoutObjective,
        check: Callable[[], None],
    ) -> None:
        self._asked = (scenario, context, accelerator)
        self._objective = objective
        self._check = check
        self._tables: list[TrainingTable] = []
        self._tried = self._fitting = 0

    def add(self, count: int) -> None:
        self._check()
        table = layout_search(*self._asked, count, self._check).table
        self._tried += len(table.order)
        self._fitting += int(table.fits.sum())
        if len(table.order):
            self._tables.append(table_rows(table, best_of_each_shape(table, self._objective)))

    def fewest_in_time(self) -> int:
        """The smallest number of devices with a layout that meets every target; 0 for none."""
        counts = [int(table.devices[0]) for table in self._tables if bool(table.meets_targets.any())]
        return min(counts, default=0)

    def ranking(self, accelerator: str, devices: int) -> LayoutRanking:
        table = joined_tables(self._tables)
        order = layout_order(table, self._objective)[:MOST_ROWS]
        table = msgspec.structs.replace(table_rows(table, order), order=np.arange(len(order)))
        several = len(self._tables) > 1
        front_by = ("run_time_s", "usd_per_run") if several else ("run_time_s", "memory")
        second = table.usd_per_run if several else memory_bytes(table)
        runs = table.fits
        front = pareto_front(np.where(runs, table.run_time_s, np.nan), np.where(runs, second, np.nan))
        part, part_s, slower = losses(table)
        return LayoutRanking(
            accelerator=accelerator,
            objective=self._objective,
            devices=devices,
            tried=self._tried,
            fitting=self._fitting,
            table=table,
            on_front=front,
            front_by=front_by,
            lost_part=part,
            lost_part_s=part_s,
            lost_step_s=slower,
            parts=STEP_PARTS,
        )


def _finer_counts(fewest: int, known: tuple[int, ...]) -> tuple[int, ...]:
    """Counts between the last power of two that is too slow and the first that is in time."""
    if fewest <= STEP_UNIT:
        return ()
    step = max(STEP_UNIT, fewest // 2 // FINER_COUNTS)
    between = range(fewest // 2 + step, fewest, step)
    return tuple(count for count in between if count not in known)


def layout_order(table: TrainingTable, objective: LayoutObjective) -> Integers:
    """Those that meet every target first, then those that run, then the rest by how near they come."""
    time, usd = np.nan_to_num(table.run_time_s, nan=np.inf), np.nan_to_num(table.usd_per_run, nan=np.inf)
    group = np.where(table.meets_targets, 0, np.where(table.fits, 1, np.where(table.reason == Reason.HEADROOM, 2, 3)))
    devices = table.devices.astype(np.float64)
    keys = {"time": (usd, time), "cost": (time, usd), "devices": (usd, time, devices)}[objective]
    missing = np.where(table.fits, 0.0, np.nan_to_num(table.reason_value))
    missing = np.where(table.reason == Reason.DOES_NOT_FIT, missing, np.where(table.fits, 0.0, np.inf))
    if objective == "devices":
        # Nothing holds the deadline: then what comes nearest to it is the answer.
        keys = (*keys[:-1], np.where(group == 0, devices, time))
    return np.lexsort((devices, *keys, missing, group))


def best_of_each_shape(table: TrainingTable, objective: LayoutObjective) -> Integers:
    """The best variant (micro-batch, ZeRO stage, recomputation) of each way to divide the devices; every variant where
    there is one way alone."""
    order = layout_order(table, objective)
    shapes = np.stack([getattr(table, name)[order] for name in SHAPE], axis=1)
    _, first = np.unique(shapes, axis=0, return_index=True)
    return np.asarray(order if len(first) == 1 else order[np.sort(first)])


def losses(table: TrainingTable) -> tuple[Integers, Floats, Floats]:
    """Which part of the step each layout loses most by against the first, how much of it, and how much in all. [s]

    On another number of devices a second counts as many times as there are more of them. −1 and NaN for the winner and
    for what cannot run.
    """
    count = len(table.order)
    if not count or not bool(table.fits[0]):
        return np.full(count, -1), np.full(count, np.nan), np.full(count, np.nan)
    scale = table.devices / float(table.devices[0])
    growth = np.stack([getattr(table, part) * scale - float(getattr(table, part)[0]) for part in STEP_PARTS])
    worst = np.nan_to_num(growth, nan=-np.inf).argmax(axis=0)
    is_loser = table.fits & (np.arange(count) > 0)
    part_s = np.where(is_loser, growth[worst, np.arange(count)], np.nan)
    slower = np.where(is_loser, table.step_time_s * scale - float(table.step_time_s[0]), np.nan)
    return np.where(is_loser, worst, -1), part_s, slower


def table_rows(table: TrainingTable, index: Integers) -> TrainingTable:
    """Some rows of a table, their order that of the index."""
    values: dict[str, Any] = {
        name: None if (column := getattr(table, name)) is None else np.asarray(column[index])
        for name in table.__struct_fields__
        if name != "order"
    }
    return TrainingTable(**values, order=np.arange(len(index)))


def joined_tables(tables: list[TrainingTable]) -> TrainingTable:
    """Tables one after another. Raises ValueError for none."""
    if not tables:
        raise ValueError("no layout can be tried")
    values = {name: np.concatenate([getattr(one, name) for one in tables]) for name in tables[0].__struct_fields__}
    return TrainingTable(**values | {"order": np.arange(len(values["devices"]))})
