"""Entries of one kind of the catalogue as a table model, filtered by text, properties, memory and precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont

from gpuplanner_gui.desktop.widgets.tables import IndexedTableModel
from gpuplanner_gui.desktop.widgets.theme import icon
from gpuplanner_gui.domain.catalog import Catalog, CatalogKind, CatalogModel
from gpuplanner_gui.domain.economics import Economics
from gpuplanner_gui.domain.hardware import Accelerator, Link, NodeType
from gpuplanner_gui.domain.price import Offer, PurchasePrice
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.details import confidence_words
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import money_shown, shown_money
from gpuplanner_gui.drawing.units import NOTHING, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.engine.cost.offers import offers_of

MEMORY_STEPS_BYTES = (8e9, 16e9, 24e9, 48e9, 80e9, 141e9, 192e9, 288e9)


@dataclass(frozen=True)
class Facet:
    """A property with few values; `of` reads it from an entry."""

    name: str
    title: str
    of: Callable[[Any], str]
    are_codes: bool = False
    """The values are codes with words of their own."""


def _plain(name: str, title: str, are_codes: bool = False) -> Facet:
    return Facet(name, title, lambda entry: str(getattr(entry, name) or ""), are_codes)


FACETS: dict[CatalogKind, tuple[Facet, ...]] = {
    "accelerators": (
        _plain("vendor", "Vendor"),
        _plain("kind", "Kind", are_codes=True),
        _plain("architecture", "Architecture"),
        _plain("ecosystem", "Software", are_codes=True),
    ),
    "nodes": (_plain("vendor", "Vendor"), _plain("cooling", "Cooling")),
    "links": (_plain("kind", "Kind", are_codes=True),),
    "offers": (
        _plain("provider", "Provider"),
        _plain("market", "Market", are_codes=True),
        _plain("region", "Region"),
    ),
    "models": (Facet("kind", "Kind", lambda entry: str(entry.model.kind), are_codes=True),),
}


Entry = Accelerator | NodeType | Link | Offer | CatalogModel


@dataclass(frozen=True)
class EntryColumn:
    """`value` gives a number in `unit`, a text, or None where the catalogue does not say."""

    title: str
    value: Callable[[Any, Catalog], float | str | None]
    sample: str
    unit: str | None = None
    """None: text."""
    help: str = ""

    @property
    def is_number(self) -> bool:
        return self.unit is not None


def _text(title: str, name: str, sample: str) -> EntryColumn:
    return EntryColumn(title, lambda entry, catalog: str(getattr(entry, name)), sample)


def _number(title: str, name: str, unit: str, sample: str, tip: str = "") -> EntryColumn:
    return EntryColumn(title, lambda entry, catalog: getattr(entry, name), sample, unit, tip)


def _peak(precision: str) -> Callable[[Any, Catalog], float | None]:
    return lambda entry, catalog: entry.peak_flop_per_s(precision)


def _rental(entry: Any, catalog: Catalog) -> float | None:
    """What a plan pays for one device by the hour, at the typical price level."""
    usd = offers_of(catalog).suited(entry, "rent_on_demand", Economics(), 1.0).usd_per_hour
    return usd if math.isfinite(usd) else None


def _purchase(price: PurchasePrice | None) -> float | None:
    return None if price is None else central(price.usd)


def _accelerator(entry: Any, catalog: Catalog) -> str:
    return accelerator_name(entry.accelerator_id, catalog)


def _layers(entry: Any, catalog: Catalog) -> int | None:
    return sum(group.count for group in entry.model.layers) or None


def _confidence(entry: Any, catalog: Catalog) -> str:
    return confidence_words(entry.confidence)


COLUMNS: dict[CatalogKind, tuple[EntryColumn, ...]] = {
    "accelerators": (
        _text("Name", "name", "RTX PRO 6000 Blackwell Max-Q"),
        _text("Vendor", "vendor", "Qualcomm"),
        EntryColumn("Kind", lambda entry, catalog: entry.kind.upper(), "ASIC"),
        _text("Architecture", "architecture", "Ada Lovelace"),
        EntryColumn("Year", lambda entry, _: str(entry.year) if entry.year else None, "2026"),
        _number(
            "Memory", "memory_nominal_bytes", "bytes", "192 GB",
            "As sold. A plan may use what the driver leaves of it: “Memory, usable” in the entry.",
        ),
        _number("Bandwidth", "memory_bandwidth_bytes_per_s", "bytes/s", "8.88 TB/s"),
        EntryColumn("BF16", _peak("bf16"), "888 TFLOP/s", "flop/s"),
        EntryColumn("FP8", _peak("fp8"), "888 TFLOP/s", "flop/s"),
        EntryColumn("FP4", _peak("fp4"), "8.88 PFLOP/s", "flop/s"),
        _number("Power", "tdp_w", "W", "1.20 kW"),
        EntryColumn(
            "Rent, typical", _rental, "$8.88/h", "USD/h",
            "Typical price of an hour on demand. A plan pays the price level under Money, or what you quote.",
        ),
        EntryColumn("Purchase", lambda entry, catalog: _purchase(entry.price), "$88 888", "USD"),
    ),
    "nodes": (
        _text("Name", "name", "HGX H200 8-GPU reference node"),
        _text("Vendor", "vendor", "Supermicro"),
        EntryColumn("Accelerator", _accelerator, "RTX PRO 6000 Blackwell"),
        _number("Accelerators", "accelerator_count", "", "72"),
        EntryColumn("Scale-up", lambda entry, _: entry.scale_up.name if entry.scale_up else None, "NVLink 5 NVSwitch"),
        _number("Scale-out", "scale_out_bytes_per_s", "bytes/s", "400 GB/s"),
        _number("Power", "max_power_w", "W", "14.3 kW"),
        _text("Cooling", "cooling", "liquid"),
        EntryColumn("Purchase", lambda entry, catalog: _purchase(entry.capex), "$350 000", "USD"),
    ),
    "links": (
        _text("Name", "name", "InfiniBand NDR 400 (8 rails)"),
        EntryColumn("Kind", lambda entry, catalog: words_of_choice(entry.kind), "Scale-out"),
        _number("Rate", "bytes_per_s_per_direction", "bytes/s", "888 GB/s"),
        EntryColumn("Latency", lambda entry, catalog: central(entry.hardware_latency_s), "8.88 µs", "s"),
        _number("Point to point", "point_to_point_efficiency", "share", "88 %"),
        _number("Collectives", "collective_efficiency", "share", "88 %"),
    ),
    "offers": (
        _text("Provider", "provider", "CoreWeave"),
        _text("Instance", "instance", "a3-ultragpu-8g"),
        EntryColumn("Accelerator", _accelerator, "RTX PRO 6000 Blackwell"),
        _number("Accelerators", "accelerator_count", "", "8"),
        _text("Region", "region", "us-east-1"),
        _text("Market", "market", "marketplace"),
        _number("On demand", "on_demand_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        _number("1 year", "reserved_1y_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        _number("3 years", "reserved_3y_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        _number("Spot", "spot_usd_per_accelerator_h", "USD/h", "$8.88/h"),
        EntryColumn("As of", lambda entry, catalog: entry.as_of, "2026-10-10"),
        EntryColumn("Kind of source", _confidence, "third party"),
    ),
    "models": (
        _text("Name", "name", "DeepSeek-V3.2-Exp-Base"),
        EntryColumn("Kind", lambda entry, catalog: words_of_choice(entry.model.kind), "Mixture of experts"),
        EntryColumn("Layers", _layers, "128", ""),
        EntryColumn("Hidden size", lambda entry, catalog: entry.model.hidden_size or None, "16 384", ""),
        EntryColumn("Vocabulary", lambda entry, catalog: entry.model.vocab_size or None, "256 000", ""),
        EntryColumn("Context", lambda entry, catalog: entry.model.max_context or None, "131 072", ""),
        EntryColumn("Kind of source", _confidence, "third party"),
        _text("Source", "source", "huggingface.co/organisation/model"),
    ),
}  # fmt: skip


def cell_text(column: EntryColumn, entry: Entry, catalog: Catalog) -> str:
    value = column.value(entry, catalog)
    if value is None or value == "":
        return NOTHING
    return value if isinstance(value, str) else format_value(float(value), column.unit or "")


@dataclass(frozen=True)
class CatalogFilter:
    """A filter of catalogue entries: what an entry must have; empty or zero: anything."""

    words: tuple[str, ...] = ()
    facets: tuple[tuple[str, frozenset[str]], ...] = ()
    """A property's name and the values of it that are let through."""
    memory_bytes: float = 0.0
    precisions: tuple[str, ...] = ()
    """All of them run on it natively."""
    only_own: bool = False


