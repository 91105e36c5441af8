"""Memory of the most loaded device of a layout: the first stage or the last, whichever needs more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.training.activation_memory import (
    activation_bytes,
    buffer_bytes,
    dualpipe_in_flight,
    fragmentation_bytes,
    in_flight,
    last_in_flight,
    logits_bytes,
    runtime_bytes,
)
from gpuplanner_gui.engine.training.job import RECIPES, TrainingJob
from gpuplanner_gui.engine.training.layouts import DUALPIPE, ZERO_BUBBLE, TrainingLayouts
from gpuplanner_gui.engine.training.state_memory import (
    Shards,
    StateMemory,
    are_weights_streamed,
    end_parameters,
    fullest_stage_layers,
    shards,
    state_memory,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


LARGEST_VALUE = 2**20
"""Largest value of a column that is numbered by a table; beyond it all rows count as different."""
LARGEST_KEY = 2**22
"""Largest key of a table of keys; beyond it keys are sorted."""


def distinct_rows(columns: Sequence[Integers]) -> tuple[Integers, Integers] | None:
    """First position of each distinct row, and for every row which of them it is like; None for values too large.

    `columns` are non-negative integers of one length. Tables in place of sorting: a few reads per value.
    """
    key, kinds = np.zeros(len(columns[0]), np.int64), 1
    for column in columns:
        if int(column.min()) < 0 or int(column.max()) >= LARGEST_VALUE:
            return None
        numbers, count = _numbered(column)
        if count > 1:
            key, kinds = key * count + numbers, kinds * count
        if kinds > LARGEST_KEY:
            _, key = np.unique(key, return_inverse=True)
            kinds = int(key.max()) + 1
    of, count = _numbered(key)
    first = np.empty(count, np.int64)
    first[of[::-1]] = np.arange(len(of) - 1, -1, -1)
    return first, of


def _numbered(values: Integers) -> tuple[Integers, int]:
    """Values as 0, 1, 2, … in their order, and how many there are."""
    seen = np.zeros(int(values.max()) + 1, np.int64)
    seen[values] = 1
    ranks = np.cumsum(seen)
    return ranks[values] - 1, int(ranks[-1])


T = TypeVar("T", bound="DataclassInstance")

GATHERED_LAYERS = 2.0
"""Layers whose full weights are there at once under ZeRO-3: the one at work and the one prefetched. A model of unknown
blocks is one."""
TRAVELLING_LAYERS = 2.0
"""Layers whose activations are on their way to or from host memory at once."""
FEW_LAYOUTS = 64
"""Number of layouts up to which equal ones are not looked for."""


@dataclass(frozen=True)
class WorkingMemory:
    """Bytes of one device that depend on the micro-batch, and what the framework itself takes."""

    activations: Floats
    logits: Floats
    fragmentation: Floats
    library: Floats
    """Device context and what libraries take."""

    @property
    def total(self) -> Floats:
        return self.activations + self.logits + self.fragmentation + self.library


@dataclass(frozen=True)
class KeptMemory:
    """Bytes of one device that do not depend on the micro-batch."""

    state: StateMemory
    buffers: Floats
    """Weights gathered for use, gradients on their way, communication buckets."""

    @property
    def total(self) -> Floats:
        return self.state.total + self.buffers


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes of one device; the parts add up to `total`."""

    state: StateMemory
    activations: Floats
    logits: Floats
    buffers: Floats
    fragmentation: Floats
    runtime: Floats
    """Buffers, fragmentation, device context and libraries."""
    total: Floats

    @property
    def allocated(self) -> Floats:
        """What a framework's own counters call allocated. [bytes]"""
        return self.state.total + self.activations + self.logits + self.buffers

    @property
    def reserved(self) -> Floats:
        """What a framework's own counters call reserved: no device context, no libraries. [bytes]"""
        return self.allocated + self.fragmentation


@formula(
    title="Memory of a device",
    unit="bytes",
    expression="weights + gradients + master weights + moments + activations + logits + runtime",
    source="sum of the parts",
)
def device_bytes(state: StateMemory, activations: Floats, logits: Floats, runtime: Floats) -> Floats:
    """All that a device holds at the peak of a step. [bytes]"""
    return state.total + activations + logits + runtime


@formula(
    title="Device context and libraries, corrected by own measurements",
    unit="bytes",
    expression="max(library_bytes + own_reserve_bytes, 0)",
    source="middle of measured less predicted memory, shrunk by the number of runs",
)
def reserved_bytes(library_bytes: Floats, own_reserve_bytes: Floats) -> Floats:
    """What a framework takes beside state and activations. [bytes]"""
    return np.maximum(library_bytes + own_reserve_bytes, 0.0)


