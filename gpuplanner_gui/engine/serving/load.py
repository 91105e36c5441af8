"""Latency of serving candidates against load: every candidate on the same grid of load, in closed form.

The grid runs over requests per step, from almost idle to the tightest cap; the request rate follows from the step time,
so that no equation has to be solved. What is asked at a given rate is read off between two grid points.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.admission import Admission
from gpuplanner_gui.engine.formula import carried, formula, leaf
from gpuplanner_gui.engine.load.arrays import clamped
from gpuplanner_gui.engine.load.latency import closed_form_e2e_s, closed_form_ttft_s, itl_percentile_s
from gpuplanner_gui.engine.load.mix import RequestMix
from gpuplanner_gui.engine.load.queues import burst_wait_factor, single_server_wait_s
from gpuplanner_gui.engine.serving.grid import CandidateStepTime
from gpuplanner_gui.engine.serving.percentiles import spread_e2e_s, spread_tpot_s, spread_ttft_s

Floats = NDArray[np.float64]

LOAD_GRID = np.array([0.005, 0.02, 0.05, 0.1, 0.17, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.84, 0.91, 0.96, 1.0])
"""Requests per step over the most that the caps allow."""


@dataclass(frozen=True)
class ClassLengths:
    """Means and spreads of one class of requests, among others that it shares a replica with."""

    computed_tokens: float
    prompt_spread: float
    output_tokens: float
    output_spread: float


class ClassSlo(Slo, frozen=True, kw_only=True):
    """A target of one class of requests whose lengths are not those of all."""

    lengths: ClassLengths


def lengths_of(mix: RequestMix) -> ClassLengths:
    """What a class's own latencies follow from."""
    return ClassLengths(
        mix.computed_tokens, _prompt_spread(mix), mix.output_tokens, _spread(mix.output_squared, mix.output_tokens)
    )


@dataclass(frozen=True)
class LoadStates:
    """Latency and occupancy at each point of the grid, shape (points, candidates)."""

    rate_per_s: Floats
    step_s: Floats
    empty_step_s: Floats
    """A step for a single token."""
    decode_step_s: Floats
    mixed_step_s: Floats
    mixed_share: Floats
    batch: Floats
    cached_tokens: Floats
    prefill_s: Floats
    wait_s: Floats
    utilisation: Floats
    ttft_mean_s: Floats
    e2e_mean_s: Floats
    output_spread: float
    """Standard deviation of the answer's length over its mean."""
    prompt_spread: float
    output_tokens: float
    chunk_tokens: float
    """Of a mean prompt in one step."""
    token_budget: float
    prefills_apart: bool = False

    def of_class(self, lengths: ClassLengths) -> LoadStates:
        """The same replica, steps and wait, as requests of one of its classes meet them."""
        chunks = max(1.0, math.ceil(lengths.computed_tokens / self.token_budget))
        decoding = 0.0 if self.prefills_apart else chunks
        prefill = class_prefill_s(
            decoding, self.decode_step_s, self.mixed_step_s, lengths.computed_tokens, self.chunk_tokens
        )
        ttft = class_ttft_s(self.ttft_mean_s, prefill, self.prefill_s)
        return replace(
            self,
            prefill_s=prefill,
            ttft_mean_s=ttft,
            e2e_mean_s=closed_form_e2e_s(ttft, lengths.output_tokens, self.step_s),
            output_spread=lengths.output_spread,
            prompt_spread=lengths.prompt_spread,
            output_tokens=lengths.output_tokens,
        )

    def first_point(self) -> LoadStates:
        """The lowest load of the grid alone."""
        columns: dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self)}
        first: dict[str, Any] = {name: one[:1] for name, one in columns.items() if isinstance(one, np.ndarray)}
        return replace(self, **first)

    def tpot_s(self, percentile: float) -> Floats:
        """Percentile over requests of a request's mean time per output token. [s]"""
        return spread_tpot_s(
            self.step_s,
            self.empty_step_s,
            self.decode_step_s,
            self.mixed_step_s,
            self.mixed_share,
            self.batch,
            self.output_tokens,
            percentile,
        )

    def ttft_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time to first token. [s]"""
        return spread_ttft_s(
            self.ttft_mean_s, self.prefill_s, self.wait_s, self.utilisation, self.prompt_spread, percentile
        )

    def e2e_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time from request to last token. [s]"""
        return spread_e2e_s(
            self.e2e_mean_s, self.ttft_s(percentile), self.ttft_mean_s, self.step_s, self.output_tokens,
            self.output_spread, percentile,
        )  # fmt: skip

    def itl_s(self, percentile: float) -> Floats:
        """Percentile over tokens of the gap between two tokens: a step with prefill or one without. [s]"""
        return itl_percentile_s(self.decode_step_s, self.mixed_step_s, self.mixed_share, percentile / 100)

    def latency_s(self, slo: Slo) -> Floats:
        """The latency that a target limits, of the class that it is about."""
        met = self.of_class(slo.lengths) if isinstance(slo, ClassSlo) else self
        by_metric = {"ttft": met.ttft_s, "tpot": met.tpot_s, "itl": met.itl_s, "e2e": met.e2e_s}
        return by_metric[slo.metric](slo.percentile)


