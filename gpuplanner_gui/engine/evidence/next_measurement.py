"""What to measure next: the runs that would narrow the decision between the best candidates most."""

from __future__ import annotations

import math
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import LocalPoint, LocalPrior, PhasePrior
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable, TrainingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.knowledge import PhaseKnowledge, knowledge_of, phase_knowledge
from gpuplanner_gui.engine.evidence.points import log2_tokens, training_arrangement
from gpuplanner_gui.engine.evidence.posterior import model_signature, share_left, width_of
from gpuplanner_gui.engine.training.model_numbers import sample_tokens
from gpuplanner_gui.engine.training.predict import case_work
from gpuplanner_gui.engine.uncertainty.sampling import log_sd_of_pace

CONTENDERS = 4
"""Candidates between which a planner decides: the best of each of so many accelerators."""
SEARCHED = 2000
PARTS = ("decode_compute_s", "decode_bandwidth_s", "decode_interconnect_s", "decode_host_s")


@dataclass(frozen=True)
class NextMeasurement:
    """One run worth making, of one candidate at its planned load."""

    candidate: int
    accelerator: str
    tensor_parallel: int
    pipeline_parallel: int
    weight_precision: str
    kv_precision: str
    engine: str
    concurrency: int
    prompt_tokens: int
    output_tokens: int
    width_before: float
    """Spread of the logarithm of the candidate's time per token."""
    width_after: float
    share: float
    """Share of all contenders' variance that the measurement removes."""
    published_runs: int
    """Of the candidate's device, software and format."""


def next_measurements(
    scenario: Scenario, context: Context, plan: Plan, prior: LocalPrior
) -> tuple[NextMeasurement, ...]:
    """Runs in order of their worth, each given that those before it are made; empty without a serving plan.

    Notes
    -----
    Greedy choice by the variance that a run takes away over all contenders: what is measured on one candidate tells of
    another as far as the prior's terms say.
    """
    if plan.serving is None or scenario.serving is None:
        return ()
    table, engine = plan.serving.table, scenario.serving.engine.engine
    contenders = contenders_of(table)
    known = knowledge_of(context.calibration.local).get("decode")
    asked = [_point(scenario, plan, table, index, known) for index in contenders]
    phase = phase_knowledge(prior.phases["decode"], known.points if known is not None else (), asked)
    rows = phase.vocabulary.rows(asked)
    joint = phase.posterior.joint(rows)
    shares = share_left(phase.prior, rows, np.diag(joint), np.full(len(asked), phase.prior.noise_log_sd**2))
    left, noise = _scaled(joint, phase.prior.noise_log_sd, table, contenders)
    stated = np.diag(left) + noise
    full = np.sqrt(stated) / width_of(shares, phase.prior.least_width)
    whole = float(np.trace(left)) or 1.0
    found: list[NextMeasurement] = []
    remaining = list(range(len(contenders)))
    while remaining:
        gains = (left**2).sum(axis=0) / (np.diag(left) + noise)
        best = max(remaining, key=lambda one: float(gains[one]))
        remaining.remove(best)
        after = left - np.outer(left[:, best], left[best]) / (left[best, best] + noise[best])
        variances = np.array([left[best, best], max(after[best, best], 0.0)]) + noise[best]
        widths = full[best] * width_of(shares[best] * variances / stated[best], phase.prior.least_width)
        index = contenders[best]
        found.append(
            _measurement(plan, table, index, engine, (float(widths[0]), float(widths[1])), float(gains[best]) / whole)
        )
        left = after
    return tuple(found)


def _scaled(joint: Floats, noise_log_sd: float, table: ServingTable, contenders: list[int]) -> tuple[Floats, Floats]:
    """The prior's covariance and noise at the width that the plan states for each contender."""
    stated = log_sd_of_pace(table, contenders)
    scale = stated / np.sqrt(np.diag(joint) + noise_log_sd**2)
    return joint * np.outer(scale, scale), (noise_log_sd * scale) ** 2


def contenders_of(table: ServingTable | TrainingTable, count: int = CONTENDERS) -> list[int]:
    """The best candidate of each accelerator, the first few that run."""
    found: dict[int, int] = {}
    running = (Reason.NONE, Reason.NO_PRICE, Reason.BELOW_CONFIDENCE, Reason.MISSES_TARGET)
    for index in map(int, table.order[:SEARCHED]):
        if table.reason[index] in running and table.fits[index]:
            found.setdefault(int(table.accelerator[index]), index)
        if len(found) == count:
            break
    return list(found.values())


