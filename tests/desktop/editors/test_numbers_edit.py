from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import Place, Surroundings
from gpuplanner_gui.desktop.editors.kinds import NumbersEdit
from gpuplanner_gui.domain.traffic import Traffic


@pytest.fixture
def editor(qtbot: QtBot) -> NumbersEdit:
    made = NumbersEdit(Place(Traffic, "hours", Surroundings(), lambda _: ""))
    qtbot.addWidget(made)
    made.show_value((1.0, 0.5))
    return made


def type_text(qtbot: QtBot, editor: NumbersEdit, text: str) -> None:
    editor.line.selectAll()
    qtbot.keyClicks(editor.line, text)
    qtbot.keyClick(editor.line, Qt.Key.Key_Return)


def test_numbers_are_shown_and_taken(qtbot: QtBot, editor: NumbersEdit) -> None:
    assert editor.line.text() == "1 0.5"
    with qtbot.waitSignal(editor.edited) as edited:
        type_text(qtbot, editor, "1 2.5; 3")
    assert edited.args == ["", (1.0, 2.5, 3.0)]


def test_nothing_typed_is_no_profile(qtbot: QtBot, editor: NumbersEdit) -> None:
    with qtbot.waitSignal(editor.edited) as edited:
        type_text(qtbot, editor, " ")
    assert edited.args == ["", ()]


def test_what_is_no_number_stays_and_is_said(qtbot: QtBot, editor: NumbersEdit) -> None:
    problems: list[str] = []
    editor.problem_changed.connect(problems.append)
    with qtbot.assertNotEmitted(editor.edited):
        type_text(qtbot, editor, "1 two 3")
    assert editor.line.text() == "1 two 3"
    assert problems[-1]
