"""How fast candidates serve when lengths, cache hits, bursts, or the step times themselves are other than planned.

Money and demand do not change a step: samples that differ only in them reuse the planned one. For each other input the
engine is asked at a few values, and what it answers is interpolated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.quantity import Quantity, central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.uncertainty_default import scaled
from gpuplanner_gui.domain.workload import RequestClass, ServingWorkload, Slo
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.responses import Response, probed_values
from gpuplanner_gui.engine.decision.uncertain_inputs import UncertainInputs
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand, demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments, candidate_pools
from gpuplanner_gui.engine.serving.load.rates import capacity_per_s, highest_rate_within
from gpuplanner_gui.engine.serving.load.states import LOAD_GRID, LoadStates
from gpuplanner_gui.engine.serving.load_grid import states_of
from gpuplanner_gui.engine.serving.loaded import scenario_load_model
from gpuplanner_gui.engine.serving.pools import PoolsUnderLoad, pools_under_load, unit_states

Floats = NDArray[np.float64]
Change = Callable[[ServingWorkload, float], ServingWorkload]

SLOWDOWNS = np.array([0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.15, 1.35, 1.6, 2.0, 2.6, 3.5, 5.0])
"""Factors on every step time at which the rate within the targets is found."""
HEADLINE_SLOS = (
    Slo(metric="ttft", percentile=95.0, limit_s=1.0),
    Slo(metric="tpot", percentile=95.0, limit_s=1.0),
)


@dataclass(frozen=True)
class ServingResponse:
    """Answers for a few candidates; the first of them is the recommended one."""

    rows: NDArray[np.int64]
    """In the plan's table."""
    slo_rate_per_s: Floats
    """As planned, shape (candidates,)."""
    capacity_per_s: Floats
    slo_rate: dict[str, Response]
    capacity: dict[str, Response]
    slower: Response
    """Rate within the targets against a factor on all step times."""
    loads: Floats
    """Shares of the capacity, rising, for the recommended candidate."""
    latency_s: dict[str, Floats]
    """By metric, at those shares."""
    latency: dict[str, dict[str, Response]]
    """By metric and input: the recommended candidate's latency at the planned share of its capacity."""


def serving_response(
    scenario: Scenario,
    context: Context,
    table: ServingTable,
    rows: NDArray[np.int64],
    inputs: UncertainInputs,
    check: Callable[[], None],
) -> ServingResponse:
    """Ask the engine about some rows of a plan. `check` raises when the caller has lost interest."""
    serving = scenario.serving
    assert serving is not None
    chosen = ServingCandidates.of_table(table, rows)

    def probe(changed: ServingWorkload) -> _Answers:
        check()
        other = msgspec.structs.replace(scenario, serving=changed)
        return _answers(other, context, chosen, demand_of(changed, scenario.model), check)

    demand = demand_of(serving, scenario.model)
    base = _answers(scenario, context, chosen, demand, check)
    load = float(table.load_per_replica_per_s[rows[0]])
    place = int(np.argmin(np.abs(base.rates_per_s - load)))
    slo_rate: dict[str, Response] = {}
    capacity: dict[str, Response] = {}
    latency: dict[str, dict[str, Response]] = {metric: {} for metric in base.latency_s}
    for name, change, own in _changes(serving):
        quantity = inputs.quantities.get(name)
        if quantity is None:
            continue
        values = probed_values(quantity, inputs.bounds[name], own)
        answers = [base if value == own else probe(change(serving, float(value))) for value in values]
        slo_rate[name] = Response(values, _over(np.stack([one.slo_rate_per_s for one in answers]), base.slo_rate_per_s))
        capacity[name] = Response(values, _over(np.stack([one.capacity_per_s for one in answers]), base.capacity_per_s))
        for metric, times in base.latency_s.items():
            changed = np.array([[one.latency_s[metric][place]] for one in answers])
            latency[metric][name] = Response(values, changed / times[place])
    return ServingResponse(
        rows=rows,
        slo_rate_per_s=table.slo_rate_per_s[rows],
        capacity_per_s=base.capacity_per_s,
        slo_rate=slo_rate,
        capacity=capacity,
        slower=Response(SLOWDOWNS, _over(_slowed(scenario, context, chosen, demand, check), base.slo_rate_per_s)),
        loads=base.rates_per_s / base.capacity_per_s[0],
        latency_s=base.latency_s,
        latency=latency,
    )


@dataclass(frozen=True)
class _Answers:
    slo_rate_per_s: Floats
    capacity_per_s: Floats
    rates_per_s: Floats
    """Along the grid of load, of the recommended candidate, and"""
    latency_s: dict[str, Floats]
    """its latency there by metric."""


