"""What a simulated run says: latency of each request, inter-token latency as weighted segments, use of the replica."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
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
