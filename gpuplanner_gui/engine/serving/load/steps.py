"""Steps of continuous batching in balance with the requests: what a step holds, how long it takes, what it yields."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.simulation.arrays import Numbers, as_floats, at_least, over_columns
from gpuplanner_gui.engine.simulation.requests import RequestMix
from gpuplanner_gui.engine.simulation.step_time import Speculation

FEWEST_CHUNKS = 0.02
FEWEST_ARRIVING = 1e-12
"""Per step: an idle replica, on which nothing is divided by nought."""
LONGEST_WAIT_S = 1e9
SHORTEST_S = 1e-30


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
    source="balance of step time with load (docs/derivations/load.md#balance-of-steps-and-requests)",
)
def request_rate_per_s(requests_per_step: Floats, step_time_s: Floats) -> Floats:
    """Rate at which requests begin and end when a mean step takes so long. [1/s]"""
    return requests_per_step / step_time_s


@formula(
    title="Step with a prefill",
    unit="s",
    expression="max(time of the step with one chunk of a prompt, decode_step_s)",
    source="more work never shortens a step",
)
def longer_step_s(with_chunk_s: Floats, decode_step_s: Floats) -> Floats:
    """Step in which a chunk of a prompt rides along. [s]"""
    return np.maximum(with_chunk_s, decode_step_s)


@dataclass(frozen=True)
class Prompt:
    """A prompt, or the mean of some, as steps read it: full chunks, and the rest."""

    full_tokens: float
    """Prompt tokens in full chunks."""
    within_tokens: float
    """Tokens of the last chunk, up to the mean of all prompts' last chunks, and"""
    beyond_tokens: float
    """from there on."""
    pairs: float
    """Query-key pairs that attention computes."""
    whole_tokens: float
    """All tokens of the prompt, those in the prefix cache too."""

    @property
    def last_tokens(self) -> float:
        return self.within_tokens + self.beyond_tokens

    @property
    def last_pairs(self) -> float:
        """Query-key pairs of the last chunk, which attends to all before it."""
        share: float = self.last_tokens / at_least(self.tokens, 1e-9)
        return self.pairs * share * (2.0 - share)

    @property
    def tokens(self) -> float:
        return self.full_tokens + self.last_tokens


@dataclass(frozen=True)
class PromptChunks:
    """Prompts in the pieces in which they are read."""

    number: float
    """Mean chunks per prompt."""
    tokens: float
    """Mean tokens of a chunk."""
    variance: float
    """Variance of a chunk's tokens over the square of their mean."""
    mean: Prompt
    mean_last_tokens: float
    """Mean tokens in the last chunk of all prompts that share steps."""
    by_length: tuple[Prompt, ...]
    """Prompts in rising order of length,"""
    shares: tuple[float, ...]
    """and their shares."""
    square_tokens: float
    """Mean square of tokens,"""
    tokens_pairs: float
    """mean product of tokens and pairs, and"""
    square_pairs: float
    """mean square of pairs, of a prompt."""

    @property
    def pairs_per_token(self) -> float:
        pairs: float = self.mean.pairs / at_least(self.mean.tokens, 1e-9)
        return pairs

    @property
    def spread(self) -> float:
        """Standard deviation of a prompt's tokens over their mean."""
        spread: float = relative_spread(self.square_tokens, self.mean.tokens)
        return spread

    def at(self, percentile: float) -> Prompt:
        """The prompt at a percentile of length."""
        reached = 0.0
        for one, share in zip(self.by_length, self.shares, strict=True):
            reached += share
            if reached >= percentile / 100 - ROUNDING:
                return one
        return self.by_length[-1]


ROUNDING = 1e-9


@dataclass(frozen=True)
class MixesTogether(RequestMix):
    """Several mixes, each of so many deployments beside each other: numbers are one for every deployment."""

    each: tuple[RequestMix, ...] = ()
    count: int = 1

    @staticmethod
    def of(each: Sequence[RequestMix], count: int) -> MixesTogether:
        columns = _columns(each, count)
        return MixesTogether(**vars(each[0]) | columns, each=tuple(each), count=count)


