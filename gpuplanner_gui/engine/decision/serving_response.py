"""How fast candidates serve when lengths, cache hits, bursts, or the step times themselves are other than planned.

For each input the engine is asked at a few values (`responses`), and what it answers is interpolated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.workload import LatencyMetric, Slo
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.decision.uncertain_inputs import Response, UncertainInputs, changes_of, probed_values
from gpuplanner_gui.engine.recent import Recent
from gpuplanner_gui.engine.serving.candidates import ServingCandidates, drafting
from gpuplanner_gui.engine.serving.demand import Demand, at_any_rate, demand_of
from gpuplanner_gui.engine.serving.deployments import candidate_deployments, candidate_pools
from gpuplanner_gui.engine.serving.load.first_token import closed_form_e2e_s
from gpuplanner_gui.engine.serving.load.rates import Slowdown, risen
from gpuplanner_gui.engine.serving.load.states import LOAD_GRID
from gpuplanner_gui.engine.serving.load_grid import (
    LoadGrid,
    LoadModel,
    asked_together,
    demands_together,
    kinds_of_targets,
    load_grid,
    models_together,
)
from gpuplanner_gui.engine.serving.loaded import load_grids, load_inputs, scenario_load_models
from gpuplanner_gui.engine.serving.pools import PoolsUnderLoad, pools_under_load, unit_states
from gpuplanner_gui.engine.serving.sizing import limits_of, loads_within_each
from gpuplanner_gui.engine.uncertainty.sampling import sigma_of_band

SLOWDOWNS = np.array([0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.15, 1.35, 1.6, 2.0, 2.6, 3.5, 5.0])
"""Factors on every step time at which the rate within the targets is found."""


@dataclass(frozen=True)
class ServingResponse:
    """Answers for a few candidates; the first of them is the recommended one."""

    rows: NDArray[np.int64]
    """Rows in the plan's table."""
    within: Floats
    """Load of a replica that it can take at all, and with which each target holds, shape (1 + targets, candidates):
    requests a second, or users. Each answers to inputs in its own way, and the least counts."""
    counts_users: NDArray[np.bool_]
    """Where it is users who wait for their answers."""
    capacity_per_s: Floats
    responses: dict[str, dict[str, Response]]
    """By result (load within each target by its place in `within`, capacity, latency at the planned load by metric),
    then by input."""
    slower: tuple[Response, ...]
    """Load within each target against a factor on all step times,"""
    first_token_power: Floats
    """of which times to first tokens take this power: their error is wider."""
    loads: Floats
    """Shares of the capacity, rising, shape (loads, candidates)."""
    latency_s: dict[LatencyMetric, Floats]
    """Latency by metric, at those shares."""

    @property
    def slo_load(self) -> Floats:
        """Planned load of a replica within all targets, shape (candidates,)."""
        return np.asarray(self.within.min(axis=0))

    def of_row(self, row: int) -> ServingResponse | None:
        """The response of one candidate; None where it is not among them."""
        found = np.flatnonzero(self.rows == row)
        return self.at(found[:1]) if len(found) else None

    def at(self, some: Integers) -> ServingResponse:
        """Of some candidates, in that order."""
        return ServingResponse(
            self.rows[some], self.within[:, some], self.counts_users[some], self.capacity_per_s[some],
            {
                result: {name: part.at_candidates(some) for name, part in of_result.items()}
                for result, of_result in self.responses.items()
            },
            tuple(one.at_candidates(some) for one in self.slower), self.first_token_power[some], self.loads[:, some],
            {metric: times[:, some] for metric, times in self.latency_s.items()},
        )  # fmt: skip


