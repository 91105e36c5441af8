"""Models that published benchmark tables name and the collected facts lack, from public architecture facts.

Each is written as a fact of the same form, or as its published configuration.
"""

from __future__ import annotations

from typing import Any

from gpuplanner_gui.domain.model import Precision

Fact = dict[str, Any]

HUGGING_FACE = "published config.json on the model's Hugging Face page (recalled, not fetched)"
LLM_FOUNDRY = "MosaicML llm-foundry throughput tables, shapes as listed with the results"
KORTHIKANTI = "Korthikanti et al. 2022, arXiv 2205.05198, table 3"
MEGATRON_CORE = "NVIDIA Megatron-LM README for Megatron-Core r0.8.0: shapes of the scaling study"
MEGATRON_2020 = "NVIDIA Megatron-LM README of 2020: shapes of the scaling study"
NANOTRON = "Hugging Face nanotron scaling benchmarks, shapes reproduce the printed parameter counts"
NEMO = "NVIDIA NeMo, nemo/collections/llm/gpt/model/nemotron.py"


def decoder(
    entry_id: str,
    name: str,
    family: str,
    shape: tuple[int, int, int, int, int, int],
    *,
    source: str,
    context: int,
    head_dim: int | None = None,
    tied: bool = False,
    license_name: str = "",
    weights: str = "bf16",
) -> Fact:
    """`shape`: layers, hidden size, heads, KV heads, feed-forward width, vocabulary."""
    layers, hidden, heads, kv_heads, ffn, vocab = shape
    return {
        "id": entry_id, "name": name, "family": family, "kind": "dense_decoder", "layers": layers,
        "hidden_size": hidden, "num_heads": heads, "num_kv_heads": kv_heads, "head_dim": head_dim or hidden // heads,
        "ffn_size": ffn, "vocab_size": vocab, "tied_embeddings": tied, "max_context": context,
        "attention": {"type": "gqa"}, "moe": None, "mla": None, "ssm": None, "native_weight_dtype": weights,
        "license": license_name, "source": source, "confidence": "high",
    }  # fmt: skip


def _gpt(entry_id: str, name: str, layers: int, hidden: int, heads: int, source: str, **more: Any) -> Fact:
    shape = (layers, hidden, heads, heads, 4 * hidden, more.pop("vocab", 51200))
    return decoder(entry_id, name, "GPT-3", shape, source=source, context=more.pop("context", 2048), tied=True, **more)


def _untied_gpt(entry_id: str, name: str, layers: int, hidden: int, heads: int) -> Fact:
    shape = (layers, hidden, heads, heads, 4 * hidden, 131072)
    return decoder(entry_id, name, "GPT-NeoX", shape, source=MEGATRON_CORE, context=4096)


def _mpt(entry_id: str, name: str, layers: int, hidden: int, heads: int) -> Fact:
    shape = (layers, hidden, heads, heads, 4 * hidden, 50368)
    return decoder(entry_id, name, "MPT", shape, source=LLM_FOUNDRY, context=2048, tied=True, license_name="Apache-2.0")


QWEN_LICENSE, CODE_LLAMA_LICENSE = "Apache-2.0", "Llama 2 Community License"

