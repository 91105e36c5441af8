"""Latency of a service at a request rate, by the closed forms that plans use, a case at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import NormalDist

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.engine_release import admission_of, engine_of_release
from gpuplanner_gui.engine.serving.load.balance import load_states
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.predict.run_in_time import Paces, RunInTime, SentRequests, run_in_time
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, apart_steps
from gpuplanner_gui.engine.serving.tabulated import OF_ONE, deployment_steps, usual_work
from gpuplanner_gui.engine.simulation.arrivals import Arrivals, GammaArrivals, PoissonArrivals
from gpuplanner_gui.engine.simulation.requests import BIN_EDGES, RequestMix
from gpuplanner_gui.engine.simulation.traffic import (
    LognormalLength,
    TrafficClass,
    TrafficSample,
    UniformLength,
    traffic_sample,
)

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


def even_length(mean: float, spread: float, cut_tokens: float = 0.0) -> UniformLength:
    """Lengths as likely anywhere around a mean, of a coefficient of variation; none beyond `cut_tokens`."""
    reach = math.sqrt(3) * spread * mean
    if cut_tokens > mean:
        reach = min(reach, cut_tokens - mean)
    low = max(mean - reach, min(1.0, mean))
    return UniformLength(low, 2 * mean - low)


def length_of(mean: float, spread: float, cut_tokens: float = 0.0) -> LognormalLength:
    """Lognormal lengths of a mean and a coefficient of variation; the farthest thousandth is cut.

    With `cut_tokens`, longer ones are that long: the spread is that before the cut, the mean that after it.
    """
    sigma = math.sqrt(math.log1p(spread**2))
    if 0 < mean < cut_tokens:
        return LognormalLength(_median_before_cut(mean, sigma, cut_tokens), sigma, cut_tokens)
    median = max(mean / math.exp(sigma**2 / 2), 1.0)
    longest = median * math.exp(sigma * NormalDist().inv_cdf(0.999))
    return LognormalLength(median, sigma, max(longest, 1.0))


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
    table = deployment_steps(deployed, usual_work(mix, budget), budget, limit, OF_ONE)
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