def serving_response(
    scenario: Scenario,
    context: Context,
    table: ServingTable,
    rows: NDArray[np.int64],
    inputs: UncertainInputs,
    check: Callable[[], None],
) -> ServingResponse:
    """Ask the engine about some rows of a plan. `check` raises when the caller has lost interest."""
    # The same candidates in another order are the same question.
    order = np.argsort(rows)
    rows = rows[order]
    chosen = ServingCandidates.of_table(table, rows)
    kinds = _kinds(scenario, chosen)
    base = _answers(kinds, context, chosen, check)
    place = np.argmin(np.abs(base.rates_per_s - table.load_per_replica_per_s[rows]), axis=0)
    planned = base.results(place)
    responses: dict[str, dict[str, Response]] = {result: {} for result in planned}
    probes = tuple(_probes(scenario, chosen, inputs))
    answered = zip(probes, _probed_answers(probes, context, chosen, base.grids, check), strict=True)
    for name, of_input in groupby(answered, lambda one: one[0].name):
        asked = tuple(of_input)
        values = asked[0][0].values
        for result, as_planned in planned.items():
            ratios = np.ones((len(values), len(rows)))
            for one, there in asked:
                changed = there.results(place[one.some])[result]
                ratios[one.at, one.some] = _over(changed, as_planned[one.some])
            responses[result][name] = Response(values, ratios)
    power = first_token_power(table, rows)
    slowed = _slowed(kinds, base, power)
    return ServingResponse(
        rows=rows,
        within=_planned_loads(kinds, base, table.slo_rate_per_s[rows]),
        counts_users=np.isin(np.arange(len(rows)), [one for kind in kinds if kind.demand.users for one in kind.one]),
        capacity_per_s=base.capacity_per_s,
        responses=responses,
        slower=tuple(
            Response(SLOWDOWNS, _over(those, planned)) for those, planned in zip(slowed, base.within, strict=True)
        ),
        first_token_power=power,
        loads=base.rates_per_s / base.capacity_per_s,
        latency_s=_through_planned(table, rows, base),
    ).at(np.argsort(order))


def _planned_loads(kinds: Sequence[_Kind], base: _Answers, slo_rate_per_s: Floats) -> Floats:
    """Loads within each target of which the least is the plan's; where users wait for their answers, how many of them
    send it."""
    load = slo_rate_per_s.copy()
    for kind in kinds:
        if kind.demand.users and len(one := kind.one):
            limits = limits_of(base.grids[kind.draft_tokens], kind.demand)
            # What is planned may share its places, and take more.
            load[one] = limits.load * _over(slo_rate_per_s[one], limits.rate_per_s)
    least = base.within.min(axis=0)
    return np.where(least > 0, base.within * _over(load, least), load)


def _through_planned(table: ServingTable, rows: NDArray[np.int64], base: _Answers) -> dict[LatencyMetric, Floats]:
    """Latency by load, scaled to be the plan's own at the planned load: one question has one answer. [s]

    They differ where people wait for their answers before they ask again, and below the least load of the grid.
    """
    found = {}
    for metric, times in base.latency_s.items():
        planned, loads = getattr(table, f"{metric}_p95_s")[rows], table.load_per_replica_per_s[rows]
        here = np.array([np.interp(*one) for one in zip(loads, base.rates_per_s.T, times.T, strict=True)])
        is_known = np.isfinite(planned) & np.isfinite(here) & (planned > 0) & (here > 0)
        found[metric] = times * np.divide(planned, here, out=np.ones(len(rows)), where=is_known)
    return found


LENGTHS = ("prompt_length", "output_length", "prefix_cache")
"""Inputs that change the requests, and so the times of steps, but not the deployment."""
ARRIVALS = ("burstiness",)
"""Inputs that change neither the deployment nor the times of its steps."""


@dataclass(frozen=True)
class _Probe:
    """An input at another value than the planner's."""

    name: str
    values: Floats
    """All at which the input is asked about; this one's place:"""
    at: int
    some: Integers
    """Candidates that it concerns,"""
    kinds: tuple[_Kind, ...]
    """in the scenario with that value."""

    @property
    def kind(self) -> str:
        """What it is, of whichever class of requests."""
        return self.name.partition(":")[0]


