"""What a number of a page comes from, as far down as it goes: formulas, relations, candidates, the scenario."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import msgspec

from gpuplanner_gui.domain.constants import SECONDS_PER_HOUR
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.drawing.answer_titles import name_title
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.numbers import FINDINGS, Number, answers_of, title_of
from gpuplanner_gui.drawing.results import WORKLOADS, Results
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.words.findings import finding_text, value_unit
from gpuplanner_gui.engine import explain, plan
from gpuplanner_gui.engine.advisor.reasons import reason_of
from gpuplanner_gui.engine.context import context_of
from gpuplanner_gui.engine.explaining.parts import ExplainableAnswer, UnknownPartError, explain_part
from gpuplanner_gui.engine.recent import Recent

ROUND_NUMBERS = 1_000
"""Whole numbers up to here are shared by many values."""


def numbers_in(words: str, numbers: Iterable[Number]) -> list[Number]:
    """Numbers that appear in a text as written on screen, except parts of longer numbers."""
    found = [
        one for one in numbers if one.text and re.search(rf"(?<![\w.,]){re.escape(one.text)}(?![\w%]|[.,]\d)", words)
    ]
    texts = {one.text for one in found}
    return [one for one in found if not any(one.text != other and one.text in other for other in texts)]


def numbers_of_plot(
    rows: Rows, numbers: Iterable[Number], results: Results, made_of: Sequence[str] = ()
) -> list[Number]:
    """Numbers in a plot's rows, then the inputs of the selected candidate that they are computed from.

    A number is shown where the rows have its value or its words. Zeros and round values are shared by chance: there
    names or units must agree as well.
    """
    found = _cells(rows)
    # Words of a number have a digit, and none of the dots that are between the parts of a candidate's name. To write
    # out a thousand numbers takes longer than a frame.
    texts = {cell for row in rows.cells for cell in row if isinstance(cell, str)}
    written = {text for text in texts if any(map(str.isdigit, text)) and "·" not in text}
    kept: dict[tuple[str, str], Number] = {}
    behind: dict[tuple[str, str], Number] = {}
    looked_at = {f"{results.candidate(workload)}/{name}" for workload in results.workloads() for name in made_of}
    for one in numbers:
        if (written and one.text in written) or any(_is_shown(one, column) for column in found.get(_rounded(one), ())):
            kept.setdefault((one.stage, one.place), one)
        elif one.stage in WORKLOADS and one.place in looked_at and one.value:
            behind.setdefault((one.stage, one.place), one)
    return list({**kept, **behind}.values())


def _cells(rows: Rows) -> dict[float, list[Column]]:
    """Columns by the values that stand in them, rounded."""
    found: dict[float, list[Column]] = {}
    for row in rows.cells:
        for heading, cell in zip(rows.columns, row):
            if isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell):
                found.setdefault(_nine_digits(cell), []).append(heading)
    return found


def _is_shown(number: Number, column: Column) -> bool:
    is_named = _is_named(number, column)
    is_of_unit = number.unit == column.unit
    if not number.value:
        return is_named and is_of_unit
    is_round = number.value == int(number.value) and abs(number.value) < ROUND_NUMBERS
    return not is_round or is_named or (is_of_unit and bool(number.unit))


def _rounded(number: Number) -> float:
    return _nine_digits(number.value * (SECONDS_PER_HOUR if number.unit == "h" else 1.0))


def _nine_digits(value: float) -> float:
    return float(f"{value:.9g}")


def _is_named(number: Number, column: Column) -> bool:
    last = number.title.rpartition(" · ")[2].casefold()
    title = column.title.casefold()
    return last in title or title in last


COMPARISON = "comparison"
OF_THE_RECOMMENDED = frozenset((FINDINGS, "fleets", "ownership", "uncertainty", COMPARISON))
"""Stages that speak of the recommended candidate, whichever one is looked at."""
ExplainedColumn = Callable[[str, int, str], ExplainedValue]


def explained_number(results: Results, calibration: Calibration, stage: str, place: str) -> ExplainedValue:
    """The explanation of a page's number, down to its sources. Raises LookupError for an unknown number."""
    of = _scenario_of(results, calibration, stage, place)
    of_column = _column_of(of, calibration, stage)
    if stage in WORKLOADS:
        row, _, name = place.partition("/")
        return of_column(stage, int(row), name)
    answers = answers_of(results, (stage,))
    if stage not in answers:
        raise UnknownPartError(f"{stage}/{place}")
    if stage == FINDINGS:
        return _explained_finding(results, calibration, place, of_column)
    found = explain_part(ExplainableAnswer(answers[stage], of_column, of.scenario), place)
    return msgspec.structs.replace(found, title=title_of(answers[stage], place) or found.title)


def _column_of(of: Results, calibration: Calibration, stage: str) -> ExplainedColumn:
    """Explains a column of a candidate of these results; -1 for the candidate that the stage speaks of."""
    ask = partial(explain, of.scenario, of.catalog, calibration, of.plan)

    @cache
    def of_column(workload: str, candidate: int, name: str) -> ExplainedValue:
        answer = of.answer(workload)
        row = candidate
        if row < 0 and answer is not None:
            row = answer.best if stage in OF_THE_RECOMMENDED else of.candidate(workload)
        if answer is None or row < 0:
            raise UnknownPartError(name)
        return ask(workload, row, name)

    return of_column


def _scenario_of(results: Results, calibration: Calibration, stage: str, place: str) -> Results:
    """Results of the scenario that a number is about: in a comparison, those of its column, planned anew."""
    compared = results.known.comparison
    parts = place.split("/")
    if stage != COMPARISON or compared is None or parts[0] != "scenarios":
        return results
    index = int(parts[1])
    scenarios = results.project.scenarios
    if index >= len(compared.scenarios):
        raise UnknownPartError(place)
    if compared.scenarios[index].name == results.scenario.name:
        return results
    if index >= len(scenarios) or scenarios[index].name != compared.scenarios[index].name:
        raise UnknownPartError(place)
    other = scenarios[index]
    return replace(results, scenario=other, plan=_plan_of(other, results, calibration), selected={})


_other_plan: Recent[Plan] = Recent()
"""The plan of the other scenario that was asked about last; the next question is often about the same."""


def _plan_of(scenario: Scenario, results: Results, calibration: Calibration) -> Plan:
    asked, seed = (scenario, results.catalog, calibration), results.project.seed
    return _other_plan.of((*asked, seed), lambda: plan(*asked, seed=seed))


def _explained_finding(results: Results, calibration: Calibration, place: str, of_column: Any) -> ExplainedValue:
    number, _, name = place.partition("/values/")
    try:
        finding = results.plan.findings[int(number)]
        value = finding.values[name]
    except (IndexError, KeyError, ValueError) as problem:
        raise UnknownPartError(place) from problem
    reason = reason_of(results.scenario, results.plan, context_of(results.catalog, calibration), finding)
    others = [
        ExplainedValue(name=other, title=name_title(other), unit=value_unit(other), value=given)
        for other, given in finding.values.items()
        if other != name
    ]
    columns = []
    for workload, asked in reason.columns if reason is not None else ():
        columns.append(of_column(workload, -1, asked))
    return ExplainedValue(
        name=name, title=name_title(name), unit=value_unit(name), value=value,
        expression=reason.rule if reason is not None else finding_text(finding),
        source=tr("advisor"),
        inputs=(*others, *columns),
    )  # fmt: skip
