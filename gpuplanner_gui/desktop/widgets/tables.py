"""What all tables share: style, heads that sort, models over columns of arrays and over rows of text.

A proxy model would ask Python for every cell; `IndexedTableModel` sorts by one `argsort` of keys and filters by one
mask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QLocale,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
)

from gpuplanner_gui.desktop.widgets.labels import plain_tool_tip, unbroken
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.rows import tabbed_text
from gpuplanner_gui.drawing.shown_money import local_sign
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.words.glossary import meanings

_ROW_HEIGHT = 24
MEASURED_ROWS = 100
"""Rows that are measured for the width of a column; Qt would measure a thousand."""
_AMOUNT_OR_NUMBER = re.compile(r"(\$?)([\d\s.,]+?)(\s?)(/?[a-zA-Z][\w/]*)?")


def row_height() -> int:
    """Pixels of a line of any table: larger type stands in higher rows."""
    return round(scaled(_ROW_HEIGHT))


def sample_width(metrics: QFontMetrics, sample: str) -> int:
    """Room for a text that is as wide as most of its column, with its unit in the words of the language."""
    said = _AMOUNT_OR_NUMBER.fullmatch(sample)
    if said is None:
        return metrics.horizontalAdvance(sample)
    sign, number, blank, unit = said.groups()
    return metrics.horizontalAdvance(f"{local_sign(sign)}{number}{blank}{unit_text(unit or '')}")


def make_quiet(table: QTableView) -> None:
    """Neither grid nor frame nor row numbers; every second row shaded; what a cell cuts is in its tool tip.

    Tab leaves the table, as any other field; arrows move within.
    """
    table.setTabKeyNavigation(False)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_height())
    table.horizontalHeader().setHighlightSections(False)
    table.horizontalHeader().setResizeContentsPrecision(MEASURED_ROWS)
    table.setItemDelegate(CutCells(table))


def choose_rows(table: QTableView, *, sorts: bool = False) -> None:
    """Whole rows are chosen, of one line each; it `sorts` by heads that a hand may move."""
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setWordWrap(False)
    if sorts:
        header = SortHeader(table)
        table.setHorizontalHeader(header)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.setSectionsMovable(True)
        table.setSortingEnabled(True)


def copied_text(
    model: QAbstractItemModel, rows: Iterable[int], columns: Sequence[int], with_headings: bool = False
) -> str:
    """Cells as they stand in a table, for the clipboard: rows by lines, tabs between columns."""
    headings = [[str(model.headerData(place, Qt.Orientation.Horizontal)) for place in columns]] if with_headings else []
    cells = [[str(model.index(row, place).data() or "") for place in columns] for row in rows]
    return tabbed_text([*headings, *cells])


class CutCells(QStyledItemDelegate):
    """A cell whose text is cut tells it whole, where its model has no tool tip of its own; units stay with numbers."""

    def displayText(self, value: Any, locale: QLocale | QLocale.Language) -> str:
        return unbroken(super().displayText(value, locale))

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        text = index.data(Qt.ItemDataRole.DisplayRole)
        has_own = bool(index.data(Qt.ItemDataRole.ToolTipRole))
        if event.type() != QEvent.Type.ToolTip or has_own or not isinstance(text, str):
            return super().helpEvent(event, view, option, index)
        is_cut = self.sizeHint(option, index).width() > view.visualRect(index).width()
        QToolTip.showText(event.globalPos(), plain_tool_tip(text) if is_cut else "", view)
        return is_cut


MARK_WIDTH, MARK_HEIGHT, LINE, GAP = 6.0, 3.0, 1.4, 5.0
"""Sizes of the sort mark in pixels at the usual size of type; GAP is the distance to the text."""
EDGE = 2.0


class SortHeader(QHeaderView):
    """Draws its sort mark itself: after a heading that stands left, before one that stands right.

    The style puts it to the edge and takes its width from the words, which are then cut; a style sheet can put it above
    them at best.
    """

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, logical_index: int) -> None:
        super().initStyleOptionForIndex(option, logical_index)
        option.sortIndicator = QStyleOptionHeader.SortIndicator.None_

    def paintSection(self, painter: QPainter, rect: QRect, logical_index: int) -> None:
        super().paintSection(painter, rect, logical_index)
        if self.isSortIndicatorShown() and logical_index == self.sortIndicatorSection():
            self._paint_mark(painter, self.mark_place(rect, logical_index))

    def mark_place(self, section: QRect, logical_index: int) -> QRectF:
        """The place of the sort mark in a heading; at its edge where the text leaves no room."""
        width, height = scaled(MARK_WIDTH), scaled(MARK_HEIGHT)
        words = str(self.model().headerData(logical_index, self.orientation()) or "")
        beside = CELL_PADDING + self.fontMetrics().horizontalAdvance(words) + scaled(GAP)
        farthest = section.width() - width - EDGE
        left = section.left() + min(beside, farthest)
        if self._stands_right(logical_index):
            left = section.right() + 1 - width - min(beside, farthest)
        return QRectF(left, QRectF(section).center().y() - height / 2, width, height)

    def _stands_right(self, logical_index: int) -> bool:
        role = Qt.ItemDataRole.TextAlignmentRole
        alignment = self.model().headerData(logical_index, self.orientation(), role)
        return bool(Qt.AlignmentFlag(alignment or self.defaultAlignment()) & Qt.AlignmentFlag.AlignRight)

    def _paint_mark(self, painter: QPainter, place: QRectF) -> None:
        """A chevron that points up where values rise."""
        is_rising = self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder
        tip, ends = (place.top(), place.bottom()) if is_rising else (place.bottom(), place.top())
        line = QPen(self.palette().color(QPalette.ColorRole.Text), scaled(LINE))
        line.setCapStyle(Qt.PenCapStyle.RoundCap)
        line.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(line)
        middle = QPointF(place.center().x(), tip)
        painter.drawPolyline(QPolygonF([QPointF(place.left(), ends), middle, QPointF(place.right(), ends)]))
        painter.restore()


Index = QModelIndex | QPersistentModelIndex
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)
class TableColumn:
    """A column that says no more of itself than any has to."""

    title: str
    help: str = ""
    is_number: bool = False


class IndexedTableModel(QAbstractTableModel):
    """Rows on screen point into a source; everything outside speaks of source indices."""

    rows_changed = Signal()
    columns: Sequence[Any] = ()
    """Each has a `title`, `help` and `is_number`."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._sort_column = -1
        self._is_descending = False

    def texts_of(self, source: int) -> Sequence[str]:
        """The texts of a whole row."""
        raise NotImplementedError

    def title_of(self, column: Any) -> str:
        return tr(column.title)

    def help_of(self, column: Any) -> str:
        """The help of a column's heading."""
        return tr(column.help)

    def more_data(self, source: int, column: int, role: int) -> Any:
        """Further data of a cell besides text and alignment, such as a tool tip."""
        return None

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title_of(column)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if column.is_number else LEFT
        if role == Qt.ItemDataRole.ToolTipRole:
            told = self.help_of(column) or "\n".join(meanings(self.title_of(column)))
            return plain_tool_tip(told) or None
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        source = self.source_at(index.row()) if index.isValid() else -1
        if source < 0:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.texts_of(source)[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT if self.columns[index.column()].is_number else LEFT
        return self.more_data(source, index.column(), role)

    def source_order(self) -> NDArray[np.int64]:
        """All source indices in their own order."""
        raise NotImplementedError

    def sort_keys(self, column: int) -> NDArray[Any]:
        """A number or text for each source index; NaN and empty text come last in either direction."""
        raise NotImplementedError

    def shown_mask(self) -> NDArray[np.bool_] | None:
        """Mask of the source indices that pass the filters; None: all."""
        return None

    def refresh(self) -> None:
        """Sort and filter again; the views forget their selection."""
        self.beginResetModel()
        self._shown = self._arranged()
        self.endResetModel()
        self.rows_changed.emit()

    def refresh_in_place(self) -> None:
        """Refresh the texts of an unchanged number of rows; headings and selection stay."""
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
