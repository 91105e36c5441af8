"""A published run at a request rate, simulated: what its client would have measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

import numpy as np

from gpuplanner_gui.domain.benchmark import LoadKind, ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import Deployments, case_deployments
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.predict.door import LOADS, Estimates, Load, estimates, settled_layouts
from gpuplanner_gui.engine.serving.predict.open_loop import USUAL_REQUESTS, case_sample, open_loop_values
from gpuplanner_gui.engine.simulation.candidate_load import ReplicaModel, replica_service
from gpuplanner_gui.engine.simulation.pool import Routing
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import SimulationResult, statistic_of, weighted_statistic
from gpuplanner_gui.engine.simulation.service import ClientService
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings

OVERLOADED_TTFT_S = 2.0
"""Mean time to first token of a run beyond which requests pile up in it; sources draw the line there, too, at their
medians, which leap once half of a run waits."""

STATISTICS = {"mean": None, "p50": 0.5, "p90": 0.9, "p99": 0.99}


def case_service(case: ServingCase, index: int, found: Deployments, engine: EngineFacts) -> ClientService:
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
    return replica_service(model, case_sample(case, 0), replicas, Routing.LEAST_LOAD)


def reseeded(service: ClientService, case: ServingCase, seed: int) -> ClientService:
    """The same service under requests that differ by chance alone."""
    return replace(service, traffic=case_sample(case, seed))


def case_metrics(result: SimulationResult) -> dict[str, float]:
    """What a benchmark's client reports of all requests of a run, by `ServingMetric` of `domain.benchmark`. [s, 1/s]

    `overload` is 1.0 where first tokens took longer than `OVERLOADED_TTFT_S`.
    """
    values: dict[str, float] = {}
    for name, latency in (("ttft", result.ttft_s), ("tpot", result.tpot_s), ("e2e", result.e2e_s)):
        known = latency[np.isfinite(latency)]
        values |= {f"{name}_{statistic}": statistic_of(known, share) for statistic, share in STATISTICS.items()}
    values["overload"] = float(values["ttft_mean"] > OVERLOADED_TTFT_S)
    times, weights, _ = result.itl.values()
    values |= {f"itl_{statistic}": weighted_statistic(times, weights, share) for statistic, share in STATISTICS.items()}
    values["requests_per_s"] = result.throughput_per_s
    values["output_tokens_per_s"] = result.output_tokens_per_s
    return values


REQUESTS = 1500
"""Simulated for a case: runs of a few hundred are chance, so that several stand for it."""

MOST_RUNS = 4
MOST_LOOKS = 1000
"""Most looks at a run, some hundred events apart; a run of absurd length ends here."""

MOST_REPLICAS = 1000

OVERLOADED = "overloaded"
"""Remark: requests pile up over the run."""


def of_simulated_open_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Requests at a rate, each case simulated with as many of them as its client sent.

    A case that nobody can have run, as its simulation shows by not ending, is answered in closed form.
    """
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    values = open_loop_values(cases, found, engine)
    for index, case in enumerate(cases):
        if case.layout.replicas > MOST_REPLICAS:
            continue
        try:
            run = mean_of_runs(case, index, found, engine)
        except CancelledError:
            continue
        for name, column in values.items():
            column[index] = run[name]
    answered = estimates(values, found, context)
    is_over = values["ttft_mean"] > OVERLOADED_TTFT_S
    remarks = tuple((*said, OVERLOADED) if over else said for said, over in zip(answered.remarks, is_over, strict=True))
    return replace(answered, remarks=remarks)


def mean_of_runs(case: ServingCase, index: int, found: Deployments, engine: EngineFacts) -> dict[str, float]:
    """Metrics of a case, as the mean of runs that differ by chance alone.

    Raises
    ------
    CancelledError
        If a run does not end.
    """
    number = min(max(math.ceil(REQUESTS / (case.requests or USUAL_REQUESTS)), 1), MOST_RUNS)
    service = case_service(case, index, found, engine)
    under_test = [reseeded(service, case, seed) for seed in range(number)]
    runs = [case_metrics(one.run(case.rate_per_s, control=_bounded())) for one in under_test]
    return {name: float(np.mean([run[name] for run in runs])) for name in runs[0]}


def _bounded() -> RunControl:
    looks = count()
    return RunControl(lambda: next(looks) > MOST_LOOKS)


SIMULATED_LOADS: MappingProxyType[LoadKind, Load] = MappingProxyType({**LOADS, "open_loop": of_simulated_open_loop})
"""Simulated loads for `serving.predict.door.serving_answers`."""
