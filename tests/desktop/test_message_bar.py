"""What the line above the results says leaves with what it is about."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.message_bar import MessageBar, Severity


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
    bar.show_message("In your catalogue: X.", Severity.NOTE, lambda: "Undo", is_about_project=False)
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
    bar.show_message(lambda: "Reading was given up.", Severity.ERROR)
    bar.hide()
    other.take_over(bar)
    assert other.isHidden()
    bar.show_message(lambda: "Reading was given up.", Severity.ERROR)
    other.take_over(bar)
    assert not other.isHidden()
    assert other.text.text() == "Reading was given up."
