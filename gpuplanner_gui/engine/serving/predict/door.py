"""Predict serving cases: those of one model, engine and kind of load together, as arrays."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.benchmark import Answer, LoadKind, Refusal, ServingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import ErrorPhase
from gpuplanner_gui.domain.serving_engine import EngineFacts, InferenceStacks, StackBand
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import LoadTraits, step_log_sd
from gpuplanner_gui.engine.evidence.record import EVIDENCE_OF_KIND
from gpuplanner_gui.engine.kernels.choice import FORMATS
from gpuplanner_gui.engine.serving.deployments import formats_of_case
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.predict.loads import LOADS, Estimates, Load
from gpuplanner_gui.engine.serving.predict.stacks import traits_of
from gpuplanner_gui.engine.serving.samples import is_known

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
