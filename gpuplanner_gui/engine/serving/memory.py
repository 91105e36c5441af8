"""Memory of one device of a deployment: weights, activations, runtime, and what they leave for the cache."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.explaining.formula import carried, formula, leaf
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.kernels.choice import FORMAT_WEIGHT_BYTES
from gpuplanner_gui.engine.model.cache_sizes import INDEX_BYTES_PER_VALUE, CachedValues, cached_values
from gpuplanner_gui.engine.model.mixer_heads import mixer_heads
from gpuplanner_gui.engine.model.parameters import model_parameters
from gpuplanner_gui.engine.serving.replica import Replica
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats


@dataclass(frozen=True)
class CacheGroup:
    """What equal layers cache, and the heads over which tensor parallelism can spread it."""

    count: int
    values: CachedValues
    kv_heads: int
    """0: every device holds all of it (latent vectors, shared wide heads)."""
    encoder_values: float = 0.0
    """Keys and values of the encoder's output, whatever a sequence's length."""


def cache_groups(model: Model) -> tuple[CacheGroup, ...]:
    """What each group of a model's layers caches while decoding."""
    return tuple(
        CacheGroup(
            group.count,
            cached_values(group),
            mixer_heads(group.mixer).kv,
            cached_values(group).per_encoder_token * model.encoder_tokens,
        )
        for group in model.layers
    )


@formula(
    title="Cache of one sequence on a device",
    unit="bytes",
    expression="Σ layers/pipeline_parallel · (⌈KV heads/tensor_parallel⌉/KV heads · values per token · min(context,"
    " window) · bytes_per_value + encoder values · bytes_per_value + state/tensor_parallel)",
    source="KV cache bytes per token by attention kind; KV heads are replicated once tensor_parallel exceeds them",
)
def device_cache_bytes(
    groups: tuple[CacheGroup, ...],
    context_tokens: Floats,
    tensor_parallel: Floats,
    pipeline_parallel: Floats,
    bytes_per_value: Floats,
) -> Floats:
    """Memory that one sequence of a given length takes on one device.

    Parameters
    ----------
    groups : tuple of CacheGroup
        From `cache_groups`.
    context_tokens : float array
        Tokens of prompt and answer held. [tokens]
    tensor_parallel, pipeline_parallel : float array
        Devices that share each layer, and stages that share the layers. [1]
    bytes_per_value : float array
        Size of one cached number. [bytes]

    All arrays broadcast together.

    Returns
    -------
    float array, broadcast shape
        Of a device with the mean number of layers. [bytes]
    """
    total = np.zeros(np.broadcast(context_tokens, tensor_parallel, pipeline_parallel, bytes_per_value).shape)
    for group in groups:
        values = group.values
        share = np.ceil(group.kv_heads / tensor_parallel) / group.kv_heads if group.kv_heads else 1.0
        held = np.minimum(context_tokens, values.window_tokens) if values.window_tokens else context_tokens
        own = held * values.per_token + context_tokens * values.compressed_per_token
        kept = (own + group.encoder_values) * bytes_per_value
        indexer = context_tokens * (values.indexer_per_token * INDEX_BYTES_PER_VALUE)
        total = total + group.count * (share * kept + indexer + values.state_bytes / tensor_parallel)
    return np.asarray(total / pipeline_parallel)


@dataclass(frozen=True)
class ServingMemory:
    """Bytes per device; `weights`, `activation` and `runtime` are fixed, the rest is the pool for the cache."""

    capacity: Floats
    usable: Floats
    """What the engine may take."""
    weights: Floats
    """Weights of the most loaded device."""
    activation: Floats
    runtime: Floats
    pool: Floats
    """Usable less everything fixed; negative: does not fit by so much."""

    def at(self, index: NDArray[np.int64]) -> ServingMemory:
        """The memory of some deployments."""
        columns = {part.name: getattr(self, part.name) for part in fields(self)}
        shape = self.pool.shape
        return ServingMemory(
            **{name: carried(np.broadcast_to(column, shape)[index], column) for name, column in columns.items()}
        )


@formula(
    title="Weights on a device",
    unit="bytes",
    expression="expert_bytes/(expert_parallel · expert_tensor_parallel · pipeline_parallel)"
    " + layer_bytes/(tensor_parallel · pipeline_parallel) + end_bytes/tensor_parallel"
    " + replicated_bytes/pipeline_parallel",
    source="Megatron-style sharding: matrices are cut by tensor parallelism, experts by expert parallelism, layers by"
    " stages; the first or last stage holds the embedding or the head",
)
def device_weight_bytes(
    expert_bytes: Floats,
    layer_bytes: Floats,
    end_bytes: Floats,
    replicated_bytes: Floats,
    tensor_parallel: Floats,
    pipeline_parallel: Floats,
    expert_parallel: Floats,
    expert_tensor_parallel: Floats,
) -> Floats:
    """Weights of the most loaded device. [bytes]

    `end_bytes` is the larger of embedding and head with more than one stage, both together with one;
    `replicated_bytes` are norms, routers and biases, which every device of a stage holds.
    """
    of_experts = expert_bytes / (expert_parallel * expert_tensor_parallel * pipeline_parallel)
    of_layers = layer_bytes / (tensor_parallel * pipeline_parallel)
    return np.asarray(of_experts + of_layers + end_bytes / tensor_parallel + replicated_bytes / pipeline_parallel)


@formula(
    title="Memory of the draft model",
    unit="bytes",
    expression="model_bytes · (1 + draft_share)",
    source="a head of one layer, or a draft model cut as the model is",
)
def with_draft_bytes(model_bytes: Floats, draft_share: Floats) -> Floats:
    """Weights, or the cache of a sequence, with those of what drafts. [bytes]"""
    return model_bytes * (1.0 + draft_share)


