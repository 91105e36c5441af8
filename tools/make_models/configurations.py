"""From a collected fact about a model to the configuration file that its family would have, for the importer to read.

So every entry, with or without a file of its own, is counted by the same builders as a planner's own file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Fact = dict[str, Any]
Configuration = dict[str, Any]

FP8_BLOCKS = {"quant_method": "fp8", "weight_block_size": [128, 128]}
INT4_EXPERTS = {
    "quant_method": "compressed-tensors",
    "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\..*", "lm_head"],
    "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int", "group_size": 32}}},
}
WEIGHTS: dict[str, Configuration] = {
    "bf16": {"torch_dtype": "bfloat16"},
    "bf16 (fp8 release)": {"torch_dtype": "bfloat16"},
    "fp16": {"torch_dtype": "float16"},
    "fp16/bf16": {"torch_dtype": "float16"},
    "fp32": {"torch_dtype": "float32"},
    "fp8": {"torch_dtype": "bfloat16", "quantization_config": FP8_BLOCKS},
    "fp8 (experts fp4)": {
        "torch_dtype": "bfloat16",
        "expert_dtype": "fp4",
        "quantization_config": FP8_BLOCKS,
    },
    "int4 experts, bf16 rest": {"torch_dtype": "bfloat16", "quantization_config": INT4_EXPERTS},
    "mxfp4 experts, bf16 rest": {"torch_dtype": "bfloat16", "quantization_config": {"quant_method": "mxfp4"}},
    "nvfp4 export; original bf16": {
        "torch_dtype": "bfloat16",
        "quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ["lm_head"]},
    },
}
"""`native_weight_dtype` of the facts as a configuration's keys."""

QWEN_VISION = {
    "depth": 27, "hidden_size": 1152, "in_channels": 3, "intermediate_size": 4304, "num_heads": 16,
    "num_position_embeddings": 2304, "patch_size": 16, "spatial_merge_size": 2, "temporal_patch_size": 2,
}  # fmt: skip
SIGLIP_SO400M = {
    "model_type": "siglip_vision_model", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
    "num_attention_heads": 16, "image_size": 896, "patch_size": 14, "num_channels": 3,
}  # fmt: skip
GEMMA4_VISION = {
    "model_type": "gemma4_vision", "hidden_size": 1152, "intermediate_size": 4304, "num_hidden_layers": 27,
    "num_attention_heads": 16, "head_dim": 72, "patch_size": 16, "position_embedding_size": 10240,
}  # fmt: skip
MOONVIT = {
    "vt_hidden_size": 1152, "vt_intermediate_size": 4304, "vt_num_hidden_layers": 27, "vt_num_attention_heads": 16,
    "patch_size": 14, "init_pos_emb_height": 64, "init_pos_emb_width": 64, "merge_type": "sd2_tpool",
}  # fmt: skip
"""Image towers of multimodal families, from their published configurations."""


def usual_keys(fact: Fact, model_type: str) -> Configuration:
    """The keys that most decoder families share."""
    return {
        "model_type": model_type,
        "hidden_size": fact["hidden_size"],
        "num_hidden_layers": fact["layers"],
        "num_attention_heads": fact["num_heads"],
        "num_key_value_heads": fact["num_kv_heads"],
        "head_dim": fact["head_dim"],
        "intermediate_size": fact["ffn_size"],
        "vocab_size": fact["vocab_size"],
        "tie_word_embeddings": fact["tied_embeddings"],
        "max_position_embeddings": fact["max_context"],
    }


def expert_keys(fact: Fact) -> Configuration:
    moe = fact["moe"]
    return {
        "num_experts": moe["experts"],
        "num_experts_per_tok": moe["top_k"],
        "moe_intermediate_size": moe["expert_ffn_size"],
        "n_shared_experts": moe["shared_experts"],
        "first_k_dense_replace": moe["first_dense_layers"],
    }


def _plain(model_type: str, **more: Any) -> Callable[[Fact], Configuration]:
    return lambda fact: {**usual_keys(fact, model_type), **more}


def _mistral(fact: Fact) -> Configuration:
    return {**usual_keys(fact, "mistral"), "sliding_window": (fact["attention"] or {}).get("window")}


def _mixtral(fact: Fact) -> Configuration:
    return {**usual_keys(fact, "mixtral"), **expert_keys(fact), "sliding_window": None}


