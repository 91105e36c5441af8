"""Decoders with multi-head latent attention: DeepSeek V2 and V3, Kimi K2, GLM-5, with or without a sparse indexer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import msgspec

from gpuplanner_gui.domain.model import LatentAttention, LayerGroup, Model
from gpuplanner_gui.files.model_import.config import Config, per_layer
from gpuplanner_gui.files.model_import.layers import ExpertKeys, decoder_model, is_moe_layer, moe_or_dense


@dataclass(frozen=True)
class LatentFamily:
    """Class defaults of a family with latent attention."""

    name: str
    hidden_size: int
    ffn_size: int
    layers: int
    heads: int
    vocab_size: int
    context: int
    experts: ExpertKeys
    q_lora_rank: int
    """Default where the key is missing; 0: none. Null always means none."""
    kv_lora_rank: int = 512
    qk_nope_head_dim: int = 128
    qk_rope_head_dim: int = 64
    value_head_dim: int = 128
    indexer: tuple[int, int, int] | None = None
    """Default heads, head size and tokens of the sparse indexer; None: the family has none."""


def build_latent(family: LatentFamily, config: Config, outer: Config | None = None) -> Model:
    """A model with latent attention in every layer."""
    hidden = config.integer("hidden_size", default=family.hidden_size)
    layers = config.integer("num_hidden_layers", default=family.layers)
    attention = latent_attention(config, family)
    moe = is_moe_layer(config, family.experts, layers)
    groups = []
    for (is_moe, reuses), count in Counter(zip(moe, _reused_indexes(config, layers), strict=True)).items():
        ffn = moe_or_dense(config, family.experts if is_moe else None, family.ffn_size)
        mixer = _without_indexer(attention) if reuses else attention
        groups.append(LayerGroup(count=count, mixer=mixer, ffn=ffn))
    return decoder_model(
        config,
        outer,
        hidden,
        groups,
        kind="moe_decoder" if any(moe) else "dense_decoder",
        vocab=family.vocab_size,
        family=family.name,
        context=family.context,
    )


def latent_attention(config: Config, family: LatentFamily) -> LatentAttention:
    """One layer's latent attention."""
    indexer = _indexer(config, family)
    query_rank = _query_rank(config, family)
    kv_rank = config.integer("kv_lora_rank", default=family.kv_lora_rank)
    rope = config.integer("qk_rope_head_dim", default=family.qk_rope_head_dim, least=0)
    hidden = config.integer("hidden_size", default=family.hidden_size)
    has_bias = config.flag("attention_bias", default=False)
    return LatentAttention(
        heads=config.integer("num_attention_heads", default=family.heads),
        q_lora_rank=query_rank,
        kv_lora_rank=kv_rank,
        qk_nope_head_dim=config.integer("qk_nope_head_dim", default=family.qk_nope_head_dim),
        qk_rope_head_dim=rope,
        value_head_dim=config.integer("v_head_dim", default=family.value_head_dim),
        indexer_heads=indexer[0],
        indexer_head_dim=indexer[1],
        indexer_top_k=indexer[2],
        other_parameters=query_rank + kv_rank + rope + hidden if has_bias else 0,
    )


def _reused_indexes(config: Config, layers: int) -> list[bool]:
    """Layers without an indexer of their own, which attend to what an earlier layer's selected (GLM-5.2)."""
    types = config.items("indexer_types", str)
    if not types:
        return [False] * layers
    return [name == "shared" for name in per_layer(types, layers, config, "indexer_types")]


def _without_indexer(attention: LatentAttention) -> LatentAttention:
    """Still as few tokens are attended, and nothing is scored or cached to choose them."""
    return msgspec.structs.replace(attention, indexer_heads=0, indexer_head_dim=0)


def _query_rank(config: Config, family: LatentFamily) -> int:
    if config.mentions("q_lora_rank") and not config.has("q_lora_rank"):
        return 0
    return config.integer("q_lora_rank", default=family.q_lora_rank, least=0)


def _indexer(config: Config, family: LatentFamily) -> tuple[int, int, int]:
    if family.indexer is None and not config.has("index_n_heads"):
        return 0, 0, 0
    heads, size, tokens = family.indexer or (64, 128, 2048)
    return (
        config.integer("index_n_heads", default=heads),
        config.integer("index_head_dim", default=size),
        config.integer("index_topk", default=tokens, least=0),
    )


V3_EXPERTS = ExpertKeys(256, 8, 2048, shared_count=1, placement="after_dense", first_dense=3)

LATENT_FAMILIES: dict[str, LatentFamily] = {
    "deepseek_v2": LatentFamily(
        "deepseek_v2", 4096, 11008, 32, 32, 102400, 2048,
        ExpertKeys(64, 6, 1407, shared_count=2, placement="after_dense"), q_lora_rank=0,
    ),
    "deepseek_v3": LatentFamily("deepseek_v3", 7168, 18432, 61, 128, 129280, 4096, V3_EXPERTS, q_lora_rank=1536),
    "deepseek_v32": LatentFamily(
        "deepseek_v32", 7168, 18432, 61, 128, 129280, 163840, V3_EXPERTS, q_lora_rank=1536, indexer=(64, 128, 2048)
    ),
    "kimi_k2": LatentFamily("kimi_k2", 7168, 18432, 61, 128, 129280, 4096, V3_EXPERTS, q_lora_rank=1536),
    "glm_moe_dsa": LatentFamily(
        "glm_moe_dsa", 6144, 12288, 78, 64, 154880, 202752, V3_EXPERTS, q_lora_rank=2048,
        qk_nope_head_dim=192, value_head_dim=256, indexer=(32, 128, 2048),
    ),
    "glm4_moe_lite": LatentFamily(
        "glm4_moe_lite", 2048, 10240, 47, 20, 154880, 202752,
        ExpertKeys(64, 4, 1536, shared_count=1, placement="after_dense", first_dense=1), q_lora_rank=768,
        qk_nope_head_dim=192, value_head_dim=256,
    ),
    "mistral4": LatentFamily(
        "mistral4", 4096, 12288, 36, 32, 131072, 1048576,
        ExpertKeys(128, 4, 2048, shared_count=1, placement="after_dense"), q_lora_rank=1024,
        kv_lora_rank=256, qk_nope_head_dim=64,
    ),
}  # fmt: skip
"""Families with latent attention by `model_type`."""
