"""The table of candidates as a widget: whole rows painted at once, a reason across the cells that have no number.

A delegate would be asked cell by cell, through a style option that Python builds anew each time; painting the visible
rows directly takes a quarter of that. Selection, scrolling, editing and accessibility are those of QTableView.
"""

from __future__ import annotations

from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gpuplanner_gui.desktop.pages.candidate_model import RankedModel
from gpuplanner_gui.desktop.pages.result_view import theme_of
from gpuplanner_gui.desktop.widgets.tables import AskingTable, SortHeader, row_height
from gpuplanner_gui.drawing.palette import RESOURCES, RIVAL_SYMBOLS, Theme, resource_colour

PADDING = 8
MARK = 10
PIN, PIN_LINE = 11.0, 1.6
"""Size and line of the mark of a pinned candidate, in pixels."""
MOST_CUT_TEXTS = 2000
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
_DOTS = Qt.TextElideMode.ElideRight


class CandidateTable(AskingTable):
    """Shows candidates, or layouts of one."""

    copy_requested = Signal()
    pin_toggled = Signal(int)
    """A candidate that was clicked with Ctrl, or that Space was pressed on."""

    def __init__(self, model: RankedModel, parent: QWidget) -> None:
        self._cut_texts: dict[tuple[str, int], str] = {}
        super().__init__(parent)
        self._candidates = model
        self.pinned: tuple[int, ...] = ()
        """Candidates whose rows carry the mark that they have in plots."""
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(CandidateTable.Shape.NoFrame)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(row_height())
        self.verticalHeader().setMinimumSectionSize(row_height())
        header = SortHeader(self)
        self.setHorizontalHeader(header)
        header.setStretchLastSection(True)
        header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
        header.setSectionsMovable(True)
        self.setSortingEnabled(True)

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

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        palette, theme = self.palette(), theme_of(self)
        columns = self._visible_columns()
        span = self._result_span()
        chosen = self.selectionModel()
        row = max(self.rowAt(event.rect().top()), 0)
        while row < self._candidates.rowCount():
            top = self.rowViewportPosition(row)
            if top > event.rect().bottom():
                break
            place = QRect(0, top, self.viewport().width(), self.rowHeight(row))
            is_selected = chosen.isRowSelected(row)
            self._paint_ground(painter, place, palette, row, is_selected)
            self._paint_row(painter, place, row, columns, span, self._inks(palette, theme, is_selected), theme)
            row += 1
        self._paint_focus(painter, palette)
        painter.end()

    def _visible_columns(self) -> list[tuple[int, int, int]]:
        """Logical column, left edge and width of what is on screen."""
        header, width = self.horizontalHeader(), self.viewport().width()
        edges = [
            (place, header.sectionViewportPosition(place), header.sectionSize(place))
            for place in range(header.count())
            if not header.isSectionHidden(place)
        ]
        return [(place, left, size) for place, left, size in edges if left < width and left + size > 0]

    def _result_span(self) -> tuple[int, int]:
        """Left edge and width over all columns that hold results."""
        header = self.horizontalHeader()
        results = [place for place, column in enumerate(self._candidates.columns) if column.is_result]
        left = min(header.sectionViewportPosition(place) for place in results)
        right = max(header.sectionViewportPosition(place) + header.sectionSize(place) for place in results)
        return left, right - left

    def _paint_ground(self, painter: QPainter, place: QRect, palette: QPalette, row: int, is_selected: bool) -> None:
        if is_selected:
            painter.fillRect(place, palette.highlight())
        elif row % 2:
            painter.fillRect(place, palette.alternateBase())

    def _inks(self, palette: QPalette, theme: Theme, is_selected: bool) -> tuple[QColor, QColor]:
        """Colour of results, and of what cannot run."""
        if is_selected:
            return palette.highlightedText().color(), palette.highlightedText().color()
        return palette.text().color(), QColor(theme.muted)

    def _paint_row(
        self,
        painter: QPainter,
        place: QRect,
        row: int,
        columns: list[tuple[int, int, int]],
        span: tuple[int, int],
        inks: tuple[QColor, QColor],
        theme: Theme,
    ) -> None:
        candidate = self._candidates.source_at(row)
        can_run = self._candidates.runs_at(candidate)
        painter.setPen(inks[0] if can_run else inks[1])
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
                painter.drawText(inside, _LEFT, self._cut(texts[column], inside.width()))
        if not can_run:
            across = QRect(span[0] + PADDING, place.top(), span[1] - 2 * PADDING, place.height())
            painter.drawText(across, _LEFT, self._candidates.reason_at(candidate))

    def _cut(self, text: str, width: int) -> str:
        """The same few names stand in many rows: each is measured once for its width."""
        key = (text, width)
        if key not in self._cut_texts:
            if len(self._cut_texts) >= MOST_CUT_TEXTS:
                self._cut_texts.clear()
            self._cut_texts[key] = self.fontMetrics().elidedText(text, _DOTS, width)
        return self._cut_texts[key]

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._cut_texts.clear()

    def _paint_mark(self, painter: QPainter, inside: QRect, limit: int, theme: Theme) -> QRect:
        """The resource's colour before its letter and name; returns what is left of the cell."""
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

    def _paint_focus(self, painter: QPainter, palette: QPalette) -> None:
        current = self.currentIndex()
        if self.hasFocus() and current.isValid():
            painter.setPen(palette.highlightedText().color())
            painter.drawRect(self.visualRect(current).adjusted(1, 1, -2, -2))
