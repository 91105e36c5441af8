"""Time of one kernel: floor + the smooth maximum of compute and memory time, each inflated by its efficiency.

    time = floor + smooth_maximum(work / (peak x compute efficiency), bytes / (bandwidth x memory efficiency))

Efficiency depends on shape through *padding*: a kernel does the work of a slightly larger problem (`rows + padding`),
as tiles, waves and pipelines make it do. All coefficients are positive and no term is ever divided by a shape, so more
work never takes less time, and more bandwidth or compute is never slower, by construction. Everything is relative to
the device's own peak, bandwidth and number of compute units, so parameters carry over to a relative of the measured
device.

All functions take arrays that broadcast: shapes of the operation, a `Device` and a struct of parameters, each an array
over candidates or a scalar. `gathered(parameters, index)` picks one row of a table per candidate. All return
`OperationTime`, seconds per call on one device.

    gemm_time(rows, columns, depth, ...)                  any dense matrix product (m = tokens, n = outputs, k = inputs)
    prefill_attention_time(batch, new_tokens, ...)        flash attention over a prompt or a chunk of it (also encoders)
    decode_attention_time(batch, context_tokens, ...)     paged attention of one new token per sequence
    elementwise_time(bytes_moved, ...)                    norms, activations, rotary embedding, casts, embeddings

Parameters are fitted by `tools/fit_kernels` to measured kernels and stored in `catalogs/calibration_kernels.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula

FITTED = "floor, roofline with padding and overlap; parameters fitted by tools/fit_kernels to measured kernels"
"""Source of every formula for a kernel's time."""

OUTPUT_BYTES_PER_ELEMENT = 2.0
"""Matrix products and attention write 16-bit results whatever they read."""

QUERY_TILE = 128.0
"""Rows of queries that one compute unit works on at a time; only scales the fitted `fill`."""


TINY = float(np.finfo(np.float64).tiny)
"""Keeps a quotient of two nothings finite."""


@dataclass(frozen=True)
class Device:
    """What an operation runs on: peak at the operation's own precision, memory bandwidth, number of compute units."""

    peak_flop_per_s: Floats
    bandwidth_bytes_per_s: Floats
    compute_units: Floats


@dataclass(frozen=True)
class OperationTime:
    """Where an operation's time goes; the overlapped part is divided by what each side could save."""

    floor_s: Floats
    compute_s: Floats
    memory_s: Floats

    @property
    def total(self) -> Floats:
        return self.floor_s + self.compute_s + self.memory_s


@dataclass(frozen=True)
class OverlapParameters:
    """What the kernels have in common whose computing and reading overlap."""

    floor_s: Floats
    compute_efficiency: Floats
    memory_efficiency: Floats
    overlap_loss: Floats


@dataclass(frozen=True)
class GemmParameters(OverlapParameters):
    """Coefficients of `gemm_time`, each an array over parameter sets or candidates."""

    row_padding: Floats
    column_padding: Floats
    depth_padding: Floats
    fill: Floats
    depth_s: Floats
    output_traffic: Floats


@dataclass(frozen=True)
class PrefillAttentionParameters(OverlapParameters):
    """Coefficients of `prefill_attention_time`."""

    query_padding: Floats
    key_padding: Floats
    head_dim_padding: Floats
    fill: Floats


@dataclass(frozen=True)
class DecodeAttentionParameters(OverlapParameters):
    """Coefficients of `decode_attention_time`."""

    sequence_padding: Floats
    context_padding: Floats
    head_dim_padding: Floats
    context_s: Floats


@dataclass(frozen=True)
class ElementwiseParameters:
    """Coefficients of `elementwise_time`."""

    floor_s: Floats
    memory_efficiency: Floats


def overlapped(floor_s: Any, compute_s: Floats, memory_s: Floats, overlap_loss: Floats) -> OperationTime:
    """Floor plus a smooth maximum of compute and memory time.

    The smooth maximum is (c + m + sqrt((c - m)^2 + 4 L c m)) / 2: the maximum for overlap loss L = 0, the sum for
    L = 1, rising in both for every L in [0, 1], and of degree one, so that Euler's theorem divides it exactly into
    c dT/dc (compute) and m dT/dm (memory).
    """
    difference = compute_s - memory_s
    cross = 2.0 * overlap_loss
    root = np.sqrt(difference * difference + 2.0 * cross * compute_s * memory_s)
    safe = np.maximum(root, TINY)
    compute_share = 0.5 * compute_s * (1.0 + (difference + cross * memory_s) / safe)
    total = 0.5 * (compute_s + memory_s + root)
    return OperationTime(np.asarray(floor_s), compute_share, total - compute_share)


@formula(
    title="Matrix product",
    unit="s",
    expression=(
        "floor_s + depth_s·depth + smooth_maximum("
        "2 (depth + dp)(rows·columns + rp·columns + cp·rows + fill·units)/(peak·compute_efficiency), "
        "bytes/(bandwidth·memory_efficiency))"
    ),
    source=FITTED,
)
def gemm_time(
    rows: Floats,
    columns: Floats,
    depth: Floats,
    weight_bytes_per_element: Floats,
    activation_bytes_per_element: Floats,
    device: Device,
    parameters: GemmParameters,
) -> OperationTime:
    """Seconds of the product (rows x depth) · (depth x columns): rows are tokens, columns and depth the weight's shape.

    FLOPs are 2 (depth + dp) (rows columns + rp columns + cp rows + fill) with padding dp, rp, cp and a wave of partly
    filled compute units, `fill` x 10^4 outputs per unit; `depth_s` is the latency of walking along the depth.
    Fitted times of FP8 and FP4 products include the dynamic quantisation of their activations, where the engine's do.
    """
    p = parameters
    outputs = rows * columns
    padded = outputs + p.row_padding * columns + p.column_padding * rows + 1e4 * p.fill * device.compute_units
    compute_s = 2.0 * (depth + p.depth_padding) * padded / (device.peak_flop_per_s * p.compute_efficiency)
    traffic = depth * (weight_bytes_per_element * columns + activation_bytes_per_element * rows)
    traffic = traffic + OUTPUT_BYTES_PER_ELEMENT * p.output_traffic * outputs
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s + p.depth_s * depth, compute_s, memory_s, p.overlap_loss)