def _qwen3(fact: Fact) -> Configuration:
    if fact["moe"]:
        return {**usual_keys(fact, "qwen3_moe"), **expert_keys(fact), "attention_bias": False}
    return {**usual_keys(fact, "qwen3"), "attention_bias": False}


def _qwen3_vl(fact: Fact) -> Configuration:
    vision = {**QWEN_VISION, "out_hidden_size": fact["hidden_size"], "deepstack_visual_indexes": [8, 16, 24]}
    kind = "qwen3_vl_moe" if fact["moe"] else "qwen3_vl"
    return {"model_type": kind, "text_config": _qwen3(fact), "vision_config": vision}


def _qwen3_5(fact: Fact) -> Configuration:
    linear = fact["ssm"]
    kind = "qwen3_5_moe" if fact["moe"] else "qwen3_5"
    text = {
        **usual_keys(fact, kind + "_text"),
        "full_attention_interval": 4,
        "linear_num_key_heads": linear["num_key_heads"],
        "linear_num_value_heads": linear["num_value_heads"],
        "linear_key_head_dim": linear["key_head_dim"],
        "linear_value_head_dim": linear["value_head_dim"],
        "linear_conv_kernel_dim": linear["conv_kernel"],
        **(expert_keys(fact) if fact["moe"] else {}),
    }
    if fact["moe"]:
        text["shared_expert_intermediate_size"] = fact["moe"]["shared_expert_ffn_size"]
    return {
        "model_type": kind,
        "text_config": text,
        "vision_config": {**QWEN_VISION, "out_hidden_size": fact["hidden_size"]},
    }


def _llama4(fact: Fact) -> Configuration:
    return {
        **usual_keys(fact, "llama4_text"),
        **expert_keys(fact),
        "intermediate_size_mlp": fact["moe"]["dense_ffn_size"],
        "interleave_moe_layer_step": fact["moe"]["moe_layer_freq"],
        "attention_chunk_size": fact["attention"]["window"],
    }


def _latent(model_type: str) -> Callable[[Fact], Configuration]:
    def build(fact: Fact) -> Configuration:
        mla = fact["mla"]
        return {
            **usual_keys(fact, model_type),
            **expert_keys(fact),
            "q_lora_rank": mla["q_lora_rank"],
            "kv_lora_rank": mla["kv_lora_rank"],
            "qk_nope_head_dim": mla["qk_nope"],
            "qk_rope_head_dim": mla["qk_rope"],
            "v_head_dim": mla["v_head_dim"],
        }

    return build


def _kimi(fact: Fact) -> Configuration:
    text = _latent("kimi_k2")(fact)
    return {"model_type": "kimi_k25", "text_config": text, "vision_config": MOONVIT}


def _deepseek_v4(fact: Fact) -> Configuration:
    keys = {**usual_keys(fact, "deepseek_v4"), **expert_keys(fact)}
    return {
        **keys,
        "compress_ratios": fact["attention"]["compress_ratios"],
        "sliding_window": fact["attention"]["window"],
    }


def _glm(fact: Fact) -> Configuration:
    keys = {**usual_keys(fact, "glm4_moe"), **expert_keys(fact), "attention_bias": True}
    return {**keys, "use_qk_norm": fact["id"] != "glm-4.5-air"}


def _minimax_m3(fact: Fact) -> Configuration:
    """As GLM-4.5 with its dense and shared widths; the block-sparse indexer's keys are not public facts here."""
    keys = {**usual_keys(fact, "glm4_moe"), **expert_keys(fact), "attention_bias": False, "use_qk_norm": True}
    return {**keys, "intermediate_size": 4 * fact["ffn_size"]}


def _mimo_v2(fact: Fact) -> Configuration:
    keys = {**usual_keys(fact, "mimo_v2_flash"), **expert_keys(fact)}
    full = {0, *range(5, 48, 6)}
    pattern = [0 if index in full else 1 for index in range(fact["layers"])]
    return {**keys, "hybrid_layer_pattern": pattern, "sliding_window": fact["attention"]["window"], "v_head_dim": 128,
            "swa_num_key_value_heads": 8, "moe_layer_freq": [0] + [1] * (fact["layers"] - 1)}  # fmt: skip


def _step(fact: Fact) -> Configuration:
    kinds = ["full_attention" if index % 4 == 0 else "sliding_attention" for index in range(fact["layers"])]
    window = fact["attention"]["window"]
    keys = {**usual_keys(fact, "step3p7_text"), **expert_keys(fact), "layer_types": kinds, "sliding_window": window}
    return {**keys, "share_expert_dim": fact["moe"]["expert_ffn_size"]}


