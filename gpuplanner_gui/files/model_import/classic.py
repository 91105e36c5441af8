"""Decoders before and beside Llama: GPT-2, GPT-J, GPT-NeoX, BigCode, BLOOM, OPT, MPT, Falcon, Phi, StableLM, DBRX."""

from __future__ import annotations

import msgspec

from gpuplanner_gui.domain.model import Attention, DenseFfn, LayerGroup, Model, ModelKind, MoeFfn, NormKind
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.layers import decoder_model, head_size

HIDDEN = ("hidden_size", "n_embd", "d_model", "n_embed")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers")
HEADS = ("num_attention_heads", "n_head", "n_heads")
CONTEXT = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")
FFN = ("intermediate_size", "n_inner", "ffn_dim")
FFN_IS_FOUR_TIMES = "4 × hidden size"


def _assembled(
    config: Config,
    outer: Config | None,
    hidden: int,
    layer: LayerGroup,
    *,
    vocab: int,
    context: int,
    tied: bool,
    head_bias: bool = False,
    positions: int = 0,
    other: int = 0,
    embedding_size: int = 0,
) -> Model:
    kind: ModelKind = "moe_decoder" if isinstance(layer.ffn, MoeFfn) else "dense_decoder"
    return msgspec.structs.replace(
        decoder_model(config, outer, hidden, [layer], kind=kind, vocab=vocab, tied=tied, other=other),
        embedding_size=embedding_size,
        head_bias=head_bias,
        position_parameters=positions,
        max_context=context,
    )


def _layer(
    config: Config,
    hidden: int,
    heads: int,
    layers: tuple[tuple[str, ...], int],
    *,
    kv_heads: int = 0,
    bias: bool = True,
    attention_bias: bool | None = None,
    ffn: int | None = None,
    norms: int = 2,
    norm_kind: NormKind = "layer",
) -> LayerGroup:
    """Layers of these decoders: as many KV heads as heads unless given, a plain feed-forward part.

    `layers` are the keys and the default of their number; `ffn` None: its usual keys, else four times the hidden size.
    """
    with_bias = bias if attention_bias is None else attention_bias
    attention = Attention(
        heads=heads,
        kv_heads=kv_heads or heads,
        head_dim=head_size(config, hidden, heads),
        qkv_bias=with_bias,
        output_bias=with_bias,
    )
    count = config.integer(*layers[0], default=layers[1])
    size = config.integer(*FFN, default=4 * hidden, derived=FFN_IS_FOUR_TIMES) if ffn is None else ffn
    part = DenseFfn(size=size, gated=False, bias=bias)
    return LayerGroup(count=count, mixer=attention, ffn=part, norms=norms, norm_kind=norm_kind)


def build_gpt2(config: Config, outer: Config | None) -> Model:
    """GPT-2 and, with one shared KV head, BigCode: biases everywhere, learned positions."""
    hidden = config.integer(*HIDDEN, default=768)
    heads = config.integer(*HEADS, default=12)
    context = config.integer(*CONTEXT, default=1024)
    is_multi_query = config.family == "gpt_bigcode" and config.flag("multi_query", default=True)
    layer = _layer(config, hidden, heads, (LAYERS, 12), kv_heads=1 if is_multi_query else 0)
    return _assembled(
        config, outer, hidden, layer,
        vocab=50257, context=context, tied=True, positions=context * hidden, other=2 * hidden,
    )  # fmt: skip


def build_gptj(config: Config, outer: Config | None) -> Model:
    """GPT-J and CodeGen: one norm per layer, no attention biases, a head with bias."""
    hidden = config.integer(*HIDDEN, default=4096)
    heads = config.integer(*HEADS, default=16)
    layer = _layer(config, hidden, heads, (LAYERS, 28), attention_bias=False, norms=1)
    context = config.integer(*CONTEXT, default=2048)
    return _assembled(
        config, outer, hidden, layer, vocab=50400, context=context, tied=False, head_bias=True, other=2 * hidden
    )


