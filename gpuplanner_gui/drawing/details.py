"""Fields of a struct with title, value in words and unit; how each is known; entries side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogModel
from gpuplanner_gui.domain.field import Field, fields_of
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType
from gpuplanner_gui.domain.price import Offer
from gpuplanner_gui.domain.quantity import Money, Quantity, central
from gpuplanner_gui.drawing.language import listed, tr
from gpuplanner_gui.drawing.shown_money import DOLLARS, money_shown
from gpuplanner_gui.drawing.units import NOTHING, rounded_text
from gpuplanner_gui.drawing.value_ranges import format_quantity
from gpuplanner_gui.drawing.words.choices import words_of_choice

CONFIDENCE_WORDS = {
    "datasheet": "data sheet",
    "secondary": "third party",
    "estimate": "estimated",
    "user": "own entry",
}
_ACCELERATOR_GROUPS = {
    "memory_nominal_bytes": "memory", "memory_usable_bytes": "memory", "memory_max_bytes": "memory",
    "memory_type": "memory", "memory_bandwidth_bytes_per_s": "memory", "memory_bus_bits": "memory",
    "memory_pin_bit_per_s": "memory", "peak_dense_flop_per_s": "compute",
    "peak_dense_fp16_accumulate_flop_per_s": "compute", "structured_sparsity_speedup": "compute",
    "sm_count": "clocks_and_units", "sm_kind": "clocks_and_units", "boost_clock_hz": "clocks_and_units",
    "l2_bytes": "l2_or_sram", "tdp_w": "tdp", "idle_w": "idle_power", "scale_up": "scale_up",
    "scale_out_bytes_per_s": "scale_out", "price": "price", "rental": "cloud",
}  # fmt: skip
_NODE_GROUPS = {"max_power_w": "max_power", "idle_power_w": "idle_power", "capex": "capex"}
_LINK_GROUPS = {
    "bytes_per_s_per_direction": "bandwidth", "hardware_latency_s": "latency", "collective_latency_s": "latency",
    "point_to_point_efficiency": "efficiency", "collective_efficiency": "efficiency",
}  # fmt: skip
_OFFER_PRICES = ("on_demand_usd_per_h", "reserved_1y_usd_per_h", "reserved_3y_usd_per_h")
_WORDLESS = frozenset({
    "id", "name", "date", "sources", "source", "source_reading", "cross_checks", "confidence", "notes", "note", "as_of",
    "spot_as_of", "spot_source", "as_of_precision", "availability",
})  # fmt: skip


def confidence_words(code: str | None) -> str:
    """A confidence in a planner's words; empty for none."""
    return tr(CONFIDENCE_WORDS[code]) if code else ""


def known_by(entry: Any, name: str) -> str:
    """Kind and date of a field's source, such as `data sheet · 2026-10`; empty for a field that is no figure."""
    if name in _WORDLESS:
        return ""
    confidence, date = _known(entry, name)
    return " · ".join(part for part in (confidence_words(confidence), date or "") if part)


def source_of(entry: Any, name: str) -> str:
    """Sources of a field, one a line; empty where the entry names none."""
    if isinstance(entry, Accelerator) and name in ("price", "rental"):
        held = getattr(entry, name)
        return held.source if held is not None else ""
    if isinstance(entry, NodeType) and name == "capex" and entry.capex is not None and entry.capex.source:
        return entry.capex.source
    if isinstance(entry, Offer):
        return entry.spot_source or entry.source if name == "spot_usd_per_h" else entry.source
    if isinstance(entry, CatalogModel):
        return entry.source
    return "\n".join(entry.sources)


def _known(entry: Any, name: str) -> tuple[str | None, str | None]:
    if isinstance(entry, Accelerator):
        if name == "price" and entry.price is not None:
            return entry.price.confidence or entry.confidence.price, entry.price.as_of
        if name == "rental" and entry.rental is not None:
            return entry.rental.confidence or entry.confidence.cloud, entry.rental.as_of_to
        group = _ACCELERATOR_GROUPS.get(name)
        return (getattr(entry.confidence, group) if group else None), entry.date
    if isinstance(entry, NodeType):
        if name == "capex" and entry.capex is not None:
            return entry.capex.confidence or entry.confidence.capex, entry.capex.as_of
        return getattr(entry.confidence, _NODE_GROUPS.get(name, "specification")), entry.date
    if isinstance(entry, Link):
        group = _LINK_GROUPS.get(name)
        return (getattr(entry.confidence, group) if group else None), entry.date
    if isinstance(entry, Offer):
        if name == "spot_usd_per_h":
            return entry.confidence, entry.spot_as_of or entry.as_of
        return (entry.confidence, entry.as_of) if name in _OFFER_PRICES else (None, None)
    return entry.confidence, entry.date


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


def details_of(
    struct: msgspec.Struct, quantity_text: QuantityText = format_quantity, catalog: Catalog | None = None
) -> tuple[Detail, ...]:
    """Details of a struct; unknown figures are left out. With a catalogue, devices and links have their names."""
    found = tuple(_details(struct, quantity_text))
    return found if catalog is None else tuple(_named(one, catalog) for one in found)


def _named(detail: Detail, catalog: Catalog) -> Detail:
    """A detail with the names of the catalogue for identifiers in it."""
    named: dict[str, Mapping[str, Any]] = {"accelerator_id": catalog.accelerators, "link_id": catalog.links}
    known = named.get(detail.name, {})
    value = known[detail.value].name if detail.value in known else detail.value
    return replace(detail, value=value, parts=tuple(_named(part, catalog) for part in detail.parts))


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
    if isinstance(value, int | Quantity):
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
    return words_of_choice(value) if isinstance(value, str) and value in codes_of(field) else str(value)


def codes_of(field: Field) -> tuple[str, ...]:
    """Values of a field that have words of their own."""
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
    """Ratio to the first entry's figure, such as ×1.43; empty where equal or not a number."""
    known: str = ""


@dataclass(frozen=True)
class ComparedLine:
    """One figure of all entries."""

    title: str
    cells: tuple[ComparedCell, ...]
    differs: bool


def compared(entries: Sequence[msgspec.Struct], catalog: Catalog | None = None) -> tuple[ComparedLine, ...]:
    """Every figure that one of the entries states, in the order in which the form has them."""
    flat = [dict(_leaves(entry, catalog)) for entry in entries]
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


def _leaves(entry: msgspec.Struct, catalog: Catalog | None) -> Iterator[tuple[str, _Leaf]]:
    for detail in details_of(entry, catalog=catalog):
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
    if isinstance(value, int | Quantity):
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
    """The number of figures that differ, as a sentence."""
    differing = sum(line.differs for line in lines)
    return tr("{differing} of {total} figures differ.").format(differing=differing, total=len(lines))
