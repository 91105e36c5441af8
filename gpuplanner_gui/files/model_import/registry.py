"""Which builder reads which architecture, by `model_type` (transformers) or `_class_name` (diffusers)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.files.model_import import (
    classic,
    decoder_families,
    diffusion,
    diffusion_transformer,
    encoders,
    linear_hybrid,
    mixed_decoders,
    relative_encoders,
    state_space,
)
from gpuplanner_gui.files.model_import.config import Config
from gpuplanner_gui.files.model_import.decoder_families import DENSE_FAMILIES, MOE_FAMILIES
from gpuplanner_gui.files.model_import.decoder_family import build_decoder
from gpuplanner_gui.files.model_import.latent import LATENT_FAMILIES, build_latent

Builder = Callable[[Config, Config | None], Model]
"""Builds a model from its own (text) configuration and, where that is nested, the whole file."""


BUILDERS: dict[str, Builder] = {
    **{name: partial(build_decoder, family) for name, family in (DENSE_FAMILIES | MOE_FAMILIES).items()},
    **{name: partial(build_latent, family) for name, family in LATENT_FAMILIES.items()},
    "hunyuan_v1_moe": decoder_families.build_hunyuan_moe,
    "granitemoehybrid": linear_hybrid.build_granite_hybrid,
    "falcon_h1": linear_hybrid.build_falcon_h1,
    "longcat_flash": linear_hybrid.build_longcat_flash,
    "gemma4_text": mixed_decoders.build_gemma4,
    "qwen3_next": linear_hybrid.build_qwen_hybrid,
    "qwen3_5_text": linear_hybrid.build_qwen_hybrid,
    "qwen3_5_moe_text": linear_hybrid.build_qwen_hybrid,
    "minimax": linear_hybrid.build_minimax,
    "kimi_linear": linear_hybrid.build_kimi_linear,
    "mamba": state_space.build_mamba1,
    "mamba2": state_space.build_mamba2,
    "jamba": state_space.build_jamba,
    "nemotron_h": state_space.build_nemotron_h,
    "nemotron-nas": mixed_decoders.build_nas,
    "deci": mixed_decoders.build_nas,
    "deepseek_v4": mixed_decoders.build_deepseek_v4,
    "mimo_v2_flash": mixed_decoders.build_mimo_v2,
    "minimax_m3": mixed_decoders.build_minimax_m3,
    "step3p7_text": decoder_families.build_step3,
    "gpt2": classic.build_gpt2,
    "gpt_bigcode": classic.build_gpt2,
    "gptj": classic.build_gptj,
    "codegen": classic.build_gptj,
    "phi": classic.build_phi,
    "gpt_neox": classic.build_gpt_neox,
    "bloom": classic.build_bloom,
    "opt": classic.build_opt,
    "mpt": classic.build_mpt,
    "falcon": classic.build_falcon,
    "stablelm": classic.build_stablelm,
    "dbrx": classic.build_dbrx,
    "bert": encoders.build_bert,
    "roberta": encoders.build_bert,
    "xlm-roberta": encoders.build_bert,
    "mpnet": relative_encoders.build_mpnet,
    "deberta-v2": relative_encoders.build_deberta,
    "distilbert": encoders.build_distilbert,
    "modernbert": encoders.build_modernbert,
    "vit": encoders.build_vit,
    "clip": encoders.build_clip,
    "clip_text_model": encoders.build_clip_text,
    "clip_vision_model": encoders.build_clip_vision,
    "siglip_vision_model": encoders.build_siglip,
    "dinov2": encoders.build_dinov2,
    "resnet": encoders.build_resnet,
    "t5": encoders.build_t5,
    "mt5": encoders.build_t5,
    "whisper": encoders.build_whisper,
    "UNet2DConditionModel": diffusion.build_unet,
    "AutoencoderKL": diffusion.build_autoencoder,
    "FluxTransformer2DModel": diffusion_transformer.build_flux,
    "SD3Transformer2DModel": diffusion_transformer.build_sd3,
    "QwenImageTransformer2DModel": diffusion_transformer.build_qwen_image,
    "WanTransformer3DModel": diffusion_transformer.build_wan,
}
"""Builders by the name that their notes use for the family."""

SYNONYMS: dict[str, str] = {
    "code_llama": "llama",
    "yi": "llama",
    "Yi": "llama",
    "ministral": "ministral3",
    "mistral3": "mistral",
    "gemma3": "gemma3_text",
    "gemma4": "gemma4_text",
    "llama4": "llama4_text",
    "qwen2_vl": "qwen2",
    "qwen2_vl_text": "qwen2",
    "qwen2_5_vl": "qwen2",
    "qwen2_5_vl_text": "qwen2",
    "qwen3_vl": "qwen3",
    "qwen3_vl_text": "qwen3",
    "qwen3_vl_moe": "qwen3_moe",
    "qwen3_vl_moe_text": "qwen3_moe",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
    "minimax_text_01": "minimax",
    "minimax_m3_vl": "minimax_m3",
    "minimax_m3_vl_text": "minimax_m3",
    "MiniMaxText01": "minimax",
    "deepseek_ref": "deepseek_v4",
    "hunyuan": "hunyuan_v1_moe",
    "hunyuan_moe": "hunyuan_v1_moe",
    "bailing_moe": "bailing_moe_v2",
    "falcon_mamba": "mamba",
    "longcat": "longcat_flash",
    "kimi_k25": "kimi_k2",
    "kimi_k3": "kimi_linear",
    "nemotron_nas": "nemotron-nas",
    "step3p7": "step3p7_text",
    "step3p5": "step3p7_text",
    "phi-msft": "phi",
    "RefinedWeb": "falcon",
    "RefinedWebModel": "falcon",
    "umt5": "mt5",
    "camembert": "roberta",
}
"""Other names of the same architecture, and files whose language part has no name of its own."""

_CLASS_ENDING = re.compile(r"(?:ForCausalLM|LMHeadModel|ForMaskedLM|ForConditionalGeneration|Model)$")
_NO_LETTER = re.compile(r"[^a-z0-9]")
CLASSES: dict[str, str] = {
    "HunYuanMoEV1ForCausalLM": "hunyuan_v1_moe",
    "HunYuanDenseV1ForCausalLM": "hunyuan_v1_dense",
    "DeciLMForCausalLM": "nemotron-nas",
    "RWForCausalLM": "falcon",
}
"""Classes that are not called as their `model_type`."""


def _key_of(name: str) -> str:
    return _NO_LETTER.sub("", name.lower())


_BY_KEY = {_key_of(name): family for name, family in SYNONYMS.items()} | {_key_of(name): name for name in BUILDERS}


def _family_of_class(name: str) -> str:
    """The family of a class, for files that name no `model_type`: `Qwen2MoeForCausalLM` is `qwen2_moe`."""
    return CLASSES.get(name) or _BY_KEY.get(_key_of(_CLASS_ENDING.sub("", name)), "")


TELLING_CLASSES: dict[str, str] = {"Grok1ForCausalLM": "grok", "Grok1ModelForCausalLM": "grok"}
"""Classes whose releases name another model's `model_type` (Grok-2 says `git`)."""


HEADLESS_ENDINGS = ("ForSequenceClassification", "ForTokenClassification", "ForRewardModel", "EmbeddingModel")
"""Of classes that embed, rank or score."""


def has_no_head(architectures: list[str]) -> bool:
    """Whether every class leaves out the head that writes tokens, as `MistralModel` does.

    `Model` ends names of bare families alone: `InternVLChatModel` and `GPT2LMHeadModel` write text.
    """
    return bool(architectures) and all(
        name.endswith(HEADLESS_ENDINGS) or (name.endswith("Model") and _key_of(name.removesuffix("Model")) in _BY_KEY)
        for name in architectures
    )


def family_name(model_type: str, architectures: list[str]) -> str:
    """The registered family of a configuration, empty when it is not known."""
    told = next((TELLING_CLASSES[name] for name in architectures if name in TELLING_CLASSES), "")
    if told:
        return told
    for name in (model_type, SYNONYMS.get(model_type, "")):
        if name in BUILDERS:
            return name
    if not model_type:
        return next(filter(None, map(_family_of_class, architectures)), "")
    return ""
