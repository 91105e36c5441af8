"""Model names as tables and model pages write them resolve to the right entry, and never to another size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.model_names import model_key, precision_hint, resolve_model, resolved_model

CATALOG = load_shipped_catalog()

TABLE_NAMES = {
    "Llama-3-8B": "llama-3-8b", "Llama-2-70B": "llama-2-70b", "BERT-Large": "bert-large", "ResNet-50": "resnet-50",
    "RetinaNet": "retinanet", "Qwen2-7B": "qwen2-7b", "GPT-J-6B": "gpt-j-6b", "Falcon-180B": "falcon-180b",
    "SDXL": "sdxl-1.0", "Megatron-530B": "mt-nlg-530b", "Qwen2.5-0.5B": "qwen2-0.5b", "GPT-6.7B": "gpt3-6.7b",
    "Llama-4-Scout": "llama-4-scout-17b-16e", "Whisper-Large-v3": "whisper-large-v3", "Vicuna-7B": "llama-2-7b",
    "DeepSeek-R1-Distill-Qwen-14B": "qwen2.5-14b", "TinyLlama-1.1B": "tinyllama-1.1b", "DeciLM-7B": "decilm-7b",
    "deepseek-ai/DeepSeek-R1": "deepseek-v3", "moonshotai/Kimi-K2.5": "kimi-k2.5-compressed-tensors",
    "llama3.1-405b": "llama-3.1-405b", "nemotron_3_super": "nemotron-3-super-120b-a12b", "gpt-530B": "mt-nlg-530b",
    "llama4-maverick-400b": "llama-4-maverick-17b-128e", "nano-3.57b": "nanotron-3.57b", "gpt2-1B": "gpt2-1.2b",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistral-nemo-12b", "stable-diffusion-v1-4": "stable-diffusion-1.5",
    "microsoft/Phi-3-medium-128k-instruct": "phi-3-medium-14b", "bloomz-7b1": "bloom-7b1", "gpt-1T": "gpt-1t",
}  # fmt: skip

OTHER_SPELLINGS = {
    "Llama-2-70b-chat-hf": ("llama-2-70b", None),
    "TheBloke/Llama-2-13B-chat-GPTQ": ("llama-2-13b", "int4"),
    "meta-llama/Meta-Llama-3.1-405B-Instruct-FP8-KV": ("llama-3.1-405b", "fp8"),
    "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4": ("llama-3.1-8b", "int4"),
    "bartowski/Qwen2.5-7B-Instruct-Q4_K_M.gguf": ("qwen2.5-7b", "int4"),
    "llama3:70b-instruct-q8_0": ("llama-3-70b", "int8"),
    "amd/Llama-3.1-405B-Instruct-MXFP4-Preview": ("llama-3.1-405b", "mxfp4"),
    "nvidia/Llama-3.3-70B-Instruct-FP4": ("llama-3.3-70b", "nvfp4"),
    "nvidia/DeepSeek-R1-NVFP4": ("deepseek-v3", "nvfp4"),
    "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a16": ("llama-3.1-8b", "int8"),
    "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8": ("qwen3-235b-a22b-fp8", "fp8"),
    "Qwen/Qwen3-235B-A22B": ("qwen3-235b-a22b", None),
    "qwen3:30b-a3b": ("qwen3-30b-a3b", None),
    "LLaMA 2 70B": ("llama-2-70b", None),
    "llama-v2-7b": ("llama-2-7b", None),
    "llama2-70b-99.9": ("llama-2-70b", None),
    "mistralai/Mistral-7B-Instruct-v0.3": ("mistral-7b-v0.3", None),
    "mistralai/Mixtral-8x22B-Instruct-v0.1": ("mixtral-8x22b", None),
    "Mixtral 8×7B": ("mixtral-8x7b", None),
    "models--meta-llama--Llama-3.1-8B": ("llama-3.1-8b", None),
    "google/gemma-4-31B-it": ("gemma-4-31b", None),
    "nvidia/Gemma-4-31B-IT-NVFP4": ("gemma-4-31b-nvfp4", "nvfp4"),
    "openai/whisper-large-v3-turbo": ("whisper-large-v3-turbo", None),
    "zai-org/GLM-4.5": ("glm-4.5", None),
    "zai-org/GLM-4.5-Air-FP8": ("glm-4.5-air", "fp8"),
    "Llama-3-8B-Instruct-262k": ("llama-3-8b", None),
    "zai-org/GLM-5.1-FP8": ("glm-5", "fp8"),
    "zai-org/GLM-4.7-FP8": ("glm-4.6", "fp8"),
    "zai-org/GLM-4.7-Flash": ("glm-4.7-flash", None),
    "deepseek-ai/DeepSeek-V4-Pro": ("deepseek-v4-pro", None),
    "RedHatAI/DeepSeek-V4-Flash-NVFP4-FP8": ("deepseek-v4-flash", "nvfp4"),
    "deepseek-ai/DeepSeek-V3.1-Base": ("deepseek-v3", None),
    "nvidia/DeepSeek-R1-0528-FP4-V2": ("deepseek-v3", "nvfp4"),
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1": ("nemotron-super-49b-nas", None),
    "nvidia/Llama-3_3-Nemotron-Super-49B-v1_5-FP8": ("nemotron-super-49b-nas", "fp8"),
    "Qwen/Qwen3-VL-235B-A22B-Instruct-FP8": ("qwen3-vl-235b-a22b", "fp8"),
    "Qwen/Qwen3.5-122B-A10B": ("qwen3.5-122b-a10b", None),
    "nvidia/Qwen3.6-35B-A3B-NVFP4": ("qwen3.5-35b-a3b", "nvfp4"),
    "mistralai/Mistral-Small-3.2-24B-Instruct-2506": ("mistral-small-3.1-24b", None),
    "mistralai/Devstral-Small-2507": ("mistral-small-24b", None),
    "mistralai/Devstral-2-123B-Instruct-2512": ("devstral-2-123b", None),
    "MiniMaxAI/MiniMax-M2.7": ("minimax-m2.5", None),
    "MiniMaxAI/MiniMax-M3-MXFP8": ("minimax-m3", "fp8"),
    "moonshotai/Kimi-K2.6": ("kimi-k2.5-compressed-tensors", None),
    "baidu/ERNIE-4.5-300B-A47B-PT": ("ernie-4.5-300b-a47b", None),
    "tencent/Hunyuan-A13B-Instruct-GPTQ-Int4": ("hunyuan-a13b", "int4"),
    "CohereForAI/c4ai-command-a-03-2025": ("command-a-111b", None),
    "ByteDance-Seed/Seed-OSS-36B-Instruct": ("seed-oss-36b", None),
    "ibm-granite/granite-4.0-h-small": ("granite-4.0-h-small", None),
    "LGAI-EXAONE/EXAONE-4.0-32B-AWQ": ("exaone-4.0-32b", "int4"),
    "google/gemma-4-E4B-it": ("gemma-4-e4b", None),
    "tiiuae/Falcon-H1-7B-Instruct": ("falcon-h1-7b", None),
    "allenai/Olmo-3-32B-Think": ("olmo3-32b", None),
    "meituan-longcat/LongCat-Flash-Chat-FP8": ("longcat-flash", "fp8"),
    "inclusionAI/Ring-1T-FP8": ("ling-1t", "fp8"),
    "rednote-hilab/dots.llm1.inst": ("dots.llm1", None),
    "amd/gpt-oss-120b-w-mxfp4-a-fp8": ("gpt-oss-120b", "mxfp4"),
    "google/gemma-3-4b-it-qat-int4-unquantized": ("gemma-3-4b", "int4"),
    "Wan-AI/Wan2.2-T2V-A14B-Diffusers": ("wan2.2-a14b", None),
    "NousResearch/Hermes-4-70B-FP8": ("llama-3.1-70b", "fp8"),
    "zai-org/GLM-4.5V-FP8": ("glm-4.5-air", "fp8"),
    "mistralai/Mistral-Large-3-675B-Instruct-2512-NVFP4": ("mistral-large-3-675b", "nvfp4"),
    "xai-org/grok-2": ("grok-2", None),
    "Snowflake/snowflake-arctic-embed-l-v2.0": ("bge-m3", None),
    "BAAI/bge-reranker-v2-m3": ("bge-m3", None),
    "sentence-transformers/all-MiniLM-L6-v2": ("all-minilm-l6-v2", None),
    "google/embeddinggemma-300m": ("embeddinggemma-300m", None),
    "stabilityai/stable-diffusion-3.5-large": ("sd3.5-large", None),
    "black-forest-labs/FLUX.2-dev": ("flux.2-dev", None),
    "Wan-AI/Wan2.2-T2V-A14B": ("wan2.2-a14b", None),
    "internlm/internlm2_5-7b-chat": ("internlm2.5-7b", None),
    "HuggingFaceTB/SmolLM3-3B": ("smollm3-3b", None),
    "01-ai/Yi-1.5-34B-Chat": ("yi-34b", None),
    "unsloth/GLM-4.6-GGUF:UD-Q4_K_XL": ("glm-4.6", "int4"),
    "amd/DeepSeek-R1-0528-MXFP4-ASQ": ("deepseek-v3", "mxfp4"),
    "Intel/Qwen3-30B-A3B-Instruct-2507-int4-mixed-AutoRound": ("qwen3-30b-a3b", "int4"),
    "RedHatAI/Qwen3-32B-NVFP4A16": ("qwen3-32b", "nvfp4"),
    "nvidia/Qwen3-32B-FP8-Static-PerTensor": ("qwen3-32b", "fp8"),
    "tencent/DeepSeek-V3.1-Terminus-W4AFP8": ("deepseek-v3", "int4"),
}

NOBODY_KNOWS = (
    "", "   ", "-FP8", "x", "all_reduce 8GiB", "gemm", "../../etc/passwd", "Llama-70B", "llama-2", "llama3.1", "t5",
    "Qwen-7B", "Qwen2.5-Omni-7B", "Llama-3.2-11B-Vision", "DeepSeek-Coder-33B", "opt-350m", "Llama-318B",
    "llama-31-8b", "qwen257b", "bert-base-multilingual-cased", "GLM-4-5B", "mixtral", "falcon", "gpt-oss",
    "nvidia/gpt-oss-120b-Eagle3", "Qwen/Qwen3-Omni-30B-A3B-Instruct", "zai-org/GLM-4.6V", "GLM-5.4", "GLM-4.7-Air",
    "moonshotai/Kimi-K2.8", "BAAI/bge-reranker-v2-gemma", "Qwen/Qwen3.5-2B", "Qwen/Qwen3.7-27B",
    "google/gemma-3n-E4B-it", "nvidia/Llama-3_1-Nemotron-Ultra-253B-v1", "ibm-granite/granite-4.0-h-350m",
    "tiiuae/Falcon-H1-34B-Instruct", "MiniMax-M2-her", "Qwen/QVQ-72B-Preview",
)  # fmt: skip


@pytest.mark.parametrize(("name", "entry_id"), TABLE_NAMES.items())
def test_names_of_published_tables(name, entry_id):
    assert resolve_model(CATALOG, name)[0] == entry_id


@pytest.mark.parametrize(("name", "expected"), OTHER_SPELLINGS.items())
def test_other_spellings_and_precisions(name, expected):
    assert resolve_model(CATALOG, name) == expected


@pytest.mark.parametrize("name", NOBODY_KNOWS)
def test_names_that_mean_nothing_known_resolve_to_nothing(name):
    assert resolved_model(CATALOG, name) is None


def test_a_name_that_the_catalogue_shows_means_its_entry():
    """A planner writes down what the program offers."""
    missed = [entry.name for entry in CATALOG.models.values() if resolve_model(CATALOG, entry.name)[0] != entry.id]
    assert missed == []


def test_a_choice_taken_is_said():
    assert resolved_model(CATALOG, "mistralai/Mistral-7B").note == "taken for version 0.1"
    assert resolved_model(CATALOG, "Mistral-7B").note == "taken for version 0.1"


def test_a_model_taken_for_another_says_so():
    for name in ("zai-org/GLM-4.5V-FP8", "stepfun-ai/Step-3.5-Flash", "BAAI/bge-reranker-v2-m3"):
        assert resolved_model(CATALOG, name).note


def test_every_entry_resolves_from_its_identifier_and_name():
    for entry in CATALOG.models.values():
        assert resolve_model(CATALOG, entry.id)[0] == entry.id
        found, _ = resolve_model(CATALOG, entry.name)
        assert found is None or CATALOG.models[found].model.layers == entry.model.layers, entry.name


def test_aliases_point_at_entries():
    for target in CATALOG.model_aliases.values():
        for entry_id in (target,) if isinstance(target, str) else target.ids:
            assert entry_id in CATALOG.models


ENTRY_IDS = sorted(CATALOG.models)
PREFIXES = ("", "org/", "meta-llama/", "nvidia/", "some-user/")
SUFFIXES = ("", "-Instruct", "-chat", "-hf", "-it", "-FP8", "-AWQ", "-GPTQ-Int4", "-bf16", "-2507", "-preview")


@given(st.sampled_from(ENTRY_IDS), st.sampled_from(PREFIXES), st.sampled_from(SUFFIXES), st.booleans(), st.booleans())
def test_spellings_in_the_usual_style_resolve(entry_id, prefix, suffix, is_upper, has_underscores):
    name = entry_id.upper() if is_upper else entry_id
    name = name.replace("-", "_") if has_underscores else name
    found, _ = resolve_model(CATALOG, prefix + name + suffix)
    assert found is not None
    assert CATALOG.models[found].model.layers == CATALOG.models[entry_id].model.layers


OTHERWISE_CALLED = {"deepseek-v3", "mt-nlg-530b", "gpt2-1.2b", "llama-30b"}
"""Known by a second size too, as LLaMA's 30B, which has 33 billion parameters."""


