"""A model as the operations of one forward pass: each a kind of kernel with the shape of the whole model, how often it
runs, and how tensor parallelism cuts it. Step times, FLOPs and traffic of serving and training are sums over these.

Shapes are those of one layer before any sharding; `count` is the number of layers (times calls) that run it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, assert_never

import numpy as np
from numpy.typing import ArrayLike

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.model import (
    Attention,
    CompressedAttention,
    CrossAttention,
    DenseFfn,
    LatentAttention,
    LayerGroup,
    LinearAttention,
    Model,
    MoeFfn,
    StateSpace,
)
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.model.parameters import layer_parameters

Cut = Literal["columns", "depth", "none"]
"""How tensor parallelism splits a weight matrix: by outputs, by inputs, or not at all."""


@dataclass(frozen=True)
class Gemm:
    """Tokens times a weight matrix of `depth` inputs and `columns` outputs."""

    code: str
    count: int
    columns: int
    depth: int
    cut: Cut
    is_quantized: bool = True
    """False for the router and the head, which stay in 16 bits."""
    kv_columns: int = 0
    """Part of `columns` that belongs to KV heads, of which a device holds at least one head."""
    kv_heads: int = 0
    on_sampled_tokens: bool = False
    """True for the LM head, which serving applies to the last token of each sequence only."""
    part: Literal["mixer", "ffn"] = "mixer"
    """Where a checkpoint's format may differ."""


@dataclass(frozen=True)
class AttentionCore:
    """Softmax attention over cached keys and values."""

    code: str
    count: int
    heads: int
    kv_heads: int
    head_dim: int
    window_tokens: int
    """0: unlimited."""
    is_causal: bool
    selected_tokens: int = 0
    """Tokens that a sparse indexer lets through; 0: all."""
    encoder_tokens: int = 0
    """Tokens of an encoder's output that every query sees instead of its own sequence; 0: the sequence."""


@dataclass(frozen=True)
class LatentCore:
    """Attention over cached latent vectors; in decode all heads read one vector per token."""

    code: str
    count: int
    heads: int
    latent_dim: int
    rope_dim: int
    nope_dim: int
    value_dim: int
    selected_tokens: int = 0


@dataclass(frozen=True)
class Experts:
    """Grouped products of routed experts; a token uses `top_k` of them."""

    code: str
    count: int
    experts: int
    top_k: int
    hidden: int
    size: int
    matrices: int


@dataclass(frozen=True)
class StateCore:
    """Recurrent state of linear attention or a state-space layer: read and written once per token in decode."""

    code: str
    count: int
    kind: str
    heads: int
    state_bytes: float
    """Per sequence and layer."""
    flop_per_token: float
    values_per_token: float = 0.0
    """Inputs and outputs of the recurrence."""


@dataclass(frozen=True)
class Elementwise:
    """Norms, activations, rotary embedding, residuals: bytes per token of one layer and kernels launched."""

    code: str
    count: int
    bytes_per_token: float
    calls: int
    is_sharded: bool


@dataclass(frozen=True)
class AllReduce:
    """Sum of partial results over tensor-parallel devices."""

    code: str
    count: int
    values_per_token: int


@dataclass(frozen=True)
class Dispatch:
    """Tokens sent to the devices of their experts and back."""

    code: str
    count: int
    values_per_token: int
    top_k: int


Operation = Gemm | AttentionCore | LatentCore | Experts | StateCore | Elementwise | AllReduce | Dispatch

BYTES_16_BIT = 2.0


def operations(model: Model) -> tuple[Operation, ...]:
    """Every operation of one forward pass through the token layers of a model, encoder layers excluded."""
    found: list[Operation] = []
    for group in model.layers:
        found.extend(_layer_operations(group, model.hidden_size, model.encoder_tokens))
    if model.vocab_size and model.has_head:
        found.append(
            Gemm("head", 1, model.vocab_size, model.hidden_size, "columns", is_quantized=False, on_sampled_tokens=True)
        )
    if model.vocab_size:
        found.append(Elementwise("embedding", 1, 2 * BYTES_16_BIT * model.hidden_size, 1, False))
    return tuple(found)


def encoder_operations(model: Model) -> tuple[Operation, ...]:
    """The operations of an encoder-decoder's encoder, and of towers for images and audio."""
    found: list[Operation] = []
    for group in model.encoder_layers:
        found.extend(_layer_operations(group, model.hidden_size))
    for tower in (model.vision, model.audio):
        if tower is not None:
            for group in tower.layers:
                found.extend(_layer_operations(group, tower.hidden_size))
    return tuple(found)


