"""A published run at a request rate, simulated: what its client would have measured."""

from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.engine_release import engine_of_release
from gpuplanner_gui.engine.load.arrivals import Arrivals, GammaArrivals, PoissonArrivals
from gpuplanner_gui.engine.load.lengths import LognormalLength, UniformLength
from gpuplanner_gui.engine.load.pool import Routing
from gpuplanner_gui.engine.load.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.load.result import SimulationResult
from gpuplanner_gui.engine.load.settings import Batching, ReplicaSettings
from gpuplanner_gui.engine.load.summary import is_overloaded
from gpuplanner_gui.engine.load.traffic import TrafficClass, TrafficSample, traffic_sample
from gpuplanner_gui.engine.serving_predict.configuration import Configuration
from gpuplanner_gui.engine.simulated_load import ClientService, ReplicaModel, replica_service

Floats = NDArray[np.float64]

USUAL_REQUESTS = 500
"""Of a run that does not state their number."""

MOST_REQUESTS = 5000
CACHED_PROMPT_SHARE = 0.95
"""Of a prompt that is found in the cache, all but its end."""

STATISTICS = {"mean": None, "p50": 0.5, "p90": 0.9, "p99": 0.99}


def case_service(
    case: ServingCase,
    index: int,
    found: Configuration,
    engine: EngineFacts,
    seed: int = 0,
) -> ClientService:
    """The service that a case describes, with as many requests as its client sent.

    Parameters
    ----------
    case : ServingCase
        With a request rate.
    index : int
        Its entry in `found`.
    found : Configuration
        From `serving_predict.configuration.configuration`.
    engine : EngineFacts
        Of its newest releases; those of the case's release are made of them.
    """
    newest, engine = engine, engine_of_release(engine, case.release)
    chunks = engine.mixes_prefill or case.chunks_prompts
    context = case.prompt_tokens + case.output_tokens / 2
    held = float(found.sequences_held(np.asarray(context))[index])
    settings = ReplicaSettings(
        max_sequences=case.max_sequences or min(engine.max_sequences, int(found.max_sequences[index])),
        token_budget=case.token_budget or int(found.token_budget[index]),
        kv_tokens=max(held * context, 2 * context) if math.isfinite(held) else math.inf,
        batching=Batching.CHUNKED if chunks else Batching.PREFILL_FIRST,
    )
    model = ReplicaModel(found.operations, found.replica.at(np.array([index])), engine, settings)
    replicas = max(round(case.layout.replicas), 1)
    service = replica_service(model, _sample(case, seed), replicas, Routing.LEAST_LOAD)
    return service if engine != newest else _admitted_late(service, case, engine)


NEXT_STEP = 0.5
"""Steps that a prompt waits for on average where the next one takes it in, as the simulation has it."""


def _admitted_late(service: ClientService, case: ServingCase, engine: EngineFacts) -> ClientService:
    """With the steps that newer releases schedule ahead of a prompt, and its tokenising."""
    late = max(engine.admission_steps - NEXT_STEP, 0.0)
    host_s = engine.prompt_token_host_s * case.prompt_tokens
    return replace(
        service, delivery_steps=service.delivery_steps + late, request_host_s=service.request_host_s + host_s
    )


def _sample(case: ServingCase, seed: int) -> TrafficSample:
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


def simulated_case(
    case: ServingCase,
    index: int,
    found: Configuration,
    engine: EngineFacts,
    seed: int = 0,
    control: RunControl = UNCONTROLLED,
) -> dict[str, float]:
    """Metrics of a case, as `domain.serving_case.ServingMetric` names them, over all requests of its run.

    `overload` is 1.0 where the queue grew over the run. Latencies are of all requests, the first included, as a
    benchmark's client reports them.
    """
    service = case_service(case, index, found, engine, seed)
    return case_metrics(service.run(case.rate_per_s, control=control))


def reseeded(service: ClientService, case: ServingCase, seed: int) -> ClientService:
    """The same service under requests that differ by chance alone."""
    return replace(service, traffic=_sample(case, seed))


def case_metrics(result: SimulationResult) -> dict[str, float]:
    """What a benchmark's client reports of a run. [s, 1/s]"""
    values: dict[str, float] = {"overload": float(is_overloaded(result))}
    for name, latency in (("ttft", result.ttft_s), ("tpot", result.tpot_s), ("e2e", result.e2e_s)):
        known = latency[np.isfinite(latency)]
        for statistic, share in STATISTICS.items():
            values[f"{name}_{statistic}"] = _statistic(known, share)
    times, weights, _ = result.itl.values()
    order = np.argsort(times)
    reached = np.cumsum(weights[order])
    for statistic, share in STATISTICS.items():
        if not len(times):
            values[f"itl_{statistic}"] = math.nan
        elif share is None:
            values[f"itl_{statistic}"] = float(weights @ times / weights.sum())
        else:
            place = int(np.searchsorted(reached, share * reached[-1]))
            values[f"itl_{statistic}"] = float(times[order][min(place, len(times) - 1)])
    values["requests_per_s"] = result.throughput_per_s
    values["output_tokens_per_s"] = result.output_tokens_per_s
    return values


def _statistic(known: Floats, share: float | None) -> float:
    if not len(known):
        return math.nan
    return float(known.mean() if share is None else np.quantile(known, share))
