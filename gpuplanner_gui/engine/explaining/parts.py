"""Why a number of an answer beyond the table of candidates is what it is: fleets, terms, samples, curves, limits.

A number has a place in its answer (`strategies/0/fleets/1/usd`). Where the answer can be made again, it is made under
a trace, and the formula that made this very number tells it. Else the relation that is stated for its field tells what
it rests on: other numbers of the answer, columns of a candidate, the scenario; each of them can be asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from dataclasses import fields as dataclass_fields
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.field import About, fields_of
from gpuplanner_gui.domain.plan import ExplainedValue
from gpuplanner_gui.domain.serving_limits import ServingLimits
from gpuplanner_gui.engine.explaining.formula import Call, Leaf, Trace, tracing
from gpuplanner_gui.engine.explaining.relations import RELATIONS, Relation
from gpuplanner_gui.engine.explaining.replay import DEEPEST, WIDEST, shown_value

ROUND_NUMBERS = 1_000
"""Whole numbers up to here are shared by many values: equality alone does not tell which formula made one."""
MOST_INPUTS = 12
CODE = "code"
"""An input `column:code` is the column that the struct's own code names: `serving.usd_per_month`."""
COLUMNS_OF_CODES = {
    "usd_per_month_needed": "usd_per_month", "replicas_needed": "replicas", "lifetime_usd": "usd_per_month",
}  # fmt: skip
PARTS_DEEP = 2
"""How far relations are followed; what is not followed here can be asked about itself."""


@dataclass(frozen=True)
class Answer:
    """What a number is asked of."""

    value: Any
    """The answer's struct, as it is on screen."""
    again: Callable[[], Any] | None
    """Makes it again, to be traced; None where that takes a simulation."""
    column: Callable[[str, int, str], ExplainedValue]
    """Explains a column of a candidate: workload, candidate (-1: the best), name."""
    scenario: Any


class UnknownPartError(LookupError):
    """A place that the answer does not have."""


def explain_part(answer: Answer, place: str) -> ExplainedValue:
    """A number of an answer with what it comes from. Raises UnknownPartError."""
    return _explained(answer, place.split("/"), _trace_of(answer), PARTS_DEEP)


_last_trace: list[tuple[Any, Trace]] = []
"""Of the answer that was asked about last: the next question is mostly about the same."""


def _trace_of(answer: Answer) -> Trace | None:
    if answer.again is None:
        return None
    for value, kept in tuple(_last_trace):
        if value is answer.value:
            return kept
    with tracing() as trace:
        answer.again()
    _last_trace[:] = [(answer.value, trace)]
    return trace


def _explained(answer: Answer, place: list[str], trace: Trace | None, depth: int) -> ExplainedValue:
    value, described, owner = _found(answer.value, place)
    found = _made_by(trace, value, described.unit, place) if trace is not None else None
    if trace is not None and found is not None:
        call, index = found
        return ExplainedValue(
            name=place[-1], title=described.title, unit=described.unit or call.formula.unit, value=float(value),
            expression=f"{call.formula.title}: {call.formula.expression}", source=call.formula.source,
            formula=call.formula.key, inputs=tuple(_inputs(trace, call, index, DEEPEST)),
        )  # fmt: skip
    relation = _relation_of(owner, place)
    if relation is None:
        return ExplainedValue(
            name=place[-1], title=described.title, unit=described.unit, value=shown_value(value),
            source=described.help,
        )  # fmt: skip
    inputs = tuple(_related(answer, place, relation, trace, depth - 1)) if depth > 0 else ()
    return ExplainedValue(
        name=place[-1], title=described.title, unit=described.unit, value=shown_value(value),
        expression=relation.expression, source=relation.source, inputs=inputs,
    )  # fmt: skip


def _found(root: Any, place: list[str]) -> tuple[Any, About, Any]:
    """The value at a place, the description of its field, and the struct that holds it."""
    value, described, owner = root, About(place[-1].replace("_", " ").capitalize()), root
    for step in place:
        if isinstance(value, msgspec.Struct):
            owner = value
            known = {one.name: one.about for one in fields_of(type(value))}
            described = known.get(step, About(step.replace("_", " ").capitalize(), _unit_of(step)))
            if not described.unit:
                stated = getattr(value, "unit", "")
                described = About(described.title, stated if isinstance(stated, str) else "", described.help)
                described = described if described.unit else About(described.title, _unit_of(step), described.help)
        elif is_dataclass(value):
            owner, described = value, About(step.replace("_", " ").capitalize(), _unit_of(step))
        try:
            value = _step(value, step)
        except (AttributeError, IndexError, KeyError, ValueError) as problem:
            raise UnknownPartError("/".join(place)) from problem
    return value, described, owner


