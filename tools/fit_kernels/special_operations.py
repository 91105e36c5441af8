"""How kernels of latent attention, routed experts and recurrent layers are fitted; see `operations`.

Where only whole blocks of latent attention were timed, it is the block less its matrix products. Their times come from
the catalogue's fitted sets, so these run after `gemm` was fitted and put there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.columns import gathered
from gpuplanner_gui.engine.kernels import operation_time as ot
from gpuplanner_gui.engine.kernels import special_time as st
from gpuplanner_gui.engine.kernels.efficiency import ParameterTable, parameter_tables
from gpuplanner_gui.files.knowledge import load_kernel_calibration
from tools.fit_kernels.prepared import CATALOGUE, FittedOperation, Key, Numbers, Prepared, Shapes, device_of, is_cold

LATENT_DIM, ROPE_DIM, NOPE_DIM, VALUE_DIM = 512.0, 64.0, 128.0, 128.0
"""Of the DeepSeek models that the latent kernels were timed with."""
PREFILL_HEAD_DIM = (NOPE_DIM + ROPE_DIM + VALUE_DIM) / 2

EXPERT_PRECISIONS = {
    "bfloat16": ("bf16", "bf16", 2.0),
    "fp8": ("fp8", "fp8", 1.0),
    "fp8_block": ("fp8_block", "fp8", 1.0),
    "nvfp4": ("nvfp4", "fp4", 0.5625),
    "int4_wo": ("int4_weight", "bf16", 0.53125),
    "w4a16_mxfp4": ("mxfp4_weight", "bf16", 0.53125),
    "w4a8_mxfp4_mxfp8": ("mxfp4_fp8", "fp8", 0.53125),
}
"""Measured name: catalogue name, peak, bytes per weight with its scale."""

GROUP_LIMITED = {(7168, 2048, 256)}
"""Hidden size, expert size and experts of timed models that route within groups of experts (DeepSeek-V3): even logits
reach fewer experts than their number says, so these rows run faster than memory allows."""

UNGATED = {(2688, 1856), (1024, 2688), (2048, 5120), (8192, 5120), (4096, 2688)}
"""Hidden and expert sizes of timed models whose experts have no gate (Nemotron's squared ReLU)."""


def latent_cache(key: Key) -> str | None:
    compute = "fp8" if key["mla_dtype"] == "fp8" else "bf16"
    return f"{compute}_kv_{'fp8' if key['kv_cache_dtype'] == 'fp8' else 'bf16'}"


def batch_group(shapes: Shapes) -> Numbers:
    batch = np.unique(shapes["batch_size"], return_inverse=True)[1]
    heads = np.unique(shapes["num_heads"], return_inverse=True)[1]
    return (batch + 3 * heads) % 4.0


def _prepare_latent_decode(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    return _latent_decode(key, shapes, specification, shapes["step"] + 1.0, np.asarray(0.0))


def _latent_decode(
    key: Key, shapes: Shapes, specification: dict[str, Any], context: Floats, beside_s: Floats
) -> Prepared:
    """Rows of the kernel, or of a block that also takes `beside_s`."""
    device = device_of(specification, "bf16")
    kv_bytes = 1.0 if key["kv_cache_dtype"] == "fp8" else 2.0

    def seconds(parameters: st.LatentDecodeParameters) -> Floats:
        return beside_s + st.latent_decode_time(
            shapes["batch_size"], context, shapes["num_heads"], np.asarray(LATENT_DIM), np.asarray(ROPE_DIM),
            np.asarray(kv_bytes), device, parameters,
        ).total  # fmt: skip

    traffic = shapes["batch_size"] * context * (LATENT_DIM + ROPE_DIM) * kv_bytes
    weights = np.where((context >= 64) & (context <= 65536), 1.0, 0.3)
    least = traffic / device.bandwidth_bytes_per_s
    usable = is_cold(traffic, specification) & np.isfinite(beside_s)
    return Prepared(seconds, least, batch_group(shapes), weights, usable)


def _latent_prefill_s(
    key: Key, shapes: Shapes, specification: dict[str, Any]
) -> Callable[[st.LatentPrefillParameters], Floats]:
    device = device_of(specification, "fp8" if key["mla_dtype"] == "fp8" else "bf16")
    kv_bytes = np.asarray(1.0 if key["kv_cache_dtype"] == "fp8" else 2.0)
    batch, new, heads = shapes["batch_size"], shapes["isl"], shapes["num_heads"]
    nothing, unlimited = np.asarray(0.0), np.asarray(np.inf)

    def seconds(parameters: st.LatentPrefillParameters) -> Floats:
        return ot.prefill_attention_time(
            batch, new, nothing, unlimited, heads, heads, np.asarray(PREFILL_HEAD_DIM), kv_bytes, device, parameters
        ).total

    return seconds


def _prepare_latent_prefill(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "fp8" if key["mla_dtype"] == "fp8" else "bf16")
    batch, new, heads = shapes["batch_size"], shapes["isl"], shapes["num_heads"]
    pairs = batch * heads * new * ot.attended_tokens(new, np.asarray(0.0), np.asarray(np.inf))
    least = 4.0 * PREFILL_HEAD_DIM * pairs / device.peak_flop_per_s
    return Prepared(_latent_prefill_s(key, shapes, specification), 0.5 * least, batch_group(shapes), np.ones_like(new))


def _prepare_experts(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    _, peak, weight_bytes = EXPERT_PRECISIONS[key["moe_dtype"]]
    device = device_of(specification, peak)
    hidden, whole = shapes["hidden_size"], shapes["inter_size"]
    size = whole / shapes["moe_tp_size"]
    ranks = shapes["moe_ep_size"]
    seen = shapes["num_tokens"] * shapes["topk"]
    pairs = seen / ranks
    touched = np.maximum(np.minimum(pairs, shapes["num_experts"] / ranks), 1.0)
    ungated = [(int(h), int(i)) in UNGATED for h, i in zip(hidden, whole, strict=True)]
    matrices = np.where(ungated, 2.0, 3.0)

    def seconds(parameters: st.ExpertParameters) -> Floats:
        stored = np.asarray(weight_bytes)
        return st.expert_time(pairs, seen, touched, hidden, size, matrices, stored, device, parameters).total

    traffic = matrices * touched * hidden * size * weight_bytes
    models = np.unique(hidden * 1e6 + whole, return_inverse=True)[1]
    sizes = zip(hidden, whole, shapes["num_experts"], strict=True)
    is_known = np.array([tuple(int(x) for x in size) not in GROUP_LIMITED for size in sizes])
    least = traffic / device.bandwidth_bytes_per_s
    return Prepared(seconds, least, models % 4.0, np.ones_like(pairs), is_cold(traffic, specification) & is_known)


def _is_delta_rule(key: Key, phase: str) -> bool:
    return key["phase"] == phase and "gated_delta_rule" in key["kernel_source"]


def _state_shapes(shapes: Shapes) -> tuple[Floats, Floats]:
    """Elements of one sequence's state, and values in and out per token."""
    keys = shapes["num_k_heads"] * shapes["head_k_dim"]
    values = shapes["num_v_heads"] * shapes["head_v_dim"]
    return values * shapes["head_k_dim"], 2 * keys + 2 * values


def _prepare_state_prefill(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "bf16")
    state, values = _state_shapes(shapes)
    batch, new = shapes["batch_size"], shapes["seq_len"]

    def seconds(parameters: st.StatePrefillParameters) -> Floats:
        return st.state_prefill_time(batch, new, 6.0 * state, values, 4.0 * state, device, parameters).total

    heads = np.unique(shapes["num_v_heads"], return_inverse=True)[1]
    lengths = np.unique(new, return_inverse=True)[1]
    least = 2.0 * batch * new * values / device.bandwidth_bytes_per_s
    return Prepared(seconds, least, (heads + 3 * lengths) % 4.0, np.where(new >= 16, 1.0, 0.3))


def _prepare_state_decode(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    device = device_of(specification, "bf16")
    state, _ = _state_shapes(shapes)
    batch = shapes["batch_size"]

    def seconds(parameters: st.StateDecodeParameters) -> Floats:
        return st.state_decode_time(batch, 4.0 * state, device, parameters).total

    heads = np.unique(shapes["num_v_heads"], return_inverse=True)[1]
    batches = np.unique(batch, return_inverse=True)[1]
    traffic = st.STATE_PASSES * batch * 4.0 * state
    least, weights = traffic / device.bandwidth_bytes_per_s, np.ones_like(batch)
    return Prepared(seconds, least, (heads + 3 * batches) % 4.0, weights, is_cold(traffic / 2, specification))


LATENT_OPERATIONS = (
    FittedOperation(
        "latent_decode_attention", "generation_mla", st.LatentDecodeParameters,
        {
            "floor_s": 8e-6, "compute_efficiency": 0.5, "memory_efficiency": 0.8, "overlap_loss": 0.3,
            "sequence_padding": 0.03, "context_padding": 64.0, "head_padding": 16.0, "query_traffic": 2.0,
        },
        latent_cache, _prepare_latent_decode,
    ),
    FittedOperation(
        "latent_prefill_attention", "context_mla", st.LatentPrefillParameters,
        {
            "floor_s": 8e-6, "compute_efficiency": 0.5, "memory_efficiency": 0.8, "overlap_loss": 0.5,
            "query_padding": 32.0, "key_padding": 64.0, "head_dim_padding": 16.0, "fill": 0.3,
        },
        latent_cache, _prepare_latent_prefill,
    ),
)  # fmt: skip

SPECIAL_OPERATIONS = (
    *LATENT_OPERATIONS,
    FittedOperation(
        "experts", "moe", st.ExpertParameters,
        {
            "floor_s": 2e-5, "compute_efficiency": 0.5, "memory_efficiency": 0.8, "overlap_loss": 0.3,
            "row_padding": 8.0, "hidden_padding": 64.0, "size_padding": 64.0, "expert_s": 1e-8,
            "activation_traffic": 1.0, "seen_traffic": 0.5,
        },
        lambda key: EXPERT_PRECISIONS[key["moe_dtype"]][0] if key["distribution"] == "balanced" else None,
        _prepare_experts, model_columns=("hidden_size", "inter_size", "num_experts"),
        highest={"hidden_padding": 512.0, "size_padding": 512.0, "row_padding": 128.0},
    ),
    FittedOperation(
        "state_prefill", "gated_delta_net", st.StatePrefillParameters,
        {
            "floor_s": 1.5e-5, "compute_efficiency": 0.1, "memory_efficiency": 0.5, "overlap_loss": 0.5,
            "token_padding": 16.0, "sequential_s": 1e-8,
        },
        lambda key: "any" if _is_delta_rule(key, "context") else None, _prepare_state_prefill,
    ),
    FittedOperation(
        "state_decode", "gated_delta_net", st.StateDecodeParameters,
        {"floor_s": 4e-6, "memory_efficiency": 0.7},
        lambda key: "any" if _is_delta_rule(key, "generation") else None, _prepare_state_decode, fewest_rows=80,
    ),
)  # fmt: skip


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
    beside_s = products_s(key, shapes["batch_size"], shapes["num_heads"], specification, is_decode=True)
    return _latent_decode(key, shapes, specification, shapes["step"], beside_s)


def _prepare_prefill(key: Key, shapes: Shapes, specification: dict[str, Any]) -> Prepared:
    new = shapes["isl"]
    beside_s = products_s(key, shapes["batch_size"] * new, shapes["num_heads"], specification, is_decode=False)
    kernel_s = _latent_prefill_s(key, shapes, specification)
    weights = np.where(new >= 64, 1.0, 0.3)
    return Prepared(
        lambda parameters: beside_s + kernel_s(parameters),
        np.zeros_like(new), batch_group(shapes), weights, np.isfinite(beside_s),
    )  # fmt: skip


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
