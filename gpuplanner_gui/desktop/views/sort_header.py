"""Headings of a table that is sorted by a click: the mark stands beside the words, at half their height."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import QHeaderView, QStyleOptionHeader, QTableView

from gpuplanner_gui.desktop.style_rules import CELL_PADDING
from gpuplanner_gui.drawing.plots.type_size import scaled

MARK_WIDTH, MARK_HEIGHT, LINE, GAP = 6.0, 3.0, 1.4, 5.0
"""In pixels, at the usual size of type; the gap is that to the words."""
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
        """Where the mark stands in a heading; at its edge where the words leave no room."""
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