def _step(value: Any, step: str) -> Any:
    if isinstance(value, dict):
        return next(item for key, item in value.items() if str(key) == step)
    if isinstance(value, (tuple, list, np.ndarray)):
        return value[int(step)]
    return getattr(value, step)


UNIT_SUFFIXES = {
    "usd": "USD", "_share": "share", "_per_s": "1/s", "bytes": "bytes", "_w": "W", "_s": "s", "_h": "h", "_hours": "h",
}  # fmt: skip


def _unit_of(name: str) -> str:
    return next((unit for suffix, unit in UNIT_SUFFIXES.items() if name.endswith(suffix)), "")


def _made_by(trace: Trace, value: Any, unit: str, place: list[str]) -> tuple[Call, int] | None:
    """The formula whose result holds this very number, and where in it; the last that did.

    A round number is shared by chance: only a formula that is named like the field counts for one.
    """
    number = float(value)
    if not np.isfinite(number):
        return None
    is_round = number == int(number) and abs(number) < ROUND_NUMBERS
    names = [step for step in place if not step.isdigit()]
    for call in reversed(trace.calls):
        for name, part in _parts(call.result):
            hits = np.flatnonzero(np.asarray(part, float).ravel() == number)
            if not len(hits) or not _is_same_unit(unit, call.formula.unit):
                continue
            if is_round and names[-1] not in (name, call.formula.name):
                continue
            return call, int(hits[0])
    return None


def _is_same_unit(asked: str, given: str) -> bool:
    plain = {"1": "", "share": "", "devices": "", "seq": "", "req/s": "1/s", "USD/month": "USD", "USD/y": "USD",
             "USD/h": "USD"}  # fmt: skip
    return not asked or not given or plain.get(asked, asked) == plain.get(given, given)


def _parts(result: Any) -> Iterator[tuple[str, Any]]:
    """Numbers of a formula's result, by name."""
    if isinstance(result, (int, float, np.ndarray, np.generic)):
        yield "", result
    elif is_dataclass(result):
        for field in dataclass_fields(result):
            yield from ((field.name, part) for _, part in _parts(getattr(result, field.name)))
        total = getattr(result, "total", None)
        if isinstance(total, (float, np.ndarray, np.generic)):
            yield "total", total
    elif isinstance(result, tuple):
        for one in result:
            yield from _parts(one)


def _inputs(trace: Trace, call: Call, index: int, depth: int) -> Iterator[ExplainedValue]:
    shape = np.shape(call.result) if not is_dataclass(call.result) else _shape_of(call.result)
    count = 0
    for name, argument in call.arguments.items():
        for inner, value in _argument_parts(name, argument):
            count += 1
            if count > WIDEST:
                return
            yield _input(trace, inner, value, shape, index, depth - 1)


def _shape_of(result: Any) -> tuple[int, ...]:
    return max((np.shape(part) for _, part in _parts(result)), key=len, default=())


