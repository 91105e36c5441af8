"""Every number that a page shows, by the place where it stands in an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.curves import RooflinePoint, ServingLimits
from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.load_result import METRICS, StressResult, TargetResult
from gpuplanner_gui.domain.plan import column
from gpuplanner_gui.domain.verdict import Finding
from gpuplanner_gui.drawing.answer_titles import TOTALS, field_title, joined_titles, name_title
from gpuplanner_gui.drawing.decision_rows import lever_name
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.load_rows import test_name
from gpuplanner_gui.drawing.results import WORKLOADS, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.calibration import quantity_unit
from gpuplanner_gui.drawing.words.candidates import candidate_text, point_name, precision_name, precisions_text
from gpuplanner_gui.drawing.words.decision import (
    criterion_name,
    input_name,
    probability_name,
    result_name,
    role_name,
    strategy_name,
    term_name,
    unit_cost_name,
)
from gpuplanner_gui.drawing.words.findings import finding_text, value_unit
from gpuplanner_gui.engine.phases.gains import gains

Place = tuple[str, ...]
COLUMNS = "columns"
FINDINGS = "findings"
LIMITS = "limits"
STORES = "stores"
MOST_OF_A_LIST = 400
_KEY_WORDS = {
    "serving": "Serving", "training": "Training", "mean": "Mean", "memory": "Memory", "bandwidth": "Bandwidth",
}  # fmt: skip
SKIPPED = frozenset((
    "candidate", "serving_candidate", "training_candidate", "seed", "set_index", "measurement_index", "accelerator",
    "order", "reason", "reason_value", "weight_precision", "kv_precision", "zero_stage", "recompute", "limit",
    "evidence", "evidence_kind", "runs_out_at", "class_index", "stage", "resource", "generation",
))  # fmt: skip
"""Indices and codes: no quantities."""

OF_QUANTITY = frozenset(("measured", "predicted", "after", "expected", "low80", "high80"))
"""Fields in the unit of their measured case's quantity."""

STAGES: dict[str, tuple[str, ...]] = {
    "overview": (COLUMNS, "load", "simulation", "roofline:serving", "roofline:training"),
    "findings": (FINDINGS, COLUMNS),
    "memory": (COLUMNS, LIMITS),
    "roofline": ("roofline:serving", "roofline:training"),
    "load": ("load", "simulation"),
    "readiness": ("readiness", "fleet_sizing", "arrangement", "search"),
    "run_time": (COLUMNS,),
    "step": ("step", COLUMNS),
    "layouts": ("layouts", COLUMNS),
    "scaling": ("scaling", COLUMNS),
    "fits": ("fits", COLUMNS),
    "storage": (STORES, COLUMNS),
    "cost": ("ownership", COLUMNS),
    "order": ("ownership", COLUMNS),
    "uncertainty": ("uncertainty",),
    "compare": ("comparison",),
    "phases": (),
    "estate": ("fleets",),
    "calibrate": ("calibration",),
}
"""The answers whose numbers each page shows; the verdict and the table of candidates show columns of candidates. The
page of phases says itself which two devices it compares: `phases:FIRST|SECOND`."""


@dataclass(frozen=True)
class Number:
    """A number on a page: where it stands, what it is called, its value."""

    stage: str
    place: str
    title: str
    unit: str
    value: float

    @property
    def text(self) -> str:
        return format_value(self.value, self.unit)


def phases_stage(first: str, second: str) -> str:
    """The stage of the gains of a device over another."""
    return f"phases:{first}|{second}"


