"""What a simulated run says: latency of each request, inter-token latency as weighted segments, use of the replica."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.load_result import TargetResult
from gpuplanner_gui.domain.workload import LatencyMetric
from gpuplanner_gui.engine.simulation.requests import Requests

_MOST_PIECES = 8
_PIECE_GROWTH = 0.01
"""A run of decode steps counts in percentiles as equally spaced values, one for each percent that its times grow by, up
to eight."""


@dataclass(frozen=True)
class ItlSegments:
    """Runs of equal batches: `steps` times that grow evenly from `first_s` to `last_s`, each for `sequences` sequences.

    Shape (segments,) each. Never one entry per token.
    """

    start_s: Floats
    first_s: Floats
    last_s: Floats
    steps: Floats
    sequences: Floats

    def between(self, start_s: float, end_s: float) -> ItlSegments:
        """Segments that start in a window."""
        kept = (self.start_s >= start_s) & (self.start_s < end_s)
        return ItlSegments(*(getattr(self, column.name)[kept] for column in fields(self)))

    def mean_s(self) -> float:
        weight = self.steps * self.sequences
        total = weight.sum()
        return float((weight * (self.first_s + self.last_s)).sum() / (2 * total)) if total else float("nan")

    def values(self) -> tuple[Floats, Floats, Integers]:
        """Times, their weights in tokens, and the segment each is of; long segments in a few pieces."""
        growth = (self.last_s - self.first_s) / np.maximum(self.first_s, np.finfo(float).tiny)
        wanted = np.clip(np.ceil(growth / _PIECE_GROWTH), 1, _MOST_PIECES)
        pieces = np.minimum(self.steps, wanted).astype(np.int64)
        ends = np.cumsum(pieces)
        owner = _owners(ends)
        number = np.arange(len(owner)) - (ends - pieces)[owner]
        position = (number + 0.5) / pieces[owner]
        spread = position * (self.last_s - self.first_s)[owner]
        return self.first_s[owner] + spread, (self.steps * self.sequences / pieces)[owner], owner


def _owners(ends: Integers) -> Integers:
    """0 as often as the first end says, 1 up to the second and so on; unlike `numpy.repeat`, other threads run."""
    marks = np.zeros(int(ends[-1]) if len(ends) else 0, dtype=np.int64)
    marks[ends[:-1]] = 1
    return np.cumsum(marks)


@dataclass(frozen=True)
class SimulationResult:
    """One run; arrays over requests in the order of `requests`, NaN where a request was rejected or not finished.

    `request_seconds` is the integral over time of the requests in the system, `sequence_seconds` that of the running
    sequences, `kv_token_seconds` that of the KV tokens held; all summed over replicas.
    """

    requests: Requests
    sent_s: Floats
    first_token_s: Floats
    finish_s: Floats
    rejected: Integers
    itl: ItlSegments
    preemptions: int
    steps: int
    end_s: float
    request_seconds: float
    sequence_seconds: float
    kv_token_seconds: float
    peak_kv_tokens: float
    kv_capacity_tokens: float
    replicas: int

    @property
    def ttft_s(self) -> Floats:
        return self.first_token_s - self.sent_s

    @property
    def e2e_s(self) -> Floats:
        return self.finish_s - self.sent_s

    @property
    def tpot_s(self) -> Floats:
        """Mean time per output token after the first, of each request; NaN for a single token."""
        further = self.requests.output_tokens - 1.0
        return np.where(further > 0, (self.finish_s - self.first_token_s) / np.maximum(further, 1.0), np.nan)

    @property
    def is_finished(self) -> Booleans:
        return np.isfinite(self.finish_s)

    @property
    def throughput_per_s(self) -> float:
        """Finished requests over the time from the first arrival to the last answer. [1/s]"""
        finished = self.is_finished
        if not finished.any():
            return 0.0
        return float(finished.sum() / (np.nanmax(self.finish_s) - np.nanmin(self.sent_s)))

    @property
    def output_tokens_per_s(self) -> float:
        finished = self.is_finished
        if not finished.any():
            return 0.0
        tokens = self.requests.output_tokens[finished].sum()
        return float(tokens / (np.nanmax(self.finish_s) - np.nanmin(self.sent_s)))

    @property
    def mean_kv_share(self) -> float:
        """KV cache in use over its size, averaged over time; 0 for an unlimited cache."""
        elapsed = self.end_s * self.replicas
        return self.kv_token_seconds / (elapsed * self.kv_capacity_tokens) if elapsed > 0 else 0.0

    @property
    def peak_kv_share(self) -> float:
        return self.peak_kv_tokens / self.kv_capacity_tokens

    @property
    def littles_law_error(self) -> float:
        """Relative difference of mean number in system and arrival rate × mean time in system, of a finished run."""
        time_in_system = float(np.nansum(self.e2e_s))
        return abs(self.request_seconds / time_in_system - 1) if time_in_system > 0 else 0.0

    def class_itl(self, class_index: int) -> ItlSegments:
        """Inter-token latency that one class saw: segments weighted with its own sequences running at their start."""
        chosen = (self.requests.class_index == class_index) & self.is_finished
        started = np.sort(self.first_token_s[chosen])
        ended = np.sort(self.finish_s[chosen])
        at = self.itl.start_s
        running = np.searchsorted(started, at, side="right") - np.searchsorted(ended, at, side="right")
        share = np.minimum(running, self.itl.sequences).astype(np.float64)
        return ItlSegments(at, self.itl.first_s, self.itl.last_s, self.itl.steps, share)


PERCENTILES = (0.50, 0.90, 0.95, 0.99)
"""Shares that every summary reports, in this order."""

BATCHES = 10
"""Consecutive batches of one run whose spread gives its confidence band."""

STUDENT_90 = 1.383
"""0.9 quantile of Student's t with `BATCHES` − 1 degrees of freedom: an 80 % band on both sides."""


