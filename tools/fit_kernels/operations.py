"""What each kind of kernel is fitted with: which rows, which engine function, what is held out."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.kernels import operation_time as ot
from tools.fit_kernels.prepared import FittedOperation, Key, Numbers, Prepared, Shapes, device_of, is_cold
from tools.fit_kernels.special_operations import MODULE_OPERATIONS, SPECIAL_OPERATIONS

MOST_QUERIES_PER_KEY = 16
"""Query heads per KV head in models with grouped queries; kernels for more are rare and other ones."""

COMMONEST_HEAD_DIM = 128
LESS_COMMON, RARE = 0.5, 0.15

GEMM_PRECISIONS = {
    "bfloat16": ("bf16", "bf16", 2.0, 2.0),
    "fp8": ("fp8", "fp8", 1.0, 1.0),
    "fp8_block": ("fp8_block", "fp8", 1.0, 1.0),
    "nvfp4": ("nvfp4", "fp4", 0.5625, 0.5625),
    "int8_wo": ("int8_weight", "bf16", 1.0, 2.0),
    "int4_wo": ("int4_weight", "bf16", 0.53125, 2.0),
    "sq": ("int8", "int8", 1.0, 1.0),
}
"""Measured name: catalogue name, peak it runs at, bytes per weight and per activation (scales included)."""


def _prepare_gemm(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    _, peak, weight_bytes, activation_bytes = GEMM_PRECISIONS[key["gemm_dtype"]]
    device = device_of(specification, peak)
    m, n, k = shapes["m"], shapes["n"], shapes["k"]

    def seconds(parameters: ot.GemmParameters) -> Floats:
        return ot.gemm_time(m, n, k, np.asarray(weight_bytes), np.asarray(activation_bytes), device, parameters).total

    traffic = weight_bytes * n * k + activation_bytes * m * k
    columns = np.unique(n, return_inverse=True)[1]
    depths = np.unique(k, return_inverse=True)[1]
    usual_size = (n >= 256) & (k >= 256) & (n <= 32768) & (k <= 32768)
    return Prepared(
        seconds, traffic / device.bandwidth_bytes_per_s, (7 * columns + 13 * depths) % 4.0, np.where(usual_size, 1, 0.3)
    )


def _attention_precision(key: Key) -> str | None:
    compute = "fp8" if key["attn_dtype"] == "fp8" else "bf16"
    cache = "fp8" if key["kv_cache_dtype"] == "fp8" else "bf16"
    return f"{compute}_kv_{cache}"


def _attention_shapes(shapes: Shapes) -> tuple[Floats, ...]:
    window = np.where(shapes["window_size"] > 0, shapes["window_size"], np.inf)
    names = ("batch_size", "num_heads", "num_key_value_heads", "head_dim")
    return (window, *(shapes[name] for name in names))


def _attention_weights(shapes: Shapes, tokens: Floats) -> Floats:
    """Rows of sizes that models have and engines run count fully, others less."""
    queries_per_key = shapes["num_heads"] / shapes["num_key_value_heads"]
    is_usual = (tokens >= 64) & (tokens <= 65536) & (queries_per_key <= MOST_QUERIES_PER_KEY)
    is_commonest = (shapes["head_dim"] == COMMONEST_HEAD_DIM) & (shapes["window_size"] == 0)
    return np.where(is_usual, np.where(is_commonest, 1.0, LESS_COMMON), RARE)


def _head_group(shapes: Shapes) -> Numbers:
    heads = np.unique(shapes["num_heads"], return_inverse=True)[1]
    kv_heads = np.unique(shapes["num_key_value_heads"], return_inverse=True)[1]
    return (5 * heads + 3 * kv_heads + shapes["head_dim"] // 64) % 4.0


def _prepare_prefill(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "fp8" if key["attn_dtype"] == "fp8" else "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0
    window, batch, heads, kv_heads, head_dim = _attention_shapes(shapes)
    new, cached = shapes["isl"], shapes["step"]

    def seconds(parameters: ot.PrefillAttentionParameters) -> Floats:
        return ot.prefill_attention_time(
            batch, new, cached, window, heads, kv_heads, head_dim, np.asarray(kv_bytes), device, parameters
        ).total

    pairs = batch * heads * new * ot.attended_tokens(new, cached, window)
    least = 4.0 * head_dim * pairs / device.peak_flop_per_s
    return Prepared(seconds, least, _head_group(shapes), _attention_weights(shapes, new))


def _prepare_decode(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0
    window, batch, heads, kv_heads, head_dim = _attention_shapes(shapes)
    context = shapes["step"] + 1.0

    def seconds(parameters: ot.DecodeAttentionParameters) -> Floats:
        return ot.decode_attention_time(
            batch, context, window, heads, kv_heads, head_dim, np.asarray(kv_bytes), device, parameters
        ).total

    traffic = 2.0 * kv_bytes * batch * kv_heads * head_dim * np.minimum(context, window)
    weights = _attention_weights(shapes, context)
    least = traffic / device.bandwidth_bytes_per_s
    return Prepared(seconds, least, _head_group(shapes), weights, is_cold(traffic, specification))


OPERATIONS = (
    FittedOperation(
        "gemm", "gemm", ot.GemmParameters,
        {
            "floor_s": 3e-6, "compute_efficiency": 0.8, "memory_efficiency": 0.9, "overlap_loss": 0.2,
            "row_padding": 32.0, "column_padding": 32.0, "depth_padding": 64.0, "fill": 0.3, "depth_s": 1e-10,
            "output_traffic": 1.0,
        },
        lambda key: GEMM_PRECISIONS[key["gemm_dtype"]][0], _prepare_gemm,
    ),
    FittedOperation(
        "prefill_attention", "context_attention", ot.PrefillAttentionParameters,
        {
            "floor_s": 6e-6, "compute_efficiency": 0.6, "memory_efficiency": 0.8, "overlap_loss": 0.5,
            "query_padding": 32.0, "key_padding": 64.0, "head_dim_padding": 16.0, "fill": 0.3,
        },
        _attention_precision, _prepare_prefill,
    ),
    FittedOperation(
        "decode_attention", "generation_attention", ot.DecodeAttentionParameters,
        {
            "floor_s": 6e-6, "compute_efficiency": 0.3, "memory_efficiency": 0.8, "overlap_loss": 0.3,
            "sequence_padding": 0.03, "context_padding": 64.0, "head_dim_padding": 4.0, "context_s": 1e-11,
        },
        _attention_precision, _prepare_decode,
    ),
    *SPECIAL_OPERATIONS,
    *MODULE_OPERATIONS,
)  # fmt: skip