def _probes(scenario: Scenario, chosen: ServingCandidates, inputs: UncertainInputs) -> Iterator[_Probe]:
    """All that are asked about; those of an input follow each other."""
    serving = scenario.service
    for name, change in changes_of(serving).items():
        quantity = inputs.quantities.get(name)
        # Whoever drafts nothing has no tokens to be accepted.
        some = np.flatnonzero(chosen.draft_tokens > 0) if name == "draft_acceptance" else np.arange(len(chosen))
        if quantity is None or not len(some):
            continue
        own = inputs.planned[name]
        values = probed_values(quantity, inputs.bounds[name], own)
        for at in np.flatnonzero(values != own):
            other = msgspec.structs.replace(scenario, serving=change(serving, float(values[at])))
            yield _Probe(name, values, int(at), some, _kinds(other, chosen.at(some)))


Grids = dict[int, LoadGrid]
"""Grids of load by number of draft tokens."""


def _probed_answers(
    probes: Sequence[_Probe], context: Context, chosen: ServingCandidates, base: Grids, check: Callable[[], None]
) -> tuple[_Answers, ...]:
    """What is answered at each probe; those that leave the deployments as they are are asked together."""
    found: dict[int, _Answers] = {}
    alike = [place for place, one in enumerate(probes) if one.kind in LENGTHS + ARRIVALS]
    for place, one in enumerate(probes):
        check()
        some = chosen.at(one.some)
        found[place] = (
            _no_answers(one.kinds[0].scenario, one.kinds[0].limits, len(some))
            if place in alike
            else _answers(one.kinds, context, some, check)
        )
    for kinds in zip(*(probes[place].kinds for place in alike), strict=True):
        check()
        one, two = kinds[0].one, kinds[0].two
        if len(one):
            asked = [(kind, probes[place].kind in LENGTHS) for kind, place in zip(kinds, alike, strict=True)]
            model = base[kinds[0].draft_tokens].model
            for places, grid in _grids_of_kind(asked, context, chosen.at(one), model, check):
                demand = demands_together([kinds[place].demand for place in places], len(one))
                _read(grid, demand, [found[alike[place]] for place in places], one)
        if len(two):
            for kind, place in zip(kinds, alike, strict=True):
                _read_pools(kind, _pools(kind, context, chosen.at(two), check), found[place])
    return tuple(found[place] for place in range(len(probes)))


GridsOfProbes = tuple[tuple[tuple[int, ...], LoadGrid], ...]
"""Grids of load of probes that are asked together, with their places."""

_recent_probes: Recent[GridsOfProbes] = Recent(4)
"""Those of the newest probes; an edit of a target, a price or the site leaves them as they are."""


def _grids_of_kind(
    asked: Sequence[tuple[_Kind, bool]],
    context: Context,
    chosen: ServingCandidates,
    base: LoadModel,
    check: Callable[[], None],
) -> GridsOfProbes:
    """Grids of load at all probes, of candidates that draft alike.

    `asked` has the candidates in the probe's scenario, and whether its requests have other lengths than those of
    `base`; where they have not, the step times of `base` hold.
    """
    deployed = base.deployed
    if deployed.samples is not None or deployed.encoder_token_s is not None:
        # What is seen or heard passes an encoder, which is timed by its length.
        return tuple(
            ((place,), _together(kind, context, chosen, check) if has_lengths else load_grid(base, kind.demand))
            for place, (kind, has_lengths) in enumerate(asked)
        )
    demands = [kind.demand for kind, _ in asked]

    def made() -> GridsOfProbes:
        other = [kind for kind, has_lengths in asked if has_lengths]
        scenarios, lengths = [kind.scenario for kind in other], [kind.demand for kind in other]
        changed = iter(scenario_load_models(scenarios, context, chosen, deployed, lengths) if other else ())
        models = [next(changed) if has_lengths else base for _, has_lengths in asked]
        found = []
        for places in asked_together(demands):
            model = models_together([models[place] for place in places])
            demand = demands_together([demands[place] for place in places], len(chosen))
            found.append((places, load_grid(model, demand)))
        return tuple(found)

    kind, _ = asked[0]
    inputs = load_inputs(kind.scenario, context, chosen, deployed, kind.demand)
    same = tuple((at_any_rate(one), kinds_of_targets(one)) for one in demands)
    return _recent_probes.of((*inputs, same, tuple(has_lengths for _, has_lengths in asked)), made)


