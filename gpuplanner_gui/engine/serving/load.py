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
from gpuplanner_gui.engine.load.arrays import Numbers, as_floats, clamped
from gpuplanner_gui.engine.load.latency import closed_form_e2e_s, closed_form_ttft_s, itl_percentile_s
from gpuplanner_gui.engine.load.mix import RequestMix
from gpuplanner_gui.engine.load.queues import burst_wait_factor, single_server_wait_s
from gpuplanner_gui.engine.load.speculation import Speculation
from gpuplanner_gui.engine.serving.grid import CandidateStepTime
from gpuplanner_gui.engine.serving.percentiles import (
    drafted_tpot_s,
    quiet_or_busy_s,
    quiet_ttft_s,
    shorter_prompts_s,
    spread_e2e_s,
    spread_tpot_s,
    spread_ttft_s,
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


def in_steps(mix: RequestMix, speculation: Speculation | None) -> RequestMix:
    """Requests with their answers counted in steps: tokens without drafts, fewer with them."""
    if speculation is None:
        return mix
    return mix.in_steps(speculation.tokens_per_step, speculation.verified_tokens)


def token_of_step_s(step_s: Floats, speculation: Speculation | None) -> Floats:
    """Mean time per output token of steps that take so long. [s]"""
    if speculation is None:
        return step_s
    yielded = leaf(speculation.tokens_per_step, "tokens_per_step", "tok", "scenario: draft tokens and their acceptance")
    return drafted_token_s(step_s, yielded)


@formula(
    title="Time per output token with drafts",
    unit="s",
    expression="step_s / tokens_per_step",
    source="a step yields several tokens at once",
)
def drafted_token_s(step_s: Floats, tokens_per_step: float) -> Floats:
    """Mean over an answer's tokens. [s]"""
    return step_s / tokens_per_step


@formula(
    title="Sequences decoded together",
    unit="seq",
    expression="requests_per_step · answer_steps",
    source="Little's law over steps: each answer takes as many steps as it has tokens, fewer with drafts",
)
def decoding_sequences(requests_per_step: Floats, answer_steps: float) -> Floats:
    """Mean batch. [sequences]"""
    return requests_per_step * answer_steps


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


@dataclass(frozen=True)
class PromptChunks:
    """Pieces in which prompts are read: their mean number per prompt, their mean tokens, and how these vary."""

    number: float
    tokens: float
    variance: float
    """Of a chunk's tokens, over the square of their mean."""


def prompt_chunks(mix: RequestMix, token_budget: float) -> PromptChunks:
    """Prompts cut at the token budget: full chunks and a last one of what is left."""
    value, part = mix.computed_bins.value, mix.computed_bins.share
    full = np.ceil(value / token_budget) - 1.0
    last = value - full * token_budget
    number = max(float(part @ np.maximum(full + 1.0, 1.0)), 1.0)
    tokens = mix.computed_tokens / number
    square = float(part @ (full * token_budget**2 + last**2)) / number
    return PromptChunks(number, tokens, max(square / tokens**2 - 1.0, 0.0) if tokens > 0 else 0.0)


@formula(
    title="Chunks of prompts that fit in a step",
    unit="",
    expression="(token_budget - decoding_tokens) / chunk_tokens, at least 0.02",
    source="the scheduler gives prompts what decoding leaves of a step's tokens",
)
def chunks_that_fit(token_budget: float, decoding_tokens: Numbers, chunk_tokens: float) -> Floats:
    """Mean chunks that one step can take in; under 1 where decoding leaves less than a chunk. [1]"""
    return np.asarray(np.maximum((token_budget - as_floats(decoding_tokens)) / max(chunk_tokens, 1e-9), FEWEST_CHUNKS))


FEWEST_CHUNKS = 0.02
FEWEST_ARRIVING = 1e-12
"""Per step: an idle replica, on which nothing is divided by nought."""


@formula(
    title="Steps with a prefill",
    unit="",
    expression="max(1 - exp(-arriving_chunks), arriving_chunks / fitting_chunks), at most 1",
    source="arrivals at random: steps into which at least one comes; where no more than one fits, as many steps as"
    " chunks",
)
def prefilling_share(arriving_chunks: Floats, fitting_chunks: Floats) -> Floats:
    """Share of steps in which prompts are read. [1]"""
    return np.minimum(np.maximum(-np.expm1(-arriving_chunks), arriving_chunks / fitting_chunks), 1.0)


@formula(
    title="Prompts that share a step",
    unit="",
    expression="min(1 + arriving_chunks, fitting_chunks)",
    source="beside a prompt come as many others as come into any step (Poisson arrivals), if they fit",
)
def chunks_together(arriving_chunks: Floats, fitting_chunks: Floats) -> Floats:
    """Chunks in a step as one of them meets it. [1]"""
    return np.minimum(1.0 + arriving_chunks, fitting_chunks)


@formula(
    title="Mean step",
    unit="s",
    expression="(1 - prefilling_share) · decode_step_s + prefilling_share · mixed_step_s",
    source="engine notes, load, A3: steps with prompts and steps without are two kinds",
)
def mean_step_s(decode_step_s: Floats, mixed_step_s: Floats, prefilling_share: Floats) -> Floats:
    """Over all steps. [s]"""
    return np.asarray(decode_step_s + prefilling_share * (mixed_step_s - decode_step_s))


@formula(
    title="Prefill of a prompt",
    unit="s",
    expression="chunks · prompt_step_s / min(fitting_chunks, 1)",
    source="engine notes, load, A3: chunk by chunk beside the decoding batch, and beside prompts that came with it",
)
def chunked_prefill_s(chunks: float, prompt_step_s: Floats, fitting_chunks: Floats) -> Floats:
    """Time from a prompt's first chunk to its first token. [s]"""
    return chunks * prompt_step_s / np.minimum(fitting_chunks, 1.0)


@formula(
    title="Steps' time that a prompt takes",
    unit="s",
    expression="chunks · queue_step_s / fitting_chunks",
    source="prompts that fit into one step are read together, and do not queue for each other",
)
def occupied_s(chunks: float, queue_step_s: Floats, fitting_chunks: Floats) -> Floats:
    """By which a prompt delays those behind it. [s]"""
    return chunks * queue_step_s / fitting_chunks


@formula(
    title="Step of prompts that others queue for",
    unit="s",
    expression="decode_step_s + (mixed_step_s - decode_step_s) / chunks_each · chunks_ahead",
    source="most of what prompts wait for is long ones: chunks by their tokens, not by their number",
)
def queue_step_s(decode_step_s: Floats, mixed_step_s: Floats, chunks_each: Floats, chunks_ahead: Floats) -> Floats:
    """A step with so many mean chunks of prompts. [s]"""
    return np.asarray(decode_step_s + (mixed_step_s - decode_step_s) * (chunks_ahead / chunks_each))


@formula(
    title="Prefill of a class's prompts",
    unit="s",
    expression="decoding_chunks · decode_step_s + (prompt_step_s - decode_step_s) · (prompt_tokens / chunk_tokens +"
    " chunks · (prompts_together - 1)) / prompts_together",
    source="the chunks of a mean prompt, in proportion to the class's own, beside the others of the step",
)
def class_prefill_s(
    decoding_chunks: float,
    chunks: float,
    decode_step_s: Floats,
    prompt_step_s: Floats,
    prompts_together: Floats,
    prompt_tokens: float,
    chunk_tokens: float,
) -> Floats:
    """Time from the first chunk to the first token of one class among others. [s]"""
    beside = np.maximum(prompts_together, 1.0)
    part = (prompt_tokens / chunk_tokens + chunks * (beside - 1.0)) / beside
    return decoding_chunks * decode_step_s + (prompt_step_s - decode_step_s) * part


@formula(
    title="Prefill of a prompt without others",
    unit="s",
    expression="prefill_s - chunks · (prompt_step_s - decode_step_s) · (1 - 1 / prompts_together)",
    source="without the prompts that share its steps",
)
def prompt_alone_s(
    prefill_s: Floats, decode_step_s: Floats, prompt_step_s: Floats, prompts_together: Floats, chunks: float
) -> Floats:
    """Beside the decoding batch, at its own load. [s]"""
    beside = chunks * (prompt_step_s - decode_step_s) * (1.0 - 1.0 / np.maximum(prompts_together, 1.0))
    return prefill_s - beside


@formula(
    title="Prefill that goes with the prompt's length",
    unit="s",
    expression="prefill_s - decode_step_s - chunks · (prompt_step_s - decode_step_s) · (1 - 1 / prompts_together)",
    source="without the decoding of its last step, and the prompts beside it",
)
def own_prefill_s(
    prefill_s: Floats, decode_step_s: Floats, prompt_step_s: Floats, prompts_together: Floats, chunks: float
) -> Floats:
    """The part of a prompt's prefill that longer prompts have more of. [s]"""
    beside = chunks * (prompt_step_s - decode_step_s) * (1.0 - 1.0 / np.maximum(prompts_together, 1.0))
    return np.maximum(prefill_s - decode_step_s - beside, 0.0)


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
    expression="rate_per_s · occupied_s",
    source="share of what steps can read of prompts",
)
def prefill_utilisation(rate_per_s: Floats, occupied_s: Floats) -> Floats:
    """At 1 prompts pile up. [1]"""
    return rate_per_s * occupied_s


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
    title="Variance of steps",
    unit="s²",
    expression="(prefilling_share · (mixed_step_s - decode_step_s))² · (1 + chunk_variance) / arriving_chunks ·"
    " (1 - arriving_chunks / fitting_chunks) / (1 - (1 - decode_step_s / mean_step_s)² · (1 - 1 / fitting_chunks))",
    source="a step reads what came during the last one: chunks at random, more of them after a longer step; none vary"
    " where every step is full",
)
def step_variance_s2(
    decode_step_s: Floats,
    mixed_step_s: Floats,
    mean_step_s: Floats,
    prefilling_share: Floats,
    arriving_chunks: Floats,
    fitting_chunks: Floats,
    chunk_variance: float,
) -> Floats:
    """Of the time of steps; `chunk_variance` is that of chunks over the square of their mean. [s²]"""
    prompts_s = prefilling_share * (mixed_step_s - decode_step_s)
    free = np.maximum(1.0 - arriving_chunks / fitting_chunks, 0.0)
    feedback = (prompts_s / mean_step_s) ** 2 * (1.0 - 1.0 / fitting_chunks)
    return np.asarray(prompts_s * prompts_s * free * ((1.0 + chunk_variance) / arriving_chunks) / (1.0 - feedback))


