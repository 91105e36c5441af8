"""Time of multi-head latent attention: in decode all heads read one cached latent vector per token.

In prefill the heads are expanded, and `operation_time.prefill_attention_time` serves with the parameters of
`latent_prefill_attention` and the mean of key and value sizes as head size.
"""

from __future__ import annotations

from dataclasses import dataclass

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.operation_time import (
    FITTED,
    OUTPUT_BYTES_PER_ELEMENT,
    Device,
    OperationTime,
    PrefillAttentionParameters,
    overlapped,
)


@dataclass(frozen=True)
class LatentDecodeParameters:
    """Coefficients of `latent_decode_time`."""

    floor_s: Floats
    compute_efficiency: Floats
    memory_efficiency: Floats
    overlap_loss: Floats
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
