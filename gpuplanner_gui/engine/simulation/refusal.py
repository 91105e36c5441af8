"""Candidates whose targets no number of simulated replicas keeps, and what is told where nothing better is left."""

from __future__ import annotations

import math

import msgspec

from gpuplanner_gui.domain.curves import SimulatedFleet
from gpuplanner_gui.domain.plan import Reason, ServingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.demand import waits_to_be_full
from gpuplanner_gui.engine.serving.resizing import ranked, with_row
from gpuplanner_gui.engine.simulation.candidate_load import scenario_targets


def refusal_of_best(answer: ServingPlan) -> SimulatedFleet | None:
    """Simulation of the recommended candidate where no number of replicas that was tried keeps its targets."""
    found = answer.simulated
    return found if found is not None and found.candidate == answer.best and not found.replicas else None


def refused_fleet(
    scenario: Scenario, candidate: int, quick: int, tried_s: dict[int, tuple[float, ...]], requests: int, seed: int
) -> SimulatedFleet:
    """A fleet that keeps its targets with no number of replicas; `tried_s` is what they limit with each. [s]"""
    return SimulatedFleet(
        candidate=candidate, replicas=0, quick_replicas=quick, rate_share=1.0, requests=requests, seed=seed,
        nearest_s=min(tried_s.values(), key=lambda one: max(_over(one, scenario))),
    )  # fmt: skip


def without(found: ServingPlan, scenario: Scenario, context: Context, refused: SimulatedFleet | None) -> ServingPlan:
    """The plan when its recommendation keeps its targets with no number of replicas that was tried."""
    columns = {"meets_targets": 0.0}
    if refused is not None and waits_to_be_full(scenario.service):
        columns |= {"reason": Reason.MISSES_TARGET, "reason_value": max(_over(refused.nearest_s, scenario))}
    table = with_row(found.table, found.best, columns)
    return ranked(msgspec.structs.replace(found, simulated=refused), scenario, context, table)


def told_as_refused(found: ServingPlan, scenario: Scenario, refused: SimulatedFleet) -> ServingPlan:
    """The plan whose nearest candidate was refused, with the latencies for which it was."""
    over = _over(refused.nearest_s, scenario)
    return msgspec.structs.replace(
        found, simulated=refused, target_latency_s=refused.nearest_s, limiting_slo=over.index(max(over))
    )


def _over(latency_s: tuple[float, ...], scenario: Scenario) -> list[float]:
    """Latencies over the limits of their targets; infinite where no answer tells one."""
    targets = scenario_targets(scenario)
    over = [value / one.limit_s for value, one in zip(latency_s, targets, strict=True)]
    return [math.inf if math.isnan(one) else one for one in over]
