"""No step is planned faster than published runs of its kind allow: the best of many predictions is too good."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.training_calibration import family_of
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.training_pace import PARTS, TrainingPace, paced_step, training_pace
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.training.job import TrainingJob
from gpuplanner_gui.engine.training.layouts import TrainingLayouts
from gpuplanner_gui.engine.training.step_time import TrainingStep


def published_rates(context: Context, job: TrainingJob) -> Floats:
    """Model FLOP/s of the best published runs, carried over to every accelerator of their architecture.

    Of the job's recipe, and of models with or without experts as the job's; shape (accelerators,), infinite where
    nothing of the kind was published. [FLOP/s]
    """
    devices = context.devices
    peak = devices.peak_flop_per_s[:, job.compute_index]
    families = [family_of(entry.architecture) for entry in context.catalog.accelerators.values()]
    best: dict[str, float] = {}
    for run in context.calibration.training.best_published:
        if (run.recipe, run.has_experts) == (job.recipe, job.numbers.experts > 0) and run.accelerator in devices.ids:
            position = devices.ids.index(run.accelerator)
            share = run.flop_per_s / float(peak[position])
            best[families[position]] = max(best.get(families[position], 0.0), share)
    return np.asarray([best.get(family, np.inf) for family in families] * peak)


def expected_step(
    step: TrainingStep, job: TrainingJob, layouts: TrainingLayouts, context: Context
) -> tuple[TrainingStep, TrainingPace | None]:
    """Steps at the pace of own measurements, hardly faster than published runs; and that pace."""
    pace = training_pace(context.calibration, job, layouts, context.devices, step)
    return held_step(paced_step(step, pace), pace, job, layouts, context), pace


def held_step(
    step: TrainingStep, pace: TrainingPace | None, job: TrainingJob, layouts: TrainingLayouts, context: Context
) -> TrainingStep:
    """Steps hardly faster than published runs; own measurements go free. Published runs of adapters are slower yet."""
    published = published_rates(context, job)[layouts.accelerator]
    if pace is not None:
        published = np.where(pace.is_measured, np.inf, published)
    flop = (1 + job.backward_share) * job.numbers.flop_per_token * job.tokens_per_step / layouts.devices
    with np.errstate(divide="ignore"):
        published_s = np.asarray(flop / published)
    if not (published_s > step.total).any():
        return step
    known = leaf(published_s, "published_step_s", "s", "best published runs of the architecture, recipe, kind of model")
    lead = leaf(context.calibration.training.published_lead, "largest_lead", "", "training calibration")
    parts = {name: held_s(getattr(step, name), step.total, known, lead) for name in (*PARTS, "input_s")}
    return replace(step, **parts, total=held_s(step.total, step.total, known, lead))


@formula(
    title="Limited by published runs",
    unit="s",
    expression="part_s · r / (1 + largest_lead · (1 - exp((1 - r) / largest_lead))), "
    "r = max(published_step_s / step_s, 1)",
    source="docs/derivations/training.md#hardly-faster-than-published-runs",
)
def held_s(part_s: Floats, step_s: Floats, published_step_s: Floats, largest_lead: float) -> Floats:
    """A part of a step, stretched as the step is; what is faster before is faster after. [s]"""
    with np.errstate(divide="ignore", invalid="ignore"):
        lead = np.maximum(np.nan_to_num(published_step_s / step_s, nan=1.0, posinf=1.0), 1.0)
    return np.asarray(part_s * lead / (1.0 + largest_lead * -np.expm1((1.0 - lead) / largest_lead)))
