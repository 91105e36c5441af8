"""Equal layers gathered into groups, and the pieces that most families share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

from gpuplanner_gui.domain.model import LayerGroup
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.said import said

Kind = TypeVar("Kind", bound=Hashable)


def grouped(layers: Iterable[LayerGroup]) -> tuple[LayerGroup, ...]:
    """Layers in any order as groups of equal ones, in the order in which each kind first appears."""
    counts: dict[LayerGroup, int] = {}
    for layer in layers:
        one = with_count(layer, 1)
        counts[one] = counts.get(one, 0) + layer.count
    return tuple(with_count(layer, count) for layer, count in counts.items())


def with_count(group: LayerGroup, count: int) -> LayerGroup:
    return LayerGroup(
        count=count,
        mixer=group.mixer,
        cross_attention=group.cross_attention,
        ffn=group.ffn,
        norms=group.norms,
        norm_kind=group.norm_kind,
        other_parameters=group.other_parameters,
    )


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


def has_sizes(config: Config) -> bool:
    """True where the object says at least something about the model's size."""
    return config.has(
        "hidden_size", "num_hidden_layers", "num_attention_heads", "n_embd", "n_layer", "d_model", "num_layers", "dim"
    )
