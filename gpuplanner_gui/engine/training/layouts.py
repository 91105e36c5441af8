"""Layouts of a training job as arrays: all that a search tries, or those that the planner has fixed in part."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import TrainingTable
from gpuplanner_gui.domain.scenario import HardwareChoice, Scenario
from gpuplanner_gui.domain.training_calibration import ExpertTensor
from gpuplanner_gui.domain.training_workload import (
    Offload,
    Parallelism,
    PipelineSchedule,
    Recompute,
    TrainingWorkload,
    ZeroStage,
)

SCHEDULES: tuple[PipelineSchedule, ...] = ("1f1b", "interleaved", "zero_bubble", "dualpipe")
"""Pipeline schedules by code. Interleaved is 1F1B with several chunks of layers per stage."""
PLAIN, INTERLEAVED, ZERO_BUBBLE, DUALPIPE = range(len(SCHEDULES))
IDLE_SHARE = np.array([1.0, 1.0, 1.0 / 3.0, 1.0 / 3.0])
"""Share of 1F1B's bubble that remains. Zero bubble (H1) fills it with the weights' gradients, a third of a pass: Qi et
al. 2024, section 2. DualPipe cut in half: (p − 1)/2 · (F&B + B − 3W), F = W = B/2: DeepSeek-V3 report 2024, table 2."""
MOST_CHUNKS = 16
DEEPEST_PIPELINE = 16


@dataclass(frozen=True)
class ScheduleOption:
    """One way to run the pipeline of every layout; where `is_possible` is not set a layout cannot."""

    schedule: Integers
    virtual_stages: Integers
    is_possible: NDArray[np.bool_]


def schedule_code(name: PipelineSchedule, virtual_stages: int) -> int:
    """Code of a schedule by name; 1F1B in several chunks is interleaved. Raises ValueError for "auto"."""
    code = SCHEDULES.index(name)
    return INTERLEAVED if code == PLAIN and virtual_stages > 1 else code


@lru_cache(maxsize=4096)
def chunk_counts(layers: int, pipeline: int) -> tuple[int, ...]:
    """Virtual stages: divisors of the fullest stage's layers. Llama 3 405B ran 126 layers on 16 stages of 8 chunks, two
    of them a layer short."""
    if pipeline == 1:
        return (1,)
    per_stage = -(-layers // pipeline)
    return tuple(size for size in range(1, min(per_stage, MOST_CHUNKS) + 1) if per_stage % size == 0)


def schedule_options(
    asked: PipelineSchedule,
    given_stages: Integers,
    known: tuple[PipelineSchedule, ...],
    layers: int,
    pipeline: Integers,
    micro_batches: Integers,
    has_experts: bool,
) -> list[ScheduleOption]:
    """What a search tries for layouts of some numbers of stages.

    `given_stages` are virtual stages that are fixed, −1 where they are open; `known` the framework's schedules, which a
    schedule that is asked for by name need not be among. Without a pipeline the first option stands alone.
    """
    is_one, none = pipeline == 1, np.ones_like(pipeline)
    names = [name for name in SCHEDULES if name in known] if asked == "auto" else [asked]
    is_plain = np.full(len(pipeline), "1f1b" in names) & (given_stages <= 1)
    options = [ScheduleOption(np.full_like(pipeline, PLAIN), none, is_one | is_plain)]
    if "interleaved" in names or bool((given_stages > 1).any()):
        options += _interleaved(given_stages, layers, pipeline, micro_batches)
    if "zero_bubble" in names:
        options.append(ScheduleOption(np.full_like(pipeline, ZERO_BUBBLE), none, ~is_one & (given_stages <= 1)))
    if "dualpipe" in names and has_experts:
        # Micro-batches come in from both ends, in pairs.
        paired = (micro_batches % 2 == 0) & (micro_batches >= 2 * pipeline)
        possible = ~is_one & paired & (given_stages <= 1)
        options.append(ScheduleOption(np.full_like(pipeline, DUALPIPE), none, possible))
    return options


def _interleaved(
    given_stages: Integers, layers: int, pipeline: Integers, micro_batches: Integers
) -> list[ScheduleOption]:  # fmt: skip
    """Chunks go round in groups of as many micro-batches as there are stages (Narayanan et al. 2021, section 2.2)."""
    depths, of = np.unique(pipeline, return_inverse=True)
    several = [chunk_counts(layers, int(depth))[1:] for depth in depths]
    counts = np.array([*itertools.zip_longest(*several, fillvalue=0)], np.int64).reshape(-1, len(depths))
    options = []
    for chunks in counts[:, of] if not bool((given_stages > 0).any()) else [np.maximum(given_stages, 0)]:
        possible = (pipeline > 1) & (chunks > 1) & (micro_batches % pipeline == 0)
        code = np.where(possible, INTERLEAVED, PLAIN)
        options.append(ScheduleOption(code, np.where(possible, chunks, 1), possible))
    return options


AUTO = -1
"""Stands for a choice that the plan makes."""
OFFLOADS: tuple[Offload, ...] = ("none", "host", "nvme")
"""Places of optimizer state by code."""
ON_HOST = OFFLOADS.index("host")


@dataclass(frozen=True)
class TrainingLayouts:
    """One entry per layout. From `zero_stage` to `virtual_stages` a choice may be `AUTO`."""

    accelerator: Integers
    devices: Integers
    tensor_parallel: Integers
    pipeline_parallel: Integers
    context_parallel: Integers
    expert_parallel: Integers
    expert_tensor_parallel: Integers
    """Devices that share each expert."""
    zero_stage: Integers
    micro_batch: Integers
    recompute: Integers
    """0 none, 1 selective, 2 full."""
    schedule: Integers
    """Code of `schedules.SCHEDULES`."""
    virtual_stages: Integers
    recompute_share: NDArray[np.float64]
    """Share of the layers with full recomputation; the others keep all. NaN: as few as fit."""
    sharding_group: Integers
    """Copies that ZeRO divides state over, their groups being replicas (HSDP); 0: all of them. May be `AUTO`."""
    offload: Integers
    """Where optimizer state is: a place of `OFFLOADS`. May be `AUTO`."""
    activation_offload: Integers
    """Where activations wait for the backward pass: 0 on the device, 1 in host memory. May be `AUTO`."""

    def __len__(self) -> int:
        return len(self.accelerator)

    @property
    def model_parallel(self) -> Integers:
        """Devices that hold one copy of the model."""
        return self.tensor_parallel * self.pipeline_parallel * self.context_parallel

    @property
    def is_model_divided(self) -> NDArray[np.bool_]:
        """Whether several devices share a copy of the model by other ways than ZeRO."""
        return np.asarray(self.model_parallel * self.expert_parallel > 1)

    @property
    def data_parallel(self) -> Integers:
        return self.devices // self.model_parallel

    @property
    def expert_ways(self) -> Integers:
        """Devices of a stage that hold all its experts once."""
        return self.expert_parallel * self.expert_tensor_parallel

    @property
    def gathers_experts(self) -> NDArray[np.bool_]:
        """Whether tokens are gathered for experts that several devices share, apart from other layers' sums."""
        is_own = (self.expert_parallel > 1) | (self.expert_tensor_parallel != self.tensor_parallel)
        return np.asarray((self.expert_tensor_parallel > 1) & is_own)

    def at(self, index: NDArray[np.int64] | slice) -> TrainingLayouts:
        """The layouts at some positions."""
        return TrainingLayouts(*(getattr(self, part.name)[index] for part in fields(self)))


