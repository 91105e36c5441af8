"""The sort mark of a table: beside the words of its heading, which it neither covers nor cuts."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.candidate_table import CandidateTable
from gpuplanner_gui.desktop.pages.candidates import CandidatesView
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING
from gpuplanner_gui.desktop.widgets.tables import SortHeader
from gpuplanner_gui.drawing.results import Results

ACCELERATOR = 1


@pytest.fixture
def table(shown: Callable[[QWidget], None], results: Results) -> CandidateTable:
    view = CandidatesView()
    shown(view)
    view.show_results(results)
    return next(one for one in view.findChildren(CandidateTable) if one.isVisible())


def header_of(table: CandidateTable) -> SortHeader:
    header = table.horizontalHeader()
    assert isinstance(header, SortHeader)
    return header


def section(table: CandidateTable, column: int) -> QRect:
    header = header_of(table)
    return QRect(header.sectionViewportPosition(column), 0, header.sectionSize(column), header.height())


def words_place(table: CandidateTable, column: int) -> QRect:
    """Where the words of a heading stand; numbers stand right."""
    place, header = section(table, column), header_of(table)
    words = table.model().headerData(column, Qt.Orientation.Horizontal)
    width = header.fontMetrics().horizontalAdvance(words)
    is_right = column != ACCELERATOR
    left = place.right() + 1 - CELL_PADDING - width if is_right else place.left() + CELL_PADDING
    return QRect(left, place.top(), width, place.height())


def sort_by_click(qtbot: QtBot, table: CandidateTable, column: int) -> None:
    qtbot.mouseClick(header_of(table).viewport(), Qt.MouseButton.LeftButton, pos=section(table, column).center())


def painted(table: CandidateTable, place: QRect) -> QImage:
    """The headings, with no mouse over any of them."""
    return header_of(table).grab(place).toImage()


def first_with(table: CandidateTable, word: str) -> int:
    titles = [
        str(table.model().headerData(one, Qt.Orientation.Horizontal)) for one in range(table.model().columnCount())
    ]
    return next(place for place, title in enumerate(titles) if word in title)


@pytest.mark.parametrize("word", ["Accelerator", "month", "#"])
def test_a_click_sorts_and_marks_the_column_beside_its_words(qtbot: QtBot, table: CandidateTable, word: str) -> None:
    column, other = first_with(table, word), first_with(table, "TTFT")
    sort_by_click(qtbot, table, other)
    header = header_of(table)
    place = header.mark_place(section(table, column), column).toAlignedRect()
    unmarked, words = painted(table, place), painted(table, words_place(table, column))
    sort_by_click(qtbot, table, column)
    qtbot.mouseMove(table.viewport(), QPoint(5, 40))
    assert header.sortIndicatorSection() == column
    assert painted(table, place) != unmarked
    assert painted(table, words_place(table, column)) == words, "the words are as they were"
    assert section(table, column).contains(place)
    assert not words_place(table, column).intersects(place)
    assert abs(place.center().y() - section(table, column).center().y()) <= 1


def test_the_mark_turns_with_the_order(qtbot: QtBot, table: CandidateTable) -> None:
    sort_by_click(qtbot, table, ACCELERATOR)
    place = header_of(table).mark_place(section(table, ACCELERATOR), ACCELERATOR).toAlignedRect()
    rising = painted(table, place)
    sort_by_click(qtbot, table, ACCELERATOR)
    assert painted(table, place) != rising
    sort_by_click(qtbot, table, ACCELERATOR)
    assert painted(table, place) == rising


def test_in_a_narrow_column_the_mark_stays_within(table: CandidateTable) -> None:
    header_of(table).resizeSection(ACCELERATOR, 40)
    narrow = section(table, ACCELERATOR)
    assert narrow.contains(header_of(table).mark_place(narrow, ACCELERATOR).toAlignedRect())
