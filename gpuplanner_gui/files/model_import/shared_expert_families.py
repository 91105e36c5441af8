"""Mixtures of experts with shared ones: ERNIE 4.5, Hunyuan, Hy3, dots.llm1, Ling 2, K-EXAONE, Solar Open."""

from __future__ import annotations

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import.config import Config, shown
from gpuplanner_gui.files.model_import.decoder_family import DecoderFamily, build_decoder
from gpuplanner_gui.files.model_import.dense_families import BIAS_KEY, MLP_BIAS_KEY
from gpuplanner_gui.files.model_import.experts import Experts
from gpuplanner_gui.files.said import said

ERNIE4_5_MOE = DecoderFamily(
    "ernie4_5_moe", 2560, 12288, 28, 20, 103424, 131072, 4, tied=True,
    qkv_bias=("use_bias", False), output_bias=("use_bias", False), mlp_bias=("use_bias", False),
    experts=Experts(64, 6, 1536, shared_count=2, placement="index_range", router_correction=True, first_dense=1),
)  # fmt: skip
HUNYUAN_MOE = DecoderFamily(
    "hunyuan_v1_moe", 4096, 11008, 32, 32, 290943, 2048, qk_norm="per_head", qk_norm_key=("use_qk_norm", True),
    qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
    experts=Experts(1, 1, 11008, ("moe_intermediate_size", "intermediate_size"), shared_count=1),
)  # fmt: skip
HY_V3 = DecoderFamily(
    "hy_v3", 4096, 13312, 80, 64, 120832, 131072, 8, 128, qk_norm="per_head",
    qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY,
    experts=Experts(192, 8, 1536, shared_count=1, placement="after_dense", first_dense=1),
)  # fmt: skip
DOTS1 = DecoderFamily(
    "dots1", 4608, 10944, 62, 32, 152064, 2048, 32, qk_norm="per_head", qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
    experts=Experts(128, 6, 1408, shared_count=2, placement="after_dense"),
)  # fmt: skip
BAILING_MOE_V2 = DecoderFamily(
    "bailing_moe_v2", 2048, 5120, 20, 16, 157184, 16384, 4, 128, qk_norm="per_head",
    qk_norm_key=("use_qk_norm", True), qkv_bias=("use_qkv_bias", False), output_bias=("use_bias", False),
    experts=Experts(256, 8, 512, shared_count=1, placement="after_dense", first_dense=1),
)  # fmt: skip
EXAONE_MOE = DecoderFamily(
    "exaone_moe", 4096, 16384, 32, 32, 102400, 2048, 32, qk_norm="per_head",
    windows="layer_types", window=4096, interval=4, interval_key="sliding_window_pattern",
    experts=Experts(64, 8, 1024, shared_count=1, placement="after_dense", first_dense=1),
)  # fmt: skip
SOLAR_OPEN = DecoderFamily(
    "solar_open", 4096, 10240, 48, 64, 196608, 131072, 8, 128, qkv_bias=BIAS_KEY,
    experts=Experts(128, 8, 1280, shared_count=1),
)  # fmt: skip

SHARED_EXPERT_FAMILIES: dict[str, DecoderFamily] = {
    "ernie4_5_moe": ERNIE4_5_MOE,
    "hy_v3": HY_V3,
    "dots1": DOTS1,
    "bailing_moe_v2": BAILING_MOE_V2,
    "exaone_moe": EXAONE_MOE,
    "solar_open": SOLAR_OPEN,
}
"""By `model_type`."""

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
