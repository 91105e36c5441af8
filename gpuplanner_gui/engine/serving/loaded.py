"""Serving candidates under load: how many requests a replica takes, how many replicas, and what latency then is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.pace import serving_pace
from gpuplanner_gui.engine.explaining.formula import carried, is_tracing
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.confidence import Doubt, doubt_of
from gpuplanner_gui.engine.serving.demand import Demand, at_any_rate
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.load_grid import LoadGrid, LoadModel, load_grid, load_models
from gpuplanner_gui.engine.serving.pace import ServingPace, paced_breakdown
from gpuplanner_gui.engine.serving.sizing import Sized, under_load
from gpuplanner_gui.engine.serving.step import StepTimes, total_step_s
from gpuplanner_gui.engine.serving.step_table import serving_loss, virtualised_breakdown
from gpuplanner_gui.engine.serving.tabulated import breakdown

S = TypeVar("S")


def scenario_load_model(
    scenario: Scenario, context: Context, chosen: ServingCandidates, deployed: Deployments, demand: Demand
) -> LoadModel:
    """Candidates of a scenario: at the pace of own measurements, and with what virtual machines lose."""
    (model,) = scenario_load_models((scenario,), context, chosen, deployed, (demand,))
    return model


def scenario_load_models(
    scenarios: Sequence[Scenario],
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    demands: Sequence[Demand],
) -> tuple[LoadModel, ...]:
    """The same of scenarios that differ in the lengths and hits of their requests."""
    paces = [
        serving_pace(context, scenario, chosen, deployed, demand)
        for scenario, demand in zip(scenarios, demands, strict=True)
    ]
    return load_models(deployed, demands, paces, serving_loss(scenarios[0]))


BLOCK = 3072
"""Candidates at once over the grid of load, so that what is worked on stays in a processor's cache."""


SEARCHED = 1000
"""Number of candidates from which a plan is a search, whose tables the next edit may share,"""
FURTHER_SEARCHED = 48
"""and from so many on the search of a few further; fewer are sized by samples, and then planned again."""


@dataclass(frozen=True)
class Loaded:
    """Speed under load of the candidates that can run."""

    columns: dict[str, Floats]
    """Columns of the table: batch, latencies and rates at the planned load."""
    sized: Sized
    idle_prefill_s: Floats
    worst_over: Floats
    """What a replica takes at its nearest load over the limit of the target that it misses most, and"""
    worst_unsure: Floats
    """at the confidence."""
    most_missed: int
    sequences: Floats
    step: StepTimes
    doubt: Doubt
    is_measured: NDArray[np.bool_]
    latency_s: Callable[[Slo], Floats]
    """What a target limits, at the planned load, shape (1, candidates)."""


def loaded(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
    check: Callable[[], None],
    base_replicas: Floats | None = None,
) -> Loaded:
    """Every candidate that fits, at the load that its own number of replicas leaves it, or a given number."""
    serving = scenario.service
    grids = load_grids(scenario, context, chosen, deployed, demand, check)
    model = grids.model
    doubt = doubt_of(scenario, context, chosen, deployed, model.pace)
    found = []
    for place, part in enumerate(grids.parts):
        check()
        block = slice(place * BLOCK, (place + 1) * BLOCK)
        given = None if base_replicas is None else base_replicas[block]
        found.append(under_load(serving, part, demand, doubt.at(block), given))
    load = _joined(found)
    check()
    states = load.states
    over, unsure, missed = worst_target(load.nearest.latency_s, doubt, demand)
    columns = latency_columns(states, states, demand.is_of_samples) | load.columns
    if demand.users > 0:
        # An arriving request sees the others alone; over time its own sequence is among them (Little's law).
        decoding_s = columns["e2e_mean_s"] - columns["ttft_mean_s"]
        columns["batch"] = columns["load_per_replica_per_s"] * np.maximum(decoding_s, 0.0)
    times = decode_breakdown(scenario, model, columns["batch"], demand)
    check()
    return Loaded(
        columns | step_columns(times), load, load.nearest.prefill_s[0], over, unsure, missed, model.sequences, times,
        doubt, is_paced(model.pace, len(chosen)), states.latency_s,
    )  # fmt: skip


def latency_columns(first: LoadStates, then: LoadStates, of_samples: bool = False) -> dict[str, Floats]:
    """Columns of the states that read prompts, and of those that write answers, at the planned load.

    A sample comes whole: its first token is its last.
    """
    first_s = first.e2e_s if of_samples else first.ttft_s

    def planned(values: Floats) -> Floats:
        return carried(values[0], values)

    return {
        "batch": planned(then.batch),
        "prefill_s": planned(first.prompt_alone_s),
        "ttft_mean_s": planned(first.e2e_mean_s if of_samples else first.ttft_mean_s),
        "ttft_p50_s": planned(first_s(50)),
        "ttft_p95_s": planned(first_s(95)),
        "ttft_p99_s": planned(first_s(99)),
        "tpot_mean_s": planned(then.token_s),
        "tpot_p95_s": planned(then.tpot_s(95)),
        "itl_p99_s": planned(then.itl_s(99)),
        "e2e_mean_s": planned(then.e2e_mean_s),
        "e2e_p95_s": planned(then.e2e_s(95)),
    }


