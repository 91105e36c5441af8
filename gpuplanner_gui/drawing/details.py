"""Every field of a struct that says something, with its title, its value in words and its unit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

import msgspec

from gpuplanner_gui.domain.field import Field, fields_of
from gpuplanner_gui.domain.quantity import Lognormal, Money, Normal, Quantity, Range, Triangular
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.shown_money import DOLLARS, money_shown
from gpuplanner_gui.drawing.units import format_quantity
from gpuplanner_gui.drawing.words.choices import words_of_choice

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


QuantityText = Callable[[Quantity, str], str]


def details_of(struct: msgspec.Struct, quantity_text: QuantityText = format_quantity) -> tuple[Detail, ...]:
    """What is known of a struct; figures that are not known are left out."""
    return tuple(_details(struct, quantity_text))


def _details(struct: msgspec.Struct, quantity_text: QuantityText) -> Iterator[Detail]:
    for field in fields_of(type(struct)):
        value = getattr(struct, field.name)
        if value is None or value == () or value == "":
            continue
        detail = _detail(field, value, quantity_text)
        if detail is not None:
            yield replace(detail, name=field.name)


def _detail(field: Field, value: Any, quantity_text: QuantityText) -> Detail | None:
    title, about = tr(field.about.title), field.about
    is_default = field.has_default and value == field.default
    if isinstance(value, bool):
        return Detail(title, tr("yes") if value else tr("no"), about.help, is_default=is_default)
    if isinstance(value, (int, float, Range, Triangular, Normal, Lognormal)):
        return Detail(
            title, _number_text(field.name, value, about.unit, quantity_text), about.help, is_default=is_default
        )
    if isinstance(value, Money):
        amount = f"{quantity_text(value.amount, '')} {value.currency}"
        return Detail(title, amount, about.help, is_default=is_default)
    if isinstance(value, msgspec.Struct):
        parts = tuple(_details(value, quantity_text))
        return Detail(title, "", about.help, parts, is_default) if parts else None
    if isinstance(value, tuple):
        return _several(field, value, is_default, quantity_text)
    return Detail(title, _text_of(field, value), about.help, is_default=is_default)


def _text_of(field: Field, value: Any) -> str:
    """A code that is chosen from a list in a planner's words, any other text as it is."""
    return words_of_choice(value) if isinstance(value, str) and value in _codes(field) else str(value)


def _codes(field: Field) -> tuple[str, ...]:
    return (*field.about.choices, *_literals(field.type))


def _literals(hint: Any) -> Iterator[str]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    else:
        for part in get_args(hint):
            yield from _literals(part)


def _number_text(name: str, value: Quantity, unit: str, quantity_text: QuantityText) -> str:
    if name in _PLAIN_NUMBERS:
        return str(value)
    if name == "usd_per_unit":
        # What a currency is worth in dollars says nothing in itself.
        with money_shown(DOLLARS):
            return quantity_text(value, unit)
    if unit == "" and isinstance(value, float) and any(part in name for part in _SHARES):
        return quantity_text(value, "share")
    return quantity_text(value, unit)


def _several(field: Field, values: tuple[Any, ...], is_default: bool, quantity_text: QuantityText) -> Detail:
    title, help_text = tr(field.about.title), field.about.help
    if not any(isinstance(value, msgspec.Struct) for value in values):
        texts = [_text_of(field, value) for value in values]
        if sum(map(len, texts)) < 60:
            return Detail(title, listed(texts), help_text, is_default=is_default)
        return Detail(title, "", help_text, tuple(Detail("", text) for text in texts), is_default)
    parts = tuple(
        Detail(_name_of(value, place), "", "", tuple(_details(value, quantity_text)))
        if isinstance(value, msgspec.Struct)
        else Detail("", _text_of(field, value))
        for place, value in enumerate(values, 1)
    )
    return Detail(title, "", help_text, parts, is_default)


def _name_of(value: msgspec.Struct, place: int) -> str:
    name = getattr(value, "name", "")
    return name if isinstance(name, str) and name else str(place)