@formula(
    title="Micro-batches of a step",
    unit="",
    expression="⌈global_sequences / (micro_batch · data_parallel)⌉",
    source="gradient accumulation",
)
def micro_batches(global_sequences: float, micro_batch: NDArray[np.int64], data_parallel: NDArray[np.int64]) -> Floats:
    """Passes of each model copy between two updates. [1]"""
    return np.ceil(global_sequences / (micro_batch * data_parallel))


def training_memory(job: TrainingJob, layouts: TrainingLayouts) -> TrainingMemory:
    """Memory of layouts with every choice made."""
    kept = _kept_by_end(job, layouts)
    first, last = (
        _stage_memory(kept[end], working_memory(job, layouts, is_first=end == 0)) for end in range(len(kept))
    )
    is_last = (last.total > first.total) & (layouts.pipeline_parallel > 1)
    return picked(is_last, last, first)


def _stage_memory(kept: KeptMemory, work: WorkingMemory) -> TrainingMemory:
    runtime = runtime_bytes(work.library, kept.buffers, work.fragmentation)
    total = device_bytes(kept.state, work.activations, work.logits, runtime)
    return TrainingMemory(kept.state, work.activations, work.logits, kept.buffers, work.fragmentation, runtime, total)


def _kept_by_end(job: TrainingJob, layouts: TrainingLayouts) -> tuple[KeptMemory, KeptMemory]:
    """Kept activations of the first and the last stage; computed once for layouts that differ by micro-batch or
    recomputation alone."""
    of = None
    if len(layouts) > FEW_LAYOUTS:
        columns = [
            layouts.devices, layouts.tensor_parallel, layouts.pipeline_parallel, layouts.context_parallel,
            layouts.expert_parallel, layouts.expert_tensor_parallel, layouts.zero_stage, layouts.sharding_group,
            layouts.offload,
        ]  # fmt: skip
        found = distinct_rows(columns)
        if found is not None:
            layouts, of = layouts.at(found[0]), found[1]
    part = shards(job, layouts)
    first, last = (kept_memory(job, layouts, part, ends, layouts.zero_stage) for ends in end_parameters(job, layouts))
    return (first, last) if of is None else (spread_over(first, of), spread_over(last, of))


def spread_over(struct: T, index: NDArray[np.int64]) -> T:
    """A struct of arrays at some positions; origins are kept for explanations."""
    values = {}
    for part in fields(struct):
        one = getattr(struct, part.name)
        values[part.name] = carried(one[index], one) if isinstance(one, np.ndarray) else spread_over(one, index)
    return type(struct)(**values)


def picked(mask: NDArray[np.bool_], yes: T, no: T) -> T:
    """One of two structs of arrays per entry; origins are kept for explanations."""
    values = {}
    for part in fields(yes):
        a, b = getattr(yes, part.name), getattr(no, part.name)
        if isinstance(a, np.ndarray):
            values[part.name] = carried(np.where(mask, a, b), a if bool(mask.all()) else b)
        else:
            values[part.name] = picked(mask, a, b)
    return type(yes)(**values)


def kept_memory(
    job: TrainingJob, layouts: TrainingLayouts, part: Shards, ends: Floats, zero_stage: NDArray[np.int64]
) -> KeptMemory:
    """Training state of one stage's device, and the layers gathered for use."""
    state = state_memory(job, part, ends, zero_stage)
    layers = fullest_stage_layers(job, layouts.pipeline_parallel)
    is_gathered = ((zero_stage >= 3) & (part.copies > 1)) | are_weights_streamed(job, part, zero_stage)
    gathered = is_gathered.astype(np.float64)
    head = gathered * job.numbers.head_parameters / layouts.tensor_parallel
    buffers = buffer_bytes(
        np.minimum(GATHERED_LAYERS, layers) * gathered,
        job.gathered_bytes * (part.dense_layers + part.experts) / layers,
        job.stream_bytes * head,
        (0.0 if job.is_adapter else job.stream_bytes) * head,
        np.where(part.copies > 1, job.framework.bucket_bytes, 0.0),
    )
    return KeptMemory(state, buffers)