@dataclass(frozen=True)
class _Answers:
    within: Floats
    """Load that a candidate can take, and within each target, shape (1 + targets, candidates)."""
    capacity_per_s: Floats
    rates_per_s: Floats
    """Along the grid of load, shape (loads, candidates), and"""
    latency_s: dict[LatencyMetric, Floats]
    """latency there by metric."""
    grids: Grids
    """Grids of load of the candidates with one pool, where they were asked alone."""
    units: dict[int, PoolsUnderLoad]
    """Units of the candidates with two pools, by number of draft tokens."""

    def results(self, place: Integers) -> dict[str, Floats]:
        """What follows the inputs, by name: latencies at each candidate's place on the grid."""
        each = np.arange(len(place))
        rates = {load_result(place): load for place, load in enumerate(self.within)}
        return (
            rates
            | {"capacity": self.capacity_per_s}
            | {metric: times[place, each] for metric, times in self.latency_s.items()}
        )


def load_result(limit: int) -> str:
    """Name of the load that a limit leaves, by its place in `ServingResponse.within`."""
    return f"load within {limit}"


def _no_answers(scenario: Scenario, limits: int, count: int) -> _Answers:
    shape = len(LOAD_GRID), count
    told = scenario.told_latencies
    if any(slo.metric == "e2e" for _, slo in scenario.service.targets) and "e2e" not in told:
        told = ("e2e", *told)
    times: dict[LatencyMetric, Floats] = {one: np.zeros(shape) for one in told}
    return _Answers(np.zeros((limits, count)), np.zeros(count), np.zeros(shape), times, {}, {})


@dataclass(frozen=True)
class _Kind:
    """Candidates that draft alike, with the scenario that runs them."""

    draft_tokens: int
    scenario: Scenario
    demand: Demand
    one: Integers
    """Places of the candidates with one pool,"""
    two: Integers
    """and with two."""

    @property
    def limits(self) -> int:
        """What limits a replica's load: what it can take at all, and each target."""
        return 1 + len(self.demand.slos)


def _kinds(scenario: Scenario, chosen: ServingCandidates) -> tuple[_Kind, ...]:
    found = []
    for tokens in np.unique(chosen.draft_tokens):
        alike = chosen.draft_tokens == tokens
        own = drafting(scenario, chosen.at(np.flatnonzero(alike)))
        one, two = np.flatnonzero(alike & ~chosen.is_apart), np.flatnonzero(alike & chosen.is_apart)
        found.append(_Kind(int(tokens), own, demand_of(own.service, own.model), one, two))
    return tuple(found)


def _answers(
    kinds: Sequence[_Kind], context: Context, chosen: ServingCandidates, check: Callable[[], None]
) -> _Answers:
    """Answers of candidates with one pool, and with two."""
    found = _no_answers(kinds[0].scenario, kinds[0].limits, len(chosen))
    for kind in kinds:
        if len(one := kind.one):
            found.grids[kind.draft_tokens] = grid = _together(kind, context, chosen.at(one), check)
            _read(grid, kind.demand, (found,), one)
        if len(two := kind.two):
            _read_pools(kind, _pools(kind, context, chosen.at(two), check), found)
    return found


