"""Which serving configurations are tried: accelerator × layout of a replica × weight and KV precision."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.model import DenseFfn, Model, MoeFfn, Precision
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.scenario import Scenario, TooManyCandidates
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.columns import names_of
from gpuplanner_gui.engine.model.cache_sizes import has_kv_cache
from gpuplanner_gui.engine.model.mixer_heads import mixer_heads
from gpuplanner_gui.engine.model.precision import PRECISION_INDEX

Sizes = tuple[int, int, int, int]
"""Tensor parallel, pipeline parallel, attention data parallel, expert parallel."""

LAYOUTS: tuple[Sizes, ...] = tuple((tp, pp, 1, 1) for tp, pp in (
    (1, 1), (2, 1), (4, 1), (8, 1), (16, 1), (32, 1), (64, 1), (72, 1),
    (1, 2), (2, 2), (4, 2), (8, 2), (16, 2), (32, 2),
    (1, 4), (2, 4), (4, 4), (8, 4), (16, 4),
))  # fmt: skip
"""Sizes that engines are run with."""
EXPERT_LAYOUTS: tuple[Sizes, ...] = (
    *((size, 1, 1, size) for size in (2, 4, 8, 16, 32, 64, 72)),
    *((1, 1, size, size) for size in (2, 4, 8, 16, 32, 64, 72)),
    *((tp, 1, dp, tp * dp) for tp, dp in ((2, 2), (2, 4), (4, 2), (2, 8), (4, 4), (8, 2), (4, 8), (8, 4), (8, 8))),
)
"""Those of models with routed experts: attention by tensor parallelism or in groups of its own, experts over all."""
USUAL_WEIGHT_PRECISIONS: tuple[Precision, ...] = field_of(ServingWorkload, "weight_precisions").default
FOUR_BIT_FORMATS = ("nvfp4", "mxfp4")
LARGEST_TENSOR_PARALLEL = 72
"""Devices of the largest scale-up domain that is sold."""
USUAL_TENSOR_PARALLEL = tuple(dict.fromkeys(size[0] for size in LAYOUTS))
ONE = np.ones(1, np.int64)
NONE = np.zeros(1, np.int64)


MOST_CANDIDATES = 100_000
"""Most candidates of one plan, which then takes up to 250 MB; the whole catalogue in the usual formats has 59,000 of
a mixture."""
MOST_BOUNDED = 20 * MOST_CANDIDATES
"""Most combinations that are checked for weights that cannot fit."""


@dataclass(frozen=True)
class StatedLayout:
    """Sizes that the planner states; 0: all that are usual. False where none is stated."""

    tensor_parallel: int = 0
    data_parallel: int = 0
    expert_parallel: int = 0

    def __bool__(self) -> bool:
        return bool(self.tensor_parallel or self.data_parallel or self.expert_parallel)

    @property
    def devices(self) -> int:
        """Least number of devices that the layout can have."""
        return max(self.tensor_parallel, 1) * max(self.data_parallel, 1)

    def allows(self, size: Sizes) -> bool:
        """Whether a layout has the sizes that are stated."""
        own = (self.tensor_parallel, self.data_parallel, self.expert_parallel)
        return all(not one or one == there for one, there in zip(own, (size[0], size[2], size[3])))


def stated_layout(serving: ServingWorkload) -> StatedLayout:
    """What a workload states of its replicas' layout."""
    return StatedLayout(serving.tensor_parallel, serving.attention_data_parallel, serving.expert_parallel)


