"""Latency of a service at a request rate, by the closed forms that plans use, a case at a time; and a run in time.

Published runs are short: a few hundred requests that come within seconds, whose answers take as long. Their batch is in
balance with the rate at no moment, so that no steady state stands for them: from the first request to the last, batch
and backlog rise and fall with time, as a fluid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.quantity import Lognormal, Range
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.engine_release import admission_of, engine_of_release
from gpuplanner_gui.engine.serving.load.balance import load_states
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, apart_steps
from gpuplanner_gui.engine.serving.tabulated import deployment_steps, usual_work
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, GammaArrivals, PoissonArrivals
from gpuplanner_gui.engine.simulation.requests import BIN_EDGES, LengthBins, RequestMix
from gpuplanner_gui.engine.simulation.traffic import (
    Lengths,
    TrafficClass,
    TrafficSample,
    traffic_sample,
)

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


USUAL_REQUESTS = 500
"""Requests of a run that does not state their number."""

MOST_REQUESTS = 5000
CACHED_PROMPT_SHARE = 0.95
"""Share of a cached prompt that is not computed: all but its end."""


def case_sample(case: ServingCase, seed: int) -> TrafficSample:
    """Requests as a case's client sent them; which, by chance of the seed."""
    count = min(case.requests or USUAL_REQUESTS, MOST_REQUESTS)
    drawn = even_length if case.draws_evenly else length_of
    one = TrafficClass(
        share=1.0,
        prompt=drawn(case.prompt_tokens, case.prompt_spread),
        output=drawn(case.output_tokens, case.output_spread, case.longest_output),
        cached_share=CACHED_PROMPT_SHARE if case.prefix_is_cached else 0.0,
    )
    arrivals: Arrivals = PoissonArrivals() if case.arrival_cv == 1.0 else GammaArrivals(case.arrival_cv)
    return traffic_sample([one], count, seed, arrivals)


def even_length(mean: float, spread: float, cut_tokens: float = 0.0) -> Lengths:
    """Lengths as likely anywhere around a mean, of a coefficient of variation; none beyond `cut_tokens`."""
    reach = math.sqrt(3) * spread * mean
    if cut_tokens > mean:
        reach = min(reach, cut_tokens - mean)
    low = max(mean - reach, min(1.0, mean))
    return Lengths(Range(low, 2 * mean - low))


def length_of(mean: float, spread: float, cut_tokens: float = 0.0) -> Lengths:
    """Lognormal lengths of a mean and a coefficient of variation; the farthest thousandth is cut.

    With `cut_tokens`, longer ones are that long: the spread is that before the cut, the mean that after it.
    """
    sigma = math.sqrt(math.log1p(spread**2))
    if 0 < mean < cut_tokens:
        return Lengths(Lognormal(_median_before_cut(mean, sigma, cut_tokens), sigma), cut_tokens)
    median = max(mean / math.exp(sigma**2 / 2), 1.0)
    longest = median * math.exp(sigma * NormalDist().inv_cdf(0.999))
    return Lengths(Lognormal(median, sigma), max(longest, 1.0))


HALVINGS = 60


def _median_before_cut(mean: float, sigma: float, cut_tokens: float) -> float:
    """Median of the lognormal whose mean is `mean` once longer lengths are cut; by bisection of its logarithm."""
    normal, low, high = NormalDist(), 0.0, math.log(cut_tokens) + 8 * sigma
    if sigma == 0:
        return mean
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        at = (math.log(cut_tokens) - middle) / sigma
        kept = math.exp(middle + sigma**2 / 2) * normal.cdf(at - sigma) + cut_tokens * (1 - normal.cdf(at))
        low, high = (middle, high) if kept < mean else (low, middle)
    return math.exp(low)


