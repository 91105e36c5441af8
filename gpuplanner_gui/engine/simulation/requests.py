"""The requests of one simulated run, as a struct of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.engine.simulation.arrays import (
    FloatColumn,
    IntegerColumn,
    Numbers,
    as_floats,
    distinct,
    floats_of,
    integers_of,
)
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings


@dataclass(frozen=True)
class Requests:
    """Requests in order of arrival, shape (n,) each.

    `cached_tokens` are the first tokens of a prompt whose keys and values are found in the prefix cache;
    `shared_tokens` the part of them that other running requests hold anyway, so that it takes no memory of its own.
    Requests of one `session` (a conversation) find their prefix only on a replica that served the session before; a
    session of −1 is a prefix that every replica holds, as a system prompt is. `priority` 0 goes first.
    """

    arrival_s: Floats
    prompt_tokens: Integers
    output_tokens: Integers
    cached_tokens: Integers
    shared_tokens: Integers
    class_index: Integers
    priority: Integers
    session: Integers

    def __len__(self) -> int:
        return len(self.arrival_s)

    def take(self, index: Integers) -> Requests:
        """The requests at `index`, in that order."""
        return Requests(*(getattr(self, column.name)[index] for column in fields(self)))

    def arriving(self, arrival_s: Floats) -> Requests:
        """The same requests at other times."""
        return replace(self, arrival_s=arrival_s)

    def replaced(self, where: Booleans, others: Requests) -> Requests:
        """These requests, except where another version of them counts."""
        return Requests(*(np.where(where, getattr(others, one.name), getattr(self, one.name)) for one in fields(self)))

    def without_cache(self) -> Requests:
        """The same requests with a cold prefix cache."""
        none = np.zeros(len(self), dtype=np.int64)
        return replace(self, cached_tokens=none, shared_tokens=none)

    def within(self, longest_tokens: float) -> Requests:
        """The same requests cut to a context: prompts leave room for one token, answers end where it does."""
        longest = int(min(longest_tokens, 2**62))
        prompts = np.minimum(self.prompt_tokens, max(longest - 1, 1))
        cached = np.minimum(self.cached_tokens, prompts - 1)
        return replace(
            self,
            prompt_tokens=prompts,
            output_tokens=np.minimum(self.output_tokens, np.maximum(longest - prompts, 1)),
            cached_tokens=cached,
            shared_tokens=np.minimum(self.shared_tokens, cached),
        )

    def with_answers_scaled(self, factor: float) -> Requests:
        """The same requests with answers `factor` times as long."""
        longer = np.maximum(np.rint(self.output_tokens * factor).astype(np.int64), 1)
        return replace(self, output_tokens=longer)

    def with_prompts_scaled(self, factor: float) -> Requests:
        """The same requests with prompts `factor` times as long, of which the same tokens are cached."""
        prompts = np.maximum(np.rint(self.prompt_tokens * factor).astype(np.int64), 1)
        cached = np.minimum(self.cached_tokens, prompts - 1)
        return replace(
            self, prompt_tokens=prompts, cached_tokens=cached, shared_tokens=np.minimum(self.shared_tokens, cached)
        )


def requests_at(
    arrival_s: ArrayLike,
    prompt_tokens: ArrayLike,
    output_tokens: ArrayLike,
    cached_tokens: ArrayLike = 0,
    shared_tokens: ArrayLike = 0,
    class_index: ArrayLike = 0,
    priority: ArrayLike = 0,
    session: ArrayLike = -1,
) -> Requests:
    """Requests from columns that broadcast to shape (n,); sorted by arrival.

    Cached tokens are bounded by the prompt less one, since the last token of a prompt is always computed.

    Raises
    ------
    ValueError
        If a length is below 1, a time is not finite, or cached or shared tokens are below 0.
    """
    times = np.atleast_1d(np.asarray(arrival_s, dtype=np.float64))
    prompts = _whole(prompt_tokens, times)
    outputs = _whole(output_tokens, times)
    cached = np.minimum(_whole(cached_tokens, times), prompts - 1)
    shared = np.minimum(_whole(shared_tokens, times), cached)
    if not np.isfinite(times).all():
        raise ValueError("arrival times must be finite")
    if len(times) and (min(prompts.min(), outputs.min()) < 1 or min(cached.min(), shared.min()) < 0):
        raise ValueError("prompt and output need 1 token or more, cached and shared tokens 0 or more")
    made = Requests(
        times,
        prompts,
        outputs,
        cached,
        shared,
        _whole(class_index, times),
        _whole(priority, times),
        _whole(session, times),
    )
    return made if np.all(np.diff(times) >= 0) else made.take(np.argsort(times, kind="stable"))


def _whole(column: ArrayLike, like: Floats) -> Integers:
    return np.broadcast_to(np.asarray(column), like.shape).astype(np.int64)


class RequestBook:
    """Columns over requests; each entry is changed only by the replica that holds the request.

    Parameters
    ----------
    decode_steps : int array, shape (n,)
        Steps in which each request decodes after its first token; fewer than its tokens with speculation.
    prefilled_at_s : float array, optional
        For a decode pool: when each request got its first token elsewhere; such requests need no prefill here. [s]
    look : callable
        Asked between columns, which are long; may raise.
    """

    def __init__(
        self,
        requests: Requests,
        settings: ReplicaSettings,
        decode_steps: Integers,
        prefilled_at_s: Floats | None = None,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        def counted(column: NDArray[Any]) -> IntegerColumn:
            look()
            return integers_of(column)

        def timed(column: NDArray[Any]) -> FloatColumn:
            look()
            return floats_of(column)

        count = len(requests)
        self.requests = requests
        self.prompt = counted(requests.prompt_tokens)
        self.output = counted(requests.output_tokens)
        self.cached = counted(requests.cached_tokens)
        self.shared = counted(requests.shared_tokens)
        self.session = counted(requests.session)
        self.decode_steps = counted(decode_steps)
        look()
        self.growth = timed(_tokens_per_step(requests.output_tokens, decode_steps))
        levels = distinct(requests.priority)
        self.level = counted(np.searchsorted(levels, requests.priority))
        self.levels = max(len(levels), 1)
        held = requests.prompt_tokens + requests.output_tokens - 1 - requests.shared_tokens
        self.fits = counted(held + settings.kv_waste_tokens <= settings.kv_tokens)

        unknown = np.full(count, math.nan)
        self.sent_s = timed(unknown)
        self.first_token_s = timed(unknown if prefilled_at_s is None else prefilled_at_s)
        self.finish_s = timed(unknown)
        self.last_token_s = timed(unknown)
        self.rejected: list[int] = []

        nothing = np.zeros(count, dtype=np.int64)
        self.target = counted(requests.prompt_tokens)
        self.begin = counted(requests.cached_tokens if prefilled_at_s is None else requests.prompt_tokens)
        self.steps_left = counted(decode_steps)
        self.charge = timed(nothing)
        self.begun_step = counted(nothing)
        self.finish_step = counted(nothing)

    def restart(self, index: int) -> None:
        """Forget what a request has done: its replica is gone, and so is the prefix cache it was found in."""
        self.target[index] = self.prompt[index]
        self.begin[index] = self.cached[index] = 0
        self.steps_left[index] = self.decode_steps[index]
        self.first_token_s[index] = math.nan

    def find_no_prefix(self, index: int) -> None:
        """The replica that the request goes to does not hold its prefix."""
        self.begin[index] = self.cached[index] = self.shared[index] = 0


def _tokens_per_step(output_tokens: Integers, decode_steps: Integers) -> Floats:
    if (decode_steps == output_tokens - 1).all():
        return np.ones(len(output_tokens))
    return np.asarray((output_tokens - 1) / np.maximum(decode_steps, 1))


BIN_EDGES = (0.0, 0.15, 0.3, 0.45, 0.55, 0.65, 0.75, 0.83, 0.88, 0.92, 0.94, 0.96, 0.985, 0.995, 1.0)
"""Quantiles between which lengths are averaged: narrow in the tail, with p50, p90, p95 and p99 inside a bin each."""


@dataclass(frozen=True)
class LengthBins:
    """A distribution as a few values with their shares, shape (bins,)."""

    value: Floats
    share: Floats


@dataclass(frozen=True)
class RequestMix:
    """Moments of the requests of one class, or of several mixed.

    `context_output` is E[prompt·output], `output_squared` E[output²], `attention_pairs` E[(prompt² − cached²)/2];
    `prompt_tokens` is E[prompt], `computed_tokens` E[prompt − cached].
    """

    prompt_tokens: float
    computed_tokens: float
    output_tokens: float
    context_output: float
    output_squared: float
    attention_pairs: float
    computed_bins: LengthBins
    output_bins: LengthBins
    verified_tokens: int = 1
    """Tokens that an entry of the outputs puts through the model: more than one where they count in steps with
    drafts."""

    @property
    def tokens(self) -> float:
        """Tokens that pass through the model per request. [tokens]"""
        return self.computed_tokens + self.output_tokens * self.verified_tokens

    @property
    def decode_kv_token_steps(self) -> float:
        """KV tokens × decode steps per request, E[I·O + O²/2]. [tokens]"""
        return self.context_output + self.output_squared / 2

    def kv_token_steps(self, token_budget: Numbers) -> Floats:
        """KV tokens × steps per request with prompts in chunks of `token_budget`. [tokens]"""
        return self.decode_kv_token_steps + self.attention_pairs / as_floats(token_budget)

    def in_steps(self, tokens_per_step: float, verified_tokens: int = 1) -> RequestMix:
        """The same requests when each decode step yields several tokens: outputs counted in steps."""
        return replace(
            self,
            verified_tokens=verified_tokens,
            output_tokens=self.output_tokens / tokens_per_step,
            context_output=self.context_output / tokens_per_step,
            output_squared=self.output_squared / tokens_per_step,
            output_bins=LengthBins(self.output_bins.value / tokens_per_step, self.output_bins.share),
        )


def request_mix(
    prompt_tokens: Numbers, output_tokens: Numbers, cached_tokens: Numbers = 0.0, weight: Numbers = 1.0,
    kind: Numbers = 0.0,
) -> RequestMix:  # fmt: skip
    """Moments of a sample of requests.

    Parameters
    ----------
    prompt_tokens, output_tokens, cached_tokens : array, shape (n,) or scalar
        Lengths of each request; cached tokens are the part of the prompt found in the prefix cache. [tokens]
    weight : array
        Relative frequency. [1]
    kind : array
        Number of the class of each: a length stands for requests of one class alone, however few they are. [1]
    """
    columns = np.broadcast_arrays(
        *(np.atleast_1d(as_floats(column)) for column in (prompt_tokens, output_tokens, cached_tokens, weight, kind))
    )
    prompt, output, cached, relative, kinds = columns
    share = relative / relative.sum()
    return RequestMix(
        prompt_tokens=float(share @ prompt),
        computed_tokens=float(share @ (prompt - cached)),
        output_tokens=float(share @ output),
        context_output=float(share @ (prompt * output)),
        output_squared=float(share @ output**2),
        attention_pairs=float(share @ (prompt**2 - cached**2)) / 2,
        computed_bins=_bins(prompt - cached, share, kinds),
        output_bins=_bins(output, share, kinds),
    )


def _bins(values: Floats, share: Floats, kinds: Floats) -> LengthBins:
    """Lengths of every class in rising order."""
    each = [kinds == one for one in distinct(kinds.astype(np.int64))]
    if len(each) == 1:
        return _bins_of_class(values, share)
    parts = [_bins_of_class(values[one], share[one]) for one in each]
    value = np.concatenate([part.value for part in parts])
    mass = np.concatenate([part.share * share[one].sum() for part, one in zip(parts, each, strict=True)])
    order = np.argsort(value, kind="stable")
    return LengthBins(value[order], mass[order] / mass.sum())


def _bins_of_class(values: Floats, share: Floats) -> LengthBins:
    """Means between quantiles, so that the mean of the bins is the mean of the values."""
    order = np.argsort(values, kind="stable")
    ordered, mass = values[order], share[order]
    if ordered[0] == ordered[-1]:
        return LengthBins(ordered[:1], np.ones(1))
    below = np.concatenate([[0.0], np.cumsum(mass)])
    moment = np.concatenate([[0.0], np.cumsum(mass * ordered)])
    edges = np.asarray(BIN_EDGES) * below[-1]
    moments = np.interp(edges, below, moment)
    shares = np.diff(edges)
    return LengthBins(np.diff(moments) / shares, shares / shares.sum())


@dataclass(frozen=True)
class ReplicaCaps:
    """Limits of one replica's engine; scalars or arrays over candidates.

    `kv_tokens` is what the KV cache holds; `reserves_output` says that a request gets room for its whole output when it
    is admitted.
    """

    token_budget: Numbers
    max_sequences: Numbers
    kv_tokens: Numbers
    reserves_output: bool = False

    def kv_token_steps(self, mix: RequestMix) -> Floats:
        """KV tokens held × steps per request. [tokens]"""
        if self.reserves_output:
            held = mix.context_output + mix.output_squared
            return held + mix.attention_pairs / as_floats(self.token_budget)
        return mix.kv_token_steps(self.token_budget)

    def requests_per_step(self, mix: RequestMix) -> tuple[Floats, Integers]:
        """Largest throughput per step, in requests, and which of token budget, sequences and cache sets it."""
        bounds = np.stack(
            np.broadcast_arrays(
                as_floats(self.token_budget) / mix.tokens,
                as_floats(self.max_sequences) / mix.output_tokens,
                as_floats(self.kv_tokens) / self.kv_token_steps(mix),
            )
        )
        return np.asarray(bounds.min(axis=0)), np.asarray(bounds.argmin(axis=0))
