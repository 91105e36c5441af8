"""Layers in groups of equal ones, their experts, and the pieces that most families share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from gpuplanner_gui.domain.model import Attention, DenseFfn, Ffn, LayerGroup, Model, ModelKind, MoeFfn
from gpuplanner_gui.files.model_import.config import Config, listed, per_layer

Placement = Literal["every_layer", "sparse_step", "after_dense", "interleaved", "index_range"]
"""Which layers have experts: all; every `decoder_sparse_step`-th; after `first_k_dense_replace`; by list or step; from
a first to a last index (ERNIE 4.5)."""

EXPERTS_KEYS = ("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
TOP_K_KEYS = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "experts_per_token",
    "top_k_experts",
    "moe_top_k",
    "moe_topk",
    "moe_k",
)
SIZE_KEYS = ("moe_intermediate_size",)
SHARED_COUNT_KEYS = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert")


@dataclass(frozen=True)
class ExpertKeys:
    """A family's experts: defaults, shared expert, router and placement."""

    experts: int
    top_k: int
    size: int
    size_keys: tuple[str, ...] = SIZE_KEYS
    shared_size_key: str = ""
    shared_size: int = 0
    shared_count: int | None = None
    """Default number of shared experts of the expert width; None: the family counts none."""
    shared_gate: bool = False
    router_bias: bool = False
    router_correction: bool = False
    """A weight per expert that only corrects the choice, counted where the reference class counts it."""
    expert_bias: bool = False
    placement: Placement = "every_layer"
    first_dense: int = 0
    dense_size_key: str = ""
    residual_dense_key: str = ""
    """Where this key is true, a dense part of `intermediate_size` stands beside the experts (Grok-2)."""


def moe_ffn(config: Config, experts: ExpertKeys) -> MoeFfn:
    """The experts of one layer."""
    count = config.integer(*EXPERTS_KEYS, default=experts.experts)
    top_k = config.integer(*TOP_K_KEYS, default=experts.top_k)
    if top_k > count:
        raise config.problem(
            "num_experts_per_tok",
            "{top_k} experts per token are more than the {count} experts",
            top_k=top_k,
            count=count,
        )
    size = config.integer(*experts.size_keys, default=experts.size)
    has_dense = bool(experts.residual_dense_key) and config.flag(experts.residual_dense_key, default=False)
    return MoeFfn(
        experts=count,
        top_k=top_k,
        expert_size=size,
        shared_size=shared_size(config, experts, size),
        shared_gate=experts.shared_gate,
        dense_size=config.integer("intermediate_size") if has_dense else 0,
        router_bias=experts.router_bias,
        other_parameters=count if experts.router_correction else 0,
        expert_bias=experts.expert_bias,
    )


def moe_or_dense(config: Config, experts: ExpertKeys | None, size: int, key: str = "intermediate_size") -> Ffn:
    """The experts of one layer, or where it has none a gated part of the width at `key`; `size` is its default."""
    return DenseFfn(size=config.integer(key, default=size)) if experts is None else moe_ffn(config, experts)


def shared_size(config: Config, experts: ExpertKeys, size: int) -> int:
    """Width of all shared experts together."""
    if experts.shared_size_key:
        return config.integer(experts.shared_size_key, default=experts.shared_size, least=0)
    if experts.shared_count is None:
        return 0
    return size * config.integer(*SHARED_COUNT_KEYS, default=experts.shared_count, least=0)


def is_moe_layer(config: Config, experts: ExpertKeys, layers: int) -> list[bool]:
    """Which layers have experts instead of a dense feed-forward part."""
    types = listed(config, "mlp_layer_types", str, layers)
    if types:
        return [name != "dense" for name in types]
    switches = listed(config, "is_moe_layer", bool, layers)
    if switches:
        return switches
    if experts.placement == "sparse_step":
        return _by_sparse_step(config, layers)
    if experts.placement == "after_dense":
        return _after_dense(config, experts, layers)
    if experts.placement == "interleaved":
        return _interleaved(config, layers)
    if experts.placement == "index_range":
        return _index_range(config, experts, layers)
    return [True] * layers


def _by_sparse_step(config: Config, layers: int) -> list[bool]:
    step = config.integer("decoder_sparse_step", default=1)
    dense = set(config.items("mlp_only_layers", int))
    return [(index + 1) % step == 0 and index not in dense for index in range(layers)]


