"""A number of requests kept running: the plan's closed form of users who ask anew as soon as they are answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.traffic import Traffic
from gpuplanner_gui.domain.workload import EngineSettings, RequestClass, ServingWorkload
from gpuplanner_gui.engine.serving.demand import Demand, demand_of
from gpuplanner_gui.engine.serving.deployments import Deployments, pool_step_factor
from gpuplanner_gui.engine.serving.predict.points import (
    answer_length,
    column,
    mean_share,
    one_pass,
    prompt_length,
    replicas_of,
)
from gpuplanner_gui.engine.serving.rates import EngineRates, rates_of
from gpuplanner_gui.engine.serving.sizing import closed_loop_states
from gpuplanner_gui.engine.simulation.step_time import drafted_step_s, tokens_per_step

ROUNDS = 6


def decode_step_s(decode: Deployments, batch: Floats, context: Floats, drafts: Floats, rates: EngineRates) -> Floats:
    """Seconds of a decode step that verifies drafts.

    Drafted tokens go through the model beside their sequence's last, whose cache is read once for all of them; each
    takes a pass of one further layer before, as long as the verifying pass's. Groups of sequences wait for the fullest.
    """
    held = np.maximum(np.minimum(batch, decode.sequences_held(context)), 1.0)
    zero = np.zeros_like(batch)
    tokens = held * (1.0 + drafts)
    step_s = one_pass(decode, tokens, context * held / tokens, zero, zero, zero).total_s(rates)
    share = 1.0 / max(decode.counts.layers, 1)
    step_s = np.where(drafts > 0, drafted_step_s(step_s, step_s, drafts, share), step_s)
    return np.asarray(step_s * pool_step_factor(decode))


@dataclass(frozen=True)
class PoolsInLoop:
    """Pools under a number of requests kept running, in steady state; an entry per case."""

    ttft_s: Floats
    tpot_s: Floats
    step_s: Floats
    """A decode step."""
    in_turn_s: Floats
    """A prompt's share of a pass full of prompts."""
    prompts_each: Floats
    """Requests over workers that prefill."""


def pools_in_loop(cases: Sequence[ServingCase], decode: Deployments, prefill: Deployments) -> PoolsInLoop:
    """Both pools in balance: those of one model and engine, with their workers stated."""
    engine = decode.engine
    rates = rates_of(engine)
    mean = mean_share(cases)
    prompt, output = mean * column(cases, "prompt_tokens"), mean * column(cases, "output_tokens")
    concurrency, drafts = column(cases, "concurrency"), column(cases, "draft_tokens")
    zero, one = np.zeros_like(prompt), np.ones_like(prompt)
    chunk = np.minimum(prompt, prefill.token_budget)
    chunks = np.ceil(prompt / prefill.token_budget)
    alone = one_pass(prefill, zero, zero, one, chunk, (chunks - 1) * chunk / 2)
    prefill_s = chunks * alone.prompts_s(rates)
    groups = prefill.replica.layout.data_parallel
    together = np.maximum(np.floor(prefill.token_budget / chunk), 1.0) * groups
    full = one_pass(prefill, zero, zero, together, chunk, (chunks - 1) * chunk / 2)
    in_turn_s = chunks * full.prompts_s(rates) / together
    decoders = replicas_of(cases)
    prefillers = np.array([case.prefill_layout.replicas if case.prefill_layout else 1.0 for case in cases])
    context = prompt + output / 2
    yielded = tokens_per_step(drafts, engine.draft_acceptance)
    batch = concurrency / decoders
    for _ in range(ROUNDS):
        step_s = decode_step_s(decode, batch, context, drafts, rates)
        token_s = step_s / yielded
        answer_s = output * token_s
        needed = in_turn_s * concurrency / np.maximum(answer_s, 1e-9)
        workers = np.where(prefillers > 0, prefillers, np.maximum(np.round(needed), 1.0))
        waiting_s = np.maximum(concurrency * in_turn_s / workers - answer_s, 0.0)
        share = answer_s / (answer_s + waiting_s + prefill_s)
        batch = 0.5 * batch + 0.5 * np.maximum(concurrency * share / decoders, 1.0)
    entry_s = rates.request_host_s + rates.prompt_token_host_s * prompt + engine.pool_entry_s
    ttft_s = entry_s + rates.admission_steps * step_s + prefill_s + waiting_s
    return PoolsInLoop(ttft_s, token_s, step_s, in_turn_s, concurrency / workers)


def pool_values(loop: PoolsInLoop) -> dict[str, Floats]:
    """The metrics of pools; medians are as the means."""
    return {"ttft_mean": loop.ttft_s, "ttft_p50": loop.ttft_s, "tpot_mean": loop.tpot_s, "tpot_p50": loop.tpot_s}


@dataclass(frozen=True)
class ClosedLoop:
    """Means over the requests of a service that goes on, an entry per case."""

    ttft_s: Floats
    tpot_s: Floats
    e2e_s: Floats
    requests_per_s: Floats
    """Requests per second of all replicas."""
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
    """Engine settings as the row states them, else the engine's defaults on that device."""
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