def _point(scenario: Scenario, plan: Plan, table: ServingTable, index: int, known: PhaseKnowledge | None) -> LocalPoint:
    """A candidate as a point that nobody has measured yet."""
    model, engine = model_signature(scenario.model), scenario.service.engine.engine
    accelerator = plan.accelerators[int(table.accelerator[index])]
    build = known.build_of(engine, model, accelerator) if known is not None else ("", "")
    devices, step_s = float(table.devices_per_replica[index]), float(table.decode_step_s[index])
    return LocalPoint(
        phase="decode",
        model=model,
        accelerator=accelerator,
        engine=engine,
        precision=plan.precisions[int(table.weight_precision[index])],
        release=build[0],
        month=build[1],
        log2_batch=math.log2(max(float(table.batch[index]), 1.0) / devices),
        log2_devices=math.log2(devices),
        log2_time=math.log2(max(step_s, 1e-9)),
        log2_prompt=log2_tokens(plan.served.mean_prompt_tokens),
        log2_output=log2_tokens(plan.served.mean_output_tokens),
        shares=(*(float(getattr(table, name)[index]) / max(step_s, 1e-9) for name in PARTS), 0.0),
        log_residual=0.0,
        quantity="tpot",
        measured=step_s,
        predicted=step_s,
    )


def _measurement(
    plan: Plan, table: ServingTable, index: int, engine: str, widths: tuple[float, float], share: float
) -> NextMeasurement:
    batch = float(table.batch[index])
    return NextMeasurement(
        candidate=index,
        accelerator=plan.accelerators[int(table.accelerator[index])],
        tensor_parallel=int(table.tensor_parallel[index]),
        pipeline_parallel=int(table.pipeline_parallel[index]),
        weight_precision=plan.precisions[int(table.weight_precision[index])],
        kv_precision=plan.precisions[int(table.kv_precision[index])],
        engine=engine,
        concurrency=max(1, round(batch)) if math.isfinite(batch) else 1,
        prompt_tokens=max(1, round(plan.served.mean_prompt_tokens)),
        output_tokens=max(1, round(plan.served.mean_output_tokens)),
        width_before=widths[0],
        width_after=widths[1],
        share=share,
        published_runs=int(table.published_runs[index]),
    )


LAYOUTS_ASKED = 3
CUTS = ("tensor_parallel", "pipeline_parallel", "context_parallel", "expert_parallel")
TRAINING_PARTS = (
    ("compute_s",),
    ("bandwidth_s",),
    ("tensor_communication_s", "data_communication_s", "pipeline_communication_s", "expert_communication_s"),
    ("host_s",),
    ("bubble_s",),
)
"""Parts of a step, in the order of `SHARES`."""
NODE_DEVICES = 8
"""Devices of a server. A layout that shares layers among more takes as many as share them, or as hold its state."""


class NextTrainingRun(msgspec.Struct, frozen=True, kw_only=True):
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
    published_runs: int
    """Of the candidate's device, software and format."""


def next_training_runs(
    scenario: Scenario, context: Context, plan: Plan, prior: LocalPrior
) -> tuple[NextTrainingRun, ...]:
    """One run for the best layout of each of a few accelerators, the widest band first; empty without training."""
    if plan.training is None or scenario.training is None:
        return ()
    framework = context.calibration.training.framework_for(scenario.training.framework, scenario.training.method)
    known = knowledge_of(context.calibration.local).get("training")
    found = []
    for index in contenders_of(plan.training.table, LAYOUTS_ASKED):
        asked = _training_point(scenario, plan, index, framework, known)
        devices = _devices_that_hold(scenario, context, plan, index, framework)
        run = _run(scenario, plan, index, framework, devices)
        narrowed = _narrowed(prior.phases["training"], known, asked, run)
        found.append(msgspec.structs.replace(run, width_after=run.width_before * narrowed))
    return tuple(sorted(found, key=lambda one: one.width_after - one.width_before))


