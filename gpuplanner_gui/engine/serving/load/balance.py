"""Replicas in balance with their requests: the states of every candidate at given numbers of requests per step."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import carried, leaf
from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.first_token import (
    admission_s,
    burst_wait_s,
    closed_form_e2e_s,
    closed_form_ttft_s,
    end_step_s,
    full_token_s,
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
from gpuplanner_gui.engine.serving.load.states import NONE, LoadStates
from gpuplanner_gui.engine.serving.load.steps import (
    FEWEST_ARRIVING,
    MOST_READING,
    PromptChunks,
    batch_over_time,
    chunks_that_fit,
    decoding_sequences,
    held_place_s,
    in_steps,
    longer_step_s,
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


@dataclass(frozen=True)
class _Asked:
    """What is in balance with what."""

    step: DeploymentSteps
    mix: RequestMix
    answers: RequestMix
    """The requests with their answers counted in steps."""
    pieces: PromptChunks
    token_budget: float
    whole_budget: Floats
    """Tokens of a step of all groups of attention."""
    prefills_apart: bool
    decoding: Floats
    """Sequences that decode together, and"""
    held: Floats
    """requests per step that these are of."""
    context: Floats
    """Cached tokens that a step reads."""


@dataclass(frozen=True)
class _Steps:
    """Steps with prompts and steps without."""

    arriving: Floats
    """Chunks of prompts per step, and"""
    fitting: Floats
    """those that one step takes in."""
    share: Floats
    """Of the steps, those with prompts."""
    without_s: Floats
    """A decode step before its cache is read."""
    decode_s: Floats
    chunks_pass_s: Floats
    mixed_s: Floats
    mean_s: Floats
    rate_per_s: Floats
    variance_s2: Floats

    @property
    def chunks_per_mixed(self) -> Floats:
        return self.arriving / self.share


@dataclass(frozen=True)
class _Reading:
    """What reading a prompt takes."""

    free_tokens: Floats
    full_s: Floats
    full_token_s: Floats
    occupied_s: Floats
    square_s2: Floats
    prefilling: Floats
    """Share of the steps' tokens that prompts take."""
    seen_s: Floats
    """The step that an arrival meets, and"""
    between_s: Floats
    """its part without prompts."""
    joint_tokens: Floats
    others: Floats
    prompt_s: Floats
    service_s: Floats