def _gemma(model_type: str) -> Callable[[Fact], Configuration]:
    def build(fact: Fact) -> Configuration:
        keys = usual_keys(fact, model_type)
        window = (fact["attention"] or {}).get("window")
        text = {**keys, "sliding_window": window} if window else keys
        if not fact.get("vision_params_included"):
            return text
        tower = {**SIGLIP_SO400M} if model_type == "gemma3_text" else {**GEMMA4_VISION}
        return {"model_type": model_type.removesuffix("_text"), "text_config": text, "vision_config": tower}

    return build


def _gemma4(fact: Fact) -> Configuration:
    configuration = _gemma("gemma4_text")(fact)
    configuration["text_config"] |= {
        "attention_k_eq_v": True, "num_global_key_value_heads": 4, "global_head_dim": 512,
        "hidden_size_per_layer_input": 0, "enable_moe_block": bool(fact["moe"]),
    }  # fmt: skip
    return configuration


def _nemotron_h(fact: Fact) -> Configuration:
    mamba, moe = fact["ssm"], fact["moe"] or {}
    keys = {
        **usual_keys(fact, "nemotron_h"),
        "hybrid_override_pattern": fact["attention"]["pattern"],
        "mamba_num_heads": mamba["num_heads"],
        "mamba_head_dim": mamba["head_dim"],
        "ssm_state_size": mamba["state_size"],
        "n_groups": mamba["n_groups"],
        "conv_kernel": mamba["conv_kernel"],
    }
    if moe:
        keys |= expert_keys(fact) | {"moe_shared_expert_intermediate_size": moe["shared_expert_ffn_size"]}
        keys["moe_latent_size"] = moe.get("latent_size")
    return keys


def _jamba(fact: Fact) -> Configuration:
    mamba = fact["ssm"]
    return {
        **usual_keys(fact, "jamba"),
        **expert_keys(fact),
        "mamba_expand": mamba["expand"],
        "mamba_d_state": mamba["state_size"],
        "mamba_d_conv": mamba["conv_kernel"],
        "mamba_dt_rank": mamba["dt_rank"],
    }


def _mamba2(fact: Fact) -> Configuration:
    mamba = fact["ssm"]
    return {
        "model_type": "mamba2",
        "hidden_size": fact["hidden_size"],
        "num_hidden_layers": fact["layers"],
        "vocab_size": fact["vocab_size"],
        "tie_word_embeddings": fact["tied_embeddings"],
        "num_heads": mamba["num_heads"],
        "head_dim": mamba["head_dim"],
        "state_size": mamba["state_size"],
        "n_groups": mamba["n_groups"],
        "conv_kernel": mamba["conv_kernel"],
    }


def _falcon(fact: Fact) -> Configuration:
    keys = usual_keys(fact, "falcon")
    return {**keys, "new_decoder_architecture": True, "num_kv_heads": fact["num_kv_heads"], "bias": False}


def _dbrx(fact: Fact) -> Configuration:
    moe = fact["moe"]
    return {
        "model_type": "dbrx",
        "d_model": fact["hidden_size"],
        "n_layers": fact["layers"],
        "n_heads": fact["num_heads"],
        "vocab_size": fact["vocab_size"],
        "max_seq_len": fact["max_context"],
        "attn_config": {"kv_n_heads": fact["num_kv_heads"]},
        "ffn_config": {
            "ffn_hidden_size": moe["expert_ffn_size"],
            "moe_num_experts": moe["experts"],
            "moe_top_k": moe["top_k"],
        },
    }


def _opt(fact: Fact) -> Configuration:
    return {**usual_keys(fact, "opt"), "ffn_dim": fact["ffn_size"]}


def _cohere(fact: Fact) -> Configuration:
    return {**usual_keys(fact, "cohere"), "use_qk_norm": fact["id"] == "command-r-plus-104b"}


def _bert(fact: Fact) -> Configuration:
    is_roberta = fact["family"] == "RoBERTa" or fact["id"] == "bge-m3"
    keys = usual_keys(fact, "roberta" if is_roberta else "bert")
    keys["max_position_embeddings"] += 2 if is_roberta else 0
    return {**keys, "type_vocab_size": 1 if is_roberta else 2}


def _vit(fact: Fact) -> Configuration:
    patch = int(fact["id"].rpartition("-")[2])
    keys = usual_keys(fact, "vit")
    return {**keys, "patch_size": patch, "image_size": 224, "num_labels": 1000}


