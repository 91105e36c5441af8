"""Serving candidates under load: how many requests a replica takes, how many replicas, and what latency then is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.formula import is_tracing
from gpuplanner_gui.engine.local_fit.pace import serving_pace
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand, at_any_rate
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.load.states import LoadStates
from gpuplanner_gui.engine.serving.load_grid import LoadGrid, LoadModel, load_grid, load_model
from gpuplanner_gui.engine.serving.pace import ServingPace, paced_breakdown
from gpuplanner_gui.engine.serving.sizing import UnderLoad, under_load
from gpuplanner_gui.engine.serving.step import StepTimes, total_step_s
from gpuplanner_gui.engine.serving.step_table import breakdown
from gpuplanner_gui.engine.virtual_machines import serving_loss, virtualised_breakdown

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
S = TypeVar("S")


def scenario_load_model(
    scenario: Scenario, context: Context, chosen: ServingCandidates, deployed: Deployments, demand: Demand
) -> LoadModel:
    """Candidates of a scenario: at the pace of own measurements, and with what virtual machines lose."""
    pace = serving_pace(context, scenario, chosen, deployed, demand)
    return load_model(deployed, demand, pace, serving_loss(scenario))


BLOCK = 3072
"""Candidates at once over the grid of load, so that what is worked on stays in a processor's cache."""


SEARCHED = 1000
"""From so many candidates on it is a search, whose tables the next edit may share; fewer are computed as they come."""


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
    base_replicas: float | None = None,
) -> Loaded:
    """Every candidate that fits, at the load that its own number of replicas leaves it, or a given number."""
    serving = scenario.serving
    assert serving is not None
    grids = _load_grids(scenario, context, chosen, deployed, demand, check)
    model = grids.model
    found = []
    for part in grids.parts:
        check()
        found.append(under_load(serving, part, demand, base_replicas))
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
        model = scenario_load_model(scenario, context, chosen, deployed, demand)
        parts = []
        for start in range(0, max(len(chosen), 1), BLOCK):
            check()
            part = model if len(chosen) <= BLOCK else model.at(slice(start, start + BLOCK))
            parts.append(load_grid(part, demand))
        return LoadGrids(model, tuple(parts))

    if is_tracing() or len(chosen) < SEARCHED:
        return made()
    return _recent_grids.of(load_inputs(scenario, context, chosen, deployed, demand), made)


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


def _worst_target(states: LoadStates, demand: Demand) -> tuple[Floats, int]:
    """How far an idle replica is over the target it misses most, as a ratio, and what most candidates miss."""
    if not demand.slos:
        return np.zeros(states.rate_per_s.shape[1]), -1
    over = np.stack([states.latency_s(slo)[0] / slo.limit_s for slo in demand.slos])
    misses = (over > 1).sum(axis=1)
    return over.max(axis=0), int(misses.argmax()) if misses.any() else -1
