"""Every number that a page shows, by the place where it stands in an answer, and what each comes from."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, partial
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import ExplainedValue, Finding, ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.results import WORKLOADS, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words_decision import (
    criterion_name,
    input_name,
    probability_name,
    result_name,
    role_name,
    strategy_name,
    term_name,
    unit_cost_name,
)
from gpuplanner_gui.drawing.words_findings import finding_text, value_unit
from gpuplanner_gui.engine import explain, load_curve
from gpuplanner_gui.engine.advisor.reasons import reason_of
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.decision import doors
from gpuplanner_gui.engine.explaining_parts import Answer, UnknownPartError, explain_part
from gpuplanner_gui.engine.phases.gains import gains

Place = tuple[str, ...]
Found = Iterator[tuple[Place, str, str, float]]
COLUMNS = "columns"
FINDINGS = "findings"
MOST_OF_A_LIST = 400
SKIPPED = frozenset((
    "candidate", "serving_candidate", "training_candidate", "seed", "set_index", "measurement_index", "accelerator",
    "order", "reason", "reason_value", "weight_precision", "kv_precision", "zero_stage", "recompute", "limit",
    "evidence", "runs_out_at", "class_index", "stage", "resource", "generation",
))  # fmt: skip
"""Indices and codes: no quantities."""

STAGES: dict[str, tuple[str, ...]] = {
    "overview": (COLUMNS, "load", "roofline:serving", "roofline:training"),
    "findings": (FINDINGS, COLUMNS),
    "memory": (COLUMNS, "limits"),
    "roofline": ("roofline:serving", "roofline:training"),
    "load": ("load", "simulation"),
    "readiness": ("readiness", "fleet_sizing", "arrangement", "search"),
    "training": ("step", "scaling", "fits", "layouts", COLUMNS),
    "cost": ("ownership", COLUMNS),
    "side_by_side": ("fleets",),
    "uncertainty": ("uncertainty",),
    "compare": ("comparison",),
    "phases": (),
    "calibrate": ("calibration",),
}
"""What each page shows numbers of; the verdict and the table of candidates show columns of candidates. The page of
phases says itself which two devices it compares: `phases:FIRST|SECOND`."""


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
    """What is there to be asked about, by stage; `stages` are those that name their devices."""
    decision, simulation, training = results.decision, results.simulation, results.training
    found: dict[str, Any] = {FINDINGS: results.plan.findings, "load": results.load_curve}
    found |= {f"roofline:{workload}": one for workload, one in results.rooflines.items()}
    if decision is not None:
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
    if training is not None:
        found |= {name: getattr(training, name) for name in ("step", "scaling", "fits", "layouts")}
    for stage in stages:
        kind, _, pair = stage.partition(":")
        if kind == "phases" and decision is not None and decision.phases is not None:
            first, _, second = pair.partition("|")
            found[stage] = gains(decision.phases, first, second, results.catalog)
    return {name: answer for name, answer in found.items() if answer is not None}


def numbers_of(results: Results, page: str, stages: Sequence[str] = ()) -> Iterator[Number]:
    """The numbers of a page, in the order of its answers; infinities and gaps are none.

    `stages` are those that the page names itself.
    """
    answers = answers_of(results, stages)
    for stage in (*STAGES.get(page, (COLUMNS,)), *stages):
        if stage == COLUMNS:
            yield from _column_numbers(results)
        elif stage in answers:
            for place, title, unit, value in _walk(answers[stage], (), ""):
                yield Number(stage, "/".join(place), title, unit, value)


def numbers_in(words: str, numbers: Iterable[Number]) -> list[Number]:
    """Those whose values stand in some words as they are written on screen; not those that are a part of another's."""
    found = [one for one in numbers if one.text and re.search(rf"(?<![\w.,]){re.escape(one.text)}(?![\w%])", words)]
    texts = {one.text for one in found}
    return [one for one in found if not any(one.text != other and one.text in other for other in texts)]


def _column_numbers(results: Results) -> Iterator[Number]:
    both = len(results.workloads()) > 1
    for workload in WORKLOADS:
        answer, row = results.answer(workload), results.candidate(workload)
        if answer is None or row < 0:
            continue
        outer = _entry_name((), workload) if both else ""
        for field in fields_of(ServingTable if workload == "serving" else TrainingTable):
            values = column(answer.table, field.name)
            if field.name in SKIPPED or values is None or values.dtype == bool or len(values) <= row:
                continue
            value = float(values[row])
            if math.isfinite(value):
                title = _joined(outer, tr(field.about.title))
                yield Number(workload, f"{row}/{field.name}", title, field.about.unit, value)


def _walk(
    value: Any, place: tuple[str, ...], title: str, unit: str = ""
) -> Iterator[tuple[tuple[str, ...], str, str, float]]:
    if isinstance(value, Finding):
        for name, number in value.values.items():
            if isinstance(number, float) and math.isfinite(number):
                yield (*place, "values", name), f"{finding_text(value)}: {_plain(name)}", value_unit(name), number
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
            yield from _walk(item, (*place, str(key)), _joined(title, _entry_name(place, str(key))), unit)
    elif isinstance(value, (tuple, list)):
        for index, item in enumerate(value[:MOST_OF_A_LIST]):
            named = _name_of(item)
            inner = _joined(title, named) if named else f"{title} [{index + 1}]"
            yield from _walk(item, (*place, str(index)), inner, unit)
    else:
        yield from _struct_numbers(value, place, title)


