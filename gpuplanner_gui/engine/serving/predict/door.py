"""Predict serving cases: those of one model, engine and kind of load together, as arrays."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from gpuplanner_gui.domain.benchmark import Answer, LoadKind, Refusal, ServingCase
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.record import EVIDENCE_OF_KIND
from gpuplanner_gui.engine.serving.engine_release import engine_of_release
from gpuplanner_gui.engine.serving.predict.bands import banded
from gpuplanner_gui.engine.serving.predict.estimate import Estimates
from gpuplanner_gui.engine.serving.predict.loads import LOADS, Load

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
