"""Candidates whose targets no number of simulated replicas keeps, and what is told where nothing better is left."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
import numpy as np

from gpuplanner_gui.domain.curves import SimulatedFleet
from gpuplanner_gui.domain.plan import Reason, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.resizing import peak_rate_of, ranked, resized, with_row
from gpuplanner_gui.engine.simulation.candidate_load import scenario_targets


def refusal_of_best(answer: ServingPlan) -> SimulatedFleet | None:
    """Simulation of the recommended candidate where no number of replicas that was tried keeps its targets."""
    found = answer.simulated
    return found if found is not None and found.candidate == answer.best and not found.replicas else None


def is_left_quick(answer: ServingPlan | TrainingPlan) -> bool:
    """Whether all candidates that were simulated are refused, and the recommended one was not: it only looks enough."""
    is_simulated = isinstance(answer, TrainingPlan) or answer.quick is None or answer.simulation_of_best is not None
    return not is_simulated and bool(answer.table.meets_targets[answer.best])


def refused_fleet(
    scenario: Scenario, candidate: int, quick: int, tried_s: dict[int, tuple[float, ...]], requests: int, seed: int
) -> SimulatedFleet:
    """A fleet that keeps its targets with no number of replicas; `tried_s` is what they limit with each. [s]"""
    over = {replicas: _worst(one, scenario) for replicas, one in tried_s.items()}
    # What keeps its limits in one run, and not for long, is no latency to be refused for.
    nearest = min(over, key=lambda one: (over[one] <= 1.0, over[one]))
    return SimulatedFleet(
        candidate=candidate, replicas=0, quick_replicas=quick, rate_share=1.0, requests=requests, seed=seed,
        nearest_s=tried_s[nearest], nearest_replicas=nearest, most_replicas=max(over),
    )  # fmt: skip


def without(found: ServingPlan, scenario: Scenario, context: Context, refused: SimulatedFleet) -> ServingPlan:
    """The plan when its recommendation keeps its targets with no number of replicas that was tried: the fleet that
    came nearest, its cost, and by how much it misses."""
    row, found = found.best, msgspec.structs.replace(found, simulated=refused)
    nearest = np.array([float(refused.nearest_replicas)])
    table = resized(found, scenario, context, np.array([row]), nearest).table
    columns = {
        "meets_targets": 0.0, "reason": Reason.MISSES_TARGET, "reason_value": _worst(refused.nearest_s, scenario),
        "replicas_expected": table.replicas[row], "slo_rate_per_s": 0.0, "headroom": -1.0,
    }  # fmt: skip
    return ranked(found, scenario, context, with_row(table, row, columns))


def told_as_refused(found: ServingPlan, scenario: Scenario, refused: Iterable[SimulatedFleet]) -> ServingPlan:
    """The plan in which nothing keeps the targets: of candidates that were refused the nearest, with its latencies.

    It comes before what the quick estimate alone refuses, whose latencies no simulation has seen.
    """
    nearest = min(refused, key=lambda one: _worst(one.nearest_s, scenario))
    over, best, order = _over(nearest.nearest_s, scenario), nearest.candidate, found.table.order
    table = msgspec.structs.replace(found.table, order=np.concatenate([[best], order[order != best]]))
    return msgspec.structs.replace(
        found, table=table, best=best, simulated=nearest, target_latency_s=nearest.nearest_s,
        limiting_slo=over.index(max(over)) if over else -1, peak_rate_per_s=peak_rate_of(found, scenario, best),
    )  # fmt: skip


def _worst(latency_s: tuple[float, ...], scenario: Scenario) -> float:
    """The largest of latencies over their limits; infinite of a batch, which is refused where nothing answers it."""
    return max(_over(latency_s, scenario), default=math.inf)


def _over(latency_s: tuple[float, ...], scenario: Scenario) -> list[float]:
    """Latencies over the limits of their targets; infinite where no answer tells one."""
    targets = scenario_targets(scenario)
    over = [value / one.limit_s for value, one in zip(latency_s, targets, strict=True)]
    return [math.inf if math.isnan(one) else one for one in over]
