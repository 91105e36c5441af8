"""Separate pools whose set-up is left open: every one that may be meant, and how often operators choose it.

A set-up is the workers of both pools, whether attention runs in groups, and drafts. The share of each does not depend
on how fast it is predicted to be, so that a faster device never makes the middle of them slower.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import PoolLayout, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.deployments import case_deployments
from gpuplanner_gui.engine.serving.predict.closed_loop import pools_in_loop
from gpuplanner_gui.engine.serving.predict.door import POOL_SHARE, SIZES
from gpuplanner_gui.engine.serving.predict.points import column
from tools.observation.closed_loops import Observed
from tools.observation.habits import TRAITS, EngineHabits, PoolPractice, Source, admission_steps

WORKERS = (1, 2, 3, 4, 6, 8, 12)
"""That are tried; the middle of the set-ups lies between them."""
MOST_DEVICES = 96
"""Of a decode pool that is tried."""
USUAL_DEVICES = 32.0
"""Against which the size of a decode pool is measured."""
UNIT = 4
"""Devices in which two pools of a known sum are parted."""
PARTED_WORKERS = (4, 8)
PREFILL_WORKER = 8
"""Devices of a worker that prefills, at most, where nothing is said."""
DRAFTS = (0, 1, 2, 3)
ROUNDING = 1e-9
"""Of sums of shares."""


@dataclass(frozen=True)
class Setups:
    """Cases without anything open, and the position of the case that each may stand for."""

    cases: list[ServingCase]
    of: Integers

    def shares(self, practice: PoolPractice) -> Floats:
        """How often each is chosen among those of its case; they sum to 1 for each."""
        utility = traits_of(self.cases) @ np.array([getattr(practice, name) for name in TRAITS])
        return shares_of(utility, self.of)


def shares_of(utility: Floats, of: Integers) -> Floats:
    """Shares of choices with these utilities, among those of the same case: a logit.

    References
    ----------
    .. [1] McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    highest = np.full(of[-1] + 1, -np.inf)
    np.maximum.at(highest, of, utility)
    odds = np.exp(utility - highest[of])
    return np.asarray(odds / np.bincount(of, odds)[of])


def setups_of(cases: Sequence[ServingCase], sources: Sequence[Source], context: Context, engine: EngineFacts) -> Setups:
    """Every set-up that each case may mean; the case itself where it leaves nothing open."""
    found = [list(_setups(*one, context, engine)) for one in zip(cases, sources, strict=True)]
    counts = [len(ways) for ways in found]
    return Setups([way for ways in found for way in ways], np.repeat(np.arange(len(cases)), counts))


def observed_pools(
    cases: Sequence[ServingCase],
    sources: Sequence[Source],
    context: Context,
    engine: EngineFacts,
    habits: EngineHabits,
) -> Observed:
    """What sources' clients saw of pools of one model; the middle of what operators choose where they are left open.

    To the steady state comes the start burst, whose prompts share the workers, and the wait of the recipe's looks.
    """
    setups = setups_of(cases, sources, context, engine)
    decode = case_deployments(setups.cases, [one.layout for one in setups.cases], context, engine)
    prefill = case_deployments(
        setups.cases, [one.prefill_layout or one.layout for one in setups.cases], context, engine
    )
    loop = pools_in_loop(setups.cases, decode, prefill)
    steps = admission_steps(setups.cases, [sources[position] for position in setups.of], habits)
    looked_s = (steps - engine.admission_steps) * loop.step_s
    burst_s = loop.in_turn_s * loop.prompts_each / 2 / habits.prompts_per_user
    share = setups.shares(habits.pool_practice)
    return Observed(
        middle_of(loop.ttft_s + looked_s + burst_s, share, setups.of), middle_of(loop.tpot_s, share, setups.of)
    )


def _setups(case: ServingCase, source: Source, context: Context, engine: EngineFacts) -> Iterator[ServingCase]:
    is_open = case.layout.replicas == 0
    pools = _pools(case, context, engine) if is_open else [(case.layout, case.prefill_layout)]
    for (decode, prefill), drafts in product(pools, DRAFTS if source.may_speculate else (case.draft_tokens,)):
        yield msgspec.structs.replace(
            case, layout=decode, prefill_layout=prefill, draft_tokens=drafts, both_pools_devices=0
        )


Pools = list[tuple[PoolLayout, PoolLayout | None]]
"""Layouts of the decode and the prefill pool."""


