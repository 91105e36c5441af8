"""Traffic of several request classes, drawn once and used at every rate and for every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.quantity import Lognormal, Quantity
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.domain.traffic import LengthFigures, TraceFigures
from gpuplanner_gui.domain.workload import ServingWorkload
from gpuplanner_gui.engine.simulation.arrivals import WINDOWS_S, Arrivals, PoissonArrivals
from gpuplanner_gui.engine.simulation.requests import RequestMix, Requests, request_mix, requests_at
from gpuplanner_gui.engine.uncertainty.distributions import quantile


@dataclass(frozen=True)
class Lengths:
    """A distribution of lengths in tokens; those above `longest` become `longest`."""

    quantity: Quantity
    longest: float = np.inf

    def at(self, shares: Floats) -> Floats:
        """Quantiles at shares strictly between 0 and 1, same shape. [tokens]"""
        return np.minimum(quantile(self.quantity, shares), self.longest)


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
        return request_mix(
            requests.prompt_tokens, requests.output_tokens, requests.cached_tokens, kind=requests.class_index
        )


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


_CORRELATED = 200_000
"""Requests over which ranks are compared."""


def trace_figures(trace: Trace) -> TraceFigures:
    """The figures of a trace.

    The mean rate is requests over the time from the first to the last; a trace of one moment has the rate 0.

    References
    ----------
    .. [1] docs/derivations/load.md#recorded-traffic: peak over mean in windows of 1 s and 60 s, CV of the gaps,
       prefix hits.
    """
    times = trace.arrival_s
    duration = float(times[-1] - times[0]) if len(trace) else 0.0
    peaks = [_known(peak_over_mean(times, window)) for window in WINDOWS_S]
    prompt_sum = float(trace.prompt_tokens.sum())
    return TraceFigures(
        name=trace.name,
        requests=len(trace),
        duration_s=duration,
        rate_per_s=len(trace) / duration if duration > 0 else 0.0,
        peak_over_mean_1s=peaks[0],
        peak_over_mean_10s=peaks[1],
        peak_over_mean_60s=peaks[2],
        gap_cv=_known(gap_cv(times)),
        prompt_tokens=length_figures(trace.prompt_tokens),
        output_tokens=length_figures(trace.output_tokens),
        length_correlation=rank_correlation(trace.prompt_tokens[:_CORRELATED], trace.output_tokens[:_CORRELATED]),
        prefix_share=float(trace.cached_tokens.sum()) / prompt_sum if trace.has_prefixes and prompt_sum else None,
    )


def peak_over_mean(arrival_s: Floats, window_s: float) -> float:
    """Largest count in one of consecutive whole windows over their mean; NaN for less than one window.

    Takes memory by the arrivals and not by the windows: a trace may last for years.
    """
    if not len(arrival_s):
        return float("nan")
    windows = int((arrival_s[-1] - arrival_s[0]) / window_s)
    if windows < 1:
        return float("nan")
    inside = ((arrival_s - arrival_s[0]) / window_s).astype(np.int64)
    inside = inside[inside < windows]
    _, counts = np.unique(inside, return_counts=True)
    return float(counts.max() * windows / len(inside))


def gap_cv(arrival_s: Floats) -> float:
    """Standard deviation of the gaps between arrivals over their mean; NaN for fewer than two gaps."""
    gaps = np.diff(arrival_s)
    return float(gaps.std() / gaps.mean()) if len(gaps) > 1 and gaps.mean() > 0 else float("nan")


def length_figures(tokens: Integers) -> LengthFigures:
    """Mean, percentiles and spread of lengths, shape (n,), n ≥ 1, each 1 or more."""
    p50, p90, p95, p99 = np.quantile(tokens, (0.5, 0.9, 0.95, 0.99)).tolist()
    return LengthFigures(
        mean=float(tokens.mean()),
        p50=p50,
        p90=p90,
        p95=p95,
        p99=p99,
        longest=float(tokens.max()),
        log_sd=float(np.log(tokens).std()),
    )


def rank_correlation(first: Floats | Integers, second: Floats | Integers) -> float:
    """Spearman's correlation of two columns, equal values with their mean rank; 0 where one of them is constant."""
    ranks = [_ranks(column) for column in (first, second)]
    spread = [float(one.std()) for one in ranks]
    if len(first) < 2 or not all(spread):
        return 0.0
    centred = [one - one.mean() for one in ranks]
    return float(np.clip((centred[0] @ centred[1]) / (len(first) * spread[0] * spread[1]), -1.0, 1.0))