@given(st.sampled_from(ENTRY_IDS), st.integers(1, 999))
def test_another_size_never_resolves_to_a_known_one(entry_id, size):
    words = model_key(entry_id).words
    sizes = [word for word in words if word.endswith("b") and word[:-1].replace(".", "").isdigit()]
    if len(sizes) != 1 or f"{size}b" == sizes[0]:
        return
    name = "-".join(f"{size}b" if word == sizes[0] else word for word in words)
    found, _ = resolve_model(CATALOG, name)
    assert found is None or f"{size}b" in model_key(found).words or found in OTHERWISE_CALLED


@pytest.mark.parametrize("name", ["gemma-22b", "gemma-327b", "google/Gemma-29B"])
def test_a_size_is_not_read_as_generation_and_size(name):
    assert resolve_model(CATALOG, name)[0] is None


@given(st.text(max_size=400))
def test_any_text_is_answered(name):
    found, _ = resolve_model(CATALOG, name)
    assert found is None or found in CATALOG.models


@pytest.mark.parametrize(
    ("name", "precision"),
    [("a-FP8", "fp8"), ("a-NVFP4", "nvfp4"), ("a-AWQ", "int4"), ("a.Q4_K_M", "int4"), ("a-q8_0", "int8"),
     ("a-w4a16", "int4"), ("a-w8a8", "int8"), ("a-GPTQ-Int8", "int8"), ("a-MXFP4", "mxfp4"), ("a-bf16", "bf16"),
     ("a-fp16", "fp16"), ("a", None), ("a-NVFP4-FP8", "nvfp4"), ("a-MXFP8", "fp8"), ("a-w8a8-fp8", "fp8"),
     ("a-UD-Q4_K_XL", "int4"), ("a-nvfp4a16", "nvfp4")],
)  # fmt: skip
def test_precision_hints(name, precision):
    assert precision_hint(name) == precision
