"""Memory of the most loaded device of a layout: the first stage or the last, whichever needs more."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import carried, formula, leaf
from gpuplanner_gui.engine.training.activation_memory import activation_bytes, in_flight, logits_bytes, runtime_bytes
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
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
    first_ends, last_ends = end_parameters(job, layouts)
    first = _stage(job, layouts, part, first_ends, is_first=True)
    last = _stage(job, layouts, part, last_ends, is_first=False)
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


def _stage(job: TrainingJob, layouts: TrainingLayouts, part: Shards, ends: Floats, *, is_first: bool) -> TrainingMemory:
    numbers, facts = job.numbers, job.framework
    state = state_memory(job, part, ends, layouts.zero_stage)
    tokens = (layouts.micro_batch * job.sequence_tokens).astype(np.float64)
    ways = layouts.tensor_parallel * layouts.context_parallel
    p = layouts.pipeline_parallel
    if is_first:
        count = micro_batches(float(job.global_sequences), layouts.micro_batch, layouts.data_parallel)
        flying = in_flight(count, p, layouts.virtual_stages)
    else:
        flying = np.ones(len(layouts))
    kept, live = _per_token(job, layouts)
    stage_share = np.ceil(max(numbers.layers, 1) / p) / max(numbers.layers, 1)
    activations = activation_bytes(
        tokens, stage_share, leaf(kept, "kept_bytes_per_token", "bytes/tok", "model: layers"), flying,
        leaf(live, "live_bytes_per_token", "bytes/tok", "model: the largest layer"), ways,
    )  # fmt: skip
    holds_head = np.ones(len(layouts), bool) if not is_first else p == 1
    vocabulary = leaf(float(numbers.vocabulary), "vocabulary", "tok", "model")
    logits = logits_bytes(tokens, vocabulary, ways)
    logits = carried(np.where(holds_head, logits, 0.0), logits)
    layer_parameters = (part.dense_layers + part.experts) / np.maximum(stage_share * max(numbers.layers, 1), 1.0)
    gathered = np.where(layouts.zero_stage >= 3, GATHERED_LAYERS * job.stream_bytes * layer_parameters, 0.0) * (
        layouts.data_parallel > 1
    )
    runtime = runtime_bytes(
        leaf(facts.runtime_bytes, "context_bytes", "bytes", f"training calibration: {facts.name}"),
        gathered,
        leaf(facts.fragmentation_share, "fragmentation", "", f"training calibration: {facts.name}"),
        activations,
    )
    return TrainingMemory(state, activations, logits, runtime, device_bytes(state, activations, logits, runtime))


def _per_token(job: TrainingJob, layouts: TrainingLayouts) -> tuple[Floats, Floats]:
    """Bytes per token that stay between the passes, over all layers, and that one layer's recomputation needs."""
    numbers = job.numbers
    if numbers.is_opaque:
        kept = np.where(layouts.recompute == 2, 0.2, 1.0) * numbers.activation_bytes_per_sample
        return kept, np.zeros(len(layouts))
    sizes = numbers.activation
    scale = job.stream_bytes / 2.0
    table = np.array([sizes.bytes_per_token(mode) for mode in range(3)]) * scale
    live = np.where(layouts.recompute == 2, sizes.largest_layer, 0.0) * scale
    return table[layouts.recompute], live
