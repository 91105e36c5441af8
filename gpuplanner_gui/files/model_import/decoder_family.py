"""Decoders with grouped-query attention: what sets one family apart from another, as data, and their one builder."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal

import msgspec

from gpuplanner_gui.domain.model import Attention, DenseFfn, Ffn, LayerGroup, Model, NormKind, QkNorm
from gpuplanner_gui.files.model_import.config import Config, listed, shown
from gpuplanner_gui.files.model_import.layers import (
    ExpertKeys,
    head_size,
    is_moe_layer,
    moe_ffn,
    tied_embeddings,
)

Switch = tuple[str, bool]
"""A key that switches something on, and the family's default; without a key the default always holds."""
Windows = Literal["never", "every_layer", "upper_layers", "layer_types"]
"""Which layers see a window: none, all, those from `max_window_layers` on, or by a per-layer list or interval."""

NO: Switch = ("", False)
YES: Switch = ("", True)


@dataclass(frozen=True)
class DecoderFamily:
    """Defaults that a family's configuration may leave out, and the blocks its layers are made of."""

    name: str
    hidden_size: int
    ffn_size: int
    layers: int
    heads: int
    vocab_size: int
    context: int
    kv_heads: int | None = None
    """Default when the key is missing; None: as many as query heads."""
    head_dim: int | None = None
    """Default when the key is missing; None: hidden size over heads."""
    reads_head_dim: bool = True
    tied: bool = False
    qkv_bias: Switch = NO
    output_bias: Switch = NO
    mlp_bias: Switch = NO
    gated: bool = True
    norms: int = 2
    norm_kind: NormKind = "rms"
    final_norm: bool = True
    qk_norm: QkNorm = "none"
    qk_norm_key: Switch = YES
    """Whether the family's QK norm is there, where it has one."""
    output_gate: bool = False
    head_bias: Switch = NO
    layer_other: int = 0
    """Weights of a layer beyond its blocks, such as a trained activation's."""
    sinks: bool = False
    """A learned sink per query head."""
    head_gate: bool = False
    """A gate per query head, computed from the layer's input."""
    windows: Windows = "never"
    window_keys: tuple[str, ...] = ("sliding_window",)
    window: int | None = None
    """Default where the key is missing; None: no window."""
    interval: int = 0
    """One layer in so many sees everything, the last of each interval."""
    interval_key: str = ""
    experts: ExpertKeys | None = None


def by_name(*families: DecoderFamily, **registered: DecoderFamily) -> dict[str, DecoderFamily]:
    """Families by `model_type`: their own name, unless it is given."""
    return {one.name: one for one in families} | registered


def build_decoder(family: DecoderFamily, config: Config, outer: Config | None = None) -> Model:
    """A model from a family's defaults and the configuration's own keys."""
    hidden = config.integer("hidden_size", default=family.hidden_size)
    layers = config.integer("num_hidden_layers", default=family.layers)
    vocab = config.integer("vocab_size", default=family.vocab_size)
    context = config.integer("max_position_embeddings", default=family.context)
    attention = _attention(config, family, hidden)
    windows = layer_windows(config, family, layers, context)
    moe = _moe_layers(config, family, layers)
    groups = []
    for (window, is_moe), count in Counter(zip(windows, moe, strict=True)).items():
        groups.append(
            LayerGroup(
                count=count,
                mixer=msgspec.structs.replace(attention, window=window),
                ffn=_ffn(config, family, hidden, is_moe),
                norms=family.norms,
                norm_kind=family.norm_kind,
                other_parameters=family.layer_other,
            )
        )
    return Model(
        name="",
        kind="moe_decoder" if any(moe) else "dense_decoder",
        family=family.name,
        hidden_size=hidden,
        vocab_size=vocab,
        layers=tuple(groups),
        tied_embeddings=tied_embeddings(config, family.tied, outer),
        head_bias=switched(config, family.head_bias),
        other_parameters=_final_norm(family, hidden),
        max_context=context,
    )


def _attention(config: Config, family: DecoderFamily, hidden: int) -> Attention:
    heads = config.integer("num_attention_heads", default=family.heads)
    kv_heads = _kv_heads(config, family, heads)
    if family.head_dim is not None:
        head_dim = config.integer("head_dim", default=family.head_dim)
    else:
        head_dim = head_size(config, hidden, heads, *(("head_dim",) if family.reads_head_dim else ()))
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        qkv_bias=switched(config, family.qkv_bias),
        output_bias=switched(config, family.output_bias),
        qk_norm=family.qk_norm if family.qk_norm != "none" and switched(config, family.qk_norm_key) else "none",
        output_gate=family.output_gate,
        other_parameters=(heads if family.sinks else 0) + (hidden * heads if family.head_gate else 0),
    )


