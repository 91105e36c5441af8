"""What each kind of kernel is fitted with: which rows, which engine function, what is held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine import operation_time as ot

Array = NDArray[np.float64]
Shapes = dict[str, Array]
Key = dict[str, str]


@dataclass(frozen=True)
class Prepared:
    """One group's rows, ready to fit."""

    seconds_of: Callable[[Any], Array]
    least_s: Array
    """Time below which the row was served from cache, not from memory: such rows are left out."""
    shape_group: Array
    """Rows with the same number are held out together."""
    weights: Array


@dataclass(frozen=True)
class FittedOperation:
    """A kind of kernel: its table, its parameters and how its rows become a call of the engine."""

    name: str
    table: str
    parameters: type
    usual: dict[str, float]
    precision_of: Callable[[Key], str | None]
    """The catalogue's name of a group's precision; None for a group that is not used."""
    prepare: Callable[[Key, Shapes, dict[str, Any]], Prepared]


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


def device_of(specification: dict[str, Any], peak: str) -> ot.Device:
    peaks = specification["peak_flop_per_s"]
    return ot.Device(
        np.asarray(peaks.get(peak, peaks["bf16"])),
        np.asarray(specification["bandwidth_bytes_per_s"]),
        np.asarray(specification["compute_units"]),
    )


def _prepare_gemm(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    _, peak, weight_bytes, activation_bytes = GEMM_PRECISIONS[key["gemm_dtype"]]
    device = device_of(specification, peak)
    m, n, k = shapes["m"], shapes["n"], shapes["k"]

    def seconds(parameters: ot.GemmParameters) -> Array:
        return ot.gemm_time(m, n, k, weight_bytes, activation_bytes, device, parameters).total

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


def _attention_shapes(shapes: Shapes) -> tuple[Array, ...]:
    window = np.where(shapes["window_size"] > 0, shapes["window_size"], np.inf)
    names = ("batch_size", "num_heads", "num_key_value_heads", "head_dim")
    return (window, *(shapes[name] for name in names))


def _head_group(shapes: Shapes) -> Array:
    heads = np.unique(shapes["num_heads"], return_inverse=True)[1]
    kv_heads = np.unique(shapes["num_key_value_heads"], return_inverse=True)[1]
    return (5 * heads + 3 * kv_heads + shapes["head_dim"] // 64) % 4.0


def _prepare_prefill(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "fp8" if key["attn_dtype"] == "fp8" else "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0
    window, batch, heads, kv_heads, head_dim = _attention_shapes(shapes)
    new, cached = shapes["isl"], shapes["step"]

    def seconds(parameters: ot.PrefillAttentionParameters) -> Array:
        return ot.prefill_attention_time(
            batch, new, cached, window, heads, kv_heads, head_dim, kv_bytes, device, parameters
        ).total

    pairs = batch * heads * new * ot.attended_tokens(new, cached, window)
    least = 4.0 * head_dim * pairs / device.peak_flop_per_s
    return Prepared(seconds, least, _head_group(shapes), np.ones_like(new))


def _prepare_decode(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0
    window, batch, heads, kv_heads, head_dim = _attention_shapes(shapes)
    context = shapes["step"] + 1.0

    def seconds(parameters: ot.DecodeAttentionParameters) -> Array:
        return ot.decode_attention_time(
            batch, context, window, heads, kv_heads, head_dim, kv_bytes, device, parameters
        ).total

    traffic = 2.0 * kv_bytes * batch * kv_heads * head_dim * np.minimum(context, window)
    weights = np.where((context >= 64) & (context <= 65536), 1.0, 0.3)
    return Prepared(seconds, traffic / device.bandwidth_bytes_per_s, _head_group(shapes), weights)


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
)  # fmt: skip