def build_phi(config: Config, outer: Config | None) -> Model:
    """Phi-1 and Phi-2: as GPT-J with biases on attention."""
    hidden = config.integer(*HIDDEN, default=2048)
    heads = config.integer(*HEADS, default=32)
    kv_heads = config.integer("num_key_value_heads", "n_head_kv", default=heads)
    layer = _layer(config, hidden, heads, (LAYERS, 24), kv_heads=kv_heads, norms=1)
    if config.flag("qk_layernorm", default=False):
        layer = _with_attention_parameters(layer, 4 * head_size(config, hidden, heads))
    context = config.integer(*CONTEXT, default=2048)
    return _assembled(
        config, outer, hidden, layer, vocab=51200, context=context, tied=False, head_bias=True, other=2 * hidden
    )


def _with_attention_parameters(layer: LayerGroup, count: int) -> LayerGroup:
    assert isinstance(layer.mixer, Attention)
    return msgspec.structs.replace(layer, mixer=msgspec.structs.replace(layer.mixer, other_parameters=count))


def build_gpt_neox(config: Config, outer: Config | None) -> Model:
    """GPT-NeoX and Pythia: biases everywhere, rotary positions, a head of its own."""
    hidden = config.integer(*HIDDEN, default=6144)
    heads = config.integer(*HEADS, default=64)
    bias = config.flag("attention_bias", default=True)
    ffn = config.integer("intermediate_size", default=24576)
    layer = _layer(config, hidden, heads, (LAYERS, 44), attention_bias=bias, ffn=ffn)
    context = config.integer(*CONTEXT, default=2048)
    return _assembled(config, outer, hidden, layer, vocab=50432, context=context, tied=False, other=2 * hidden)


def build_bloom(config: Config, outer: Config | None) -> Model:
    """BLOOM: biases everywhere, ALiBi, a norm after the embedding; the width of the feed-forward part is fixed."""
    hidden = config.integer("hidden_size", "n_embed", "n_embd", default=64)
    heads = config.integer("n_head", "num_attention_heads", default=8)
    layer = _layer(config, hidden, heads, (("n_layer", "num_hidden_layers"), 2), ffn=4 * hidden)
    context = config.integer("seq_length", default=2048)
    return _assembled(config, outer, hidden, layer, vocab=250880, context=context, tied=True, other=4 * hidden)


def build_opt(config: Config, outer: Config | None) -> Model:
    """OPT: learned positions with two spare rows; the 350M model embeds in half the width and norms afterwards."""
    hidden = config.integer("hidden_size", default=768)
    heads = config.integer("num_attention_heads", default=12)
    bias = config.flag("enable_bias", default=True, quiet=True)
    ffn = config.integer("ffn_dim", default=4 * hidden, derived=FFN_IS_FOUR_TIMES)
    layer = _layer(config, hidden, heads, (("num_hidden_layers",), 12), bias=bias, ffn=ffn)
    context = config.integer("max_position_embeddings", default=2048)
    embedding = config.integer("word_embed_proj_dim", default=hidden, derived="the hidden size")
    has_final_norm = config.flag("do_layer_norm_before", default=True)
    if config.flag("_remove_final_layer_norm", default=False, quiet=True):
        has_final_norm = False
    projections = 2 * hidden * embedding if embedding != hidden else 0
    return _assembled(
        config, outer, hidden, layer,
        vocab=50272, context=context, tied=True, positions=(context + 2) * hidden,
        other=(2 * hidden if has_final_norm else 0) + projections,
        embedding_size=embedding if embedding != hidden else 0,
    )  # fmt: skip


def build_mpt(config: Config, outer: Config | None) -> Model:
    """MPT: norms without biases, ALiBi, tied."""
    hidden = config.integer("d_model", "hidden_size", default=2048)
    heads = config.integer("n_heads", "num_attention_heads", default=16)
    attention_part = config.part("attn_config")
    kv_heads, has_alibi = heads, True
    if attention_part is not None:
        if attention_part.text("attn_type") == "multiquery_attention":
            kv_heads = 1
        kv_heads = attention_part.integer("kv_n_heads") if attention_part.has("kv_n_heads") else kv_heads
        has_alibi = attention_part.flag("alibi", default=True, quiet=True)
    bias = not config.flag("no_bias", default=True)
    ffn = round(hidden * config.number("expansion_ratio", default=4.0, most=1000.0))
    layer = _layer(
        config, hidden, heads, (("n_layers", "num_hidden_layers"), 24),
        kv_heads=kv_heads, bias=bias, ffn=ffn, norm_kind="layer" if bias else "layer_no_bias",
    )  # fmt: skip
    context = config.integer("max_seq_len", "max_position_embeddings", default=2048)
    has_positions = not has_alibi and config.flag("learned_pos_emb", default=True)
    return _assembled(
        config, outer, hidden, layer,
        vocab=50368, context=context, tied=True,
        positions=context * hidden if has_positions else 0, other=hidden * (2 if bias else 1),
    )  # fmt: skip


