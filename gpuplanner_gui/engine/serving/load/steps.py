"""Steps of continuous batching in balance with the requests: what a step holds, how long it takes, what it yields."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.engine.formula import formula, leaf
from gpuplanner_gui.engine.load.arrays import Numbers, as_floats
from gpuplanner_gui.engine.load.mix import RequestMix
from gpuplanner_gui.engine.load.speculation import Speculation

Floats = NDArray[np.float64]

FEWEST_CHUNKS = 0.02
FEWEST_ARRIVING = 1e-12
"""Per step: an idle replica, on which nothing is divided by nought."""


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
