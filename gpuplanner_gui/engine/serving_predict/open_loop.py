"""Latency of a service at a request rate, by the closed forms that plans use, a case at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.mix import request_mix
from gpuplanner_gui.engine.load.traffic import stratified
from gpuplanner_gui.engine.serving_grid import candidate_step_time
from gpuplanner_gui.engine.serving_load import LoadStates, load_states, requests_at_rate, rising_rate_per_s
from gpuplanner_gui.engine.serving_predict.configuration import Configuration

Floats = NDArray[np.float64]

SAMPLES = 512
LOADS_PER_STEP = np.geomspace(1e-4, 1.0, 40)
BUSY_SHARE = 0.95
"""Of the capacity: load up to which the closed form's steady state is that of a run."""
PERCENTILES = {"p50": 50.0, "p90": 90.0, "p99": 99.0}


def open_loop_values(cases: Sequence[ServingCase], found: Configuration, engine: EngineFacts) -> dict[str, Floats]:
    """Latencies and rates of every case."""
    columns: dict[str, list[float]] = {}
    for index, case in enumerate(cases):
        for name, value in _values(case, index, found, engine).items():
            columns.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in columns.items()}


def _lengths(mean: float, spread: float, seed: int, draws_evenly: bool) -> Floats:
    """Lengths of a mean and a coefficient of variation, lognormal or even, at even shares."""
    if spread <= 0:
        return np.full(SAMPLES, mean)
    shape = np.sqrt(np.log1p(spread**2))
    shares = stratified(SAMPLES, np.random.default_rng(seed))
    if draws_evenly:
        return np.asarray(np.maximum(mean * (1 + math.sqrt(12) * spread * (shares - 0.5)), 1.0))
    normal = np.array([NormalDist().inv_cdf(float(share)) for share in shares])
    drawn = np.exp(shape * normal)
    return np.asarray(np.maximum(drawn * mean / drawn.mean(), 1.0))


def _values(case: ServingCase, index: int, found: Configuration, engine: EngineFacts) -> dict[str, float]:
    replica = found.replica.at(np.array([index]))
    prompt = _lengths(case.prompt_tokens, case.prompt_spread, 1, case.draws_evenly)
    output = _lengths(case.output_tokens, case.output_spread, 2, case.draws_evenly)
    mix = request_mix(prompt, output, prompt * (1 if case.prefix_is_cached else 0) * 0.95)
    budget = case.token_budget or int(found.token_budget[index])
    limit = case.max_sequences or int(found.max_sequences[index])
    step = candidate_step_time(found.operations, replica, engine, mix, budget, limit)
    held = min(
        float(found.sequences_held(np.asarray(case.prompt_tokens + case.output_tokens / 2))[index]), float(limit)
    )
    most = np.array([min(held / mix.output_tokens, budget / (mix.computed_tokens + mix.output_tokens))])
    requests = LOADS_PER_STEP[:, None] * most
    grid = load_states(step, requests, mix, budget, 1.0, engine.request_host_s)
    capacity = _capacity_per_s(grid)
    # A queue that only grows has no steady state: a run of some length is that of a busy replica and its backlog.
    rate = np.array([min(case.rate_per_s / max(case.layout.replicas, 1.0), BUSY_SHARE * capacity)])
    at = load_states(
        step,
        requests_at_rate(rising_rate_per_s(grid), requests, rate)[None, :],
        mix,
        budget,
        1.0,
        engine.request_host_s,
    )
    return _metrics(case, at, capacity)


def _capacity_per_s(grid: LoadStates) -> float:
    """Largest rate at which waits for a prefill stay finite; 0 where none is known."""
    is_steady = np.isfinite(grid.ttft_mean_s) & np.isfinite(grid.rate_per_s) & (grid.utilisation < 1)
    return float(np.where(is_steady, grid.rate_per_s, 0.0).max())


def _metrics(case: ServingCase, at: LoadStates, capacity: float) -> dict[str, float]:
    replicas = max(case.layout.replicas, 1.0)
    rate = case.rate_per_s / replicas
    backlog = _mean_backlog_s(case, rate, capacity)
    values: dict[str, float] = {
        "ttft_mean": float(at.ttft_mean_s[0, 0]) + backlog,
        "tpot_mean": float(at.step_s[0, 0]),
        "itl_mean": float(at.step_s[0, 0]),
        "e2e_mean": float(at.e2e_mean_s[0, 0]) + backlog,
    }
    for name, percentile in PERCENTILES.items():
        late = backlog * 2 * percentile / 100
        values[f"ttft_{name}"] = float(at.ttft_s(percentile)[0, 0]) + late
        values[f"tpot_{name}"] = float(at.tpot_s(percentile)[0, 0])
        values[f"itl_{name}"] = float(at.itl_s(percentile)[0, 0])
        values[f"e2e_{name}"] = float(at.e2e_s(percentile)[0, 0]) + late
    served = finished_per_s(min(rate, capacity), case.requests / replicas, float(at.e2e_mean_s[0, 0])) * replicas
    values["requests_per_s"] = served
    values["output_tokens_per_s"] = served * case.output_tokens
    return values


@formula(
    title="Requests finished per second",
    unit="1/s",
    expression="requests / (requests / rate_per_s + e2e_s)",
    source="a run ends with its last answer, which comes after its last request",
)
def finished_per_s(rate_per_s: float, requests: float, e2e_s: float) -> float:
    """Throughput of a run of so many requests; of one without end where their number is 0. [1/s]"""
    if not (requests > 0 and rate_per_s > 0 and math.isfinite(e2e_s)):
        return rate_per_s
    return requests / (requests / rate_per_s + e2e_s)


def _mean_backlog_s(case: ServingCase, rate: float, capacity: float) -> float:
    """Mean wait that a run of so many requests piles up when they come faster than they are served."""
    if not capacity > 0:
        return math.inf
    if rate <= capacity or not case.requests:
        return 0.0
    span = case.requests / max(case.layout.replicas, 1.0)
    return 0.5 * span * (1.0 / capacity - 1.0 / rate)
