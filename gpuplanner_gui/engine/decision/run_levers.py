"""What makes a training run cheaper: fewer device-hours in a narrower format, spot capacity, or both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec
import numpy as np

from gpuplanner_gui.domain.decision import LeverAnswer
from gpuplanner_gui.domain.plan import Reason, TrainingTable
from gpuplanner_gui.engine.advisor.case import TrainingCase
from gpuplanner_gui.engine.decision.spot_run import spot_run_factor
from gpuplanner_gui.engine.training.plan import training_plan

LeverCode = Literal["faster", "spot"]
WIDE_RECIPES = ("bf16", "fp16")
NARROW_RECIPE = "fp8"
WORTH_SAYING = 1.02


def levers_of_run(case: TrainingCase) -> tuple[LeverAnswer, ...]:
    """Each measure that is open to the recommended run, with what it saves alone and in turn."""
    price, hours = case.best.of("usd_per_device_hour"), case.best.of("device_hours")
    base = case.run_usd(hours, price) - case.run_usd(0.0, price)
    if not np.isfinite(base) or case.procurement != "rent_on_demand":
        return ()
    factors: dict[LeverCode, float] = {}
    speedup = _speedup_in_fp8(case)
    if speedup > WORTH_SAYING:
        factors["faster"] = 1 / speedup
    spot = case.context.offers.quote(case.best.accelerator, "rent_spot", case.scenario.economics).usd_per_hour
    if case.workload.restartable and np.isfinite(spot) and (useful := spot * _stretch(case)) < price:
        factors["spot"] = useful / price
    return lever_savings(base, factors)


def lever_savings(base_usd: float, factors: Mapping[LeverCode, float]) -> tuple[LeverAnswer, ...]:
    """What each measure saves of a cost, alone and after those before it; factors multiply. [USD]

    A run that takes half the hours on capacity at half the price costs a quarter. A negative saving is an extra cost.
    """
    left, found = base_usd, []
    for code, factor in factors.items():
        found.append(LeverAnswer(code=code, alone_usd=base_usd * (1 - factor), in_order_usd=left * (1 - factor)))
        left *= factor
    return tuple(found)


def _speedup_in_fp8(case: TrainingCase) -> float:
    """Device-hours of the run over those of the same devices in FP8; 1 where these cannot, or it is narrow already."""
    if case.workload.recipe not in WIDE_RECIPES:
        return 1.0
    hardware = msgspec.structs.replace(
        case.scenario.hardware, accelerators=(case.best.accelerator.id,), training_devices=int(case.best.of("devices"))
    )
    training = msgspec.structs.replace(case.workload, recipe=NARROW_RECIPE)
    scenario = msgspec.structs.replace(case.scenario, hardware=hardware, training=training)
    found = training_plan(scenario, case.context, lambda: None)
    if found.best < 0 or int(found.table.reason[found.best]) not in (Reason.NONE, Reason.NO_PRICE):
        return 1.0
    return max(case.best.of("device_hours") / float(found.table.device_hours[found.best]), 1.0)


def _stretch(case: TrainingCase) -> float:
    assert isinstance(case.best.table, TrainingTable)
    return spot_run_factor(case.scenario, case.context, case.best.table, case.best.row)
