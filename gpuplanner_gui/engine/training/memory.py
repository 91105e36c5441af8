"""Memory of the most loaded device of a layout: the first stage or the last, whichever needs more."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import carried, formula, leaf
from gpuplanner_gui.engine.training.activation_memory import (
    activation_bytes,
    context_bytes,
    in_flight,
    last_in_flight,
    logits_bytes,
    runtime_bytes,
)
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.recipes import KEPT_INPUT_BYTES
from gpuplanner_gui.engine.training.state_memory import (
    Shards,
    StateMemory,
    end_parameters,
    shards,
    state_memory,
)

Floats = NDArray[np.float64]
T = TypeVar("T")

GATHERED_LAYERS = 2.0
"""Layers whose full weights are there at once under ZeRO-3: the one at work and the one prefetched."""
OPAQUE_CHECKPOINT_SHARE = 0.2
"""Of the activations that recomputation keeps for a model whose layers are not known: about 2/√n of n = 100 layers
(Chen et al. 2016, Training Deep Nets with Sublinear Memory Cost, section 4)."""


@dataclass(frozen=True)
class WorkingMemory:
    """Bytes of one device that depend on the micro-batch, and what the framework itself takes."""

    activations: Floats
    logits: Floats
    context: Floats
    """Libraries, communication buffers and fragmentation."""

    @property
    def total(self) -> Floats:
        return self.activations + self.logits + self.context


@dataclass(frozen=True)
class KeptMemory:
    """Bytes of one device that do not depend on the micro-batch."""

    state: StateMemory
    gathered: Floats
    """Layers whose divided weights are gathered for use (ZeRO-3)."""

    @property
    def total(self) -> Floats:
        return self.state.total + self.gathered


@dataclass(frozen=True)
class TrainingMemory:
    """Bytes of one device; the parts add up to `total`."""

    state: StateMemory
    activations: Floats
    logits: Floats
    runtime: Floats
    total: Floats


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
    title="Micro-batches of a step",
    unit="",
    expression="⌈global_sequences / (micro_batch · data_parallel)⌉",
    source="gradient accumulation",
)
def micro_batches(global_sequences: float, micro_batch: NDArray[np.int64], data_parallel: NDArray[np.int64]) -> Floats:
    """Passes of each model copy between two updates. [1]"""
    return np.ceil(global_sequences / (micro_batch * data_parallel))


def training_memory(job: TrainingJob, layouts: TrainingLayouts, part: Shards | None = None) -> TrainingMemory:
    """Memory of layouts with every choice made."""
    part = shards(job, layouts) if part is None else part
    ends = end_parameters(job, layouts)
    stages = []
    for is_first in (True, False):
        kept = kept_memory(job, layouts, part, ends[0 if is_first else 1], layouts.zero_stage)
        work = working_memory(job, layouts, is_first=is_first)
        runtime = runtime_bytes(work.context, kept.gathered)
        total = device_bytes(kept.state, work.activations, work.logits, runtime)
        stages.append(TrainingMemory(kept.state, work.activations, work.logits, runtime, total))
    first, last = stages
    is_last = (last.total > first.total) & (layouts.pipeline_parallel > 1)
    return picked(is_last, last, first)


def picked(mask: NDArray[np.bool_], yes: T, no: T) -> T:
    """One of two structs of arrays per entry; origins are kept for explanations."""
    values = {}
    for part in fields(yes):  # type: ignore[arg-type]
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
    per_stage = np.maximum(1.0, np.ceil(job.numbers.layers / layouts.pipeline_parallel))
    one_layer = job.gathered_bytes * (part.dense_layers + part.experts) / per_stage
    is_gathered = (zero_stage >= 3) & (part.copies > 1)
    return KeptMemory(state, np.where(is_gathered, GATHERED_LAYERS * one_layer, 0.0))


def working_memory(job: TrainingJob, layouts: TrainingLayouts, *, is_first: bool) -> WorkingMemory:
    """What a micro-batch needs on the first or the last stage's device; `recompute` may have a leading axis."""
    numbers, facts = job.numbers, job.framework
    tokens = (layouts.micro_batch * job.sequence_tokens).astype(np.float64)
    ways = layouts.tensor_parallel * layouts.context_parallel
    p = layouts.pipeline_parallel
    count = micro_batches(float(job.global_sequences), layouts.micro_batch, layouts.data_parallel)
    flying = (in_flight if is_first else last_in_flight)(count, p, layouts.virtual_stages)
    kept, live = bytes_per_token(job, layouts)
    layers = max(numbers.layers, 1)
    activations = activation_bytes(
        tokens, np.ceil(layers / p) / layers, leaf(kept, "kept_bytes_per_token", "bytes/tok", "model: layers"), flying,
        leaf(live, "live_bytes_per_token", "bytes/tok", "model: the largest layer"), ways,
    )  # fmt: skip
    vocabulary = leaf(float(numbers.vocabulary), "vocabulary", "tok", "model")
    logits = logits_bytes(tokens * job.logits_share, vocabulary, ways)
    if is_first:
        logits = carried(np.where(p == 1, logits, 0.0), logits)
    context = context_bytes(
        leaf(facts.runtime_bytes, "library_bytes", "bytes", f"training calibration: {facts.name}"),
        leaf(facts.fragmentation_share, "fragmentation", "", f"training calibration: {facts.name}"),
        activations,
    )
    return WorkingMemory(activations, logits, context)


def bytes_per_token(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Bytes per token that stay between the passes, over all layers, and that one layer's recomputation needs."""
    numbers = job.numbers
    if numbers.is_opaque:
        kept = np.where(layouts.recompute == 2, OPAQUE_CHECKPOINT_SHARE, 1.0) * numbers.activation_bytes_per_sample
        return kept, np.zeros(len(layouts))
    sizes = numbers.activation
    scale = job.stream_bytes / 2.0 * job.activation_share
    kept_inputs = KEPT_INPUT_BYTES[job.recipe] * 2.0 / job.stream_bytes
    table = np.array([sizes.bytes_per_token(mode, kept_inputs) for mode in range(3)]) * [
        scale,
        scale,
        job.stream_bytes / 2.0,
    ]
    share = np.where(layouts.recompute == 2, layouts.recompute_share, 0.0)
    kept = np.where(
        layouts.recompute == 2, share * table[2] + (1.0 - share) * table[1], table[np.minimum(layouts.recompute, 1)]
    )
    return kept, np.where(layouts.recompute == 2, sizes.largest_layer, 0.0) * scale