@formula(
    title="Step that an arrival meets",
    unit="s",
    expression="mean_step_s + step_variance_s2 / mean_step_s",
    source="arrivals fall into long steps more often than into short ones",
)
def met_step_s(mean_step_s: Floats, step_variance_s2: Floats) -> Floats:
    """Mean over moments, not over steps. [s]"""
    return mean_step_s + step_variance_s2 / mean_step_s


@formula(
    title="Rest of the running step",
    unit="s",
    expression="max(met_step_s - waited_s, between_s) / 2",
    source="engine notes, load, A3: half of the step that runs; less what the wait for prompts ahead holds of it",
)
def rest_of_step_s(met_step_s: Floats, waited_s: Floats, between_s: Floats) -> Floats:
    """What is left on average of the step into which a prompt comes. [s]

    `waited_s` is twice the rest of a prompt's own time that the wait in the queue counts already, `between_s` the steps
    without prompts, times their share of time.
    """
    return np.asarray(0.5 * np.maximum(met_step_s - waited_s, between_s))


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
    return carried(risen(np.where(np.isfinite(latency), latency, np.inf)), latency)


def rising_rate_per_s(states: LoadStates) -> Floats:
    """The rates along the grid, none lower than one at less load."""
    return risen(states.rate_per_s)


def risen(values: Floats) -> Floats:
    """Along the grid, none lower than one before; several times faster than `numpy.maximum.accumulate`."""
    found = np.array(values)
    for row in range(1, len(found)):
        np.maximum(found[row - 1], found[row], out=found[row])
    return found


