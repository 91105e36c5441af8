"""One fleet or two, from a plan's own candidates: every strategy over the horizon, with what it wastes."""

from __future__ import annotations

from typing import Literal

import numpy as np

from gpuplanner_gui.domain.decision import (
    Fleet,
    FleetsAnswer,
    FleetSpan,
    Misplaced,
    ResourceMoney,
    StrategyAnswer,
)
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.fleet_plan import (
    Misplacement,
    PlannedFleet,
    StrategyPlan,
    compare_strategies,
    misplaced_serving,
    misplaced_training,
)
from gpuplanner_gui.engine.cost.fleets import FleetDemand
from gpuplanner_gui.engine.cost.resources import Resources
from gpuplanner_gui.engine.decision.fleet_options import FleetOptions, fleet_options
from gpuplanner_gui.engine.decision.fleet_terms import fleet_demand, opening_hour

Workload = Literal["serving", "training"]
ROLES: tuple[Workload, Workload] = ("training", "serving")


class NothingToCompareError(ValueError):
    """The scenario does not both train and serve, or no accelerator with a price can do one of them."""


def fleets_of_plan(scenario: Scenario, plan: Plan, context: Context) -> FleetsAnswer:
    """Weigh one shared fleet, two fleets, and bursts of rented training capacity.

    Raises NothingToCompareError.
    """
    if plan.serving is None or plan.training is None:
        raise NothingToCompareError
    demand, options = fleet_demand(scenario, plan), fleet_options(scenario, plan, context)
    can_serve, can_train = options.serving >= 0, options.training >= 0
    if not can_serve.any() or not can_train.any() or not demand.windows or not (demand.load_per_s > 0).any():
        raise NothingToCompareError
    strategies = compare_strategies(demand, options.hardware)
    return FleetsAnswer(
        strategies=tuple(_answer(one, plan, options) for one in strategies),
        misplaced=_misplaced(demand, options, strategies, plan),
        horizon_h=float(demand.hours),
        windows_h=tuple((float(one.start_h), float(one.end_h)) for one in demand.windows),
        opens_h=float(opening_hour(scenario, demand.windows)),
        options=len(options.accelerator),
    )


def _answer(found: StrategyPlan, plan: Plan, options: FleetOptions) -> StrategyAnswer:
    names = [plan.accelerators[int(who)] for who in options.accelerator]
    spans = tuple(
        FleetSpan(
            role=one.role, tier=one.tier, accelerator=names[one.option], start_h=float(one.start_h),
            end_h=float(one.end_h), devices=one.devices, usd=one.usd,
        )
        for one in found.timeline
    )  # fmt: skip
    fleets = tuple(_fleet(one, names[one.option], options) for one in found.fleets)
    return StrategyAnswer(strategy=found.strategy, fleets=fleets, timeline=spans)


def _fleet(found: PlannedFleet, name: str, options: FleetOptions) -> Fleet:
    return Fleet(
        role=found.role,
        accelerator=name,
        serving_candidate=int(options.serving[found.option]) if found.role != "training" else -1,
        training_candidate=int(options.training[found.option]) if found.role != "serving" else -1,
        devices=found.devices,
        devices_usd=found.devices_usd,
        storage_usd=found.storage_usd,
        egress_usd=found.egress_usd,
        paid_hours=found.paid_hours,
        training_hours=found.training_hours,
        serving_hours=found.serving_hours,
        paid=_money(found.account.paid),
        used=_money(found.account.used),
    )


def _money(resources: Resources) -> ResourceMoney:
    return ResourceMoney(*(float(value) for value in resources.stacked()))


def _misplaced(
    demand: FleetDemand, options: FleetOptions, strategies: tuple[StrategyPlan, ...], plan: Plan
) -> tuple[Misplaced, ...]:
    """Each workload on the hardware that two fleets would have for the other, where it can run there at all."""
    burst = next(one for one in strategies if one.strategy == "burst")
    training, serving = (next(fleet.option for fleet in burst.fleets if fleet.role == role) for role in ROLES)
    if training == serving:
        return ()
    names = [plan.accelerators[int(who)] for who in options.accelerator]
    run = misplaced_training(options.hardware, training, serving)
    service = misplaced_serving(demand, options.hardware, serving, training)
    found = (
        _misplacement("training", run, names[training], names[serving]),
        _misplacement("serving", service, names[serving], names[training]),
    )
    return tuple(one for one in found if np.isfinite(one.slowdown))


def _misplacement(workload: Workload, found: Misplacement, home: str, elsewhere: str) -> Misplaced:
    return Misplaced(
        workload=workload, home=home, elsewhere=elsewhere, slowdown=found.slowdown, home_usd=found.home_usd,
        elsewhere_usd=found.elsewhere_usd,
    )  # fmt: skip
