"""A plot's numbers as a table that can be read, sorted by eye and copied."""

from __future__ import annotations

import re
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QAbstractItemView, QMenu, QTableView, QWidget

from gpuplanner_gui.desktop.views.table_style import make_quiet
from gpuplanner_gui.desktop.views.why import ask_why
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.shown_money import money_shown, shown_money
from gpuplanner_gui.drawing.units import NOTHING, format_value

Index = QModelIndex | QPersistentModelIndex
LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_NUMBER_TEXT = re.compile(r"[-−+<≤≥×]?\s?[^\w\s]?\d[\d\s.,]*(\s?[\w%/²]{1,12})?")
"""A number as it is written for people: sign, currency, digits, unit."""


class RowsModel(QAbstractTableModel):
    """`drawing.rows.Rows` for a view; values keep their display unit."""

    def __init__(self) -> None:
        super().__init__()
        self.rows = NO_ROWS
        self._alignments: tuple[int, ...] = ()
        self._money = shown_money()
        self._is_dimmed = False

    def set_dimmed(self, is_dimmed: bool) -> None:
        """Grey what is old until the new is there."""
        if is_dimmed != self._is_dimmed:
            self._is_dimmed = is_dimmed
            last = self.index(self.rowCount() - 1, self.columnCount() - 1)
            self.dataChanged.emit(self.index(0, 0), last, [Qt.ItemDataRole.ForegroundRole])

    def show_rows(self, rows: Rows) -> None:
        self.beginResetModel()
        self.rows = rows
        self._alignments = tuple(RIGHT if _holds_numbers(rows, place) else LEFT for place in range(len(rows.columns)))
        self._money = shown_money()
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
        return self.rows.columns[section].title if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self.rows.cells[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            if cell is None:
                return NOTHING
            if isinstance(cell, str):
                return cell
            with money_shown(self._money):
                return format_value(cell, self.rows.columns[index.column()].unit)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignments[index.column()]
        if role == Qt.ItemDataRole.ForegroundRole and self._is_dimmed:
            return QGuiApplication.palette().color(QPalette.ColorRole.PlaceholderText)
        return None


def _holds_numbers(rows: Rows, column: int) -> bool:
    """Whether a column has numbers alone, be they written out or not: they stand under each other at the right."""
    cells = [row[column] for row in rows.cells if row[column] not in (None, "", NOTHING)]
    return bool(cells) and all(not isinstance(cell, str) or _NUMBER_TEXT.fullmatch(cell) for cell in cells)


def rows_table(model: RowsModel, parent: QWidget | None = None) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(tr("Numbers of the plot"))
    table.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
    make_quiet(table)
    table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    table.customContextMenuRequested.connect(lambda place: _show_menu(table, place))
    return table


def show_whole(table: QTableView) -> None:
    """As high as all of its rows: the page that it stands on scrolls, and nothing within it."""
    bar = table.horizontalScrollBar()
    below = bar.sizeHint().height() if table.horizontalHeader().length() > table.width() else 0
    table.setFixedHeight(table.horizontalHeader().sizeHint().height() + table.verticalHeader().length() + below + 2)


def _show_menu(table: QTableView, place: QPoint) -> None:
    """Why the number in a cell is what it is, and the cell for the clipboard."""
    index = table.indexAt(place)
    menu = QMenu(table)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    text = str(index.data() or "") if index.isValid() else ""
    menu.addAction(tr("Why this number?") if text else tr("Why these numbers?"), lambda: ask_why(table, text))
    if text:
        menu.addAction(tr("&Copy"), lambda: QGuiApplication.clipboard().setText(text))
    menu.popup(table.viewport().mapToGlobal(place))
