"""Latency of serving candidates against load: every candidate on the same grid of load, in closed form.

The grid runs over requests per step, from almost idle to the tightest cap; the request rate follows from the step time,
so that no equation has to be solved. What is asked at a given rate is read off between two grid points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.admission import Admission
from gpuplanner_gui.engine.formula import leaf
from gpuplanner_gui.engine.load.latency import closed_form_e2e_s, closed_form_ttft_s, itl_percentile_s
from gpuplanner_gui.engine.load.mix import RequestMix
from gpuplanner_gui.engine.load.queues import burst_wait_factor, single_server_wait_s
from gpuplanner_gui.engine.load.speculation import Speculation
from gpuplanner_gui.engine.serving.grid import CandidateStepTime
from gpuplanner_gui.engine.serving.load.first_token import (
    admission_s,
    burst_wait_s,
    chunked_prefill_s,
    class_prefill_s,
    class_ttft_s,
    occupied_s,
    own_prefill_s,
    prefill_utilisation,
    prompt_alone_s,
    queue_step_s,
    rest_of_step_s,
    ttft_with_host_s,
)
from gpuplanner_gui.engine.serving.load.percentiles import (
    drafted_tpot_s,
    quiet_or_busy_s,
    quiet_ttft_s,
    shorter_prompts_s,
    spread_e2e_s,
    spread_tpot_s,
    spread_ttft_s,
)
from gpuplanner_gui.engine.serving.load.steps import (
    FEWEST_ARRIVING,
    chunks_that_fit,
    chunks_together,
    decoding_sequences,
    in_steps,
    longer_step_s,
    mean_step_s,
    met_step_s,
    prefilling_share,
    prompt_chunks,
    request_rate_per_s,
    step_variance_s2,
    token_of_step_s,
)

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
    prompt_step_s: Floats
    """A step as the prompts in it meet it: with those that came at the same time."""
    prompts_together: Floats
    """Chunks of prompts in such a step,"""
    chunks_each: Floats
    """in the mean step with any, and"""
    chunks_fitting: Floats
    """in a full one."""
    prefill_s: Floats
    occupied_s: Floats
    """Time that a prompt takes of the steps' tokens, which prompts of one step share."""
    wait_s: Floats
    rest_s: Floats
    """Mean rest of the step that a prompt arrives in."""
    step_sd_s: Floats
    """Standard deviation of steps, over those with prompts and those without."""
    utilisation: Floats
    ttft_mean_s: Floats
    e2e_mean_s: Floats
    output_spread: float
    """Standard deviation of the answer's length over its mean."""
    prompt_spread: float
    output_tokens: float
    chunks: float
    """Steps that a mean prompt takes, and"""
    chunk_tokens: float
    """its tokens in each."""
    token_budget: float
    prefills_apart: bool = False
    speculation: Speculation | None = None
    """Drafts, with which a step yields several tokens; None: one."""

    @property
    def token_s(self) -> Floats:
        """Mean time per output token: that of a step without drafts. [s]"""
        return token_of_step_s(self.step_s, self.speculation)

    def of_class(self, lengths: ClassLengths) -> LoadStates:
        """The same replica, steps and wait, as requests of one of its classes meet them."""
        chunks = max(1.0, math.ceil(lengths.computed_tokens / self.token_budget))
        decoding = 0.0 if self.prefills_apart else chunks
        prefill = class_prefill_s(
            decoding, chunks, self.decode_step_s, self.prompt_step_s, self.prompts_together, lengths.computed_tokens,
            self.chunk_tokens,
        )  # fmt: skip
        ttft = class_ttft_s(self.ttft_mean_s, prefill, self.prefill_s)
        return replace(
            self,
            chunks=chunks,
            prefill_s=prefill,
            ttft_mean_s=ttft,
            e2e_mean_s=closed_form_e2e_s(ttft, lengths.output_tokens, self.token_s),
            output_spread=lengths.output_spread,
            prompt_spread=lengths.prompt_spread,
            output_tokens=lengths.output_tokens,
        )

    @property
    def prompt_alone_s(self) -> Floats:
        """Prefill of a mean prompt beside the decoding batch, without other prompts. [s]"""
        return prompt_alone_s(
            self.prefill_s, self.decode_step_s, self.prompt_step_s, self.prompts_together, self.chunks
        )

    @property
    def drained_s(self) -> Floats:
        """By which a prompt delays those behind it while prompts pile up, and every step is full of them. [s]"""
        full_s = queue_step_s(self.decode_step_s, self.mixed_step_s, self.chunks_each, self.chunks_fitting)
        return occupied_s(
            self.chunks, full_s - self.decode_step_s if self.prefills_apart else full_s, self.chunks_fitting
        )

    def first_point(self) -> LoadStates:
        """The lowest load of the grid alone."""
        columns: dict[str, Any] = {part.name: getattr(self, part.name) for part in fields(self)}
        first: dict[str, Any] = {name: one[:1] for name, one in columns.items() if isinstance(one, np.ndarray)}
        return replace(self, **first)

    def tpot_s(self, percentile: float) -> Floats:
        """Percentile over requests of a request's mean time per output token. [s]"""
        drafts = self.speculation
        steps = self.output_tokens if drafts is None else self.output_tokens / drafts.tokens_per_step
        of_steps_s = spread_tpot_s(
            self.step_s,
            self.empty_step_s,
            self.decode_step_s,
            self.mixed_step_s,
            self.mixed_share,
            self.batch,
            steps,
            percentile,
        )
        if drafts is None:
            return of_steps_s
        return drafted_tpot_s(
            of_steps_s, self.step_s, drafts.tokens_per_step, drafts.spread, self.output_tokens, percentile
        )

    def ttft_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time to first token. [s]"""
        own = own_prefill_s(self.prefill_s, self.decode_step_s, self.prompt_step_s, self.prompts_together, self.chunks)
        found = spread_ttft_s(
            self.ttft_mean_s, own, self.wait_s, self.rest_s, self.step_sd_s, self.utilisation, self.prompt_spread,
            percentile,
        )  # fmt: skip
        if percentile > 50:
            return found
        alone = quiet_ttft_s(
            self.ttft_mean_s, self.wait_s, self.rest_s, self.prefill_s, self.prompt_alone_s, self.decode_step_s
        )
        alone = shorter_prompts_s(alone, own, self.prompt_spread, percentile)
        return quiet_or_busy_s(alone, found, self.mixed_share, self.decode_step_s, self.step_s, percentile)

    def e2e_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time from request to last token. [s]"""
        return spread_e2e_s(
            self.e2e_mean_s, self.ttft_s(percentile), self.ttft_mean_s, self.token_s, self.output_tokens,
            self.output_spread, percentile,
        )  # fmt: skip

    def itl_s(self, percentile: float) -> Floats:
        """Percentile of the gap between what a client gets and gets next: a step with prefill or one without. [s]

        With drafts, tokens that come with a step come at once and count as one, as vLLM's benchmark counts them.
        """
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
    speculation: Speculation | None = None,
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
    speculation : Speculation, optional
        Drafts: answers then count in steps, and `step` is that of steps which draft and verify.

    References
    ----------
    .. [1] engine notes, load: A2 and A3 (balance of iteration time; TTFT, ITL and E2E).
    """
    requests, answers = requests_per_step, in_steps(mix, speculation)
    pieces = prompt_chunks(mix, token_budget)
    chunks, chunk = pieces.number, pieces.tokens
    pairs = mix.attention_pairs / chunks
    decoding = decoding_sequences(requests, answers.output_tokens)
    context = requests * answers.decode_kv_token_steps
    taken = 0.0 if prefills_apart else decoding * float(answers.verified_tokens)
    fitting = chunks_that_fit(token_budget, taken, chunk)
    arriving = np.maximum(requests * chunks, FEWEST_ARRIVING)
    share = prefilling_share(arriving, fitting)
    each = arriving / share
    without_s = step.weights_pass_s(decoding)
    decode_s = step.with_cache_s(without_s, decoding, 0.0, context)
    read = context + each * (pairs / token_budget)
    mixed_s = longer_step_s(step.with_cache_s(without_s, decoding, chunk * each, read, pairs * each), decode_s)
    mean_s = mean_step_s(decode_s, mixed_s, share)
    rate = request_rate_per_s(requests, mean_s)
    variance = step_variance_s2(decode_s, mixed_s, mean_s, share, arriving, fitting, pieces.variance)
    met_s = met_step_s(mean_s, variance)
    together = chunks_together(arriving * (met_s / mean_s), fitting)
    prompt_s = longer_step_s(
        step.with_cache_s(without_s, decoding, chunk * together, context, pairs * together), decode_s
    )
    service = chunked_prefill_s(chunks, prompt_s - decode_s if prefills_apart else prompt_s, fitting)
    queue_s = queue_step_s(decode_s, mixed_s, each, np.minimum(together + pieces.variance, fitting))
    occupied = occupied_s(chunks, queue_s - decode_s if prefills_apart else queue_s, fitting)
    spread = _prompt_spread(mix)
    utilisation = prefill_utilisation(rate, occupied)
    wait = burst_wait_s(
        single_server_wait_s(rate, occupied, occupied**2 * (1 + spread**2)), burst_wait_factor(arrival_cv, spread)
    )
    between = (1.0 - share) * decode_s * (decode_s / mean_s)
    rest = rest_of_step_s(met_s, utilisation * occupied * (1 + spread**2), between)
    late_s = admission_s(leaf(admission.late_steps, "late_steps", "", "engine facts"), mean_s)
    ttft = ttft_with_host_s(closed_form_ttft_s(service, wait, rest), admission.host_s, late_s)
    return LoadStates(
        rate_per_s=rate,
        step_s=mean_s,
        empty_step_s=np.minimum(step.step_time_s(np.ones_like(decoding[:1]), 0.0, 0.0), mean_s),
        decode_step_s=decode_s,
        mixed_step_s=mixed_s,
        mixed_share=share,
        batch=decoding,
        cached_tokens=requests * answers.kv_token_steps(token_budget),
        prompt_step_s=prompt_s,
        prompts_together=together,
        chunks_each=each,
        chunks_fitting=fitting,
        prefill_s=service,
        occupied_s=occupied,
        wait_s=wait,
        rest_s=rest,
        step_sd_s=np.sqrt(variance),
        utilisation=utilisation,
        ttft_mean_s=ttft,
        e2e_mean_s=closed_form_e2e_s(ttft, mix.output_tokens, token_of_step_s(mean_s, speculation)),
        output_spread=_spread(mix.output_squared, mix.output_tokens),
        prompt_spread=spread,
        output_tokens=mix.output_tokens,
        chunks=chunks,
        chunk_tokens=chunk,
        token_budget=float(token_budget),
        prefills_apart=prefills_apart,
        speculation=speculation,
    )


def _spread(mean_square: float, mean: float) -> float:
    return math.sqrt(max(mean_square / mean**2 - 1.0, 0.0)) if mean > 0 else 0.0


def _prompt_spread(mix: RequestMix) -> float:
    value, share = mix.computed_bins.value, mix.computed_bins.share
    return _spread(float(share @ value**2), float(share @ value))
