"""Percentiles of latencies under load from their means: what spreads around each, and how far."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import at_least, clamped

SHORTEST_S = 1e-30
BATCH_MEMORY = 0.858
"""Share of the batch's spread that remains in the mean over one answer: the batch forgets within about the length of
an answer, so the mean's variance is 2 (1/e) of the batch's."""


@formula(
    title="Spread of TPOT by prompts",
    unit="s",
    expression="mean_step_s / decode_step_s · √(rate_per_s · occupied_square_s2 · step_s · (1 + output_spread²)"
    " / answer_steps)",
    source="prompts arrive at random during an answer (compound Poisson) (docs/derivations/load.md#spread-of-tpot)",
)
def spread_by_prompts_s(
    mean_step_s: Floats,
    decode_step_s: Floats,
    rate_per_s: Floats,
    occupied_square_s2: Floats,
    step_s: Floats,
    output_spread: float,
    answer_steps: float,
) -> Floats:
    """Standard deviation over requests of the mean step of an answer, by prompts that others send. [s]"""
    scattered = rate_per_s * occupied_square_s2 * step_s * ((1.0 + output_spread**2) / at_least(answer_steps, 1.0))
    return np.asarray(mean_step_s / decode_step_s * np.sqrt(scattered))


@formula(
    title="TPOT, percentile over requests",
    unit="s",
    expression="step_s ± hypot(spread_s·(z + c·(z² - 1)/3), z·0.86·(decode_step_s - empty_step_s)·mean_step_s"
    " / decode_step_s / √batch), c = min(spread_s/(step_s - decode_step_s), 1); at most longest_s",
    source="mean of many steps: gamma distributed time of prompts (Cornish-Fisher), Poisson distributed batch "
    "(docs/derivations/load.md#spread-of-tpot)",
)
def spread_tpot_s(
    step_s: Floats,
    empty_step_s: Floats,
    decode_step_s: Floats,
    mean_step_s: Floats,
    spread_s: Floats,
    longest_s: Floats,
    batch: Floats,
    percentile: float,
) -> Floats:
    """Percentile of the mean step of an answer.

    Two spreads around the mean: prompts read meanwhile, and the batch, which stays much the same while one answer is
    made. [s]
    """
    z = _z(percentile)
    variation = np.minimum(spread_s / np.maximum(step_s - decode_step_s, SHORTEST_S), 1.0)
    prompts = spread_s * (z + variation * ((z * z - 1.0) / 3.0))
    swing = (z * BATCH_MEMORY) * (decode_step_s - empty_step_s) * (mean_step_s / decode_step_s)
    swing = swing / np.sqrt(np.maximum(batch, 1.0))
    distance = np.sign(prompts + swing) * _hypotenuse(prompts, swing)
    least_s, most_s = np.minimum(decode_step_s, step_s), np.maximum(longest_s, step_s)
    return np.asarray(np.minimum(np.maximum(step_s + distance, least_s), most_s))


@formula(
    title="TPOT with drafts, percentile over requests",
    unit="s",
    expression="(step_s ± hypot(of_steps_s - step_s, z·step_s·accepted_spread/sqrt(output_tokens))) / tokens_per_step",
    source="answers of one length take different numbers of steps: renewal process of accepted tokens "
    "(docs/derivations/load.md#spread-of-tpot)",
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
    accepted = abs(z) * step_s * accepted_spread / np.sqrt(at_least(output_tokens, 1.0))
    distance = np.copysign(_hypotenuse(of_steps_s - step_s, accepted), of_steps_s - step_s if z == 0 else z)
    return np.asarray((step_s + distance) / tokens_per_step)


@formula(
    title="TTFT, percentile over requests",
    unit="s",
    expression="ttft_mean_s + hypot(wait's percentile - wait_s, read_s - prefill_s, rest_s·(2·p - 1),"
    " √2·step_sd_s·(-ln(1 - p) - 1))",
    source="P(W > t) = u·exp(-t·u/E[W]); prompt lengths spread the prefill; requests arrive at any moment of steps "
    "of varying length: the running one and the one that processes the prompt "
    "(docs/derivations/load.md#spread-of-first-tokens)",
)
def spread_ttft_s(
    ttft_mean_s: Floats,
    prefill_s: Floats,
    read_s: Floats,
    wait_s: Floats,
    rest_s: Floats,
    step_sd_s: Floats,
    utilisation: Floats,
    percentile: float,
) -> Floats:
    """Percentile of the time to first token; distances from the means of its parts add in quadrature. [s]"""
    waiting = clamped(utilisation, 1e-9, 1.0)
    log_ratio = np.maximum(np.log(waiting / (1 - percentile / 100)), 0.0)
    waited = np.where(np.isfinite(wait_s), wait_s, 0.0)
    tail = waited * (log_ratio / waiting - 1)
    if percentile <= 50:
        return np.asarray(ttft_mean_s - prefill_s + read_s + tail)
    skewed = max(_skewed_z(percentile), 0.0)
    prefill, steps, rest = np.maximum(read_s - prefill_s, 0.0), step_sd_s * skewed, rest_s * (percentile / 50 - 1)
    squares = np.maximum(tail, 0.0) ** 2 + prefill * prefill + rest * rest + 2.0 * steps * steps
    return np.asarray(ttft_mean_s + np.sqrt(squares))


@formula(
    title="TTFT between prompts",
    unit="s",
    expression="ttft_mean_s - wait_s - prefill_s + alone_s - (rest_s - decode_step_s · (1 - exp(-batch))/2)",
    source="a request that meets no other prompt waits half a decode step, if any sequence is decoding",
)
def quiet_ttft_s(
    ttft_mean_s: Floats,
    wait_s: Floats,
    prefill_s: Floats,
    alone_s: Floats,
    rest_s: Floats,
    decode_step_s: Floats,
    batch: Floats,
) -> Floats:
    """TTFT of requests that arrive while no prefill runs; `alone_s` is their own prefill. [s]"""
    waited = np.where(np.isfinite(wait_s), wait_s, 0.0) + rest_s + 0.5 * decode_step_s * np.expm1(-batch)
    return np.asarray(ttft_mean_s - waited - prefill_s + alone_s)


@formula(
    title="TTFT, low percentile over requests",
    unit="s",
    expression="min(quiet_s + decode_step_s · (1 - exp(-batch)) · (percentile / quiet - 1/2), busy_s) up to quiet ="
    " (1 - prefilling_share)·decode_step_s / step_s, else busy_s",
    source="requests that arrive in a decode step are the fastest (docs/derivations/load.md#spread-of-first-tokens)",
)
def low_percentile_ttft_s(
    quiet_s: Floats,
    busy_s: Floats,
    prefilling_share: Floats,
    decode_step_s: Floats,
    step_s: Floats,
    batch: Floats,
    percentile: float,
) -> Floats:
    """Up to the median. [s]"""
    quiet = (1.0 - prefilling_share) * (decode_step_s / step_s)
    place = np.minimum(percentile / 100 / np.maximum(quiet, SHORTEST_S), 1.0)
    first_s = quiet_s - decode_step_s * np.expm1(-batch) * (place - 0.5)
    return np.where(place < 1.0, np.minimum(first_s, busy_s), busy_s)


@formula(
    title="E2E, percentile over requests",
    unit="s",
    expression="e2e_mean_s + hypot(token_s·output_tokens·output_spread·(-ln(1 - p) - 1), ttft - ttft_mean_s,"
    " (tpot - token_s)·(output_tokens - 1)); of one token the TTFT's",
    source="answers spread like an exponential; TTFT, the answer's length and its pace independent",
)
def spread_e2e_s(
    e2e_mean_s: Floats,
    ttft_s: Floats,
    ttft_mean_s: Floats,
    token_s: Floats,
    tpot_s: Floats,
    output_tokens: float,
    output_spread: float,
    percentile: float,
) -> Floats:
    """Percentile of the time from request to last token. [s]"""
    answer = output_tokens * output_spread * _skewed_z(percentile) * token_s
    pace = np.maximum(tpot_s - token_s, 0.0) * (output_tokens - 1.0)
    # An infinite tail times the zero spread of equal answers would be no number.
    tail = np.where(
        np.isfinite(ttft_s), np.maximum(ttft_s - np.where(np.isfinite(ttft_mean_s), ttft_mean_s, 0.0), 0.0), 0.0
    )
    sign = np.where(answer < 0, -1.0, 1.0)
    finite = np.where(np.isfinite(e2e_mean_s), sign * _hypotenuse(_hypotenuse(answer, tail), pace), 0.0)
    return np.where(np.asarray(output_tokens) > 1, e2e_mean_s + finite, ttft_s)


def _hypotenuse(a: Floats, b: Floats) -> Floats:
    """Square root of the sum of squares, for times that neither overflow nor underflow when squared; several times
    faster than `numpy.hypot`."""
    return np.asarray(np.sqrt(a * a + b * b))


def _z(percentile: float) -> float:
    return NormalDist().inv_cdf(percentile / 100)


def _skewed_z(percentile: float) -> float:
    """Standard deviations between mean and percentile of an exponential-like length: -ln(1 - p) - 1."""
    return -math.log(1 - percentile / 100) - 1.0
