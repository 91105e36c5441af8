"""What a device could do at best: ridge point, time bound by memory or by compute, ceilings of decoding."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula

Floats = NDArray[np.float64]
Numbers = Any
"""A number or an array; all arguments of one function broadcast."""


@formula(
    title="Ridge point",
    unit="FLOP/byte",
    expression="peak_flop_per_s / bandwidth_bytes_per_s",
    source="Williams, Waterman, Patterson, Roofline, 2009",
)
def ridge_flop_per_byte(peak_flop_per_s: Numbers, bandwidth_bytes_per_s: Numbers) -> Floats:
    """Intensity below which memory bandwidth bounds and above which compute does. [FLOP/byte]

    Examples
    --------
    >>> round(float(ridge_flop_per_byte(989.5e12, 3.35e12)), 6)
    295.373134
    """
    return np.asarray(peak_flop_per_s / np.asarray(bandwidth_bytes_per_s, np.float64))


@formula(
    title="Time at the roofline",
    unit="s",
    expression="max(flop / peak_flop_per_s, moved_bytes / bandwidth_bytes_per_s)",
    source="Williams, Waterman, Patterson, Roofline, 2009",
)
def roofline_time_s(
    flop: Numbers, moved_bytes: Numbers, peak_flop_per_s: Numbers, bandwidth_bytes_per_s: Numbers
) -> Floats:
    """Least time of work that computes and moves bytes at once. [s]"""
    return np.asarray(np.maximum(flop / np.asarray(peak_flop_per_s), moved_bytes / np.asarray(bandwidth_bytes_per_s)))


@formula(
    title="Decode ceiling",
    unit="tok/s",
    expression="batch · bandwidth_bytes_per_s / (weight_bytes + batch · context_tokens · kv_bytes_per_token)",
    source="engine notes, worked case E4: every step reads the weights and the cache once",
)
def decode_ceiling_tokens_per_s(
    batch: Numbers,
    weight_bytes: Numbers,
    context_tokens: Numbers,
    kv_bytes_per_token: Numbers,
    bandwidth_bytes_per_s: Numbers,
) -> Floats:
    """Tokens per second that no engine can exceed while memory bandwidth bounds. [tokens/s]

    Examples
    --------
    >>> round(float(decode_ceiling_tokens_per_s(1, 16_060_522_496, 0, 131072, 3.35e12)), 6)
    208.585991
    """
    moved = weight_bytes + np.asarray(batch, np.float64) * context_tokens * kv_bytes_per_token
    return np.asarray(batch * np.asarray(bandwidth_bytes_per_s, np.float64) / moved)


@formula(
    title="Crossover batch",
    unit="seq",
    expression="weight_bytes·peak_flop_per_s / (flop_per_token·bandwidth_bytes_per_s"
    " - context_tokens·kv_bytes_per_token·peak_flop_per_s)",
    source="time of compute equal to time of memory traffic; engine notes, worked case E4",
)
def crossover_batch(
    weight_bytes: Numbers,
    flop_per_token: Numbers,
    context_tokens: Numbers,
    kv_bytes_per_token: Numbers,
    peak_flop_per_s: Numbers,
    bandwidth_bytes_per_s: Numbers,
) -> Floats:
    """Batch from which decoding is bound by compute; infinite where the cache keeps it bound by memory. [sequences]"""
    gain = np.asarray(flop_per_token, np.float64) * bandwidth_bytes_per_s
    gain = gain - np.asarray(context_tokens, np.float64) * kv_bytes_per_token * peak_flop_per_s
    with np.errstate(divide="ignore"):
        batch = np.asarray(weight_bytes, np.float64) * peak_flop_per_s / np.where(gain > 0, gain, 1.0)
    return np.where(gain > 0, batch, np.inf)