@dataclass(frozen=True)
class Percentiles:
    """Mean and percentiles of a latency; `band_s` is half the width of the 80 % confidence band of each percentile."""

    mean_s: float
    at_s: Floats
    band_s: Floats

    def of(self, share: float) -> float:
        """One of `PERCENTILES`."""
        return float(self.at_s[PERCENTILES.index(share)])


def weighted_percentiles(values: Floats, weights: Floats, shares: Floats) -> Floats:
    """Smallest values below or at which the given shares of the weight lie; NaN without any weight."""
    order = np.argsort(values, kind="stable")
    return _of_ordered(values[order], weights[order], shares)


def _of_ordered(values: Floats, weights: Floats, shares: Floats) -> Floats:
    reached = np.cumsum(weights)
    if not len(reached) or not reached[-1] > 0:
        return np.full(len(shares), np.nan)
    position = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1 - 1e-12))
    return np.asarray(values[np.minimum(position, len(values) - 1)])


def percentiles(values: Floats) -> Percentiles:
    """Percentiles of values in order of time; NaN values do not count.

    The band comes from percentiles of consecutive batches (batch means); it is NaN with fewer than two values in each.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        unknown = np.full(len(PERCENTILES), np.nan)
        return Percentiles(float("nan"), unknown, unknown)
    at = np.quantile(finite, PERCENTILES)
    size = len(finite) // BATCHES
    if size < 2:
        return Percentiles(float(finite.mean()), at, np.full(len(PERCENTILES), np.nan))
    batches = finite[: size * BATCHES].reshape(BATCHES, size)
    return Percentiles(float(finite.mean()), at, _band(np.quantile(batches, PERCENTILES, axis=1).T))


def percentiles_of_batches(batches: Iterable[tuple[Floats, Floats]]) -> Percentiles:
    """Percentiles of weighted values in consecutive batches of time; each is put in order for itself, so that a long
    run's caller comes to speak in between."""
    shares = np.asarray(PERCENTILES)
    parts = []
    for values, weights in batches:
        order = np.argsort(values, kind="stable")
        parts.append((values[order], weights[order]))
    by_batch = [_of_ordered(values, weights, shares) for values, weights in parts]
    known = np.array([row for row in by_batch if np.isfinite(row).all()]).reshape(-1, len(shares))
    all_values, all_weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    total = all_weights.sum()
    mean = float(all_weights @ all_values / total) if total > 0 else float("nan")
    return Percentiles(mean, weighted_percentiles(all_values, all_weights, shares), _band(known))


