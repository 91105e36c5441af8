"""The pace of serving candidates by own measurements: their steps take longer or shorter, their bands narrow.

An engine without a fit of its own has the pace of its software in published results, as rows are predicted. No
service is planned faster than every published run of its device and format, nor than its hardware allows.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.measurement import FastestRun
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context, kept_in_context
from gpuplanner_gui.engine.evidence.knowledge import PhaseKnowledge, knowledge_of
from gpuplanner_gui.engine.evidence.points import LEAST_TIME_S, log2_tokens, step_shares
from gpuplanner_gui.engine.evidence.posterior import EvidenceRows, model_signature
from gpuplanner_gui.engine.evidence.record import LEAST_RUNS
from gpuplanner_gui.engine.hardware.devices import DeviceTable
from gpuplanner_gui.engine.model.precision import PRECISIONS
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.operation import StepWork
from gpuplanner_gui.engine.serving.pace import BATCHES, SOURCE, WIDTH_BATCH, ServingPace
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
from gpuplanner_gui.engine.serving.step import StepTimes, step_times
from gpuplanner_gui.engine.serving.tabulated import breakdown
from gpuplanner_gui.engine.training.judging import held_s


def serving_pace(
    context: Context,
    scenario: Scenario,
    candidates: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
) -> ServingPace | None:
    """Factors of candidates: of own measurements, else of published runs that are all slower; None without either."""
    own = _own_pace(context, scenario, candidates, deployed, demand)
    stack = stack_logs(context, scenario, candidates, deployed, demand)
    if stack is None:
        slower = published_log(context)[candidates.accelerator, candidates.weight_precision]
        published, source = StackLogs(slower, slower), PUBLISHED
    else:
        published, source = stack, OF_STACK
    if own is not None:
        decode, prefill = (np.where(own.is_measured, 0.0, one) for one in (published.decode, published.prefill))
        published, source = StackLogs(decode, prefill), f"{SOURCE}; {source}"
    if not (published.decode.any() or published.prefill.any()):
        return own
    pace = _unchanged(len(candidates)) if own is None else own
    decode, prefill = pace.decode_log + published.decode, pace.prefill_log + published.prefill
    return replace(pace, decode_log=decode, prefill_log=prefill, source=source)


def _own_pace(
    context: Context, scenario: Scenario, candidates: ServingCandidates, deployed: Deployments, demand: Demand
) -> ServingPace | None:
    """Factors that own measurements show, none faster than the hardware allows."""
    if context.calibration.local is None:
        return None
    known, engine = knowledge_of(context.calibration.local), scenario.service.engine.engine
    decode, prefill = known.get("decode"), known.get("prefill")
    chosen = _concerned([part for part in (decode, prefill) if part is not None], candidates, context.devices)
    if not len(chosen):
        return None
    cases = _Cases(scenario, candidates.at(chosen), context.devices, demand)
    own = deployed.at(chosen)
    pace = _unchanged(len(candidates))

    def held(log: Floats, parts: StepTimes) -> Floats:
        least = hardware_log(context, engine, own, parts)
        pace.beyond_log[chosen] = np.maximum(pace.beyond_log[chosen], least - log)
        return np.maximum(log, least)

    if decode is not None:
        for position, batch in enumerate(BATCHES):
            parts = breakdown(own, np.full(len(chosen), batch), demand.context_tokens)
            log, width, is_measured = decode.factor(cases.rows(decode, batch, parts))
            pace.decode_log[position, chosen] = held(log, parts)
            if batch == WIDTH_BATCH:
                pace.decode_width[chosen], pace.is_measured[chosen] = width, is_measured
    if prefill is not None:
        tokens = np.asarray(min(max(demand.mix.computed_tokens, 1.0), float(demand.token_budget)))
        parts = step_times(own.operations, StepWork(_NONE, _NONE, tokens, _ONE, _NONE), own.replica, own.engine)
        log, width, _ = prefill.factor(cases.rows(prefill, 1.0, parts))
        pace.prefill_log[chosen], pace.prefill_width[chosen] = held(log, parts), width
    return pace


_NONE, _ONE = np.asarray(0.0), np.asarray(1.0)


def _unchanged(count: int) -> ServingPace:
    return ServingPace(
        np.zeros((len(BATCHES), count)),
        np.zeros(count),
        np.ones(count),
        np.ones(count),
        np.zeros(count, bool),
        np.zeros(count),
    )


def _concerned(known: list[PhaseKnowledge], candidates: ServingCandidates, devices: DeviceTable) -> Integers:
    """Candidates on accelerators that were measured; no term of the prior reaches beyond."""
    names = {point.accelerator for part in known for point in part.points} & set(devices.ids)
    return np.flatnonzero(np.isin(candidates.accelerator, [devices.ids.index(name) for name in names]))


@dataclass(frozen=True)
class _Cases:
    """Candidates as the covariance compares them."""

    scenario: Scenario
    candidates: ServingCandidates
    devices: DeviceTable
    demand: Demand

    def rows(self, known: PhaseKnowledge, batch: float, parts: StepTimes) -> EvidenceRows:
        """Rows of the cases at one batch, with step times by resource."""
        words, candidates = known.vocabulary, self.candidates
        accelerator = np.array([words.code("accelerator", name) for name in self.devices.ids], np.int64)
        precision = np.array([words.code("precision", name) for name in PRECISIONS], np.int64)
        model, engine = model_signature(self.scenario.model), self.scenario.service.engine.engine
        builds = [known.build_of(engine, model, name) for name in self.devices.ids]
        month = np.array([words.code("month", one[1]) for one in builds], np.int64)
        labels = (
            words.code("model", model), accelerator[candidates.accelerator],
            words.code("engine", engine), precision[candidates.weight_precision],
            words.code("arrangement", "one"), words.code("release", known.build_of(engine)[0]),
            month[candidates.accelerator],
        )  # fmt: skip
        share = candidates.devices.astype(np.float64)
        total = np.maximum(np.broadcast_to(parts.total, share.shape), LEAST_TIME_S)
        numbers = (
            np.log2(np.maximum(batch / share, 1e-3)), np.log2(batch), np.log2(share), np.log2(total),
            log2_tokens(self.demand.prompt_tokens), log2_tokens(self.demand.output_tokens),
        )  # fmt: skip
        return EvidenceRows(
            np.stack([np.broadcast_to(one, share.shape) for one in labels]),
            np.stack([np.broadcast_to(one, share.shape) for one in numbers]),
            step_shares(parts, total),
        )


OF_STACK = "published results of the software, by family of devices (catalogs/inference_stacks.json)"
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


PUBLISHED = "the fastest of all published runs of the device and format, over what is predicted of it"
CLOCKS = 1.05
"""Factor by which clocks above the stated ones may beat a peak, a bandwidth or kernels that were timed."""


def fastest_run(context: Context, accelerator: str, precision: str) -> FastestRun | None:
    """The published run of a device and format that comes nearest to its prediction; None of fewer than five."""
    return _fastest_runs(context).get((accelerator, precision))


@kept_in_context()
def _fastest_runs(context: Context) -> dict[tuple[str, str], FastestRun]:
    table = context.calibration.published
    known = table.fastest if table is not None else ()
    return {(one.accelerator, one.precision): one for one in known if one.runs >= LEAST_RUNS}


@kept_in_context()
def published_log(context: Context) -> Floats:
    """Log factor by which steps stay hardly faster than all published runs, shape (accelerators, precisions); 0 where
    one of them was as fast as predicted, or fewer than five are known."""
    table, slower = context.calibration.published, np.ones((len(context.devices.ids), len(PRECISIONS)))
    places = {name: place for place, name in enumerate(context.devices.ids)}
    for (accelerator, precision), run in _fastest_runs(context).items():
        if accelerator in places:
            slower[places[accelerator], PRECISIONS.index(precision)] = max(run.slowdown, 1.0)
    lead = table.served_lead if table else 1.0
    return np.asarray(np.log(held_s(np.ones_like(slower), np.ones_like(slower), slower, lead)))


def hardware_log(context: Context, engine: str, deployed: Deployments, parts: StepTimes) -> Floats:
    """Log factor on predicted steps below which no measurement is believed, shape (deployments,).

    Memory is read no faster than its stated bandwidth; products are computed no faster than they were timed alone, on
    devices that were not timed no faster than the stated peak.
    """
    products, where = deployed.replica.ffn, (deployed.accelerator, deployed.replica.formats.ffn)
    is_timed = context.kernels(engine).is_measured[where]
    least_compute_s = parts.compute_s * np.where(is_timed, 1.0, products.parameters.compute_efficiency)
    least_memory_s = parts.bandwidth_s * products.parameters.memory_efficiency
    return np.asarray(np.log(np.maximum(least_compute_s, least_memory_s) / (CLOCKS * parts.total)))
