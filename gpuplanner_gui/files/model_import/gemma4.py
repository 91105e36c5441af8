"""Gemma 4: local layers with small heads, global ones with large heads and one projection for keys and values."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Attention, DenseFfn, Ffn, LayerGroup, Model, MoeFfn
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.decoder_family import windowed_layers
from gpuplanner_gui.files.model_import.layers import counted, decoder_model

NORMS = 4
NORMS_WITH_EXPERTS = 7


def build_gemma4(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=2304)
    layers = config.integer("num_hidden_layers", default=30)
    has_experts = config.flag("enable_moe_block", default=False)
    reused = config.integer("num_kv_shared_layers", default=0, least=0)
    local = windowed_layers(config, "", 6, layers)
    if local[-1]:
        config.notes.assume("layer_types: the last layer sees the whole context (gemma4 always does)")
        local[-1] = False
    kinds = [(is_local, index >= layers - reused) for index, is_local in enumerate(local)]
    width_per_layer = config.integer("hidden_size_per_layer_input", default=256, least=0)
    groups = [
        LayerGroup(
            count=count,
            mixer=_attention(config, is_local=is_local, reuses_cache=reuses),
            ffn=_ffn(config, hidden, has_experts, reuses),
            norms=(NORMS_WITH_EXPERTS if has_experts else NORMS) + (1 if width_per_layer else 0),
            other_parameters=2 * hidden * width_per_layer,
        )
        for (is_local, reuses), count in counted(kinds).items()
    ]
    return decoder_model(
        config,
        outer,
        hidden,
        tuple(groups),
        kind="moe_decoder" if has_experts else "dense_decoder",
        vocab=262144,
        family="gemma4",
        context=131072,
        tied=True,
        other=hidden + _per_layer_embeddings(config, hidden, layers, width_per_layer),
    )


def _attention(config: Config, *, is_local: bool, reuses_cache: bool) -> Attention:
    heads = config.integer("num_attention_heads", default=8)
    kv_heads = config.integer("num_key_value_heads", default=4)
    bias = config.flag("attention_bias", default=False)
    if is_local:
        head_dim, window, shares = config.integer("head_dim", default=256), _window(config), False
    else:
        head_dim, window = config.integer("global_head_dim", default=512), 0
        shares = config.flag("attention_k_eq_v", default=False)
        if shares and config.has("num_global_key_value_heads"):
            kv_heads = config.integer("num_global_key_value_heads")
    return Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        window=window,
        qkv_bias=bias,
        output_bias=bias,
        qk_norm="per_head",
        shared_kv_projection=shares,
        kv_shared_with_earlier_layer=reuses_cache,
    )


def _window(config: Config) -> int:
    return config.integer("sliding_window", default=512)


def _ffn(config: Config, hidden: int, has_experts: bool, reuses_cache: bool) -> Ffn:
    size = config.integer("intermediate_size", default=9216)
    if reuses_cache and config.flag("use_double_wide_mlp", default=False):
        size *= 2
    if not has_experts:
        return DenseFfn(size=size)
    experts = config.integer("num_experts", default=None)
    return MoeFfn(
        experts=experts,
        top_k=config.integer("top_k_experts", "num_experts_per_tok", default=None),
        expert_size=config.integer("moe_intermediate_size", default=None),
        dense_size=size,
        other_parameters=hidden + experts,
    )


def _per_layer_embeddings(config: Config, hidden: int, layers: int, width: int) -> int:
    """A table of small embeddings for every layer, and what projects them (Gemma 3n and the small Gemma 4)."""
    if not width:
        return 0
    vocab = config.integer("vocab_size_per_layer_input", default=262144)
    return vocab * layers * width + hidden * layers * width + width
