"""Where scenarios differ: every field that is not the same in all of them, named as the planner knows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from gpuplanner_gui.domain.decision import DifferingInput
from gpuplanner_gui.domain.field import About, fields_of
from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Range, Triangular
from gpuplanner_gui.domain.scenario import Scenario

_WHOLE = (Range, Triangular, Normal, Lognormal, Money)
MOST_FIELDS = 4
_NOT_COMPARED = ("name", "notes", "chosen_training", "chosen_serving")


def differing_inputs(scenarios: Sequence[Scenario]) -> tuple[DifferingInput, ...]:
    """Inputs that differ, in the order of the editors. A place that some scenarios lack is None there.

    Models are told apart by their names; of two that share one, by their fields.
    """
    return tuple(_differing("", (), About(""), tuple(scenarios), is_top=True))


def _differing(
    path: str, titles: tuple[str, ...], about: About, values: tuple[Any, ...], is_top: bool = False
) -> Iterator[DifferingInput]:
    if all(value == values[0] for value in values[1:]):
        return
    if _are_structs(values):
        if isinstance(values[0], Model) and len({value.name for value in values}) > 1:
            yield DifferingInput(path=path, titles=titles, unit="", values=tuple(value.name for value in values))
            return
        kind: type[msgspec.Struct] = type(values[0])
        for field in fields_of(kind):
            if is_top and field.name in _NOT_COMPARED:
                continue
            inner = tuple(getattr(value, field.name) for value in values)
            yield from _differing(_joined(path, field.name), (*titles, field.about.title), field.about, inner)
        return
    if _are_lists_of_structs(values):
        for place in range(max(len(value) for value in values)):
            items = tuple(value[place] if place < len(value) else None for value in values)
            named = next((getattr(item, "name", "") for item in items if item is not None), "")
            yield from _differing(f"{path}[{place}]", (*titles, named or str(place + 1)), about, items)
        return
    if _is_small_struct_beside_none(values):
        small: type[msgspec.Struct] = next(type(value) for value in values if value is not None)
        for field in fields_of(small):
            inner = tuple(None if value is None else getattr(value, field.name) for value in values)
            yield from _differing(_joined(path, field.name), (*titles, field.about.title), field.about, inner)
        return
    yield DifferingInput(path=path, titles=titles, unit=about.unit, values=tuple(_shown(value) for value in values))


def _is_small_struct_beside_none(values: tuple[Any, ...]) -> bool:
    """An exchange rate, a target: nothing names it but its few fields."""
    there = tuple(value for value in values if value is not None)
    if len(there) == len(values) or not _are_structs(there):
        return False
    small: type[msgspec.Struct] = type(there[0])
    fields = fields_of(small)
    return len(fields) <= MOST_FIELDS and all(field.name != "name" for field in fields)


def _are_structs(values: tuple[Any, ...]) -> bool:
    """Structs of one type that hold fields a planner enters; distributions and money are values."""
    first = type(values[0])
    return issubclass(first, msgspec.Struct) and first not in _WHOLE and all(type(one) is first for one in values)


def _are_lists_of_structs(values: tuple[Any, ...]) -> bool:
    items = [item for value in values if isinstance(value, tuple) for item in value]
    return all(isinstance(value, tuple) for value in values) and bool(items) and isinstance(items[0], msgspec.Struct)


def _shown(value: Any) -> Any:
    """A whole section stands for itself where the others have none."""
    if isinstance(value, msgspec.Struct) and not isinstance(value, _WHOLE):
        return getattr(value, "name", "") or True
    return value


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
