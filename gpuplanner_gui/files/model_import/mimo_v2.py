"""MiMo-V2-Flash: windowed and full layers differ in heads, head sizes and sinks; values are narrower than keys."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Attention, LayerGroup, Model
from gpuplanner_gui.files.model_import.config import Config, listed
from gpuplanner_gui.files.model_import.layers import ExpertKeys, counted, decoder_model, is_moe_layer, moe_or_dense

EXPERTS = ExpertKeys(256, 8, 2048, ("moe_intermediate_size",), placement="after_dense", first_dense=1)


def build_mimo_v2(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=48)
    windowed = _windowed(config, layers)
    moe = is_moe_layer(config, EXPERTS, layers)
    groups = []
    for (is_windowed, is_moe), count in counted(zip(windowed, moe, strict=True)).items():
        ffn = moe_or_dense(config, EXPERTS if is_moe else None, 16384)
        mixer = _windowed_attention(config) if is_windowed else _full_attention(config)
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffn))
    return decoder_model(config, outer, hidden, tuple(groups), kind="moe_decoder", vocab=152576, context=131072)


def _windowed(config: Config, layers: int) -> list[bool]:
    pattern = listed(config, "hybrid_layer_pattern", int, layers)
    if pattern:
        return [bool(switch) for switch in pattern]
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name != "full_attention" for name in types]
    config.notes.assume("hybrid_layer_pattern: the first layer and every sixth full (family default of mimo_v2_flash)")
    return [index != 0 and (index + 1) % 6 != 0 for index in range(layers)]


def _full_attention(config: Config) -> Attention:
    heads = config.integer("num_attention_heads", default=64)
    has_sinks = config.flag("add_full_attention_sink_bias", default=False, quiet=True)
    return Attention(
        heads=heads,
        kv_heads=config.integer("num_key_value_heads", default=4),
        head_dim=config.integer("head_dim", default=192),
        value_head_dim=config.integer("v_head_dim", default=128),
        qkv_bias=config.flag("attention_bias", default=False),
        other_parameters=heads if has_sinks else 0,
    )


def _windowed_attention(config: Config) -> Attention:
    full = _full_attention(config)
    heads = config.integer("swa_num_attention_heads", default=full.heads, derived="num_attention_heads")
    has_sinks = config.flag("add_swa_attention_sink_bias", default=True)
    return Attention(
        heads=heads,
        kv_heads=config.integer("swa_num_key_value_heads", default=8),
        head_dim=config.integer("swa_head_dim", default=full.head_dim, derived="head_dim"),
        value_head_dim=config.integer("swa_v_head_dim", default=full.value_head_dim, derived="v_head_dim"),
        window=config.integer("sliding_window_size", "sliding_window", "attention_chunk_size", default=128),
        qkv_bias=full.qkv_bias,
        other_parameters=heads if has_sinks else 0,
    )