class CatalogTableModel(IndexedTableModel):
    """All entries of a kind; texts and keys are made when they are first needed: few rows are on screen."""

    def __init__(self, kind: CatalogKind) -> None:
        super().__init__()
        self.kind = kind
        self.columns: tuple[EntryColumn, ...] = COLUMNS[kind]
        self.entries: list[Entry] = []
        self.catalog: Catalog | None = None
        self._money = shown_money()
        self._texts: dict[int, list[str]] = {}
        self._keys: dict[int, NDArray[Any]] = {}
        self._facets: dict[str, NDArray[Any]] = {}
        self._memory_bytes: NDArray[np.float64] = np.zeros(0)
        self._is_own: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        self.own_ids: frozenset[str] = frozenset()
        self.pinned: frozenset[str] = frozenset()
        self._filter = CatalogFilter()

    def show_catalog(self, catalog: Catalog, own_ids: frozenset[str] = frozenset()) -> None:
        self.entries = list(catalog.entries(self.kind).values())
        self.own_ids = own_ids & catalog.entries(self.kind).keys()
        self._is_own = np.array([entry.id in self.own_ids for entry in self.entries], dtype=bool)
        self._facets = {
            facet.name: np.array([facet.of(entry) for entry in self.entries], dtype=str) for facet in FACETS[self.kind]
        }
        if self.kind == "accelerators":
            self._memory_bytes = np.array([entry.memory_bytes for entry in self.entries])  # type: ignore[union-attr]
        self.catalog, self._money = catalog, shown_money()
        self._texts, self._keys = {}, {}
        self.refresh()

    def set_filter(self, wanted: CatalogFilter) -> None:
        if wanted != self._filter:
            self._filter = wanted
            self.refresh()

    def show_pinned(self, pinned: frozenset[str]) -> None:
        """Mark the entries that are compared."""
        self.pinned = pinned
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))

    def sample_texts(self, most: int) -> list[list[str]]:
        """Texts of so many entries at most, from all over the catalogue."""
        return [self.texts_of(place) for place in range(0, len(self.entries), len(self.entries) // most + 1)]

    def values_of(self, facet: str) -> list[str]:
        """Different values of a property, for a filter's choices."""
        return sorted({str(value) for value in self._facets.get(facet, ()) if value}, key=str.casefold)

    def row_of_id(self, entry_id: str) -> int:
        """Row on screen of an entry; -1 where it is filtered out or not there."""
        place = next((place for place, entry in enumerate(self.entries) if entry.id == entry_id), -1)
        return self.row_of(place) if place >= 0 else -1

    def source_order(self) -> NDArray[np.int64]:
        return np.arange(len(self.entries), dtype=np.int64)

    def sort_keys(self, column: int) -> NDArray[Any]:
        if self.catalog is None:
            return np.zeros(0)
        if column not in self._keys:
            self._keys[column] = _keys(self.columns[column], self.entries, self.catalog)
        return self._keys[column]

    def shown_mask(self) -> NDArray[np.bool_] | None:
        if self._filter == CatalogFilter():
            return None
        wanted, count = self._filter, len(self.entries)
        mask = np.ones(count, dtype=bool)
        for name, values in wanted.facets:
            mask &= np.isin(self._facets[name], sorted(values))
        if wanted.memory_bytes and self.kind == "accelerators":
            mask &= self._memory_bytes >= wanted.memory_bytes
        if wanted.only_own:
            mask &= self._is_own
        if wanted.words or wanted.precisions:
            for place in np.flatnonzero(mask):
                mask[place] = self._passes(int(place))
        return mask

    def _passes(self, place: int) -> bool:
        entry, wanted = self.entries[place], self._filter
        if wanted.words:
            haystack = f"{entry.id} {' '.join(self.texts_of(place))}".casefold()
            if not all(word in haystack for word in wanted.words):
                return False
        return not isinstance(entry, Accelerator) or all(entry.supports(one) for one in wanted.precisions)

    def texts_of(self, source: int) -> list[str]:
        if source not in self._texts:
            assert self.catalog is not None
            entry = self.entries[source]
            with money_shown(self._money):  # Another window's may be shown at the moment.
                self._texts[source] = [cell_text(column, entry, self.catalog) for column in self.columns]
        return self._texts[source]

    def more_data(self, source: int, column: int, role: int) -> Any:
        return self._mark(self.entries[source], role) if column == 0 else None

    def _mark(self, entry: Entry, role: int) -> Any:
        """A pin for what is compared, a bold name for what is the planner's own; both are said to a screen reader."""
        is_own, is_pinned = entry.id in self.own_ids, entry.id in self.pinned
        if role == Qt.ItemDataRole.DecorationRole and is_pinned:
            return icon("pin")
        if role == Qt.ItemDataRole.FontRole and is_own:
            font = QFont()
            font.setWeight(QFont.Weight.DemiBold)
            return font
        if role in (Qt.ItemDataRole.AccessibleDescriptionRole, Qt.ItemDataRole.ToolTipRole) and (is_own or is_pinned):
            return ", ".join([tr("own entry")] * is_own + [tr("pinned")] * is_pinned)
        return None


def _keys(column: EntryColumn, entries: list[Entry], catalog: Catalog) -> NDArray[Any]:
    values = [column.value(entry, catalog) for entry in entries]
    if column.unit is None:
        return np.array(["" if value is None else str(value).casefold() for value in values], dtype=str)
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
