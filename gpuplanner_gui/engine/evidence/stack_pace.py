"""The pace of an engine without a fit of its own: that of its software in published results, as rows are predicted."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.pace import BATCHES
from gpuplanner_gui.engine.serving.predict.points import one_pass
from gpuplanner_gui.engine.serving.predict.stacks import (
    StackParameters,
    decode_step_s,
    decode_work,
    prefill_pass_s,
    prefill_work,
)
from gpuplanner_gui.engine.serving.rates import rates_of
from gpuplanner_gui.engine.serving.samples import WIDE_FORMATS, StackTraits, is_known, logs_of

SOURCE = "published results of the software, by family of devices (catalogs/inference_stacks.json)"
OF_PROMPTS = ("prefill_kernels", "prefill_host_s", "prefill_launch", "prefill_power")


@dataclass(frozen=True)
class StackLogs:
    """Log factors on the engine's steps; candidates' shape."""

    decode: Floats
    """Shape (batches of `pace.BATCHES`, candidates)."""
    prefill: Floats


def stack_logs(
    context: Context, scenario: Scenario, candidates: ServingCandidates, deployed: Deployments, demand: Demand
) -> StackLogs | None:
    """Factors between the engine's own steps and those of its software as published; None for engines with a fit."""
    known = context.calibration.stacks.token_software(scenario.service.engine.engine)
    if not known or not deployed.operations:
        return None
    stack, rates = _parameters(context, scenario, candidates, known), rates_of(deployed.engine)
    count, none = len(candidates), np.zeros(len(candidates))
    context_tokens, decode = np.full(count, demand.context_tokens), np.zeros((len(BATCHES), count))
    for place, batch in enumerate(BATCHES):
        sequences = np.full(count, batch)
        work = decode_work(deployed, sequences, context_tokens, rates)
        own_s = one_pass(deployed, sequences, context_tokens, none, none, none).total_s(rates)
        decode[place] = _log(decode_step_s(work, stack), own_s)
    tokens = np.full(count, min(max(demand.mix.computed_tokens, 1.0), float(demand.token_budget)))
    prompts = one_pass(deployed, none, none, np.ones(count), tokens, none)
    prefill = _log(prefill_pass_s(prefill_work(prompts, deployed, rates), stack), prompts.total_s(rates))
    return StackLogs(decode, prefill)


def _log(stack_s: Floats, own_s: Floats) -> Floats:
    """None where a rate is not known."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.log(stack_s / own_s), nan=0.0, posinf=0.0, neginf=0.0)


def _parameters(
    context: Context, scenario: Scenario, candidates: ServingCandidates, known: tuple[str, ...]
) -> StackParameters:
    """Parameters of the newest software that was measured on a candidate's family; those of prompts, of the newest
    whose prompts were."""
    stacks, devices = context.calibration.stacks, context.catalog.accelerators
    pairs = list(zip(candidates.accelerator.tolist(), candidates.weight_precision.tolist(), strict=True))
    found: dict[tuple[int, int], dict[str, float]] = {}
    for pair in set(pairs):
        device, precision = devices[context.devices.ids[pair[0]]], PRECISIONS[pair[1]]
        family = stacks.family_of(device.architecture, device.kind, device.memory_type)
        traits = [StackTraits(one, family, scenario.model.kind, precision not in WIDE_FORMATS) for one in known]
        measured = [one for one in traits if is_known(one, stacks)] or traits
        logs = logs_of(measured[-1], stacks)
        of_prompts = [one for one in measured if _has_prompts(one.software, context)] or [
            one for one in traits if _has_prompts(one.software, context)
        ]
        logs |= {name: value for name, value in logs_of(of_prompts[-1], stacks).items() if name in OF_PROMPTS}
        found[pair] = logs
    return StackParameters(
        **{
            part.name: stacks.usual[part.name] * np.exp([found[pair].get(part.name, 0.0) for pair in pairs])
            for part in fields(StackParameters)
        }
    )


def _has_prompts(software: str, context: Context) -> bool:
    """Whether any published prompt bears on a software's parameters."""
    effects = context.calibration.stacks.effects
    return any(name in one.logs for one in effects if one.software == software for name in OF_PROMPTS)