@dataclass(frozen=True)
class _Places:
    """How long a sequence keeps its place, and how long others wait for it."""

    sequence_step_s: Floats
    batch: Floats
    waits: Floats
    """Share of the requests that find no place."""
    wait_s: Floats


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

    Arrays have the shape (points, candidates), or (candidates,) where a number has no points.

    Parameters
    ----------
    step : DeploymentSteps
        Step times; with drafts, of steps that draft and verify.
    requests_per_step : float array
        Requests that begin, and end, per step on average. [1]
    token_budget : float
        Tokens of one step; each of the `groups` of attention has its own. [tokens]
    arrival_cv : float
        Coefficient of variation of the gaps between arrivals. [1]
    prefills_apart : bool
        Prompts have steps of their own: decoding waits for them, they do not wait for it.
    most_requests : float array
        Requests per step that the caps allow. [1]
    sequences : float array, optional
        Batch, where it is not in balance with the requests: while a run begins or ends. [sequences]
    pooled_replicas : float array
        Replicas behind one router, which share their places. [1]
    is_closed : bool
        Requests come from users who wait for their answers: never more of them than there are places.

    References
    ----------
    .. [1] docs/derivations/load.md#balance-of-steps-and-requests and the sections after it.
    """
    answers, pieces = in_steps(mix, speculation), prompt_chunks(mix, token_budget)
    decoding = decoding_sequences(requests_per_step, answers.output_tokens) if sequences is None else sequences
    held = requests_per_step if sequences is None else sequences / answers.output_tokens
    asked = _Asked(
        step, mix, answers, pieces, token_budget, as_floats(token_budget * as_floats(groups)), prefills_apart, decoding,
        held, held * answers.decode_kv_token_steps,
    )  # fmt: skip
    steps = _steps(asked, requests_per_step)
    reading = _reading(asked, steps)
    queue_s = single_server_wait_s(steps.rate_per_s, reading.occupied_s, reading.square_s2)
    places = _places(asked, steps, reading, queue_s, most_requests, pooled_replicas, is_closed)
    wait_s = burst_wait_s(queue_s, places.wait_s, burst_wait_factor(arrival_cv, pieces.spread))
    return _states(asked, steps, reading, places, wait_s, admission, speculation)


def _steps(asked: _Asked, requests: Floats) -> _Steps:
    step, pieces, decoding, context = asked.step, asked.pieces, asked.decoding, asked.context
    chunks, chunk = pieces.number, pieces.tokens
    pairs = asked.mix.attention_pairs / chunks
    taken = decoding * (0.0 if asked.prefills_apart else float(asked.answers.verified_tokens))
    fitting = chunks_that_fit(asked.whole_budget, taken, chunk)
    arriving = np.maximum(requests * chunks, FEWEST_ARRIVING)
    share = prefilling_share(arriving, fitting)
    per_mixed_step = arriving / share
    without_s = step.decode_pass_s(decoding)
    decode_s = step.with_cache_s(without_s, context)
    read = context + per_mixed_step * (pairs / asked.token_budget)
    chunks_pass_s = step.prompt_pass_s(decoding, chunk * per_mixed_step)
    mixed_s = longer_step_s(step.with_cache_s(chunks_pass_s, read, pairs * per_mixed_step), decode_s)
    mean_s = mean_step_s(decode_s, mixed_s, share)
    return _Steps(
        arriving, fitting, share, without_s, decode_s, chunks_pass_s, mixed_s, mean_s,
        request_rate_per_s(requests, mean_s),
        step_variance_s2(decode_s, mixed_s, mean_s, share, arriving, fitting, pieces.variance),
    )  # fmt: skip


def _reading(asked: _Asked, steps: _Steps) -> _Reading:
    step, pieces, decoding, context = asked.step, asked.pieces, asked.decoding, asked.context
    mean, decode_s, is_apart = pieces.mean, steps.decode_s, asked.prefills_apart
    free_tokens = pieces.tokens * steps.fitting
    # Before the attention of prompts: theirs is added by their pairs, and would count twice.
    full_pass_s = longer_step_s(step.full_pass_s(decoding, asked.whole_budget), steps.chunks_pass_s)
    full_s = longer_step_s(step.with_cache_s(full_pass_s, context), decode_s)
    full_token = full_token_s(full_s - decode_s if is_apart else full_s, free_tokens)
    occupied = occupied_s(mean.tokens, full_token, mean.pairs, step.pair_s)
    square = occupied_square_s2(pieces.square_tokens, full_token, pieces.tokens_pairs, step.pair_s, pieces.square_pairs)
    prefilling = prefill_utilisation(steps.rate_per_s, occupied)
    if is_apart:
        chunk_s = (steps.mixed_s - decode_s) / steps.chunks_per_mixed
        seen_s = seen_separate_step_s(decode_s, chunk_s, np.minimum(prefilling, MOST_READING))
        between_s = (1.0 - np.minimum(prefilling, 1.0)) * decode_s
        arriving_tokens = steps.rate_per_s * seen_s * mean.tokens
    else:
        seen_s = seen_step_s(steps.mean_s, steps.variance_s2)
        between_s = (1.0 - steps.share) * decode_s * (decode_s / steps.mean_s)
        arriving_tokens = steps.arriving * pieces.tokens * (seen_s / steps.mean_s)
    joint = tokens_together(mean.last_tokens, arriving_tokens, free_tokens)
    others = np.maximum(joint - mean.last_tokens, 0.0)
    prompt_s = longer_step_s(step.with_cache_s(step.prompt_pass_s(decoding, joint), context), decode_s)
    full_s = longer_step_s(full_s, prompt_s)
    end_s = end_step_s(
        mean.within_tokens + others, mean.beyond_tokens, joint, decode_s, prompt_s, full_s, free_tokens
    )  # fmt: skip
    service_s = prefill_s(
        mean.full_tokens, full_token, end_s - decode_s if is_apart else end_s, mean.last_tokens, free_tokens,
        mean.pairs, others * pieces.pairs_per_token, step.pair_s,
    )  # fmt: skip
    return _Reading(
        free_tokens, full_s, full_token, occupied, square, prefilling, seen_s, between_s, joint, others, prompt_s,
        service_s,
    )  # fmt: skip


def _places(
    asked: _Asked, steps: _Steps, reading: _Reading, queue_s: Floats, most_requests: Numbers, pooled_replicas: Numbers,
    is_closed: bool,
) -> _Places:  # fmt: skip
    step, decoding, tokens = asked.step, asked.decoding, asked.answers.output_tokens
    per_sequence = asked.answers.decode_kv_token_steps / at_least(tokens, 1e-9)
    places = decoding_sequences(as_floats(most_requests), tokens)
    # A sequence joins those that decode, where the caps leave it a place beside them.
    joined = np.minimum(decoding + 1.0, np.maximum(places, decoding))
    own_s = step.decode_pass_s(joined) - steps.without_s + step.cache_token_s * per_sequence
    prompts_time = prompts_share(steps.decode_s, steps.mean_s)
    behind = prompts_behind_s(
        reading.service_s, queue_s, steps.mean_s, reading.prompt_s, asked.pieces.number, prompts_time
    )
    sees_s = sequence_step_s(
        steps.mean_s, own_s, behind, prompts_time, reading.prompt_s, tokens, decoding, places
    )  # fmt: skip
    batch = batch_over_time(decoding, sees_s, steps.mean_s)
    if is_closed:
        return _Places(sees_s, batch, NONE, NONE)
    # Where prompts fill half of the time or more, a full replica's steps are theirs, and `sees_s` tells of them.
    decodes = at_least(1.0 - 2.0 * prompts_time, 0.0)
    full_s = sees_s + decodes * (_full_step_s(asked, most_requests) - sees_s)
    held_s = held_place_s(sees_s, full_s, at_least(tokens - 1.0, 0.0), reading.service_s, places)
    in_use = places_in_use(steps.rate_per_s, held_s, places)
    spread = relative_spread(asked.mix.output_squared, asked.mix.output_tokens)
    if np.any(np.asarray(pooled_replicas) > 1):
        shared = np.maximum(np.floor(places * pooled_replicas), 1.0)
        waits = erlang_delay_share(shared, np.minimum(in_use, 1.0) * shared)
        return _Places(sees_s, batch, waits, pooled_place_wait_s(waits, held_s, spread, in_use, shared))
    return _Places(sees_s, batch, np.minimum(in_use, 1.0), place_wait_s(held_s, spread, in_use, places))


def _full_step_s(asked: _Asked, most_requests: Numbers) -> Floats:
    """Mean step with every place taken; without caps some step. [s]"""
    most = np.broadcast_to(as_floats(most_requests), np.shape(asked.decoding)[-1:])
    capped = np.where(np.isfinite(most), most, 1.0)
    places = decoding_sequences(capped, asked.answers.output_tokens)
    context = capped * asked.answers.decode_kv_token_steps
    return _steps(replace(asked, decoding=places, held=capped, context=context), capped).mean_s


def _states(
    asked: _Asked, steps: _Steps, reading: _Reading, places: _Places, wait_s: Floats, admission: Admission,
    speculation: Speculation | None,
) -> LoadStates:  # fmt: skip
    step, mix, last = asked.step, asked.mix, asked.pieces.mean
    rest_s = rest_of_step_s(
        reading.seen_s, steps.rate_per_s * reading.square_s2, reading.between_s, asked.decoding
    )  # fmt: skip
    late_s = admission_s(leaf(admission.late_steps, "late_steps", "", "engine facts"), places.sequence_step_s)
    further, token_s = np.atleast_2d(step.further_stages), np.atleast_2d(step.prompt_token_s)
    fill_s = pipeline_fill_s(further, last.last_tokens, token_s, last.last_pairs, step.pair_s)
    ttft_s = ttft_with_host_s(closed_form_ttft_s(reading.service_s + fill_s, wait_s, rest_s), admission.host_s, late_s)
    return LoadStates(
        rate_per_s=steps.rate_per_s,
        step_s=places.sequence_step_s,
        mean_step_s=steps.mean_s,
        empty_step_s=np.minimum(step.step_time_s(np.ones_like(asked.decoding[:1]), 0.0, 0.0), steps.mean_s),
        decode_step_s=steps.decode_s,
        mixed_step_s=steps.mixed_s,
        mixed_share=steps.share,
        batch=places.batch,
        cached_tokens=asked.held * asked.answers.kv_token_steps(asked.token_budget),
        prompt_step_s=reading.prompt_s,
        step_tokens=reading.joint_tokens,
        others_tokens=reading.others,
        full_step_s=reading.full_s,
        room_tokens=reading.free_tokens,
        full_token_s=reading.full_token_s,
        pair_s=carried(np.atleast_2d(step.pair_s), step.pair_s),
        prefill_s=reading.service_s,
        further_stages=further,
        prompt_token_s=token_s,
        token_host_s=np.broadcast_to(admission.token_host_s, token_s.shape),
        occupied_s=reading.occupied_s,
        occupied_square_s2=reading.square_s2,
        wait_s=wait_s,
        rest_s=rest_s,
        step_sd_s=np.sqrt(steps.variance_s2),
        utilisation=np.maximum(reading.prefilling, places.waits),
        ttft_mean_s=ttft_s,
        e2e_mean_s=closed_form_e2e_s(ttft_s, mix.output_tokens, token_of_step_s(places.sequence_step_s, speculation)),
        output_spread=relative_spread(mix.output_squared, mix.output_tokens),
        output_tokens=mix.output_tokens,
        prompts=asked.pieces,
        token_budget=float(asked.token_budget),
        prefills_apart=asked.prefills_apart,
        speculation=speculation,
    )