def capacity_per_s(states: LoadStates) -> Floats:
    """Rate at which prompts pile up, or at which the caps end the grid, per candidate. [1/s]"""
    return rate_at_limit_per_s(rising_rate_per_s(states), risen(states.utilisation), 1.0)


def highest_rate_within(
    states: LoadStates,
    slos: tuple[Slo, ...],
    capacity: Floats,
    latency_s: Callable[[LoadStates, Slo], Floats] = rising_latency_s,
) -> tuple[Floats, NDArray[np.int64]]:
    """Largest rate at which every target holds, per candidate, and the index of the target that fails first.

    0 where a target already fails on an idle replica; between two grid points the latency is taken as linear in rate.
    `latency_s` gives what a target limits, rising along the grid; `capacity` is `capacity_per_s`.
    """
    best, first = capacity, np.full(capacity.shape, -1)
    rates = np.minimum(states.rate_per_s, capacity)
    for index, slo in enumerate(slos):
        limit = leaf(slo.limit_s, f"{slo.metric} p{slo.percentile:g} limit", "s", "scenario: targets")
        rate = rate_at_limit_per_s(rates, latency_s(states, slo), limit)
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
    source="linear between the points of the load grid; its inverse where the upper one is infinite",
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
        part = np.where(high > low, (limit_s - low) / (high - low), 0.0)
        # Waits grow like the inverse of what is left of the capacity.
        part = np.where(np.isfinite(high), part, 1.0 - low / limit_s)
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