def working_memory(job: TrainingJob, layouts: TrainingLayouts, *, is_first: bool) -> WorkingMemory:
    """What a micro-batch needs on the first or the last stage's device; `recompute` may have a leading axis."""
    numbers, facts = job.numbers, job.framework
    tokens = (layouts.micro_batch * job.sequence_tokens).astype(np.float64)
    ways = layouts.tensor_parallel * layouts.context_parallel
    p = layouts.pipeline_parallel
    count = micro_batches(float(job.global_sequences), layouts.micro_batch, layouts.data_parallel)
    # Zero bubble parts passes, not stages: it holds what 1F1B does, whatever its chunks.
    chunks = np.where(layouts.schedule < ZERO_BUBBLE, layouts.virtual_stages, 1)
    flying = (in_flight if is_first else last_in_flight)(count, p, chunks)
    is_dual = layouts.schedule == DUALPIPE
    if bool(is_dual.any()):
        flying = np.where(is_dual, dualpipe_in_flight(count, p), flying)
    kept, live = bytes_per_token(job, layouts)
    layers = max(numbers.layers, 1)
    activations = activation_bytes(
        tokens, fullest_stage_layers(job, p) / layers,
        leaf(kept, "kept_bytes_per_token", "bytes/tok", "model: layers"), flying,
        leaf(live, "live_bytes_per_token", "bytes/tok", "model: the largest layer"), ways,
    )  # fmt: skip
    vocabulary = leaf(float(numbers.vocabulary), "vocabulary", "tok", "model")
    logits = logits_bytes(
        leaf(facts.logit_bytes, "logit_bytes", "bytes", f"training calibration: {facts.name}"),
        tokens * job.logits_share, vocabulary, ways,
    )  # fmt: skip
    if is_first:
        logits = carried(np.where(p == 1, logits, 0.0), logits)
    gaps = fragmentation_bytes(
        leaf(facts.fragmentation_share, "fragmentation", "", f"training calibration: {facts.name}"), activations, logits
    )
    library: Floats = leaf(facts.runtime_bytes, "library_bytes", "bytes", f"training calibration: {facts.name}")
    if job.own_reserve_bytes:
        own = leaf(job.own_reserve_bytes, "own_reserve_bytes", "bytes", "own measurements of memory, shrunk towards 0")
        library = reserved_bytes(library, own)
    return WorkingMemory(activations, logits, gaps, library)


def waiting_bytes(job: TrainingJob, layouts: TrainingLayouts) -> Floats:
    """Activations of one micro-batch that wait for its backward pass on a device, wherever they wait. [bytes]"""
    kept, _ = bytes_per_token(job, replace(layouts, activation_offload=np.zeros_like(layouts.activation_offload)))
    tokens = layouts.micro_batch * float(job.sequence_tokens)
    share = fullest_stage_layers(job, layouts.pipeline_parallel) / max(job.numbers.layers, 1)
    return np.asarray(tokens * kept * share / (layouts.tensor_parallel * layouts.context_parallel))


def host_activation_bytes(job: TrainingJob, layouts: TrainingLayouts) -> Floats:
    """What the activations of a device take of its host; nothing where they wait on the device. [bytes]"""
    is_away = layouts.activation_offload > 0
    if not bool(is_away.any()):
        return np.zeros(np.broadcast_shapes(is_away.shape, layouts.recompute.shape))
    return np.where(is_away, waiting_bytes(job, layouts), 0.0)


def bytes_per_token(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Bytes per token that stay between the passes, over all layers, and that one layer's recomputation needs."""
    numbers = job.numbers
    sizes = numbers.activation
    by_operator = job.framework.selects_by_operator
    scale = job.stream_bytes / 2.0 * job.activation_share
    selective = job.stream_bytes / 2.0 if by_operator else scale
    kept_inputs = RECIPES[job.recipe].kept_input_bytes * 2.0 / job.stream_bytes
    dense = job.framework.selects_dense_products
    table = np.array([sizes.bytes_per_token(mode, kept_inputs, by_operator, dense) for mode in range(3)]) * [
        scale,
        selective,
        job.stream_bytes / 2.0,
    ]
    share = np.where(layouts.recompute == 2, layouts.recompute_share, 0.0)
    kept = np.where(
        layouts.recompute == 2, share * table[2] + (1.0 - share) * table[0], table[np.minimum(layouts.recompute, 1)]
    )
    live = np.where(layouts.recompute == 2, sizes.largest_layer, 0.0) * scale
    if bool(layouts.gathers_experts.any()):
        # Each of the devices that share an expert keeps all their tokens for it, its own among them.
        one = RECIPES[job.recipe].kept_input_bytes * numbers.dispatched_values
        others = np.where(layouts.gathers_experts, layouts.expert_tensor_parallel - 1.0, 0.0)
        is_full = layouts.recompute == 2
        kept = kept + others * one * numbers.moe_layers * np.where(is_full, 1.0 - share, 1.0)
        live = live + others * one * is_full
    is_away = layouts.activation_offload > 0
    if bool(is_away.any()):
        travelling = min(TRAVELLING_LAYERS / max(numbers.layers, 1), 1.0)
        kept = np.where(is_away, kept * travelling, kept)
        live = np.where(is_away, np.maximum(live, sizes.largest_layer * scale), live)
    return kept, live