def most_devices(hardware: HardwareChoice, accelerator: str) -> int:
    """Most devices of a run on an accelerator: as many as are allowed, or all that the planner has of it."""
    held = sum(one.devices for one in hardware.owned if one.accelerator == accelerator)
    return max(hardware.max_training_devices, held)


@lru_cache(maxsize=64)
def device_counts(given: int, most: int, owned: tuple[int, ...] = ()) -> tuple[int, ...]:
    """The given number of devices, else every power of two up to the most, the most, and what the planner has."""
    if given:
        return (given,)
    return tuple(sorted({*_powers_of_two(most), *(one for one in (most, *owned) if 1 <= one <= most)}))


def counts_to_try(hardware: HardwareChoice, accelerator: str = "") -> tuple[int, ...]:
    """Device counts of a run on an accelerator, or on one that the planner has none of."""
    owned = tuple(one.devices for one in hardware.owned if one.accelerator == accelerator)
    return device_counts(hardware.training_devices, most_devices(hardware, accelerator), owned)


def is_usual_expert_tensor(layouts: TrainingLayouts | TrainingTable) -> NDArray[np.bool_]:
    """Whether as many devices share each expert as where nothing is said: with EP one, without it those of TP."""
    usual = np.where(layouts.expert_parallel == 1, layouts.tensor_parallel, 1)
    return np.asarray(layouts.expert_tensor_parallel == usual)