DECODERS: tuple[Fact, ...] = (
    decoder("qwen2-1.5b", "Qwen2 1.5B", "Qwen2", (28, 1536, 12, 2, 8960, 151936), source=HUGGING_FACE, context=32768,
            tied=True, license_name=QWEN_LICENSE),
    decoder("qwen2-7b", "Qwen2 7B", "Qwen2", (28, 3584, 28, 4, 18944, 152064), source=HUGGING_FACE, context=32768,
            license_name=QWEN_LICENSE),
    decoder("qwen2-72b", "Qwen2 72B", "Qwen2", (80, 8192, 64, 8, 29568, 152064), source=HUGGING_FACE, context=32768,
            license_name="Tongyi Qianwen License"),
    decoder("codellama-7b", "Code Llama 7B", "Code Llama", (32, 4096, 32, 32, 11008, 32016), source=HUGGING_FACE,
            context=16384, license_name=CODE_LLAMA_LICENSE),
    decoder("codellama-13b", "Code Llama 13B", "Code Llama", (40, 5120, 40, 40, 13824, 32016), source=HUGGING_FACE,
            context=16384, license_name=CODE_LLAMA_LICENSE),
    decoder("codellama-34b", "Code Llama 34B", "Code Llama", (48, 8192, 64, 8, 22016, 32000), source=HUGGING_FACE,
            context=16384, license_name=CODE_LLAMA_LICENSE),
    decoder("codellama-70b", "Code Llama 70B", "Code Llama", (80, 8192, 64, 8, 28672, 32016), source=HUGGING_FACE,
            context=16384, license_name=CODE_LLAMA_LICENSE),
    decoder("llama-7b", "LLaMA 7B", "Llama 2", (32, 4096, 32, 32, 11008, 32000), source=HUGGING_FACE, context=2048,
            weights="fp16"),
    decoder("llama-13b", "LLaMA 13B", "Llama 2", (40, 5120, 40, 40, 13824, 32000), source=HUGGING_FACE, context=2048,
            weights="fp16"),
    decoder("llama-30b", "LLaMA 33B", "Llama 2", (60, 6656, 52, 52, 17920, 32000), source=HUGGING_FACE, context=2048,
            weights="fp16"),
    decoder("llama-65b", "LLaMA 65B", "Llama 2", (80, 8192, 64, 64, 22016, 32000), source=HUGGING_FACE, context=2048,
            weights="fp16"),
    decoder("tinyllama-1.1b", "TinyLlama 1.1B", "Llama 2", (22, 2048, 32, 4, 5632, 32000), source=HUGGING_FACE,
            context=2048, license_name="Apache-2.0"),
    decoder("internlm-20b", "InternLM 20B", "InternLM", (60, 5120, 40, 40, 13824, 103168), source=HUGGING_FACE,
            context=4096, license_name="Apache-2.0"),
    decoder("nemotron4-15b", "Nemotron-4 15B", "Nemotron 4", (32, 6144, 48, 8, 24576, 256000), source=NEMO,
            context=4096),
    decoder("nemotron4-340b", "Nemotron-4 340B", "Nemotron 4", (96, 18432, 96, 8, 73728, 256000), source=NEMO,
            context=4096, license_name="NVIDIA Open Model License"),
    decoder("nemotron3-8b", "Nemotron-3 8B (2023)", "Nemotron 4", (32, 4096, 32, 32, 16384, 256000), source=NEMO,
            context=4096),
    decoder("nemotron3-22b", "Nemotron-3 22B (2023)", "Nemotron 4", (40, 6144, 48, 48, 24576, 256000), source=NEMO,
            context=4096),
    decoder("nanotron-3.57b", "Nanotron Llama 3.57B", "Llama 2", (28, 3072, 32, 32, 8192, 131072), source=NANOTRON,
            context=4096, tied=True),
    decoder("nanotron-8.86b", "Nanotron Llama 8.86B", "Llama 2", (32, 4096, 32, 32, 14336, 131072), source=NANOTRON,
            context=4096),
    decoder("nanotron-80b", "Nanotron Llama 80B", "Llama 2", (80, 8192, 64, 64, 28672, 131072), source=NANOTRON,
            context=4096),
    _gpt("mt-nlg-530b", "Megatron-Turing NLG 530B", 105, 20480, 128, "Smith et al. 2022, arXiv 2201.11990, section 2"),
    _gpt("gpt-22b", "GPT 22B (Megatron)", 48, 6144, 64, KORTHIKANTI),
    _gpt("gpt-1t", "GPT 1T (Megatron)", 128, 25600, 160, KORTHIKANTI),
    _gpt("gpt2-1.2b", "GPT-2 1.2B (Megatron 2020)", 24, 1920, 15, MEGATRON_2020, vocab=50304, context=1024),
    _gpt("gpt2-2b", "GPT-2 2B (Megatron 2020)", 30, 2304, 18, MEGATRON_2020, vocab=50304, context=1024),
    _untied_gpt("gpt-1.7b", "GPT 1.7B (Megatron-Core)", 24, 2048, 16),
    _untied_gpt("gpt-7.1b", "GPT 7.1B (Megatron-Core)", 30, 4096, 32),
    _untied_gpt("gpt-16b", "GPT 16B (Megatron-Core)", 32, 6144, 48),
    _untied_gpt("gpt-32b", "GPT 32B (Megatron-Core)", 48, 7168, 56),
    _untied_gpt("gpt-70b", "GPT 70B (Megatron-Core)", 84, 8192, 64),
    _untied_gpt("gpt-119b", "GPT 119B (Megatron-Core)", 92, 10240, 80),
    _untied_gpt("gpt-462b", "GPT 462B (Megatron-Core)", 112, 18432, 144),
    _mpt("mpt-125m", "MPT 125M", 12, 768, 12),
    _mpt("mpt-350m", "MPT 350M", 24, 1024, 16),
    _mpt("mpt-760m", "MPT 760M", 24, 1536, 12),
    _mpt("mpt-1b", "MPT 1B", 24, 2048, 16),
    _mpt("mpt-3b", "MPT 3B", 32, 2560, 20),
    _mpt("mpt-13b", "MPT 13B", 40, 5120, 40),
    _mpt("mpt-70b", "MPT 70B", 80, 8192, 64),
)  # fmt: skip

SUPER_PATTERN = "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME"
ULTRA_ATTENTION = (7, 14, 23, 32, 39, 48, 57, 64, 73, 82, 89, 98)


