"""Rules about what a decision was measured on: the phase that is bought for, or the other one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gpuplanner_gui.domain.local_calibration import LocalPhase
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.engine.advisor.case import NOTE, WARNING, ServingCase, TrainingCase, finding, remedy

SERVING_PHASES: tuple[LocalPhase, ...] = ("prefill", "decode")
TRAINING_PHASES: tuple[LocalPhase, ...] = ("training",)


def service_judged_by_training(case: ServingCase) -> Iterator[Finding]:
    """Own measurements exist, and none of them is of serving."""
    points = _points_of_other_phase(case, SERVING_PHASES)
    if not points:
        return
    table, row = case.best.table, case.best.row
    assert isinstance(table, ServingTable)
    band = float(np.sqrt(table.tpot_high80_s[row] / table.tpot_low80_s[row]))
    values = {"points": points, "band_factor": band, "device": case.best.accelerator.name}
    yield finding("service_judged_by_training", "serving", WARNING, values, remedy=remedy("measure_service"))


def training_judged_by_service(case: TrainingCase) -> Iterator[Finding]:
    """Own measurements exist, and none of them is of training."""
    points = _points_of_other_phase(case, TRAINING_PHASES)
    if not points:
        return
    table, row = case.best.table, case.best.row
    assert isinstance(table, TrainingTable)
    band = float(np.sqrt(table.step_high80_s[row] / table.step_low80_s[row]))
    values = {"points": points, "band_factor": band, "device": case.best.accelerator.name}
    yield finding("training_judged_by_service", "training", WARNING, values, remedy=remedy("measure_training"))


def faster_than_published(case: TrainingCase) -> Iterator[Finding]:
    """The plan's devices do more than the best published run of their kind in this format ever did."""
    accelerator = case.best.accelerator
    has_experts = case.scenario.model.kind == "moe_decoder"
    training = case.context.calibration.training
    best = training.best_of(accelerator.id, case.workload.recipe, has_experts)
    assert case.plan.training is not None
    rate = case.best.of("tokens_per_s_per_device") * case.plan.training.flop_per_token
    if best is None or not rate > best.flop_per_s:
        return
    over = rate / best.flop_per_s - 1
    values: dict[str, float | str] = {
        "flop_per_s": rate, "best_flop_per_s": best.flop_per_s, "over_share": over, "model": best.model,
        "devices": float(best.devices), "device": accelerator.name,
    }  # fmt: skip
    at_risk = over / (1 + over) * case.best.of("usd_per_run")
    severity = WARNING if over > training.published_lead else NOTE
    yield finding("faster_than_published", "training", severity, values, at_risk, remedy("measure_it"))


def _points_of_other_phase(case: ServingCase | TrainingCase, wanted: tuple[LocalPhase, ...]) -> int:
    """How many points the planner measured, if all are of another phase; else 0."""
    local = case.context.calibration.local
    if local is None or any(point.phase in wanted for point in local.points):
        return 0
    return len(local.points)