def _kv_heads(config: Config, family: DecoderFamily, heads: int) -> int:
    if family.kv_heads is not None and not config.mentions("num_key_value_heads"):
        kv_heads = config.integer("num_key_value_heads", default=min(family.kv_heads, heads))
    else:
        kv_heads = config.integer("num_key_value_heads", default=heads)
    if kv_heads > heads:
        config.notes.give_up(f"num_key_value_heads: {kv_heads} is more than num_attention_heads: {heads}")
    elif heads % kv_heads:
        config.notes.assume(f"num_key_value_heads: {kv_heads} does not divide num_attention_heads: {heads}")
    return kv_heads


def switched(config: Config, switch: Switch) -> bool:
    """Whether a switch is on."""
    key, default = switch
    return config.flag(key, default=default) if key else default


def _ffn(config: Config, family: DecoderFamily, hidden: int, is_moe: bool) -> Ffn:
    if is_moe and family.experts is not None:
        return moe_ffn(config, family.experts)
    names: tuple[str, ...] = ("intermediate_size",)
    if family.experts is not None and family.experts.dense_size_key:
        names = (family.experts.dense_size_key, *names)
    size = config.integer(*names, default=family.ffn_size)
    return DenseFfn(size=size, gated=family.gated, bias=switched(config, family.mlp_bias))


def _moe_layers(config: Config, family: DecoderFamily, layers: int) -> list[bool]:
    if family.experts is None:
        return [False] * layers
    return is_moe_layer(config, family.experts, layers)


def _final_norm(family: DecoderFamily, hidden: int) -> int:
    if not family.final_norm:
        return 0
    return 2 * hidden if family.norm_kind == "layer" else hidden


def layer_windows(config: Config, family: DecoderFamily, layers: int, context: int) -> list[int]:
    """Each layer's window in tokens, 0 for the whole context. A window as long as the context is none."""
    if family.windows == "never":
        if config.has("sliding_window") and not config.has("use_sliding_window"):
            config.notes.assume(f"sliding_window: not applied ({family.name} caches the whole context)")
        return [0] * layers
    if family.windows == "upper_layers" and not config.flag("use_sliding_window", default=False, quiet=True):
        return [0] * layers
    window = _window(config, family)
    if not window or window >= context:
        return [0] * layers
    if family.windows == "every_layer":
        return [window] * layers
    if family.windows == "upper_layers" and not config.has("layer_types"):
        first = config.integer("max_window_layers", default=28, least=0)
        return [window if index >= first else 0 for index in range(layers)]
    return [
        window if windowed else 0 for windowed in windowed_layers(config, family.interval_key, family.interval, layers)
    ]


def _window(config: Config, family: DecoderFamily) -> int:
    key = family.window_keys[0]
    if not config.has(*family.window_keys):
        if family.window is None or any(config.mentions(name) for name in family.window_keys):
            return 0
        return config.integer(key, default=family.window)
    return config.integer(*family.window_keys, least=0)


def windowed_layers(config: Config, interval_key: str, interval: int, layers: int) -> list[bool]:
    """Which layers are windowed, from `layer_types`, the layers without rotary positions (Llama 4) or an interval."""
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name != "full_attention" for name in types]
    rotary = listed(config, "no_rope_layers", int, layers)
    if rotary:
        return [bool(switch) for switch in rotary]
    letters = config.data.get(interval_key) if interval_key else None
    if isinstance(letters, str):
        return [letter != "G" for letter in _repeated(config, interval_key, letters, layers)]
    if interval_key:
        interval = config.integer(interval_key, "_" + interval_key, default=interval)
    return [(index + 1) % interval != 0 for index in range(layers)]


def _repeated(config: Config, key: str, letters: str, layers: int) -> str:
    """A pattern such as LLLG (three local layers, then a global one), repeated over all layers."""
    if not letters or set(letters) - {"L", "G"}:
        raise config.problem(key, "a pattern of L and G is expected, not {value}", value=shown(letters))
    return (letters * (layers // len(letters) + 1))[:layers]
