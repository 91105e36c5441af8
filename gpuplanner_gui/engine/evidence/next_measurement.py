"""What to measure next: the runs that would narrow the decision between the best candidates most."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.local_calibration import LocalPoint, LocalPrior
from gpuplanner_gui.domain.plan import Plan, Reason, ServingTable
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.knowledge import PhaseKnowledge, knowledge_of, phase_knowledge
from gpuplanner_gui.engine.evidence.points import log2_tokens
from gpuplanner_gui.engine.evidence.posterior import share_left, width_of
from gpuplanner_gui.engine.evidence.rows import model_signature

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
    """Of all the contenders' variance that it takes away."""


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
    local = context.calibration.local
    known = knowledge_of(local).phase("decode") if local is not None else None
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
    stated = np.log(table.tpot_high80_s[contenders] / table.tpot_mean_s[contenders]) / Z_80
    scale = stated / np.sqrt(np.diag(joint) + noise_log_sd**2)
    return joint * np.outer(scale, scale), (noise_log_sd * scale) ** 2


def contenders_of(table: ServingTable) -> list[int]:
    """The best candidate of each accelerator, the first few that run."""
    found: dict[int, int] = {}
    for index in map(int, table.order[:SEARCHED]):
        if table.reason[index] in (Reason.NONE, Reason.NO_PRICE, Reason.MISSES_TARGET) and table.fits[index]:
            found.setdefault(int(table.accelerator[index]), index)
        if len(found) == CONTENDERS:
            break
    return list(found.values())


def _point(scenario: Scenario, plan: Plan, table: ServingTable, index: int, known: PhaseKnowledge | None) -> LocalPoint:
    """A candidate as a point that nobody has measured yet."""
    assert plan.serving is not None
    assert scenario.serving is not None
    model, engine = model_signature(scenario.model), scenario.serving.engine.engine
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
        log2_prompt=log2_tokens(plan.serving.mean_prompt_tokens),
        log2_output=log2_tokens(plan.serving.mean_output_tokens),
        shares=(*(float(getattr(table, name)[index]) / max(step_s, 1e-9) for name in PARTS), 0.0),
        log_residual=0.0,
        quantity="tpot",
        measured=step_s,
        predicted=step_s,
    )


def _measurement(
    plan: Plan, table: ServingTable, index: int, engine: str, widths: tuple[float, float], share: float
) -> NextMeasurement:
    assert plan.serving is not None
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
        prompt_tokens=max(1, round(plan.serving.mean_prompt_tokens)),
        output_tokens=max(1, round(plan.serving.mean_output_tokens)),
        width_before=widths[0],
        width_after=widths[1],
        share=share,
    )
