"""Memory of one device of a serving replica: weights, cache, activations, runtime; and how many sequences fit."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.model import Model, Precision
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.cache import cache_groups, device_cache_bytes
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.formula import carried, formula, leaf
from gpuplanner_gui.engine.load.arrays import as_floats
from gpuplanner_gui.engine.parameters import model_parameters
from gpuplanner_gui.engine.precision import PRECISIONS, cache_bytes_per_value
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.weight_sizes import BYTES_PER_VALUE, format_in_precision, weight_bytes

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ServingMemory:
    """Bytes per device; `weights`, `activation` and `runtime` are fixed, the rest is the pool for the cache."""

    capacity: Floats
    usable: Floats
    """What the engine may take."""
    weights: Floats
    activation: Floats
    runtime: Floats
    pool: Floats
    """Usable less everything fixed; negative: does not fit by so much."""
    cache_per_sequence: Floats
    """Of a sequence of mean length at the middle of its answer."""
    cache_of_longest: Floats

    def at(self, index: NDArray[np.int64]) -> ServingMemory:
        """The memory of some candidates."""
        columns = {part.name: getattr(self, part.name) for part in fields(self)}
        shape = self.pool.shape
        return ServingMemory(
            **{name: carried(np.broadcast_to(column, shape)[index], column) for name, column in columns.items()}
        )


@formula(
    title="Weights on a device",
    unit="bytes",
    expression="layer_bytes/(tensor_parallel · pipeline_parallel) + end_bytes/tensor_parallel",
    source="Megatron-style sharding: matrices are cut by tensor parallelism, layers by stages; the first or last stage"
    " holds the embedding or the head",
)
def device_weight_bytes(
    layer_bytes: Floats, end_bytes: Floats, tensor_parallel: NDArray[np.int64], pipeline_parallel: NDArray[np.int64]
) -> Floats:
    """Weights of the most loaded device. [bytes]

    `end_bytes` is the larger of embedding and head with more than one stage, both together with one.
    """
    return np.asarray(layer_bytes / (tensor_parallel * pipeline_parallel) + end_bytes / tensor_parallel)


@formula(
    title="With what drafts",
    unit="bytes",
    expression="model_bytes · (1 + draft_share)",
    source="a head of one layer, or a draft model cut as the model is",
)
def with_draft_bytes(model_bytes: Floats, draft_share: float) -> Floats:
    """Weights, or the cache of a sequence, with those of what drafts. [bytes]"""
    return model_bytes * (1.0 + draft_share)


@formula(
    title="Activations while serving",
    unit="bytes",
    expression="2 · token_budget · hidden_size · factor / tensor_parallel^exponent",
    source="engine notes, serving peers: memory of activations per engine; peak of a pass with a full token budget",
)
def serving_activation_bytes(
    token_budget: Floats, hidden_size: Floats, factor: Floats, tensor_parallel: NDArray[np.int64], exponent: Floats
) -> Floats:
    """Largest working set of one pass. [bytes]"""
    return np.asarray(2.0 * token_budget * hidden_size * factor / tensor_parallel**exponent)


@formula(
    title="Memory left for the cache",
    unit="bytes",
    expression="usable − weights − activations − runtime",
    source="the engine fills the fraction of memory that it is allowed",
)
def cache_pool_bytes(usable: Floats, weights: Floats, activations: Floats, runtime: Floats) -> Floats:
    """Memory for KV blocks; negative when not even the fixed parts fit, by so much. [bytes]"""
    return usable - weights - activations - runtime


@dataclass(frozen=True)
class WeightTotals:
    """Bytes of the whole model per precision of `PRECISIONS`; NaN for those not asked for."""

    layers: Floats
    ends_together: Floats
    larger_end: Floats


def weight_totals(model: Model, precisions: tuple[Precision, ...]) -> WeightTotals:
    """Weights of a model stored in each precision, layers apart from embedding and head."""
    layers, together, larger = (np.full(len(PRECISIONS), np.nan) for _ in range(3))
    parameters = model_parameters(model)
    for name in precisions:
        stored = format_in_precision(model, name)
        native = BYTES_PER_VALUE[stored.native]
        embedding, head = parameters.embeddings * native, parameters.head * native
        index = PRECISIONS.index(name)
        together[index] = embedding + head
        larger[index] = max(embedding, head)
        layers[index] = float(weight_bytes(model, stored).total) - together[index]
    return WeightTotals(layers, together, larger)


def serving_memory(
    model: Model,
    candidates: ServingCandidates,
    devices: DeviceTable,
    engine: EngineFacts,
    memory_fraction: float,
    token_budget: int,
    context_tokens: float,
    longest_tokens: float,
    draft_share: float = 0.0,
) -> ServingMemory:
    """Memory of every candidate's devices, for a mean context and the longest one that must be served.

    What drafts holds weights and cache in proportion to the model's, cut and spread as these are.
    """
    tp, pp = candidates.tensor_parallel, candidates.pipeline_parallel
    names = tuple(PRECISIONS[index] for index in np.unique(candidates.weight_precision))
    totals = weight_totals(model, names)
    which = candidates.weight_precision
    ends = np.where(pp > 1, totals.larger_end[which], totals.ends_together[which])
    capacity = leaf(devices.memory_bytes[candidates.accelerator], "memory_bytes", "bytes", "catalogue: accelerator")
    weights = device_weight_bytes(
        leaf(totals.layers[which], "layer_bytes", "bytes", "model: parameters times bytes of the weight format"),
        leaf(ends, "end_bytes", "bytes", "model: embedding and head"),
        tp,
        pp,
    )
    if draft_share:
        draft_share = leaf(draft_share, "draft_share", "", "scenario: engine; a head has its share of the layers")
        weights = with_draft_bytes(weights, draft_share)
    factor = engine.activation_per_token_moe if _has_experts(model) else engine.activation_per_token
    activation = serving_activation_bytes(
        leaf(float(token_budget), "token_budget", "tok", "scenario: engine"),
        leaf(float(model.hidden_size), "hidden_size", "", "model"),
        leaf(factor, "factor", "", f"engine facts: {engine.name}"),
        tp,
        leaf(engine.activation_parallel_exponent, "exponent", "", f"engine facts: {engine.name}"),
    )
    if not model.hidden_size:
        activation = np.full(len(candidates), model.activation_bytes_per_sample)
    runtime = engine.runtime_bytes + engine.graph_bytes + np.where(tp * pp > 1, engine.parallel_runtime_bytes, 0.0)
    runtime = leaf(runtime, "runtime_bytes", "bytes", f"engine facts: {engine.name}")
    usable = capacity * memory_fraction
    groups = cache_groups(model)
    per_value = cache_bytes_per_value()[candidates.kv_precision]
    context, longest = as_floats(context_tokens), as_floats(longest_tokens)

    def with_draft(held: Floats) -> Floats:
        return with_draft_bytes(held, draft_share) if draft_share else held

    return ServingMemory(
        capacity=capacity,
        usable=usable,
        weights=weights,
        activation=activation,
        runtime=runtime,
        pool=cache_pool_bytes(usable, weights, activation, runtime),
        cache_per_sequence=with_draft(device_cache_bytes(groups, context, tp, pp, per_value)),
        cache_of_longest=with_draft(device_cache_bytes(groups, longest, tp, pp, per_value)),
    )


def _has_experts(model: Model) -> bool:
    return model_parameters(model).routed_experts > 0
