"""Closed-form latency on top of the mean-field state: TTFT, ITL and E2E, means and percentiles."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import FloatArray, Numbers, as_floats
from gpuplanner_gui.engine.load.mean_field import MeanFieldState
from gpuplanner_gui.engine.load.mix import LengthBins, RequestMix
from gpuplanner_gui.engine.load.queues import burst_wait_factor, single_server_wait_s
from gpuplanner_gui.engine.load.step_time import StepTime


@dataclass(frozen=True)
class PrefillQueue:
    """Prefill seen as a queue with one server; arrays over candidates.

    `service_s` has one more axis, last: one entry per bin of prompt length.
    """

    service_s: FloatArray
    mean_service_s: FloatArray
    utilisation: FloatArray
    mean_wait_s: FloatArray
    residual_s: FloatArray


def prefill_service_s(
    step_time: StepTime, state: MeanFieldState, mix: RequestMix, prompts: LengthBins, token_budget: Numbers
) -> FloatArray:
    """Time from a prompt's first chunk to its first token, beside the decoding batch, shape (…, bins). [s]

    A prompt takes ⌈I/C⌉ steps, each with the batch's decode tokens; for a linear step time that is
    β·I + c·T_d + γ·I²/(2C).
    """
    budget = as_floats(token_budget)
    context = state.decode_sequences / mix.output_tokens * mix.decode_kv_token_steps
    times = []
    for prompt in prompts.value:
        chunks = np.maximum(np.ceil(prompt / budget), 1.0)
        pairs = prompt**2 / 2
        reads = context + pairs / (budget * chunks)
        times.append(chunks * step_time.step_time_s(state.decode_sequences, prompt / chunks, reads, pairs / chunks))
    return np.stack(np.broadcast_arrays(*times), axis=-1)


def prefill_queue(
    step_time: StepTime,
    state: MeanFieldState,
    rate_per_s: Numbers,
    mix: RequestMix,
    token_budget: Numbers,
    arrival_cv: Numbers = 1.0,
) -> PrefillQueue:
    """Wait of prompts for prefill.

    Parameters
    ----------
    step_time, state, mix, token_budget
        As for `mean_field_state`.
    rate_per_s : float array
        Requests per second and replica. [1/s]
    arrival_cv : float array
        Coefficient of variation of gaps between arrivals; 1 is Poisson. [1]

    Notes
    -----
    Prompts are taken one at a time; where the token budget holds several, the wait is pessimistic (15–63 % at a prefill
    utilisation of 0.70–0.76, within −10 … +4 % up to 0.6).
    """
    share = mix.computed_bins.share
    service = prefill_service_s(step_time, state, mix, mix.computed_bins, token_budget)
    mean, mean_square = service @ share, service**2 @ share
    utilisation = as_floats(rate_per_s) * mean
    service_cv = np.sqrt(np.maximum(mean_square / mean**2 - 1, 0.0))
    wait = single_server_wait_s(rate_per_s, mean, mean_square) * burst_wait_factor(arrival_cv, service_cv)
    return PrefillQueue(
        service_s=service,
        mean_service_s=mean,
        utilisation=utilisation,
        mean_wait_s=np.where(state.is_saturated, math.inf, wait),
        residual_s=np.maximum(1 - utilisation, 0.0) * state.decode_step_s / 2,
    )


@formula(
    title="Mean TTFT",
    unit="s",
    expression="prefill_s + wait_s + residual_s;  residual_s = (1 − prefill utilisation)·decode step/2",
    source="M/G/1 prefill beside a decoding batch",
)
def closed_form_ttft_s(prefill_s: Numbers, wait_s: Numbers, residual_s: Numbers) -> FloatArray:
    """Mean time to first token: the request's own prefill, the wait, and what is left of the step it arrives in. [s]"""
    return as_floats(prefill_s) + wait_s + residual_s


@formula(
    title="Mean E2E latency",
    unit="s",
    expression="ttft_s + (output_tokens − 1)·step_time_s",
    source="one token per step after the first",
)
def closed_form_e2e_s(ttft_s: Numbers, output_tokens: Numbers, step_time_s: Numbers) -> FloatArray:
    """Mean time from request to last token. [s]"""
    return as_floats(ttft_s) + (as_floats(output_tokens) - 1) * step_time_s


@formula(
    title="Inter-token latency, percentile",
    unit="s",
    expression="decode_step_s if percentile ≤ 1 − mixed_share, else mixed_step_s",
    source="two-point mixture of decode-only and mixed steps",
)
def itl_percentile_s(
    decode_step_s: Numbers, mixed_step_s: Numbers, mixed_share: Numbers, percentile: Numbers
) -> FloatArray:
    """Percentile over all tokens of the time between tokens; per-request averages (TPOT) spread far less. [s]

    `percentile` is a share, 0.99 for p99.
    """
    return np.where(as_floats(percentile) <= 1 - as_floats(mixed_share), decode_step_s, mixed_step_s)
