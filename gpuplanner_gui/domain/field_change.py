"""What differs between two versions of a struct, figure by figure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

from gpuplanner_gui.domain.field import fields_of
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular, central

Doubt = Literal["", "factor", "cheap", "spec", "beyond", "gone", "identity"]


class FieldChange(msgspec.Struct, frozen=True):
    """A field with its value before and after; `unit` where it has one."""

    path: str
    """`rental.on_demand_usd_per_h`; in lists by the name or number of the entry."""
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
        if not (old is None and after == field.default):
            yield from value_changes(before, after, field.name, field.about.title, field.about.unit)


def value_changes(before: Any, after: Any, path: str = "", title: str = "", unit: str = "") -> Iterator[FieldChange]:
    """Figures and texts that differ in two values of one kind, each by its place; None stands for nothing there."""
    if before == after:
        return
    held = after if after is not None else before
    is_alike = before is None or after is None or isinstance(before, type(after)) or isinstance(after, type(before))
    if isinstance(held, msgspec.Struct) and not isinstance(held, FIGURES) and is_alike:
        for inner in field_changes(before, after):
            named = f"{title}, {_inside(inner.title)}" if title else inner.title
            yield msgspec.structs.replace(inner, path=f"{path}.{inner.path}" if path else inner.path, title=named)
    elif isinstance(held, (dict, list, tuple)) and is_alike:
        old, new = (one if isinstance(one, dict) else _named(one or ()) for one in (before, after))
        is_list = not isinstance(held, dict)
        if is_list and [name for name in old if name in new] != [name for name in new if name in old]:
            yield FieldChange(f"{path}.order", f"{title}, order" if title else "Order", ", ".join(old), ", ".join(new))
        for name in dict.fromkeys((*old, *new)):
            named = f"{title}, {name}" if title else str(name)
            yield from value_changes(old.get(name), new.get(name), f"{path}.{name}" if path else str(name), named, unit)
    else:
        yield FieldChange(path, title, before, after, unit)


def _inside(title: str) -> str:
    """A title behind another one; abbreviations stay as they are."""
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def _named(entries: Sequence[Any]) -> dict[str, Any]:
    """Entries of a list by what they call themselves, where that tells them apart, else by number."""
    names = [_name_of(entry) for entry in entries]
    if not all(names) or len(set(names)) < len(names):
        names = [str(place) for place in range(1, len(entries) + 1)]
    return dict(zip(names, entries, strict=True))


def _name_of(value: Any) -> str:
    """What an entry of a list calls itself: its identifier, or else all texts that it states."""
    if not isinstance(value, msgspec.Struct):
        return ""
    found = getattr(value, "id", "") or getattr(value, "name", "")
    texts = (getattr(value, name) for name in value.__struct_fields__)
    return found if found and isinstance(found, str) else " ".join(one for one in texts if one and isinstance(one, str))
