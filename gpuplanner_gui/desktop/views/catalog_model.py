"""Entries of one kind of the catalogue as a table model, filtered by text, properties, memory and precision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QFont

from gpuplanner_gui.desktop.icons import icon
from gpuplanner_gui.desktop.views.catalog_columns import COLUMNS, Entry, EntryColumn, cell_text
from gpuplanner_gui.desktop.views.catalog_facets import FACETS
from gpuplanner_gui.desktop.views.indexed_table import LEFT, RIGHT, Index, IndexedTableModel
from gpuplanner_gui.domain.catalog import Catalog, CatalogKind
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.drawing.language import tr


@dataclass(frozen=True)
class CatalogFilter:
    """What an entry must have; empty or zero: anything."""

    words: tuple[str, ...] = ()
    facets: tuple[tuple[str, frozenset[str]], ...] = ()
    """A property's name and the values of it that are let through."""
    memory_bytes: float = 0.0
    precisions: tuple[str, ...] = ()
    """All of them run on it natively."""
    only_own: bool = False


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

    def show_pinned(self, pinned: frozenset[str]) -> None:
        """Mark the entries that are compared."""
        self.pinned = pinned
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))

    def sample_texts(self, most: int) -> list[list[str]]:
        """Texts of so many entries at most, from all over the catalogue."""
        return self._texts[:: len(self._texts) // most + 1]

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
        return self._keys[column] if self._keys else np.zeros(0)

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
        if not all(word in self._haystacks[place] for word in wanted.words):
            return False
        return not isinstance(entry, Accelerator) or all(entry.supports(one) for one in wanted.precisions)

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
        if index.column() == 0:
            return self._mark(self.entries[self.source_at(index.row())], role)
        return None

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