def unusual_expert_tensor(table: TrainingTable, candidate: int) -> int:
    """Devices that share each expert of one layout; 0 where they are as many as where nothing is said."""
    usual = int(table.tensor_parallel[candidate]) if table.expert_parallel[candidate] == 1 else 1
    shared = int(table.expert_tensor_parallel[candidate])
    return 0 if shared == usual else shared


def expert_tensor_sizes(kind: ExpertTensor, tensor: int, expert: int, experts: int) -> tuple[int, ...]:
    """Devices among which a framework can share each of `experts` experts, the usual number first."""
    usual = tensor if expert == 1 else 1
    if not experts or (kind == "all_or_none" and expert == 1):
        return (usual,)
    others = _powers_of_two(tensor) if kind == "any" else (1, tensor)
    return (usual, *sorted({*others} - {usual}))


@lru_cache(maxsize=64)
def parallel_sizes(
    counts: tuple[int, ...],
    layers: int,
    widest_tensor: int,
    context_sizes: tuple[int, ...],
    expert_sizes: tuple[int, ...],
    deepest: int = 64,
    *,
    divides_experts: bool = False,
) -> NDArray[np.int64]:
    """Every way to divide each device count, one row of (devices, TP, PP, CP, EP, ETP) each; pure combinatorics.

    Tensor-parallel sizes are powers of two, pipeline sizes divisors of what is left, at most the number of layers.
    Experts that are spread over devices are whole, and with `divides_experts` cut as other layers as well.
    """
    rows = []
    for count in counts:
        for tensor in _powers_of_two(widest_tensor):
            for context in context_sizes:
                if count % (tensor * context):
                    continue
                left = count // (tensor * context)
                for pipeline in (size for size in range(1, min(left, max(layers, 1), deepest) + 1) if left % size == 0):
                    rows += [
                        (count, tensor, pipeline, context, *split)
                        for split in _expert_splits(tensor, expert_sizes, divides_experts)
                        if (count // pipeline) % math.prod(split) == 0
                    ]
    return np.array(rows, np.int64).reshape(-1, 6)


def _expert_splits(tensor: int, expert_sizes: tuple[int, ...], divides_experts: bool) -> list[tuple[int, int]]:
    """Pairs of EP and ETP."""
    kind: ExpertTensor = "all_or_none"
    return [
        (expert, split)
        for expert in expert_sizes
        for split in expert_tensor_sizes(kind, tensor, expert, experts=int(divides_experts))
    ]


def _powers_of_two(most: int) -> list[int]:
    return [2**power for power in range(most.bit_length()) if 2**power <= most]


def layouts_of(
    accelerators: Integers,
    sizes: NDArray[np.int64],
    zero_stage: int = AUTO,
    micro_batch: int = AUTO,
    recompute: int = AUTO,
    schedule: int = AUTO,
    virtual_stages: int = AUTO,
    sharding_group: int = AUTO,
    offload: int = AUTO,
    activation_offload: int = AUTO,
) -> TrainingLayouts:
    """Every accelerator with every division, accelerators outermost."""
    who = np.repeat(accelerators, len(sizes))
    tiled = np.tile(sizes, (len(accelerators), 1))

    def same(value: int) -> Integers:
        return np.full(len(who), value, np.int64)

    devices, tensor, pipeline, context, expert, expert_tensor = tiled.T
    return TrainingLayouts(
        who, devices, tensor, pipeline, context, expert, expert_tensor,
        same(zero_stage), same(micro_batch), same(recompute), same(schedule), same(virtual_stages),
        np.full(len(who), np.nan if recompute == AUTO else float(recompute == 2)), same(sharding_group), same(offload),
        same(activation_offload),
    )  # fmt: skip


def joined(parts: list[TrainingLayouts]) -> TrainingLayouts:
    """Several sets of layouts, one after another."""
    return TrainingLayouts(
        *(np.concatenate([getattr(part, name.name) for part in parts]) for name in fields(TrainingLayouts))
    )


_RECOMPUTE: tuple[Recompute, ...] = ("none", "selective", "full")
_ZERO: tuple[ZeroStage, ...] = ("0", "1", "2", "3")


def sizes_to_try(
    given: Parallelism,
    counts: tuple[int, ...],
    layers: int,
    widest_tensor: int,
    context_sizes: tuple[int, ...],
    expert_sizes: tuple[int, ...],
    deepest: int,
    *,
    divides_experts: bool = False,
) -> Integers:
    """Rows of (devices, TP, PP, CP, EP, ETP) that keep what is given; as `parallel_sizes` where nothing is.

    A count that the given sizes do not divide is rounded down to one that they do; where none is left, the smallest
    that they divide is tried.
    """
    if not (given.tensor or given.pipeline or given.context or given.expert or given.expert_tensor):
        return parallel_sizes(
            counts, layers, widest_tensor, context_sizes, expert_sizes, deepest, divides_experts=divides_experts
        )
    of_experts = (given.expert,) if given.expert else expert_sizes
    shapes = [
        (tensor, context, expert, given.expert_tensor or split)
        for tensor in ((given.tensor,) if given.tensor else _powers_of_two(widest_tensor))
        for context in ((given.context,) if given.context else context_sizes)
        for expert, split in _expert_splits(tensor, of_experts, divides_experts and not given.expert_tensor)
    ]
    rows = {row for count in counts for row in _rows(count, shapes, given.pipeline, max(min(layers, deepest), 1))}
    if not rows:
        tensor, context, *split = shapes[0]
        pipeline = given.pipeline or 1
        rows = {(_unit(tensor, pipeline, context, math.prod(split)), tensor, pipeline, context, *split)}
    return np.array(sorted(rows), np.int64).reshape(-1, 6)


def _rows(
    count: int, shapes: list[tuple[int, int, int, int]], pipeline: int, deepest: int
) -> Iterator[tuple[int, ...]]:
    for tensor, context, expert, expert_tensor in shapes:
        left = count // (tensor * context)
        stages = (pipeline,) if pipeline else tuple(size for size in range(1, deepest + 1) if left % size == 0)
        for size in stages if left else ():
            unit = _unit(tensor, size, context, expert * expert_tensor)
            if count >= unit:
                yield count // unit * unit, tensor, size, context, expert, expert_tensor


def _unit(tensor: int, pipeline: int, context: int, expert_ways: int) -> int:
    """Devices that a layout comes in multiples of."""
    return math.lcm(tensor * pipeline * context, pipeline * expert_ways)


def with_given_choices(layouts: TrainingLayouts, given: Parallelism) -> TrainingLayouts:
    """The layouts with the virtual stages and the share of recomputed layers that are given."""
    virtual, share = layouts.virtual_stages, layouts.recompute_share
    if given.virtual_stages:
        virtual = np.where(layouts.pipeline_parallel > 1, given.virtual_stages, 1)
    if given.recomputed_layers is not None:
        share = np.where(layouts.recompute == 2, given.recomputed_layers, share)
    return replace(layouts, virtual_stages=virtual, recompute_share=share)


def hybrid_groups(layouts: TrainingLayouts, domain_devices: Floats, stages: tuple[int, ...]) -> Integers:
    """Copies of one scale-up domain that can divide state among themselves (HSDP); 0 where all copies are the group.

    A power of two, so that groups divide the copies and a rack of 72; it holds whole context- and expert-parallel
    groups, which frameworks build inside it. `stages` are the ZeRO stages that may be divided so.
    """
    copies = layouts.data_parallel * layouts.context_parallel
    within = np.maximum(domain_devices // layouts.tensor_parallel, 1).astype(np.int64)
    group = np.gcd(copies, 2 ** np.floor(np.log2(within)).astype(np.int64))
    is_whole = (group % layouts.context_parallel == 0) & ((group * layouts.tensor_parallel) % layouts.expert_ways == 0)
    is_known = np.isin(layouts.zero_stage, (AUTO, *stages) if stages else ())
    return np.where(is_known & is_whole & (group > 1) & (group < copies), group, 0)


def table_layout(table: TrainingTable, candidate: int) -> TrainingLayouts:
    """One candidate of a table as a set of one layout, every choice made."""
    one = slice(candidate, candidate + 1)
    return TrainingLayouts(*(getattr(table, part.name)[one] for part in fields(TrainingLayouts)))


def with_layout_fixed(scenario: Scenario, table: TrainingTable, candidate: int) -> Scenario:
    """The scenario with every choice as a candidate has it: devices, sizes, micro-batch, ZeRO stage, recomputation.

    Virtual stages need a schedule that has them. Raises ValueError for a scenario without training.
    """
    if scenario.training is None:
        raise ValueError("the scenario has no training workload")
    recompute = int(table.recompute[candidate])
    chunks = int(table.virtual_stages[candidate])
    share = None if recompute < 2 or table.recompute_share is None else float(table.recompute_share[candidate])
    # Without a pipeline there is nothing to schedule.
    schedule: PipelineSchedule = "auto"
    if int(table.pipeline_parallel[candidate]) > 1:
        schedule = SCHEDULES[int(table.schedule[candidate])]
    training = msgspec.structs.replace(
        scenario.training,
        micro_batch=int(table.micro_batch[candidate]),
        zero_stage=_ZERO[int(table.zero_stage[candidate])],
        recompute=_RECOMPUTE[recompute],
        schedule=schedule,
        hybrid_sharding=bool(table.sharding_group[candidate]),
        offload=OFFLOADS[int(table.offload[candidate])],
        offload_activations=bool(table.activation_offload[candidate]),
        parallelism=Parallelism(
            tensor=int(table.tensor_parallel[candidate]),
            pipeline=int(table.pipeline_parallel[candidate]),
            context=int(table.context_parallel[candidate]),
            expert=int(table.expert_parallel[candidate]),
            expert_tensor=int(table.expert_tensor_parallel[candidate]),
            virtual_stages=chunks,
            recomputed_layers=share,
        ),
    )
    devices = int(table.devices[candidate])
    hardware = msgspec.structs.replace(
        scenario.hardware,
        training_devices=devices,
        max_training_devices=max(devices, scenario.hardware.max_training_devices),
    )
    return msgspec.structs.replace(scenario, training=training, hardware=hardware)


def with_layout_open(training: TrainingWorkload) -> TrainingWorkload:
    """The job with its layout left to the search; one that fixes no sizes keeps its other choices."""
    if training.parallelism == Parallelism():
        return training
    return msgspec.structs.replace(
        training, parallelism=Parallelism(), micro_batch=0, zero_stage="auto", recompute="auto", schedule="auto",
        hybrid_sharding=False, offload="auto", offload_activations=False,
    )  # fmt: skip
