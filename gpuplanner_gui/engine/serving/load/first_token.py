"""What a prompt waits for: those before it, the rest of the running step, its own prefill, the host."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, quotient

NEARLY_FULL = 1.0 - 1e-9
"""Utilisation from which a queue counts as full."""


@formula(
    title="Mean TTFT",
    unit="s",
    expression="prefill_s + wait_s + residual_s;  residual_s = (1 − prefill utilisation)·decode step/2",
    source="M/G/1 prefill beside a decoding batch",
)
def closed_form_ttft_s(prefill_s: Numbers, wait_s: Numbers, residual_s: Numbers) -> Floats:
    """Mean time to first token: the request's own prefill, the wait, and what is left of the step it arrives in. [s]"""
    return as_floats(prefill_s) + wait_s + residual_s


@formula(
    title="Mean E2E latency",
    unit="s",
    expression="ttft_s + (output_tokens − 1)·step_time_s",
    source="one token per step after the first",
)
def closed_form_e2e_s(ttft_s: Numbers, output_tokens: Numbers, step_time_s: Numbers) -> Floats:
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
) -> Floats:
    """Percentile over all tokens of the time between tokens; per-request averages (TPOT) spread far less. [s]

    `percentile` is a share, 0.99 for p99.
    """
    return np.where(as_floats(percentile) <= 1 - as_floats(mixed_share), decode_step_s, mixed_step_s)


@formula(
    title="Time of a prompt token in a full step",
    unit="s",
    expression="full_step_s / room_tokens",
    source="while prompts wait, steps read as many of their tokens as decoding leaves",
)
def full_token_s(full_step_s: Floats, room_tokens: Floats) -> Floats:
    """Delay that one prompt token causes for the prompts behind it, attention excluded. [s]"""
    return full_step_s / room_tokens


@formula(
    title="Step time that a prompt takes",
    unit="s",
    expression="prompt_tokens · full_token_s + prompt_pairs · pair_s",
    source="prompts that fit into one step are processed together and do not wait for each other",
)
def occupied_s(prompt_tokens: float, full_token_s: Floats, prompt_pairs: float, pair_s: Floats) -> Floats:
    """Delay that one prompt causes for the prompts behind it. [s]"""
    return prompt_tokens * full_token_s + prompt_pairs * pair_s


@formula(
    title="Mean square of a prompt's step time",
    unit="s²",
    expression="square_tokens · full_token_s² + 2 · tokens_pairs · full_token_s · pair_s + square_pairs · pair_s²",
    source="second moment of prompt lengths: long prompts cause most of the wait of others",
)
def occupied_square_s2(
    square_tokens: float, full_token_s: Floats, tokens_pairs: float, pair_s: Floats, square_pairs: float
) -> Floats:
    """Mean over prompts of the square of `occupied_s`. [s²]"""
    return full_token_s * (square_tokens * full_token_s + 2.0 * tokens_pairs * pair_s) + square_pairs * pair_s * pair_s


@formula(
    title="Prompts' tokens in a step",
    unit="tok",
    expression="min(last_tokens + arriving_tokens, room_tokens)",
    source="the step also takes the prompts that arrive during an average step (Poisson arrivals), up to the room left",
)
def tokens_together(last_tokens: float, arriving_tokens: Floats, room_tokens: Floats) -> Floats:
    """Prompt tokens in the step that completes a prompt. [tokens]"""
    return np.minimum(last_tokens + arriving_tokens, room_tokens)


@formula(
    title="Step that completes a prompt",
    unit="s",
    expression="decode_step_s + (prompt_step_s - decode_step_s) · within_tokens / step_tokens"
    " + (full_step_s - prompt_step_s) · min(beyond_tokens / max(room_tokens - step_tokens, 1), 1)",
    source="step time by prompt tokens: linear from a decode step to a mean step with prompts, and from there to a"
    " full one",
)
def end_step_s(
    within_tokens: Floats,
    beyond_tokens: float,
    step_tokens: Floats,
    decode_step_s: Floats,
    prompt_step_s: Floats,
    full_step_s: Floats,
    room_tokens: Floats,
) -> Floats:
    """Time of the step that completes a prompt, by its prompt tokens. [s]"""
    below_s = decode_step_s + (prompt_step_s - decode_step_s) * (within_tokens / step_tokens)
    if not np.any(beyond_tokens):
        return np.asarray(below_s)
    share = np.minimum(beyond_tokens / np.maximum(room_tokens - step_tokens, 1.0), 1.0)
    return np.asarray(below_s + (full_step_s - prompt_step_s) * share)


