"""Dense decoders in the manner of Llama: class defaults of the reference library, and the blocks of each family."""

from __future__ import annotations

from gpuplanner_gui.files.model_import.decoder_family import YES, DecoderFamily, by_name

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
"""By `model_type`."""
