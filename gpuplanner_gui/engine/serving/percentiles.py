"""Percentiles of latencies under load from their means: what spreads around each, and how far."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import clamped

Floats = NDArray[np.float64]

BATCH_MEMORY = 0.858
"""What is left of the batch's spread in a mean over one answer: the batch forgets within about the length of an answer,
so the mean's variance is 2 (1/e) of the batch's."""


@formula(
    title="TPOT, percentile over requests",
    unit="s",
    expression="step_s + z·hypot((mixed_step_s - decode_step_s)·sqrt(mixed_share·(1 - mixed_share)/output_tokens),"
    " 0.86·(step_s - empty_step_s)/sqrt(batch))",
    source="mean of many steps: normal around the mean step; the batch varies like a Poisson number",
)
def spread_tpot_s(
    step_s: Floats,
    empty_step_s: Floats,
    decode_step_s: Floats,
    mixed_step_s: Floats,
    mixed_share: Floats,
    batch: Floats,
    output_tokens: float,
    percentile: float,
) -> Floats:
    """Percentile of a request's mean time per output token. [s]

    Two spreads around the mean step: the share of steps that carry a prefill, averaged over an answer, and the batch,
    which stays much the same while one answer is made.
    """
    z = _z(percentile)
    mixed = (mixed_step_s - decode_step_s) * np.sqrt(mixed_share * (1 - mixed_share) / max(output_tokens, 1.0))
    swing = BATCH_MEMORY * (step_s - empty_step_s) / np.sqrt(np.maximum(batch, 1.0))
    return np.asarray(step_s + z * _hypotenuse(mixed, swing))


@formula(
    title="TTFT, percentile over requests",
    unit="s",
    expression="ttft_mean_s + hypot(wait's percentile - wait_s, prefill_s·prompt_spread·(-ln(1 - p) - 1))",
    source="engine notes, load, A3: P(W > t) = u·exp(-t·u/E[W]); prompts spread the prefill",
)
def spread_ttft_s(
    ttft_mean_s: Floats, prefill_s: Floats, wait_s: Floats, utilisation: Floats, prompt_spread: float, percentile: float
) -> Floats:
    """Percentile of the time to first token; distances of wait and prefill from their means add in quadrature. [s]"""
    waiting = clamped(utilisation, 1e-9, 1.0)
    log_ratio = np.maximum(np.log(waiting / (1 - percentile / 100)), 0.0)
    tail = np.where(np.isfinite(wait_s), wait_s, 0.0) * (log_ratio / waiting - 1)
    if percentile <= 50:
        return np.asarray(ttft_mean_s + np.minimum(tail, 0.0))
    prefill = prefill_s * prompt_spread * _skewed_z(percentile)
    return np.asarray(ttft_mean_s + _hypotenuse(np.maximum(tail, 0.0), np.maximum(prefill, 0.0)))


@formula(
    title="E2E, percentile over requests",
    unit="s",
    expression="e2e_mean_s + hypot(step_s·output_tokens·output_spread·(-ln(1 - p) - 1), ttft - ttft_mean_s)",
    source="answers spread like an exponential; TTFT and answer independent",
)
def spread_e2e_s(
    e2e_mean_s: Floats,
    ttft_s: Floats,
    ttft_mean_s: Floats,
    step_s: Floats,
    output_tokens: float,
    output_spread: float,
    percentile: float,
) -> Floats:
    """Percentile of the time from request to last token. [s]"""
    answer = output_tokens * output_spread * _skewed_z(percentile) * step_s
    # An infinite tail times the zero spread of equal answers would be no number.
    tail = np.where(
        np.isfinite(ttft_s), np.maximum(ttft_s - np.where(np.isfinite(ttft_mean_s), ttft_mean_s, 0.0), 0.0), 0.0
    )
    finite = np.where(np.isfinite(e2e_mean_s), np.sign(answer) * _hypotenuse(answer, tail), 0.0)
    return np.asarray(e2e_mean_s + finite)


def _hypotenuse(a: Floats, b: Floats) -> Floats:
    """For times, which neither overflow nor underflow when squared; several times faster than `numpy.hypot`."""
    return np.asarray(np.sqrt(a * a + b * b))


def _z(percentile: float) -> float:
    return NormalDist().inv_cdf(percentile / 100)


def _skewed_z(percentile: float) -> float:
    """Standard deviations between mean and percentile of an exponential-like length: -ln(1 - p) - 1."""
    return -math.log(1 - percentile / 100) - 1.0