def _layer_operations(group: LayerGroup, hidden: int, encoder_tokens: int = 0) -> Iterator[Operation]:
    if group.mixer is not None:
        yield from _mixer_operations(group, hidden)
    if group.cross_attention is not None:
        yield from _cross_operations(group.cross_attention, group.count, hidden, encoder_tokens)
    if isinstance(group.ffn, DenseFfn):
        yield from _dense_operations("ffn", group.ffn.size, group.ffn.gated, group.count, hidden)
        yield AllReduce("ffn_all_reduce", group.count, hidden)
    elif isinstance(group.ffn, MoeFfn):
        yield from _moe_operations(group.ffn, group.count, hidden)
    elif group.ffn is not None:
        assert_never(group.ffn)
    if group.norms:
        yield Elementwise("norms", group.count, group.norms * 4 * BYTES_16_BIT * hidden, group.norms, False)


def _mixer_operations(group: LayerGroup, hidden: int) -> Iterator[Operation]:
    mixer, count = group.mixer, group.count
    if isinstance(mixer, Attention):
        yield from _attention_operations(mixer, count, hidden)
    elif isinstance(mixer, LatentAttention):
        yield from _latent_operations(mixer, count, hidden)
    elif isinstance(mixer, CompressedAttention):
        yield from _compressed_operations(mixer, count, hidden)
    elif isinstance(mixer, LinearAttention):
        yield from _linear_operations(mixer, count, hidden)
    elif isinstance(mixer, StateSpace):
        yield from _state_space_operations(mixer, count, hidden)
    elif mixer is not None:
        assert_never(mixer)
    yield AllReduce("mixer_all_reduce", count, hidden)


def _attention_operations(mixer: Attention, count: int, hidden: int) -> Iterator[Operation]:
    value_dim = mixer.value_head_dim or mixer.head_dim
    queries = mixer.heads * mixer.head_dim * (2 if mixer.output_gate else 1)
    keys_values = mixer.kv_heads * (mixer.head_dim if mixer.shared_kv_projection else mixer.head_dim + value_dim)
    if mixer.kv_shared_with_earlier_layer:
        keys_values = 0
    yield Gemm("qkv", count, queries + keys_values, hidden, "columns", kv_columns=keys_values, kv_heads=mixer.kv_heads)
    yield Elementwise("rope_cache", count, 2 * BYTES_16_BIT * (queries + keys_values), 2, True)
    if mixer.qk_norm != "none":
        normed = (mixer.heads + mixer.kv_heads) * mixer.head_dim
        yield Elementwise("qk_norm", count, 2 * BYTES_16_BIT * normed, 2, True)
    if mixer.qk_norm == "full":
        yield AllReduce("qk_norm_all_reduce", count, 2)
    average_dim = (mixer.head_dim + value_dim) // 2
    yield AttentionCore("attention", count, mixer.heads, mixer.kv_heads, average_dim, mixer.window, mixer.causal)
    yield Gemm("output", count, hidden, mixer.heads * value_dim, "depth")


def _cross_operations(cross: CrossAttention, count: int, hidden: int, encoder_tokens: int) -> Iterator[Operation]:
    width = cross.heads * cross.head_dim
    yield Gemm("cross_query", count, width, hidden, "columns")
    yield AttentionCore(
        "cross_attention", count, cross.heads, cross.kv_heads, cross.head_dim, 0, False, encoder_tokens=encoder_tokens
    )
    yield Gemm("cross_output", count, hidden, width, "depth")
    yield AllReduce("cross_all_reduce", count, hidden)