def _after_dense(config: Config, experts: ExpertKeys, layers: int) -> list[bool]:
    if isinstance(config.data.get("moe_layer_freq"), list):
        switches = per_layer(config.items("moe_layer_freq", int), layers, config, "moe_layer_freq")
        return [bool(switch) for switch in switches]
    first = config.integer("first_k_dense_replace", default=experts.first_dense, least=0)
    every = config.integer("moe_layer_freq", default=1) if config.has("moe_layer_freq") else 1
    return [index >= first and index % every == 0 for index in range(layers)]


def _interleaved(config: Config, layers: int) -> list[bool]:
    chosen = config.items("moe_layers", int)
    if chosen:
        return [index in set(chosen) for index in range(layers)]
    step = config.integer("interleave_moe_layer_step", default=1)
    return [(index + 1) % step == 0 for index in range(layers)]


def _index_range(config: Config, experts: ExpertKeys, layers: int) -> list[bool]:
    """ERNIE 4.5: a last index of -1 is the last layer."""
    first = config.integer("moe_layer_start_index", default=experts.first_dense, least=0)
    last = config.integer("moe_layer_end_index", default=-1, least=-1)
    interval = config.integer("moe_layer_interval", default=1)
    last = layers - 1 if last == -1 else last
    return [first <= index <= last and (index + 1) % interval == 0 for index in range(layers)]


def grouped(layers: Iterable[LayerGroup]) -> tuple[LayerGroup, ...]:
    """Layers in any order as groups of equal ones, in the order in which each kind first appears."""
    counts = Counter[LayerGroup]()
    for layer in layers:
        counts[msgspec.structs.replace(layer, count=1)] += layer.count
    return tuple(msgspec.structs.replace(layer, count=count) for layer, count in counts.items())


def tied_embeddings(config: Config, default: bool, outer: Config | None = None) -> bool:
    """`tie_word_embeddings` may stand at the top level or in the text part; the top level's word counts first."""
    if outer is not None and outer.has("tie_word_embeddings"):
        return outer.flag("tie_word_embeddings", default=default)
    return config.flag("tie_word_embeddings", default=default)


def decoder_model(
    config: Config,
    outer: Config | None,
    hidden: int,
    layers: Sequence[LayerGroup],
    *,
    kind: ModelKind,
    vocab: int | None,
    context: int = 0,
    family: str = "",
    tied: bool = False,
    other: int | None = None,
) -> Model:
    """A decoder of such layers; `vocab`, `context` (0: not read) and `tied` are the family's defaults.

    Beyond the layers stands a norm, or `other` parameters.
    """
    return Model(
        name="",
        kind=kind,
        family=family or config.family,
        hidden_size=hidden,
        vocab_size=config.integer("vocab_size", default=vocab),
        layers=tuple(layers),
        tied_embeddings=tied_embeddings(config, tied, outer),
        other_parameters=hidden if other is None else other,
        max_context=config.integer("max_position_embeddings", "model_max_length", default=context) if context else 0,
    )


def head_size(config: Config, hidden_size: int, heads: int, *names: str) -> int:
    """An explicit head size where the family reads one, else the hidden size over the heads."""
    if names and config.has(*names):
        return config.integer(*names)
    size = hidden_size // heads
    if size < 1:
        raise config.problem(
            "num_attention_heads",
            "{heads} heads are more than the hidden size {hidden_size}",
            heads=f"{heads:,}",
            hidden_size=f"{hidden_size:,}",
        )
    if hidden_size % heads:
        config.notes.assume(f"head_dim: {size} (hidden size {hidden_size} over {heads} heads, rounded down)")
    return size


def plain_attention(
    config: Config,
    hidden_size: int,
    kv_heads: int | None = None,
    *,
    sizes: tuple[str, ...] = ("head_dim",),
    bias: bool = True,
) -> Attention:
    """Grouped-query attention over the whole context; `kv_heads` is the family's default (None: as many as heads).

    `sizes` are the keys of the head size, where the family has any; `bias` says whether it has that switch.
    """
    heads = config.integer("num_attention_heads", default=32)
    if kv_heads is None:
        kv_heads = config.integer("num_key_value_heads", default=heads, derived="as many as query heads")
    else:
        kv_heads = config.integer("num_key_value_heads", default=kv_heads)
    size = head_size(config, hidden_size, heads, *sizes)
    has_bias = bias and config.flag("attention_bias", default=False)
    return Attention(heads=heads, kv_heads=kv_heads, head_dim=size, qkv_bias=has_bias, output_bias=has_bias)


def has_sizes(config: Config) -> bool:
    """True where the object says at least something about the model's size."""
    return config.has(
        "hidden_size", "num_hidden_layers", "num_attention_heads", "n_embd", "n_layer", "d_model", "num_layers", "dim"
    )
