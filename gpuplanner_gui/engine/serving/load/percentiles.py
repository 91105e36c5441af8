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
    title="TPOT with drafts, percentile over requests",
    unit="s",
    expression="(step_s ± hypot(of_steps_s - step_s, z·step_s·accepted_spread/sqrt(output_tokens))) / tokens_per_step",
    source="answers of one length take different numbers of steps: normal limit of the renewal process of accepted"
    " tokens, independent of the steps' time",
)
def drafted_tpot_s(
    of_steps_s: Floats,
    step_s: Floats,
    tokens_per_step: float,
    accepted_spread: float,
    output_tokens: float,
    percentile: float,
) -> Floats:
    """Percentile of a request's mean time per output token where steps yield several. [s]

    `of_steps_s` is the percentile of its mean time per step; `accepted_spread` the relative standard deviation of the
    steps that an answer takes, times the square root of its tokens.
    """
    z = _z(percentile)
    accepted = abs(z) * step_s * accepted_spread / math.sqrt(max(output_tokens, 1.0))
    distance = _hypotenuse(of_steps_s - step_s, accepted)
    return np.asarray((step_s + math.copysign(1.0, z) * distance) / tokens_per_step)


@formula(
    title="TTFT, percentile over requests",
    unit="s",
    expression="ttft_mean_s + hypot(wait's percentile - wait_s, own_prefill_s·prompt_spread·(-ln(1 - p) - 1),"
    " rest_s·(2·p - 1), √2·step_sd_s·(-ln(1 - p) - 1))",
    source="engine notes, load, A3: P(W > t) = u·exp(-t·u/E[W]); prompts spread the prefill; arrivals come at any"
    " moment of steps that vary, the one that runs and the one that the prompt rides on",
)
def spread_ttft_s(
    ttft_mean_s: Floats,
    own_prefill_s: Floats,
    wait_s: Floats,
    rest_s: Floats,
    step_sd_s: Floats,
    utilisation: Floats,
    prompt_spread: float,
    percentile: float,
) -> Floats:
    """Percentile of the time to first token; distances from the means of its parts add in quadrature. [s]"""
    waiting = clamped(utilisation, 1e-9, 1.0)
    log_ratio = np.maximum(np.log(waiting / (1 - percentile / 100)), 0.0)
    tail = np.where(np.isfinite(wait_s), wait_s, 0.0) * (log_ratio / waiting - 1)
    skewed = _skewed_z(percentile)
    if percentile <= 50:
        shorter = own_prefill_s * (min(prompt_spread, 1.0) * skewed)
        squares = np.minimum(tail, 0.0) ** 2 + shorter * shorter + 2.0 * (step_sd_s * skewed) ** 2
        return np.asarray(ttft_mean_s - np.minimum(np.sqrt(squares), 0.9 * ttft_mean_s))
    skewed = max(skewed, 0.0)
    prefill, steps, rest = own_prefill_s * (prompt_spread * skewed), step_sd_s * skewed, rest_s * (percentile / 50 - 1)
    squares = np.maximum(tail, 0.0) ** 2 + prefill * prefill + rest * rest + 2.0 * steps * steps
    return np.asarray(ttft_mean_s + np.sqrt(squares))


@formula(
    title="Mean TTFT between prompts",
    unit="s",
    expression="ttft_mean_s - wait_s - (rest_s - decode_step_s / 2) - (prefill_s - prompt_alone_s)",
    source="a request that meets no other prompt waits for half a decode step",
)
def quiet_ttft_s(
    ttft_mean_s: Floats,
    wait_s: Floats,
    rest_s: Floats,
    prefill_s: Floats,
    prompt_alone_s: Floats,
    decode_step_s: Floats,
) -> Floats:
    """Of requests that come while no prompt is read. [s]"""
    waited = np.where(np.isfinite(wait_s), wait_s, 0.0) + (rest_s - 0.5 * decode_step_s)
    return np.asarray(ttft_mean_s - waited - (prefill_s - prompt_alone_s))


def shorter_prompts_s(ttft_s: Floats, own_prefill_s: Floats, prompt_spread: float, percentile: float) -> Floats:
    """A mean taken to a low percentile of prompts' lengths. [s]"""
    return np.asarray(ttft_s + own_prefill_s * (min(prompt_spread, 1.0) * min(_skewed_z(percentile), 0.0)))


@formula(
    title="TTFT, low percentile over requests",
    unit="s",
    expression="quiet_s if percentile ≤ (1 - prefilling_share)·decode_step_s / step_s, else busy_s; the lower of both",
    source="two kinds of requests: those that come while prompts are read, and those that do not",
)
def quiet_or_busy_s(
    quiet_s: Floats,
    busy_s: Floats,
    prefilling_share: Floats,
    decode_step_s: Floats,
    step_s: Floats,
    percentile: float,
) -> Floats:
    """Up to the median. [s]"""
    is_quiet = percentile / 100 <= (1.0 - prefilling_share) * decode_step_s / step_s
    return np.where(is_quiet, np.minimum(quiet_s, busy_s), busy_s)


@formula(
    title="E2E, percentile over requests",
    unit="s",
    expression="e2e_mean_s + hypot(token_s·output_tokens·output_spread·(-ln(1 - p) - 1), ttft - ttft_mean_s)",
    source="answers spread like an exponential; TTFT and answer independent",
)
def spread_e2e_s(
    e2e_mean_s: Floats,
    ttft_s: Floats,
    ttft_mean_s: Floats,
    token_s: Floats,
    output_tokens: float,
    output_spread: float,
    percentile: float,
) -> Floats:
    """Percentile of the time from request to last token. [s]"""
    answer = output_tokens * output_spread * _skewed_z(percentile) * token_s
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
