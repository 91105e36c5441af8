"""The doors to the decision: as `engine.plan`, they take a scenario, a catalogue, a calibration and a plan.

Each answers None where there is nothing to weigh, such as fleets for a scenario that only serves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.decision import ComparisonAnswer, FleetsAnswer, OwnershipAnswer, UncertaintyAnswer
from gpuplanner_gui.domain.economics import RankingWeights
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.price import Alternative
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.cancelling import checking
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision import alternatives as beside
from gpuplanner_gui.engine.decision.compare import MOST_SCENARIOS, comparison
from gpuplanner_gui.engine.decision.fleets_of_plan import fleets_of_plan
from gpuplanner_gui.engine.decision.monte_carlo_plan import uncertainty_of_plan
from gpuplanner_gui.engine.decision.ownership_view import ownership_of_plan

__all__ = ["MOST_SCENARIOS", "alternatives", "compared", "fleets", "ownership", "uncertainty"]

Cancelled = Callable[[], bool]


def fleets(scenario: Scenario, catalog: Catalog, calibration: Calibration, plan: Plan) -> FleetsAnswer | None:
    """One shared fleet, two, or bursts, over the horizon."""
    return fleets_of_plan(scenario, plan, context_of(catalog, calibration))


def ownership(
    scenario: Scenario, catalog: Catalog, calibration: Calibration, plan: Plan
) -> dict[str, OwnershipAnswer] | None:
    """Rent or buy, for each workload that has a recommended candidate."""
    context = context_of(catalog, calibration)
    found = {name: ownership_of_plan(scenario, plan, context, name) for name in ("serving", "training")}
    return {name: answer for name, answer in found.items() if answer is not None} or None


def alternatives(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    seed: int,
    *,
    is_cancelled: Cancelled = lambda: False,
) -> tuple[Alternative, ...] | None:
    """APIs, smaller models and processors beside the recommended service. Raises CancelledError."""
    context = context_of(catalog, calibration)
    return beside.alternatives(scenario, plan, context, seed, checking(is_cancelled)) or None


def uncertainty(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    seed: int,
    samples: int = 0,
    *,
    on_progress: Callable[[float], None] = lambda share: None,
    is_cancelled: Cancelled = lambda: False,
) -> UncertaintyAnswer | None:
    """Bands, probabilities and what moves them. Raises CancelledError soon after `is_cancelled` first returns True."""
    context = context_of(catalog, calibration)
    return uncertainty_of_plan(scenario, plan, context, seed, samples, on_progress, checking(is_cancelled))


def compared(
    planned: Sequence[tuple[Scenario, Plan]],
    catalog: Catalog,
    calibration: Calibration,
    seed: int,
    weights: RankingWeights,
    *,
    is_cancelled: Cancelled = lambda: False,
) -> ComparisonAnswer:
    """Scenarios beside each other. Raises CancelledError; ValueError for fewer than two or too many."""
    return comparison(planned, context_of(catalog, calibration), seed, weights, checking(is_cancelled))
