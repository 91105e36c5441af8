"""A table that paints whole rows itself.

A delegate asks the model some ten times for each cell, through C++ into Python and back; painting the visible rows
directly takes a quarter of that. Selection, scrolling, editing, sizes and accessibility are those of QTableView.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QFont, QFontMetrics, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOptionFocusRect, QTableView, QWidget

from gpuplanner_gui.desktop.widgets.labels import unbroken
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING

MOST_CUT_TEXTS = 2000
PICTURE_GAP = 4
Role = Qt.ItemDataRole
Column = tuple[int, int, int]
"""Logical column, left edge and width, in pixels."""
Cells = tuple[int, int, int, int]
"""First and last row, first and last column."""


class PaintedTable(QTableView):
    """Shows what its model says of text, alignment, colour, typeface and picture of each cell."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._cut_texts: dict[tuple[str, int], str] = {}
        super().__init__(parent)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        columns = self._visible_columns()
        width = max((left + size for _, left, size in columns), default=0)
        row, count = self.rowAt(event.rect().top()), self.model().rowCount()
        ranges = self.selectionModel().selection().toList()
        chosen = [(one.top(), one.bottom(), one.left(), one.right()) for one in ranges]
        while 0 <= row < count:
            top = self.rowViewportPosition(row)
            if top > event.rect().bottom():
                break
            place = QRect(0, top, width, self.rowHeight(row))
            if row % 2 and self.alternatingRowColors():
                painter.fillRect(place, self.palette().alternateBase())
            self.paint_row(painter, place, row, columns, [one for one in chosen if one[0] <= row <= one[1]])
            row += 1
        if self.hasFocus() and self.currentIndex().isValid():
            self.paint_focus(painter, self.visualRect(self.currentIndex()))
        painter.end()

    def paint_row(self, painter: QPainter, place: QRect, row: int, columns: list[Column], chosen: list[Cells]) -> None:
        """Paint the cells of a row over its ground; `chosen` are the selected ranges that it is in."""
        model = self.model()
        for column, left, width in columns:
            is_chosen = any(one[2] <= column <= one[3] for one in chosen)
            cell = QRect(left, place.top(), width, place.height())
            if is_chosen:
                painter.fillRect(cell, self.palette().highlight())
            self._paint_cell(painter, cell.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0), model, row, column, is_chosen)

    def _paint_cell(
        self, painter: QPainter, inside: QRect, model: QAbstractItemModel, row: int, column: int, is_chosen: bool
    ) -> None:
        # Asked in Python: a model's `index` would be asked for its numbers of rows and columns by C++.
        index: QModelIndex = model.createIndex(row, column)
        picture, font = model.data(index, Role.DecorationRole), model.data(index, Role.FontRole)
        if isinstance(picture, QIcon):
            size = self._picture_size()
            at = QRect(inside.left(), inside.center().y() - size.height() // 2, size.width(), size.height())
            picture.paint(painter, at)
            inside = inside.adjusted(size.width() + PICTURE_GAP, 0, 0, 0)
        text = model.data(index, Role.DisplayRole)
        if text is None or text == "":
            return
        painter.setPen(self._ink(model.data(index, Role.ForegroundRole), is_chosen))
        has_font = isinstance(font, QFont)
        if has_font:
            painter.setFont(font.resolve(self.font()))
        stands = int(model.data(index, Role.TextAlignmentRole) or Qt.AlignmentFlag.AlignLeft)
        stands |= 0 if stands & int(Qt.AlignmentFlag.AlignVertical_Mask) else int(Qt.AlignmentFlag.AlignVCenter)
        whole = str(text)
        shown = _cut(whole, inside.width(), painter.fontMetrics()) if has_font else self.cut(whole, inside.width())
        if shown != whole and self.wordWrap() and inside.height() >= 2 * painter.fontMetrics().lineSpacing():
            painter.drawText(inside, stands | int(Qt.TextFlag.TextWordWrap), unbroken(whole))
        else:
            painter.drawText(inside, stands, shown)
        if has_font:
            painter.setFont(self.font())

    def cut(self, text: str, width: int) -> str:
        """A text with dots where it is too wide; the same few stand in many rows, and are measured once for a width."""
        key = (text, width)
        if key not in self._cut_texts:
            if len(self._cut_texts) >= MOST_CUT_TEXTS:
                self._cut_texts.clear()
            self._cut_texts[key] = _cut(text, width, self.fontMetrics())
        return self._cut_texts[key]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._cut_texts.clear()

    def _ink(self, said: Any, is_chosen: bool) -> Any:
        if is_chosen:
            return self.palette().highlightedText().color()
        if said is None:
            return self.palette().text().color()
        return said.color() if isinstance(said, QBrush) else said

    def _picture_size(self) -> QSize:
        side = self.style().pixelMetric(QStyle.PixelMetric.PM_SmallIconSize, None, self)
        return self.iconSize() if self.iconSize().isValid() else QSize(side, side)

    def _visible_columns(self) -> list[Column]:
        """What is on screen, at least in part."""
        header, width = self.horizontalHeader(), self.viewport().width()
        edges = [
            (place, header.sectionViewportPosition(place), header.sectionSize(place))
            for place in range(header.count())
            if not header.isSectionHidden(place)
        ]
        return [(place, left, size) for place, left, size in edges if left < width and left + size > 0]

    def paint_focus(self, painter: QPainter, cell: QRect) -> None:
        """Mark the cell that keys are for, as the style does."""
        option = QStyleOptionFocusRect()
        option.initFrom(self)
        option.rect = cell
        option.state |= QStyle.StateFlag.State_KeyboardFocusChange | QStyle.StateFlag.State_Item
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)


def _cut(text: str, width: int, metrics: QFontMetrics) -> str:
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
