"""Help › How Do I: every task has steps, and its button goes to where the first one begins."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.methods import HowDoIDialog
from gpuplanner_gui.desktop.pages.place_bar import BY_NAME
from gpuplanner_gui.desktop.window.actions import MENUS, MenuCommand
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.words.guided_start import TASKS, Task

LEFT = Qt.MouseButton.LeftButton
COMMANDS = {entry.name for _, entries in MENUS for entry in entries if isinstance(entry, MenuCommand)}


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.question)
def test_each_task_leads_somewhere(task: Task) -> None:
    kind, _, name = task.opens.rpartition(":")
    assert name in (BY_NAME if kind == "page" else COMMANDS)
    assert 2 <= len(task.steps) <= 4


def test_there_are_twelve_and_each_is_shown(qtbot: QtBot) -> None:
    dialog = HowDoIDialog()
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.list.count() == 12
    seen = set()
    for _ in range(dialog.list.count()):
        seen.add(dialog.steps.text())
        qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert len(seen) == 12


def test_show_me_goes_there(planned_window: MainWindow, qtbot: QtBot) -> None:
    planned_window.commands.show_tasks()
    dialog = next(one for one in QApplication.topLevelWidgets() if isinstance(one, HowDoIDialog))
    place = next(number for number, task in enumerate(TASKS) if task.opens == "page:order")
    dialog.list.setCurrentRow(place)
    qtbot.mouseClick(dialog.show_me, LEFT)
    assert planned_window.results_pane is not None
    assert planned_window.results_pane.page_name() == "order"
    dialog.list.setCurrentRow(next(number for number, task in enumerate(TASKS) if task.opens == "estate") - 1)
    assert dialog.task().opens == "page:order"
