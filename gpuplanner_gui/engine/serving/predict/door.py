"""Predict serving cases: those of one model, engine and kind of load together, as arrays; each kind by a function."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.benchmark import Answer, LoadKind, PoolLayout, ProductFormat, Refusal, ServingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import ErrorPhase
from gpuplanner_gui.domain.serving_engine import EngineFacts, InferenceStacks, StackBand
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import LoadTraits, evidence_record, step_log_sd
from gpuplanner_gui.engine.evidence.record import EVIDENCE_OF_KIND
from gpuplanner_gui.engine.kernels.choice import FORMATS
from gpuplanner_gui.engine.serving.deployments import Deployments, case_deployments, formats_of_case
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.gate import refused_formats
from gpuplanner_gui.engine.serving.predict.batch import (
    batch_values,
    batch_work,
    full_values,
    full_work,
    sample_values,
    sample_work,
)
from gpuplanner_gui.engine.serving.predict.closed_loop import closed_loop, loop_values, pool_values, pools_in_loop
from gpuplanner_gui.engine.serving.predict.open_loop import open_loop_values
from gpuplanner_gui.engine.serving.predict.stacks import stack_parameters, traits_of
from gpuplanner_gui.engine.serving.rates import rates_of
from gpuplanner_gui.engine.serving.samples import is_known

SIZES = (1, 2, 4, 8, 16, 32, 64)
POOL_SHARE = 0.15
"""Least share of memory that a usable configuration leaves for the cache."""


def settled_layouts(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> list[ServingCase]:
    """The cases with every layout decided."""
    formatted = settled_formats(cases, context)
    return [case if case.layout.replicas else _settled(case, context, engine) for case in formatted]


def settled_pools(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> list[ServingCase]:
    """The cases with one worker of each pool where they leave open how many; a case that leaves nothing open as it is.

    Pools of which only the sum of devices is known have half of them each.
    """
    return [case if case.layout.replicas else _of_one_worker(case, context, engine) for case in cases]


def _of_one_worker(case: ServingCase, context: Context, engine: EngineFacts) -> ServingCase:
    layouts = [case.layout, case.prefill_layout or case.layout]
    if case.both_pools_devices:
        half = max(case.both_pools_devices // 2, 1)
        layouts = [PoolLayout(data_parallel=half, expert_parallel=half)] * 2
    elif max(one.devices for one in layouts) == 1:
        layouts = [_smallest(case, SIZES, context, engine)] * 2
    decode, prefill = (msgspec.structs.replace(one, replicas=max(one.replicas, 1.0)) for one in layouts)
    return msgspec.structs.replace(case, layout=decode, prefill_layout=prefill, both_pools_devices=0)


def _settled(case: ServingCase, context: Context, engine: EngineFacts) -> ServingCase:
    """The load divided over the replicas that fit on the stated devices."""
    devices = max(case.layout.devices_stated, 1)
    found = _smallest(case, [size for size in SIZES if size <= devices] or [1], context, engine)
    count = max(1.0, devices // found.tensor_parallel)
    layout = msgspec.structs.replace(found, replicas=count, devices_stated=devices)
    return msgspec.structs.replace(case, layout=layout)


def _smallest(case: ServingCase, sizes: Sequence[int], context: Context, engine: EngineFacts) -> PoolLayout:
    """The smallest power of two that holds the model with room for requests."""
    layouts = [PoolLayout(tensor_parallel=size, expert_tensor_parallel=size) for size in sizes]
    found = case_deployments([case] * len(layouts), layouts, context, engine)
    memory = context.devices.memory_bytes[found.replica.accelerator]
    enough = np.flatnonzero(found.memory.pool > POOL_SHARE * memory)
    return layouts[int(enough[0])] if len(enough) else layouts[-1]


CONTEST_FORMATS: tuple[ProductFormat, ...] = ("fp8", "int8")
"""Formats that contest entries for models with tokens use where nothing is said: the first that is native."""
SAMPLE_FORMATS: tuple[ProductFormat, ...] = ("int8", "fp8", "fp16", "bf16")
ACCURATE_FORMATS: tuple[ProductFormat, ...] = ("fp8", "fp16", "bf16", "int8")
"""The same for samples; those that keep results within 0.1 % of the reference."""


def settled_formats(cases: Sequence[ServingCase], context: Context) -> list[ServingCase]:
    """The cases with the format of contest entries where nothing is said."""
    return [case if case.dense_format else _in_contest_format(case, context) for case in cases]


def _in_contest_format(case: ServingCase, context: Context) -> ServingCase:
    if case.load not in ("offline", "server", "samples") or case.model.weight_format.quantized is not None:
        return case
    usual = CONTEST_FORMATS
    if case.load == "samples":
        usual = ACCURATE_FORMATS if case.needs_accuracy else SAMPLE_FORMATS
    device = context.catalog.accelerators[case.accelerator]
    for name in usual:
        if device.supports(name):
            return msgspec.structs.replace(case, dense_format=name)
    return case


DOES_NOT_FIT = "does_not_fit"
"""Remark: the weights alone are larger than the devices' memory; predicted as if they were in it."""
FORMAT_REFUSED = "format_refused"
"""Remark: the engine is recorded not to run a format of the case on the device; predicted as if it did."""