def _ranks(column: Floats | Integers) -> Floats:
    _, place, counts = np.unique(column, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[place])


def _known(number: float) -> float:
    return number if np.isfinite(number) else 0.0


@dataclass(frozen=True)
class TraceArrivals:
    """A trace's own arrival times, stretched to the rate asked for; the trace begins again where it ends.

    The first `count` arrivals have the mean rate asked for, however quiet the trace's beginning is.
    """

    arrival_s: Floats

    def times_s(self, count: int, rate_per_s: float, seed: int) -> Floats:
        """See `engine.simulation.arrivals.Arrivals`; `seed` has nothing to draw."""
        own = self.arrival_s
        if not count:
            return np.zeros(0)
        round_s = own[-1] * len(own) / max(len(own) - 1, 1) if own[-1] > 0 else float(len(own))
        index = np.arange(count)
        times = own[index % len(own)] + index // len(own) * round_s
        span = times[-1] if times[-1] > 0 else round_s
        return np.asarray(times * (count / (rate_per_s * span)))


def trace_sample(trace: Trace, longest_tokens: float = np.inf) -> TrafficSample:
    """A trace as traffic to simulate at any rate; prompts are cut so that the longest context is kept."""
    requests = requests_at(
        trace.arrival_s, trace.prompt_tokens, trace.output_tokens, trace.cached_tokens, session=trace.session
    ).within(longest_tokens)
    return TrafficSample(requests, TraceArrivals(trace.arrival_s), 0)


def serving_of_trace(serving: ServingWorkload, figures: TraceFigures) -> ServingWorkload:
    """The service with a trace's lengths, shared prefixes and burstiness; its rate, targets and all else stay.

    The first request class takes the lengths, as lognormals of the trace's mean and spread.
    """
    first = msgspec.structs.replace(
        serving.classes[0],
        prompt_tokens=_lognormal(figures.prompt_tokens),
        output_tokens=_lognormal(figures.output_tokens),
        prefix_cache_share=min(figures.prefix_share or 0.0, LARGEST_PREFIX_SHARE),
    )
    traffic = msgspec.structs.replace(
        serving.traffic,
        arrivals="trace",
        burstiness_cv=float(np.clip(figures.gap_cv or 1.0, *CV_BOUNDS)),
        peak_over_mean_1s=float(np.clip(figures.peak_over_mean_1s, *PEAK_BOUNDS)),
        peak_over_mean_10s=float(np.clip(figures.peak_over_mean_10s, *PEAK_BOUNDS)),
        peak_over_mean_60s=float(np.clip(figures.peak_over_mean_60s, *PEAK_BOUNDS)),
        trace=figures,
    )
    return msgspec.structs.replace(serving, classes=(first, *serving.classes[1:]), traffic=traffic)


LARGEST_PREFIX_SHARE = 0.999
CV_BOUNDS, PEAK_BOUNDS = (0.1, 100.0), (1.0, 1000.0)
"""What the scenario's fields take."""


def _lognormal(lengths: LengthFigures) -> Lognormal:
    """The lognormal with the same mean and spread of logarithms, to three digits."""
    sigma = round(lengths.log_sd, 2)
    median = max(lengths.mean / float(np.exp(sigma**2 / 2)), 1.0)
    return Lognormal(float(f"{median:.3g}"), sigma)
