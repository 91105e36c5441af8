"""Every legal layout of one accelerator at one device count, and how the runners-up compare with the winner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import TrainingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.choices import RECOMPUTATIONS, part_share
from gpuplanner_gui.engine.training.cluster import cluster_for
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts, hybrid_groups, joined
from gpuplanner_gui.engine.training.plan import job_for, planned, training_of
from gpuplanner_gui.engine.training.schedules import DUALPIPE, INTERLEAVED, PLAIN, SCHEDULES, chunk_counts

LARGEST_MICRO_BATCH = 16
LARGEST_CONTEXT_PARALLEL = 16
RECOMPUTE_CHOICES = ((0, 0.0), (1, 0.0), (2, 0.25), (2, 0.5), (2, 1.0))
"""Recomputation and the share of layers that it is done for in full."""
STEP_PARTS = (
    "compute_s", "bandwidth_s", "tensor_communication_s", "data_communication_s", "pipeline_communication_s",
    "expert_communication_s", "bubble_s", "host_s", "input_s",
)  # fmt: skip


def every_layout(job: TrainingJob, accelerator: int, devices: int, widest_tensor: int) -> TrainingLayouts:
    """All combinations of tensor, pipeline, context and expert parallelism, virtual stages, micro-batch, ZeRO stage and
    recomputation that divide the devices and the model. Read-only arrays."""
    numbers = job.numbers
    shape = (max(numbers.layers, 1), numbers.heads, numbers.experts, widest_tensor, job.sequence_tokens)
    known = tuple(SCHEDULES.index(name) for name in job.framework.schedules)
    found = _every_layout(accelerator, devices, shape, job.global_sequences, known, job.framework.zero_stages)
    modes = [RECOMPUTATIONS.index(name) for name in job.recomputations]
    allowed = part_share(job, found.recompute_share, found.pipeline_parallel, found.virtual_stages)
    is_known = np.isin(found.recompute, modes) & ((found.recompute < 2) | (found.recompute_share == allowed))
    return found if bool(is_known.all()) else found.at(np.flatnonzero(is_known))


@lru_cache(maxsize=8)
def _every_layout(
    accelerator: int,
    devices: int,
    shape: tuple[int, int, int, int, int],
    global_sequences: int,
    schedules: tuple[int, ...],
    zero_stages: tuple[int, ...],
) -> TrainingLayouts:
    shapes, choices = _shapes(devices, *shape, schedules), _choices(global_sequences)
    who = np.repeat(np.arange(len(shapes)), len(choices))
    what = np.tile(np.arange(len(choices)), len(shapes))
    tp, pp, cp = (shapes[who, column] for column in range(3))
    micro, zero = (choices[what, column].astype(np.int64) for column in range(2))
    copies = devices // (tp * pp * cp)
    per_copy = global_sequences // np.maximum(copies, 1)
    sensible = (micro <= np.maximum(per_copy, 1)) & ((zero == 0) | (copies * cp > 1)) & ((zero <= 1) | (pp == 1))
    sensible &= np.isin(zero, zero_stages) | (pp > 1)
    rounds = np.ceil(per_copy / micro)
    schedule, chunks = shapes[who, 4], shapes[who, 5]
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
        chosen(1), chosen(0), chosen(2), shaped(4), shaped(5), np.ascontiguousarray(choices[what, 3]),
        np.zeros(len(kept), np.int64), np.zeros(len(kept), np.int64),
    )  # fmt: skip
    for name in TrainingLayouts.__dataclass_fields__:
        getattr(layouts, name).flags.writeable = False
    return layouts


@lru_cache(maxsize=32)
def _shapes(
    devices: int, layers: int, heads: int, experts: int, widest: int, sequence: int, schedules: tuple[int, ...]
) -> NDArray[np.int64]:
    """Rows of (TP, PP, CP, EP, schedule, virtual stages); a few thousand, whatever the number of layouts."""
    rows: list[tuple[int, int, int, int, int, int]] = []
    for tensor in _divisors(devices, widest):
        if heads and heads % tensor:
            continue
        for context in _divisors(devices // tensor, LARGEST_CONTEXT_PARALLEL):
            if sequence % (2 * context) and context > 1:
                continue
            left = devices // (tensor * context)
            for pipeline in _divisors(left, layers):
                for expert in _expert_divisors(experts, devices // pipeline):
                    rows.extend(
                        (tensor, pipeline, context, expert, *one)
                        for one in _schedules(layers, pipeline, experts, schedules)
                    )
    return np.array(rows, np.int64).reshape(-1, 6)


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
def _choices(global_sequences: int) -> Floats:
    """Rows of (micro-batch, ZeRO stage, recomputation, share of layers)."""
    sizes = [2**power for power in range(LARGEST_MICRO_BATCH.bit_length()) if 2**power <= global_sequences]
    return np.array([(size, zero, *mode) for size in sizes for zero in range(4) for mode in RECOMPUTE_CHOICES])


def layout_search(
    scenario: Scenario, context: Context, accelerator: str, devices: int, check: Callable[[], None]
) -> TrainingPlan:
    """A plan over every legal layout of an accelerator at a device count; the scenario's own choices are left open.

    Raises ValueError for an accelerator that the catalogue lacks, or a scenario without training.
    """
    index = context.devices.ids.index(accelerator)
    job = job_for(scenario, context, training_of(scenario))
    domain = int(context.devices.scale_up_domain[index])
    widest = devices if scenario.hardware.tensor_parallel_across_nodes else min(devices, domain)
    layouts = every_layout(job, index, devices, min(widest, 256))
    domain_devices = cluster_for(context.catalog, scenario.hardware).domain_devices[layouts.accelerator]
    groups = hybrid_groups(layouts, domain_devices, job.framework.hybrid_stages)
    hybrid = np.flatnonzero((groups > 0) & (layouts.pipeline_parallel == 1))
    if len(hybrid) and not training_of(scenario).hybrid_sharding:
        layouts = joined([layouts, replace(layouts.at(hybrid), sharding_group=groups[hybrid])])
    return planned(scenario, context, layouts, check)


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