def _answers(
    scenario: Scenario, context: Context, chosen: ServingCandidates, demand: Demand, check: Callable[[], None]
) -> _Answers:
    """Of candidates with one pool and with two; the first of all is the recommended one."""
    slo_rate, capacity = np.zeros(len(chosen)), np.zeros(len(chosen))
    rates, times = np.zeros(0), dict[str, Floats]()
    for rows in (np.flatnonzero(~chosen.is_apart), np.flatnonzero(chosen.is_apart)):
        if not len(rows):
            continue
        if chosen.is_apart[rows[0]]:
            load = _pools(scenario, context, chosen.at(rows), demand, check)
            slo_rate[rows], capacity[rows] = load.slo_rate_per_s, load.capacity_per_s
            if rows[0] == 0:
                rates = LOAD_GRID * load.capacity_per_s[0]
                first, then = unit_states(load, demand, rates)
                over_s = load.handover_s[0]
                times = {"ttft": first.ttft_s(95.0)[:, 0] + over_s, "tpot": then.tpot_s(95.0)[:, 0]}
        else:
            states = _together(scenario, context, chosen.at(rows), demand)
            capacity[rows] = capacity_per_s(states)
            slo_rate[rows], _ = highest_rate_within(states, demand.slos, capacity[rows])
            if rows[0] == 0:
                rates, times = (
                    states.rate_per_s[:, 0],
                    {slo.metric: states.latency_s(slo)[:, 0] for slo in HEADLINE_SLOS},
                )
    return _Answers(slo_rate, capacity, rates, times)


def _together(scenario: Scenario, context: Context, chosen: ServingCandidates, demand: Demand) -> LoadStates:
    model = scenario_load_model(scenario, context, chosen, candidate_deployments(scenario, context, chosen), demand)
    return states_of(model, demand, LOAD_GRID[:, None] * model.most_requests)


def _pools(
    scenario: Scenario, context: Context, chosen: ServingCandidates, demand: Demand, check: Callable[[], None]
) -> PoolsUnderLoad:
    prefill, decode = candidate_pools(scenario, context, chosen)
    return pools_under_load(scenario, context, chosen, prefill, decode, demand, check)


def _slowed(
    scenario: Scenario, context: Context, chosen: ServingCandidates, demand: Demand, check: Callable[[], None]
) -> Floats:
    """Rate within the targets when every step takes so many times as long: the same as targets so many times as tight,
    in a time that passes so many times as slowly. Shape (factors, candidates)."""
    found = np.zeros((len(SLOWDOWNS), len(chosen)))
    one, two = np.flatnonzero(~chosen.is_apart), np.flatnonzero(chosen.is_apart)
    states = _together(scenario, context, chosen.at(one), demand) if len(one) else None
    for place, factor in enumerate(SLOWDOWNS):
        tighter = tuple(msgspec.structs.replace(slo, limit_s=slo.limit_s / float(factor)) for slo in demand.slos)
        if states is not None:
            found[place, one] = highest_rate_within(states, tighter, capacity_per_s(states))[0] / factor
        if len(two):
            strict = replace(demand, slos=tighter)
            found[place, two] = _pools(scenario, context, chosen.at(two), strict, check).slo_rate_per_s / factor
    return found


def _over(values: Floats, planned: Floats) -> Floats:
    """Ratios; 1 where the planned value is none, which leaves the plan's own as it is."""
    return np.divide(values, planned, out=np.ones_like(values), where=planned > 0)


def _changes(serving: ServingWorkload) -> tuple[tuple[str, Change, float], ...]:
    """Inputs that change what the engine computes: how each is put into the scenario, and its planned value."""
    cached = max(central(one.prefix_cache_share) for one in serving.classes)
    return (
        ("prompt_length", lambda one, value: _with_lengths(one, "prompt_tokens", value), 1.0),
        ("output_length", lambda one, value: _with_lengths(one, "output_tokens", value), 1.0),
        ("prefix_cache", lambda one, value: _with_hits(one, value, cached), cached),
        ("burstiness", _with_burstiness, central(serving.traffic.burstiness_cv)),
        ("draft_acceptance", _with_acceptance, central(serving.engine.draft_acceptance)),
    )


def _with_lengths(serving: ServingWorkload, field: str, factor: float) -> ServingWorkload:
    def longer(one: RequestClass) -> RequestClass:
        length: Quantity = getattr(one, field)
        return msgspec.structs.replace(one, **{field: scaled(length, factor)})

    return msgspec.structs.replace(serving, classes=tuple(longer(one) for one in serving.classes))


def _with_hits(serving: ServingWorkload, share: float, planned: float) -> ServingWorkload:
    """Every class's share of hits in proportion; the one with most gets `share`."""

    def cached(one: RequestClass) -> RequestClass:
        hits = min(central(one.prefix_cache_share) * share / planned, 0.95) if planned > 0 else share
        return msgspec.structs.replace(one, prefix_cache_share=hits)

    return msgspec.structs.replace(serving, classes=tuple(cached(one) for one in serving.classes))


def _with_burstiness(serving: ServingWorkload, cv: float) -> ServingWorkload:
    return msgspec.structs.replace(serving, traffic=msgspec.structs.replace(serving.traffic, burstiness_cv=cv))


def _with_acceptance(serving: ServingWorkload, acceptance: float) -> ServingWorkload:
    engine = msgspec.structs.replace(serving.engine, draft_acceptance=acceptance)
    return msgspec.structs.replace(serving, engine=engine)
