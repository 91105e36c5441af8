"""Latent attention fitted from whole attention blocks, where only those were timed: block less its matrix products.

The products' times come from the catalogue's fitted sets, so these run after `gemm` was fitted and put there.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.columns import gathered
from gpuplanner_gui.engine.kernels import operation_time as ot
from gpuplanner_gui.engine.kernels import special_time as st
from gpuplanner_gui.engine.kernels.efficiency import ParameterTable, parameter_tables
from gpuplanner_gui.files.knowledge import load_kernel_calibration
from tools.fit_kernels.prepared import CATALOGUE, FittedOperation, Key, Prepared, Shapes, device_of, is_cold
from tools.fit_kernels.special_operations import (
    LATENT_DIM,
    LATENT_OPERATIONS,
    NOPE_DIM,
    ROPE_DIM,
    VALUE_DIM,
    batch_group,
    latent_cache,
)

HIDDEN, QUERY_RANK = 7168.0, 1536.0
"""Of DeepSeek-V3, whose block was timed."""

LAUNCHES_BESIDE = 3.0
"""Norms, rotary embedding and cache write: element-wise kernels of a block."""
LAUNCH_S = 2e-6

BLOCK_PRECISIONS = {
    "bfloat16": ("bf16", "bf16", 2.0, 2.0),
    "fp8_block": ("fp8_block", "fp8", 1.0, 1.0),
    "nvfp4": ("nvfp4", "fp4", 0.5625, 0.5625),
}
STAND_INS = ("sglang", "trtllm", "vllm")
"""Whose products stand in, in this order, for an engine's that were left out as host-bound."""


@lru_cache(maxsize=1)
def _gemm_table() -> ParameterTable:
    return parameter_tables(load_kernel_calibration(CATALOGUE).calibration)["gemm"]


def _gemm_parameters(accelerator: str, engine: str, precision: str) -> ot.GemmParameters | None:
    table = _gemm_table()
    for wanted in (engine, *STAND_INS):
        for index, found in enumerate(table.sets):
            if (found.accelerator, found.engine, found.precision) == (accelerator, wanted, precision):
                parameters: ot.GemmParameters = gathered(table.parameters, np.asarray(index))
                return parameters
    return None


def products_s(key: Key, rows: Floats, heads: Floats, specification: dict[str, Any], is_decode: bool) -> Floats:
    """Seconds of all matrix products of one block; NaN where the catalogue lacks a set.

    Decode absorbs the expansion of keys and values into queries and outputs (16-bit batched products); prefill expands.
    """
    name, peak, weight_bytes, activation_bytes = BLOCK_PRECISIONS[key["gemm_type"]]
    narrow = _gemm_parameters(specification["accelerator"], key["engine"], name)
    wide = _gemm_parameters(specification["accelerator"], key["engine"], "bf16")
    if narrow is None or wide is None:
        return np.full(len(rows), np.nan)
    device, wide_device = device_of(specification, peak), device_of(specification, "bf16")

    def product(columns: Any, depth: Any, is_wide: bool = False) -> Floats:
        return ot.gemm_time(
            rows, np.asarray(columns), np.asarray(depth), np.asarray(2.0 if is_wide else weight_bytes),
            np.asarray(2.0 if is_wide else activation_bytes), wide_device if is_wide else device,
            wide if is_wide else narrow,
        ).total  # fmt: skip

    total = product(QUERY_RANK + LATENT_DIM + ROPE_DIM, HIDDEN) + product(heads * (NOPE_DIM + ROPE_DIM), QUERY_RANK)
    total = total + product(HIDDEN, heads * VALUE_DIM)
    if is_decode:
        expansion = product(heads * LATENT_DIM, NOPE_DIM, True) + product(heads * VALUE_DIM, LATENT_DIM, True)
    else:
        expansion = product(heads * (NOPE_DIM + VALUE_DIM), LATENT_DIM)
    return total + expansion + LAUNCHES_BESIDE * LAUNCH_S


def _prepare_decode(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0
    batch, heads, context = shapes["batch_size"], shapes["num_heads"], shapes["step"]
    beside = products_s(key, batch, heads, specification, is_decode=True)

    def seconds(parameters: st.LatentDecodeParameters) -> Floats:
        return beside + st.latent_decode_time(
            batch, context, heads, np.asarray(LATENT_DIM), np.asarray(ROPE_DIM), np.asarray(kv_bytes), device,
            parameters,
        ).total  # fmt: skip

    traffic = batch * context * (LATENT_DIM + ROPE_DIM) * kv_bytes
    weights = np.where((context >= 64) & (context <= 65536), 1.0, 0.3)
    usable = is_cold(traffic, specification) & np.isfinite(beside)
    return Prepared(seconds, traffic / device.bandwidth_bytes_per_s, batch_group(shapes), weights, usable)


def _prepare_prefill(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "fp8" if key["mla_dtype"] == "fp8" else "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0
    batch, heads, new = shapes["batch_size"], shapes["num_heads"], shapes["isl"]
    nothing, unlimited = np.asarray(0.0), np.asarray(np.inf)
    head_dim = np.asarray((NOPE_DIM + ROPE_DIM + VALUE_DIM) / 2)
    beside = products_s(key, batch * new, heads, specification, is_decode=False)

    def seconds(parameters: st.LatentPrefillParameters) -> Floats:
        return (
            beside
            + ot.prefill_attention_time(
                batch, new, nothing, unlimited, heads, heads, head_dim, np.asarray(kv_bytes), device, parameters
            ).total
        )

    weights = np.where(new >= 64, 1.0, 0.3)
    return Prepared(seconds, np.zeros_like(new), batch_group(shapes), weights, np.isfinite(beside))


def _of_vllm(key: Key) -> str | None:
    is_used = key["engine"] == "vllm" and key["architecture"] == "DeepseekV3ForCausalLM"
    return latent_cache(key) if is_used else None


_DECODE, _PREFILL = LATENT_OPERATIONS

MODULE_OPERATIONS = (
    FittedOperation(
        "latent_decode_attention", "mla_generation_module", st.LatentDecodeParameters, _DECODE.usual, _of_vllm,
        _prepare_decode, output="latent_decode_module",
    ),
    FittedOperation(
        "latent_prefill_attention", "mla_context_module", st.LatentPrefillParameters, _PREFILL.usual, _of_vllm,
        _prepare_prefill, output="latent_prefill_module",
    ),
)  # fmt: skip