def answers_of(results: Results, stages: Iterable[str] = ()) -> dict[str, Any]:
    """Answers that can be explained, by stage; `stages` are those that name their devices."""
    decision, simulation, training = results.known, results.simulation, results.in_depth
    found: dict[str, Any] = {FINDINGS: results.plan.findings, "load": results.load_curve}
    planned = results.plan.training
    if planned is not None and planned.store_needed is not None:
        found[STORES] = (planned.store_needed, *planned.stores)
    found |= {f"roofline:{workload}": one for workload, one in results.rooflines.items()}
    found |= {
        "fleets": decision.fleets, "ownership": decision.ownership or None,
        "uncertainty": decision.uncertainty, "comparison": decision.comparison, "limits": decision.limits,
        "calibration": decision.calibration,
    }  # fmt: skip
    if simulation is not None:
        found |= {
            "simulation": simulation.curve, "readiness": simulation.readiness, "fleet_sizing": simulation.fleet,
            "arrangement": simulation.arrangement, "search": simulation.search,
        }  # fmt: skip
    found |= {name: getattr(training, name) for name in ("step", "scaling", "fits", "layouts")}
    for stage in stages:
        kind, _, pair = stage.partition(":")
        if kind == "phases" and decision.phases is not None:
            first, _, second = pair.partition("|")
            found[stage] = gains(decision.phases, first, second, results.catalog)
    return {name: answer for name, answer in found.items() if answer is not None}


def numbers_of(
    results: Results, page: str, stages: Sequence[str] = (), candidates: Mapping[str, Sequence[int]] | None = None
) -> Iterator[Number]:
    """The numbers of a page, in the order of its answers; infinities and gaps are none.

    `stages` are those that the page names itself, `candidates` those shown of a workload: without, the one looked at.
    """
    answers = answers_of(results, stages)
    for workload, shown in (candidates or {}).items():
        for row in shown:
            yield from _numbers_of_candidate(results, workload, row, _named(results, workload, row))
    for stage in (*STAGES.get(page, (COLUMNS,)), *stages):
        if stage == COLUMNS:
            yield from _column_numbers(results)
        elif stage in answers:
            for place, title, unit, value in _walk(answers[stage], (), ""):
                yield Number(stage, "/".join(place), title, unit, value)
        if stage == LIMITS and stage in answers:
            yield from _frontier_numbers(results, answers[stage], (candidates or {}).get("serving", ()))


def _column_numbers(results: Results) -> Iterator[Number]:
    both = len(results.workloads()) > 1
    for workload in WORKLOADS:
        yield from _numbers_of_candidate(
            results, workload, results.candidate(workload), _entry_name((), workload) if both else ""
        )


def _numbers_of_candidate(results: Results, workload: str, row: int, outer: str) -> Iterator[Number]:
    answer = results.answer(workload)
    if answer is None or row < 0:
        return
    for field in fields_of(type(answer.table)):
        values = column(answer.table, field.name)
        if field.name in SKIPPED or values is None or values.dtype == bool or len(values) <= row:
            continue
        value = float(values[row])
        if math.isfinite(value):
            title = joined_titles(outer, tr(field.about.title))
            yield Number(workload, f"{row}/{field.name}", title, field.about.unit, value)


def _frontier_numbers(results: Results, limits: ServingLimits, candidates: Sequence[int]) -> Iterator[Number]:
    """Sequences that fit against their length."""
    answer = results.plan.serving
    if answer is None:
        return
    for row in candidates:
        name = precisions_text(results.plan, answer.table, row)
        for index, tokens in enumerate(limits.contexts):
            value = float(limits.concurrency_by_context[index, row])
            if math.isfinite(value):
                title = joined_titles(format_value(float(tokens), "tok"), name)
                yield Number(LIMITS, f"concurrency_by_context/{index}/{row}", title, "seq", value)


def _named(results: Results, workload: str, row: int) -> str:
    """The candidate as plots and tables name it."""
    return candidate_text(results.plan, results.catalog, workload, row) if results.answer(workload) else ""