@dataclass(frozen=True)
class Estimates:
    """Arrays with an entry per case, by metric in SI units; NaN where a metric is not defined for the load."""

    values: dict[str, Floats]
    refusal: Integers
    refusal_value: Floats
    kind: Integers
    """`EvidenceKind`."""
    remarks: tuple[tuple[str, ...], ...]
    missing_bytes: Floats
    """Bytes by which the weights exceed the memory of a device."""


def estimates(values: dict[str, Floats], found: Deployments, context: Context) -> Estimates:
    """Values with what stands against them: devices without rates refuse; weights too large and formats that the
    engine refuses are remarked.

    Somebody ran the case, so that it does run, in a way that its description leaves out.
    """
    who = found.replica.accelerator
    memory = context.devices.memory_bytes[who]
    unrated = np.isnan(found.replica.wide.device.peak_flop_per_s) | np.isnan(found.replica.ffn.device.peak_flop_per_s)
    refusal = np.where(unrated, int(Refusal.NO_COMPUTE_FIGURE), int(Refusal.NONE))
    refusal = np.where(np.isnan(memory), int(Refusal.NO_MEMORY_FIGURE), refusal)
    is_refused = np.any([refused for _, refused in refused_formats(found, context)], axis=0)
    missing = np.maximum(np.nan_to_num(found.memory.weights - memory), 0.0)
    codes = ((DOES_NOT_FIT, missing > 0), (FORMAT_REFUSED, is_refused))
    remarks = tuple(tuple(code for code, holds in codes if holds[index]) for index in range(len(found)))
    return Estimates(values, refusal, np.zeros(len(found)), kinds_of(found, context), remarks, missing)


def kinds_of(found: Deployments, context: Context) -> Integers:
    """What each case rests on."""
    engine, model_kind = found.engine.engine, found.model.kind
    return evidence_record(context, engine, model_kind, found.replica.accelerator, found.replica.formats.ffn).kind


Load = Callable[[Sequence[ServingCase], Context, EngineFacts], Estimates]


def of_closed_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """A number of requests kept running, in steady state."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    return estimates(loop_values(closed_loop(cases, found)), found, context)


def of_full_engine(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """An engine that always has work: a queue that never empties, a run that starts at once, so many clients."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    work = full_work(cases, found, engine, rates_of(engine))
    return estimates(full_values(work, stack_parameters(cases, context)), found, context)


