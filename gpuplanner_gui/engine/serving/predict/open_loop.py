"""Latency of a service at a request rate, by the closed forms that plans use, a case at a time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.admission import admission_of
from gpuplanner_gui.engine.engine_release import engine_of_release
from gpuplanner_gui.engine.formula import formula
from gpuplanner_gui.engine.load.arrays import Numbers, as_floats
from gpuplanner_gui.engine.load.mix import RequestMix
from gpuplanner_gui.engine.serving.grid import CandidateStepTime, candidate_step_time
from gpuplanner_gui.engine.serving.load.states import LoadStates, load_states
from gpuplanner_gui.engine.serving.predict.case_traffic import case_sample
from gpuplanner_gui.engine.serving.predict.configuration import Configuration
from gpuplanner_gui.engine.serving.rates import VOCABULARY_UNIT, layer_counts, rates_of
from gpuplanner_gui.engine.serving.step import Replica

Floats = NDArray[np.float64]

SAMPLES = 1000
SEED = 1
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


@dataclass(frozen=True)
class HostedStepTime(CandidateStepTime):
    """Steps of an engine whose host works on every sequence, or that prefills in steps of their own."""

    sequence_s: float = 0.0
    mixes_prefill: bool = True

    def with_cache_s(
        self,
        without_s: Floats,
        decoding: Floats,
        prefill_tokens: Numbers,
        kv_tokens_read: Numbers,
        attention_pairs: Numbers = 0.0,
    ) -> Floats:
        """See `CandidateStepTime`; the mean step counts the time in which decoding stands still for prompts."""
        prefill = as_floats(prefill_tokens)
        share = np.minimum(1.0, prefill / self.chunk_tokens)
        hosted_s = self.sequence_s * (decoding + share)
        if self.mixes_prefill or not (share > 0).any():
            return hosted_s + super().with_cache_s(without_s, decoding, prefill, kv_tokens_read, attention_pairs)
        alone_s = share * (self.weights_pass_s(np.maximum(prefill, self.chunk_tokens)) + self.prefill_extra_s)
        cache_s = self.cache_token_s * as_floats(kv_tokens_read) + self.pair_s * as_floats(attention_pairs)
        return np.asarray(hosted_s + without_s + alone_s + cache_s)


def hosted_step_time(
    found: Configuration, replica: Replica, engine: EngineFacts, mix: RequestMix, budget: int, limit: int
) -> HostedStepTime:
    """Steps of one case's replica. The table over tokens leaves the host's work on sequences out, which a prompt's
    tokens are not."""
    without = msgspec.structs.replace(engine, sequence_host_s=0.0)
    table = candidate_step_time(found.operations, replica, without, mix, budget, limit)
    sequence_s = rates_of(engine).sequence_host_s * layer_counts(found.operations).vocabulary / VOCABULARY_UNIT
    columns = {part.name: getattr(table, part.name) for part in fields(table)}
    return HostedStepTime(**columns, sequence_s=float(sequence_s), mixes_prefill=engine.mixes_prefill)


def _values(case: ServingCase, index: int, found: Configuration, newest: EngineFacts) -> dict[str, float]:
    engine = engine_of_release(newest, case.release, case.year)
    replica = found.replica.at(np.array([index]))
    mix = case_sample(msgspec.structs.replace(case, requests=SAMPLES), SEED).mix()
    budget = case.token_budget or int(found.token_budget[index])
    limit = case.max_sequences or min(engine.max_sequences, int(found.max_sequences[index]))
    step = hosted_step_time(found, replica, engine, mix, budget, limit)
    context = np.asarray(case.prompt_tokens + case.output_tokens / 2)
    held = min(float(found.sequences_held(context)[index]), float(limit))
    most = min(held / mix.output_tokens, budget / (mix.computed_tokens + mix.output_tokens))
    requests = LOADS_PER_STEP[:, None] * most
    admission = admission_of(engine, case.prompt_tokens)

    def states(requests_per_step: Floats) -> LoadStates:
        is_apart = not (engine.mixes_prefill or case.chunks_prompts)
        return load_states(step, requests_per_step, mix, budget, case.arrival_cv, admission, is_apart)

    grid = states(requests)
    replicas = max(case.layout.replicas, 1.0)
    rate, count = case.rate_per_s / replicas, case.requests / replicas
    capacity = _capacity_per_s(grid)
    at = states(_requests_of_run(grid, requests, rate, count)[None, :])
    wait = RunBacklog(
        count=count,
        places=held,
        per_answer_s=max(1 / capacity - 1 / rate, 0.0) if capacity > 0 else math.inf,
        per_prompt_s=max(float(at.drained_s[0, 0]) - 1 / rate, 0.0),
    )
    return _metrics(case, at, capacity, wait, engine.delivery_steps * float(at.step_s[0, 0]))


def _capacity_per_s(grid: LoadStates) -> float:
    """Largest rate at which waits for a prefill stay finite; 0 where none is known."""
    is_steady = np.isfinite(grid.ttft_mean_s) & np.isfinite(grid.rate_per_s) & (grid.utilisation < 1)
    return float(np.where(is_steady, grid.rate_per_s, 0.0).max())


def _requests_of_run(grid: LoadStates, requests: Floats, rate_per_s: float, count: float) -> Floats:
    """Requests per step of a run, shape (1,): where the batch that a step's time leads to is the step's own.

    The busiest state of the grid that waits stay finite in, where a run fills it.
    """
    answer_s = grid.step_s * grid.output_tokens
    wanted = mean_batch_of_run(rate_per_s, answer_s, count) / grid.output_tokens
    steady = np.flatnonzero((grid.utilisation < 1)[:, 0] & np.isfinite(grid.ttft_mean_s)[:, 0])
    last = int(steady[-1]) if len(steady) else 0
    filled = np.flatnonzero((requests >= wanted)[: last + 1, 0])
    if not len(filled):
        return np.asarray(requests[last] * BUSY_SHARE)
    above = int(filled[0])
    if above == 0:
        return np.asarray(np.minimum(wanted[0], requests[0]))
    lack, excess = (wanted - requests)[above - 1, 0], (requests - wanted)[above, 0]
    part = lack / max(lack + excess, np.finfo(float).tiny)
    return np.asarray(requests[above - 1] + part * (requests[above] - requests[above - 1]))


@formula(
    title="Batch of a run",
    unit="seq",
    expression="rate_per_s·answer_s·(1 - a/3) if a = rate_per_s·answer_s/requests ≤ 1, else requests·(1 - 1/(3·a))",
    source="the batch rises for as long as an answer takes, and falls as long at the end; mean over tokens",
)
def mean_batch_of_run(rate_per_s: float, answer_s: Floats, requests: float) -> Floats:
    """Sequences decoded together as the mean token of a run of so many requests meets them. [sequences]

    `requests` 0 stands for a run without end. A run shorter than an answer never holds more than all its requests.
    """
    steady = rate_per_s * np.asarray(answer_s)
    if requests <= 0:
        return steady
    share = steady / requests
    with np.errstate(divide="ignore"):
        short = requests * (1 - 1 / (3 * share))
    return np.asarray(np.where(share <= 1, steady * (1 - share / 3), short))


@dataclass(frozen=True)
class RunBacklog:
    """Waits that pile up over a run in which requests come faster than they are served."""

    count: float
    """Requests of the run; 0 for one without end, of which nobody knows how long it piled up."""
    places: float
    """Requests that start before anyone waits for an answer of another."""
    per_answer_s: float
    """By which each further request waits longer for a place, and"""
    per_prompt_s: float
    """for the prompts before it."""

    def wait_s(self, share: float) -> float:
        """Of the request before which this share of the run's was sent. [s]"""
        if not self.count:
            return 0.0
        place = share * self.count
        return max(self.per_prompt_s * place, self.per_answer_s * max(place - self.places, 0.0))

    @property
    def mean_s(self) -> float:
        return float(np.mean([self.wait_s((number + 0.5) / PLACES) for number in range(PLACES)]))


