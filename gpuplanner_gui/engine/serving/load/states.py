"""Latency of serving candidates against load: every candidate on the same grid of load, in closed form.

The grid runs over requests per step, from almost idle to the tightest cap; the request rate follows from the step time,
so that no equation has to be solved. What is asked at a given rate is read off between two grid points.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.explaining.formula import carried, leaf
from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.first_token import (
    admission_s,
    burst_wait_s,
    class_ttft_s,
    closed_form_e2e_s,
    closed_form_ttft_s,
    end_step_s,
    full_token_s,
    itl_percentile_s,
    occupied_s,
    occupied_square_s2,
    pipeline_fill_s,
    place_wait_s,
    pooled_place_wait_s,
    prefill_s,
    prefill_utilisation,
    rest_of_step_s,
    tokens_together,
    ttft_with_host_s,
)
from gpuplanner_gui.engine.serving.load.percentiles import (
    drafted_tpot_s,
    low_percentile_ttft_s,
    quiet_ttft_s,
    spread_by_prompts_s,
    spread_e2e_s,
    spread_tpot_s,
    spread_ttft_s,
)
from gpuplanner_gui.engine.serving.load.steps import (
    FEWEST_ARRIVING,
    MOST_READING,
    Prompt,
    PromptChunks,
    batch_over_time,
    chunks_that_fit,
    decoding_sequences,
    in_steps,
    longer_step_s,
    longest_step_s,
    mean_step_s,
    places_in_use,
    prefilling_share,
    prompt_chunks,
    prompts_behind_s,
    prompts_share,
    relative_spread,
    request_rate_per_s,
    seen_separate_step_s,
    seen_step_s,
    sequence_step_s,
    step_variance_s2,
    token_of_step_s,
)
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, at_least
from gpuplanner_gui.engine.simulation.queues import burst_wait_factor, erlang_delay_share, single_server_wait_s
from gpuplanner_gui.engine.simulation.requests import RequestMix
from gpuplanner_gui.engine.simulation.step_time import Speculation

NONE = as_floats(0.0)

LOAD_GRID = np.array([0.005, 0.02, 0.05, 0.1, 0.17, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.84, 0.91, 0.96, 1.0])
"""Requests per step over the most that the caps allow."""


@dataclass(frozen=True)
class ClassLengths:
    """Means and spreads of one class of requests, among others that it shares a replica with."""

    prompts: RequestMix = field(compare=False)
    output_tokens: float = field(compare=False)
    output_spread: float = field(compare=False)
    lengths: tuple[float, ...]
    """Prompt lengths of the class and their shares, and moments of its answers: what classes differ by."""


class ClassSlo(Slo, frozen=True, kw_only=True):
    """A target of one class of requests whose lengths are not those of all."""

    lengths: ClassLengths


def lengths_of(mix: RequestMix) -> ClassLengths:
    """What a class's own latencies follow from."""
    bins = mix.computed_bins
    spread = relative_spread(mix.output_squared, mix.output_tokens)
    lengths = (*bins.value.tolist(), *bins.share.tolist(), mix.attention_pairs, mix.output_tokens, spread)
    return ClassLengths(mix, mix.output_tokens, spread, lengths)


