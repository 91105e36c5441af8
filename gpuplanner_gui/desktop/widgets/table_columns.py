"""Columns of tables: as many as fit stand whole, none is cut at the right edge; long texts share what others leave."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHeaderView, QTableView

from gpuplanner_gui.desktop.widgets.labels import unbroken
from gpuplanner_gui.desktop.widgets.painted_table import CELL_PADDING
from gpuplanner_gui.drawing.plots.pens import scaled


class WholeColumns(QObject):
    """Widens the columns that fit a little, so that the next begins beyond the edge, until a hand changes a width."""

    def __init__(self, table: QTableView) -> None:
        super().__init__(table)
        self._table = table
        self._least: list[int] = []
        self._is_fitting = False
        table.viewport().installEventFilter(self)
        table.horizontalHeader().sectionResized.connect(self._on_resized)

    def set_least(self, widths: list[int]) -> None:
        """Take the widths in pixels that headings and texts need, by column."""
        self._least = widths
        self.fit()

    def fit(self) -> None:
        """Widen what fits; where all columns do, they keep the widths that they need."""
        header = self._table.horizontalHeader()
        if len(self._least) != header.count():
            return
        places = [header.logicalIndex(place) for place in range(header.count())]
        shown = [place for place in places if not header.isSectionHidden(place)]
        room = self._table.viewport().width()
        ends = list(accumulate(self._least[place] for place in shown))
        whole = sum(end <= room for end in ends)
        more, left = divmod(room - ends[whole - 1], whole) if 0 < whole < len(shown) else (0, 0)
        self._is_fitting = True
        for nth, place in enumerate(shown):
            header.resizeSection(place, self._least[place] + (more + (nth < left) if nth < whole else 0))
        self._is_fitting = False

    def _on_resized(self) -> None:
        """Leave the widths alone from now on, if a hand is at the header; columns are also hidden and stretched."""
        if not self._is_fitting and QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            self._least = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)


LEAST_WRAPPED = 130
"""Pixels of a wrapped column at the usual size of type, if its contents need as many."""
COMFORTABLE = 1.5
"""Width of wrapped columns over their least, in a table that is wider than the page even with the least."""
MOST_HEIGHT = 10_000
"""Pixels that no text is higher than."""
ROW_PADDING = 10
"""Pixels that a row of several lines gets above and below them together."""


class WrappedColumns(QObject):
    """Gives wrapped columns room by the lengths of their texts, and each row the height of its lines."""

    def __init__(self, table: QTableView, then: Callable[[], None]) -> None:
        """`then` follows when rows have other heights."""
        super().__init__(table)
        self._table, self._then = table, then
        self._wrapped: tuple[int, ...] = ()
        table.setWordWrap(True)
        table.viewport().installEventFilter(self)

    def wrap(self, columns: tuple[int, ...]) -> None:
        """Wrap these columns; those in which nothing stands are hidden, all others as wide as their contents."""
        self._wrapped = columns
        self.fit()

    def fit(self) -> None:
        table, header, model = self._table, self._table.horizontalHeader(), self._table.model()
        if not self._wrapped or not model.rowCount():
            return
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        needed = {}
        for column in range(model.columnCount()):
            is_empty = not any(model.index(row, column).data() for row in range(model.rowCount()))
            table.setColumnHidden(column, is_empty)
            if not is_empty:
                needed[column] = max(table.sizeHintForColumn(column), header.sectionSizeHint(column))
        shown = [column for column in self._wrapped if column in needed]
        room = table.viewport().width() - sum(width for column, width in needed.items() if column not in shown)
        least = round(scaled(LEAST_WRAPPED))
        narrowest = sum(min(needed[column], least) for column in shown)
        # Where the table is scrolled sideways in any case, tall rows would hide what stands below as well.
        room = room if room >= narrowest else round(COMFORTABLE * narrowest)
        needed |= _shared(room, {column: needed[column] for column in shown}, least)
        for column, width in needed.items():
            table.setColumnWidth(column, width)
        least = table.verticalHeader().defaultSectionSize()
        for row in range(model.rowCount()):
            table.setRowHeight(row, max(least, *(text_height(table, row, column) + ROW_PADDING for column in shown)))
        self._then()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self.fit()
        return super().eventFilter(watched, event)


def text_height(table: QTableView, row: int, column: int) -> int:
    """Pixels of a cell's lines, in the room in which they are painted: a size hint of Qt's counts with more."""
    room = QRect(0, 0, max(table.columnWidth(column) - 2 * CELL_PADDING, 1), MOST_HEIGHT)
    text = unbroken(str(table.model().index(row, column).data() or ""))
    return table.fontMetrics().boundingRect(room, int(Qt.TextFlag.TextWordWrap), text).height()


def _shared(room: int, needed: dict[int, int], wrapped: int) -> dict[int, int]:
    """Widths within the room: all that is needed where there is enough, else in proportion above a least width."""
    if sum(needed.values()) <= room:
        return needed
    least = {column: min(width, wrapped) for column, width in needed.items()}
    left, more = max(room - sum(least.values()), 0), sum(needed.values()) - sum(least.values())
    return {column: width + (left * (needed[column] - width) // more if more else 0) for column, width in least.items()}
