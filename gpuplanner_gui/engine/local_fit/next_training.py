"""The first training run to measure on each contender: one node of it, before anything is fitted across nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.local_calibration import LocalPoint, LocalPrior
from gpuplanner_gui.domain.plan import Plan, Reason, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.local_fit.knowledge import PhaseKnowledge, knowledge_of, phase_knowledge
from gpuplanner_gui.engine.local_fit.points import log2_tokens, training_arrangement
from gpuplanner_gui.engine.local_fit.posterior import band_width
from gpuplanner_gui.engine.local_fit.rows import model_signature

Z_80 = 1.2815515655446004
CONTENDERS, SEARCHED = 3, 2000
CUTS = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
PARTS = (
    ("compute_s",),
    ("bandwidth_s",),
    ("tensor_communication_s", "data_communication_s", "pipeline_communication_s", "expert_communication_s"),
    ("host_s",),
    ("bubble_s",),
)
"""Of a step, in the order of `SHARES`."""
NODE_DEVICES = 8
"""Of a server. A layout that shares layers among more takes as many as share them."""


@dataclass(frozen=True)
class NextTrainingRun:
    """A short run of a candidate's layout on the fewest devices that tell of it."""

    candidate: int
    accelerator: str
    framework: str
    recipe: str
    devices: int
    tensor_parallel: int
    pipeline_parallel: int
    context_parallel: int
    expert_parallel: int
    micro_batch: int
    global_batch: int
    """Sequences of a step, as many for each copy as in the plan."""
    sequence_length: int
    width_before: float
    """Spread of the logarithm of the step's time."""
    width_after: float


def next_training_runs(
    scenario: Scenario, context: Context, plan: Plan, prior: LocalPrior
) -> tuple[NextTrainingRun, ...]:
    """One run for the best layout of each of a few accelerators, the widest band first; empty without training."""
    if plan.training is None or scenario.training is None:
        return ()
    framework = scenario.training.framework
    local = context.calibration.local
    known = knowledge_of(local).phase("training") if local is not None else None
    found = []
    for index in _contenders(plan.training.table):
        asked = _point(scenario, plan, index, framework, known)
        phase = phase_knowledge(prior.phases["training"], known.points if known is not None else (), [asked])
        row = phase.vocabulary.rows([asked])
        noise = np.array([phase.prior.noise_log_sd**2])
        left = np.diag(phase.posterior.joint(row))
        now, then = (
            float(band_width(phase.prior, row, variance, noise)[0])
            for variance in (left, left * noise / (left + noise))
        )
        found.append(_run(scenario, plan, index, framework, then / max(now, 1e-9)))
    return tuple(sorted(found, key=lambda one: one.width_after - one.width_before))


def _contenders(table: TrainingTable) -> list[int]:
    """The best layout of each accelerator, the first few that run."""
    found: dict[int, int] = {}
    for index in map(int, table.order[:SEARCHED]):
        if table.fits[index] and table.reason[index] in (Reason.NONE, Reason.NO_PRICE, Reason.MISSES_TARGET):
            found.setdefault(int(table.accelerator[index]), index)
        if len(found) == CONTENDERS:
            break
    return list(found.values())


def _point(scenario: Scenario, plan: Plan, index: int, framework: str, known: PhaseKnowledge | None) -> LocalPoint:
    """A layout as a point that nobody has measured yet."""
    assert plan.training is not None
    assert scenario.training is not None
    table, job = plan.training.table, scenario.training
    model, accelerator = model_signature(scenario.model), plan.accelerators[int(table.accelerator[index])]
    build = known.build_of(framework, model, accelerator) if known is not None else ("", "")
    devices, step_s = int(table.devices[index]), float(table.step_time_s[index])
    own_s = max(step_s - float(table.input_s[index]), 1e-9)
    return LocalPoint(
        phase="training",
        model=model,
        accelerator=accelerator,
        engine=framework,
        precision=job.recipe,
        arrangement=training_arrangement(*(int(getattr(table, name)[index]) for name in CUTS)),
        release=build[0],
        month=build[1],
        log2_batch=math.log2(max(job.global_batch_tokens / devices, 1.0)),
        log2_devices=math.log2(devices),
        log2_time=math.log2(max(step_s, 1e-9)),
        log2_prompt=log2_tokens(job.sequence_length),
        shares=tuple(sum(float(getattr(table, name)[index]) for name in parts) / own_s for parts in PARTS),
        log_residual=0.0,
        quantity="step_time",
        measured=step_s,
        predicted=step_s,
    )


def _run(scenario: Scenario, plan: Plan, index: int, framework: str, narrowed: float) -> NextTrainingRun:
    assert plan.training is not None
    assert scenario.training is not None
    table, job = plan.training.table, scenario.training
    tensor, pipeline, context, expert = (int(getattr(table, name)[index]) for name in CUTS)
    whole, shared = int(table.devices[index]), tensor * pipeline * context
    devices = min(whole, shared * max(NODE_DEVICES // shared, 1))
    sequences = max(round(job.global_batch_tokens / job.sequence_length), 1)
    micro = max(int(table.micro_batch[index]), 1)
    copies, copies_planned = devices // shared, max(whole // shared, 1)
    each = max(round(sequences / copies_planned / micro), 1) * micro
    width = math.log(float(table.step_high80_s[index] / table.step_time_s[index])) / Z_80
    return NextTrainingRun(
        candidate=index,
        accelerator=plan.accelerators[int(table.accelerator[index])],
        framework=framework,
        recipe=job.recipe,
        devices=devices,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=min(expert, devices),
        micro_batch=micro,
        global_batch=each * copies,
        sequence_length=job.sequence_length,
        width_before=width,
        width_after=width * narrowed,
    )