def _clip_b32(fact: Fact) -> Configuration:
    text = {"hidden_size": 512, "num_hidden_layers": 12, "num_attention_heads": 8, "intermediate_size": 2048}
    vision = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
    return {
        "model_type": "clip",
        "projection_dim": 512,
        "text_config": {**text, "vocab_size": fact["vocab_size"], "max_position_embeddings": fact["max_context"]},
        "vision_config": {**vision, "patch_size": 32, "image_size": 224, "num_channels": 3},
    }


def _t5(fact: Fact) -> Configuration:
    is_gated = bool(fact["ffn_gated"])
    return {
        "model_type": "t5",
        "vocab_size": fact["vocab_size"],
        "d_model": fact["hidden_size"],
        "d_kv": fact["head_dim"],
        "d_ff": fact["ffn_size"],
        "num_heads": fact["num_heads"],
        "num_layers": fact.get("encoder_layers") or fact["layers"],
        "num_decoder_layers": fact.get("decoder_layers") or fact["layers"],
        "feed_forward_proj": "gated-gelu" if is_gated else "relu",
        "tie_word_embeddings": not is_gated,
    }


def _whisper(fact: Fact) -> Configuration:
    size, heads = fact["ffn_size"], fact["num_heads"]
    return {
        "model_type": "whisper",
        "d_model": fact["hidden_size"],
        "vocab_size": fact["vocab_size"],
        "encoder_layers": fact["encoder_layers"],
        "decoder_layers": fact["decoder_layers"],
        "encoder_attention_heads": heads,
        "decoder_attention_heads": heads,
        "encoder_ffn_dim": size,
        "decoder_ffn_dim": size,
        "num_mel_bins": 128 if "large-v3" in fact["id"] else 80,
    }


FAMILIES: dict[str, Callable[[Fact], Configuration]] = {
    "Llama 2": _plain("llama"),
    "Llama 3": _plain("llama"),
    "Code Llama": _plain("llama"),
    "InternLM": _plain("llama"),
    "Yi": _plain("llama"),
    "Llama 4": _llama4,
    "Mistral": _mistral,
    "Mixtral": _mixtral,
    "Qwen2": _plain("qwen2"),
    "Qwen2.5": _plain("qwen2"),
    "Qwen3": _qwen3,
    "Qwen3-VL": _qwen3_vl,
    "Qwen3.5": _qwen3_5,
    "DeepSeek V4": _deepseek_v4,
    "Kimi": _kimi,
    "gpt-oss": lambda fact: {**usual_keys(fact, "gpt_oss"), **expert_keys(fact)},
    "GLM": _glm,
    "MiniMax": _minimax_m3,
    "MiMo": _mimo_v2,
    "Step": _step,
    "Gemma": _gemma("gemma"),
    "Gemma 2": _gemma("gemma2"),
    "Gemma 3": _gemma("gemma3_text"),
    "Gemma 4": _gemma4,
    "Nemotron": _nemotron_h,
    "Nemotron 4": _plain("nemotron"),
    "GPT-2": _plain("gpt2"),
    "GPT-3": _plain("gpt2"),
    "GPT-BigCode": _plain("gpt_bigcode"),
    "GPT-NeoX": _plain("gpt_neox"),
    "BLOOM": _plain("bloom"),
    "OPT": _opt,
    "MPT": _plain("mpt", no_bias=True),
    "Falcon": _falcon,
    "Phi": lambda fact: usual_keys(fact, "phi" if fact["id"] == "phi-2" else "phi3"),
    "StableLM": _plain("stablelm"),
    "OLMo": _plain("olmo2"),
    "Command": _cohere,
    "DBRX": _dbrx,
    "Jamba": _jamba,
    "Mamba": _mamba2,
    "BERT": _bert,
    "RoBERTa": _bert,
    "BGE": _bert,
    "E5": lambda fact: _mistral(fact) if fact["kind"] == "dense_decoder" else _bert(fact),
    "Arctic Embed": _bert,
    "ViT": _vit,
    "CLIP": _clip_b32,
    "T5": _t5,
    "Whisper": _whisper,
}
"""By the facts' `family`, for entries without a configuration file of their own."""


def configuration(fact: Fact) -> Configuration | None:
    """A fact as its family's configuration file; None for models not made of token layers."""
    build = FAMILIES.get(fact["family"])
    if build is None:
        return None
    return {**build(fact), **WEIGHTS[fact["native_weight_dtype"]]}