def _ultra_pattern() -> str:
    """48 pairs of a Mamba and an expert layer, with attention in between at the published places."""
    letters: list[str] = []
    pair = 0
    while len(letters) < 108:
        if len(letters) in ULTRA_ATTENTION:
            letters.append("*")
        else:
            letters.append("ME"[pair % 2])
            pair += 1
    return "".join(letters)


def _latent_nemotron(entry_id: str, name: str, pattern: str, source: str, **sizes: int) -> Fact:
    hidden, width = sizes["hidden"], sizes["expert"]
    return {
        "id": entry_id, "name": name, "family": "Nemotron", "kind": "ssm_hybrid", "layers": len(pattern),
        "hidden_size": hidden, "num_heads": sizes["heads"], "num_kv_heads": 2, "head_dim": 128, "ffn_size": width,
        "vocab_size": 131072, "tied_embeddings": False, "max_context": 262144,
        "attention": {"type": "hybrid", "pattern": pattern}, "mla": None,
        "moe": {"experts": 512, "top_k": 22, "shared_experts": 1, "expert_ffn_size": width, "first_dense_layers": 0,
                "shared_expert_ffn_size": 2 * width, "latent_size": sizes["latent"]},
        "ssm": {"kind": "mamba2", "num_heads": sizes["mamba_heads"], "head_dim": 64, "state_size": 128, "n_groups": 8,
                "conv_kernel": 4},
        "native_weight_dtype": "bf16", "license": "NVIDIA Open Model License", "source": source, "confidence": "high",
    }  # fmt: skip


HYBRIDS: tuple[Fact, ...] = (
    _latent_nemotron(
        "nemotron-3-super-120b-a12b", "Nemotron 3 Super 120B-A12B", SUPER_PATTERN,
        "published config.json as quoted in public launch scripts; the model page states 120B, 12B active",
        hidden=4096, heads=32, expert=2688, latent=1024, mamba_heads=128,
    ),
    _latent_nemotron(
        "nemotron-3-ultra-550b-a55b", "Nemotron 3 Ultra 550B-A55B", _ultra_pattern(),
        "published config.json as quoted in public model notes; the model page states 550B, 55B active",
        hidden=8192, heads=64, expert=5120, latent=2048, mamba_heads=256,
    ),
)  # fmt: skip

DECILM_KV_HEADS = [4] * 5 + [2] * 5 + [4] + [2] * 9 + [1] * 11 + [4]

CONFIGURATIONS: tuple[tuple[Fact, dict[str, Any]], ...] = (
    (
        {"id": "decilm-7b", "name": "DeciLM 7B", "source": "Deci/DeciLM-7B config.json", "confidence": "high",
         "license": "Apache-2.0", "max_context": 8192},
        {"model_type": "deci", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
         "num_key_value_heads_per_layer": DECILM_KV_HEADS, "intermediate_size": 14336, "vocab_size": 32000,
         "tie_word_embeddings": False, "max_position_embeddings": 8192, "torch_dtype": "bfloat16"},
    ),
)  # fmt: skip
"""Entries given as configurations of their own."""

VARIANTS: tuple[tuple[str, str, str, Precision], ...] = (
    ("gemma-4-31b", "Gemma 4 31B", "gemma-4-31b-nvfp4", "bf16"),
    ("nemotron-3-super-120b-a12b-nvfp4", "Nemotron 3 Super NVFP4", "nemotron-3-super-120b-a12b", "nvfp4"),
)
"""Entries that differ from another only in how the weights are stored: id, name, the other's id, precision."""

RETINANET_FLOP = 402.6e9
"""ResNeXt-50 backbone 54.0, pyramid 10.2 and heads 137.1 billion multiply-adds at 800 x 800, by formula."""
WAN_PARAMETERS = 14_288_491_584

OTHERS: tuple[Fact, ...] = (
    {
        "id": "retinanet", "name": "RetinaNet ResNeXt-50 (OpenImages)", "family": "RetinaNet", "kind": "cnn",
        "total_params": 37_075_756, "fwd_flops_per_sample": RETINANET_FLOP, "flops_input": "1 image 800x800",
        "native_weight_dtype": "fp32", "license": "Apache-2.0", "confidence": "medium",
        "source": "MLPerf Inference reference: ResNeXt-50 32x4d with feature pyramid, 264 classes; counts by formula",
    },
    {
        "id": "wan2.1-14b", "name": "Wan 2.1 T2V 14B (transformer)", "family": "Wan", "kind": "diffusion",
        "total_params": WAN_PARAMETERS, "fwd_flops_per_sample": 0.0,
        "flops_input": "one pass; FLOPs depend on frames and resolution and are not filled in",
        "native_weight_dtype": "bf16", "license": "Apache-2.0", "confidence": "medium",
        "source": "diffusers 0.42.1 instantiation of the published transformer configuration",
    },
)  # fmt: skip
"""Models not made of token layers."""
