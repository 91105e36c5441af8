"""Equal layers gathered into groups, and the pieces that most families share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TypeVar

import msgspec

from gpuplanner_gui.domain.model import Attention, LayerGroup, Model, ModelKind
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.said import said

Kind = TypeVar("Kind", bound=Hashable)


def grouped(layers: Iterable[LayerGroup]) -> tuple[LayerGroup, ...]:
    """Layers in any order as groups of equal ones, in the order in which each kind first appears."""
    counts: dict[LayerGroup, int] = {}
    for layer in layers:
        one = msgspec.structs.replace(layer, count=1)
        counts[one] = counts.get(one, 0) + layer.count
    return tuple(msgspec.structs.replace(layer, count=count) for layer, count in counts.items())


def counted(kinds: Iterable[Kind]) -> dict[Kind, int]:
    """How often each kind of layer occurs, in order of first appearance."""
    counts: dict[Kind, int] = {}
    for kind in kinds:
        counts[kind] = counts.get(kind, 0) + 1
    return counts


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
            said(
                "{heads} heads are more than the hidden size {hidden_size}",
                heads=f"{heads:,}",
                hidden_size=f"{hidden_size:,}",
            ),
        )
    if hidden_size % heads:
        config.notes.assume(f"head_dim: {size} (hidden size {hidden_size} over {heads} heads, rounded down)")
    return size


def plain_attention(
    config: Config,
    hidden_size: int,
    heads: int,
    kv_heads: int | None = None,
    *,
    sizes: tuple[str, ...] = ("head_dim",),
    bias: bool = True,
) -> Attention:
    """Grouped-query attention over the whole context; numbers are the family's defaults (None: as many as heads).

    `sizes` are the keys of the head size, where the family has any; `bias` says whether it has that switch.
    """
    heads = config.integer("num_attention_heads", default=heads)
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
