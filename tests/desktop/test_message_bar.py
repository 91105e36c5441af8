"""What the line above the results says leaves with what it is about."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, Severity


@pytest.fixture
def bar(qtbot: QtBot) -> MessageBar:
    made = MessageBar()
    qtbot.addWidget(made)
    made.show()
    return made


def test_another_project_closes_what_was_said_of_the_one_before(bar: MessageBar) -> None:
    bar.show_message("2 rows hold no request.", Severity.WARNING)
    bar.leave_project()
    assert not bar.isVisible()


def test_what_is_said_of_the_program_stays_whatever_project_is_opened(bar: MessageBar) -> None:
    bar.show_message("Added to your catalogue: X.", Severity.NOTE, lambda: "Undo", is_about_project=False)
    bar.leave_project()
    assert bar.isVisible()
    assert bar.action.isVisible()


def test_only_what_no_longer_holds_is_withdrawn(bar: MessageBar) -> None:
    bar.show_message("x.gpuplan was changed.", Severity.WARNING, topic="file")
    bar.withdraw("unread")
    bar.withdraw_error()
    assert bar.isVisible()
    bar.withdraw("file")
    assert not bar.isVisible()


def test_a_closed_message_is_not_taken_over(bar: MessageBar, qtbot: QtBot) -> None:
    other = MessageBar()
    qtbot.addWidget(other)
    bar.show_message(lambda: "The import was cancelled.", Severity.ERROR)
    bar.hide()
    other.take_over(bar)
    assert other.isHidden()
    bar.show_message(lambda: "The import was cancelled.", Severity.ERROR)
    other.take_over(bar)
    assert not other.isHidden()
    assert other.text.text() == "The import was cancelled."


def test_a_sentence_takes_no_more_height_than_its_lines(bar: MessageBar, qtbot: QtBot) -> None:
    under = QWidget()
    qtbot.addWidget(under)
    under.resize(1366, 700)
    under.show()
    bar.lie_over(under)
    words = "5 of the results that were saved with this project come out otherwise here. Saving keeps the new ones."
    bar.show_message(words, Severity.WARNING)
    qtbot.wait(50)
    line = bar.text.fontMetrics().lineSpacing()
    one_line = bar.height()
    assert line < one_line < 3 * line
    assert bar.geometry().bottom() == under.rect().bottom()
    under.resize(400, 700)
    qtbot.waitUntil(lambda: bar.width() == 400 and bar.height() > one_line)
    assert bar.height() >= bar.text.heightForWidth(bar.text.width())