@dataclass(frozen=True)
class ServingCandidates:
    """One entry per configuration of one replica."""

    accelerator: Integers
    tensor_parallel: Integers
    pipeline_parallel: Integers
    weight_precision: Integers
    kv_precision: Integers
    data_parallel: Integers = field(default_factory=lambda: ONE)
    """Groups that attend to their own sequences, with experts in common."""
    expert_parallel: Integers = field(default_factory=lambda: ONE)
    """Groups of devices that hold different experts."""

    prefill_tensor_parallel: Integers = field(default_factory=lambda: NONE)
    """Tensor parallelism of a prefill worker where prefill has its own pool; the layout above is then that of one
    that decodes."""
    prefill_data_parallel: Integers = field(default_factory=lambda: NONE)
    prefill_expert_parallel: Integers = field(default_factory=lambda: NONE)
    prefill_workers: Integers = field(default_factory=lambda: NONE)
    """Prefill workers of one unit of two pools; 0: prompts and answers share every device."""
    decode_workers: Integers = field(default_factory=lambda: NONE)
    """Decode workers of one unit of two pools."""
    draft_tokens: Integers = field(default_factory=lambda: NONE)
    """Drafted for each sequence in each step."""

    def __post_init__(self) -> None:
        for name in names_of(ServingCandidates)[5:]:
            column = getattr(self, name)
            if column.shape != self.accelerator.shape:
                object.__setattr__(self, name, np.broadcast_to(column, self.accelerator.shape))

    def __len__(self) -> int:
        return len(self.accelerator)

    @property
    def devices(self) -> Integers:
        """Devices of a replica, or of a unit of two pools."""
        prefill = self.prefill_tensor_parallel * self.prefill_data_parallel * self.prefill_workers
        return self.worker_devices * np.maximum(self.decode_workers, 1) + prefill

    @property
    def worker_devices(self) -> Integers:
        """Devices that decode together."""
        return self.tensor_parallel * self.pipeline_parallel * self.data_parallel

    @property
    def is_apart(self) -> NDArray[np.bool_]:
        """Where prefill and decode have pools of their own."""
        return self.prefill_tensor_parallel > 0

    @property
    def prefill(self) -> ServingCandidates:
        """The workers that prefill, as replicas."""
        return replace(
            self,
            tensor_parallel=self.prefill_tensor_parallel,
            pipeline_parallel=np.ones_like(self.pipeline_parallel),
            data_parallel=self.prefill_data_parallel,
            expert_parallel=self.prefill_expert_parallel,
        ).together

    @property
    def together(self) -> ServingCandidates:
        """The main layout alone: of pools, the workers that decode."""
        none = np.zeros_like(self.accelerator)
        return replace(self, **dict.fromkeys(POOL_COLUMNS, none))

    def at(self, index: NDArray[np.int64]) -> ServingCandidates:
        """The configurations at some positions."""
        return ServingCandidates(*(getattr(self, name)[index] for name in names_of(ServingCandidates)))

    @staticmethod
    def of_table(table: ServingTable, rows: Integers | slice = slice(None)) -> ServingCandidates:
        """Rows of a plan's table."""
        names = (TABLE_NAMES.get(name, name) for name in names_of(ServingCandidates))
        return ServingCandidates(*(getattr(table, name)[rows] for name in names))


def drafting(scenario: Scenario, chosen: ServingCandidates) -> Scenario:
    """The scenario as candidates that all draft alike are run: a number of draft tokens that it leaves open is theirs.

    Raises ValueError for candidates that differ in it.
    """
    serving = scenario.serving
    if serving is None or serving.engine.speculative_tokens is not None or not len(chosen):
        return scenario
    (tokens,) = np.unique(chosen.draft_tokens)
    engine = msgspec.structs.replace(serving.engine, speculative_tokens=int(tokens))
    return msgspec.structs.replace(scenario, serving=msgspec.structs.replace(serving, engine=engine))


POOL_COLUMNS = (
    "prefill_tensor_parallel", "prefill_data_parallel", "prefill_expert_parallel", "prefill_workers", "decode_workers",
)  # fmt: skip
TABLE_NAMES = {"data_parallel": "attention_data_parallel"}