def attended_tokens(new_tokens: Floats, cached_tokens: Floats, window_tokens: Floats, is_causal: Any = True) -> Floats:
    """Mean number of keys that a query of a chunk sees.

    Causal: query i of `new_tokens` sees min(cached + i, window); a full window is numpy.inf. Bidirectional (encoders):
    every query sees all, at most a window.
    """
    growing = np.minimum(np.maximum(window_tokens - cached_tokens, 0.0), new_tokens)
    limited = np.minimum(window_tokens, cached_tokens + new_tokens)
    total = growing * (cached_tokens + 0.5 * (growing + 1.0)) + (new_tokens - growing) * limited
    mean = total / np.maximum(new_tokens, 1.0)
    return np.where(is_causal, mean, limited)


@formula(
    title="Attention over a prompt",
    unit="s",
    expression=(
        "floor_s + smooth_maximum("
        "4 (head_dim + hp)(batch·heads·(new + qp)(attended + kp) + fill·units·reach)/(peak·compute_efficiency), "
        "bytes/(bandwidth·memory_efficiency))"
    ),
    source=f"FlashAttention, Dao et al. 2022, products per query-key pair; {FITTED}",
)
def prefill_attention_time(
    batch: Floats,
    new_tokens: Floats,
    cached_tokens: Floats,
    window_tokens: Floats,
    query_heads: Floats,
    kv_heads: Floats,
    head_dim: Floats,
    kv_bytes_per_element: Floats,
    device: Device,
    parameters: PrefillAttentionParameters,
    is_causal: Any = True,
) -> OperationTime:
    """Seconds of attention of `batch` sequences with `new_tokens` queries each, after `cached_tokens` of prefix.

    FLOPs are 4 (head_dim + hp) (batch heads (new + qp) (attended + kp) + fill), two products per query-key pair; heads
    are those of one device. `window_tokens` is numpy.inf for full attention.
    """
    p = parameters
    attended = attended_tokens(new_tokens, cached_tokens, window_tokens, is_causal)
    reach = np.minimum(window_tokens, cached_tokens + new_tokens)
    pairs = batch * query_heads * (new_tokens + p.query_padding) * (attended + p.key_padding)
    pairs = pairs + QUERY_TILE * p.fill * device.compute_units * (reach + p.key_padding)
    compute_s = 4.0 * (head_dim + p.head_dim_padding) * pairs / (device.peak_flop_per_s * p.compute_efficiency)
    query_bytes = 2.0 * OUTPUT_BYTES_PER_ELEMENT * new_tokens * query_heads
    traffic = batch * head_dim * (query_bytes + 2.0 * kv_bytes_per_element * kv_heads * (new_tokens + reach))
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s, compute_s, memory_s, p.overlap_loss)


@formula(
    title="Attention of a new token",
    unit="s",
    expression=(
        "floor_s + smooth_maximum("
        "4 head_dim·batch·heads·(context + cp)/(peak·compute_efficiency), "
        "2 bytes·(head_dim + hp)(batch·kv_heads + sp·units)(context + cp)/(bandwidth·memory_efficiency))"
    ),
    source=FITTED,
)
def decode_attention_time(
    batch: Floats,
    context_tokens: Floats,
    window_tokens: Floats,
    query_heads: Floats,
    kv_heads: Floats,
    head_dim: Floats,
    kv_bytes_per_element: Floats,
    device: Device,
    parameters: DecodeAttentionParameters,
) -> OperationTime:
    """Seconds of attention of one query token per sequence over its KV cache; heads are those of one device.

    KV bytes are 2 (head_dim + hp) bytes (batch kv_heads + sp units) (context + cp): with few sequences and heads there
    are fewer streams than compute units to pull them. `device.peak_flop_per_s` is the 16-bit peak, whatever the cache.
    """
    p = parameters
    attended = np.minimum(context_tokens, window_tokens) + p.context_padding
    streams = batch * kv_heads + p.sequence_padding * device.compute_units
    traffic = 2.0 * kv_bytes_per_element * (head_dim + p.head_dim_padding) * streams * attended
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    compute_s = 4.0 * head_dim * batch * query_heads * attended / (device.peak_flop_per_s * p.compute_efficiency)
    return overlapped(p.floor_s + p.context_s * attended, compute_s, memory_s, p.overlap_loss)


@formula(
    title="Element-wise kernel",
    unit="s",
    expression=("floor_s + bytes_moved/(bandwidth·memory_efficiency)"),
    source=FITTED,
)
def elementwise_time(bytes_moved: Floats, device: Device, parameters: ElementwiseParameters) -> OperationTime:
    """Seconds of a kernel that only reads and writes: norms, activations, rotary embedding, residuals, embeddings."""
    memory_s = bytes_moved / (device.bandwidth_bytes_per_s * parameters.memory_efficiency)
    none_s = np.zeros(np.shape(memory_s))
    return OperationTime(np.asarray(parameters.floor_s + none_s), none_s, memory_s)
