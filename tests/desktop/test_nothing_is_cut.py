"""Every page at several sizes and sizes of type: no words are cut that could not be read in a tool tip."""

from __future__ import annotations

import os
import re

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QRadioButton,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.text_edit import CutLine
from gpuplanner_gui.desktop.pages.candidate_table import PADDING, CandidateTable
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.plots.axes import NameAxis
from gpuplanner_gui.drawing.plots.pens import scaled

SIZES: tuple[tuple[int, int], ...] = ((1366, 768), (900, 600))
if "GPUPLANNER_DEEP" in os.environ:
    SIZES = (*SIZES, (1280, 720), (1920, 1080))
DRAWN_MS = 150
LOOKS = 20
"""At a page, at most: what comes from another thread is laid out a turn after it is there."""
LEAST_PLOT = 380
"""Pixels: in a narrower plot the names of bars may be cut."""
RIGHT_ROLE = Qt.ItemDataRole.TextAlignmentRole
LEAST_PADDING: dict[type[QTableView], int] = {CandidateTable: 2 * PADDING}
"""Pixels of a cell beside its text, which others have few of."""
FRAGMENT = re.compile(r"^\S+…$")
COMBO_ROOM = 24
"""Pixels of a box's frame and arrow."""

pytestmark = pytest.mark.parametrize(
    "window_of_type", [pytest.param(1.0, marks=pytest.mark.deep), 1.5], ids=["usual type", "large type"], indirect=True
)


def cut_words(window: MainWindow) -> list[str]:
    """What stands on screen and can't be read whole, not even by pointing at it."""
    return [f"{type(one).__name__}: {words}" for one in shown(window) if (words := cut_text(one))]


def shown(window: MainWindow) -> list[QWidget]:
    return [one for one in window.findChildren(QWidget) if one.isVisible() and one.window() is window]


def cut_text(widget: QWidget) -> str:
    """The words of a widget that cuts them without telling them; empty where it does not."""
    if isinstance(widget, ElidedLabel):
        if re.search(r"(^|[^\w.])\d+…$", widget.shown_text()) and not widget.text().endswith("…"):
            return widget.shown_text()  # part of a number would be read as another, whatever the tool tip says
        if FRAGMENT.search(widget.shown_text()) and widget.shown_text() != widget.text():
            return widget.shown_text()  # a piece of the first word tells nothing
        return widget.text() if widget.shown_text() != widget.text() and not widget.toolTip() else ""
    if isinstance(widget, PlotView):
        return cut_row_name(widget)
    if isinstance(widget, CutLine):
        return ""  # tells them itself, as its own tests say
    if isinstance(widget, QLabel):
        room = widget.contentsRect().width() - 2 * widget.margin()
        lines = widget.text().splitlines() if not widget.wordWrap() else []
        return next((one for one in lines if widget.fontMetrics().horizontalAdvance(one) > room + 1), "")
    if isinstance(widget, QComboBox):
        room = widget.width() - COMBO_ROOM
        words = widget.currentText()
        is_cut = widget.fontMetrics().horizontalAdvance(words) > room
        return words if is_cut and words not in widget.toolTip() else ""
    if isinstance(widget, QTableView):
        return cut_number(widget)
    if isinstance(widget, (QPushButton, QCheckBox, QRadioButton)):
        return widget.text() if widget.width() < widget.sizeHint().width() and not widget.toolTip() else ""
    return ""


def cut_row_name(view: PlotView) -> str:
    """The name of a bar that is cut at usual type; that of a candidate may lose the end of its layout."""
    names = getattr(view.plot, "names", None)
    shown = [text for ticks in names._tickLevels or () for _, text in ticks] if isinstance(names, NameAxis) else []
    is_small = view.width() < LEAST_PLOT or scaled(1.0) > 1.0
    return next((one for one in shown if "…" in one and "×" not in one and not is_small), "")


def cut_number(table: QTableView) -> str:
    """A number that its column has no room for, among the rows on screen: part of one would be read as another."""
    model, metrics = table.model(), table.fontMetrics()
    first, last = table.rowAt(0), table.rowAt(table.viewport().height() - 1)
    for row in range(max(first, 0), (last if last >= 0 else model.rowCount() - 1) + 1):
        for column in range(model.columnCount()):
            index = model.index(row, column)
            text = str(index.data() or "")
            is_right = bool(Qt.AlignmentFlag(index.data(RIGHT_ROLE) or 0) & Qt.AlignmentFlag.AlignRight)
            needed = metrics.horizontalAdvance(text) + LEAST_PADDING.get(type(table), 4)
            if is_right and needed > table.columnWidth(column) > 0:
                return f"{text} in {table.accessibleName()}, {model.headerData(column, Qt.Orientation.Horizontal)}"
    return ""


def out_of_sight(window: MainWindow) -> list[str]:
    """Buttons that what they stand in cuts off at its right, where nothing scrolls to them."""
    found = []
    for button in shown(window):
        parent = button.parentWidget()
        if not isinstance(button, QAbstractButton) or parent is None or scrolls(parent):
            continue
        if button.mapTo(parent, QPoint(button.width(), 0)).x() > parent.width() + 1:
            found.append(button.text() or button.accessibleName())
    return found


def looked_at(window: MainWindow, qtbot: QtBot) -> tuple[list[str], list[str]]:
    """Words that stay cut, and buttons that stay out of sight, on the page on screen."""
    cut, out = [""], [""]
    for _ in range(LOOKS):
        qtbot.wait(DRAWN_MS)
        cut, out = cut_words(window), out_of_sight(window)
        if not cut and not out:
            break
    return cut, out


def scrolls(widget: QWidget) -> bool:
    return isinstance(widget.parentWidget(), QAbstractScrollArea)


def test_words_are_read_whole_or_told_by_a_tool_tip(window_of_type: MainWindow, qtbot: QtBot) -> None:
    window = window_of_type
    pane = window.results_pane
    assert pane is not None
    seen = 0
    for size in SIZES:
        window.resize(QSize(*size))
        for page in pane.page_names():
            pane.show_page_named(page)
            cut, out = looked_at(window, qtbot)
            where = f"{page} at {size}"
            assert not cut, where
            assert not out, where
            seen += len(shown(window))
    assert seen > 1000
