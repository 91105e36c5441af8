"""The cheapest configuration whose simulated percentiles meet every target at peak: closed form first, then confirmed.

The closed form ranks every accelerator, parallelism, precision and batch limit by cost. The most promising is simulated
until its fewest replicas are known; every other one that could cost less, were the closed form as wrong as it can be,
then gets one run at the rate that its replicas would see for the winner's money. Who passes is the new winner. One
replica stands for its fleet, except where a request finds a place at any of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.load_result import SearchOutcome, SearchResult, TargetResult
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.fleet.slo_configurations import (
    CAPACITY_OPTIMISM,
    Configuration,
    configurations,
    configurations_of,
    fleet_of,
    least_usd,
    usable_candidates,
    with_limits,
)
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.samples import in_slices
from gpuplanner_gui.engine.simulation.candidate_load import (
    longest_tokens,
    sampled_service,
    scenario_sample,
    scenario_targets,
)
from gpuplanner_gui.engine.simulation.curve import FINE_REQUESTS
from gpuplanner_gui.engine.simulation.fleet_part import MOST_SHARING, REQUESTS_OF_ONE_SHARING, are_places_shared
from gpuplanner_gui.engine.simulation.replica import RunControl
from gpuplanner_gui.engine.simulation.result import SimulationResult, is_overloaded, measured_s, meets
from gpuplanner_gui.engine.simulation.service import ClientService

BATCH_LIMITS = (32, 64, 128, 256, 512)
TOKEN_BUDGETS = (2048, 8192)
MOST_SIMULATIONS = 1000
RUNNERS_UP = 5
LITTLE_LOAD = 0.02
"""Share of the capacity at which the nearest configurations are shown if none meets the targets."""
MOST_GROWTH = 8
"""A configuration is given up as unable when this many times the replicas of its closed form are not enough."""


def slo_search(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    *,
    trace: Trace | None = None,
    seed: int = 0,
    requests: int = FINE_REQUESTS,
    batch_limits: Sequence[int] = BATCH_LIMITS,
    token_budgets: Sequence[int] = TOKEN_BUDGETS,
    most_simulations: int = MOST_SIMULATIONS,
    is_cancelled: Callable[[], bool] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> SearchResult:
    """Search a plan's candidates, with varied batch limits, for the least cost per hour.

    Parameters
    ----------
    requests : int
        Of each simulated run.
    batch_limits, token_budgets
        Tried beside the scenario's own.
    most_simulations : int
        Runs after which the search ends with what it has; the result then says that it is not complete.

    Raises
    ------
    ValueError
        For a plan without serving.
    CancelledError
        When `is_cancelled` says so.
    """
    if plan.serving is None or scenario.serving is None:
        raise ValueError("the plan has no serving table")
    context = context_of(catalog, calibration)
    found = configurations(scenario, context, plan, batch_limits, token_budgets, is_cancelled)
    search = _Search(scenario, context, plan, trace, seed, requests, is_cancelled)
    result = search.run(found, most_simulations, on_progress)
    if result.winner is None and result.is_complete:
        return msgspec.structs.replace(result, runners_up=search.nearest())
    return result


@dataclass(frozen=True)
class _Sized:
    """A configuration whose fewest replicas are known."""

    configuration: Configuration
    base: int
    usd_per_hour: float


class _Search:
    """Simulates configurations and remembers what each showed."""

    def __init__(
        self,
        scenario: Scenario,
        context: Context,
        plan: Plan,
        trace: Trace | None,
        seed: int,
        requests: int,
        is_cancelled: Callable[[], bool] | None,
    ) -> None:
        self._scenario, self._context, self._plan = scenario, context, plan
        self._targets = scenario_targets(scenario, trace)
        self._fleet = fleet_of(scenario)
        # The same requests for all: comparisons are then free of chance.
        serving = in_slices(scenario.service, scenario.model)
        self._sample = scenario_sample(serving, longest_tokens(scenario), requests, seed, trace)
        self._control = RunControl(is_cancelled)
        self._services: dict[Configuration, tuple[ClientService, bool]] = {}
        self._hopeless: set[tuple[int, int]] = set()
        self.simulated = 0

    def run(self, found: list[Configuration], most: int, on_progress: Callable[[float], None] | None) -> SearchResult:
        winner: _Sized | None = None
        losers: list[Configuration] = []
        is_complete = True
        for position, one in enumerate(found):
            if on_progress is not None:
                on_progress(position / len(found))
            if winner is not None and least_usd(self._fleet, one) >= winner.usd_per_hour:
                losers.append(one)
                continue
            if self.simulated >= most:
                is_complete = False
                break
            if winner is None:
                winner = self._sized(one)
                continue
            better = self._cheaper(one, winner)
            if better is not None:
                losers.append(winner.configuration)
                winner = better
            else:
                losers.append(one)
        best = self._outcome(winner, winner, "") if winner is not None else None
        others = self._runners_up(losers, winner) if winner is not None else ()
        return SearchResult(
            winner=best, runners_up=others, considered=len(found), simulated=self.simulated, is_complete=is_complete
        )

    def nearest(self) -> tuple[SearchOutcome, ...]:
        """Those that miss their targets least where nothing meets them, one of each accelerator, at little load."""
        table, service = self._plan.served.table, self._scenario.service
        usable = usable_candidates(table)
        own = configurations_of(
            table, usable, usable, (service.engine.max_sequences, service.engine.token_budget), service.start, math.inf
        )
        best: dict[int, Configuration] = {}
        for one in sorted(own, key=lambda one: (one.missed_by, one.usd_per_replica_hour, one.candidate)):
            best.setdefault(int(table.accelerator[one.candidate]), one)
        return tuple(
            SearchOutcome(
                candidate=one.candidate,
                max_sequences=one.max_sequences,
                token_budget=one.token_budget,
                replicas=0,
                usd_per_hour=math.inf,
                slo_rate_per_s=0.0,
                lost_on="idle",
                tightest=self._tightest(self._result(one, LITTLE_LOAD * one.max_rate_per_s, 1)),
                price_factor=math.nan,
            )
            for one in list(best.values())[:RUNNERS_UP]
        )

    def _cheaper(self, one: Configuration, winner: _Sized) -> _Sized | None:
        """The configuration sized, if a fleet of it that costs less than the winner meets every target."""
        base = self._fleet.affordable_base(one, winner.usd_per_hour)
        if base < 1 or not self._meets(one, base):
            return None
        return self._fewest(one, base)

    def _sized(self, one: Configuration) -> _Sized | None:
        """Fewest replicas, from what the closed form says upwards; None where no number within reason is enough."""
        predicted = max(self._fleet.base_for(one.slo_rate_per_s if one.slo_rate_per_s > 0 else one.best_rate_per_s), 1)
        base = predicted
        if self._meets(one, base):
            return self._fewest(one, base)
        most = MOST_GROWTH * predicted
        if self._is_hopeless(one, most):
            return None
        while base < most:
            base = max(base + 1, math.ceil(base * 1.15))
            if self._meets(one, base):
                return self._fewest(one, base)
        return None

    def _is_hopeless(self, one: Configuration, most: int) -> bool:
        """Whether even the most replicas miss a target; then so do they with room for fewer or more sequences."""
        kind = (one.candidate, one.token_budget)
        if kind not in self._hopeless and not self._meets(one, most):
            self._hopeless.add(kind)
        return kind in self._hopeless

    def _fewest(self, one: Configuration, enough: int) -> _Sized:
        """The fewest replicas that meet the targets, by bisection below a number that does."""
        low, high = 0, enough
        while high - low > 1:
            middle = max(low + 1, (low + 3 * high) // 4)
            if self._meets(one, middle):
                high = middle
            else:
                low = middle
        return _Sized(one, high, self._fleet.usd_per_hour(high, one))

    def _meets(self, one: Configuration, base: int) -> bool:
        rate = self._fleet.rate_of_each(base)
        if rate > CAPACITY_OPTIMISM * one.max_rate_per_s:
            return False
        return meets(self._result(one, rate, base), self._targets)

    def _result(self, one: Configuration, rate_of_each_per_s: float, base: int) -> SimulationResult:
        """One replica of so many; all, as far as there is time for them, where they share their places."""
        self.simulated += 1
        service, is_sharing = self._service(one)
        together = min(base, MOST_SHARING) if is_sharing else 1
        if together > 1:
            count = max(len(self._sample), REQUESTS_OF_ONE_SHARING * together)
            service = replace(service, replicas=together, traffic=self._sample.of_length(count))
        return service.run(together * rate_of_each_per_s, control=self._control)

    def _service(self, one: Configuration) -> tuple[ClientService, bool]:
        """One replica, and whether several share their places."""
        if one not in self._services:
            scenario = with_limits(self._scenario, one.max_sequences, one.token_budget)
            chosen = ServingCandidates.of_table(self._plan.served.table, np.array([one.candidate]))
            service = sampled_service(scenario, self._context, chosen, self._sample)
            self._services[one] = service, are_places_shared(scenario, chosen)
        return self._services[one]

    def _runners_up(self, losers: list[Configuration], winner: _Sized) -> tuple[SearchOutcome, ...]:
        """The cheapest of other accelerators or other formats, one of each, fully sized."""
        table = self._plan.served.table
        best: dict[tuple[int, int], Configuration] = {}
        own = winner.configuration.candidate
        taken = (int(table.accelerator[own]), int(table.weight_precision[own]))
        for one in losers:
            kind = (int(table.accelerator[one.candidate]), int(table.weight_precision[one.candidate]))
            if kind != taken:
                best.setdefault(kind, one)
        outcomes = []
        for one in list(best.values())[:RUNNERS_UP]:
            sized = self._sized(one)
            outcomes.append(self._outcome(sized or _Sized(one, 0, math.inf), winner, "cost" if sized else "target"))
        return tuple(outcomes)

    def _outcome(self, sized: _Sized, winner: _Sized, lost_on: str) -> SearchOutcome:
        one, fleet = sized.configuration, self._fleet
        affordable = fleet.affordable_base(one, winner.usd_per_hour * (1 + 1e-6))
        needed = fleet.rate_of_each(affordable) if affordable else math.inf
        is_carried = lost_on and needed <= CAPACITY_OPTIMISM * one.max_rate_per_s
        shown = affordable if is_carried else max(sized.base, 1)
        return SearchOutcome(
            candidate=one.candidate,
            max_sequences=one.max_sequences,
            token_budget=one.token_budget,
            replicas=fleet.total(sized.base) if sized.base else 0,
            usd_per_hour=sized.usd_per_hour,
            slo_rate_per_s=fleet.rate_of_each(sized.base) if sized.base else 0.0,
            lost_on=lost_on,
            tightest=self._tightest(self._result(one, fleet.rate_of_each(shown), shown)),
            price_factor=fleet.price_factor(sized.usd_per_hour, winner.usd_per_hour) if sized.base else math.nan,
        )

    def _tightest(self, result: SimulationResult) -> TargetResult | None:
        """The target that a run is furthest over, or nearest to."""
        measured = [(measured_s(result, target), target) for target in self._targets]
        known = [(value, target) for value, target in measured if math.isfinite(value)]
        if not known:
            return None
        value, target = max(known, key=lambda entry: entry[0] / entry[1].limit_s)
        return target.answered(math.inf if is_overloaded(result) else value)
