"""Entries of one kind of the catalogue as a table model, filtered by text, vendor, kind, memory and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt

from gpuplanner_gui.desktop.views.catalog_columns import COLUMNS, Entry, EntryColumn, cell_text
from gpuplanner_gui.desktop.views.indexed_table import LEFT, RIGHT, Index, IndexedTableModel
from gpuplanner_gui.domain.catalog import Catalog, CatalogKind
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.drawing.language import tr


@dataclass(frozen=True)
class CatalogFilter:
    """What an entry must have; empty or zero: anything."""

    words: tuple[str, ...] = ()
    vendor: str = ""
    kind: str = ""
    memory_bytes: float = 0.0
    precision: str = ""


class CatalogModel(IndexedTableModel):
    """All entries of a kind; texts and keys are made once for a catalogue."""

    def __init__(self, kind: CatalogKind) -> None:
        super().__init__()
        self.kind = kind
        self.columns: tuple[EntryColumn, ...] = COLUMNS[kind]
        self.entries: list[Entry] = []
        self._texts: list[list[str]] = []
        self._keys: list[NDArray[Any]] = []
        self._haystacks: list[str] = []
        self._filter = CatalogFilter()

    def show_catalog(self, catalog: Catalog) -> None:
        self.entries = list(catalog.entries(self.kind).values())
        self._texts = [[cell_text(column, entry, catalog) for column in self.columns] for entry in self.entries]
        self._keys = [_keys(column, self.entries, catalog) for column in self.columns]
        self._haystacks = [
            f"{entry.id} {' '.join(texts)}".casefold() for entry, texts in zip(self.entries, self._texts)
        ]
        self.refresh()

    def set_filter(self, wanted: CatalogFilter) -> None:
        if wanted != self._filter:
            self._filter = wanted
            self.refresh()

    def values_of(self, attribute: str) -> list[str]:
        """Different values of a text attribute, for a filter's choices."""
        found = {str(getattr(entry, attribute)) for entry in self.entries if hasattr(entry, attribute)}
        return sorted(found, key=str.casefold)

    def source_order(self) -> NDArray[np.int64]:
        return np.arange(len(self.entries), dtype=np.int64)

    def sort_keys(self, column: int) -> NDArray[Any]:
        return self._keys[column] if self._keys else np.zeros(0)

    def shown_mask(self) -> NDArray[np.bool_] | None:
        if self._filter == CatalogFilter():
            return None
        return np.array([self._passes(place) for place in range(len(self.entries))], dtype=bool)

    def _passes(self, place: int) -> bool:
        entry, wanted = self.entries[place], self._filter
        if not all(word in self._haystacks[place] for word in wanted.words):
            return False
        if wanted.vendor and getattr(entry, "vendor", getattr(entry, "provider", "")) != wanted.vendor:
            return False
        if wanted.kind and getattr(entry, "kind", "") != wanted.kind:
            return False
        if isinstance(entry, Accelerator):
            if entry.memory_bytes < wanted.memory_bytes:
                return False
            return not wanted.precision or entry.supports(wanted.precision)
        return True

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(self.columns[section].title)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if self.columns[section].unit is None else RIGHT
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._texts[self.source_at(index.row())][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if self.columns[index.column()].unit is None else RIGHT
        return None


def _keys(column: EntryColumn, entries: list[Entry], catalog: Catalog) -> NDArray[Any]:
    values = [column.value(entry, catalog) for entry in entries]
    if column.unit is None:
        return np.array(["" if value is None else str(value).casefold() for value in values], dtype=str)
    return np.array([np.nan if value is None else float(value) for value in values], dtype=np.float64)
