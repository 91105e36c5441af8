"""Why a number of an answer beyond the table of candidates is what it is: fleets, terms, samples, curves, limits.

A number has a place in its answer (`strategies/0/fleets/1/usd`). How its field is made stands under the struct's and
the field's name (`relations`): a formula or words, and what goes in: other numbers of the answer, columns of a
candidate, the scenario; each of them can be asked again.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.curves import ServingLimits
from gpuplanner_gui.domain.field import About, fields_of
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.engine.explaining.decision_relations import Relation
from gpuplanner_gui.engine.explaining.formula import ENGINE, FORMULAS, Formula
from gpuplanner_gui.engine.explaining.relations import RELATIONS
from gpuplanner_gui.engine.explaining.replay import shown_value, unit_of_name

MOST_INPUTS = 12
CODE = "code"
"""An input `column:code` is the column that the struct's own code names: `serving.usd_per_month`."""
COLUMNS_OF_CODES = {
    "usd_per_month_needed": "usd_per_month", "replicas_needed": "replicas", "lifetime_usd": "usd_per_month",
}  # fmt: skip
PARTS_DEEP = 2
"""How far relations are followed; what is not followed here can be asked about itself."""


@dataclass(frozen=True)
class ExplainableAnswer:
    """What a number is asked of."""

    value: Any
    """The answer's struct, as it is on screen."""
    column: Callable[[str, int, str], ExplainedValue]
    """Explains a column of a candidate: workload, candidate (-1: the best), name."""
    scenario: Any


class UnknownPartError(LookupError):
    """A place that the answer does not have."""


def explain_part(answer: ExplainableAnswer, place: str) -> ExplainedValue:
    """A number of an answer with what it comes from. Raises UnknownPartError."""
    return _explained(answer, place.split("/"), PARTS_DEEP)


def _explained(answer: ExplainableAnswer, place: list[str], depth: int) -> ExplainedValue:
    value, described, owner = _found(answer.value, place)
    relation = relation_of(owner, place)
    made = ExplainedValue(
        name=place[-1], title=described.title, unit=described.unit, value=shown_value(value), source=described.help
    )
    if relation is None:
        return made
    inputs = tuple(_related(answer, place, relation, depth - 1)) if depth > 0 else ()
    made = msgspec.structs.replace(made, expression=relation.expression, source=relation.source, inputs=inputs)
    if not relation.formula:
        return made
    found = formula_named(relation.formula)
    return msgspec.structs.replace(
        made, unit=made.unit or found.unit, expression=f"{found.title}: {found.expression}", source=found.source,
        formula=found.key,
    )  # fmt: skip


def formula_named(key: str) -> Formula:
    """The formula of a key, whose module is read in if need be. Raises KeyError where there is none."""
    importlib.import_module(ENGINE + key.rpartition(".")[0])
    return FORMULAS[ENGINE + key]


def _found(root: Any, place: list[str]) -> tuple[Any, About, Any]:
    """The value at a place, the description of its field, and the struct that holds it."""
    value, described, owner = root, About(place[-1].replace("_", " ").capitalize()), root
    for step in place:
        if isinstance(value, msgspec.Struct):
            owner = value
            known = {one.name: one.about for one in fields_of(type(value))}
            described = known.get(step, About(step.replace("_", " ").capitalize(), unit_of_name(step)))
            if not described.unit:
                stated = getattr(value, "unit", "")
                described = About(described.title, stated if isinstance(stated, str) else "", described.help)
                described = described if described.unit else About(described.title, unit_of_name(step), described.help)
        elif is_dataclass(value):
            owner, described = value, About(step.replace("_", " ").capitalize(), unit_of_name(step))
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


def relation_of(owner: Any, place: list[str]) -> Relation | None:
    """What is stated for the field of the struct that holds the number, or for all of its fields."""
    kind = f"{type(owner).__module__.rpartition('.')[2]}.{type(owner).__name__}"
    names = [step for step in place if not step.isdigit()]
    asked = ["/".join(names[-2:]), *reversed(names), "*"]
    return next((RELATIONS[key] for key in (f"{kind}.{name}" for name in asked) if key in RELATIONS), None)


def _related(answer: ExplainableAnswer, place: list[str], relation: Relation, depth: int) -> Iterator[ExplainedValue]:
    depth_of_owner = _owner_depth(answer.value, place)
    owner_place = place[:depth_of_owner]
    count = 0
    for name in relation.inputs:
        for one in _referred(answer, owner_place, place[depth_of_owner:], name, depth):
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
    answer: ExplainableAnswer, owner: list[str], inside: list[str], name: str, depth: int
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
            yield _explained(answer, target, depth)


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
                grown.append([*place, *(one for one in inside if one.isdigit())])
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
