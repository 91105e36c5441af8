"""Decoders in the manner of Llama, dense and with experts: class defaults of the reference library by family."""

from __future__ import annotations

from typing import Any

import msgspec

from gpuplanner_gui.domain.model import Attention, LayerGroup, Model
from gpuplanner_gui.files.model_import.config import MOST_LAYERS, Config, shown
from gpuplanner_gui.files.model_import.decoder_family import YES, DecoderFamily, build_decoder, by_name
from gpuplanner_gui.files.model_import.layers import ExpertKeys

BIAS_KEY = ("attention_bias", False)
MLP_BIAS_KEY = ("mlp_bias", False)


DENSE_FAMILIES: dict[str, DecoderFamily] = by_name(
    DecoderFamily(
        "llama", 4096, 11008, 32, 32, 32000, 2048, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY
    ),
    DecoderFamily("mistral", 4096, 14336, 32, 32, 32000, 131072, 8, windows="every_layer", window=4096),
    DecoderFamily("ministral3", 4096, 14336, 34, 32, 131072, 262144, 8, 128, windows="every_layer"),
    DecoderFamily("qwen2", 4096, 22016, 32, 32, 151936, 32768, 32, qkv_bias=YES, windows="upper_layers"),
    DecoderFamily(
        "qwen3", 4096, 22016, 32, 32, 151936, 32768, 32, 128,
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, qk_norm="per_head", windows="upper_layers",
    ),
    DecoderFamily(
        "mimo", 4096, 11008, 32, 32, 151936, 32768, 32, qkv_bias=("attention_bias", True), windows="upper_layers"
    ),
    DecoderFamily("phi3", 3072, 8192, 32, 32, 32064, 4096, windows="every_layer"),
    DecoderFamily(
        "granite", 4096, 11008, 32, 32, 32000, 2048, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY
    ),
    DecoderFamily(
        "olmo", 4096, 11008, 32, 32, 50304, 2048, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, norms=0, final_norm=False
    ),
    DecoderFamily(
        "olmo2", 4096, 11008, 32, 32, 50304, 2048, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, qk_norm="full"
    ),
    DecoderFamily(
        "olmo3", 4096, 11008, 32, 32, 50304, 2048, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, qk_norm="full",
        windows="layer_types", window=4096, interval=4,
    ),
    DecoderFamily(
        "cohere", 8192, 22528, 40, 64, 256000, 8192, tied=True, norms=1, norm_kind="layer_no_bias",
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, qk_norm="full", qk_norm_key=("use_qk_norm", False),
    ),
    DecoderFamily(
        "cohere2", 8192, 22528, 40, 64, 256000, 8192, tied=True, norms=1, norm_kind="layer_no_bias",
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        windows="layer_types", window=4096, interval=4, interval_key="sliding_window_pattern",
    ),
    DecoderFamily("glm", 4096, 13696, 40, 32, 151552, 131072, 2, 128, qkv_bias=("attention_bias", True)),
    DecoderFamily("glm4", 4096, 13696, 40, 32, 151552, 131072, 2, 128, qkv_bias=("attention_bias", True), norms=4),
    DecoderFamily(
        "exaone4", 4096, 16384, 32, 32, 102400, 2048, 32, qk_norm="per_head",
        windows="layer_types", window=4096, interval=4, interval_key="sliding_window_pattern",
    ),
    DecoderFamily(
        "smollm3", 2048, 11008, 36, 16, 128256, 32768, 4, tied=True,
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY,
    ),
    DecoderFamily(
        "seed_oss", 4096, 27648, 64, 80, 155136, 524288, 8, 128,
        qkv_bias=("attention_bias", True), output_bias=("attention_out_bias", False), mlp_bias=MLP_BIAS_KEY,
    ),
    DecoderFamily(
        "ernie4_5", 1024, 3072, 18, 16, 103424, 131072, 2, 128, tied=True,
        qkv_bias=("use_bias", False), output_bias=("use_bias", False), mlp_bias=("use_bias", False),
    ),
    DecoderFamily(
        "hunyuan_v1_dense", 4096, 11008, 32, 32, 290943, 2048, qk_norm="per_head", qk_norm_key=("use_qk_norm", True),
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
    ),
    DecoderFamily(
        "internlm2", 4096, 11008, 32, 32, 103168, 2048, qkv_bias=("bias", False), output_bias=("bias", False)
    ),
    DecoderFamily(
        "internlm3", 4096, 10240, 48, 32, 128512, 32768, 2, 128,
        qkv_bias=("qkv_bias", False), output_bias=("bias", False), mlp_bias=("bias", False),
    ),
    DecoderFamily(
        "arcee", 2560, 18432, 32, 32, 32000, 4096, gated=False,
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY,
    ),
    DecoderFamily(
        "apertus", 4096, 14336, 32, 32, 131072, 65536, gated=False, qk_norm="per_head", layer_other=2,
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
    ),
    DecoderFamily(
        "nemotron", 6144, 24576, 32, 48, 256000, 4096, gated=False, norm_kind="layer",
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, mlp_bias=MLP_BIAS_KEY,
    ),
    DecoderFamily(
        "starcoder2", 3072, 12288, 30, 24, 49152, 4096, 2, reads_head_dim=False, tied=True, gated=False,
        norm_kind="layer", qkv_bias=("use_bias", True), output_bias=("use_bias", True), mlp_bias=("use_bias", True),
    ),
    DecoderFamily(
        "gemma", 3072, 24576, 28, 16, 256000, 8192, 16, 256, tied=True, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY
    ),
    DecoderFamily(
        "gemma2", 2304, 9216, 26, 8, 256000, 8192, 4, 256, tied=True, norms=4, qkv_bias=BIAS_KEY, output_bias=BIAS_KEY,
        windows="layer_types", window=4096, interval=2,
    ),
    gemma3_text=DecoderFamily(
        "gemma3", 2304, 9216, 26, 8, 262208, 131072, 4, 256, tied=True, norms=4,
        qkv_bias=BIAS_KEY, output_bias=BIAS_KEY, qk_norm="per_head",
        windows="layer_types", window=4096, interval=6, interval_key="sliding_window_pattern",
    ),
)  # fmt: skip
"""Families of decoders by `model_type`."""


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
    return build_decoder(HUNYUAN_MOE, same, outer)


def _of_all_layers(config: Config, key: str) -> int:
    values = config.items(key, int)
    if len(set(values)) != 1:
        raise config.problem(key, "layers that differ are not supported: {values}", values=shown(values))
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
"""Families of decoders by `model_type`."""


def build_step3(config: Config, outer: Config | None) -> Model:
    """A decoder with a gate per head, whose windowed layers may have heads of their own number."""
    usual = Config(config.data | _usual_words(config), config.path, config.family, config.notes, config.place)
    model = build_decoder(STEP3P7, usual, outer)
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
            "moe_layers_enum", "numbers of layers with commas are expected, not {value}", value=shown(listed)
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