def _band(by_batch: Floats) -> Floats:
    """Half width from percentiles of batches, shape (batches, percentiles)."""
    if len(by_batch) < 2:
        return np.full(by_batch.shape[1], np.nan)
    return np.asarray(STUDENT_90 * by_batch.std(axis=0, ddof=1) / np.sqrt(len(by_batch)))


WARM_UP_SHARE = 0.1
LONGEST_WARM_UP_SHARE = 0.5
WARM_UP_REQUESTS_TIMES = 1.5
"""A run's figures leave out its first tenth, or, up to its half, 1.5 times the median time of a request: until then
the batch is still filling."""

OVERLOAD_WAIT_RATIO = 1.5
"""TTFT of the second half over that of the first beyond which a growing backlog counts as overload."""

_BACKLOG_SHARE = 0.02
_BACKLOG_DEVIATIONS = 3.0
"""A backlog counts as growing if it gains 2 % of the arrivals and three standard deviations of a Poisson number."""


@dataclass(frozen=True)
class LatencyTarget:
    """A limit on a percentile of a latency, for one class of requests or (None) for all.

    `percentile` is a share, 0.95 for p95; None stands for the mean.
    """

    metric: LatencyMetric
    percentile: float | None
    limit_s: float
    class_index: int | None = None

    def answered(self, measured_s: float) -> TargetResult:
        """The target with what a run gave for it."""
        return TargetResult(
            metric=self.metric,
            percentile=100 * self.percentile if self.percentile is not None else math.nan,
            limit_s=self.limit_s,
            measured_s=measured_s,
            class_index=-1 if self.class_index is None else self.class_index,
        )


@dataclass(frozen=True)
class RunSummary:
    """Figures of the steady part of one run; rates and tokens per second are of all replicas together."""

    rate_per_s: float
    requests: int
    ttft: Percentiles
    itl: Percentiles
    tpot: Percentiles
    e2e: Percentiles
    throughput_per_s: float
    output_tokens_per_s: float
    mean_sequences: float
    mean_kv_share: float
    peak_kv_share: float
    preemptions: int
    rejected: int
    littles_law_error: float
    is_overloaded: bool


def summarised(result: SimulationResult, rate_per_s: float, look: Callable[[], None] = lambda: None) -> RunSummary:
    """Figures of a run without its warm-up.

    ITL is taken up to the last arrival, since the batch empties after it. `look` is called between parts that take
    some tens of milliseconds for a million requests; it may raise.
    """

    def of_requests(latency_s: Floats) -> Percentiles:
        look()
        return percentiles(latency_s[kept])

    kept = slice(warm_up_requests(result), None)
    start_s, end_s = steady_window_s(result)
    elapsed = result.end_s * result.replicas
    done = (result.finish_s >= start_s) & (result.finish_s < end_s)
    width = max(end_s - start_s, np.finfo(float).tiny)
    return RunSummary(
        rate_per_s=rate_per_s,
        requests=len(result.sent_s),
        ttft=of_requests(result.ttft_s),
        itl=percentiles_of_batches(_itl_batches(result.itl, start_s, end_s, look)),
        tpot=of_requests(result.tpot_s),
        e2e=of_requests(result.e2e_s),
        throughput_per_s=float(done.sum() / width),
        output_tokens_per_s=float(result.requests.output_tokens[done].sum() / width),
        mean_sequences=result.sequence_seconds / elapsed if elapsed > 0 else 0.0,
        mean_kv_share=result.mean_kv_share,
        peak_kv_share=result.peak_kv_share,
        preemptions=result.preemptions,
        rejected=len(result.rejected),
        littles_law_error=result.littles_law_error,
        is_overloaded=is_overloaded(result),
    )


