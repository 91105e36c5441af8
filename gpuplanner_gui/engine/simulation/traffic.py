"""Traffic of several request classes, drawn once and used at every rate and for every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, PoissonArrivals
from gpuplanner_gui.engine.simulation.mix import RequestMix, request_mix
from gpuplanner_gui.engine.simulation.requests import Requests, requests_at


class Lengths(Protocol):
    """A distribution of lengths in tokens."""

    def at(self, shares: Floats) -> Floats:
        """Quantiles at shares strictly between 0 and 1, same shape. [tokens]"""
        ...


@dataclass(frozen=True)
class FixedLength:
    tokens: float

    def at(self, shares: Floats) -> Floats:
        return np.full(shares.shape, self.tokens)


@dataclass(frozen=True)
class UniformLength:
    low: float
    high: float

    def at(self, shares: Floats) -> Floats:
        return self.low + shares * (self.high - self.low)


@dataclass(frozen=True)
class LognormalLength:
    """`sigma` is the standard deviation of the logarithm; lengths above `longest` become `longest`."""

    median: float
    sigma: float
    longest: float = np.inf

    def at(self, shares: Floats) -> Floats:
        return np.minimum(self.median * np.exp(self.sigma * normal_quantile(shares)), self.longest)


_CENTRAL = (
    (
        -3.969683028665376e01,
        2.209460984245205e02,
        -2.759285104469687e02,
        1.383577518672690e02,
        -3.066479806614716e01,
        2.506628277459239e00,
    ),
    (
        -5.447609879822406e01,
        1.615858368580409e02,
        -1.556989798598866e02,
        6.680131188771972e01,
        -1.328068155288572e01,
        1.0,
    ),
)
_TAIL = (
    (
        -7.784894002430293e-03,
        -3.223964580411365e-01,
        -2.400758277161838e00,
        -2.549732539343734e00,
        4.374664141464968e00,
        2.938163982698783e00,
    ),
    (7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e00, 3.754408661907416e00, 1.0),
)
_TAIL_SHARE = 0.02425


def normal_quantile(shares: Floats) -> Floats:
    """Standard normal quantiles at shares strictly between 0 and 1.

    Relative error below 1.15e-9.

    References
    ----------
    .. [1] P. J. Acklam, An algorithm for computing the inverse normal cumulative distribution function, 2003.
    """
    centred = shares - 0.5
    square = centred**2
    central = centred * np.polyval(_CENTRAL[0], square) / np.polyval(_CENTRAL[1], square)
    outer = np.sqrt(-2 * np.log(np.minimum(shares, 1 - shares)))
    tail = np.polyval(_TAIL[0], outer) / np.polyval(_TAIL[1], outer)
    in_tail = np.minimum(shares, 1 - shares) < _TAIL_SHARE
    return np.where(in_tail, np.where(shares < 0.5, tail, -tail), central)


@dataclass(frozen=True)
class TrafficClass:
    """Requests that are alike.

    `share` is the class's part of all requests (only ratios matter). `cached_share` of each prompt is found in the
    prefix cache; its memory is shared between requests if `prefix_is_shared`, as for a system prompt. With `sessions`,
    requests belong to that many conversations, and find their prefix only where theirs was served before.
    """

    share: float
    prompt: Lengths
    output: Lengths
    cached_share: float = 0.0
    prefix_is_shared: bool = False
    sessions: int = 0
    priority: int = 0


@dataclass(frozen=True)
class TrafficSample:
    """A fixed draw of requests; `at_rate` only stretches the time between them."""

    requests: Requests
    arrivals: Arrivals
    seed: int

    def __len__(self) -> int:
        return len(self.requests)

    def of_length(self, count: int) -> TrafficSample:
        """The same requests, repeated as often as needed to make `count`."""
        repeated = np.arange(count) % max(len(self), 1)
        return TrafficSample(self.requests.take(repeated), self.arrivals, self.seed)

    def at_rate(self, rate_per_s: float, count: int | None = None) -> Requests:
        """The first `count` requests (all by default) at a mean rate."""
        chosen = self.requests if count is None else self.requests.take(np.arange(min(count, len(self))))
        return chosen.arriving(self.arrivals.times_s(len(chosen), rate_per_s, self.seed))

    def mix(self, class_index: int | None = None) -> RequestMix:
        """Moments of these very requests, so that closed form and simulation see the same lengths."""
        requests = self.requests
        if class_index is not None:
            requests = requests.take(np.flatnonzero(requests.class_index == class_index))
        return request_mix(requests.prompt_tokens, requests.output_tokens, requests.cached_tokens)


def traffic_sample(
    classes: Sequence[TrafficClass], count: int, seed: int = 0, arrivals: Arrivals | None = None
) -> TrafficSample:
    """Draw `count` requests.

    Parameters
    ----------
    classes : sequence of TrafficClass
        Each request is of one of them, at random by share.
    seed : int
        The same seed gives the same requests to the bit, and at another rate or for other lengths the same draws.
    arrivals : Arrivals, optional
        Poisson by default.

    Notes
    -----
    Lengths are drawn by stratified sampling: every run of 1,000 requests of a class holds one draw from each thousandth
    of the distribution, which keeps a long tail from making one run heavier than the next.
    """
    kind = _class_of(classes, count, seed)
    columns = {name: np.zeros(count, dtype=np.int64) for name in ("prompt", "output", "cached", "shared", "priority")}
    session = np.full(count, -1, dtype=np.int64)
    first_session = 0
    for number, one in enumerate(classes):
        mine = np.flatnonzero(kind == number)
        rng = np.random.default_rng((seed, 3, number))
        prompt = _tokens(one.prompt, stratified(len(mine), rng))
        cached = np.floor(prompt * one.cached_share).astype(np.int64)
        columns["prompt"][mine] = prompt
        columns["output"][mine] = _tokens(one.output, stratified(len(mine), rng))
        columns["cached"][mine] = cached
        columns["shared"][mine] = cached if one.prefix_is_shared else 0
        columns["priority"][mine] = one.priority
        if one.sessions:
            session[mine] = first_session + rng.integers(0, one.sessions, len(mine))
            first_session += one.sessions
    requests = requests_at(
        np.zeros(count),
        columns["prompt"],
        columns["output"],
        columns["cached"],
        columns["shared"],
        kind,
        columns["priority"],
        session,
    )
    return TrafficSample(requests, arrivals or PoissonArrivals(), seed)


STRATA = 1000


def stratified(count: int, rng: np.random.Generator) -> Floats:
    """Shares in (0, 1), shape (count,): each run of `STRATA` (and what is left) spread evenly, in random order."""
    blocks = []
    for start in range(0, count, STRATA):
        size = min(STRATA, count - start)
        blocks.append((rng.permutation(size) + rng.uniform(1e-12, 1 - 1e-12, size)) / size)
    return np.concatenate(blocks) if blocks else np.zeros(0)


def _class_of(classes: Sequence[TrafficClass], count: int, seed: int) -> Integers:
    shares = np.array([one.share for one in classes])
    edges = np.cumsum(shares / shares.sum())
    drawn = np.random.default_rng((seed, 4)).random(count)
    return np.minimum(np.searchsorted(edges, drawn, side="right"), len(classes) - 1).astype(np.int64)


def _tokens(lengths: Lengths, shares: Floats) -> Integers:
    return np.maximum(np.rint(lengths.at(shares)), 1).astype(np.int64)