def build_falcon(config: Config, outer: Config | None) -> Model:
    """Falcon: one KV head (7B) or a few (40B and later), attention and feed-forward side by side."""
    hidden = config.integer("hidden_size", default=4544)
    heads = config.integer("num_attention_heads", "n_head", default=71)
    bias = config.flag("bias", default=False)
    is_new = config.flag("new_decoder_architecture", default=False)
    is_parallel = config.flag("parallel_attn", default=True)
    if is_new:
        kv_heads = config.integer("num_kv_heads", "n_head_kv", default=heads, derived="num_attention_heads")
        norms = config.integer("num_ln_in_parallel_attn", default=2)
    else:
        kv_heads = 1 if config.flag("multi_query", default=True) else heads
        norms = 1 if is_parallel else 2
    ffn = config.integer("ffn_hidden_size", default=4 * hidden, derived=FFN_IS_FOUR_TIMES)
    layers = (("num_hidden_layers", "n_layer"), 32)
    layer = _layer(config, hidden, heads, layers, kv_heads=kv_heads, bias=bias, ffn=ffn, norms=norms)
    context = config.integer("max_position_embeddings", default=2048)
    return _assembled(config, outer, hidden, layer, vocab=65024, context=context, tied=True, other=2 * hidden)


def build_stablelm(config: Config, outer: Config | None) -> Model:
    """StableLM: Llama's blocks with layer norms."""
    hidden = config.integer("hidden_size", default=2560)
    heads = config.integer("num_attention_heads", default=32)
    kv_heads = config.integer("num_key_value_heads", default=heads)
    head_dim = head_size(config, hidden, heads)
    has_qk_norm = config.flag("qk_layernorm", default=False)
    attention = Attention(
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        qkv_bias=config.flag("use_qkv_bias", default=False),
        other_parameters=(heads + kv_heads) * head_dim if has_qk_norm else 0,
    )
    layer = LayerGroup(
        count=config.integer("num_hidden_layers", default=32),
        mixer=attention,
        ffn=DenseFfn(size=config.integer("intermediate_size", default=6912)),
        norms=1 if config.flag("use_parallel_residual", default=False) else 2,
        norm_kind="layer",
    )
    context = config.integer("max_position_embeddings", default=4096)
    return _assembled(config, outer, hidden, layer, vocab=50304, context=context, tied=False, other=2 * hidden)


def build_dbrx(config: Config, outer: Config | None) -> Model:
    """DBRX: experts in every layer, norms without biases."""
    hidden = config.integer("d_model", "hidden_size", default=2048)
    heads = config.integer("n_heads", "num_attention_heads", default=16)
    attention_part = config.part("attn_config") or config
    ffn_part = config.part("ffn_config") or config
    layer = LayerGroup(
        count=config.integer("n_layers", "num_hidden_layers", default=24),
        mixer=Attention(
            heads=heads,
            kv_heads=attention_part.integer("kv_n_heads", default=1),
            head_dim=head_size(config, hidden, heads),
        ),
        ffn=MoeFfn(
            experts=ffn_part.integer("moe_num_experts", default=4),
            top_k=ffn_part.integer("moe_top_k", default=1),
            expert_size=ffn_part.integer("ffn_hidden_size", default=3584),
        ),
        norm_kind="layer_no_bias",
    )
    context = config.integer("max_seq_len", default=2048)
    return _assembled(config, outer, hidden, layer, vocab=32000, context=context, tied=False, other=hidden)
