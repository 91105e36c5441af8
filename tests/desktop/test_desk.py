"""Docks are moved, put away, brought back, and are there again at the next start."""

from __future__ import annotations

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QKeySequence
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.main_window import MainWindow
from gpuplanner_gui.desktop.parts import PARTS

LEFT, RIGHT = Qt.DockWidgetArea.LeftDockWidgetArea, Qt.DockWidgetArea.RightDockWidgetArea
WAIT_MS = 20_000


def made(qtbot: QtBot, settings: QSettings) -> MainWindow:
    window = MainWindow(settings=settings)
    qtbot.addWidget(window, before_close_func=lambda closed: closed.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    return window


def test_a_moved_dock_is_there_again_at_the_next_start(qtbot: QtBot, settings: QSettings) -> None:
    window = made(qtbot, settings)
    assert window.desk.dockWidgetArea(window.desk.inputs_dock) == LEFT
    window.desk.addDockWidget(RIGHT, window.desk.inputs_dock)
    window.save_layout()
    other = made(qtbot, settings)
    assert other.desk.dockWidgetArea(other.desk.inputs_dock) == RIGHT
    assert not other.explain_dock.isVisible(), "it would explain a number that nobody looks at"
    other.commands.reset_layout()
    assert other.desk.dockWidgetArea(other.desk.inputs_dock) == LEFT


def test_inputs_that_were_put_away_come_back_when_they_are_needed(qtbot: QtBot, settings: QSettings) -> None:
    window = made(qtbot, settings)
    inputs, _ = window.desk.toggle_actions()
    inputs.trigger()
    assert not window.inputs.isVisible()
    window.inputs.show_part(PARTS[0])
    assert window.inputs.isVisible()
    inputs.trigger()
    assert not window.inputs.isVisible()
    window.commands.reset_layout()
    assert window.inputs.isVisible()


def test_f4_opens_and_closes_the_explanation(qtbot: QtBot, settings: QSettings) -> None:
    window = made(qtbot, settings)
    assert window.explain_action.shortcut() == QKeySequence("F4")
    qtbot.waitUntil(window.isVisible, timeout=WAIT_MS)
    window.explain_action.trigger()
    assert window.explain_dock.isVisible()
    window.explain_action.trigger()
    assert not window.explain_dock.isVisible()


def test_layout_that_another_making_kept_does_no_harm(qtbot: QtBot, settings: QSettings) -> None:
    settings.setValue("window/docks", b"something else")
    window = made(qtbot, settings)
    assert window.inputs.isVisible()
    assert window.desk.dockWidgetArea(window.desk.inputs_dock) == LEFT
