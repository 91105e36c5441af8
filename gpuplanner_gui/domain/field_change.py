"""What differs between two versions of a struct, field by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular


class FieldChange(msgspec.Struct, frozen=True):
    """A field with its value before and after; `unit` where it has one."""

    title: str
    before: Any
    after: Any
    unit: str = ""

    @property
    def is_figure(self) -> bool:
        """True for what plans are computed from: a number, not who says so, or when."""
        return any(isinstance(one, FIGURES) and not isinstance(one, bool) for one in (self.before, self.after))


FIGURES = (int, float, Range, Triangular, Normal, Lognormal)


def field_changes(old: msgspec.Struct | None, new: msgspec.Struct | None) -> Iterator[FieldChange]:
    """Fields that differ, those of inner structs and tables by their own titles; None stands for no struct."""
    held = new if new is not None else old
    for field in fields_of(type(held)) if held is not None else ():
        before, after = (getattr(one, field.name) if one is not None else None for one in (old, new))
        if before != after and not (old is None and after == field.default):
            yield from _changes(before, after, field.about.title, field.about.unit)


def plain_changes(before: Any, after: Any, title: str, unit: str = "") -> Iterator[FieldChange]:
    """Values that differ in plain data, each by its place: whole lists and tables one figure at a time."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in dict.fromkeys((*before, *after)):
            if before.get(key) != after.get(key):
                yield from plain_changes(before.get(key), after.get(key), f"{title}, {key}" if title else key, unit)
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for place, (one, other) in enumerate(zip(before, after)):
            if one != other:
                yield from plain_changes(one, other, f"{title} {_name_of(other) or place + 1}", unit)
    else:
        yield FieldChange(title, before, after, unit)


def _name_of(value: Any) -> str:
    """What an entry of a list calls itself."""
    found = value.get("id") or value.get("name") if isinstance(value, dict) else ""
    return found if isinstance(found, str) else ""


def _changes(before: Any, after: Any, title: str, unit: str) -> Iterator[FieldChange]:
    held = after if after is not None else before
    is_of_one_kind = before is None or after is None or type(before) is type(after)
    if isinstance(held, msgspec.Struct) and not isinstance(held, FIGURES) and is_of_one_kind:
        for inner in field_changes(before, after):
            yield msgspec.structs.replace(inner, title=f"{title}, {inner.title.lower()}")
    else:
        yield from plain_changes(before, after, title, unit)
