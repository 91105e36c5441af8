"""The doors of the training views: one candidate in depth, the scaling curve, ranked layouts, and what fits."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan, TrainingPlan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.domain.training_results import (
    LayoutObjective,
    LayoutRanking,
    ScalingCurve,
    StepDetail,
    TrainingFits,
)
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.planning import CancelledError
from gpuplanner_gui.engine.training.fixed_layout import with_layout_open
from gpuplanner_gui.engine.training.layout_ranking import ranked_layouts
from gpuplanner_gui.engine.training.plan import training_of
from gpuplanner_gui.engine.training.scaling_curve import scaling_curve
from gpuplanner_gui.engine.training.schedules import SCHEDULES
from gpuplanner_gui.engine.training.stage_memory import stage_memory
from gpuplanner_gui.engine.training.step_phases import candidate_passes, step_phases
from gpuplanner_gui.engine.training.sweeps import largest_model, micro_batch_sweep, sequence_sweep

IsCancelled = Callable[[], bool]


def step_detail(
    scenario: Scenario, catalog: Catalog, calibration: Calibration, plan: Plan, candidate: int
) -> StepDetail:  # fmt: skip
    """Memory by stage, step by phase and passes of one candidate. Raises ValueError for a plan without training."""
    table, context = _training(plan).table, context_of(catalog, calibration)
    runs = bool(table.fits[candidate])
    phases = step_phases(scenario, context, table, candidate) if runs else None
    return StepDetail(
        candidate=candidate,
        devices=int(table.devices[candidate]),
        memory=stage_memory(scenario, context, table, candidate),
        phases=phases,
        timeline=candidate_passes(table, candidate, phases) if phases is not None else None,
        schedule=SCHEDULES[int(table.schedule[candidate])],
    )


def scaling(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    accelerator: str,
    *,
    is_cancelled: IsCancelled | None = None,
) -> ScalingCurve:
    """An accelerator from one device to 100,000, each count with its fastest layout, whatever layout is fixed.

    Raises ValueError for an accelerator that the catalogue lacks, or a scenario without training; CancelledError soon
    after `is_cancelled` first returns True.
    """
    free = msgspec.structs.replace(scenario, training=with_layout_open(training_of(scenario)))
    return scaling_curve(free, context_of(catalog, calibration), accelerator, _check(is_cancelled))


def layouts(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    accelerator: str,
    objective: LayoutObjective,
    devices: int,
    *,
    is_cancelled: IsCancelled | None = None,
) -> LayoutRanking:
    """Every layout of an accelerator, ranked; see `layout_ranking.ranked_layouts` for the errors."""
    context = context_of(catalog, calibration)
    return ranked_layouts(scenario, context, accelerator, objective, devices, _check(is_cancelled))


def fits(
    scenario: Scenario,
    catalog: Catalog,
    calibration: Calibration,
    plan: Plan,
    candidate: int,
    *,
    is_cancelled: IsCancelled | None = None,
) -> TrainingFits:
    """Sequence length, micro-batch and model that still fit a candidate's devices.

    Raises ValueError for a plan without training; CancelledError soon after `is_cancelled` first returns True.
    """
    table, context, check = _training(plan).table, context_of(catalog, calibration), _check(is_cancelled)
    free = msgspec.structs.replace(scenario, training=with_layout_open(training_of(scenario)))
    sequence = sequence_sweep(scenario, context, table, candidate)
    check()
    micro_batch = micro_batch_sweep(scenario, context, table, candidate)
    check()
    accelerator = plan.accelerators[int(table.accelerator[candidate])]
    return TrainingFits(
        sequence_length=sequence,
        micro_batch=micro_batch,
        largest_model=largest_model(free, context, accelerator, int(table.devices[candidate])),
    )


def _training(plan: Plan) -> TrainingPlan:
    if plan.training is None:
        raise ValueError("the plan has no training table")
    return plan.training


def _check(is_cancelled: IsCancelled | None) -> Callable[[], None]:
    def check() -> None:
        if is_cancelled is not None and is_cancelled():
            raise CancelledError

    return check
