"""One fleet or two, from a plan's own candidates: every strategy over the horizon, with what it wastes."""

from __future__ import annotations

from gpuplanner_gui.domain.decision import FleetsAnswer
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.fleet_plan import compare_strategies
from gpuplanner_gui.engine.decision.fleet_options import fleet_options
from gpuplanner_gui.engine.decision.fleet_terms import fleet_demand, opening_hour


class NothingToCompareError(ValueError):
    """The scenario does not both train and serve, or no accelerator with a price can do one of them."""


def fleets_of_plan(scenario: Scenario, plan: Plan, context: Context) -> FleetsAnswer:
    """Weigh one shared fleet, two fleets, and bursts of rented training capacity.

    Raises NothingToCompareError.
    """
    if plan.serving is None or plan.training is None:
        raise NothingToCompareError
    demand, hardware = fleet_demand(scenario, plan), fleet_options(scenario, plan, context)
    can_serve, can_train = hardware.serving >= 0, hardware.training >= 0
    if not can_serve.any() or not can_train.any() or not demand.windows or not (demand.load_per_s > 0).any():
        raise NothingToCompareError
    strategies, misplaced = compare_strategies(demand, hardware)
    return FleetsAnswer(
        strategies=strategies,
        misplaced=misplaced,
        horizon_h=float(demand.hours),
        windows_h=tuple((float(one.start_h), float(one.end_h)) for one in demand.windows),
        opens_h=float(opening_hour(scenario, demand.windows)),
        options=len(hardware.names),
    )