def _struct_numbers(
    value: Any, place: tuple[str, ...], title: str
) -> Iterator[tuple[tuple[str, ...], str, str, float]]:
    if isinstance(value, msgspec.Struct):
        described = [(one.name, tr(one.about.title), one.about.unit) for one in fields_of(type(value))]
    elif is_dataclass(value):
        described = [(one.name, _plain(one.name), value_unit(one.name)) for one in fields(value)]
    else:
        return
    own_unit = getattr(value, "unit", "")
    for name, words, unit in described:
        if name in SKIPPED:
            continue
        unit = unit or (own_unit if isinstance(own_unit, str) else "") or value_unit(name)
        yield from _walk(getattr(value, name), (*place, name), _joined(title, words), unit)
    for name in ("usd", "unused_usd", "total", "total_s", "carbon_kg", "busy_share"):
        if isinstance(getattr(type(value), name, None), property):
            number = getattr(value, name)
            if isinstance(number, (int, float)) and math.isfinite(number):
                yield (*place, name), _joined(title, _plain(name)), value_unit(name), float(number)


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _joined(outer: str, inner: str) -> str:
    return f"{outer} · {inner}" if outer and inner else outer or inner


def _name_of(item: Any) -> str:
    """What an entry of a list is called: by what kind of thing it says that it is."""
    makers = (
        ("strategy", strategy_name), ("role", role_name), ("term", term_name), ("input", input_name),
        ("disturbance", str), ("metric", str), ("name", str), ("id", str),
    )  # fmt: skip
    for attribute, words in makers:
        known = getattr(item, attribute, None)
        if isinstance(known, str) and known:
            return words(known)
    code = getattr(item, "code", None)
    if isinstance(code, str) and code:
        return _code_name(type(item).__name__, code)
    return ""


def _code_name(kind: str, code: str) -> str:
    names = {
        "Headline": result_name,
        "Tornado": result_name,
        "Probability": probability_name,
        "UnitCost": unit_cost_name,
    }
    words = names.get(kind)
    return words(code) if words is not None else _plain(code)


def _entry_name(place: Place, key: str) -> str:
    if place and place[-1] == "scores":
        return criterion_name(key)
    return tr({"serving": "Serving", "training": "Training"}.get(key, key))


def explained_number(results: Results, calibration: Calibration, stage: str, place: str) -> ExplainedValue:
    """What a number of a page comes from, as far down as it goes. Raises LookupError for a number that is not there."""
    ask = partial(explain, results.scenario, results.catalog, calibration, results.plan)

    @cache
    def of_column(workload: str, candidate: int, name: str) -> ExplainedValue:
        if _is_of_another_scenario(results, stage, place):
            # Its candidates are not those of the plan at hand: show that scenario to follow them.
            raise UnknownPartError(name)
        answer = results.answer(workload)
        row = candidate if candidate >= 0 else results.candidate(workload)
        if answer is None or row < 0:
            raise UnknownPartError(name)
        return ask(workload, row, name)

    if stage in WORKLOADS:
        row, _, name = place.partition("/")
        return of_column(stage, int(row), name)
    answers = answers_of(results, (stage,))
    if stage not in answers:
        raise UnknownPartError(f"{stage}/{place}")
    if stage == FINDINGS:
        return _explained_finding(results, calibration, place, of_column)
    again = _again(results, calibration, stage)
    found = explain_part(Answer(answers[stage], again, of_column, results.scenario), place)
    words = next((title for one, title, _, _ in _walk(answers[stage], (), "") if "/".join(one) == place), "")
    return msgspec.structs.replace(found, title=words or found.title)


def _is_of_another_scenario(results: Results, stage: str, place: str) -> bool:
    """Whether a number of a comparison belongs to a scenario other than the one on screen."""
    comparison = results.decision.comparison if results.decision is not None else None
    parts = place.split("/")
    if stage != "comparison" or comparison is None or parts[0] != "scenarios":
        return False
    return comparison.scenarios[int(parts[1])].name != results.scenario.name


def _again(results: Results, calibration: Calibration, stage: str) -> Any:
    """Makes an answer again, to be traced; None for what is sampled, simulated or published."""
    given = (results.scenario, results.catalog, calibration)
    if stage == "fleets":
        return partial(doors.fleets, *given, results.plan)
    if stage == "ownership":
        return partial(doors.ownership, *given, results.plan)
    if stage == "load" and results.load_curve is not None:
        return partial(load_curve, *given, results.plan, results.load_curve.candidate)
    if stage == "limits":
        from gpuplanner_gui.engine.serving_limits import plan_limits

        return partial(plan_limits, *given, results.plan)
    if stage == "step" and results.training is not None and results.training.step is not None:
        from gpuplanner_gui.engine.training.exploring import step_detail

        return partial(step_detail, *given, results.plan, results.training.step.candidate)
    return None


def _explained_finding(results: Results, calibration: Calibration, place: str, of_column: Any) -> ExplainedValue:
    number, _, name = place.partition("/values/")
    try:
        finding = results.plan.findings[int(number)]
        value = finding.values[name]
    except (IndexError, KeyError, ValueError) as problem:
        raise UnknownPartError(place) from problem
    reason = reason_of(results.scenario, results.plan, context_of(results.catalog, calibration), finding)
    others = [
        ExplainedValue(name=other, title=_plain(other), unit=value_unit(other), value=given)
        for other, given in finding.values.items()
        if other != name
    ]
    columns = []
    for workload, asked in reason.columns if reason is not None else ():
        columns.append(of_column(workload, -1, asked))
    return ExplainedValue(
        name=name, title=_plain(name).capitalize(), unit=value_unit(name), value=value,
        expression=reason.rule if reason is not None else finding_text(finding),
        source=", ".join(reason.requirements) if reason is not None else "",
        inputs=(*others, *columns),
    )  # fmt: skip
