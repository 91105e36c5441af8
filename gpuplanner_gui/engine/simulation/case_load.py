"""A published run at a request rate, simulated: what its client would have measured."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.predict.case_traffic import case_sample
from gpuplanner_gui.engine.simulation.candidate_load import ReplicaModel, replica_service
from gpuplanner_gui.engine.simulation.client_service import ClientService
from gpuplanner_gui.engine.simulation.pool import Routing
from gpuplanner_gui.engine.simulation.replica import UNCONTROLLED, RunControl
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings

OVERLOADED_TTFT_S = 2.0
"""Mean time to first token of a run beyond which requests pile up in it; sources draw the line there, too, at their
medians, which leap once half of a run waits."""

STATISTICS = {"mean": None, "p50": 0.5, "p90": 0.9, "p99": 0.99}


def case_service(
    case: ServingCase,
    index: int,
    found: Deployments,
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
    found : Deployments
        From `case_deployments`.
    engine : EngineFacts
        Of its newest releases; those of the case's release are made of them.
    """
    engine = engine_of_release(engine, case.release, case.year)
    chunks = engine.mixes_prefill or case.chunks_prompts
    context = case.prompt_tokens + case.output_tokens / 2
    held = float(found.sequences_held(np.asarray(context))[index])
    settings = ReplicaSettings(
        max_sequences=case.max_sequences or min(engine.max_sequences, int(found.max_sequences[index])),
        token_budget=case.token_budget or int(found.token_budget[index]),
        kv_tokens=max(held * context, 2 * context) if math.isfinite(held) else math.inf,
        batching=Batching.CHUNKED if chunks else Batching.PREFILL_FIRST,
    )
    model = ReplicaModel(replace(found.at(np.array([index])), engine=engine), settings)
    replicas = max(round(case.layout.replicas), 1)
    return replica_service(model, case_sample(case, seed), replicas, Routing.LEAST_LOAD)


def simulated_case(
    case: ServingCase,
    index: int,
    found: Deployments,
    engine: EngineFacts,
    seed: int = 0,
    control: RunControl = UNCONTROLLED,
) -> dict[str, float]:
    """Metrics of a case, as `domain.serving_case.ServingMetric` names them, over all requests of its run.

    `overload` is 1.0 where first tokens took longer than `OVERLOADED_TTFT_S`. Latencies are of all requests, the first
    included, as a benchmark's client reports them.
    """
    service = case_service(case, index, found, engine, seed)
    return case_metrics(service.run(case.rate_per_s, control=control))


def reseeded(service: ClientService, case: ServingCase, seed: int) -> ClientService:
    """The same service under requests that differ by chance alone."""
    return replace(service, traffic=case_sample(case, seed))


def case_metrics(result: SimulationResult) -> dict[str, float]:
    """What a benchmark's client reports of a run. [s, 1/s]"""
    values: dict[str, float] = {}
    for name, latency in (("ttft", result.ttft_s), ("tpot", result.tpot_s), ("e2e", result.e2e_s)):
        known = latency[np.isfinite(latency)]
        for statistic, share in STATISTICS.items():
            values[f"{name}_{statistic}"] = _statistic(known, share)
    values["overload"] = float(values["ttft_mean"] > OVERLOADED_TTFT_S)
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