@formula(
    title="Activations while serving",
    unit="bytes",
    expression="2 · token_budget · hidden_size · factor / tensor_parallel^exponent",
    source="peak of a pass with a full token budget, by engine "
    "(docs/derivations/serving-step.md#activations-and-runtime)",
)
def serving_activation_bytes(
    token_budget: Floats, hidden_size: Floats, factor: Floats, tensor_parallel: Floats, exponent: Floats
) -> Floats:
    """Largest working set of one pass. [bytes]"""
    return np.asarray(2.0 * token_budget * hidden_size * factor / tensor_parallel**exponent)


@formula(
    title="Memory left for the cache",
    unit="bytes",
    expression="usable − weights − activations − runtime",
    source="the engine fills its allowed fraction of the memory",
)
def cache_pool_bytes(usable: Floats, weights: Floats, activations: Floats, runtime: Floats) -> Floats:
    """Memory for KV blocks; negative when not even the fixed parts fit, by so much. [bytes]"""
    return usable - weights - activations - runtime


@dataclass(frozen=True)
class WeightParts:
    """Bytes of a whole model by how devices share them; deployments' shape. The parts add up to all weights."""

    experts: Floats
    layers: Floats
    embeddings: Floats
    head: Floats
    replicated: Floats


def weight_parts(model: Model, replica: Replica) -> WeightParts:
    """Weights in the formats of each deployment. Towers stay in the checkpoint's wide format."""
    parameters, formats = model_parameters(model), replica.formats
    stacks = parameters.decoder + parameters.encoder
    ends = FORMAT_WEIGHT_BYTES[formats.ends]
    mixer = stacks.mixer_matrices + stacks.cross_attention_matrices
    ffn = stacks.ffn_matrices + stacks.shared_expert_matrices
    towers = parameters.towers.total
    covered = stacks.routed_expert_matrices + mixer + ffn + towers + parameters.embeddings + parameters.head
    return WeightParts(
        experts=stacks.routed_expert_matrices * FORMAT_WEIGHT_BYTES[formats.expert],
        layers=mixer * FORMAT_WEIGHT_BYTES[formats.mixer] + ffn * FORMAT_WEIGHT_BYTES[formats.ffn] + towers * ends,
        embeddings=parameters.embeddings * ends,
        head=parameters.head * ends,
        replicated=max(parameters.total - covered, 0) * ends,
    )


def serving_memory(
    model: Model,
    replica: Replica,
    devices: DeviceTable,
    engine: EngineFacts,
    memory_fraction: float,
    token_budget: Numbers,
    draft_share: Floats | None = None,
    activation_bytes: float | None = None,
) -> ServingMemory:
    """Memory of every deployment's devices; what drafts holds weights in proportion to the model's, cut as these.

    `activation_bytes` of a device stand for what the token budget makes of them.
    """
    layout = replica.layout
    weights = _weights(model, replica)
    if draft_share is not None and draft_share.any():
        draft_share = leaf(draft_share, "draft_share", "", "scenario: engine; a head has its share of the layers")
        weights = with_draft_bytes(weights, draft_share)
    has_experts = model_parameters(model).routed_experts > 0
    factor = engine.activation_per_token_moe if has_experts else engine.activation_per_token
    activation = serving_activation_bytes(
        leaf(as_floats(token_budget), "token_budget", "tok", "scenario: engine"),
        leaf(float(model.hidden_size), "hidden_size", "", "model"),
        leaf(factor, "factor", "", f"engine facts: {engine.name}"),
        layout.tensor_parallel,
        leaf(engine.activation_parallel_exponent, "exponent", "", f"engine facts: {engine.name}"),
    )
    if activation_bytes is not None:
        stated = np.full(len(replica), activation_bytes)
        activation = leaf(stated, "activation_bytes", "bytes", "scenario: engine")
    elif not model.hidden_size:
        activation = np.full(len(replica), model.activation_bytes_per_sample)
    together = layout.tensor_parallel * layout.pipeline_parallel * layout.data_parallel
    runtime = engine.runtime_bytes + engine.graph_bytes + np.where(together > 1, engine.parallel_runtime_bytes, 0.0)
    runtime = leaf(runtime, "runtime_bytes", "bytes", f"engine facts: {engine.name}")
    capacity = leaf(devices.memory_bytes[replica.accelerator], "memory_bytes", "bytes", "catalogue: accelerator")
    usable = capacity * memory_fraction
    return ServingMemory(
        capacity=capacity,
        usable=usable,
        weights=weights,
        activation=activation,
        runtime=runtime,
        pool=cache_pool_bytes(usable, weights, activation, runtime),
    )


def _weights(model: Model, replica: Replica) -> Floats:
    parts, layout = weight_parts(model, replica), replica.layout
    is_staged = layout.pipeline_parallel > 1
    ends = np.where(is_staged, np.maximum(parts.embeddings, parts.head), parts.embeddings + parts.head)
    stored = "model: parameters times bytes of the weight format"
    return device_weight_bytes(
        leaf(parts.experts, "expert_bytes", "bytes", stored),
        leaf(parts.layers, "layer_bytes", "bytes", stored),
        leaf(ends, "end_bytes", "bytes", "model: embedding and head"),
        leaf(parts.replicated, "replicated_bytes", "bytes", "model: norms, routers, biases"),
        layout.tensor_parallel,
        layout.pipeline_parallel,
        layout.expert_parallel,
        layout.expert_tensor_parallel,
    )
