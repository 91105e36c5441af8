"""Makers of pictures and films beyond the collected facts: parts counted and FLOPs of one pass taken by instantiation.

diffusers 0.42.1 and transformers 5.23.0 on PyTorch's meta device with its flop counter, which also gives the collected
figures of Stable Diffusion 3 Medium and FLUX.1 to the last operation. Text encoders are named entries' totals.
"""

from __future__ import annotations

from typing import Any

Fact = dict[str, Any]

CLIP_L, CLIP_G, T5_XXL, SD3_VAE = 123_650_304, 694_659_840, 4_762_310_656, 83_819_683
SD3_DECODING = 10_470_392_070_144
"""Text encoders and autoencoder of Stable Diffusion 3, and its decoding of one picture of 1024 × 1024."""
MISTRAL_SMALL_3_1, FLUX2_VAE, FLUX2_DECODING = 24_011_361_280, 84_046_115, 10_474_653_483_008
QWEN2_5_VL_7B, QWEN_VAE, QWEN_DECODING = 8_292_166_656, 126_892_531, 11_682_587_869_184
SOURCE = "diffusers 0.42.1 instantiation of the published transformer configuration (recalled); PyTorch flop counter"
DEFAULTS = "diffusers 0.42.1, defaults of the transformer and autoencoder classes; PyTorch flop counter"
FILM_SOURCE = "diffusers 0.42.1 instantiation of the published transformer configuration"


def _picture(
    entry_id: str, name: str, family: str, parts: tuple[int, ...], one_pass: int, decoding: int, *,
    steps: int, passes: int, text_tokens: int, license_name: str, source: str,
) -> Fact:  # fmt: skip
    return {
        "id": entry_id, "name": name, "family": family, "kind": "diffusion", "total_params": sum(parts),
        "fwd_flops_per_sample": one_pass, "flops_per_image": steps * passes * one_pass + decoding,
        "default_steps": steps, "passes_per_step_with_cfg": passes,
        "flops_input": f"one transformer pass, batch 1, 1024x1024, {text_tokens} text tokens",
        "native_weight_dtype": "bf16", "license": license_name, "confidence": "medium", "source": source,
    }  # fmt: skip


def _film(entry_id: str, name: str, family: str, parameters: int, license_name: str) -> Fact:
    return {
        "id": entry_id, "name": name, "family": family, "kind": "diffusion", "total_params": parameters,
        "fwd_flops_per_sample": 0.0,
        "flops_input": "one pass; FLOPs depend on frames and resolution and are not filled in",
        "native_weight_dtype": "bf16", "license": license_name, "confidence": "medium", "source": FILM_SOURCE,
    }  # fmt: skip


HUNYUAN = "Tencent Hunyuan Community License"
STABILITY, APACHE = "Stability AI Community License", "Apache-2.0"
SD3_PARTS = (CLIP_L, CLIP_G, T5_XXL, SD3_VAE)

PICTURES: tuple[Fact, ...] = (
    _picture(
        "sd3.5-large", "Stable Diffusion 3.5 Large", "Stable Diffusion", (8_056_627_520, *SD3_PARTS),
        31_121_114_907_648, SD3_DECODING, steps=28, passes=2, text_tokens=333, license_name=STABILITY, source=SOURCE,
    ),
    _picture(
        "sd3.5-medium", "Stable Diffusion 3.5 Medium", "Stable Diffusion", (2_243_171_520, *SD3_PARTS),
        11_249_573_707_776, SD3_DECODING, steps=40, passes=2, text_tokens=333, license_name=STABILITY, source=SOURCE,
    ),
    _picture(
        "flux.2-dev", "FLUX.2 [dev]", "FLUX", (32_223_281_152, MISTRAL_SMALL_3_1, FLUX2_VAE),
        282_599_551_401_984, FLUX2_DECODING, steps=50, passes=1, text_tokens=512,
        license_name="FLUX.2 dev Non-Commercial License", source=DEFAULTS,
    ),
    _picture(
        "qwen-image", "Qwen-Image", "Qwen-Image", (20_430_401_088, QWEN2_5_VL_7B, QWEN_VAE),
        78_303_922_225_152, QWEN_DECODING, steps=50, passes=2, text_tokens=512, license_name=APACHE, source=DEFAULTS,
    ),
    _film("wan2.1-1.3b", "Wan 2.1 T2V 1.3B (transformer)", "Wan", 1_418_996_800, APACHE),
    _film("wan2.2-5b", "Wan 2.2 TI2V 5B (transformer)", "Wan", 4_999_787_712, APACHE),
    _film("wan2.2-a14b", "Wan 2.2 T2V A14B (both transformers)", "Wan", 2 * 14_288_491_584, APACHE),
    _film("hunyuanvideo-13b", "HunyuanVideo 13B (transformer)", "HunyuanVideo", 12_821_012_544, HUNYUAN),
)  # fmt: skip
