"""What a prompt waits for: those before it, the rest of the running step, its own prefill, the host."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula

Floats = NDArray[np.float64]


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