def _pools(case: ServingCase, context: Context, engine: EngineFacts) -> Pools:
    """Pools of known workers, of a known sum of devices, or of any size that holds the model."""
    has_experts = model_parameters(case.model).routed_experts > 0
    sizes = _holding(case, SIZES, context, engine)
    if case.both_pools_devices:
        return _parted(case.both_pools_devices, [one for one in PARTED_WORKERS if one in sizes], has_experts)
    if case.layout.devices > 1 or 1 in sizes:
        return [(one, case.prefill_layout) for one in _of_workers(case.layout, has_experts)]
    return [
        (one, _in_groups(min(size, PREFILL_WORKER), 0.0) if has_experts else _together(size, 0.0, has_experts))
        for size in sizes
        for one in _of_workers(_together(size, 0.0, has_experts), has_experts)
    ]


def _holding(case: ServingCase, sizes: Sequence[int], context: Context, engine: EngineFacts) -> list[int]:
    """Sizes of a worker that leave room for the cache; the largest where none does."""
    has_experts = model_parameters(case.model).routed_experts > 0
    layouts = [_together(size, 1.0, has_experts) for size in sizes]
    found = case_deployments([case] * len(sizes), layouts, context, engine)
    memory = context.devices.memory_bytes[found.replica.accelerator]
    held = [size for size, room in zip(sizes, found.memory.pool > POOL_SHARE * memory) if room]
    return held or [max(sizes)]


def _parted(devices: int, sizes: Sequence[int], has_experts: bool) -> Pools:
    """Two pools of so many devices together: one worker in groups decodes, or several of a usual size."""
    found: Pools = []
    for prefilling in range(UNIT, devices - UNIT + 1, UNIT):
        unit = PREFILL_WORKER if prefilling % PREFILL_WORKER == 0 else UNIT
        prefill = _in_groups(unit, prefilling // unit)
        decoding = devices - prefilling
        found.append((_in_groups(decoding, 1.0), prefill))
        for size in sizes:
            if decoding % size == 0 and decoding > size:
                workers = decoding // size
                found += [(_together(size, workers, has_experts), prefill), (_in_groups(size, workers), prefill)]
    return found or [(_together(devices, 1.0, has_experts), _together(devices, 1.0, has_experts))]


def _of_workers(stated: PoolLayout, has_experts: bool) -> list[PoolLayout]:
    """So many workers of a stated size; where their attention is stated as one group, it may run in several."""
    size = stated.devices
    kinds = [stated if stated.data_parallel > 1 or stated.expert_parallel == 1 else _together(size, 1.0, has_experts)]
    if has_experts and stated.data_parallel == 1 and size > 1:
        kinds.append(_in_groups(size, 1.0))
    counts = [count for count in WORKERS if count * size <= MOST_DEVICES] or [1]
    return [msgspec.structs.replace(kind, replicas=float(count)) for kind in kinds for count in counts]


def _in_groups(size: int, workers: float) -> PoolLayout:
    return PoolLayout(data_parallel=size, expert_parallel=size, replicas=float(workers))


def _together(size: int, workers: float, has_experts: bool) -> PoolLayout:
    experts = size if has_experts else 1
    return PoolLayout(
        tensor_parallel=size,
        expert_parallel=experts,
        expert_tensor_parallel=size // experts,
        replicas=float(workers),
    )


def traits_of(cases: Sequence[ServingCase]) -> Floats:
    """What counts in a choice, of each set-up: columns as `PoolPractice` names them. Shape (cases, traits)."""
    workers = np.array([case.layout.replicas for case in cases])
    decoding = workers * np.array([case.layout.devices for case in cases])
    groups = np.array([case.layout.data_parallel > 1 for case in cases], np.float64)
    drafts = np.array([case.draft_tokens > 0 for case in cases], np.float64)
    load = np.log(np.maximum(column(cases, "concurrency"), 1.0) / decoding)
    size = np.log(decoding / USUAL_DEVICES)
    length = np.log(np.maximum(column(cases, "prompt_tokens"), 1.0) / np.maximum(column(cases, "output_tokens"), 1.0))
    of_trait = {
        "groups_by_load": groups * load,
        "groups_by_workers": groups * np.log(workers),
        "devices": size,
        "devices_squared": size**2,
        "devices_by_length": size * length,
        "drafts": drafts,
    }
    return np.stack([of_trait[name] for name in TRAITS], axis=1)


def middle_of(values: Floats, share: Floats, of: Integers) -> Floats:
    """The weighted median of each case's set-ups: of all single answers that with the least mean size of error in the
    logarithm, and never less where no set-up takes less. Shape (cases,)."""
    order = np.lexsort((values, of))
    reached = np.cumsum(share[order])
    half = np.arange(of[-1] + 1) + 0.5 - ROUNDING
    return np.asarray(values[order][np.searchsorted(reached, half)])
