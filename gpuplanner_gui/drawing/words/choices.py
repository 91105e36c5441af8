"""Codes of choices in a planner's words."""

from __future__ import annotations

from gpuplanner_gui.drawing.language import tr

_WORDS = {
    "scale_up": "Scale-up",
    "scale_out": "Scale-out",
    "cpu_link": "CPU link",
    "1f1b": "1F1B",
    "asic": "ASIC",
    "adamw": "AdamW",
    "adamw_8bit": "AdamW, 8-bit",
    "any": "Any",
    "cann": "CANN",
    "cnn": "Convolutional network",
    "cpu": "CPU",
    "cuda": "CUDA",
    "custom": "Custom",
    "datasheet": "Data sheet",
    "deepspeed": "DeepSpeed",
    "dense_decoder": "Decoder",
    "e2e": "E2E",
    "encoder_decoder": "Encoder–decoder",
    "estimate": "Estimated",
    "fsdp": "FSDP",
    "gated_delta_net": "Gated delta net",
    "gpu": "GPU",
    "hf_trainer": "Hugging Face Trainer",
    "itl": "ITL",
    "kda": "Kimi delta attention",
    "llama_cpp": "llama.cpp",
    "lora": "LoRA",
    "mamba1": "Mamba 1",
    "mamba2": "Mamba 2",
    "mlx": "MLX",
    "mmpp": "Bursts (MMPP)",
    "batch": "All at once (batch)",
    "moe_decoder": "Mixture of experts",
    "nccl": "NCCL",
    "nemo": "NeMo",
    "npu": "NPU",
    "oneapi": "oneAPI",
    "own": "Own",
    "p80": "80 %",
    "p95": "95 %",
    "qlora": "QLoRA",
    "rent_1y": "Rent, 1 year",
    "rent_3y": "Rent, 3 years",
    "rent_on_demand": "Rent on demand",
    "rent_spot": "Rent spot",
    "rms": "RMS norm",
    "rocm": "ROCm",
    "secondary": "Third party",
    "separate": "Search separate pools",
    "sgd": "SGD",
    "sgd_momentum": "SGD with momentum",
    "sglang": "SGLang",
    "soc": "SoC",
    "ssm_hybrid": "State-space hybrid",
    "together": "One pool for both",
    "tpot": "TPOT",
    "trace": "As in the trace",
    "tpu": "TPU",
    "trtllm": "TensorRT-LLM",
    "ttft": "TTFT",
    "vllm": "vLLM",
    "xla": "XLA",
}
WORKLOAD_TITLES = {"serving": "Serving", "training": "Training", "both": "Both"}
_NUMBER_FORMATS = {"fp32", "tf32", "bf16", "fp16", "fp8", "int8", "fp6", "fp4", "mxfp4", "nvfp4", "int4"}


def words_of_choice(code: str) -> str:
    """`rent_1y` → Rent, 1 year; a code without words of its own is read as words."""
    english = english_of_choice(code)
    return english if code in _NUMBER_FORMATS else tr(english)


def english_of_choice(code: str) -> str:
    """The same whatever language the program speaks."""
    if code in _NUMBER_FORMATS:
        return code.upper()
    words = code.replace("_", " ")
    return _WORDS.get(code) or (words[:1].upper() + words[1:] if words.islower() else words)
