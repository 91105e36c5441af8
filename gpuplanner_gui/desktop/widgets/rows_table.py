"""Rows of text as a table to read: its model, its widths, "why?" on a cell."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.ask_why import ask_why, ask_why_cell
from gpuplanner_gui.desktop.widgets.labels import in_two_lines
from gpuplanner_gui.desktop.widgets.painted_table import PaintedTable
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING
from gpuplanner_gui.desktop.widgets.table_columns import WrappedColumns
from gpuplanner_gui.desktop.widgets.tables import LEFT, MEASURED_ROWS, RIGHT, Index, copied_text, make_quiet
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.shown_money import money_shown, shown_money
from gpuplanner_gui.drawing.units import NOTHING, format_value

_NUMBER_TEXT = re.compile(r"[-−+<≤≥×]?\s?[^\w\s]?\d[\d\s.,]*(\s?[\w%/²]{1,12}){0,2}(\s\([^()]*\))?")
"""A number as it is written for people: sign, currency, digits, unit, a remark in brackets."""


class RowsModel(QAbstractTableModel):
    """`drawing.rows.Rows` for a view; values keep their display unit."""

    breaks_headings = False
    """Whether headings of several words take two lines, that narrow columns have room for them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = NO_ROWS
        self._alignments: tuple[int, ...] = ()
        self._money = shown_money()
        self._numbers: dict[tuple[int, int], str] = {}
        self._is_dimmed = False

    def set_dimmed(self, is_dimmed: bool) -> None:
        """Grey what is old until the new is there."""
        if is_dimmed != self._is_dimmed:
            self._is_dimmed = is_dimmed
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            if not last.isValid():
                return
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.ForegroundRole])

    def show_rows(self, rows: Rows) -> None:
        self.beginResetModel()
        self.rows = rows
        self._alignments = tuple(RIGHT if _holds_numbers(rows, place) else LEFT for place in range(len(rows.columns)))
        self._money = shown_money()
        self._numbers = {}
        self.endResetModel()

    def is_number_column(self, column: int) -> bool:
        return self._alignments[column] == RIGHT

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        return 0 if parent.isValid() else len(self.rows.cells)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignments[section]
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        title = self.rows.columns[section].title
        return in_two_lines(title) if self.breaks_headings else title

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text_of(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignments[index.column()]
        if role == Qt.ItemDataRole.ForegroundRole and self._is_dimmed:
            return QGuiApplication.palette().color(QPalette.ColorRole.PlaceholderText)
        return None

    def text_of(self, row: int, column: int) -> str:
        """A cell in words; numbers are put into them once, as a table is painted often."""
        cell = self.rows.cells[row][column]
        if cell is None or isinstance(cell, str):
            return NOTHING if cell is None else cell
        if (row, column) not in self._numbers:
            with money_shown(self._money):
                self._numbers[row, column] = format_value(cell, self.rows.columns[column].unit)
        return self._numbers[row, column]


def _holds_numbers(rows: Rows, column: int) -> bool:
    """Whether a column has numbers alone, be they written out or not: they stand under each other at the right."""
    cells = [row[column] for row in rows.cells if row[column] not in (None, "", NOTHING)]
    return bool(cells) and all(not isinstance(cell, str) or _NUMBER_TEXT.fullmatch(cell) for cell in cells)


class AskingTable(PaintedTable):
    """A table whose current cell is asked "why?" by F4, ahead of the window's key for the whole page."""

    cell_asked = Signal(QModelIndex)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._is_asked(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._is_asked(event):
            self.cell_asked.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _is_asked(self, event: QKeyEvent) -> bool:
        is_key = event.key() == Qt.Key.Key_F4 and event.modifiers() == Qt.KeyboardModifier.NoModifier
        return is_key and self.hasFocus() and bool(self.currentIndex().data())


class RowsTable(AskingTable):
    """`Rows` to read, of a model of its own unless another is given; `name` is what a screen reader says of it."""

    def __init__(
        self, name: str, parent: QWidget | None = None, rows_model: RowsModel | None = None, fits: bool = False
    ) -> None:
        """`fits`: columns stay as wide as their contents, and no line is wrapped."""
        super().__init__(parent)
        self.rows_model = RowsModel() if rows_model is None else rows_model
        self.setModel(self.rows_model)
        self.setAccessibleName(name)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        make_quiet(self)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self.cell_asked.connect(lambda index: ask_why_cell(self, str(index.data())))
        if fits:
            self.setWordWrap(False)
            self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def show_rows(self, rows: Rows) -> bool:
        """Show these; whether they are others than before."""
        is_new = rows != self.rows_model.rows
        if is_new:
            self.rows_model.show_rows(rows)
        return is_new

    def sizeHintForColumn(self, column: int) -> int:
        """Pixels of the widest cell; a delegate would ask the model ten times for each, through C++ and back."""
        rows = range(min(len(self.rows_model.rows.cells), MEASURED_ROWS))
        width = self.fontMetrics().horizontalAdvance
        texts = (self.rows_model.text_of(row, column) for row in rows)
        return max((width(line) for text in texts for line in text.split("\n")), default=0) + 2 * CELL_PADDING + 1

    def wrap(self, *titles: str) -> None:
        """Give these columns the room that is left, wrap their texts, and be as high as all rows."""
        columns = [one.title for one in self.rows_model.rows.columns]
        wrapped = self.findChild(WrappedColumns) or WrappedColumns(self, self.show_whole)
        wrapped.wrap(tuple(columns.index(title) for title in titles))

    def show_whole(self) -> None:
        """Make the table as high as its rows, so that the page scrolls instead of the table."""
        bar = self.horizontalScrollBar()
        below = bar.sizeHint().height() if self.horizontalHeader().length() > self.width() else 0
        self.setFixedHeight(self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + below + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self._copy_selected()
        else:
            super().keyPressEvent(event)

    def _copy_selected(self) -> None:
        """Put what is selected on the clipboard, under the headings of its columns unless it is one cell."""
        chosen = [(one.row(), one.column()) for one in self.selectedIndexes() if not self.isColumnHidden(one.column())]
        rows, columns = (sorted(set(places)) for places in zip(*chosen, strict=True)) if chosen else ([], [])
        if chosen:
            QGuiApplication.clipboard().setText(copied_text(self.rows_model, rows, columns, len(chosen) > 1))

    def _show_menu(self, place: QPoint) -> None:
        """Why the number in a cell is what it is, and what is selected for the clipboard."""
        index = self.indexAt(place)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        text = str(index.data() or "") if index.isValid() else ""
        menu.addAction(
            tr("Why this number?") if text else tr("Why these numbers?"),
            lambda: (ask_why_cell if text else ask_why)(self, text),
        )
        if text:
            if not self.selectionModel().isSelected(index):
                self.setCurrentIndex(index)
            menu.addAction(tr("&Copy"), self._copy_selected)
        menu.popup(self.viewport().mapToGlobal(place))
