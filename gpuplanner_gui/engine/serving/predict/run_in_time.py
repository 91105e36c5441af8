"""A run of so many requests from its first to its last, as a fluid: batch and backlog rise and fall with time.

Published runs are short: a few hundred requests that come within seconds, whose answers take as long. Their batch is in
balance with the rate at no moment, so that no steady state stands for them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.simulation.requests import LengthBins

PARTS_OF_ANSWER = 120
"""Stretches of steps in a mean answer, and"""
MOST_PARTS = 3000
"""in a whole run, about; twice as many at most."""
LAST = math.exp(-np.euler_gamma)
"""Requests expected to be left at the mean end of the last of many (Gumbel)."""
LEFT = 1e-4
"""Share of requests that may be left when a run is over."""


@dataclass(frozen=True)
class SentRequests:
    """What a client sends to one replica."""

    rate_per_s: float
    count: float
    answers: LengthBins
    """Answer lengths, in steps."""


@dataclass(frozen=True)
class Paces:
    """Steps of a replica by the sequences in them, shape (batches,)."""

    sequences: Floats
    decode_s: Floats
    one_s: Floats
    """What the first prompt that begins in a step adds to it,"""
    further_s: Floats
    """and each further one,"""
    most_begun: Floats
    """up to so many."""

    def at(self, sequences: float) -> Pace:
        columns = (self.decode_s, self.one_s, self.further_s, self.most_begun)
        return Pace(*(float(np.interp(sequences, self.sequences, column)) for column in columns))


@dataclass(frozen=True)
class Pace:
    """The same for one batch."""

    decode_s: float
    one_s: float
    further_s: float
    most_begun: float

    def step_s(self, begun: float) -> float:
        """A step in which so many prompts begin. [s]"""
        return self.decode_s + self.one_s * min(begun, 1.0) + self.further_s * max(begun - 1.0, 0.0)

    def begun_at(self, rate_per_s: float) -> float:
        """Prompts that begin per step where each step takes in those that came during the last. [1]"""
        begun = self.most_begun
        if rate_per_s * self.one_s < 1.0:
            begun = rate_per_s * self.decode_s / (1.0 - rate_per_s * self.one_s)
        if begun > 1.0:
            over = 1.0 - rate_per_s * self.further_s
            begun = rate_per_s * (self.decode_s + self.one_s - self.further_s) / over if over > 0 else self.most_begun
        return min(begun, self.most_begun)


@dataclass(frozen=True)
class RunInTime:
    """Stretches of steps from the first request to the last answer, shape (stretches,)."""

    steps: float
    """Steps of each stretch of the run."""
    count: float
    answers: LengthBins
    sequences: Floats
    begun: Floats
    """Requests that begin in a stretch, after"""
    delays_s: Floats
    """a wait for those before them."""
    times_s: Floats
    """Times at the ends of the stretches, 0 first; shape (stretches + 1,)."""

    @property
    def begun_per_step(self) -> Floats:
        return self.begun / self.steps

    @property
    def numbers(self) -> Floats:
        """Requests before those of each stretch, and half of these."""
        return np.asarray(np.cumsum(self.begun) - 0.5 * self.begun)

    @property
    def end_s(self) -> float:
        """When the last answer ends, on average: none is left where so few are expected to be. [s]"""
        going = np.flatnonzero(self.sequences >= LAST)
        return float(self.times_s[going[-1] + 1] if len(going) else self.times_s[-1])

    def moments(self, most: int) -> NDArray[np.int64]:
        """Stretches in which requests begin, at even distances in requests."""
        reached = np.cumsum(self.begun)
        wanted = (np.arange(most) + 0.5) / most * reached[-1]
        return np.asarray(np.searchsorted(reached, wanted))

    def answers_s(self, chosen: NDArray[np.int64]) -> tuple[Floats, Floats, Floats]:
        """Time that answers take that begin in given stretches, shape (chosen, lengths); lengths and their shares."""
        ends = np.arange(len(self.times_s)) * self.steps
        start = (chosen + 0.5) * self.steps
        stop = start[:, None] + self.answers.value
        last_step_s = (self.times_s[-1] - self.times_s[-2]) / self.steps
        beyond = np.maximum(stop - ends[-1], 0.0) * last_step_s
        spent = np.interp(stop, ends, self.times_s) + beyond - np.interp(start, ends, self.times_s)[:, None]
        return spent, self.answers.value, self.answers.share

    def gaps(self, at: LoadStates, chosen: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """Times between tokens and how many take them: steps without prompts and steps with them."""
        share = at.mixed_share[:, 0]
        weight = self.sequences[chosen] * self.steps
        times = np.stack([at.decode_step_s[:, 0], at.mixed_step_s[:, 0]], axis=1)
        return times, np.stack([weight * (1.0 - share), weight * share], axis=1)


def run_in_time(sent: SentRequests, paces: Paces, places: float) -> RunInTime:
    """Follow a run, stretch by stretch.

    Requests come evenly, begin while there are places and steps can read their prompts, and hold their place for as
    many steps as their answer has.
    """
    mean = float(sent.answers.share @ sent.answers.value)
    sending_s = sent.count / sent.rate_per_s
    generations = 1.0 + sent.count / places
    whole = sending_s / float(paces.decode_s[0]) + generations * float(sent.answers.value.max())
    steps = max(1.0, mean / PARTS_OF_ANSWER, whole / MOST_PARTS)
    running = _running(sent.answers, steps)
    begun: list[float] = []
    sequences: list[float] = []
    delays: list[float] = []
    times = [0.0]
    waiting, left, held, number = 0.0, sent.count, 0.0, 0.0
    for _ in range(2 * MOST_PARTS):
        recent = np.array(begun[-(len(running) - 1) :][::-1])
        held = float(recent @ running[1 : len(recent) + 1]) if len(recent) else 0.0
        pace = paces.at(held)
        free = max(places - held, 0.0)
        come = min(pace.begun_at(sent.rate_per_s) * steps, left)
        starts = min(waiting + come, pace.most_begun * steps, free)
        taken_s = pace.step_s(starts / steps) * steps
        came = min(sent.rate_per_s * taken_s, left)
        if starts >= waiting + come:
            starts = min(waiting + came, pace.most_begun * steps, free)
        starts = min(starts, waiting + came)
        was_waiting = waiting > 0
        waiting, left = waiting + came - starts, left - came
        sent_s = (number + 0.5 * starts) / sent.rate_per_s
        number += starts
        is_late = was_waiting or waiting > 0
        delays.append(max(times[-1] + 0.5 * taken_s - sent_s, 0.0) if is_late else 0.0)
        begun.append(starts)
        sequences.append(held + starts * float(running[0]))
        times.append(times[-1] + taken_s)
        if left + waiting + held + starts <= LEFT * sent.count:
            break
    columns = (np.array(one) for one in (sequences, begun, delays, times))
    return RunInTime(steps, sent.count, sent.answers, *columns)


def _running(answers: LengthBins, steps: float) -> Floats:
    """Share of requests that decode in each stretch from the one in which they began, on average over it."""
    stretches = int(np.ceil(answers.value.max() / steps)) + 2
    edges = np.maximum((np.arange(stretches + 1) - 0.5) * steps, 0.0)
    spent = np.minimum(answers.value, edges[:, None]) @ answers.share
    return np.asarray(np.diff(spent) / steps)