def serving_candidates(
    accelerator_count: int,
    weight_precisions: tuple[str, ...],
    kv_precisions: tuple[str, ...],
    max_devices: int,
    model: Model | None = None,
    stated: StatedLayout | None = None,
    fewest_devices: Floats | None = None,
) -> ServingCandidates:
    """Every combination, accelerators outermost; layouts of experts for models that route tokens to some.

    Without formats of the cache it is stored as the weights are. Without a stated layout the usual ones, and those that
    cut the model evenly though they are no power of two. A stated one may have more than `max_devices`.
    `fewest_devices`, shape (accelerators, formats of weights), are those
    that a model's weights take at least, infinite where a format is not searched; layouts of fewer devices are left
    out where there are too many candidates. Raises TooManyCandidates before memory is taken.
    """
    sizes = tried_layouts(model, stated or StatedLayout(), max_devices)
    devices = sizes[:, 0] * sizes[:, 1] * sizes[:, 2]
    shape = accelerator_count, len(sizes), len(weight_precisions)
    ways = max(len(kv_precisions), 1)
    whole = math.prod(shape) * ways
    if whole > (MOST_CANDIDATES if fewest_devices is None else MOST_BOUNDED):
        raise TooManyCandidates(whole, MOST_CANDIDATES)
    fewest = np.ones((shape[0], shape[2])) if fewest_devices is None else fewest_devices
    kept = np.broadcast_to(np.isfinite(fewest)[:, None, :], shape)
    if np.count_nonzero(kept) * ways > MOST_CANDIDATES:
        kept = fewest[:, None, :] <= devices[:, None]
    accelerator, size, weight = np.nonzero(kept)
    if len(size) * ways > MOST_CANDIDATES:
        raise TooManyCandidates(len(size) * ways, MOST_CANDIDATES)
    weights = np.array([PRECISION_INDEX[name] for name in weight_precisions], np.int64)
    caches = np.array([PRECISION_INDEX[name] for name in kv_precisions], np.int64)
    accelerator, size, weight = (np.repeat(one, ways) for one in (accelerator, size, weights[weight]))
    tp, pp, dp, ep = sizes[size].T
    tiled = np.tile(caches, len(size) // ways) if len(caches) else weight
    return ServingCandidates(accelerator, tp, pp, weight, tiled, dp, ep)


def searched_kv_precisions(serving: ServingWorkload, model: Model) -> tuple[Precision, ...]:
    """Formats of the cache that the search takes; none for a model without one, whose candidates differ in weights."""
    return serving.kv_precisions if has_kv_cache(model) else ()


def searched_weight_precisions(serving: ServingWorkload, model: Model) -> tuple[Precision, ...]:
    """Formats of weights that the search takes: as chosen, in any order; where no usual one was struck, four bits of
    published checkpoints too.

    Where the checkpoint at hand is stored so, devices and engines that do not run it keep their reason.
    """
    chosen = serving.weight_precisions
    if not set(chosen) >= set(USUAL_WEIGHT_PRECISIONS):
        return chosen
    known = (model.weight_format.quantized, *model.published_formats)
    return tuple(dict.fromkeys((*chosen, *(one for one in known if one in FOUR_BIT_FORMATS))))


def tried_layouts(model: Model | None, stated: StatedLayout, max_devices: int) -> Integers:
    """Sizes of the layouts that a model is tried with, shape (layouts, 4)."""
    most = max(max_devices, stated.devices)
    layouts = tuple(size for size in _layouts(model, stated) if size[0] * size[1] * size[2] <= most)
    return np.array(layouts, np.int64).reshape(-1, 4)


def _layouts(model: Model | None, stated: StatedLayout) -> tuple[Sizes, ...]:
    """Layouts that a model is tried with."""
    has_experts = model is not None and any(isinstance(group.ffn, MoeFfn) for group in model.layers)
    layouts = (*LAYOUTS, *EXPERT_LAYOUTS) if has_experts else LAYOUTS
    if stated:
        every = (*layouts, *_completed(stated, has_experts))
        return tuple(dict.fromkeys(size for size in every if stated.allows(size)))
    if model is None:
        return layouts
    even: list[Sizes] = [(size, 1, 1, 1) for size in even_tensor_parallel(model)]
    even += [(size, 1, 1, size) for size in even_tensor_parallel(model)] if has_experts else []
    return tuple(dict.fromkeys((*layouts, *even)))


def _completed(stated: StatedLayout, has_experts: bool) -> Iterator[Sizes]:
    """A stated layout whatever its sizes, what it leaves open in the usual ways."""
    groups = stated.data_parallel or 1
    for tensor in (stated.tensor_parallel,) if stated.tensor_parallel else USUAL_TENSOR_PARALLEL:
        whole = tensor * groups
        usual = (1, whole) if has_experts else (1,)
        for experts in (stated.expert_parallel,) if stated.expert_parallel else usual:
            if whole % experts == 0:
                stages = (1, 2, 4) if groups * experts == 1 else (1,)
                yield from ((tensor, each, groups, experts) for each in stages)


def even_tensor_parallel(model: Model) -> tuple[int, ...]:
    """Sizes that are no power of two and cut a model evenly.

    Query heads and the width of feed-forward layers divide; KV heads divide, or each is held by as many devices.
    """
    mixers = [mixer_heads(group.mixer) for group in model.layers]
    heads, kv_heads = [one.query for one in mixers if one.query], {one.kv for one in mixers if one.kv}
    dense = [group.ffn.size for group in model.layers if isinstance(group.ffn, DenseFfn)]
    experts = [group.ffn.expert_size for group in model.layers if isinstance(group.ffn, MoeFfn)]
    whole = int(np.gcd.reduce([*heads, *dense, *experts])) if heads else 0
    return tuple(
        size
        for size in range(3, LARGEST_TENSOR_PARALLEL + 1)
        if whole and whole % size == 0 and size & (size - 1)
        and all(kv % size == 0 or size % kv == 0 for kv in kv_heads)
    )  # fmt: skip
