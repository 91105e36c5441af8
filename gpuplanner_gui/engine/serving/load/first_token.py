"""What a prompt waits for: those before it, the rest of the running step, its own prefill, the host."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, quotient


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
    title="Prompt token in a full step",
    unit="s",
    expression="full_step_s / room_tokens",
    source="while prompts wait, steps read as many of their tokens as decoding leaves",
)
def full_token_s(full_step_s: Floats, room_tokens: Floats) -> Floats:
    """By which a token of a prompt delays the prompts behind it, before its attention. [s]"""
    return full_step_s / room_tokens


@formula(
    title="Step time that a prompt takes",
    unit="s",
    expression="prompt_tokens · full_token_s + prompt_pairs · pair_s",
    source="prompts that fit into one step are read together, and do not queue for each other",
)
def occupied_s(prompt_tokens: float, full_token_s: Floats, prompt_pairs: float, pair_s: Floats) -> Floats:
    """By which a prompt delays those behind it. [s]"""
    return prompt_tokens * full_token_s + prompt_pairs * pair_s


@formula(
    title="Mean square of a prompt's step time",
    unit="s²",
    expression="square_tokens · full_token_s² + 2 · tokens_pairs · full_token_s · pair_s + square_pairs · pair_s²",
    source="prompts' lengths: most of what others wait for is long ones",
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
    source="beside a prompt are as many others as come into any step (Poisson arrivals), if they fit",
)
def tokens_together(last_tokens: float, arriving_tokens: Floats, room_tokens: Floats) -> Floats:
    """In the step that reads the end of a prompt. [tokens]"""
    return np.minimum(last_tokens + arriving_tokens, room_tokens)


@formula(
    title="Step with the end of a prompt",
    unit="s",
    expression="decode_step_s + (prompt_step_s - decode_step_s) · within_tokens / step_tokens"
    " + (full_step_s - prompt_step_s) · min(beyond_tokens / max(room_tokens - step_tokens, 1), 1)",
    source="time of a step against the tokens of prompts in it: linear from none to those of a mean step, and on to a"
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
    """A step with so many tokens of prompts. [s]"""
    below_s = decode_step_s + (prompt_step_s - decode_step_s) * (within_tokens / step_tokens)
    if not beyond_tokens:
        return np.asarray(below_s)
    share = np.minimum(beyond_tokens / np.maximum(room_tokens - step_tokens, 1.0), 1.0)
    return np.asarray(below_s + (full_step_s - prompt_step_s) * share)


@formula(
    title="Prefill of a prompt",
    unit="s",
    expression="full_tokens · full_token_s + end_step_s · max(last_tokens / room_tokens, 1)"
    " + (prompt_pairs + others_pairs) · pair_s",
    source="full chunks, then the rest beside the decoding batch, and beside prompts that came with it "
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
    source="a step's time is that of one stage; the end of a prompt passes the others too "
    "(docs/derivations/load.md#prefill-of-a-prompt)",
)
def pipeline_fill_s(
    further_stages: Floats, last_tokens: Numbers, prompt_token_s: Floats, last_pairs: Numbers, pair_s: Floats
) -> Floats:
    """By which a first token comes later than its prompt's share of the steps. [s]"""
    return np.asarray(further_stages * (last_tokens * prompt_token_s + last_pairs * pair_s))


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
    expression="(prompts_wait_s + place_wait_s) · burst_factor",
    source="Pollaczek-Khinchine and its kin for several places, with Allen-Cunneen's factor",
)
def burst_wait_s(prompts_wait_s: Floats, place_wait_s: Floats, burst_factor: Floats) -> Floats:
    """Mean wait before the first chunk. [s]"""
    return (prompts_wait_s + place_wait_s) * burst_factor


@formula(
    title="Wait for a free slot",
    unit="s",
    expression="held_s · (1 + spread²)/2 · in_use^(√(2·places + 2) - 1) / (places · (1 - in_use))",
    source="M/G/c: Sakasegawa 1977 with Allen-Cunneen's factor; a place is held for an answer",
)
def place_wait_s(held_s: Floats, spread: float, in_use: Floats, places: Floats) -> Floats:
    """Mean wait until caps let a request begin; infinite once all places are in use. [s]"""
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
    """Mean wait where so many places are shared; infinite once all are in use. [s]"""
    each_s = held_s * (0.5 * (1.0 + spread * spread)) / places
    return quotient(waiting_share * each_s, 1.0 - in_use, np.inf)


FEWEST_IN_USE = 1e-12


@formula(
    title="Rest of the running step",
    unit="s",
    expression="(max(met_step_s - waited_s, between_s) - between_s · exp(-batch)) / 2",
    source="half of the step that runs; less what the wait for prompts ahead holds of it, and none while "
    "nothing runs: the sequences of a lightly loaded replica vary like a Poisson number "
    "(docs/derivations/load.md#wait-for-the-running-step)",
)
def rest_of_step_s(met_step_s: Floats, waited_s: Floats, between_s: Floats, batch: Floats) -> Floats:
    """What is left on average of the step into which a prompt comes. [s]

    `waited_s` is twice the rest of a prompt's own time that the wait in the queue counts already, `between_s` the steps
    without prompts, times their share of time.
    """
    return np.asarray(0.5 * (np.maximum(met_step_s - waited_s, between_s) - between_s * np.exp(-batch)))


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