def _walk(
    value: Any, place: tuple[str, ...], title: str, unit: str = ""
) -> Iterator[tuple[tuple[str, ...], str, str, float]]:
    if isinstance(value, Finding):
        for name, number in value.values.items():
            if isinstance(number, float) and math.isfinite(number):
                title = joined_titles(finding_text(value).rstrip(".。"), name_title(name))
                yield (*place, "values", name), title, value_unit(name), number
        return
    if isinstance(value, (bool, str)) or value is None:
        return
    if isinstance(value, (int, float, np.generic)):
        if math.isfinite(float(value)):
            yield place, title, unit, float(value)
    elif isinstance(value, np.ndarray):
        if value.dtype == bool or value.ndim > 1 or value.dtype.kind not in "fi":
            return
        for index in range(min(len(value), MOST_OF_A_LIST)):
            yield from _walk(value[index], (*place, str(index)), f"{title} [{index + 1}]", unit)
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(item, (*place, str(key)), joined_titles(title, _entry_name(place, str(key))), unit)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value[:MOST_OF_A_LIST]):
            named = _name_of(item)
            if not named and place and place[-1].endswith("_by_year"):
                named = tr("Year {number}").format(number=index + 1)
            inner = joined_titles(title, named) if named else f"{title} [{index + 1}]"
            yield from _walk(item, (*place, str(index)), inner, unit)
    else:
        yield from _struct_numbers(value, place, title)


def _struct_numbers(
    value: Any, place: tuple[str, ...], title: str
) -> Iterator[tuple[tuple[str, ...], str, str, float]]:
    if isinstance(value, msgspec.Struct):
        described = [(one.name, field_title(one), one.about.unit) for one in fields_of(type(value))]
    elif is_dataclass(value):
        described = [(one.name, name_title(one.name), value_unit(one.name)) for one in fields(value)]
    else:
        return
    own_unit, of_quantity = getattr(value, "unit", ""), _unit_of_quantity(value)
    for name, words, unit in described:
        if name in SKIPPED:
            continue
        unit = unit or (own_unit if isinstance(own_unit, str) else "") or value_unit(name)
        if name in OF_QUANTITY:
            unit = of_quantity or unit
        yield from _walk(getattr(value, name), (*place, name), joined_titles(title, words), unit)
    for name in TOTALS:
        if isinstance(getattr(type(value), name, None), property):
            number = getattr(value, name)
            if isinstance(number, (int, float)) and math.isfinite(number):
                yield (*place, name), joined_titles(title, name_title(name)), value_unit(name), float(number)


def _unit_of_quantity(value: Any) -> str:
    """Unit of the quantity that a measured case, or what is said of one, is about."""
    about_it = getattr(value, "point", value)
    quantity = getattr(about_it, "quantity", "")
    return quantity_unit(quantity) if isinstance(quantity, str) and quantity else ""


def title_of(answer: Any, place: str) -> str:
    """The name of the number at a place of an answer; empty for a place without one."""
    return next((title for one, title, _, _ in _walk(answer, (), "") if "/".join(one) == place), "")


def _name_of(item: Any) -> str:
    """The name of an entry of a list, from the field that says what it is."""
    makers = (
        ("strategy", strategy_name), ("role", role_name), ("term", term_name), ("input", input_name),
        ("name", str), ("id", str),
    )  # fmt: skip
    if isinstance(item, StressResult):
        return test_name(item)
    if isinstance(item, RooflinePoint):
        return point_name(item)
    if isinstance(item, TargetResult):
        return f"{item.metric.upper()} p{item.percentile:g}"
    for attribute, words in makers:
        known = getattr(item, attribute, None)
        if isinstance(known, str) and known:
            return words(known)
    code = getattr(item, "code", None)
    if isinstance(code, str) and code:
        return _code_name(type(item).__name__, code)
    return ""


def _code_name(kind: str, code: str) -> str:
    names: dict[str, Callable[[str], str]] = {
        "Headline": result_name,
        "Tornado": result_name,
        "Probability": probability_name,
        "UnitCost": unit_cost_name,
        "LeverAnswer": lever_name,
    }
    return names.get(kind, name_title)(code)


def _entry_name(place: Place, key: str) -> str:
    """The name of an entry of a mapping; a percentile is the same in every language."""
    if place and place[-1] == "scores":
        return criterion_name(key)
    if key in METRICS:
        return key.upper()
    if place and place[-1] in ("peak_flop_per_s", "measured_flop_per_s"):
        return precision_name(key)
    return tr(_KEY_WORDS[key]) if key in _KEY_WORDS else key
