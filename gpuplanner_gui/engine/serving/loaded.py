"""Serving candidates under load: how many requests a replica takes, how many replicas, and what latency then is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import ServingWorkload, Slo
from gpuplanner_gui.engine.admission import Admission, admission_of
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.formula import carried, formula, is_tracing, leaf
from gpuplanner_gui.engine.load.caps import ReplicaCaps
from gpuplanner_gui.engine.load.replicas import replicas_needed, replicas_over_zones
from gpuplanner_gui.engine.local_fit.pace import ServingPace, paced_breakdown, paced_steps, serving_pace
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand, at_any_rate
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.load.rates import (
    capacity_per_s,
    highest_rate_within,
    requests_at_rate,
    rising_latency_s,
    rising_rate_per_s,
)
from gpuplanner_gui.engine.serving.load.states import LOAD_GRID, ClassLengths, ClassSlo, LoadStates, load_states
from gpuplanner_gui.engine.serving.step import StepTimes, total_step_s
from gpuplanner_gui.engine.serving.step_table import (
    DeploymentSteps,
    DraftedSteps,
    breakdown,
    deployment_steps,
    drafted_steps,
    usual_work,
)
from gpuplanner_gui.engine.virtual_machines import serving_loss, virtualised_breakdown, virtualised_steps

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
S = TypeVar("S")


@dataclass(frozen=True)
class LoadModel:
    """Step times and caps of candidates that fit: all that a state under load follows from."""

    deployed: Deployments
    step: DeploymentSteps
    sequences: Floats
    """Sequences of mean length that the cache holds."""
    most_requests: Floats
    """Requests per step at the tightest cap."""
    admission: Admission
    pace: ServingPace | None
    """What own measurements say, already in `step`; None where there are none."""

    def at(self, part: slice) -> LoadModel:
        """Some of the candidates, for states under load: the deployments stay whole."""
        return replace(
            self,
            step=self.step.at(part),
            sequences=self.sequences[part],
            most_requests=self.most_requests[part],
        )


def load_model(
    scenario: Scenario, context: Context, chosen: ServingCandidates, deployed: Deployments, demand: Demand
) -> LoadModel:
    """Tabulate the step times of candidates, and find their caps."""
    pace = serving_pace(context, scenario, chosen, deployed, demand)
    answers, most_tokens = demand.answers, demand.max_sequences * demand.answers.verified_tokens
    step = deployment_steps(deployed, usual_work(demand.mix, demand.token_budget), demand.token_budget, most_tokens)
    step = virtualised_steps(paced_steps(step, pace), serving_loss(scenario))
    if demand.speculation is not None:
        step = drafted_steps(step, demand.speculation)
    sequences = _sequences(deployed, demand)
    held = np.minimum(sequences, demand.sequences_at_once)
    caps = ReplicaCaps(demand.token_budget, held, sequences * demand.context_tokens)
    most, _ = caps.requests_per_step(answers)
    return LoadModel(
        deployed,
        step,
        sequences,
        np.minimum(most, held / answers.output_tokens),
        admission_of(deployed.engine, demand.prompt_tokens),
        pace,
    )


def states_of(model: LoadModel, demand: Demand, requests_per_step: Floats) -> LoadStates:
    """Latency and occupancy at given loads, shape (points, candidates)."""
    return load_states(
        model.step, requests_per_step, demand.mix, demand.token_budget, demand.arrival_cv, model.admission,
        speculation=demand.speculation, most_requests=model.most_requests,
    )  # fmt: skip


def draft_gain(model: LoadModel, demand: Demand, requests_per_step: Floats, states: LoadStates) -> Floats:
    """Time per output token without drafts over that with them, at the same batches. [1]

    What is above 1 at a batch is above 1 at the rate that leads to it: without drafts, the same rate then needs a
    larger batch.
    """
    drafts = demand.speculation
    if drafts is None or not isinstance(model.step, DraftedSteps):
        without: Floats = leaf(np.ones(states.step_s.shape[-1]), "draft_gain", "", "scenario: engine drafts nothing")
        return without
    plain = load_states(
        model.step.plain, requests_per_step / drafts.tokens_per_step, demand.mix, demand.token_budget,
        demand.arrival_cv, model.admission, most_requests=model.most_requests / drafts.tokens_per_step,
    )  # fmt: skip
    gain = gain_by_drafts(plain.step_s, states.token_s)
    return carried(gain[0], gain)


@formula(
    title="Gain by drafts",
    unit="",
    expression="token_without_s / token_with_s",
    source="both at the same batch; under 1, drafts cost more than they yield",
)
def gain_by_drafts(token_without_s: Floats, token_with_s: Floats) -> Floats:
    """How many times as fast tokens come with drafts. [1]"""
    return token_without_s / token_with_s


BLOCK = 3072
"""Candidates at once over the grid of load, so that what is worked on stays in a processor's cache."""