def _latent_operations(mixer: LatentAttention, count: int, hidden: int) -> Iterator[Operation]:
    head = mixer.qk_nope_head_dim + mixer.qk_rope_head_dim
    latent = mixer.kv_lora_rank + mixer.qk_rope_head_dim
    yield Gemm("latent_down", count, latent + mixer.q_lora_rank, hidden, "none")
    yield Gemm("query_up", count, mixer.heads * head, mixer.q_lora_rank or hidden, "columns")
    yield Gemm(
        "latent_up", count, mixer.heads * (mixer.qk_nope_head_dim + mixer.value_head_dim), mixer.kv_lora_rank, "columns"
    )
    if mixer.indexer_heads:
        width = mixer.indexer_heads * mixer.indexer_head_dim
        yield Gemm("indexer", count, width + mixer.indexer_head_dim, mixer.q_lora_rank or hidden, "none")
        yield AttentionCore("indexer_scores", count, mixer.indexer_heads, 1, mixer.indexer_head_dim // 2, 0, True)
    yield Elementwise("rope_cache", count, 2 * BYTES_16_BIT * (mixer.heads * head + latent), 3, True)
    yield LatentCore(
        "attention",
        count,
        mixer.heads,
        mixer.kv_lora_rank,
        mixer.qk_rope_head_dim,
        mixer.qk_nope_head_dim,
        mixer.value_head_dim,
        mixer.indexer_top_k,
    )
    yield Gemm("output", count, hidden, mixer.heads * mixer.value_head_dim, "depth")


def _compressed_operations(mixer: CompressedAttention, count: int, hidden: int) -> Iterator[Operation]:
    queries = mixer.heads * mixer.head_dim
    yield Gemm("latent_down", count, mixer.q_lora_rank + mixer.head_dim, hidden, "none")
    yield Gemm("query_up", count, queries, mixer.q_lora_rank or hidden, "columns")
    window = mixer.window if not mixer.compress_ratio else 0
    selected = mixer.window + mixer.indexer_top_k if mixer.compress_ratio else 0
    yield AttentionCore("attention", count, mixer.heads, 1, mixer.head_dim, window, True, selected)
    inner = mixer.output_lora_rank * mixer.output_groups or queries
    yield Gemm("output_down", count, inner, queries // max(1, mixer.output_groups), "columns")
    yield Gemm("output", count, hidden, inner, "depth")


def _linear_operations(mixer: LinearAttention, count: int, hidden: int) -> Iterator[Operation]:
    keys = mixer.key_heads * mixer.key_head_dim
    values = mixer.value_heads * mixer.value_head_dim
    state = mixer.value_heads * mixer.key_head_dim * mixer.value_head_dim
    yield Gemm("qkv", count, 2 * keys + 2 * values + 2 * mixer.value_heads, hidden, "columns")
    yield Elementwise("convolution", count, 2 * BYTES_16_BIT * (2 * keys + values), 1, True)
    yield StateCore("state", count, mixer.kind, mixer.value_heads, 4.0 * state, 6.0 * state, 2.0 * (keys + values))
    yield Gemm("output", count, hidden, values, "depth")


def _state_space_operations(mixer: StateSpace, count: int, hidden: int) -> Iterator[Operation]:
    inner, state = mixer.inner_size, mixer.inner_size * mixer.state_size
    extra = 2 * mixer.groups * mixer.state_size + mixer.heads
    yield Gemm("input", count, 2 * inner + extra, hidden, "columns")
    yield Elementwise("convolution", count, 2 * BYTES_16_BIT * (inner + extra), 1, True)
    if mixer.kind == "mamba1":
        yield Gemm("state_input", count, mixer.time_step_rank + 2 * mixer.state_size, inner, "depth")
        yield Gemm("time_step", count, inner, mixer.time_step_rank, "columns")
    yield StateCore("state", count, mixer.kind, max(1, mixer.heads), 4.0 * state, 6.0 * state, 2.0 * inner + extra)
    yield Gemm("output", count, hidden, inner, "depth")


def _dense_operations(code: str, size: int, gated: bool, count: int, hidden: int) -> Iterator[Operation]:
    yield Gemm(f"{code}_up", count, size * (2 if gated else 1), hidden, "columns", part="ffn")
    yield Elementwise(f"{code}_activation", count, BYTES_16_BIT * size * (3 if gated else 2), 1, True)
    yield Gemm(f"{code}_down", count, hidden, size, "depth", part="ffn")


def _moe_operations(ffn: MoeFfn, count: int, hidden: int) -> Iterator[Operation]:
    width = ffn.expert_input_size or hidden
    yield Gemm("router", count, ffn.experts, hidden, "none", is_quantized=False)
    yield Experts(
        "experts", count, ffn.experts, min(ffn.top_k, ffn.experts), width, ffn.expert_size, 3 if ffn.gated else 2
    )
    yield Dispatch("dispatch", count, width, min(ffn.top_k, ffn.experts))
    for code, size in (("shared", ffn.shared_size), ("dense", ffn.dense_size)):
        if size:
            yield from _dense_operations(code, size, ffn.gated, count, hidden)
    yield AllReduce("ffn_all_reduce", count, hidden)


DELTA_RULE_FLOP_PER_STATE = 7.0
"""Decay, correction read, update and query read of a state: 1 + 2 + 2 + 2 per value and token."""
RECURRENCE_FLOP_PER_STATE = 5.0
"""Decay, update and read of a state: 1 + 2 + 2."""


@dataclass(frozen=True)
class ForwardFlop:
    """FLOPs per token; the parts add up to `total`."""

    matrices: Floats
    attention: Floats
    state: Floats
    head: Floats

    @property
    def total(self) -> Floats:
        return self.matrices + self.attention + self.state + self.head


def layer_matrix_flop_per_token(group: LayerGroup, hidden_size: int) -> float:
    """One layer's matrix products: twice the matrix parameters that a token uses."""
    parameters = layer_parameters(group, hidden_size)
    used = parameters.quantizable + parameters.router - parameters.idle_experts
    return 2.0 * used


def layer_attention_flop(group: LayerGroup, context_tokens: Floats, *, absorbed: bool = False) -> Floats:
    """One layer's scores and weighted values for one query token that sees `context_tokens`.

    `absorbed`: latent attention computed on the latent vectors themselves, as decoding does.
    """
    mixer = group.mixer
    if isinstance(mixer, Attention):
        seen = np.minimum(context_tokens, mixer.window) if mixer.window else context_tokens
        return np.asarray(2.0 * mixer.heads * (mixer.head_dim + (mixer.value_head_dim or mixer.head_dim)) * seen)
    if isinstance(mixer, LatentAttention):
        seen = np.minimum(context_tokens, mixer.indexer_top_k) if mixer.indexer_top_k else context_tokens
        rank, rope = mixer.kv_lora_rank, mixer.qk_rope_head_dim
        width = 2 * rank + rope if absorbed else mixer.qk_nope_head_dim + rope + mixer.value_head_dim
        indexer = 2.0 * mixer.indexer_heads * mixer.indexer_head_dim * context_tokens
        return np.asarray(2.0 * mixer.heads * width * seen + indexer)
    if isinstance(mixer, CompressedAttention):
        return _compressed_flop(mixer, context_tokens)
    if isinstance(mixer, LinearAttention | StateSpace | None):
        return np.zeros_like(context_tokens)
    assert_never(mixer)


def _compressed_flop(mixer: CompressedAttention, context_tokens: Floats) -> Floats:
    seen = np.minimum(context_tokens, mixer.window) if mixer.window else context_tokens
    indexer = np.zeros_like(context_tokens)
    if mixer.compress_ratio:
        blocks = context_tokens / mixer.compress_ratio
        indexer = 2.0 * mixer.indexer_heads * mixer.indexer_head_dim * blocks
        seen = seen + (np.minimum(blocks, mixer.indexer_top_k) if mixer.indexer_top_k else blocks)
    return np.asarray(4.0 * mixer.heads * mixer.head_dim * seen + indexer)


def layer_state_flop(group: LayerGroup) -> float:
    """One layer's recurrent state, per token."""
    mixer = group.mixer
    if isinstance(mixer, LinearAttention):
        state = mixer.value_heads * mixer.key_head_dim * mixer.value_head_dim
        return (RECURRENCE_FLOP_PER_STATE if mixer.kind == "lightning" else DELTA_RULE_FLOP_PER_STATE) * state
    if isinstance(mixer, StateSpace):
        return RECURRENCE_FLOP_PER_STATE * mixer.inner_size * mixer.state_size
    if isinstance(mixer, Attention | LatentAttention | CompressedAttention | None):
        return 0.0
    assert_never(mixer)


@formula(
    title="Forward FLOPs per token",
    unit="flop",
    expression="2 × matrix parameters used + Σ layers × 2 × heads × (key size + value size) × context + state + head",
    source="Kaplan et al. 2020, section 2.1; latent attention: DeepSeek-V2 report, section 2.1",
)
def forward_flop_per_token(model: Model, context_tokens: ArrayLike, *, absorbed: bool = False) -> ForwardFlop:
    """One token that sees `context_tokens`, through the model's own layers; shape of `context_tokens`.

    A causal prefill of n tokens sees (n + 1) / 2 on average.
    """
    context = np.asarray(context_tokens, dtype=np.float64)
    matrices, state, attention = 0.0, 0.0, np.zeros_like(context)
    for group in model.layers:
        matrices += group.count * layer_matrix_flop_per_token(group, model.hidden_size)
        state += group.count * layer_state_flop(group)
        attention = attention + group.count * layer_attention_flop(group, context, absorbed=absorbed)
    head = 2.0 * model.vocab_size * model.hidden_size if model.has_head else 0.0
    ones = np.ones_like(context)
    return ForwardFlop(matrices * ones, np.asarray(attention), state * ones, head * ones)
