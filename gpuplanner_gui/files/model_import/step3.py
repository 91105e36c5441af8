"""Step-3.5 and the language part of Step-3.7: their own words for KV heads and experts, more heads where windowed."""

from __future__ import annotations

from typing import Any

import msgspec

from gpuplanner_gui.domain.model import Attention, LayerGroup, Model
from gpuplanner_gui.files.model_import.config import MOST_LAYERS, Config, shown
from gpuplanner_gui.files.model_import.decoder_family import build_decoder
from gpuplanner_gui.files.model_import.moe_families import STEP3P7
from gpuplanner_gui.files.said import said


def build_step3(config: Config, outer: Config | None) -> Model:
    """A decoder with a gate per head, whose windowed layers may have heads of their own number."""
    usual = Config(config.data | _usual_words(config), config.path, config.family, config.notes, config.place)
    model = build_decoder(usual, STEP3P7, outer)
    heads, kv_heads = _windowed_heads(usual)
    if not heads:
        return model
    groups = tuple(_with_heads(group, model.hidden_size, heads, kv_heads) for group in model.layers)
    return msgspec.structs.replace(model, layers=groups)


def _usual_words(config: Config) -> dict[str, Any]:
    words: dict[str, Any] = {}
    if config.has("num_attention_groups") and not config.has("num_key_value_heads"):
        words["num_key_value_heads"] = config.data["num_attention_groups"]
    listed = config.text("moe_layers_enum")
    if listed and not config.has("mlp_layer_types"):
        layers = config.integer("num_hidden_layers", default=STEP3P7.layers)
        sparse = _layer_numbers(config, listed)
        words["mlp_layer_types"] = ["sparse" if index in sparse else "dense" for index in range(layers)]
    return words


def _layer_numbers(config: Config, listed: str) -> set[int]:
    names = [name.strip() for name in listed.split(",")]
    if len(names) > MOST_LAYERS or not all(name.isascii() and name.isdigit() and len(name) < 7 for name in names):
        raise config.problem(
            "moe_layers_enum", said("numbers of layers with commas are expected, not {value}", value=shown(listed))
        )
    return {int(name) for name in names}


def _windowed_heads(config: Config) -> tuple[int, int]:
    """Query and KV heads of windowed layers; 0 where they are those of the others."""
    other = config.part("attention_other_setting")
    if other is not None and other.text("attention_type", default="sliding_attention") == "sliding_attention":
        kv_heads = other.integer("num_attention_groups", "num_key_value_heads", default=0, least=0, derived="the same")
        return other.integer("num_attention_heads", default=0, least=0, derived="the same"), kv_heads
    if config.has("num_sliding_attention_heads"):
        return config.integer("num_sliding_attention_heads"), 0
    return 0, 0


def _with_heads(group: LayerGroup, hidden: int, heads: int, kv_heads: int) -> LayerGroup:
    mixer = group.mixer
    if not isinstance(mixer, Attention) or not mixer.window:
        return group
    gate = hidden * heads if STEP3P7.head_gate else 0
    return msgspec.structs.replace(
        group,
        mixer=msgspec.structs.replace(
            mixer, heads=heads, kv_heads=min(kv_heads or mixer.kv_heads, heads), other_parameters=gate
        ),
    )