def of_batch(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """One batch from start to end."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    work = batch_work(cases, found, rates_of(engine))
    return estimates(batch_values(work, stack_parameters(cases, context)), found, context)


def of_samples(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Samples of a model without tokens to generate; every device works on its own."""
    cases = settled_formats(cases, context)
    found = case_deployments(cases, [PoolLayout()] * len(cases), context, engine)
    return estimates(sample_values(sample_work(cases, found), stack_parameters(cases, context)), found, context)


def of_open_loop(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Requests at a rate, at random."""
    cases = settled_layouts(cases, context, engine)
    found = case_deployments(cases, [case.layout for case in cases], context, engine)
    return estimates(open_loop_values(cases, found, engine), found, context)


WORKERS_OPEN = "workers_open"
"""Remark: the case does not say how many workers its pools have; predicted with one of each."""


def of_pools(cases: Sequence[ServingCase], context: Context, engine: EngineFacts) -> Estimates:
    """Prefill and decode on devices of their own, under a number of requests kept running, in steady state."""
    stated = settled_pools(cases, context, engine)
    decode = case_deployments(stated, [one.layout for one in stated], context, engine)
    prefill = case_deployments(stated, [one.prefill_layout or one.layout for one in stated], context, engine)
    found = estimates(pool_values(pools_in_loop(stated, decode, prefill)), decode, context)
    remarks = [
        said if case is settled else (*said, WORKERS_OPEN)
        for said, case, settled in zip(found.remarks, cases, stated, strict=True)
    ]
    return replace(found, remarks=tuple(remarks))


LOADS: dict[LoadKind, Load] = {
    "closed_loop": of_closed_loop,
    "disaggregated": of_pools,
    "batch": of_batch,
    "offline": of_full_engine,
    "server": of_full_engine,
    "steady": of_full_engine,
    "open_loop": of_open_loop,
    "samples": of_samples,
}


STACK_LOADS = frozenset(("batch", "offline", "server", "steady", "samples"))


def banded(case: ServingCase, metric: str, value: float, context: Context) -> tuple[float, float]:
    """Lower and upper end of the band around a value."""
    if case.load in STACK_LOADS:
        stacks = context.calibration.stacks
        band = stack_band(case.load, metric, is_known(traits_of(case, context), stacks), stacks)
        return value * math.exp(band.low), value * math.exp(band.high)
    low_sd, high_sd = loop_log_sds(case, metric, context)
    return value * math.exp(-Z_80 * low_sd), value * math.exp(Z_80 * high_sd)


def loop_log_sds(case: ServingCase, metric: str, context: Context) -> tuple[float, float]:
    """Spread of the logarithm of a metric of loops, pools and runs at a rate, towards less and more, by the rule of
    `engine.evidence.certainty`."""
    phase: ErrorPhase = "prefill" if quantity_of(metric) == "prefill" else "decode"
    statistic = open_loop_quantity(metric) if case.load == "open_loop" else phase
    factor = context.calibration.errors.factor(statistic)
    load, asked = load_traits(case), (context, case.engine, case.model.kind, *case_place(case, context), phase)
    low, high = (step_log_sd(*asked, one)[0] for one in (replace(load, is_burst=False), load))
    return factor * float(low), factor * float(high)


def case_place(case: ServingCase, context: Context) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Index of a case's accelerator and of the format that most of its weights have."""
    accelerator = context.devices.ids.index(case.accelerator)
    return np.array([accelerator]), np.array([FORMATS.index(formats_of_case(case).expert)])


def load_traits(case: ServingCase) -> LoadTraits:
    """Runs at a rate have some requests at once; users in a loop may have started together."""
    is_pools, is_alone = case.load == "disaggregated", case.load == "closed_loop" and case.concurrency <= 1
    is_burst = case.load != "open_loop" and not is_alone
    return LoadTraits(not is_alone, is_pools, is_pools and case.layout.replicas == 0, is_burst)


def quantity_of(metric: str) -> str:
    """What a metric is about: one phase, all of a request, memory."""
    if metric.startswith(("ttft", "prefill")):
        return "prefill"
    if metric.startswith(("tpot", "itl", "decode")):
        return "decode"
    return "memory" if metric == "peak_memory" else "whole"


TAILS = ("_p90", "_p95", "_p99")
"""Statistics that a few requests of a run decide."""


def open_loop_quantity(metric: str) -> str:
    """What a metric of a run at a request rate is about, its tail apart: that is less certain."""
    if metric.endswith("_per_s"):
        return "rate"
    quantity = quantity_of(metric)
    return f"{quantity}_tail" if metric.endswith(TAILS) and quantity != "whole" else quantity


UNKNOWN = StackBand(low=-Z_80 * 0.5, high=Z_80 * 0.5, rows=0)
"""Where no measurement of any kind gives a band."""


def stack_band(load: str, metric: str, known: bool, stacks: InferenceStacks) -> StackBand:
    """The first, most special band that fits."""
    quantity = quantity_of(metric)
    for band in stacks.bands:
        fits = band.load in ("", load) and band.quantity in ("", quantity)
        if fits and band.is_known in (None, known):
            return band
    return UNKNOWN


Answers = tuple[Answer, ...]


def serving_answers(
    cases: Sequence[ServingCase],
    context: Context,
    check: Callable[[], None] = lambda: None,
    loads: Mapping[LoadKind, Load] = LOADS,
) -> tuple[Answers, ...]:
    """An answer for every metric of every case, in their order; one that can't be answered has a reason.

    Closed loops take the engine of their release; runs at a rate see to it themselves. `check` is called between
    groups and may raise to cancel. `loads` says how each kind of load is predicted.
    """
    groups: dict[tuple[int, EngineFacts, LoadKind], list[int]] = defaultdict(list)
    for index, case in enumerate(cases):
        facts = context.calibration.engine(case.engine)
        engine = engine_of_release(facts, case.release, case.year) if case.load == "closed_loop" else facts
        groups[(id(case.model), engine, case.load)].append(index)
    answers: list[Answers] = [()] * len(cases)
    for (_, engine, load), members in groups.items():
        check()
        found = loads[load]([cases[index] for index in members], context, engine)
        for position, index in enumerate(members):
            answers[index] = tuple(_answers_of(cases[index], found, position, context))
    return tuple(answers)


def _answers_of(case: ServingCase, found: Estimates, position: int, context: Context) -> Iterable[Answer]:
    refusal, refusal_value = Refusal(int(found.refusal[position])), float(found.refusal_value[position])
    for metric in case.metrics:
        if refusal is not Refusal.NONE:
            yield Answer(metric=metric, refusal=refusal, refusal_value=refusal_value)
            continue
        values = found.values.get(metric)
        value = float(values[position]) if values is not None else float("nan")
        if not 0 < value < float("inf"):
            yield Answer(metric=metric, refusal=Refusal.NOT_DEFINED)
            continue
        kind = int(found.kind[position])
        low, high = _widened(value, banded(case, metric, value, context), case.assumed_log_sd)
        yield Answer(
            metric=metric,
            value=value,
            low80=low,
            high80=high,
            evidence=int(EVIDENCE_OF_KIND[kind]),
            evidence_kind=kind,
            remarks=found.remarks[position],
            missing_bytes=float(found.missing_bytes[position]),
        )


def _widened(value: float, band: tuple[float, float], log_sd: float) -> tuple[float, float]:
    """A band with an independent spread added to the logarithm of its ends."""
    below, above = (math.hypot(math.log(end / value), Z_80 * log_sd) for end in band)
    return value * math.exp(-below), value * math.exp(above)