SAMPLES = 1000
SEED = 1
PACES = 24
"""Batches at which steps are timed, and"""
MOMENTS = 60
"""moments of a run at which latency is asked."""
EASINGS = 12
BUSY_SHARE = 0.95
"""Prefill utilisation up to which the closed form's steady state describes a run."""
LEVELS = tuple(50.0 * (low + high) for low, high in pairwise(BIN_EDGES))
"""Percentiles that stand for all requests of one moment, as lengths are binned, and"""
PORTIONS = np.diff(BIN_EDGES)
"""the share that each stands for."""
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0}


def open_loop_values(cases: Sequence[ServingCase], found: Deployments, engine: EngineFacts) -> dict[str, Floats]:
    """Latencies and rates of every case."""
    columns: dict[str, list[float]] = {}
    for index, case in enumerate(cases):
        for name, value in _values(case, index, found, engine).items():
            columns.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in columns.items()}


def step_time_of(deployed: Deployments, mix: RequestMix, budget: int, limit: int) -> DeploymentSteps:
    """Steps of one case's replica."""
    table = deployment_steps(deployed, usual_work(mix, budget), budget, limit)
    return table if deployed.engine.mixes_prefill else apart_steps(table)


def _values(case: ServingCase, index: int, found: Deployments, newest: EngineFacts) -> dict[str, float]:
    engine = engine_of_release(newest, case.release, case.year)
    deployed = replace(found.at(np.array([index])), engine=engine)
    mix = case_sample(msgspec.structs.replace(case, requests=SAMPLES), SEED).mix()
    budget = case.token_budget or int(found.token_budget[index])
    limit = case.max_sequences or min(engine.max_sequences, int(found.max_sequences[index]))
    step = step_time_of(deployed, mix, budget, limit)
    context = np.asarray(case.prompt_tokens + case.output_tokens / 2)
    held = max(min(float(found.sequences_held(context)[index]), float(limit)), 1.0)
    admission = admission_of(engine, case.prompt_tokens)
    is_apart = not (engine.mixes_prefill or case.chunks_prompts)

    def states(requests_per_step: Floats, sequences: Floats | None = None) -> LoadStates:
        return load_states(
            step, requests_per_step[:, None], mix, budget, case.arrival_cv, admission, is_apart,
            sequences=None if sequences is None else sequences[:, None],
        )  # fmt: skip

    replicas = max(case.layout.replicas, 1.0)
    count = max(min(case.requests or USUAL_REQUESTS, MOST_REQUESTS) / replicas, 1.0)
    sent = SentRequests(case.rate_per_s / replicas, count, mix.output_bins)
    run = run_in_time(sent, paces(states, mix, held), held)
    return _metrics(case, run, states, engine.delivery_steps)


def paces(states: Callable[[Floats], LoadStates], mix: RequestMix, places: float) -> Paces:
    """What steps take at batches up to the most that a replica holds."""
    sequences = np.geomspace(min(0.1, places), places, PACES)
    requests = sequences / mix.output_tokens
    at = states(requests)
    decode_s, each_s = at.decode_step_s[:, 0], at.occupied_s[:, 0]
    if at.prefills_apart:
        # Prompts come first: decoding waits for as many of their steps as they fill.
        return Paces(sequences, decode_s, at.prompt_alone_s[:, 0], each_s, np.full(PACES, MOST_BEGUN))
    most = at.room_tokens[:, 0] / mix.computed_tokens
    full_s = most * each_s - decode_s
    alone_s = np.minimum(at.prompt_alone_s[:, 0] - at.prompts.number * decode_s, full_s / np.minimum(most, 1.0))
    return Paces(sequences, decode_s, alone_s, (full_s - alone_s) / np.maximum(most - 1.0, SMALL), most)


MOST_BEGUN = 1e9
SMALL = 1e-9


