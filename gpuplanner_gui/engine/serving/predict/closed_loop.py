"""A number of requests kept running: the plan's closed form of users who ask anew as soon as they are answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.workload import EngineSettings, RequestClass, ServingWorkload, Traffic
from gpuplanner_gui.engine.serving.demand import Demand, demand_of
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.predict.sizes import answer_length, column, prompt_length, replicas_of
from gpuplanner_gui.engine.serving.sizing import closed_loop_states


@dataclass(frozen=True)
class ClosedLoop:
    """Means over the requests of a service that goes on, an entry per case."""

    ttft_s: Floats
    tpot_s: Floats
    e2e_s: Floats
    requests_per_s: Floats
    """Of all replicas."""
    prompt_tokens: Floats
    output_tokens: Floats


def closed_loop(cases: Sequence[ServingCase], found: Deployments) -> ClosedLoop:
    """Closed loops of cases, each on its entry of `found`; those at once that differ in devices and users alone."""
    parts: dict[tuple[object, ...], list[int]] = defaultdict(list)
    settings = [_settings(case, found, index) for index, case in enumerate(cases)]
    for index, case in enumerate(cases):
        parts[prompt_length(case), answer_length(case), settings[index]].append(index)
    users = column(cases, "concurrency") / replicas_of(cases)
    users = np.where(users > 0, np.maximum(users, 1.0), np.inf)
    ttft, tpot, e2e, prompt, output = (np.zeros(len(cases)) for _ in range(5))
    for members in parts.values():
        at = np.array(members)
        demand = _demand(cases[members[0]], settings[members[0]])
        states = closed_loop_states(found.at(at), demand, users[at])
        ttft[at], tpot[at], e2e[at] = states.ttft_mean_s[0], states.token_s[0], states.e2e_mean_s[0]
        prompt[at], output[at] = demand.prompt_tokens, demand.output_tokens
    return ClosedLoop(ttft, tpot, e2e, replicas_of(cases) * users / e2e, prompt, output)


def _settings(case: ServingCase, found: Deployments, index: int) -> EngineSettings:
    """As stated, else as the engine has them by default on the case's device."""
    return EngineSettings(
        token_budget=case.token_budget or int(found.token_budget[index]),
        max_sequences=case.max_sequences or int(found.max_sequences[index]),
    )


def _demand(case: ServingCase, settings: EngineSettings) -> Demand:
    """What a scenario would ask whose arrivals are such users."""
    requests = RequestClass(
        peak_rate_per_s=1.0, prompt_tokens=prompt_length(case), output_tokens=answer_length(case), slos=()
    )
    users = Traffic(arrivals="users", users=1.0, think_time_s=0.0, burstiness_cv=1.0)
    return demand_of(ServingWorkload(classes=(requests,), traffic=users, engine=settings), case.model)


def loop_values(loop: ClosedLoop) -> dict[str, Floats]:
    """The metrics of closed loops; medians are as the means."""
    rate = loop.requests_per_s
    return {
        "ttft_mean": loop.ttft_s,
        "ttft_p50": loop.ttft_s,
        "tpot_mean": loop.tpot_s,
        "tpot_p50": loop.tpot_s,
        "itl_mean": loop.tpot_s,
        "e2e_mean": loop.e2e_s,
        "e2e_p50": loop.e2e_s,
        "requests_per_s": rate,
        "samples_per_s": rate,
        "output_tokens_per_s": rate * loop.output_tokens,
        "total_tokens_per_s": rate * (loop.output_tokens + loop.prompt_tokens),
        "decode_tokens_per_s": rate * loop.output_tokens,
        "prefill_tokens_per_s": rate * loop.prompt_tokens,
    }
