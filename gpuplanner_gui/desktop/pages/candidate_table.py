"""The table of candidates as a widget: marks before names, and a reason across the cells that have no number."""

from __future__ import annotations

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gpuplanner_gui.desktop.pages.candidate_model import RankedModel
from gpuplanner_gui.desktop.pages.result_view import theme_of
from gpuplanner_gui.desktop.widgets.painted_table import Cells, Column
from gpuplanner_gui.desktop.widgets.rows_table import AskingTable
from gpuplanner_gui.desktop.widgets.table_columns import WholeColumns
from gpuplanner_gui.desktop.widgets.tables import choose_rows, row_height
from gpuplanner_gui.drawing.palette import RESOURCES, RIVAL_SYMBOLS, Theme, resource_colour
from gpuplanner_gui.drawing.words.candidates import compact_layout

PADDING = 8
MARK = 10
PIN, PIN_LINE = 11.0, 1.6
"""Size and line of the mark of a pinned candidate, in pixels."""
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class CandidateTable(AskingTable):
    """Shows candidates, or layouts of one."""

    copy_requested = Signal()
    pin_toggled = Signal(int)
    """A candidate that was clicked with Ctrl, or that Space was pressed on."""

    def __init__(self, model: RankedModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._candidates = model
        self.pinned: tuple[int, ...] = ()
        """Candidates whose rows carry the mark that they have in plots."""
        self.setModel(model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setFrameShape(CandidateTable.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(row_height())
        self.verticalHeader().setMinimumSectionSize(row_height())
        choose_rows(self, sorts=True)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.whole_columns = WholeColumns(self)

    def show_pinned(self, pinned: tuple[int, ...]) -> None:
        if pinned != self.pinned:
            self.pinned = pinned
            self.viewport().update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        is_pin = event.modifiers() == Qt.KeyboardModifier.ControlModifier and self._candidates.can_be_pinned
        if is_pin and event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self.pin_toggled.emit(self._candidates.source_at(index.row()))
        else:
            super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.currentIndex()
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif event.key() == Qt.Key.Key_Space and current.isValid() and self._candidates.can_be_pinned:
            self.pin_toggled.emit(self._candidates.source_at(current.row()))
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters look for nothing: Qt would read all 27,000 rows for each, over a second; there is the filter."""

    def _result_span(self) -> tuple[int, int]:
        """Left edge and width over all columns that hold results."""
        header = self.horizontalHeader()
        results = [place for place, column in enumerate(self._candidates.columns) if column.is_result]
        left = min(header.sectionViewportPosition(place) for place in results)
        right = max(header.sectionViewportPosition(place) + header.sectionSize(place) for place in results)
        return left, right - left

    def _ink_of(self, is_rival: bool, theme: Theme, is_chosen: bool) -> QColor:
        if is_chosen:
            return self.palette().highlightedText().color()
        return self.palette().text().color() if is_rival else QColor(theme.muted)

    def cut(self, text: str, width: int) -> str:
        """A layout without room is written closer before any of it is left out."""
        whole = super().cut(text, width)
        return whole if whole == text else super().cut(compact_layout(text), width)

    def paint_row(self, painter: QPainter, place: QRect, row: int, columns: list[Column], chosen: list[Cells]) -> None:
        if chosen:
            painter.fillRect(place, self.palette().highlight())
        candidate, theme = self._candidates.source_at(row), theme_of(self)
        can_run = self._candidates.runs_at(candidate)
        painter.setPen(self._ink_of(self._candidates.is_rival_at(candidate), theme, bool(chosen)))
        texts = self._candidates.texts_of(candidate)
        for column, left, width in columns:
            described = self._candidates.columns[column]
            if described.is_result and not can_run:
                continue
            inside = QRect(left + PADDING, place.top(), width - 2 * PADDING, place.height())
            if column == 0 and candidate in self.pinned:
                self._paint_pin(painter, inside, self.pinned.index(candidate), theme)
            if described.is_limit:
                inside = self._paint_mark(painter, inside, self._candidates.limit_at(candidate), theme)
            if described.is_number:
                painter.drawText(inside, _RIGHT, texts[column])
            else:
                painter.drawText(inside, _LEFT, self.cut(texts[column], inside.width()))
        if not can_run:
            left, width = self._result_span()
            across = QRect(left + PADDING, place.top(), width - 2 * PADDING, place.height())
            painter.drawText(across, _LEFT, self._candidates.reason_at(candidate))

    def _paint_mark(self, painter: QPainter, inside: QRect, limit: int, theme: Theme) -> QRect:
        """The resource's colour before its name; returns what is left of the cell."""
        if limit not in RESOURCES:
            return inside
        mark = QRect(inside.left(), inside.center().y() - MARK // 2 + 1, MARK, MARK)
        painter.fillRect(mark, QColor(resource_colour(limit, theme)))
        if painter.pen().color() == self.palette().highlightedText().color():
            # In the selected row, whose ground may be of the same colour.
            painter.drawRect(mark.adjusted(-1, -1, 0, 0))
        return inside.adjusted(MARK + 6, 0, 0, 0)

    def _paint_pin(self, painter: QPainter, inside: QRect, mark: int, theme: Theme) -> None:
        """The mark that plots draw the candidate with, before its rank."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(inside.left() + MARK / 2, inside.center().y() + 0.5)
        painter.scale(PIN, PIN)
        outline = QPen(QColor(theme.rivals[mark]), PIN_LINE / PIN)
        if painter.pen().color() == self.palette().highlightedText().color():
            outline.setColor(painter.pen().color())
        painter.setPen(outline)
        painter.drawPath(Symbols[RIVAL_SYMBOLS[mark]])
        painter.restore()

    def paint_focus(self, painter: QPainter, cell: QRect) -> None:
        painter.setPen(self.palette().highlightedText().color())
        painter.drawRect(cell.adjusted(1, 1, -2, -2))
