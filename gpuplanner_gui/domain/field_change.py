"""What differs between two versions of a struct or of plain data, figure by figure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular, central

Doubt = Literal["", "factor", "cheap", "spec"]


class FieldChange(msgspec.Struct, frozen=True):
    """A field with its value before and after; `unit` where it has one."""

    path: str
    """`rental.on_demand_usd_per_h`; in plain data lists by the name or number of the entry."""
    title: str
    before: Any
    after: Any
    unit: str = ""
    doubt: Doubt = ""
    """Why a reader should look twice; empty where nothing speaks against it."""

    @property
    def is_figure(self) -> bool:
        """True for what plans are computed from: a number, not who says so, or when."""
        return _is_number(self.before) or _is_number(self.after)

    @property
    def factor(self) -> float | None:
        """The new middle over the old; None where there is none."""
        if not (_is_number(self.before) and _is_number(self.after)) or central(self.before) == 0:
            return None
        return central(self.after) / central(self.before)


FIGURES = (int, float, Range, Triangular, Normal, Lognormal)


def _is_number(value: Any) -> bool:
    return isinstance(value, FIGURES) and not isinstance(value, bool)


def field_changes(old: msgspec.Struct | None, new: msgspec.Struct | None) -> Iterator[FieldChange]:
    """Fields that differ, those of inner structs each; None stands for no struct: all that the other one states."""
    held = new if new is not None else old
    for field in fields_of(type(held)) if held is not None else ():
        before, after = (getattr(one, field.name) if one is not None else None for one in (old, new))
        if before != after and not (old is None and after == field.default):
            yield from _changes(before, after, field.name, field.about.title, field.about.unit)


def plain_changes(before: Any, after: Any, path: str, title: str, unit: str = "") -> Iterator[FieldChange]:
    """Values that differ in plain data, each by its place."""
    pairs = _pairs(before, after)
    if pairs is None:
        yield FieldChange(path, title, before, after, unit)
        return
    for name, one, other in pairs:
        if one != other:
            inner = f"{path}.{name}" if path else name
            yield from plain_changes(one, other, inner, f"{title}, {name}" if title else name, unit)


def _pairs(before: Any, after: Any) -> list[tuple[str, Any, Any]] | None:
    """Parts of two tables, or of two lists of one length, by name; None for what has no parts to compare."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [(str(key), before.get(key), after.get(key)) for key in dict.fromkeys((*before, *after))]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [(_name_of(one) or str(place), one, other) for place, (one, other) in enumerate(zip(before, after), 1)]
    return None


def _name_of(value: Any) -> str:
    """What an entry of a list calls itself."""
    found = value.get("id") or value.get("name") if isinstance(value, dict) else ""
    return found if isinstance(found, str) else ""


def _changes(before: Any, after: Any, name: str, title: str, unit: str) -> Iterator[FieldChange]:
    held = after if after is not None else before
    is_of_one_kind = before is None or after is None or type(before) is type(after)
    if isinstance(held, msgspec.Struct) and not isinstance(held, FIGURES) and is_of_one_kind:
        for inner in field_changes(before, after):
            yield msgspec.structs.replace(inner, path=f"{name}.{inner.path}", title=f"{title}, {inner.title.lower()}")
    else:
        yield from plain_changes(before, after, name, title, unit)
