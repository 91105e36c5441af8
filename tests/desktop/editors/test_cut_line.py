"""A text that is longer than its field."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.text_edit import CutLine

LONG = "median 700 tok sigma 0.8 <of the prompts>"


@pytest.fixture
def line(qtbot: QtBot) -> Iterator[CutLine]:
    box = QWidget()
    box.setToolTip("<b>Prompt</b>")
    qtbot.addWidget(box)
    made = CutLine(LONG, box)
    QVBoxLayout(box).addWidget(made)
    box.resize(140, 60)
    box.show()
    yield made
    box.close()


def ask_for_help(line: CutLine) -> None:
    place = QPoint(5, 5)
    QApplication.sendEvent(line, QHelpEvent(QEvent.Type.ToolTip, place, line.mapToGlobal(place)))


def test_text_that_is_too_long_ends_in_dots_and_is_whole_in_the_tool_tip(line: CutLine) -> None:
    assert line.is_cut()
    assert line.shown_text().endswith("…")
    ask_for_help(line)
    assert "&lt;of the prompts&gt;" in QToolTip.text()
    assert "<b>Prompt</b>" in QToolTip.text()


def test_text_that_fits_is_shown_as_it_is(line: CutLine) -> None:
    line.window().resize(600, 60)
    assert line.shown_text() == LONG
    assert not line.is_cut()


def test_dots_are_painted_only_while_nobody_types(qtbot: QtBot, line: CutLine) -> None:
    line.window().setFocus()
    line.clearFocus()
    cut = line.grab().toImage()
    line.setText(line.shown_text())
    line.setCursorPosition(0)
    assert line.grab().toImage() == cut
