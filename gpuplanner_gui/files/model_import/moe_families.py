"""Mixture-of-experts decoders with grouped-query attention."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.model_import.decoder_family import DecoderFamily, build_decoder, by_name
from gpuplanner_gui.files.model_import.dense_families import BIAS_KEY, MLP_BIAS_KEY
from gpuplanner_gui.files.model_import.experts import ExpertKeys
from gpuplanner_gui.files.said import said

WIDTH_OF_FFN = ("intermediate_size",)
MOE_OR_FFN_WIDTH = ("moe_intermediate_size", "intermediate_size")

HUNYUAN_MOE = DecoderFamily(
    "hunyuan_v1_moe", 4096, 11008, 32, 32, 290943, 2048, qk_norm="per_head", qk_norm_key=("use_qk_norm", True),
    qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
    experts=ExpertKeys(1, 1, 11008, MOE_OR_FFN_WIDTH, shared_count=1),
)  # fmt: skip


HUNYUAN_LISTS = ("moe_intermediate_size", "moe_topk", "num_shared_expert")
"""Keys that Hunyuan may give layer by layer; every release gives each layer the same."""


def build_hunyuan_moe(config: Config, outer: Config | None) -> Model:
    """Hunyuan's mixture of experts; raises FileProblem where its layers differ in width or number of experts used."""
    changes = {key: _of_all_layers(config, key) for key in HUNYUAN_LISTS if isinstance(config.data.get(key), list)}
    same = Config(config.data | changes, config.path, config.family, config.notes, config.place)
    return build_decoder(same, HUNYUAN_MOE, outer)


def _of_all_layers(config: Config, key: str) -> int:
    values = config.items(key, int)
    if len(set(values)) != 1:
        raise config.problem(key, said("layers that differ are not supported: {values}", values=shown(values)))
    return int(values[0])


STEP3P7 = DecoderFamily(
    "step3p7", 4096, 11264, 45, 64, 128815, 128000, 8, 128, qk_norm="per_head", head_gate=True,
    qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=("mlp_bias", False),
    windows="layer_types", interval=4,
    experts=ExpertKeys(
        288, 8, 1280, shared_size_key="share_expert_dim", shared_size=1280, placement="after_dense", first_dense=3
    ),
)  # fmt: skip

MOE_FAMILIES: dict[str, DecoderFamily] = by_name(
    DecoderFamily(
        "ernie4_5_moe", 2560, 12288, 28, 20, 103424, 131072, 4, tied=True,
        qkv_bias=("use_bias", False), output_bias=("use_bias", False), mlp_bias=("use_bias", False),
        experts=ExpertKeys(64, 6, 1536, shared_count=2, placement="index_range", router_correction=True, first_dense=1),
    ),
    DecoderFamily(
        "hy_v3", 4096, 13312, 80, 64, 120832, 131072, 8, 128, qk_norm="per_head",
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY,
        experts=ExpertKeys(192, 8, 1536, shared_count=1, placement="after_dense", first_dense=1),
    ),
    DecoderFamily(
        "dots1", 4608, 10944, 62, 32, 152064, 2048, 32, qk_norm="per_head", qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        experts=ExpertKeys(128, 6, 1408, shared_count=2, placement="after_dense"),
    ),
    DecoderFamily(
        "bailing_moe_v2", 2048, 5120, 20, 16, 157184, 16384, 4, 128, qk_norm="per_head",
        qk_norm_key=("use_qk_norm", True), qkv_bias=("use_qkv_bias", False), output_bias=("use_bias", False),
        experts=ExpertKeys(256, 8, 512, shared_count=1, placement="after_dense", first_dense=1),
    ),
    DecoderFamily(
        "exaone_moe", 4096, 16384, 32, 32, 102400, 2048, 32, qk_norm="per_head",
        windows="layer_types", window=4096, interval=4, interval_key="sliding_window_pattern",
        experts=ExpertKeys(64, 8, 1024, shared_count=1, placement="after_dense", first_dense=1),
    ),
    DecoderFamily(
        "solar_open", 4096, 10240, 48, 64, 196608, 131072, 8, 128, qkv_bias=BIAS_KEY,
        experts=ExpertKeys(128, 8, 1280, shared_count=1),
    ),
    DecoderFamily(
        "mixtral", 4096, 14336, 32, 32, 32000, 131072, 8, windows="every_layer",
        experts=ExpertKeys(8, 2, 14336, WIDTH_OF_FFN),
    ),
    DecoderFamily(
        "qwen2_moe", 2048, 5632, 24, 16, 151936, 32768, 16, qkv_bias=("qkv_bias", True), windows="upper_layers",
        experts=ExpertKeys(
            60, 4, 1408, shared_size_key="shared_expert_intermediate_size", shared_size=5632, shared_gate=True,
            placement="sparse_step",
        ),
    ),
    DecoderFamily(
        "qwen3_moe", 2048, 6144, 24, 32, 151936, 32768, 4, qk_norm="per_head", windows="upper_layers",
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, experts=ExpertKeys(128, 8, 768, placement="sparse_step"),
    ),
    DecoderFamily(
        "gpt_oss", 2880, 2880, 36, 64, 201088, 131072, 8, 64,
        qkv_bias=("attention_bias", True), output_bias=("attention_bias", True), sinks=True,
        windows="layer_types", window=128, interval=2,
        experts=ExpertKeys(128, 4, 2880, WIDTH_OF_FFN, router_bias=True, expert_bias=True),
    ),
    DecoderFamily(
        "minimax_m2", 3072, 1536, 62, 48, 200064, 196608, 8, 128, qk_norm="full", qk_norm_key=("use_qk_norm", True),
        experts=ExpertKeys(256, 8, 1536, WIDTH_OF_FFN),
    ),
    DecoderFamily(
        "glm4_moe", 4096, 10944, 46, 96, 151552, 131072, 8, qk_norm="per_head", qk_norm_key=("use_qk_norm", False),
        qkv_bias=BIAS_KEY,
        experts=ExpertKeys(128, 8, 1408, shared_count=1, placement="after_dense", first_dense=1),
    ),
    DecoderFamily(
        "olmoe", 2048, 2048, 16, 16, 50304, 4096, 16, qk_norm="full", qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        experts=ExpertKeys(64, 8, 2048, WIDTH_OF_FFN),
    ),
    DecoderFamily(
        "phimoe", 4096, 6400, 32, 32, 32064, 131072, 8, norm_kind="layer", qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        head_bias=("lm_head_bias", False), windows="every_layer", experts=ExpertKeys(16, 2, 6400, WIDTH_OF_FFN),
    ),
    DecoderFamily(
        "granitemoe", 4096, 11008, 32, 32, 32000, 2048, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        experts=ExpertKeys(8, 2, 11008, WIDTH_OF_FFN),
    ),
    DecoderFamily(
        "grok", 6144, 32768, 64, 48, 131072, 8192, 8, norms=4,
        experts=ExpertKeys(8, 2, 32768, MOE_OR_FFN_WIDTH, residual_dense_key="residual_moe"),
    ),
    llama4_text=DecoderFamily(
        "llama4", 5120, 16384, 48, 40, 202048, 131072, 8, 128, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        windows="layer_types", window_keys=("attention_chunk_size",), window=8192, interval=4,
        experts=ExpertKeys(
            16, 1, 8192, WIDTH_OF_FFN, shared_size_key="intermediate_size", shared_size=8192, placement="interleaved",
            dense_size_key="intermediate_size_mlp",
        ),
    ),
)  # fmt: skip
"""By `model_type`."""