def _metrics(
    case: ServingCase, run: RunInTime, states: Callable[[Floats, Floats], LoadStates], delivery_steps: float
) -> dict[str, float]:
    """What a client reports: over the moments at which requests begin, and over what differs at each."""
    chosen = run.moments(MOMENTS)
    at = _eased(states, run.begun_per_step[chosen], run.sequences[chosen])
    rate = case.rate_per_s / max(case.layout.replicas, 1.0)
    at = at.waiting(chance_wait_s(rate, at.occupied_s, at.occupied_square_s2, run.numbers[chosen][:, None]))
    late_s = run.delays_s[chosen] + delivery_steps * at.mean_step_s[:, 0]
    weights = np.ones(len(chosen))
    ttft = at.ttft_mean_s[:, 0] + late_s
    answers_s, lengths, shares = run.answers_s(chosen)
    # Beside the mean pace of the replica, sequences meet their own step and the prompts behind them.
    own_s = (at.step_s - at.mean_step_s)[:, 0]
    tpot = answers_s / lengths + own_s[:, None]
    ttft_at = np.stack([at.ttft_s(level)[:, 0] + late_s for level in LEVELS], axis=1)
    tpot_off = np.stack([at.tpot_s(level)[:, 0] for level in LEVELS], axis=1) - at.token_s
    tpot_at = tpot[:, :, None] + tpot_off[:, None, :]
    of_answers = weights[:, None] * shares
    pooled = {
        "ttft": (ttft_at, weights[:, None] * PORTIONS),
        "tpot": (tpot_at, of_answers[:, :, None] * PORTIONS),
        "itl": run.gaps(at, chosen),
        "e2e": (ttft_at[:, None, :] + (tpot * lengths)[:, :, None], of_answers[:, :, None] * PORTIONS),
    }
    values: dict[str, float] = {"ttft_mean": _mean(ttft, weights), "tpot_mean": _mean(tpot, of_answers)}
    values["itl_mean"] = float((tpot * lengths * of_answers).sum() / (lengths * of_answers).sum())
    values["e2e_mean"] = _mean(ttft[:, None] + tpot * lengths, of_answers)
    for metric, (samples, portion) in pooled.items():
        for name, percentile in PERCENTILES.items():
            values[f"{metric}_{name}"] = weighted_quantile(samples, portion, percentile / 100)
    replicas = max(case.layout.replicas, 1.0)
    last_s = run.end_s + _mean(ttft - run.delays_s[chosen], weights)
    served = run.count / max(last_s, np.finfo(float).tiny) * replicas
    values["requests_per_s"] = served
    values["output_tokens_per_s"] = served * case.output_tokens
    return values


def _eased(states: Callable[[Floats, Floats], LoadStates], begun_per_step: Floats, sequences: Floats) -> LoadStates:
    """States in which prompts do not pile up: where they do, the run's own backlog is the wait."""
    for _ in range(EASINGS):
        at = states(begun_per_step, sequences)
        begun_per_step = begun_per_step * np.minimum(1.0, BUSY_SHARE / np.maximum(at.utilisation[:, 0], BUSY_SHARE))
    return at


@formula(
    title="Wait in a random run",
    unit="s",
    expression="(√(d² + number·occupied_square_s2) - d)/2, d = number·|1/rate_per_s - occupied_s|/2",
    source="random walk of the backlog in a run that starts empty "
    "(docs/derivations/closed-loops.md#runs-that-start-empty)",
)
def chance_wait_s(rate_per_s: float, occupied_s: Floats, occupied_square_s2: Floats, number: Floats) -> Floats:
    """Mean wait before the first chunk, beside what piles up at an even rate. [s]"""
    drift = 0.5 * number * np.abs(1.0 / rate_per_s - occupied_s)
    return np.asarray(0.5 * (np.hypot(drift, np.sqrt(number * occupied_square_s2)) - drift))


def _mean(values: Floats, weights: Floats) -> float:
    return float((values * weights).sum() / weights.sum())


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """The value below which a share of the weight lies."""
    flat = np.broadcast_to(values, np.broadcast_shapes(values.shape, weights.shape)).ravel()
    weight = np.broadcast_to(weights, np.broadcast_shapes(values.shape, weights.shape)).ravel()
    order = np.argsort(flat)
    reached = np.cumsum(weight[order])
    return float(flat[order][min(int(np.searchsorted(reached, share * reached[-1])), len(flat) - 1)])
