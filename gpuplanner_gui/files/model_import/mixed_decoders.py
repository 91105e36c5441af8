"""Decoders whose layers differ in their attention: Gemma 4, MiMo-V2-Flash, MiniMax-M3, DeepSeek V4, Nemotron NAS."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from gpuplanner_gui.domain.model import Attention, CompressedAttention, DenseFfn, Ffn, LayerGroup, Model, MoeFfn
from gpuplanner_gui.files.model_import.config import Config, listed, per_layer
from gpuplanner_gui.files.model_import.decoder_family import windowed_layers
from gpuplanner_gui.files.model_import.layers import (
    ExpertKeys,
    decoder_model,
    grouped,
    head_size,
    is_moe_layer,
    moe_ffn,
    moe_or_dense,
)

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
        for (is_local, reuses), count in Counter(kinds).items()
    ]
    return decoder_model(
        config,
        outer,
        hidden,
        groups,
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


MIMO_EXPERTS = ExpertKeys(256, 8, 2048, ("moe_intermediate_size",), placement="after_dense", first_dense=1)


def build_mimo_v2(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=48)
    windowed = _mimo_windowed(config, layers)
    moe = is_moe_layer(config, MIMO_EXPERTS, layers)
    groups = []
    for (is_windowed, is_moe), count in Counter(zip(windowed, moe, strict=True)).items():
        ffn = moe_or_dense(config, MIMO_EXPERTS if is_moe else None, 16384)
        mixer = _mimo_windowed_attention(config) if is_windowed else _mimo_full(config)
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffn))
    return decoder_model(config, outer, hidden, groups, kind="moe_decoder", vocab=152576, context=131072)


def _mimo_windowed(config: Config, layers: int) -> list[bool]:
    pattern = listed(config, "hybrid_layer_pattern", int, layers)
    if pattern:
        return [bool(switch) for switch in pattern]
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name != "full_attention" for name in types]
    config.notes.assume("hybrid_layer_pattern: the first layer and every sixth full (family default of mimo_v2_flash)")
    return [index != 0 and (index + 1) % 6 != 0 for index in range(layers)]


def _mimo_full(config: Config) -> Attention:
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


def _mimo_windowed_attention(config: Config) -> Attention:
    full = _mimo_full(config)
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


MINIMAX_EXPERTS = ExpertKeys(
    128, 4, 3072, ("moe_intermediate_size", "intermediate_size"),
    shared_size_key="shared_intermediate_size", shared_size=3072, placement="after_dense", first_dense=3,
)  # fmt: skip
MINIMAX_SPARSE = "minimax_m3_sparse"
MINIMAX_DENSE_LAYERS = 3


def build_minimax_m3(config: Config, outer: Config | None) -> Model:
    """The language stack; how many keys its indexers leave is not modelled: attention counts over the whole context."""
    hidden = config.integer("hidden_size", default=6144)
    layers = config.integer("num_hidden_layers", default=60)
    attention, indexer = _minimax_attention(config), _minimax_indexer(config, hidden)
    sparse, moe = _sparse_layers(config, layers), is_moe_layer(config, MINIMAX_EXPERTS, layers)
    if any(sparse):
        config.notes.assume("sparse_attention_config: indexers are counted, attention as if it saw every block")
    groups = []
    for (is_sparse, is_moe), count in Counter(zip(sparse, moe, strict=True)).items():
        mixer = msgspec.structs.replace(attention, other_parameters=indexer) if is_sparse else attention
        ffn = moe_or_dense(config, MINIMAX_EXPERTS if is_moe else None, 12288, "dense_intermediate_size")
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffn))
    return decoder_model(config, outer, hidden, groups, kind="moe_decoder", vocab=200064, context=524288)


def _minimax_attention(config: Config) -> Attention:
    return Attention(
        heads=config.integer("num_attention_heads", default=64),
        kv_heads=config.integer("num_key_value_heads", default=4),
        head_dim=config.integer("head_dim", default=128),
        qk_norm="per_head" if config.flag("use_qk_norm", default=True, quiet=True) else "none",
        output_gate=config.flag("attention_output_gate", default=False, quiet=True),
    )


def _minimax_indexer(config: Config, hidden: int) -> int:
    """Queries of a few heads, one key, and a norm of each."""
    part = config.part("sparse_attention_config") or config
    heads = part.integer("sparse_num_index_heads", "index_n_heads", default=4)
    size = part.integer("sparse_index_dim", "index_head_dim", default=128)
    return hidden * (heads + 1) * size + 2 * size


def _sparse_layers(config: Config, layers: int) -> list[bool]:
    types = listed(config, "layer_types", str, layers)
    if types:
        return [name == MINIMAX_SPARSE for name in types]
    part = config.part("sparse_attention_config")
    if part is not None and not part.flag("use_sparse_attention", default=True, quiet=True):
        return [False] * layers
    switches = part.items("sparse_attention_freq", int) if part is not None else []
    if switches:
        return [bool(switch) for switch in per_layer(switches, layers, config, "sparse_attention_freq")]
    config.notes.assume(
        f"sparse_attention_freq: all but the first {MINIMAX_DENSE_LAYERS} (family default of minimax_m3)"
    )
    return [index >= MINIMAX_DENSE_LAYERS for index in range(layers)]


DEEPSEEK_EXPERTS = ExpertKeys(256, 6, 2048, ("moe_intermediate_size",), shared_count=1)
RATIO_OF_TYPE = {"sliding_attention": 0, "compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
INDEXED_RATIO = 4
"""Layers of this ratio select compressed blocks with an indexer."""


def build_deepseek_v4(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=43)
    ffn = moe_ffn(config, DEEPSEEK_EXPERTS)
    copies = config.integer("hc_mult", default=4, most=1000)
    mixes = copies * (copies + 2)
    connections = 2 * (mixes * copies * hidden + mixes + 3)
    groups = [
        LayerGroup(count=count, mixer=_compressed_attention(config, ratio), ffn=ffn, other_parameters=connections)
        for ratio, count in Counter(_ratios(config, layers)).items()
    ]
    head_connection = copies * copies * hidden + copies + 1
    return decoder_model(
        config,
        outer,
        hidden,
        groups,
        kind="moe_decoder",
        vocab=129280,
        context=1048576,
        other=hidden + head_connection,
    )


def _ratios(config: Config, layers: int) -> list[int]:
    ratios = config.items("compress_ratios", int)
    if ratios:
        if any(not 0 <= ratio <= 1_000_000 for ratio in ratios):
            raise config.problem("compress_ratios", "a ratio is outside 0 to 1,000,000")
        return per_layer(ratios, layers, config, "compress_ratios")
    types = config.items("layer_types", str)
    if types:
        unknown = next((name for name in types if name not in RATIO_OF_TYPE), None)
        if unknown is not None:
            raise config.problem("layer_types", "{unknown} is not a kind of layer in DeepSeek V4", unknown=unknown)
        return [RATIO_OF_TYPE[name] for name in per_layer(types, layers, config, "layer_types")]
    config.notes.assume("compress_ratios: 128 twice, then 128 and 4 in turn (family default of deepseek_v4)")
    return [128 if index < 2 or index % 2 == 0 else INDEXED_RATIO for index in range(layers)]


def _compressed_attention(config: Config, ratio: int) -> CompressedAttention:
    has_indexer = ratio == INDEXED_RATIO
    return CompressedAttention(
        heads=config.integer("num_attention_heads", default=64),
        head_dim=config.integer("head_dim", default=512),
        q_lora_rank=config.integer("q_lora_rank", default=1024),
        output_groups=config.integer("o_groups", default=8),
        output_lora_rank=config.integer("o_lora_rank", default=1024),
        window=config.integer("sliding_window", "window_size", default=128),
        compress_ratio=ratio,
        indexer_heads=config.integer("index_n_heads", default=64) if has_indexer else 0,
        indexer_head_dim=config.integer("index_head_dim", default=128) if has_indexer else 0,
        indexer_top_k=config.integer("index_topk", default=512) if has_indexer else 0,
    )


FFN_MULTIPLE = 256


def build_nas(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=None)
    heads = config.integer("num_attention_heads", default=None)
    head_dim = head_size(config, hidden, heads, "head_dim")
    layers = [
        LayerGroup(count=1, mixer=mixer, ffn=ffn, norms=(mixer is not None) + (ffn is not None))
        for mixer, ffn in _blocks(config, hidden, heads, head_dim)
    ]
    return decoder_model(config, outer, hidden, grouped(layers), kind="dense_decoder", vocab=None, context=131072)


Block = tuple[Attention | None, DenseFfn | None]


def _blocks(config: Config, hidden: int, heads: int, head_dim: int) -> list[Block]:
    if config.has("block_configs"):
        entries = config.items("block_configs", dict)
        stated = config.integer("num_hidden_layers", default=len(entries), derived="length of block_configs")
        if stated != len(entries):
            config.notes.assume(f"num_hidden_layers: {len(entries)} (length of block_configs; the file says {stated})")
        return [
            (_block_attention(block, heads, head_dim), _block_ffn(block, hidden))
            for block in (
                Config(e, config.path, config.family, config.notes, f"block_configs[{i}].")
                for i, e in enumerate(entries)
            )
        ]
    per_layer = config.items("num_key_value_heads_per_layer", int)
    if not per_layer:
        raise config.problem("block_configs", "{family} needs its list of blocks", family=config.family)
    ffn = DenseFfn(size=config.integer("intermediate_size", default=None))
    blocks: list[Block] = []
    for index, kv_heads in enumerate(per_layer):
        if not 1 <= kv_heads <= heads:
            raise config.problem(
                f"num_key_value_heads_per_layer[{index}]",
                "{kv_heads} is outside 1 to {heads}",
                kv_heads=kv_heads,
                heads=heads,
            )
        blocks.append((Attention(heads=heads, kv_heads=kv_heads, head_dim=head_dim), ffn))
    return blocks


def _block_attention(block: Config, heads: int, head_dim: int) -> Attention | None:
    part: Any = block.part("attention")
    if part is None or part.flag("no_op", default=False, quiet=True):
        return None
    if part.flag("replace_with_linear", default=False, quiet=True):
        block.notes.give_up("block_configs: attention replaced by a linear layer is not counted")
        return None
    group = part.integer("n_heads_in_group", most=heads)
    window = part.integer("window_length", default=0, least=0) if part.has("window_length") else 0
    return Attention(heads=heads, kv_heads=max(heads // group, 1), head_dim=head_dim, window=window)


def _block_ffn(block: Config, hidden: int) -> DenseFfn | None:
    part: Any = block.part("ffn")
    if part is None or part.flag("no_op", default=False, quiet=True):
        return None
    if part.flag("replace_with_linear", default=False, quiet=True):
        block.notes.give_up("block_configs: a feed-forward part replaced by a linear layer is not counted")
        return None
    if part.has("intermediate_size"):
        return DenseFfn(size=part.integer("intermediate_size"))
    size = int(2 * part.number("ffn_mult", most=1000.0) * hidden / 3)
    return DenseFfn(size=max(-(-size // FFN_MULTIPLE) * FFN_MULTIPLE, FFN_MULTIPLE))
