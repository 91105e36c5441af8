"""How a candidate's row is painted: a mark and letter for its limit, a reason across the cells that have no number."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from gpuplanner_gui.desktop.views.candidate_model import CandidateModel
from gpuplanner_gui.desktop.views.result_view import theme_of
from gpuplanner_gui.drawing.palette import resource_colour

PADDING = 8
MARK = 10
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight

AnyIndex = QModelIndex | QPersistentModelIndex


class CandidateDelegate(QStyledItemDelegate):
    """Paints each cell's share of what spans several, so that no cell needs to be merged."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        model = index.model()
        if not isinstance(model, CandidateModel):
            super().paint(painter, option, index)
            return
        column = model.columns[index.column()]
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        candidate = model.source_at(index.row())
        can_run = model.runs_at(candidate)
        cell: QRect = option.rect
        painter.save()
        painter.setClipRect(cell)
        if is_selected:
            painter.fillRect(cell, option.palette.highlight())
        painter.setPen(self._ink(option.palette, is_selected, can_run))
        painter.setFont(self._view.font())
        if not can_run and column.is_result:
            whole = self._span(cell, model).adjusted(PADDING, 0, -PADDING, 0)
            painter.drawText(whole, _LEFT, model.reason_at(candidate))
        else:
            limit = model.limit_at(candidate) if column.is_limit else -1
            self._paint_text(painter, cell, model.text_at(index.column(), candidate), column.is_number, limit)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.drawRect(cell.adjusted(1, 1, -2, -2))
        painter.restore()

    def _ink(self, palette: QPalette, is_selected: bool, can_run: bool) -> QColor:
        if is_selected:
            return palette.highlightedText().color()
        return palette.text().color() if can_run else QColor(theme_of(self._view).muted)

    def _paint_text(self, painter: QPainter, cell: QRect, text: str, is_number: bool, limit: int) -> None:
        inside = cell.adjusted(PADDING, 0, -PADDING, 0)
        if limit >= 0:
            mark = QRect(inside.left(), cell.center().y() - MARK // 2 + 1, MARK, MARK)
            painter.fillRect(mark, QColor(resource_colour(limit, theme_of(self._view))))
            inside = inside.adjusted(MARK + 6, 0, 0, 0)
        if not is_number:
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, _RIGHT if is_number else _LEFT, text)

    def _span(self, cell: QRect, model: CandidateModel) -> QRect:
        """The rectangle over all result cells of the row."""
        header = self._view.horizontalHeader()
        results = [place for place, described in enumerate(model.columns) if described.is_result]
        lefts = [header.sectionViewportPosition(place) for place in results]
        left = min(lefts)
        right = max(edge + header.sectionSize(place) for edge, place in zip(lefts, results))
        return QRect(left, cell.top(), right - left, cell.height())

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width() + 2 * PADDING, 24)
