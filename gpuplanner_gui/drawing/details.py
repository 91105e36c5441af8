"""Every field of a struct that says something, with its title, its value in words and its unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from gpuplanner_gui.domain.field import Field, fields_of
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Quantity, Range, Triangular
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import DOLLARS, money_shown
from gpuplanner_gui.drawing.units import format_quantity, format_value

_SHARES = ("efficiency", "_share", "share_", "headroom", "mean_over_peak", "fraction", "utilisation", "residual")
_PLAIN_NUMBERS = ("year", "version", "seed")


@dataclass(frozen=True)
class Detail:
    """One line of an entry's details; a group has lines of its own under it."""

    title: str
    value: str
    help: str = ""
    parts: tuple[Detail, ...] = ()
    is_default: bool = False
    name: str = ""
    """The field's own name; empty for a line that is no field."""


def details_of(struct: msgspec.Struct) -> tuple[Detail, ...]:
    """What is known of a struct; figures that are not known are left out."""
    return tuple(_details(struct))


def _details(struct: msgspec.Struct) -> Iterator[Detail]:
    for field in fields_of(type(struct)):
        value = getattr(struct, field.name)
        if value is None or value == () or value == "":
            continue
        detail = _detail(field, value)
        if detail is not None:
            yield replace(detail, name=field.name)


def _detail(field: Field, value: Any) -> Detail | None:
    title, about = tr(field.about.title), field.about
    is_default = field.has_default and value == field.default
    if isinstance(value, bool):
        return Detail(title, tr("yes") if value else tr("no"), about.help, is_default=is_default)
    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
        return Detail(title, _number_text(field.name, value, about.unit), about.help, is_default=is_default)
    if isinstance(value, Money):
        amount = f"{format_quantity(value.amount)} {value.currency}"
        return Detail(title, amount, about.help, is_default=is_default)
    if isinstance(value, msgspec.Struct):
        parts = tuple(_details(value))
        return Detail(title, "", about.help, parts, is_default) if parts else None
    if isinstance(value, tuple):
        return _several(title, value, about.help, is_default)
    return Detail(title, str(value), about.help, is_default=is_default)


def _number_text(name: str, value: Quantity, unit: str) -> str:
    if name in _PLAIN_NUMBERS:
        return str(value)
    if name == "usd_per_unit":
        # What a currency is worth in dollars says nothing in itself.
        with money_shown(DOLLARS):
            return format_quantity(value, unit)
    if unit == "" and isinstance(value, float) and any(part in name for part in _SHARES):
        return format_value(value, "share")
    return format_quantity(value, unit)


def _several(title: str, values: tuple[Any, ...], help_text: str, is_default: bool) -> Detail:
    if not any(isinstance(value, msgspec.Struct) for value in values):
        texts = [str(value) for value in values]
        if sum(map(len, texts)) < 60:
            return Detail(title, ", ".join(texts), help_text, is_default=is_default)
        return Detail(title, "", help_text, tuple(Detail("", text) for text in texts), is_default)
    parts = tuple(
        Detail(_name_of(value, place), "", "", tuple(_details(value)))
        if isinstance(value, msgspec.Struct)
        else Detail("", str(value))
        for place, value in enumerate(values, 1)
    )
    return Detail(title, "", help_text, parts, is_default)


def _name_of(value: msgspec.Struct, place: int) -> str:
    name = getattr(value, "name", "")
    return name if isinstance(name, str) and name else str(place)