SEARCHED = 1000
"""From so many candidates on it is a search, whose tables the next edit may share; fewer are computed as they come."""


@dataclass(frozen=True)
class UnderLoad:
    """What a replica takes, and its latency at the load that its own number of replicas leaves it."""

    states: LoadStates
    """At the planned load, one entry per candidate."""
    idle: LoadStates
    """At the lowest load of the grid."""
    draft_gain: Floats
    """Time per output token without drafts over that with them, at the planned batch; 1 without drafts."""
    capacity_per_s: Floats
    slo_rate_per_s: Floats
    first_slo: Integers
    rate_per_s: Floats
    replicas: Floats


@dataclass(frozen=True)
class Loaded:
    """Speed under load of the candidates that can run."""

    load: UnderLoad
    worst_over: Floats
    most_missed: int
    sequences: Floats
    step: StepTimes
    step_total: Floats
    pace: ServingPace | None


def loaded(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
    check: Callable[[], None],
) -> Loaded:
    """Every candidate that fits, at the load that its own number of replicas leaves it."""
    serving = scenario.serving
    assert serving is not None
    grids = _load_grids(scenario, context, chosen, deployed, demand, check)
    model = grids.model
    found = []
    for part in grids.parts:
        check()
        found.append(_under_load(serving, part, demand))
    load = _joined(found)
    check()
    batch = np.maximum(load.states.batch[0], 1.0)
    drafts = demand.speculation
    times = breakdown(model.deployed, batch, demand.context_tokens, drafts)
    paced_at = batch if drafts is None else batch * float(drafts.verified_tokens)
    times = virtualised_breakdown(paced_breakdown(times, model.pace, paced_at), serving_loss(scenario))
    check()
    over, missed = _worst_target(load.idle, demand)
    return Loaded(load, over, missed, model.sequences, times, total_step_s(times), model.pace)


@dataclass(frozen=True)
class LoadGrid:
    """Some candidates on the whole grid of load."""

    model: LoadModel
    requests_per_step: Floats
    states: LoadStates
    rising_rate_per_s: Floats
    capacity_per_s: Floats
    latencies_s: dict[tuple[str, float, ClassLengths | None], Floats] = field(default_factory=dict)
    """By what a target limits, its percentile and class, as they are asked for: they do not depend on the limit."""

    def rising_latency_s(self, states: LoadStates, slo: Slo) -> Floats:
        """What a target limits along the grid. [s]"""
        kind = (slo.metric, slo.percentile, slo.lengths if isinstance(slo, ClassSlo) else None)
        if kind not in self.latencies_s:
            self.latencies_s[kind] = rising_latency_s(states, slo)
        return self.latencies_s[kind]


@dataclass(frozen=True)
class LoadGrids:
    """All that does not depend on the rate that is asked for, nor on targets and money."""

    model: LoadModel
    parts: tuple[LoadGrid, ...]


_recent_grids: Recent[LoadGrids] = Recent()