def load_states(
    step: CandidateStepTime,
    requests_per_step: Floats,
    mix: RequestMix,
    token_budget: float,
    arrival_cv: float,
    admission: Admission,
    prefills_apart: bool = False,
) -> LoadStates:
    """Every candidate at given numbers of requests per step.

    Parameters
    ----------
    step : CandidateStepTime
        Step times of all candidates.
    requests_per_step : float array, shape (points, candidates)
        Load: requests that begin, and end, per step on average. [1]
    mix : RequestMix
        Moments of the requests.
    token_budget : float
        Tokens of one step. [tokens]
    arrival_cv : float
        Coefficient of variation of the gaps between arrivals. [1]
    admission : Admission
        Host time of a request before its first step, and the steps that its engine schedules ahead.
    prefills_apart : bool
        Prompts have steps of their own: decoding waits for them, they do not wait for it.

    References
    ----------
    .. [1] engine notes, load: A2 and A3 (balance of iteration time; TTFT, ITL and E2E).
    """
    requests = requests_per_step
    chunks = max(1.0, math.ceil(mix.computed_tokens / token_budget))
    chunk = mix.computed_tokens / chunks
    pairs = mix.attention_pairs / chunks
    decoding = decoding_sequences(requests, mix.output_tokens)
    context = requests * mix.decode_kv_token_steps
    without_s = step.weights_pass_s(decoding)
    mean_s = step.with_cache_s(
        without_s,
        decoding,
        requests * mix.computed_tokens,
        requests * mix.kv_token_steps(token_budget),
        requests * mix.attention_pairs,
    )
    rate = request_rate_per_s(requests, mean_s)
    decode_s = step.with_cache_s(without_s, decoding, 0.0, context)
    mixed_s = longer_step_s(step.with_cache_s(without_s, decoding, chunk, context, pairs), decode_s)
    service = chunked_prefill_s(chunks, mixed_s - decode_s if prefills_apart else mixed_s)
    spread = _prompt_spread(mix)
    utilisation = prefill_utilisation(rate, service)
    wait = burst_wait_s(
        single_server_wait_s(rate, service, service**2 * (1 + spread**2)), burst_wait_factor(arrival_cv, spread)
    )
    residual = residual_step_s(utilisation, decode_s)
    late_s = admission_s(leaf(admission.late_steps, "late_steps", "", "engine facts"), mean_s)
    ttft = ttft_with_host_s(closed_form_ttft_s(service, wait, residual), admission.host_s, late_s)
    return LoadStates(
        rate_per_s=rate,
        step_s=mean_s,
        empty_step_s=np.minimum(step.step_time_s(np.ones_like(decoding[:1]), 0.0, 0.0), mean_s),
        decode_step_s=decode_s,
        mixed_step_s=mixed_s,
        mixed_share=np.minimum(1.0, requests * chunks),
        batch=decoding,
        cached_tokens=requests * mix.kv_token_steps(token_budget),
        prefill_s=service,
        wait_s=wait,
        utilisation=utilisation,
        ttft_mean_s=ttft,
        e2e_mean_s=closed_form_e2e_s(ttft, mix.output_tokens, mean_s),
        output_spread=_spread(mix.output_squared, mix.output_tokens),
        prompt_spread=spread,
        output_tokens=mix.output_tokens,
        chunk_tokens=chunk,
        token_budget=float(token_budget),
        prefills_apart=prefills_apart,
    )


