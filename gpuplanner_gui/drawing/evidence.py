"""Measured cases nearest to a plan: published ones and the planner's own, with what the model says of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.knowledge import Calibration, LocalPoint
from gpuplanner_gui.domain.measurement import Measurement, MeasurementSet, Workload
from gpuplanner_gui.drawing.calibration_view import EvidenceCase
from gpuplanner_gui.drawing.language import in_turn, tr
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows, table_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.calibration import case_text, field_title, quantity_title, quantity_unit
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.engine.evidence.cases import observations
from gpuplanner_gui.engine.evidence.nearest import Neighbour, Subject, nearest, serving_subject, training_subject
from gpuplanner_gui.engine.evidence.points import points_of
from gpuplanner_gui.files.shipped_tables import load_evidence

MOST_SHOWN = 8
CLOSE = 1.0
"""Largest distance of a case that is like the plan: that of twice the devices."""


def evidence_cases(
    results: Results, shipped: Calibration, check: Callable[[], None] = lambda: None
) -> tuple[EvidenceCase, ...]:
    """The nearest measured cases of each workload that the plan answers; `check` may raise to cancel."""
    context = context_of(results.catalog, shipped)
    found: list[EvidenceCase] = []
    for workload in results.workloads():
        candidate = results.candidate(workload)
        if candidate < 0:
            continue
        if workload == "serving":
            subject = serving_subject(results.scenario, results.plan, candidate)
        else:
            subject = training_subject(results.scenario, results.plan, candidate)
        found += _cases(workload, subject, results, context, check)
    return tuple(found)


def _cases(
    workload: Workload, subject: Subject, results: Results, context: Context, check: Callable[[], None]
) -> list[EvidenceCase]:
    own = [(run, _own_title(one)) for one in results.project.measurements for run in one.measurements]
    known = [*own, *_shipped_runs()]
    near = nearest(subject, [run for run, _ in known], results.catalog, MOST_SHOWN)
    observed = [
        replace(told, measurement_index=one.index)
        for one in near
        for told in observations(known[one.index][0], context.catalog, context.calibration)[:1]
    ]
    points = {point.measurement_index: point for point in points_of(observed, context, check)}
    return [_case(workload, one, *known[one.index], one.index < len(own), points.get(one.index)) for one in near]


@lru_cache(maxsize=1)
def _shipped_runs() -> tuple[tuple[Measurement, str], ...]:
    table = load_evidence()
    return tuple((row.measurement, table.sources[row.source]) for row in table.rows)


def _own_title(one: MeasurementSet) -> str:
    return (tr("own: {name}") if one.is_used else tr("own, excluded: {name}")).format(name=one.name)


def _case(
    workload: Workload, near: Neighbour, run: Measurement, source: str, is_own: bool, point: LocalPoint | None
) -> EvidenceCase:
    """A case with its most telling figure: step time or time per token, else throughput."""
    figure = run.figures[0]
    quantity, measured, predicted = figure.quantity, figure.value, math.nan
    if point is not None:
        quantity, measured, predicted = point.quantity, point.measured, point.predicted
    return EvidenceCase(workload, run, quantity, measured, predicted, near.distance, near.differences, source, is_own)


def evidence_rows(cases: tuple[EvidenceCase, ...], catalog: Catalog) -> Rows:
    """Nearest first; each with its context, what was measured and predicted, and where it stands."""
    own = ((tr("Own"), "", lambda one: tr("yes") if one.is_own else ""),) if any(one.is_own for one in cases) else ()
    return table_of(
        cases,
        (tr("Distance"), "", lambda one: format_value(one.distance, "", 2)),
        *own,
        (tr("Measured run"), "", lambda one: case_text(one.run.context, catalog)),
        (tr("Time, × predicted"), "", lambda one: one.slowness if one.has_answer else None),
        (tr("Measured"), "", lambda one: format_value(one.measured, quantity_unit(one.quantity))),
        (tr("Predicted"), "",
         lambda one: format_value(one.predicted, quantity_unit(one.quantity)) if one.has_answer else None),
        (tr("Quantity"), "", lambda one: quantity_title(one.quantity)),
        (tr("Difference"), "",
         lambda one: ", ".join(field_title(name).lower() for name in one.differences) or tr("nothing")),
        (tr("Source"), "", lambda one: one.source),
    )  # fmt: skip


def evidence_text(cases: tuple[EvidenceCase, ...], workload: Workload) -> str:
    """How the nearest measured cases compare with their predictions, and how near they are: a sentence each."""
    ratios = [one.slowness for one in cases if one.workload == workload and one.has_answer]
    name = tr("serving") if workload == "serving" else tr("training")
    if not ratios:
        return tr("No measured run of {workload} is similar to this plan.").format(workload=name)
    undated = any(one.workload == workload and one.slowness > 1 and not one.run.context.engine_version for one in cases)
    older = tr("Runs that state no release may be of older, slower software.") if undated else ""
    return in_turn(_comparison(ratios, name.capitalize()), _nearness(cases, workload), older)


def _comparison(ratios: list[float], workload: str) -> str:
    """Whether the cases took longer than predicted, and how much."""
    slower = sum(one > 1 for one in ratios)
    if slower == len(ratios):
        text = tr(
            "{workload}: all {count} nearest measured runs took longer than predicted, {low} to {high} times as long "
            "(median {middle})."
        )
    elif not slower:
        text = tr(
            "{workload}: none of the {count} nearest measured runs took longer than predicted; they took {low} to "
            "{high} times as long (median {middle})."
        )
    else:
        text = tr(
            "{workload}: {slower} of the {count} nearest measured runs took longer than predicted; all took {low} to "
            "{high} times as long (median {middle})."
        )
    return text.format(
        workload=workload, count=len(ratios), slower=slower, low=format_value(min(ratios)),
        high=format_value(max(ratios)), middle=format_value(float(np.median(ratios))),
    )  # fmt: skip


def _nearness(cases: tuple[EvidenceCase, ...], workload: Workload) -> str:
    """Whether any case is like the plan."""
    least = min(one.distance for one in cases if one.workload == workload)
    text = tr(
        "None is close to this plan: the nearest is {distance} away, where 1 is the step to twice as many devices."
    )
    if least <= CLOSE:
        text = tr(
            "The nearest run is close to this plan: {distance} away, where 1 is the step to twice as many devices."
        )
    return text.format(distance=format_value(least, "", 2))