@formula(
    title="Prefill of a prompt",
    unit="s",
    expression="full_tokens · full_token_s + end_step_s · max(last_tokens / room_tokens, 1)"
    " + (prompt_pairs + others_pairs) · pair_s",
    source="full chunks first, then the rest in a step with the decoding batch and other new prompts "
    "(docs/derivations/load.md#prefill-of-a-prompt)",
)
def prefill_s(
    full_tokens: float,
    full_token_s: Floats,
    end_step_s: Floats,
    last_tokens: float,
    room_tokens: Floats,
    prompt_pairs: float,
    others_pairs: Floats,
    pair_s: Floats,
) -> Floats:
    """Time from a prompt's first chunk to its first token. [s]"""
    ends = np.maximum(last_tokens / room_tokens, 1.0)
    return np.asarray(full_tokens * full_token_s + end_step_s * ends + (prompt_pairs + others_pairs) * pair_s)


@formula(
    title="Fill of a pipeline",
    unit="s",
    expression="further_stages · (last_tokens · prompt_token_s + last_pairs · pair_s)",
    source="a step lasts as long as one stage; the last chunk of a prompt also passes the other stages "
    "(docs/derivations/load.md#prefill-of-a-prompt)",
)
def pipeline_fill_s(
    further_stages: Floats, last_tokens: Numbers, prompt_token_s: Floats, last_pairs: Numbers, pair_s: Floats
) -> Floats:
    """Extra time of a first token while the last chunk passes the further pipeline stages. [s]"""
    return np.asarray(further_stages * (last_tokens * prompt_token_s + last_pairs * pair_s))


@formula(
    title="Prompt beside its steps",
    unit="s",
    expression="fill_s + token_host_s · prompt_tokens",
    source="engine facts: the host tokenises each prompt, those in the prefix cache too",
)
def beside_steps_s(fill_s: Floats, token_host_s: Floats, prompt_tokens: Numbers) -> Floats:
    """What a prompt's first token takes beyond the wait and the steps that read it, but for the reply. [s]"""
    return np.asarray(fill_s + token_host_s * prompt_tokens)


@formula(
    title="Mean TTFT of a class",
    unit="s",
    expression="ttft_mean_s + class_prefill_s - prefill_s",
    source="classes of one priority wait equally long and differ in their own prompts",
)
def class_ttft_s(ttft_mean_s: Floats, class_prefill_s: Floats, prefill_s: Floats) -> Floats:
    """Mean TTFT of one request class. [s]"""
    return ttft_mean_s + class_prefill_s - prefill_s


@formula(
    title="Wait of a class by its priority",
    unit="s",
    expression="wait_s · (1 + (f − 1) · exp(−utilisation·step_s/wait_s));  "
    "f = (1 − utilisation) / ((1 − utilisation·before) · (1 − utilisation·up_to))",
    source="Cobham 1954: one server, priorities that interrupt nobody; prompts of one step have no order "
    "(docs/derivations/load.md#priorities-of-classes)",
)
def class_wait_s(wait_s: Floats, utilisation: Floats, step_s: Floats, before: Numbers, up_to: Numbers) -> Floats:
    """Mean wait of one request class; `before` and `up_to` are the shares of the work that is served before it, and no
    later than it, `step_s` a step that prompts fill. With one priority for all it is the wait of all. [s]

    Examples
    --------
    >>> places = np.array([0.0, 0.5]), np.array([0.5, 1.0])
    >>> class_wait_s(np.array([4.0]), np.array([0.5]), np.array([0.0]), *places).round(3).tolist()
    [2.667, 5.333]
    """
    used = np.minimum(utilisation, NEARLY_FULL)
    factor = (1.0 - used) / ((1.0 - used * before) * (1.0 - used * up_to))
    is_known = np.isfinite(wait_s) & (wait_s > 0)
    beyond = np.exp(-quotient(used * step_s, np.where(is_known, wait_s, 1.0), np.inf))
    return np.where(is_known, wait_s * (1.0 + (factor - 1.0) * beyond), wait_s)


