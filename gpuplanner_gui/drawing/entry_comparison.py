"""Catalogue entries side by side: a line for each figure, and whether they differ in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular, central
from gpuplanner_gui.drawing.details import Detail, details_of
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.provenance import known_by
from gpuplanner_gui.drawing.units import NOTHING, rounded_text

_LEFT_OUT = frozenset({
    "id", "name", "source", "sources", "source_reading", "cross_checks", "confidence", "notes", "note", "as_of",
    "as_of_from", "as_of_to", "offers_counted", "link_id", "spot_source", "as_of_precision",
})  # fmt: skip
"""Said once for a figure beside it, or no figure of the device."""
_NO_RATIO = ("year", "generation")


@dataclass(frozen=True)
class ComparedCell:
    """One entry's value of a figure."""

    text: str
    ratio: str = ""
    """To the first entry's, as ×1.43; empty where it is the same or no number."""
    known: str = ""


@dataclass(frozen=True)
class ComparedLine:
    """One figure of all entries."""

    title: str
    cells: tuple[ComparedCell, ...]
    differs: bool


def compared(entries: Sequence[msgspec.Struct]) -> tuple[ComparedLine, ...]:
    """Every figure that one of the entries states, in the order in which the form has them."""
    flat = [dict(_leaves(entry)) for entry in entries]
    keys = _in_order(flat)
    return tuple(_line(key, flat) for key in keys)


def _line(key: str, flat: Sequence[dict[str, _Leaf]]) -> ComparedLine:
    found = [each.get(key) for each in flat]
    title = next(leaf.title for leaf in found if leaf is not None)
    first = found[0].number if found and found[0] is not None else None
    cells = tuple(_cell(leaf, first) for leaf in found)
    return ComparedLine(title, cells, len({cell.text for cell in cells}) > 1)


@dataclass(frozen=True)
class _Leaf:
    title: str
    text: str
    number: float | None
    known: str


def _cell(leaf: _Leaf | None, first: float | None) -> ComparedCell:
    if leaf is None:
        return ComparedCell(NOTHING)
    ratio = ""
    if leaf.number is not None and first and leaf.number != first:
        ratio = f"×{rounded_text(leaf.number / first)}"
    return ComparedCell(leaf.text, ratio, leaf.known)


def _leaves(entry: msgspec.Struct) -> Iterator[tuple[str, _Leaf]]:
    for detail in details_of(entry):
        if detail.name not in _LEFT_OUT:
            known = known_by(entry, detail.name)
            yield from _leaves_of(detail, detail.name, detail.title, getattr(entry, detail.name), known)


def _leaves_of(detail: Detail, path: str, title: str, value: Any, known: str) -> Iterator[tuple[str, _Leaf]]:
    if not detail.parts:
        number = None if detail.name in _NO_RATIO else _number(value)
        yield path, _Leaf(title, detail.value, number, known)
        return
    if not isinstance(value, msgspec.Struct):
        yield path, _Leaf(title, listed(part.value or part.title for part in detail.parts), None, known)
        return
    for part in detail.parts:
        if part.name in _LEFT_OUT:
            continue
        inner = title if part.title in ("", title) else f"{title}, {part.title}"
        yield from _leaves_of(part, f"{path}.{part.name}", inner, getattr(value, part.name), known)


def _number(value: Any) -> float | None:
    if isinstance(value, (bool, str)) or value is None:
        return None
    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
        return central(value)
    return None


def _in_order(flat: Sequence[dict[str, _Leaf]]) -> list[str]:
    """Keys of all entries; one that only a later entry has stands behind the one before it there."""
    order: list[str] = []
    for each in flat:
        at = 0
        for key in each:
            if key in order:
                at = order.index(key) + 1
            else:
                order.insert(at, key)
                at += 1
    return order


def differing_count(lines: Sequence[ComparedLine]) -> str:
    """How many figures differ, as a sentence."""
    differing = sum(line.differs for line in lines)
    return tr("{differing} of {total} figures differ.").format(differing=differing, total=len(lines))
