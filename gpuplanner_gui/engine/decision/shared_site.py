"""Both workloads of a plan on one site: together they draw no more than it has, if any two of their fleets do."""

from __future__ import annotations

from typing import TypeVar

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import Plan, Reason, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.cost.site import WATTS_PER_KW

P = TypeVar("P", ServingPlan, TrainingPlan)


def fleet_watts(scenario: Scenario, context: Context, answer: ServingPlan | TrainingPlan) -> Floats:
    """Rated power of every candidate's fleet at the site's meter, in whole units as paid for. [W]"""
    table, economics = answer.table, scenario.economics
    is_service = isinstance(answer, ServingPlan)
    term = economics.serving_procurement if is_service else economics.training_procurement
    rated_w = context.prices(economics, term).rated_power_w[table.accelerator]
    devices = np.where(np.isfinite(table.paid_devices), table.paid_devices, table.devices)
    return np.asarray(rated_w * devices * central(economics.site.pue))


def on_one_site(scenario: Scenario, plan: Plan, context: Context) -> Plan:
    """The plan with the fleets that do not fit beside the other workload's closed, of that which gives way cheaper."""
    limit_kw, serving, training = scenario.hardware.max_kw_total, plan.serving, plan.training
    if limit_kw is None or serving is None or training is None or serving.best < 0 or training.best < 0:
        return plan
    limit_w = limit_kw * WATTS_PER_KW
    serving_w, training_w = (fleet_watts(scenario, context, one) for one in (serving, training))
    if serving_w[serving.best] + training_w[training.best] <= limit_w:
        return plan
    service = _within(serving, serving_w + training_w[training.best] - limit_w)
    run = _within(training, training_w + serving_w[serving.best] - limit_w)
    more_service = _usd(service) - _usd(serving) if service is not None else np.inf
    more_run = _usd(run) - _usd(training) if run is not None else np.inf
    if run is not None and more_run <= more_service:
        return msgspec.structs.replace(plan, training=run)
    return msgspec.structs.replace(plan, serving=service) if service is not None else plan


def _usd(answer: ServingPlan | TrainingPlan) -> float:
    """Cost of a month, or of the run. [USD]"""
    usd = answer.table.usd_per_month if isinstance(answer, ServingPlan) else answer.table.usd_per_run_confident
    return float(usd[answer.best])


def _within(answer: P, excess_w: Floats) -> P | None:
    """The answer with fleets that are over by so much closed; None where none is left that meets its targets."""
    table = answer.table
    over = (table.reason == Reason.NONE) & (excess_w > 0)
    left = (table.reason == Reason.NONE) & ~over
    if not left.any():
        return None
    order = np.concatenate([table.order[left[table.order]], table.order[~left[table.order]]])
    changed = msgspec.structs.replace(
        table, order=order, reason=np.where(over, int(Reason.OVER_POWER), table.reason),
        reason_value=np.where(over, excess_w, table.reason_value),
    )  # fmt: skip
    return msgspec.structs.replace(answer, table=changed, best=int(order[0]))