@formula(
    title="Sequences decoded together",
    unit="seq",
    expression="requests_per_step · output_tokens",
    source="Little's law over steps: each answer takes as many steps as it has tokens",
)
def decoding_sequences(requests_per_step: Floats, output_tokens: float) -> Floats:
    """Mean batch. [sequences]"""
    return requests_per_step * output_tokens


@formula(
    title="Request rate",
    unit="req/s",
    expression="requests_per_step / step_time_s",
    source="engine notes, load, A2: balance of iteration time with load",
)
def request_rate_per_s(requests_per_step: Floats, step_time_s: Floats) -> Floats:
    """Rate at which requests begin and end when a mean step takes so long. [1/s]"""
    return requests_per_step / step_time_s


@formula(
    title="Step with a prefill",
    unit="s",
    expression="max(time of the step with one chunk of a prompt, decode_step_s)",
    source="a step with more work is never shorter",
)
def longer_step_s(with_chunk_s: Floats, decode_step_s: Floats) -> Floats:
    """Step in which a chunk of a prompt rides along. [s]"""
    return np.maximum(with_chunk_s, decode_step_s)


@formula(
    title="Prefill of a prompt",
    unit="s",
    expression="chunks · mixed_step_s",
    source="engine notes, load, A3: one chunk per step beside the decoding batch",
)
def chunked_prefill_s(chunks: float, mixed_step_s: Floats) -> Floats:
    """Time from a prompt's first chunk to its first token. [s]"""
    return chunks * mixed_step_s


@formula(
    title="Prefill of a class's prompts",
    unit="s",
    expression="chunks · decode_step_s + (mixed_step_s - decode_step_s) · prompt_tokens / chunk_tokens",
    source="the chunks of a mean prompt, in proportion to the class's own",
)
def class_prefill_s(
    chunks: float, decode_step_s: Floats, mixed_step_s: Floats, prompt_tokens: float, chunk_tokens: float
) -> Floats:
    """Time from the first chunk to the first token of one class among others. [s]"""
    return chunks * decode_step_s + (mixed_step_s - decode_step_s) * (prompt_tokens / chunk_tokens)


@formula(
    title="Mean TTFT of a class",
    unit="s",
    expression="ttft_mean_s + class_prefill_s - prefill_s",
    source="classes wait alike, and differ by their own prompts",
)
def class_ttft_s(ttft_mean_s: Floats, class_prefill_s: Floats, prefill_s: Floats) -> Floats:
    """Of the requests of one class among others. [s]"""
    return ttft_mean_s + class_prefill_s - prefill_s


@formula(
    title="Prefill utilisation",
    unit="",
    expression="rate_per_s · prefill_s",
    source="share of time in which some prompt is prefilled",
)
def prefill_utilisation(rate_per_s: Floats, prefill_s: Floats) -> Floats:
    """At 1 prompts pile up. [1]"""
    return rate_per_s * prefill_s


@formula(
    title="Wait for prefill",
    unit="s",
    expression="poisson_wait_s · burst_factor",
    source="Pollaczek-Khinchine with Allen-Cunneen's factor",
)
def burst_wait_s(poisson_wait_s: Floats, burst_factor: Floats) -> Floats:
    """Mean wait before the first chunk. [s]"""
    return poisson_wait_s * burst_factor


@formula(
    title="Rest of the running step",
    unit="s",
    expression="max(1 - utilisation, 0) · decode_step_s / 2",
    source="engine notes, load, A3",
)
def residual_step_s(utilisation: Floats, decode_step_s: Floats) -> Floats:
    """An arrival between prefills waits half a decode step on average. [s]"""
    return np.maximum(1 - utilisation, 0.0) * decode_step_s / 2


@formula(
    title="Mean TTFT with host time",
    unit="s",
    expression="ttft_s + request_host_s + admission_s",
    source="engine facts: tokenising, scheduling, reply",
)
def ttft_with_host_s(ttft_s: Floats, request_host_s: float, admission_s: Floats) -> Floats:
    """What the client sees. [s]"""
    return ttft_s + request_host_s + admission_s


@formula(
    title="Wait for admission",
    unit="s",
    expression="late_steps · step_s",
    source="engine facts: steps that engines schedule ahead",
)
def admission_s(late_steps: float, step_s: Floats) -> Floats:
    """Mean wait until an engine takes a prompt in, beyond the rest of the running step. [s]"""
    return late_steps * step_s