PLACES = 50
"""Requests of a run at even distances that stand for all."""


def _metrics(
    case: ServingCase, at: LoadStates, capacity: float, backlog: RunBacklog, late_s: float
) -> dict[str, float]:
    replicas = max(case.layout.replicas, 1.0)
    rate = case.rate_per_s / replicas
    values: dict[str, float] = {
        "ttft_mean": float(at.ttft_mean_s[0, 0]) + late_s + backlog.mean_s,
        "tpot_mean": float(at.step_s[0, 0]),
        "itl_mean": float(at.step_s[0, 0]),
        "e2e_mean": float(at.e2e_mean_s[0, 0]) + late_s + backlog.mean_s,
    }
    for name, percentile in PERCENTILES.items():
        late = late_s + backlog.wait_s(percentile / 100)
        values[f"ttft_{name}"] = float(at.ttft_s(percentile)[0, 0]) + late
        values[f"tpot_{name}"] = float(at.tpot_s(percentile)[0, 0])
        values[f"itl_{name}"] = float(at.itl_s(percentile)[0, 0])
        values[f"e2e_{name}"] = float(at.e2e_s(percentile)[0, 0]) + late
    last_s = float(at.e2e_mean_s[0, 0]) + backlog.wait_s(1.0)
    served = finished_per_s(rate if case.requests else min(rate, capacity), case.requests / replicas, last_s) * replicas
    values["requests_per_s"] = served
    values["output_tokens_per_s"] = served * case.output_tokens
    return values


@formula(
    title="Requests finished per second",
    unit="1/s",
    expression="requests / (requests / rate_per_s + last_e2e_s)",
    source="a run ends with its last answer, which comes after its last request",
)
def finished_per_s(rate_per_s: float, requests: float, last_e2e_s: float) -> float:
    """Throughput of a run of so many requests; of one without end where their number is 0. [1/s]"""
    if not (requests > 0 and rate_per_s > 0 and math.isfinite(last_e2e_s)):
        return rate_per_s
    return requests / (requests / rate_per_s + last_e2e_s)
