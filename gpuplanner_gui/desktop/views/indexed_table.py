"""A table over arrays or entries, sorted and filtered by a permutation of indices: 10,000 rows stay quick.

A proxy model would ask Python for every cell; here a sort is one `argsort` of keys and a filter one mask.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal

Index = QModelIndex | QPersistentModelIndex
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class IndexedTableModel(QAbstractTableModel):
    """Rows on screen point into a source; everything outside speaks of source indices."""

    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._shown: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._sort_column = -1
        self._is_descending = False

    def source_order(self) -> NDArray[np.int64]:
        """All source indices in their own order."""
        raise NotImplementedError

    def sort_keys(self, column: int) -> NDArray[Any]:
        """A number or text for each source index; NaN and empty text come last in either direction."""
        raise NotImplementedError

    def shown_mask(self) -> NDArray[np.bool_] | None:
        """Which source indices pass the filters; None: all."""
        return None

    def refresh(self) -> None:
        """Sort and filter again; the views forget their selection."""
        self.beginResetModel()
        self._shown = self._arranged()
        self.endResetModel()
        self.rows_changed.emit()

    def refresh_in_place(self) -> None:
        """As `refresh`, but of as many rows as before only what they say is new: heads and selection stay."""
        shown = self._arranged()
        if len(shown) != len(self._shown) or not len(shown):
            self.refresh()
            return
        self._shown = shown
        self.dataChanged.emit(self.index(0, 0), self.index(len(shown) - 1, self.columnCount() - 1))
        self.rows_changed.emit()

    def _arranged(self) -> NDArray[np.int64]:
        order = self.source_order()
        if self._sort_column >= 0 and len(order):
            order = self._sorted(order, self.sort_keys(self._sort_column))
        mask = self.shown_mask()
        return order if mask is None else order[mask[order]]

    def _sorted(self, order: NDArray[np.int64], keys: NDArray[Any]) -> NDArray[np.int64]:
        """Stable, so that equal rows keep the order of the plan."""
        in_order = keys[order]
        missing = np.isnan(in_order) if in_order.dtype.kind == "f" else in_order == ""
        known, unknown = order[~missing], order[missing]
        values = in_order[~missing]
        if self._is_descending:
            ranks = np.unique(values, return_inverse=True)[1]
            return np.concatenate([known[np.argsort(-ranks, kind="stable")], unknown])
        return np.concatenate([known[np.argsort(values, kind="stable")], unknown])

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sort_column, self._is_descending = column, order == Qt.SortOrder.DescendingOrder
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        sources = [self.source_at(index.row()) for index in before]
        self._shown = self._arranged()
        after = [self.index(self.row_of(source), index.column()) for source, index in zip(sources, before)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        self.rows_changed.emit()

    def source_at(self, row: int) -> int:
        """Source index of a row on screen; -1 beyond the rows."""
        return int(self._shown[row]) if 0 <= row < len(self._shown) else -1

    def row_of(self, source: int) -> int:
        """Row on screen of a source index; -1 where it is filtered out."""
        found = np.flatnonzero(self._shown == source)
        return int(found[0]) if len(found) else -1

    def shown_sources(self) -> NDArray[np.int64]:
        return self._shown

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        return 0 if parent.isValid() else len(self._shown)
