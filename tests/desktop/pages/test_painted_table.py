"""A table paints what its model says of each cell, within the cell, and asks the model once for each."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.rows_table import RowsModel, RowsTable
from gpuplanner_gui.drawing.rows import Column, Rows

Role = Qt.ItemDataRole
LONG = "a text that is far too long for the column that it stands in"
ROWS = Rows((Column("Name"), Column("Price", "USD")), (("one", 1.5), (LONG, 2.5), ("", None)))
RED = QColor("#ff0000")


class CountedModel(RowsModel):
    """Counts what it is asked for; the first cell is red and bold."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[tuple[int, int, Role]] = Counter()

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Role.DisplayRole) -> object:
        self.asked[index.row(), index.column(), Role(role)] += 1
        if (index.row(), index.column()) == (0, 0) and role == Role.ForegroundRole:
            return RED
        if (index.row(), index.column()) == (0, 0) and role == Role.FontRole:
            font = QFont()
            font.setWeight(QFont.Weight.Bold)
            return font
        return super().data(index, role)


@pytest.fixture
def table(qtbot: QtBot) -> RowsTable:
    made = RowsTable("Prices", rows_model=CountedModel())
    qtbot.addWidget(made)
    made.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # No cell is framed.
    made.show_rows(ROWS)
    made.resize(300, 200)
    made.horizontalHeader().resizeSection(0, 120)
    made.show()
    qtbot.waitExposed(made)
    return made


def pixels(table: RowsTable, row: int, column: int) -> NDArray[np.uint8]:
    """Red, green and blue of what is painted in a cell."""
    place: QRect = table.visualRect(table.model().index(row, column))
    image = table.viewport().grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)
    whole = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return whole[:, : image.width(), 2::-1].copy()


def ink(cell: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Where something is painted over the ground."""
    return (np.abs(cell.astype(int) - cell[1, 1].astype(int)).sum(axis=2) > 60).any(axis=0)


def test_texts_stand_within_their_cells_numbers_at_the_right_and_long_ones_are_cut(table: RowsTable) -> None:
    name, long, price, nothing = (ink(pixels(table, *cell)) for cell in ((0, 0), (1, 0), (0, 1), (2, 0)))
    assert np.flatnonzero(name)[0] < 12
    assert np.flatnonzero(name)[-1] < 60
    assert not long[:5].any()
    assert not long[-5:].any()
    assert np.flatnonzero(price)[-1] > len(price) - 12
    assert not nothing.any()


def test_the_models_colour_and_typeface_are_painted(table: RowsTable) -> None:
    first = pixels(table, 0, 0).reshape(-1, 3).astype(int)
    assert ((first[:, 0] > 200) & (first[:, 1] < 120) & (first[:, 2] < 120)).any()
    assert not (first.sum(axis=1) < 200).any()


def test_selected_cells_stand_on_the_colour_of_selections(table: RowsTable) -> None:
    index = table.model().index(0, 1)
    table.selectionModel().select(index, QItemSelectionModel.SelectionFlag.Select)
    highlight = table.palette().highlight().color()
    assert tuple(pixels(table, 0, 1)[1, 1]) == (highlight.red(), highlight.green(), highlight.blue())
    assert tuple(pixels(table, 0, 0)[1, 1]) != (highlight.red(), highlight.green(), highlight.blue())


def test_a_high_row_wraps_what_a_low_one_cuts(table: RowsTable) -> None:
    low = pixels(table, 1, 0)
    table.verticalHeader().resizeSection(1, 100)
    high = pixels(table, 1, 0)
    lines = [
        (np.abs(one.astype(int) - one[1, 1].astype(int)).sum(axis=2) > 60).any(axis=1).sum() for one in (low, high)
    ]
    assert lines[1] > 2 * lines[0]


def test_a_cell_is_asked_once_for_each_of_what_is_painted(table: RowsTable) -> None:
    model = table.rows_model
    assert isinstance(model, CountedModel)
    model.asked.clear()
    table.viewport().repaint()
    assert model.asked
    assert max(model.asked.values()) == 1
    assert len({role for *_, role in model.asked}) <= 5


def test_another_type_size_is_measured_anew(table: RowsTable) -> None:
    before = ink(pixels(table, 1, 0))
    font = table.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    table.setFont(font)
    QApplication.sendEvent(table, QEvent(QEvent.Type.FontChange))
    after = ink(pixels(table, 1, 0))
    assert not after[-5:].any()
    assert before.sum() != after.sum()


def test_tab_leaves_a_table_and_arrows_move_within(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    table, behind = RowsTable("Prices", page), QLineEdit(page)
    table.show_rows(ROWS)
    page.show()
    table.setFocus()
    table.setCurrentIndex(table.rows_model.index(0, 0))
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert table.currentIndex() == table.rows_model.index(0, 1)
    qtbot.keyClick(table, Qt.Key.Key_Tab)
    assert page.focusWidget() is behind


def test_copy_takes_all_cells_that_are_selected(qtbot: QtBot) -> None:
    table = RowsTable("Order list")
    qtbot.addWidget(table)
    columns = (Column("Item"), Column("Price", "USD"), Column("Note"))
    table.show_rows(Rows(columns, (("Servers", 68_100.0, "new"), ("Power", 17_000.0, "=1+1"), ("Staff", None, ""))))
    table.resize(600, 300)
    table.show()
    at = [table.visualRect(table.rows_model.index(*place)).center() for place in ((0, 0), (1, 2))]
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at[0])
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, pos=at[1])
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    shown = [" ".join(table.rows_model.text_of(row, 1).split()) for row in (0, 1)]
    headings = ["Item", "Price", "Note"]
    assert copied == [headings, ["Servers", shown[0], "new"], ["Power", shown[1], "'=1+1"]]
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at[0])
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == "Servers"