def _narrowed(prior: PhasePrior, known: PhaseKnowledge | None, asked: LocalPoint, run: NextTrainingRun) -> float:
    """What the run leaves of the band's width where it comes out as expected."""
    points, mean, width = known.points if known is not None else (), 0.0, 1.0
    if known is not None:
        now = phase_knowledge(prior, points, [asked])
        log, left, _ = now.factor(now.vocabulary.rows([asked]))
        mean, width = float(log[0]), float(left[0])
    tokens = run.global_batch * run.sequence_length
    made = msgspec.structs.replace(
        asked, log2_devices=math.log2(run.devices), log2_batch=math.log2(max(tokens / run.devices, 1.0)),
        log_residual=mean,
    )  # fmt: skip
    then = phase_knowledge(prior, [*points, made], [asked])
    after = then.factor(then.vocabulary.rows([asked]))[1]
    return min(float(after[0]) / width, 1.0)


def _training_point(
    scenario: Scenario, plan: Plan, index: int, framework: str, known: PhaseKnowledge | None
) -> LocalPoint:
    """A layout as a point that nobody has measured yet."""
    table, job = plan.trained.table, scenario.job
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
        shares=tuple(sum(float(getattr(table, name)[index]) for name in parts) / own_s for parts in TRAINING_PARTS),
        log_residual=0.0,
        quantity="step_time",
        measured=step_s,
        predicted=step_s,
    )


def _devices_that_hold(scenario: Scenario, context: Context, plan: Plan, index: int, framework: str) -> int:
    """One server's devices, or twice as many again and again until the layout's state fits in them.

    State that the plan spreads over many copies of the model does not fit on few.
    """
    table, job = plan.trained.table, scenario.job
    tensor, pipeline, sequence, _ = (int(getattr(table, name)[index]) for name in CUTS)
    whole, shared = int(table.devices[index]), tensor * pipeline * sequence
    devices = min(whole, shared * max(NODE_DEVICES // shared, 1))
    while devices < whole:
        expert, shared = _expert_cuts(table, index, devices)
        case = TrainingCase(
            case_id="", model=scenario.model, accelerator=plan.accelerators[int(table.accelerator[index])],
            devices=devices, metric="step_time", sequence_length=job.sequence_length,
            micro_batch=max(int(table.micro_batch[index]), 1), tensor_parallel=tensor, pipeline_parallel=pipeline,
            context_parallel=sequence, expert_parallel=expert, expert_tensor_parallel=shared,
            zero_stage=int(table.zero_stage[index]), recompute=int(table.recompute[index]), recipe=job.recipe,
            method=job.method, optimizer=job.optimizer, state_bytes=job.state_bytes, lora_rank=job.lora_rank,
            flash_attention=job.flash_attention, flash_attention_3=job.flash_attention_3,
            is_optimizer_offloaded=bool(table.offload[index]), are_weights_offloaded=job.offload_weights,
            are_activations_offloaded=bool(table.activation_offload[index]), framework=framework,
        )  # fmt: skip
        if float(case_work(case, context).memory.total[0]) <= float(table.memory_capacity_bytes[index]):
            break
        devices *= 2
    return min(devices, whole)


def _expert_cuts(table: TrainingTable, index: int, devices: int) -> tuple[int, int]:
    """EP and ETP of a layout on fewer devices; ETP 0 where experts are no longer spread, and nothing is said."""
    planned, shared = int(table.expert_parallel[index]), int(table.expert_tensor_parallel[index])
    expert = min(planned, max(devices // shared, 1))
    return expert, shared if expert > 1 or planned == 1 else 0


def _run(scenario: Scenario, plan: Plan, index: int, framework: str, devices: int) -> NextTrainingRun:
    table, job = plan.trained.table, scenario.job
    tensor, pipeline, context, _ = (int(getattr(table, name)[index]) for name in CUTS)
    whole, shared = int(table.devices[index]), tensor * pipeline * context
    length = sample_tokens(scenario.model, job.sequence_length)
    sequences = max(round(job.global_batch_tokens / length), 1)
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
        expert_parallel=_expert_cuts(table, index, devices)[0],
        micro_batch=micro,
        global_batch=each * copies,
        sequence_length=length,
        width_before=width,
        width_after=width,
        published_runs=int(table.published_runs[index]),
    )