def load_inputs(
    scenario: Scenario, context: Context, chosen: ServingCandidates, deployed: Deployments, demand: Demand
) -> tuple[Any, ...]:
    """All that states under load follow from, whatever rate is asked for, and whatever the targets and prices."""
    assert scenario.serving is not None
    engine, loss = scenario.serving.engine, serving_loss(scenario)
    return context, scenario.model, engine, chosen, deployed.memory, at_any_rate(demand), loss


def _load_grids(
    scenario: Scenario,
    context: Context,
    chosen: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
    check: Callable[[], None],
) -> LoadGrids:
    serving = scenario.serving
    assert serving is not None

    def made() -> LoadGrids:
        model = load_model(scenario, context, chosen, deployed, demand)
        parts = []
        for start in range(0, max(len(chosen), 1), BLOCK):
            check()
            part = model if len(chosen) <= BLOCK else model.at(slice(start, start + BLOCK))
            requests = LOAD_GRID[:, None] * part.most_requests
            states = states_of(part, demand, requests)
            parts.append(LoadGrid(part, requests, states, rising_rate_per_s(states), capacity_per_s(states)))
        return LoadGrids(model, tuple(parts))

    if is_tracing() or len(chosen) < SEARCHED:
        return made()
    return _recent_grids.of(load_inputs(scenario, context, chosen, deployed, demand), made)


def _under_load(serving: ServingWorkload, part: LoadGrid, demand: Demand) -> UnderLoad:
    model, requests, grid = part.model, part.requests_per_step, part.states
    capacity = part.capacity_per_s
    slo_rate, first = highest_rate_within(grid, demand.slos, capacity, part.rising_latency_s)
    base, total = _replicas(serving, demand, slo_rate)
    rate = demand.peak_rate_per_s / np.maximum(base, 1.0)
    rate = np.where(np.isfinite(rate), rate, grid.rate_per_s[0])
    planned = requests_at_rate(part.rising_rate_per_s, requests, rate)[None, :]
    states = states_of(model, demand, planned)
    return UnderLoad(
        states=states,
        idle=grid.first_point(),
        draft_gain=draft_gain(model, demand, planned, states),
        capacity_per_s=capacity,
        slo_rate_per_s=slo_rate,
        first_slo=first,
        rate_per_s=rate,
        replicas=total,
    )


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


def _replicas(serving: ServingWorkload, demand: Demand, slo_rate: Floats) -> tuple[Floats, Floats]:
    """Replicas that carry the peak, and all with zones and spares; NaN where no rate meets the targets."""
    availability = serving.availability
    reachable = carried(np.where(slo_rate > 0, slo_rate, np.nan), slo_rate)
    peak = leaf(demand.peak_rate_per_s, "peak_rate_per_s", "req/s", "scenario: request classes")
    base = replicas_needed(peak, reachable, leaf(availability.target_utilisation, "target_utilisation", "", "scenario"))
    total = replicas_over_zones(base, availability.zones) if availability.zones > 1 else base
    return base, with_spares(total, leaf(float(availability.spare_replicas), "spare_replicas", "", "scenario"))


@formula(
    title="Replicas with spares",
    unit="",
    expression="replicas + spare_replicas",
    source="N+1, N+2",
)
def with_spares(replicas: Floats, spare_replicas: float) -> Floats:
    """All replicas that are paid for. [1]"""
    return replicas + spare_replicas


def _sequences(deployed: Deployments, demand: Demand) -> Floats:
    """Sequences of mean length that the pool holds at once, in whole blocks' worth of tokens."""
    held = deployed.sequences_held(demand.context_tokens)
    return np.maximum(np.where(np.isfinite(held), held, demand.max_sequences), 1.0)


def _worst_target(states: LoadStates, demand: Demand) -> tuple[Floats, int]:
    """How far an idle replica is over the target it misses most, as a ratio, and what most candidates miss."""
    if not demand.slos:
        return np.zeros(states.rate_per_s.shape[1]), -1
    over = np.stack([states.latency_s(slo)[0] / slo.limit_s for slo in demand.slos])
    misses = (over > 1).sum(axis=1)
    return over.max(axis=0), int(misses.argmax()) if misses.any() else -1