def step_columns(times: StepTimes) -> dict[str, Floats]:
    """Columns of a decode step."""
    return {
        "decode_compute_s": times.compute_s,
        "decode_bandwidth_s": times.bandwidth_s,
        "decode_interconnect_s": times.interconnect_s,
        "decode_host_s": times.host_s,
        "decode_step_s": total_step_s(times),
    }


def decode_breakdown(scenario: Scenario, model: LoadModel, batch: Floats, demand: Demand) -> StepTimes:
    """A decode step of each deployment at its planned batch, by resource."""
    batch = np.maximum(batch, 1.0)
    drafts = demand.speculation
    times = breakdown(model.deployed, batch, demand.context_tokens, drafts)
    paced_at = batch if drafts is None else batch * float(drafts.verified_tokens)
    return virtualised_breakdown(paced_breakdown(times, model.pace, paced_at), serving_loss(scenario))


def is_paced(pace: ServingPace | None, count: int) -> NDArray[np.bool_]:
    """Where own measurements say the pace."""
    return np.zeros(count, bool) if pace is None else pace.is_measured


@dataclass(frozen=True)
class LoadGrids:
    """All that does not depend on the rate that is asked for, nor on targets and money."""

    model: LoadModel
    parts: tuple[LoadGrid, ...]


_recent_grids: Recent[LoadGrids] = Recent()
_recent_few: Recent[LoadGrids] = Recent(2)
_recent_head: Recent[LoadGrids] = Recent(6)
"""Few candidates at a time: those sized by samples, their relatives, and the recommended one."""


def load_inputs(
    scenario: Scenario, context: Context, chosen: ServingCandidates, deployed: Deployments, demand: Demand
) -> tuple[Any, ...]:
    """All that states under load follow from, whatever rate is asked for, and whatever the targets and prices."""
    engine, loss = scenario.service.engine, serving_loss(scenario)
    passes = deployed.role, deployed.samples, deployed.encoder_token_s
    machines = context, scenario.hardware.host_link_bytes_per_s
    return *machines, scenario.model, engine, chosen, deployed.memory, passes, at_any_rate(demand), loss


def load_grids(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
    check: Callable[[], None],
) -> LoadGrids:
    """Candidates on the whole grid of load; those of the last question where it was the same."""

    def made() -> LoadGrids:
        model = scenario_load_model(scenario, context, chosen, deployed, demand)
        parts = []
        for start in range(0, max(len(chosen), 1), BLOCK):
            check()
            part = model if len(chosen) <= BLOCK else model.at(slice(start, start + BLOCK))
            parts.append(load_grid(part, demand))
        return LoadGrids(model, tuple(parts))

    if is_tracing():
        return made()
    kept = (
        _recent_grids if len(chosen) >= SEARCHED else _recent_few if len(chosen) >= FURTHER_SEARCHED else _recent_head
    )
    return kept.of(load_inputs(scenario, context, chosen, deployed, demand), made)


def _joined(parts: list[S]) -> S:
    """Structs of arrays over consecutive candidates as one, along the last axis; a single one as it is."""
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    columns: dict[str, Any] = {}
    for one in fields(first):  # type: ignore[arg-type]
        values = [getattr(part, one.name) for part in parts]
        if is_dataclass(values[0]):
            columns[one.name] = _joined(values)
        else:
            is_array = isinstance(values[0], np.ndarray)
            columns[one.name] = np.concatenate(values, axis=-1) if is_array else values[0]
    return type(first)(**columns)


def worst_target(latency_s: Callable[[Slo], Floats], doubt: Doubt, demand: Demand) -> tuple[Floats, Floats, int]:
    """How far a replica at its nearest load is over the target that it misses most, as a ratio, as expected and at the
    confidence, and what most candidates miss."""
    if not demand.slos:
        return np.zeros(len(doubt.step_log_sd)), np.zeros(len(doubt.step_log_sd)), -1
    slower = doubt.slowdown(doubt.score)
    over = np.stack([latency_s(slo)[0] / slo.limit_s for slo in demand.slos])
    unsure = np.stack([(latency_s(slo) * slower.of(slo, latency_s))[0] / slo.limit_s for slo in demand.slos])
    misses = (over > 1).sum(axis=1)
    return over.max(axis=0), unsure.max(axis=0), int(misses.argmax()) if misses.any() else -1
