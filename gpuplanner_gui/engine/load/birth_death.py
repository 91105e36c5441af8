"""State-dependent birth–death queue of one replica: the more requests it runs, the faster it serves them all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.load.arrays import BoolArray, FloatArray, Numbers, as_floats
from gpuplanner_gui.engine.load.capacity import largest_rates

STABILITY_MARGIN = 0.1
"""Share of the full service rate kept free when sizing against means; llm-inferno/queue-analysis uses the same."""


@dataclass(frozen=True)
class BirthDeathState:
    """Stationary means of the queue; arrays over candidates.

    `probabilities` has one more axis, last: the number of requests present, 0 … limit.
    """

    probabilities: FloatArray
    present: FloatArray
    in_service: FloatArray
    throughput_per_s: FloatArray
    blocked_share: FloatArray
    response_s: FloatArray
    service_s: FloatArray
    wait_s: FloatArray


def birth_death_state(rate_per_s: Numbers, service_rates_per_s: FloatArray, queue_limit: int) -> BirthDeathState:
    """Stationary state with Poisson arrivals, service rates by number in service, and a bounded queue.

    Parameters
    ----------
    rate_per_s : float array, shape (…)
        Arrivals. Above 0. [1/s]
    service_rates_per_s : float array, shape (…, S)
        Completions per second with 1 … S requests in service, constant above S. [1/s]
    queue_limit : int
        Requests that may wait; later ones are blocked. [1]

    Returns
    -------
    BirthDeathState
        Arrays of the broadcast shape of `rate_per_s` and the leading axes of `service_rates_per_s`.

    Notes
    -----
    p(n+1) = p(n)·λ/μ(n+1), in logarithms so that thousands of states neither overflow nor vanish. Means only: bursts
    and the spread of lengths have no effect here, and close to full load the result depends on `queue_limit` alone.

    References
    ----------
    .. [1] llm-inferno/queue-analysis, state-dependent queue analyser, 2025.
    """
    rates = as_floats(service_rates_per_s)
    served = rates.shape[-1]
    waiting_rates = np.broadcast_to(rates[..., -1:], (*rates.shape[:-1], queue_limit))
    log_ratios = np.log(as_floats(rate_per_s))[..., None] - np.log(np.concatenate([rates, waiting_rates], axis=-1))
    log_weights = np.concatenate([np.zeros((*log_ratios.shape[:-1], 1)), np.cumsum(log_ratios, axis=-1)], axis=-1)
    weights = np.exp(log_weights - log_weights.max(axis=-1, keepdims=True))
    probabilities = weights / weights.sum(axis=-1, keepdims=True)

    number = np.arange(served + queue_limit + 1)
    present = probabilities @ number
    in_service = probabilities @ np.minimum(number, served)
    blocked = probabilities[..., -1]
    throughput = as_floats(rate_per_s) * (1 - blocked)
    return BirthDeathState(
        probabilities=probabilities,
        present=present,
        in_service=in_service,
        throughput_per_s=throughput,
        blocked_share=blocked,
        response_s=present / throughput,
        service_s=in_service / throughput,
        wait_s=(present - in_service) / throughput,
    )


def continuous_batching_service_rates(
    prefill_s: FloatArray, decode_step_s: FloatArray, output_tokens: float
) -> FloatArray:
    """Completions per second with 1 … S sequences in the batch.

    Parameters
    ----------
    prefill_s, decode_step_s : float array, shape (…, S)
        Prefill time of one request and time of one decode step at each batch size. [s]
    output_tokens : float
        Mean output of one request. [tokens]

    Returns
    -------
    float array, shape (…, S)
        n/(prefill(n) + output·decode(n)). [1/s]
    """
    batch = np.arange(1, prefill_s.shape[-1] + 1)
    return np.asarray(batch / (prefill_s + output_tokens * decode_step_s))


@dataclass(frozen=True)
class BirthDeathLatency:
    """Mean latencies of continuous batching by the birth–death queue."""

    ttft_s: FloatArray
    itl_s: FloatArray
    e2e_s: FloatArray


def birth_death_latency(
    state: BirthDeathState, prefill_s: FloatArray, decode_step_s: FloatArray, output_tokens: float
) -> BirthDeathLatency:
    """Mean TTFT, ITL and E2E at the mean batch of `state`.

    `prefill_s` and `decode_step_s` as in `continuous_batching_service_rates`; read between batch sizes by linear
    interpolation.
    """
    prefill = _at_batch(prefill_s, state.in_service)
    step = _at_batch(decode_step_s, state.in_service)
    return BirthDeathLatency(
        ttft_s=state.wait_s + prefill + step,
        itl_s=(state.service_s - prefill) / output_tokens,
        e2e_s=state.response_s,
    )


def birth_death_slo_rate_per_s(
    prefill_s: FloatArray,
    decode_step_s: FloatArray,
    output_tokens: float,
    queue_limit: int,
    ttft_limit_s: Numbers = np.inf,
    itl_limit_s: Numbers = np.inf,
) -> FloatArray:
    """Largest rate at which mean TTFT and mean ITL keep their limits, `STABILITY_MARGIN` of the capacity left free.

    Shapes as in `continuous_batching_service_rates`; the limits broadcast with the leading axes. 0 where even an idle
    replica breaks a limit. [1/s]
    """
    rates = continuous_batching_service_rates(prefill_s, decode_step_s, output_tokens)

    def keeps(rate: FloatArray) -> BoolArray:
        state = birth_death_state(np.maximum(rate, np.finfo(float).tiny), rates, queue_limit)
        latency = birth_death_latency(state, prefill_s, decode_step_s, output_tokens)
        return np.asarray((latency.ttft_s <= ttft_limit_s) & (latency.itl_s <= itl_limit_s))

    return largest_rates(keeps, (1 - STABILITY_MARGIN) * rates[..., -1])


def _at_batch(values: FloatArray, batch: FloatArray) -> FloatArray:
    """`values` of shape (…, S) at a fractional batch of shape (…), at least 1."""
    position = np.clip(batch, 1, values.shape[-1]) - 1
    lower = np.floor(position).astype(np.int64)
    upper = np.minimum(lower + 1, values.shape[-1] - 1)
    spread = np.broadcast_to(values, (*position.shape, values.shape[-1]))
    low = np.take_along_axis(spread, lower[..., None], axis=-1)[..., 0]
    high = np.take_along_axis(spread, upper[..., None], axis=-1)[..., 0]
    return np.asarray(low + (position - lower) * (high - low))