@dataclass(frozen=True)
class _ChunksTogether(PromptChunks):
    """Prompts of several mixes, likewise."""

    each: tuple[PromptChunks, ...]
    count: int

    @staticmethod
    def of(each: Sequence[PromptChunks], count: int) -> _ChunksTogether:
        means = Prompt(**_columns([one.mean for one in each], count))
        columns = _columns(each, count) | {"mean": means, "by_length": (), "shares": ()}
        return _ChunksTogether(**columns, each=tuple(each), count=count)

    def at(self, percentile: float) -> Prompt:
        """See `PromptChunks`."""
        return Prompt(**_columns([one.at(percentile) for one in self.each], self.count))


def _columns(each: Sequence[Any], count: int) -> dict[str, Any]:
    """The numbers of some structs by name, over columns."""
    names = [one.name for one in fields(each[0]) if isinstance(getattr(each[0], one.name), float)]
    return {name: over_columns([getattr(one, name) for one in each], count) for name in names}


def relative_spread(mean_square: Numbers, mean: Numbers) -> Any:
    """Standard deviation over the mean; 0 where the mean is. [1]"""
    if isinstance(mean_square, np.ndarray) or isinstance(mean, np.ndarray):
        square = as_floats(mean) ** 2
        over = np.divide(mean_square, square, out=np.ones(np.broadcast(mean_square, square).shape), where=square > 0)
        return np.sqrt(np.maximum(over - 1.0, 0.0))
    return math.sqrt(max(mean_square / mean**2 - 1.0, 0.0)) if mean > 0 else 0.0


def prompt_chunks(mix: RequestMix, token_budget: float, mean_last_tokens: float | None = None) -> PromptChunks:
    """Prompts cut at the token budget: full chunks and a last one of what is left; their pairs go with the square.

    `mean_last_tokens` is that of all prompts, for those of one class.
    """
    if isinstance(mix, MixesTogether):
        middles: list[float | None] = [None] * len(mix.each)
        if mean_last_tokens is not None:
            middles = np.broadcast_to(mean_last_tokens, len(mix.each) * mix.count)[:: mix.count].tolist()
        parts = [prompt_chunks(one, token_budget, middle) for one, middle in zip(mix.each, middles, strict=True)]
        return _ChunksTogether.of(parts, mix.count)
    value, part = mix.computed_bins.value, mix.computed_bins.share
    whole = np.maximum(np.ceil(value / token_budget) - 1.0, 0.0)
    full = whole * token_budget
    last = value - full
    number = max(float(part @ (whole + 1.0)), 1.0)
    tokens = mix.computed_tokens / number
    square = float(part @ (full * token_budget + last**2)) / number
    squares = float(part @ value**2)
    pairs = value**2 * (mix.attention_pairs / squares if squares > 0 else 0.0)
    middle = float(part @ last) if mean_last_tokens is None else mean_last_tokens
    within = np.minimum(last, middle)
    whole_tokens = value * (mix.prompt_tokens / mix.computed_tokens if mix.computed_tokens > 0 else 0.0)
    columns = np.stack([full, within, last - within, pairs, whole_tokens])
    return PromptChunks(
        number=number,
        tokens=tokens,
        variance=max(square / tokens**2 - 1.0, 0.0) if tokens > 0 else 0.0,
        mean=Prompt(*(columns @ part).tolist()),
        mean_last_tokens=middle,
        by_length=tuple(Prompt(*row) for row in columns.T.tolist()),
        shares=tuple(part.tolist()),
        square_tokens=squares,
        tokens_pairs=float(part @ (value * pairs)),
        square_pairs=float(part @ pairs**2),
    )


@formula(
    title="Chunks of prompts that fit in a step",
    unit="",
    expression="(token_budget - decoding_tokens) / chunk_tokens, at least 0.02",
    source="the scheduler gives prompts what decoding leaves of a step's tokens",
)
def chunks_that_fit(token_budget: Numbers, decoding_tokens: Numbers, chunk_tokens: float) -> Floats:
    """Mean chunks that one step can take in; under 1 where decoding leaves less than a chunk. [1]"""
    return np.asarray(
        np.maximum((as_floats(token_budget) - as_floats(decoding_tokens)) / at_least(chunk_tokens, 1e-9), FEWEST_CHUNKS)
    )


