"""Time of operations with shapes of their own: latent attention, routed experts, recurrent states.

In decode of latent attention all heads read one cached latent vector per token; in prefill the heads are expanded,
and `operation_time.prefill_attention_time` serves with the parameters of `latent_prefill_attention` and the mean of
key and value sizes as head size. Recurrent layers go in chunks in prefill and by step in decode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.operation_time import (
    FITTED,
    OUTPUT_BYTES_PER_ELEMENT,
    Device,
    OperationTime,
    OverlapParameters,
    PrefillAttentionParameters,
    overlapped,
)


@dataclass(frozen=True)
class LatentDecodeParameters(OverlapParameters):
    """Coefficients of `latent_decode_time`."""

    sequence_padding: Floats
    context_padding: Floats
    head_padding: Floats
    query_traffic: Floats


@dataclass(frozen=True)
class LatentPrefillParameters(PrefillAttentionParameters):
    """Coefficients of `prefill_attention_time` for expanded latent heads."""


@formula(
    title="Latent attention of a new token",
    unit="s",
    expression=(
        "floor_s + smooth_maximum("
        "2 (2 latent + rope)·batch·(heads + hp)(context + cp)/(peak·compute_efficiency), "
        "cached vectors/(bandwidth·memory_efficiency))"
    ),
    source=f"DeepSeek-V2 report, section 2.1; {FITTED}",
)
def latent_decode_time(
    batch: Floats,
    context_tokens: Floats,
    heads: Floats,
    latent_dim: Floats,
    rope_dim: Floats,
    kv_bytes_per_element: Floats,
    device: Device,
    parameters: LatentDecodeParameters,
) -> OperationTime:
    """Seconds of attention of one query token per sequence over cached latents; heads are those of one device.

    FLOPs are 2 (2 latent + rope) batch (heads + hp) (context + cp); bytes are those of the cached vectors, read once
    per sequence whatever the number of heads (DeepSeek-V2, section 2.1), and of the queries and results.
    `device.peak_flop_per_s` is the 16-bit peak.
    """
    p = parameters
    attended = context_tokens + p.context_padding
    products = 2.0 * latent_dim + rope_dim
    compute_s = 2.0 * products * batch * (heads + p.head_padding) * attended
    compute_s = compute_s / (device.peak_flop_per_s * p.compute_efficiency)
    streams = batch + p.sequence_padding * device.compute_units
    traffic = streams * attended * (latent_dim + rope_dim) * kv_bytes_per_element
    traffic = traffic + OUTPUT_BYTES_PER_ELEMENT * p.query_traffic * batch * heads * products
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s, compute_s, memory_s, p.overlap_loss)


@dataclass(frozen=True)
class ExpertParameters(OverlapParameters):
    """Coefficients of `expert_time`, each an array over parameter sets or candidates."""

    row_padding: Floats
    hidden_padding: Floats
    size_padding: Floats
    expert_s: Floats
    activation_traffic: Floats
    seen_traffic: Floats


@formula(
    title="Experts that a batch uses",
    unit="experts",
    expression="experts·(1 − (1 − top_k/experts) / (1 − (tokens − 1)·log(1 − top_k/experts)))",
    source="experts of exponentially distributed popularity (docs/derivations/kernels.md#experts)",
)
def experts_touched(tokens: Floats, top_k: Floats, experts: Floats) -> Floats:
    """Mean number of different experts that a batch of tokens uses, some of them asked for more often than others.

    A first token uses k of E; each further one finds an expert with a chance that goes with its popularity; broadcasts.
    """
    share = np.minimum(top_k / experts, 1.0 - 1e-12)
    untouched = (1.0 - share) / (1.0 - np.maximum(tokens - 1.0, 0.0) * np.log1p(-share))
    return np.asarray(experts * (1.0 - untouched))


@formula(
    title="Routed experts",
    unit="s",
    expression=(
        "floor_s + expert_s·touched + smooth_maximum("
        "2 matrices·(pairs + rp·touched)(hidden + hp)(size + sp)/(peak·compute_efficiency), "
        "(touched experts' weights + activations)/(bandwidth·memory_efficiency))"
    ),
    source=FITTED,
)
def expert_time(
    pairs: Floats,
    seen_pairs: Floats,
    touched: Floats,
    hidden: Floats,
    size: Floats,
    matrices: Floats,
    weight_bytes_per_element: Floats,
    device: Device,
    parameters: ExpertParameters,
) -> OperationTime:
    """Seconds of all products of the routed experts of one layer on one device, permutation and activation included.

    `pairs` are the token-expert pairs that the device works on, `seen_pairs` those of all tokens that reach it (more
    with expert parallelism where tokens are gathered instead of dispatched: kernels run over the foreign pairs' rows of
    their buffers too), `touched` its experts that get any; `size` is its part of an expert's intermediate size,
    `matrices` 3 for gated experts (gate, up, down), else 2. FLOPs are 2 matrices (pairs + rp touched) (hidden + hp)
    (size + sp), as each touched expert fills at least part of a tile.
    """
    p = parameters
    padded = pairs + p.row_padding * touched
    work = 2.0 * matrices * padded * (hidden + p.hidden_padding) * (size + p.size_padding)
    compute_s = work / (device.peak_flop_per_s * p.compute_efficiency)
    rows = p.activation_traffic * pairs + p.seen_traffic * seen_pairs
    traffic = matrices * touched * hidden * size * weight_bytes_per_element
    traffic = traffic + OUTPUT_BYTES_PER_ELEMENT * rows * (2.0 * hidden + matrices * size)
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s + p.expert_s * touched, compute_s, memory_s, p.overlap_loss)


STATE_PASSES = 2.0
"""A recurrent state is read and written."""


@dataclass(frozen=True)
class StatePrefillParameters(OverlapParameters):
    """Coefficients of `state_prefill_time`."""

    token_padding: Floats
    sequential_s: Floats


@dataclass(frozen=True)
class StateDecodeParameters:
    """Coefficients of `state_decode_time`."""

    floor_s: Floats
    memory_efficiency: Floats


@formula(
    title="Recurrence over a prompt",
    unit="s",
    expression=(
        "floor_s + sequential_s·new_tokens + smooth_maximum("
        "batch·(new_tokens + tp)·state_flop_per_token/(peak·compute_efficiency), "
        "bytes/(bandwidth·memory_efficiency))"
    ),
    source=f"Gated delta networks, Yang et al. 2024, chunked form; {FITTED}",
)
def state_prefill_time(
    batch: Floats,
    new_tokens: Floats,
    state_flop_per_token: Floats,
    values_per_token: Floats,
    state_bytes: Floats,
    device: Device,
    parameters: StatePrefillParameters,
) -> OperationTime:
    """Seconds of one layer's recurrence over `new_tokens` of each of `batch` sequences, on one device.

    Chunks of one sequence follow one another (`sequential_s` per token); sequences and heads run side by side.
    `values_per_token` counts the layer's inputs and outputs on this device, `state_bytes` one sequence's state,
    `state_flop_per_token` the recurrence alone: about 6 per element of the state.
    """
    p = parameters
    compute_s = batch * (new_tokens + p.token_padding) * state_flop_per_token
    compute_s = compute_s / (device.peak_flop_per_s * p.compute_efficiency)
    traffic = batch * (OUTPUT_BYTES_PER_ELEMENT * values_per_token * new_tokens + STATE_PASSES * state_bytes)
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s + p.sequential_s * new_tokens, compute_s, memory_s, p.overlap_loss)


@formula(
    title="Recurrence by one token",
    unit="s",
    expression=("floor_s + 2 batch·state_bytes/(bandwidth·memory_efficiency)"),
    source=FITTED,
)
def state_decode_time(
    batch: Floats, state_bytes: Floats, device: Device, parameters: StateDecodeParameters
) -> OperationTime:
    """Seconds of one layer's recurrence by one token of each of `batch` sequences: the states are read and written."""
    memory_s = STATE_PASSES * batch * state_bytes / (device.bandwidth_bytes_per_s * parameters.memory_efficiency)
    return OperationTime(np.broadcast_to(parameters.floor_s, np.shape(memory_s)), np.zeros_like(memory_s), memory_s)
