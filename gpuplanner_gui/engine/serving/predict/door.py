"""Predict serving cases: those of one model, engine and kind of load together, as arrays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from gpuplanner_gui.domain.serving_case import Answer, LoadKind, Refusal, ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence import EVIDENCE_OF_KIND
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

    `check` is called between groups and may raise to cancel. `loads` says how each kind of load is predicted.
    """
    groups: dict[tuple[int, str, LoadKind], list[int]] = defaultdict(list)
    for index, case in enumerate(cases):
        groups[(id(case.model), case.engine, case.load)].append(index)
    answers: list[Answers] = [()] * len(cases)
    for (_, engine, load), members in groups.items():
        check()
        found = loads[load]([cases[index] for index in members], context, context.calibration.engine(engine))
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
        low, high = banded(case, metric, value, context)
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
