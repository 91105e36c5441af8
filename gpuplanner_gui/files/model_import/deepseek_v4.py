"""DeepSeek V4: compressed attention over one shared wide KV head, hyper-connections, experts in every layer."""

from __future__ import annotations

from gpuplanner_gui.domain.model import CompressedAttention, LayerGroup, Model
from gpuplanner_gui.files.errors import said
from gpuplanner_gui.files.model_import.config import Config, per_layer
from gpuplanner_gui.files.model_import.layers import ExpertKeys, counted, decoder_model, moe_ffn

EXPERTS = ExpertKeys(256, 6, 2048, ("moe_intermediate_size",), shared_count=1)
RATIO_OF_TYPE = {"sliding_attention": 0, "compressed_sparse_attention": 4, "heavily_compressed_attention": 128}
INDEXED_RATIO = 4
"""Layers of this ratio select compressed blocks with an indexer."""


def build_deepseek_v4(config: Config, outer: Config | None) -> Model:
    hidden = config.integer("hidden_size", default=4096)
    layers = config.integer("num_hidden_layers", default=43)
    ffn = moe_ffn(config, EXPERTS)
    copies = config.integer("hc_mult", default=4, most=1000)
    mixes = copies * (copies + 2)
    connections = 2 * (mixes * copies * hidden + mixes + 3)
    groups = [
        LayerGroup(count=count, mixer=_attention(config, ratio), ffn=ffn, other_parameters=connections)
        for ratio, count in counted(_ratios(config, layers)).items()
    ]
    head_connection = copies * copies * hidden + copies + 1
    return decoder_model(
        config,
        outer,
        hidden,
        tuple(groups),
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
            raise config.problem(
                "layer_types", said("{unknown} is not a kind of layer in DeepSeek V4", unknown=unknown)
            )
        return [RATIO_OF_TYPE[name] for name in per_layer(types, layers, config, "layer_types")]
    config.notes.assume("compress_ratios: 128 twice, then 128 and 4 in turn (family default of deepseek_v4)")
    return [128 if index < 2 or index % 2 == 0 else INDEXED_RATIO for index in range(layers)]


def _attention(config: Config, ratio: int) -> CompressedAttention:
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