@formula(
    title="Prefill utilisation",
    unit="",
    expression="rate_per_s · occupied_s",
    source="prompt work over the prompt work that steps can do",
)
def prefill_utilisation(rate_per_s: Floats, occupied_s: Floats) -> Floats:
    """Share of the prefill capacity in use; at 1 the queue of prompts grows without limit. [1]"""
    return rate_per_s * occupied_s


@formula(
    title="Wait for prefill",
    unit="s",
    expression="(prompts_wait_s + place_wait_s) · burst_factor",
    source="Pollaczek-Khinchine for one place, its approximations for several; Allen-Cunneen's factor for bursts",
)
def burst_wait_s(prompts_wait_s: Floats, place_wait_s: Floats, burst_factor: Floats) -> Floats:
    """Mean wait before the first chunk. [s]"""
    return (prompts_wait_s + place_wait_s) * burst_factor


@formula(
    title="Wait for a free slot",
    unit="s",
    expression="held_s · (1 + spread²)/2 · in_use^(√(2·places + 2) - 1) / (places · (1 - in_use))",
    source="M/G/c: Sakasegawa 1977, a place is held for an answer (docs/derivations/load.md#wait-for-a-place)",
)
def place_wait_s(held_s: Floats, spread: float, in_use: Floats, places: Floats) -> Floats:
    """Mean wait until the limits on sequences and cache let a request begin; infinite once all places are in use.
    [s]"""
    power = np.exp((np.sqrt(2.0 * places + 2.0) - 1.0) * np.log(np.maximum(in_use, FEWEST_IN_USE)))
    per_place_s = held_s * (0.5 * (1.0 + spread * spread)) / places
    return quotient(per_place_s * power, 1.0 - in_use, np.inf)


@formula(
    title="Wait for a free slot of any replica",
    unit="s",
    expression="waiting_share · held_s · (1 + spread²)/2 / (places · (1 - in_use))",
    source="M/G/c: Erlang's delay formula with Allen-Cunneen's factor; replicas behind one router share their places",
)
def pooled_place_wait_s(waiting_share: Floats, held_s: Floats, spread: float, in_use: Floats, places: Floats) -> Floats:
    """Mean wait for a place if all replicas share their places; infinite once all are in use. [s]"""
    each_s = held_s * (0.5 * (1.0 + spread * spread)) / places
    return quotient(waiting_share * each_s, 1.0 - in_use, np.inf)


FEWEST_IN_USE = 1e-12


@formula(
    title="Remaining time of the running step",
    unit="s",
    expression="(max(seen_step_s - waited_s, between_s) - between_s · exp(-batch)) / 2",
    source="half of the running step, less the part that the wait for earlier prompts already counts, and none while "
    "nothing runs (the number of sequences of a lightly loaded replica is Poisson distributed) "
    "(docs/derivations/load.md#wait-for-the-running-step)",
)
def rest_of_step_s(seen_step_s: Floats, waited_s: Floats, between_s: Floats, batch: Floats) -> Floats:
    """Mean remaining time of the step during which a prompt arrives. [s]

    `waited_s` is twice the rest of a prompt's own time that the wait in the queue counts already, `between_s` the steps
    without prompts, times their share of time.
    """
    return np.asarray(0.5 * (np.maximum(seen_step_s - waited_s, between_s) - between_s * np.exp(-batch)))


@formula(
    title="Mean TTFT with host time",
    unit="s",
    expression="ttft_s + request_host_s + admission_s",
    source="engine facts: tokenising, scheduling, reply",
)
def ttft_with_host_s(ttft_s: Floats, request_host_s: float, admission_s: Floats) -> Floats:
    """Mean TTFT as the client measures it, host time included. [s]"""
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
