"""Names of number formats, engines and metrics as published tables write them."""

from __future__ import annotations

from types import MappingProxyType

from gpuplanner_gui.domain.model import Precision
from gpuplanner_gui.domain.serving_case import ProductFormat, ServingMetric
from gpuplanner_gui.files.benchmark_rows.cells import shown
from gpuplanner_gui.files.benchmark_rows.question import RowProblem

WEIGHT_FORMATS: MappingProxyType[str, ProductFormat] = MappingProxyType({
    "": "", "fp32": "fp32", "tf32": "tf32", "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16",
    "half": "fp16", "fp8": "fp8", "fp8_static": "fp8", "fp8_block": "fp8_block", "e4m3": "fp8", "int8": "int8",
    "w8a8": "int8", "int8_wo": "int8", "q8_0": "int8", "fp6": "fp6", "q6_k": "fp6", "mxfp4": "mxfp4",
    "w4a16_mxfp4": "mxfp4", "w4a8_mxfp4_mxfp8": "mxfp4", "nvfp4": "nvfp4", "fp4": "nvfp4", "int4": "int4",
    "int4_wo": "int4", "uint4": "int4", "q4": "int4", "q4_0": "int4", "q4_1": "int4", "q4_k_m": "int4",
    "q4_k_s": "int4", "q4_k": "int4", "awq": "int4", "gptq": "int4", "w4a16": "int4", "q5_k_m": "fp6",
    "int4_w4a16": "int4", "int8_w8a16": "int8", "int8_w8a8": "int8",
})  # fmt: skip
"""Formats of five or six bits go with FP6, the nearest in size."""

CACHE_FORMATS: MappingProxyType[str, Precision | None] = MappingProxyType({
    "": None, "auto": None, "fp32": "fp32", "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "float16": "fp16",
    "fp8": "fp8", "fp8_e4m3": "fp8", "fp8_e5m2": "fp8", "int8": "int8", "fp4": "nvfp4", "nvfp4": "nvfp4",
})  # fmt: skip

METRICS: MappingProxyType[str, tuple[ServingMetric, float]] = MappingProxyType({
    "ttft_ms": ("ttft_mean", 1e3), "ttft_ms_mean": ("ttft_mean", 1e3), "ttft_mean_ms": ("ttft_mean", 1e3),
    "ttft_ms_p50": ("ttft_p50", 1e3), "ttft_p50_ms": ("ttft_p50", 1e3), "ttft_p90_ms": ("ttft_p90", 1e3),
    "ttft_ms_p90": ("ttft_p90", 1e3), "ttft_p99_ms": ("ttft_p99", 1e3), "ttft_ms_p99": ("ttft_p99", 1e3),
    "tpot_ms": ("tpot_mean", 1e3), "tpot_ms_mean": ("tpot_mean", 1e3), "tpot_mean_ms": ("tpot_mean", 1e3),
    "tpot_ms_p50": ("tpot_p50", 1e3), "tpot_p50_ms": ("tpot_p50", 1e3), "tpot_p99_ms": ("tpot_p99", 1e3),
    "tpot_ms_p99": ("tpot_p99", 1e3), "itl_ms": ("itl_mean", 1e3), "itl_mean_ms": ("itl_mean", 1e3),
    "itl_p50_ms": ("itl_p50", 1e3), "itl_p99_ms": ("itl_p99", 1e3), "e2e_latency_ms": ("e2e_mean", 1e3),
    "e2e_mean_ms": ("e2e_mean", 1e3), "e2e_p50_ms": ("e2e_p50", 1e3), "e2e_p99_ms": ("e2e_p99", 1e3),
    "latency_ms": ("e2e_mean", 1e3), "latency_ms_p90": ("e2e_p90", 1e3), "latency_ms_p99": ("e2e_p99", 1e3),
    "output_tok_s": ("output_tokens_per_s", 1.0), "total_tok_s": ("total_tokens_per_s", 1.0),
    "prefill_tok_s": ("prefill_tokens_per_s", 1.0), "decode_tok_s": ("decode_tokens_per_s", 1.0),
    "req_s": ("requests_per_s", 1.0), "req_throughput": ("requests_per_s", 1.0),
    "samples_s": ("samples_per_s", 1.0), "peak_mem_gb": ("peak_memory", 1e-9),
})  # fmt: skip
"""The engine's name of a published metric, and the factor from SI to the usual unit."""

UNIT_FACTORS: MappingProxyType[str, float] = MappingProxyType({
    "ms": 1e3, "s": 1.0, "us": 1e6, "GB": 1e-9, "GiB": 2.0**-30, "MB": 1e-6, "MiB": 2.0**-20,
})  # fmt: skip

PLAIN_UNITS = frozenset(("tok/s", "req/s", "samples/s", "images/s", "tokens/s", ""))


def weight_format(text: str) -> ProductFormat:
    """A published name of a weight format. Raises RowProblem for one that is not known."""
    try:
        return WEIGHT_FORMATS[text.strip().lower()]
    except KeyError:
        raise RowProblem(f"the weight precision {shown(text)!r} is not known") from None


def cache_format(text: str) -> Precision | None:
    """A published name of a cache format; None where the engine chooses. Raises RowProblem."""
    try:
        return CACHE_FORMATS[text.strip().lower()]
    except KeyError:
        raise RowProblem(f"the KV precision {shown(text)!r} is not known") from None


def metric_of(name: str, unit: str) -> tuple[ServingMetric, float]:
    """The engine's metric and the factor from SI to the row's unit. Raises RowProblem."""
    if name not in METRICS:
        raise RowProblem(f"the metric {shown(name)!r} is not one that can be predicted")
    asked, usual = METRICS[name]
    if unit in UNIT_FACTORS:
        return asked, UNIT_FACTORS[unit]
    if unit in PLAIN_UNITS:
        return asked, usual
    raise RowProblem(f"the unit {shown(unit)!r} of {name} is not known")