def _read(grid: LoadGrid, demand: Demand, answers: Sequence[_Answers], one: Integers) -> None:
    """Put down what a grid of load says of candidates with one pool, for one question or for several together."""

    def each(values: Floats) -> Iterator[tuple[_Answers, Floats]]:
        return zip(answers, np.split(values, len(answers), axis=-1), strict=True)

    for found, values in each(grid.capacity_per_s):
        found.capacity_per_s[one] = values
    for found, values in each(loads_within_each(grid, demand)):
        found.within[:, one] = values
    # Beyond saturation fewer requests are answered, later: no share of the capacity leads there.
    for found, values in each(grid.rising_rate_per_s):
        found.rates_per_s[:, one] = values
    for metric in answers[0].latency_s:
        for found, values in each(grid.states.latency_s(Slo(metric=metric, percentile=95.0, limit_s=1.0))):
            found.latency_s[metric][:, one] = values


def _read_pools(kind: _Kind, load: PoolsUnderLoad, found: _Answers) -> None:
    """Put down what candidates with two pools carry."""
    two = kind.two
    found.units[kind.draft_tokens] = load
    # Each of two pools has targets of its own: the units tell what holds all of them.
    found.within[:, two], found.capacity_per_s[two] = load.slo_rate_per_s, load.capacity_per_s
    rates = LOAD_GRID[:, None] * load.capacity_per_s
    found.rates_per_s[:, two] = risen(rates)
    for unit, row in enumerate(two):
        first, then = unit_states(load, kind.demand, rates[:, unit], unit)
        ttft_s, tpot_s = first.ttft_s(95.0)[:, 0] + load.handover_s[unit], then.tpot_s(95.0)[:, 0]
        e2e_s = closed_form_e2e_s(ttft_s, kind.demand.output_tokens, tpot_s)
        for metric, values in (("ttft", ttft_s), ("tpot", tpot_s), ("e2e", e2e_s)):
            if metric in found.latency_s:
                found.latency_s[metric][:, row] = values


def _together(kind: _Kind, context: Context, chosen: ServingCandidates, check: Callable[[], None]) -> LoadGrid:
    deployed = candidate_deployments(kind.scenario, context, chosen)
    (grid,) = load_grids(kind.scenario, context, chosen, deployed, kind.demand, check).parts
    return grid


def _pools(kind: _Kind, context: Context, chosen: ServingCandidates, check: Callable[[], None]) -> PoolsUnderLoad:
    prefill, decode = candidate_pools(kind.scenario, context, chosen)
    return pools_under_load(kind.scenario, context, chosen, prefill, decode, kind.demand, check)


def first_token_power(table: ServingTable, rows: NDArray[np.int64]) -> Floats:
    """Spread of the logarithm of first tokens over that of steps: one installation is slow in both."""
    step = sigma_of_band(table.tpot_low80_s[rows], table.tpot_high80_s[rows])
    first = sigma_of_band(table.ttft_low80_s[rows], table.ttft_high80_s[rows])
    known = np.isfinite(first) & (step > 0)
    return np.divide(first, step, out=np.ones(len(rows)), where=known)


def _slowed(kinds: Sequence[_Kind], base: _Answers, power: Floats) -> Floats:
    """Load within the targets when every step takes so many times as long: the same as targets so many times as tight,
    in a time that passes so many times as slowly. Shape (1 + targets, factors, candidates)."""
    found = np.zeros((kinds[0].limits, len(SLOWDOWNS), len(power)))
    for place, factor in enumerate(SLOWDOWNS):
        steps = np.full(len(power), factor)
        slower = Slowdown(steps, steps**power)
        for kind in kinds:
            if len(one := kind.one):
                found[:, place, one] = loads_within_each(base.grids[kind.draft_tokens], kind.demand, slower.at(one))
            if len(two := kind.two):
                found[:, place, two] = base.units[kind.draft_tokens].slowed(slower.at(two))
    return found


def _over(values: Floats, planned: Floats) -> Floats:
    """Ratios; 1 where the planned value is none, which leaves the plan's own as it is; 0 where nothing is reached."""
    nothing = np.where(planned > 0, np.zeros_like(values), 1.0)
    return np.divide(values, planned, out=nothing, where=np.isfinite(values) & (planned > 0))