def warm_up_requests(result: SimulationResult) -> int:
    """Number of requests at the start of a run that its figures leave out."""
    sent, e2e = result.sent_s, result.e2e_s
    if not np.isfinite(e2e).any():
        return int(len(sent) * WARM_UP_SHARE)
    filled_s = sent[0] + WARM_UP_REQUESTS_TIMES * float(np.nanmedian(e2e))
    filling = int(np.searchsorted(sent, filled_s))
    return int(min(max(filling, len(sent) * WARM_UP_SHARE), len(sent) * LONGEST_WARM_UP_SHARE))


def steady_window_s(result: SimulationResult) -> tuple[float, float]:
    """Time from the arrival of the first counted request to the last arrival. [s]"""
    sent = result.sent_s
    if not len(sent):
        return 0.0, 0.0
    return float(sent[warm_up_requests(result)]), float(sent[-1])


def _itl_batches(
    segments: ItlSegments, start_s: float, end_s: float, look: Callable[[], None]
) -> Iterator[tuple[Floats, Floats]]:
    """Inter-token latencies and their weights in equal parts of a window."""
    edges = np.linspace(start_s, end_s, BATCHES + 1)
    for first_s, last_s in pairwise(edges.tolist()):
        look()
        values, weights, _ = segments.between(first_s, last_s).values()
        yield values, weights


def is_overloaded(result: SimulationResult) -> bool:
    """Whether the queue grew over the run: more requests came than got a first token, and later ones waited longer."""
    start_s, end_s = steady_window_s(result)
    arrived = int(((result.sent_s > start_s) & (result.sent_s <= end_s)).sum())
    started = int(((result.first_token_s > start_s) & (result.first_token_s <= end_s)).sum())
    queued_first = int((result.sent_s <= start_s).sum() - (result.first_token_s <= start_s).sum())
    noise = _BACKLOG_DEVIATIONS * np.sqrt(max(queued_first, 1))
    if arrived - started < max(_BACKLOG_SHARE * arrived, noise):
        return False
    ttft = result.ttft_s[warm_up_requests(result) :]
    middle = len(ttft) // 2
    first, second = np.nanmean(ttft[:middle]), np.nanmean(ttft[middle:])
    return bool(second > OVERLOAD_WAIT_RATIO * first)


def measured_s(result: SimulationResult, target: LatencyTarget) -> float:
    """What a run gives for the latency that a target limits, without its warm-up; NaN if no request tells."""
    return measured_between_s(result, target, *steady_window_s(result))


def measured_between_s(result: SimulationResult, target: LatencyTarget, start_s: float, end_s: float) -> float:
    """The same over the requests sent, and the tokens begun, from `start_s` to `end_s`."""
    if target.metric == "itl":
        segments = result.itl if target.class_index is None else result.class_itl(target.class_index)
        values, weights, _ = segments.between(start_s, end_s).values()
        return weighted_statistic(values, weights, target.percentile)
    by_metric = {"ttft": result.ttft_s, "tpot": result.tpot_s, "e2e": result.e2e_s}
    values = by_metric[target.metric]
    counts = (result.sent_s >= start_s) & (result.sent_s <= end_s) & np.isfinite(values)
    if target.class_index is not None:
        counts &= result.requests.class_index == target.class_index
    return statistic_of(values[counts], target.percentile)


def weighted_statistic(values: Floats, weights: Floats, percentile: float | None) -> float:
    """The mean, or a percentile as a share, of values that count by their weights; NaN without any weight."""
    if percentile is None:
        return float(weights @ values / weights.sum()) if weights.sum() > 0 else float("nan")
    return float(weighted_percentiles(values, weights, np.array([percentile]))[0])


def statistic_of(values: Floats, percentile: float | None) -> float:
    """The mean, or a percentile as a share; NaN of nothing."""
    if not len(values):
        return float("nan")
    return float(values.mean() if percentile is None else np.quantile(values, percentile))


def meets(result: SimulationResult, targets: Sequence[LatencyTarget]) -> bool:
    """Whether a run keeps every target; a growing backlog or a rejected request breaks them all."""
    return keeps_up(result) and not any(measured_s(result, target) > target.limit_s for target in targets)


def keeps_up(result: SimulationResult) -> bool:
    """Whether no request was rejected and no backlog grew."""
    return not len(result.rejected) and not is_overloaded(result)