def rising_latency_s(states: LoadStates, slo: Slo) -> Floats:
    """What a target limits, along the grid: what has been exceeded once stays so; infinite where nothing is known."""
    latency = states.latency_s(slo)
    return carried(np.maximum.accumulate(np.where(np.isfinite(latency), latency, np.inf), axis=0), latency)


def rising_rate_per_s(states: LoadStates) -> Floats:
    """The rates along the grid, none lower than one at less load."""
    return np.asarray(np.maximum.accumulate(states.rate_per_s, axis=0))


def highest_rate_within(
    states: LoadStates, slos: tuple[Slo, ...], latency_s: Callable[[LoadStates, Slo], Floats] = rising_latency_s
) -> tuple[Floats, NDArray[np.int64]]:
    """Largest rate at which every target holds, per candidate, and the index of the target that fails first.

    0 where a target already fails on an idle replica; between two grid points the latency is taken as linear in rate.
    `latency_s` gives what a target limits, rising along the grid.
    """
    capacity = np.where(states.utilisation < 1, states.rate_per_s, 0.0).max(axis=0)
    best, first = capacity, np.full(capacity.shape, -1)
    for index, slo in enumerate(slos):
        limit = leaf(slo.limit_s, f"{slo.metric} p{slo.percentile:g} limit", "s", "scenario: targets")
        rate = rate_at_limit_per_s(states.rate_per_s, latency_s(states, slo), limit)
        first = np.where(rate < best, index, first)
        best = lower_rate_per_s(best, rate)
    return best, first


@formula(
    title="Rate at the targets",
    unit="req/s",
    expression="min(rate_per_s, rate_at_limit_per_s)",
    source="every target must hold",
)
def lower_rate_per_s(rate_per_s: Floats, rate_at_limit_per_s: Floats) -> Floats:
    """The rate that one more target leaves. [1/s]"""
    return np.minimum(rate_per_s, rate_at_limit_per_s)


@formula(
    title="Rate at a limit",
    unit="req/s",
    expression="where latency_s, rising with rate_per_s, crosses limit_s",
    source="linear between the points of the load grid",
)
def rate_at_limit_per_s(rate: Floats, latency: Floats, limit_s: float) -> Floats:
    """Where a latency that rises along the grid crosses its limit."""
    within = latency <= limit_s
    count = within.sum(axis=0)
    columns = np.arange(rate.shape[1])
    below = np.clip(count - 1, 0, rate.shape[0] - 1)
    above = np.clip(count, 0, rate.shape[0] - 1)
    low, high = latency[below, columns], latency[above, columns]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = np.where(np.isfinite(high) & (high > low), (limit_s - low) / (high - low), 0.0)
    at = rate[below, columns] + clamped(part, 0.0, 1.0) * (rate[above, columns] - rate[below, columns])
    return np.where(count == 0, 0.0, np.where(count == rate.shape[0], rate[-1], at))


def requests_at_rate(rates: Floats, requests_per_step: Floats, rate_per_s: Floats) -> Floats:
    """Requests per step that go with one rate per candidate, read off between grid points; the last point's beyond.

    `rates` rise along the grid, see `rising_rate_per_s`.
    """
    columns = np.arange(rates.shape[1])
    above = np.clip((rates < rate_per_s).sum(axis=0), 1, rates.shape[0] - 1)
    low, high = rates[above - 1, columns], rates[above, columns]
    start, end = requests_per_step[above - 1, columns], requests_per_step[above, columns]
    with np.errstate(invalid="ignore", divide="ignore"):
        part = clamped(np.where(high > low, (rate_per_s - low) / (high - low), 0.0), 0.0, 1.0)
    below_first = rate_per_s < rates[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        scaled = requests_per_step[0] * rate_per_s / rates[0]
    return np.asarray(np.where(below_first, scaled, start + part * (end - start)))


def _spread(mean_square: float, mean: float) -> float:
    return math.sqrt(max(mean_square / mean**2 - 1.0, 0.0)) if mean > 0 else 0.0


def _prompt_spread(mix: RequestMix) -> float:
    value, share = mix.computed_bins.value, mix.computed_bins.share
    return _spread(float(share @ value**2), float(share @ value))