@formula(
    title="Steps with a prefill",
    unit="",
    expression="max(1 - exp(-arriving_chunks), arriving_chunks / fitting_chunks), at most 1",
    source="random arrivals: share of steps with at least one chunk; if only one fits in a step, one step for each "
    "chunk",
)
def prefilling_share(arriving_chunks: Floats, fitting_chunks: Floats) -> Floats:
    """Share of steps in which prompts are read. [1]"""
    return np.minimum(np.maximum(-np.expm1(-arriving_chunks), arriving_chunks / fitting_chunks), 1.0)


@formula(
    title="Mean step",
    unit="s",
    expression="(1 - prefilling_share) · decode_step_s + prefilling_share · mixed_step_s",
    source="steps with prompts and steps without are two kinds "
    "(docs/derivations/load.md#steps-with-and-without-prompts)",
)
def mean_step_s(decode_step_s: Floats, mixed_step_s: Floats, prefilling_share: Floats) -> Floats:
    """Mean time of a step, over decode steps and steps with prompts. [s]"""
    return np.asarray(decode_step_s + prefilling_share * (mixed_step_s - decode_step_s))


@formula(
    title="Variance of steps",
    unit="s²",
    expression="(prefilling_share · (mixed_step_s - decode_step_s))² · (1 + chunk_variance) / arriving_chunks ·"
    " (1 - arriving_chunks / fitting_chunks) / (1 - (1 - decode_step_s / mean_step_s)² · (1 - 1 / fitting_chunks))",
    source="a step processes the chunks that arrived during the last one: random, and more after a longer step "
    "(docs/derivations/load.md#variance-of-steps)",
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
    """Variance of step times; `chunk_variance` is that of chunks over the square of their mean. [s²]"""
    prompts_s = prefilling_share * (mixed_step_s - decode_step_s)
    free = np.maximum(1.0 - arriving_chunks / fitting_chunks, 0.0)
    feedback = (prompts_s / mean_step_s) ** 2 * (1.0 - 1.0 / fitting_chunks)
    return np.asarray(prompts_s * prompts_s * free * ((1.0 + chunk_variance) / arriving_chunks) / (1.0 - feedback))


@formula(
    title="Step seen by an arrival",
    unit="s",
    expression="mean_step_s + step_variance_s2 / mean_step_s",
    source="arrivals fall into long steps more often than into short ones",
)
def seen_step_s(mean_step_s: Floats, step_variance_s2: Floats) -> Floats:
    """Mean over moments, not over steps. [s]"""
    return mean_step_s + step_variance_s2 / mean_step_s


@formula(
    title="Prompts' share of time",
    unit="",
    expression="1 - decode_step_s / mean_step_s",
    source="step time beyond decoding is spent on prompts",
)
def prompts_share(decode_step_s: Floats, mean_step_s: Floats) -> Floats:
    """Share of the replica's time spent on prompts. [1]"""
    return 1.0 - decode_step_s / mean_step_s


@formula(
    title="Wait for prompts that arrive later",
    unit="s",
    expression="(prefill_s + wait_s - mean_step_s · ((chunks + 1)/2 + wait_s / prompt_step_s))"
    " · prompts_share / (1 - prompts_share)",
    source="an answer starts behind the prompts that arrived during its own prefill "
    "(docs/derivations/load.md#step-seen-by-sequences)",
)
def prompts_behind_s(
    prefill_s: Floats, wait_s: Floats, mean_step_s: Floats, prompt_step_s: Floats, chunks: float, prompts_share: Floats
) -> Floats:
    """Extra time of an answer because of the prompts around its start, whatever its length. [s]"""
    waited = np.minimum(wait_s, LONGEST_WAIT_S)
    begun = prefill_s + waited
    ended = mean_step_s * (0.5 * (chunks + 1.0) + waited / prompt_step_s)
    return np.asarray(np.maximum(begun - ended, 0.0) * (prompts_share / (1.0 - prompts_share)))


@formula(
    title="Batch",
    unit="seq",
    expression="decoding_sequences · sequence_step_s / mean_step_s",
    source="Little's law over time: sequences stay longer in long steps",
)
def batch_over_time(decoding_sequences: Floats, sequence_step_s: Floats, mean_step_s: Floats) -> Floats:
    """Sequences that decode at a moment, on average; `decoding_sequences` is the mean over steps. [sequences]"""
    return decoding_sequences * (sequence_step_s / mean_step_s)


@formula(
    title="Longest step",
    unit="s",
    expression="full_step_s + room_tokens · pairs_per_token · pair_s",
    source="a step that prompts fill, with their attention",
)
def longest_step_s(full_step_s: Floats, room_tokens: Floats, pairs_per_token: float, pair_s: Floats) -> Floats:
    """Longest step at this batch. [s]"""
    return full_step_s + room_tokens * pairs_per_token * pair_s


FEW_PLACES = 32.0
"""Places from which on the number in use hardly swings about its mean."""


@formula(
    title="Time in a slot",
    unit="s",
    expression="further_steps · (step_s + (full_step_s - step_s) / (1 + (places/32)²)) + prefill_s",
    source="requests wait while all places are taken: with few places the step is then that of a full replica"
    " (docs/derivations/load.md#wait-for-a-place); the step that ends a prompt is the first of its answer",
)
def held_place_s(
    step_s: Floats, full_step_s: Floats, further_steps: float, prefill_s: Floats, places: Floats
) -> Floats:
    """How long a request holds its place, from its first chunk to its last token. [s]"""
    few = 1.0 / (1.0 + (places / FEW_PLACES) ** 2)
    return np.asarray(further_steps * (step_s + few * (full_step_s - step_s)) + prefill_s)


@formula(
    title="Slots in use",
    unit="",
    expression="rate_per_s · held_s / places",
    source="Little's law: a request holds its place from its first chunk to its last token",
)
def places_in_use(rate_per_s: Floats, held_s: Floats, places: Floats) -> Floats:
    """Share of the sequences that caps allow. [1]"""
    return rate_per_s * held_s / places


@formula(
    title="Step seen by sequences",
    unit="s",
    expression="mean_step_s + (own_s + behind_s · (1 - exp(-answer_steps · longer_s / behind_s)) / answer_steps)"
    " · (1 - batch / places), longer_s = prompts_share · (prompt_step_s - mean_step_s)",
    source="a sequence is part of its own steps, and starts behind the prompts that arrived during its prefill "
    "(docs/derivations/load.md#step-seen-by-sequences)",
)
def sequence_step_s(
    mean_step_s: Floats,
    own_s: Floats,
    behind_s: Floats,
    prompts_share: Floats,
    prompt_step_s: Floats,
    answer_steps: float,
    batch: Floats,
    places: Floats,
) -> Floats:
    """Mean over the steps of an answer; those of short answers are no mean of all steps. [s]"""
    longer_s = prompts_share * np.maximum(prompt_step_s - mean_step_s, 0.0)
    lasting = behind_s * -np.expm1(-answer_steps * longer_s / np.maximum(behind_s, SHORTEST_S))
    free = np.maximum(1.0 - batch / places, 0.0)
    return np.asarray(mean_step_s + free * (own_s + lasting / answer_steps))


MOST_READING = 0.98
"""Share of time that steps of prompts take, for the step that an arrival meets."""


@formula(
    title="Step seen by an arrival, separate prompt steps",
    unit="s",
    expression="((1 - prefilling)·decode_step_s + prefilling·prompt_s) / (1 - prefilling²)",
    source="a decode step, or a step for the prompts that arrived during the step before: one prompt, and the "
    "further ones"
    " that the prefill utilisation implies",
)
def seen_separate_step_s(decode_step_s: Floats, prompt_s: Floats, prefilling: Floats) -> Floats:
    """Mean over moments where prompts have steps of their own. [s]"""
    return ((1.0 - prefilling) * decode_step_s + prefilling * prompt_s) / (1.0 - prefilling * prefilling)