@dataclass(frozen=True)
class LoadStates:
    """Latency and occupancy at each point of the grid, shape (points, candidates)."""

    rate_per_s: Floats
    step_s: Floats
    """Mean over the steps of an answer,"""
    mean_step_s: Floats
    """and over all of the replica's."""
    empty_step_s: Floats
    """A step for a single token."""
    decode_step_s: Floats
    mixed_step_s: Floats
    mixed_share: Floats
    batch: Floats
    cached_tokens: Floats
    prompt_step_s: Floats
    """A step with a mean prompt's end and those that came at the same time, before their attention,"""
    step_tokens: Floats
    """with so many tokens of prompts, of which"""
    others_tokens: Floats
    """are others'."""
    full_step_s: Floats
    """A step that prompts fill, likewise, and"""
    room_tokens: Floats
    """their tokens in it."""
    full_token_s: Floats
    """Time of each of these."""
    pair_s: Floats
    """Time of a pair of query and key in prompts' attention."""
    prefill_s: Floats
    further_stages: Floats
    """Pipeline stages beyond the first, and"""
    prompt_token_s: Floats
    """what a token of a prompt adds to a step."""
    occupied_s: Floats
    """Time that a prompt takes of the steps' tokens, which prompts of one step share,"""
    occupied_square_s2: Floats
    """and its mean square."""
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
    output_tokens: float
    prompts: PromptChunks
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
        prompts = prompt_chunks(lengths.prompts, self.token_budget, self.prompts.mean_last_tokens)
        prefill = self.read_s(prompts.mean)
        ttft = class_ttft_s(self.ttft_mean_s, prefill + self.fill_s(prompts.mean), self._first_read_s)
        return replace(
            self,
            prompts=prompts,
            prefill_s=prefill,
            ttft_mean_s=ttft,
            e2e_mean_s=closed_form_e2e_s(ttft, lengths.output_tokens, self.token_s),
            output_spread=lengths.output_spread,
            output_tokens=lengths.output_tokens,
        )

    def read_s(self, prompt: Prompt, is_alone: bool = False) -> Floats:
        """Time from a prompt's first chunk to its first token, beside others or alone. [s]"""
        within = as_floats(prompt.within_tokens) if is_alone else prompt.within_tokens + self.others_tokens
        end_s = end_step_s(
            within, prompt.beyond_tokens, self.step_tokens, self.decode_step_s, self.prompt_step_s, self.full_step_s,
            self.room_tokens,
        )  # fmt: skip
        if self.prefills_apart:
            end_s = end_s - self.decode_step_s
        others = NONE if is_alone else self.others_tokens * self.prompts.pairs_per_token
        return prefill_s(
            prompt.full_tokens, self.full_token_s, end_s, prompt.last_tokens, self.room_tokens, prompt.pairs, others,
            self.pair_s,
        )  # fmt: skip

    def fill_s(self, prompt: Prompt) -> Floats:
        """Extra time that the last chunk of a prompt takes through the further pipeline stages. [s]"""
        return pipeline_fill_s(
            self.further_stages, prompt.last_tokens, self.prompt_token_s, prompt.last_pairs, self.pair_s
        )

    @property
    def _first_read_s(self) -> Floats:
        """Prefill of a mean prompt until its first token is there. [s]"""
        return np.asarray(self.prefill_s + self.fill_s(self.prompts.mean))

    @property
    def prompt_alone_s(self) -> Floats:
        """Prefill of a mean prompt beside the decoding batch, without other prompts. [s]"""
        return self.read_s(self.prompts.mean, is_alone=True)

    def waiting(self, wait_s: Floats) -> LoadStates:
        """The same with another wait before the first chunk."""
        known = np.isfinite(self.wait_s)
        before = np.where(known, self.wait_s, 0.0)
        ttft = np.where(known, self.ttft_mean_s, self._first_read_s + self.rest_s) - before + wait_s
        return replace(
            self, wait_s=wait_s, ttft_mean_s=ttft, e2e_mean_s=closed_form_e2e_s(ttft, self.output_tokens, self.token_s)
        )

    def first_point(self) -> LoadStates:
        """The lowest load of the grid alone."""
        first: dict[str, Any] = {name: one[:1] for name, one in vars(self).items() if isinstance(one, np.ndarray)}
        return replace(self, **first)

    def tpot_s(self, percentile: float) -> Floats:
        """Percentile over requests of a request's mean time per output token. [s]"""
        drafts = self.speculation
        steps = self.output_tokens if drafts is None else self.output_tokens / drafts.tokens_per_step
        spread = spread_by_prompts_s(
            self.mean_step_s, self.decode_step_s, self.rate_per_s, self.occupied_square_s2, self.step_s,
            self.output_spread, steps,
        )  # fmt: skip
        longest = longest_step_s(self.full_step_s, self.room_tokens, self.prompts.pairs_per_token, self.pair_s)
        of_steps_s = spread_tpot_s(
            self.step_s, self.empty_step_s, self.decode_step_s, self.mean_step_s, spread, longest, self.batch,
            percentile,
        )  # fmt: skip
        if drafts is None:
            return of_steps_s
        return drafted_tpot_s(
            of_steps_s, self.step_s, drafts.tokens_per_step, drafts.spread, self.output_tokens, percentile
        )

    def ttft_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time to first token. [s]"""
        prompt = self.prompts.at(percentile)
        fill_s, mean_read_s = self.fill_s(prompt), self._first_read_s
        read = self.read_s(prompt) + fill_s
        found = spread_ttft_s(
            self.ttft_mean_s, mean_read_s, read, self.wait_s, self.rest_s, self.step_sd_s, self.utilisation,
            percentile,
        )  # fmt: skip
        if percentile > 50:
            return found
        quiet = quiet_ttft_s(
            self.ttft_mean_s, self.wait_s, mean_read_s, self.read_s(prompt, is_alone=True) + fill_s, self.rest_s,
            self.decode_step_s, self.batch,
        )  # fmt: skip
        return low_percentile_ttft_s(
            quiet, found, self.mixed_share, self.decode_step_s, self.mean_step_s, self.batch, percentile
        )

    def e2e_s(self, percentile: float) -> Floats:
        """Percentile over requests of the time from request to last token. [s]"""
        return spread_e2e_s(
            self.e2e_mean_s, self.ttft_s(percentile), self.ttft_mean_s, self.token_s, self.tpot_s(percentile),
            self.output_tokens, self.output_spread, percentile,
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
    step: DeploymentSteps,
    requests_per_step: Floats,
    mix: RequestMix,
    token_budget: float,
    arrival_cv: float,
    admission: Admission,
    prefills_apart: bool = False,
    speculation: Speculation | None = None,
    most_requests: Numbers = math.inf,
    sequences: Floats | None = None,
    pooled_replicas: Numbers = 1.0,
    is_closed: bool = False,
    groups: Numbers = 1.0,
) -> LoadStates:
    """Every candidate at given numbers of requests per step.

    Parameters
    ----------
    step : DeploymentSteps
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
    most_requests : float array, shape (candidates,), optional
        Requests per step that the caps allow. [1]
    sequences : float array, shape (points, candidates), optional
        Batch, where it is not in balance with the requests: while a run begins or ends. [sequences]
    pooled_replicas : float array, shape (deployments,), optional
        Replicas behind one router, which share their places. [1]
    is_closed : bool
        Requests come from users who wait for their answers: never more of them than there are places.
    groups : float array, shape (deployments,), optional
        Of attention, each with a token budget of its own. [1]
    speculation : Speculation, optional
        Drafts: answers then count in steps, and `step` is that of steps which draft and verify.

    References
    ----------
    .. [1] docs/derivations/load.md#balance-of-steps-and-requests and the sections after it.
    """
    requests, answers = requests_per_step, in_steps(mix, speculation)
    pieces = prompt_chunks(mix, token_budget)
    chunks, chunk = pieces.number, pieces.tokens
    pairs = mix.attention_pairs / chunks
    decoding = decoding_sequences(requests, answers.output_tokens) if sequences is None else sequences
    held = requests if sequences is None else sequences / answers.output_tokens
    context = held * answers.decode_kv_token_steps
    taken = decoding * (0.0 if prefills_apart else float(answers.verified_tokens))
    whole_budget = as_floats(token_budget * as_floats(groups))
    fitting = chunks_that_fit(whole_budget, taken, chunk)
    arriving = np.maximum(requests * chunks, FEWEST_ARRIVING)
    share = prefilling_share(arriving, fitting)
    chunks_per_mixed_step = arriving / share
    without_s = step.decode_pass_s(decoding)
    decode_s = step.with_cache_s(without_s, context)
    read = context + chunks_per_mixed_step * (pairs / token_budget)
    chunks_pass_s = step.prompt_pass_s(decoding, chunk * chunks_per_mixed_step)
    mixed_s = longer_step_s(step.with_cache_s(chunks_pass_s, read, pairs * chunks_per_mixed_step), decode_s)
    mean_s = mean_step_s(decode_s, mixed_s, share)
    rate = request_rate_per_s(requests, mean_s)
    variance = step_variance_s2(decode_s, mixed_s, mean_s, share, arriving, fitting, pieces.variance)
    seen_s = seen_step_s(mean_s, variance)
    between = (1.0 - share) * decode_s * (decode_s / mean_s)
    free_tokens = chunk * fitting
    # Before the attention of prompts: theirs is added by their pairs, and would count twice.
    full_pass_s = longer_step_s(step.full_pass_s(decoding, whole_budget), chunks_pass_s)
    full_s = longer_step_s(step.with_cache_s(full_pass_s, context), decode_s)
    full_token = full_token_s(full_s - decode_s if prefills_apart else full_s, free_tokens)
    occupied = occupied_s(pieces.mean.tokens, full_token, pieces.mean.pairs, step.pair_s)
    square = occupied_square_s2(pieces.square_tokens, full_token, pieces.tokens_pairs, step.pair_s, pieces.square_pairs)
    prefilling = prefill_utilisation(rate, occupied)
    if prefills_apart:
        chunk_s = (mixed_s - decode_s) / chunks_per_mixed_step
        seen_s = seen_separate_step_s(decode_s, chunk_s, np.minimum(prefilling, MOST_READING))
        between = (1.0 - np.minimum(prefilling, 1.0)) * decode_s
    arriving_tokens = rate * seen_s * pieces.mean.tokens if prefills_apart else arriving * chunk * (seen_s / mean_s)
    joint_prompt_tokens = tokens_together(pieces.mean.last_tokens, arriving_tokens, free_tokens)
    others = np.maximum(joint_prompt_tokens - pieces.mean.last_tokens, 0.0)
    within = pieces.mean.within_tokens + others
    prompt_s = longer_step_s(step.with_cache_s(step.prompt_pass_s(decoding, joint_prompt_tokens), context), decode_s)
    full_s = longer_step_s(full_s, prompt_s)
    end_s = end_step_s(within, pieces.mean.beyond_tokens, joint_prompt_tokens, decode_s, prompt_s, full_s, free_tokens)
    service = prefill_s(
        pieces.mean.full_tokens, full_token, end_s - decode_s if prefills_apart else end_s, pieces.mean.last_tokens,
        free_tokens, pieces.mean.pairs, others * pieces.pairs_per_token, step.pair_s,
    )  # fmt: skip
    queue_s = single_server_wait_s(rate, occupied, square)
    tokens = answers.output_tokens
    per_sequence = answers.decode_kv_token_steps / at_least(tokens, 1e-9)
    own_s = step.decode_pass_s(decoding + 1.0) - without_s + step.cache_token_s * per_sequence
    prompts_time_share = prompts_share(decode_s, mean_s)
    behind = prompts_behind_s(service, queue_s, mean_s, prompt_s, chunks, prompts_time_share)
    places = decoding_sequences(as_floats(most_requests), tokens)
    sequence_sees_s = sequence_step_s(mean_s, own_s, behind, prompts_time_share, prompt_s, tokens, decoding, places)
    batch = batch_over_time(decoding, sequence_sees_s, mean_s)
    in_use = places_in_use(batch, rate, service, places)
    output_spread = relative_spread(mix.output_squared, mix.output_tokens)
    held_s = tokens * sequence_sees_s + service
    if is_closed:
        waits, place_s = NONE, NONE
    elif np.any(np.asarray(pooled_replicas) > 1):
        shared = np.maximum(np.floor(places * pooled_replicas), 1.0)
        waits = erlang_delay_share(shared, np.minimum(in_use, 1.0) * shared)
        place_s = pooled_place_wait_s(waits, held_s, output_spread, in_use, shared)
    else:
        waits = np.minimum(in_use, 1.0)
        place_s = place_wait_s(held_s, output_spread, in_use, places)
    utilisation = np.maximum(prefilling, waits)
    wait = burst_wait_s(queue_s, place_s, burst_wait_factor(arrival_cv, pieces.spread))
    rest = rest_of_step_s(seen_s, rate * square, between, decoding)
    late_s = admission_s(leaf(admission.late_steps, "late_steps", "", "engine facts"), sequence_sees_s)
    further, token_s = np.atleast_2d(step.further_stages), np.atleast_2d(step.prompt_token_s)
    fill_s = pipeline_fill_s(further, pieces.mean.last_tokens, token_s, pieces.mean.last_pairs, step.pair_s)
    ttft = ttft_with_host_s(closed_form_ttft_s(service + fill_s, wait, rest), admission.host_s, late_s)
    return LoadStates(
        rate_per_s=rate,
        step_s=sequence_sees_s,
        mean_step_s=mean_s,
        empty_step_s=np.minimum(step.step_time_s(np.ones_like(decoding[:1]), 0.0, 0.0), mean_s),
        decode_step_s=decode_s,
        mixed_step_s=mixed_s,
        mixed_share=share,
        batch=batch,
        cached_tokens=held * answers.kv_token_steps(token_budget),
        prompt_step_s=prompt_s,
        step_tokens=joint_prompt_tokens,
        others_tokens=others,
        full_step_s=full_s,
        room_tokens=free_tokens,
        full_token_s=full_token,
        pair_s=carried(np.atleast_2d(step.pair_s), step.pair_s),
        prefill_s=service,
        further_stages=further,
        prompt_token_s=token_s,
        occupied_s=occupied,
        occupied_square_s2=square,
        wait_s=wait,
        rest_s=rest,
        step_sd_s=np.sqrt(variance),
        utilisation=utilisation,
        ttft_mean_s=ttft,
        e2e_mean_s=closed_form_e2e_s(ttft, mix.output_tokens, token_of_step_s(sequence_sees_s, speculation)),
        output_spread=output_spread,
        output_tokens=mix.output_tokens,
        prompts=pieces,
        token_budget=float(token_budget),
        prefills_apart=prefills_apart,
        speculation=speculation,
    )