def _argument_parts(name: str, argument: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(argument, (bool, str)) or argument is None or callable(argument):
        return
    if isinstance(argument, (int, float, np.ndarray, np.generic)):
        yield name, argument
    elif is_dataclass(argument):
        for field in dataclass_fields(argument):
            yield from _argument_parts(field.name, getattr(argument, field.name))


def _input(trace: Trace, name: str, value: Any, shape: tuple[int, ...], index: int, depth: int) -> ExplainedValue:
    """An argument at the place of the result: its own element, and why that is what it is."""
    flat = np.asarray(value, float)
    place = _element(flat, shape, index)
    shown: Any = float(flat.ravel()[place]) if place >= 0 else f"{flat.size} values"
    maker = trace.maker_of(value)
    if isinstance(maker, Leaf):
        return ExplainedValue(name=maker.name, title=name, unit=maker.unit, value=shown, source=maker.source)
    if maker is None:
        return ExplainedValue(name=name, title=name, unit="", value=shown)
    inner = tuple(_inputs(trace, maker, max(place, 0), depth)) if depth > 0 else ()
    made = maker.formula
    return ExplainedValue(
        name=name, title=made.title, unit=made.unit, value=shown, expression=made.expression, source=made.source,
        formula=made.key, inputs=inner,
    )  # fmt: skip


def _element(value: Any, shape: tuple[int, ...], index: int) -> int:
    """Place in an argument that broadcasts to a result; -1 where it does not."""
    if value.size == 1:
        return 0
    try:
        places = np.broadcast_to(np.arange(value.size).reshape(value.shape), shape)
    except ValueError:
        return -1
    return int(places.ravel()[index]) if index < places.size else -1


def _relation_of(owner: Any, place: list[str]) -> Relation | None:
    """What is stated for the field of the struct that holds the number, or for all of its fields."""
    names = [step for step in place if not step.isdigit()]
    kind = type(owner).__name__
    for name in reversed(names):
        found = RELATIONS.get((kind, name))
        if found is not None:
            return found
    return RELATIONS.get((kind, "*"))


def _related(
    answer: Answer, place: list[str], relation: Relation, trace: Trace | None, depth: int
) -> Iterator[ExplainedValue]:
    depth_of_owner = _owner_depth(answer.value, place)
    owner_place = place[:depth_of_owner]
    count = 0
    for name in relation.inputs:
        for one in _referred(answer, owner_place, place[depth_of_owner:], name, trace, depth):
            count += 1
            if count > MOST_INPUTS:
                return
            yield one


def _owner_depth(root: Any, place: list[str]) -> int:
    """Steps to the innermost struct on the way."""
    value, deepest = root, 0
    for count, step in enumerate(place):
        if isinstance(value, msgspec.Struct) or is_dataclass(value):
            deepest = count
        value = _step(value, step)
    return deepest


def _referred(
    answer: Answer, owner: list[str], inside: list[str], name: str, trace: Trace | None, depth: int
) -> Iterator[ExplainedValue]:
    """An input as a relation names it: a neighbour, a column of a candidate, or a part of the scenario."""
    kind, _, rest = name.partition(":")
    if kind == "column":
        workload, _, column = rest.partition(":")
        if workload == CODE:
            workload, _, column = str(getattr(_found(answer.value, [*owner, CODE])[2], CODE)).partition(".")
            column = COLUMNS_OF_CODES.get(column, column)
        try:
            yield answer.column(workload, _candidate_of(answer.value, owner, inside, workload), column)
        except (LookupError, ValueError):
            return
        return
    if kind == "scenario":
        value: Any = answer.scenario
        for step in rest.split("."):
            value = getattr(value, step, None)
        if value is not None:
            yield ExplainedValue(
                name=rest.split(".")[-1], title=rest.split(".")[-1].replace("_", " ").capitalize(), unit="",
                value=_plain(value), source=f"scenario: {rest}",
            )  # fmt: skip
        return
    own, steps = [*owner, *inside], name.split("/")
    while steps and steps[0] == "..":
        owner, steps = _outer(answer.value, owner), steps[1:]
    for target in _expanded(answer.value, owner, steps, inside):
        try:
            value, _, _ = _found(answer.value, target)
        except UnknownPartError:
            continue
        if isinstance(value, (int, float, np.generic)) and not isinstance(value, bool) and target != own:
            yield _explained(answer, target, trace, depth)


def _outer(root: Any, owner: list[str]) -> list[str]:
    """Place of the struct around a struct."""
    return owner[: _owner_depth(root, owner)] if owner else owner


def _expanded(root: Any, owner: list[str], steps: list[str], inside: list[str]) -> Iterator[list[str]]:
    """Places that a name stands for: `*` for every entry, `@` for the same entry as the number's own."""
    places = [list(owner)]
    for step in steps:
        grown = []
        for place in places:
            if step == "@":
                grown.append([*place, *inside[1:]])
                continue
            if step != "*":
                grown.append([*place, step])
                continue
            value = root
            for one in place:
                value = _step(value, one)
            if isinstance(value, (tuple, list, np.ndarray)):
                grown += [[*place, str(number)] for number in range(min(len(value), MOST_INPUTS))]
            elif isinstance(value, dict):
                grown += [[*place, str(key)] for key in value]
            elif isinstance(value, msgspec.Struct):
                grown += [[*place, one.name] for one in fields_of(type(value))]
        places = grown
    yield from places


def _candidate_of(root: Any, owner: list[str], inside: list[str], workload: str) -> int:
    """Candidate that the innermost struct with one, or the entry of an array, speaks of; -1: the one at hand."""
    value, found = root, getattr(root, "candidate", -1)
    if isinstance(root, ServingLimits) and inside[-1].isdigit():
        return int(inside[-1])
    for step in owner:
        value = _step(value, step)
        for name in ("candidate", f"{workload}_candidate"):
            if isinstance(getattr(value, name, None), int):
                found = getattr(value, name)
    return int(found)


def _plain(value: Any) -> float | str:
    from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular, central

    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
        return float(central(value))
    return str(value)
