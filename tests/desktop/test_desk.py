"""Docks are moved, put away, brought back, and are there again at the next start."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QRegularExpression, QSettings, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.editors.base import PARTS
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.main_window import MainWindow

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
    inputs, *_ = window.desk.toggle_actions()
    inputs.trigger()
    assert not window.inputs.isVisible()
    window.inputs.show_part(PARTS[0])
    assert window.inputs.isVisible()
    inputs.trigger()
    assert not window.inputs.isVisible()
    window.commands.reset_layout()
    qtbot.waitUntil(window.inputs.isVisible, timeout=WAIT_MS)


@pytest.mark.qt_log_ignore("does not support (setting window masks|setParent)", extend=True)
def test_a_floating_dock_that_was_closed_comes_back_with_its_fields_as_they_are(
    qtbot: QtBot, settings: QSettings
) -> None:
    """Setting the style of several hundred fields anew stops the window for longer than a planner waits."""
    window = made(qtbot, settings)
    styled: list[QEvent.Type] = []

    class Seen(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
            styled.extend([event.type()] if event.type() == QEvent.Type.StyleChange else [])
            return False

    dock, seen = window.desk.inputs_dock, Seen()
    dock.setFloating(True)
    qtbot.waitUntil(dock.isVisible, timeout=WAIT_MS)
    dock.close()
    window.inputs.installEventFilter(seen)
    window.commands.reset_layout()
    assert not dock.isFloating()
    assert not styled


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


def head_button(window: MainWindow, name: str) -> QToolButton:
    assert window.results_pane is not None
    found = window.results_pane.candidates.head.findChild(QToolButton, name)
    assert isinstance(found, QToolButton)
    return found


def test_candidates_float_are_put_away_and_come_back_by_their_shortcut(
    answered_window: MainWindow, qtbot: QtBot
) -> None:
    window = answered_window
    dock = window.desk.candidates_dock
    assert window.desk.dockWidgetArea(dock) == Qt.DockWidgetArea.BottomDockWidgetArea
    qtbot.mouseClick(head_button(window, "dockFloat"), Qt.MouseButton.LeftButton)
    assert dock.isFloating()
    qtbot.mouseClick(head_button(window, "dockFloat"), Qt.MouseButton.LeftButton)
    assert not dock.isFloating()
    qtbot.mouseClick(head_button(window, "dockClose"), Qt.MouseButton.LeftButton)
    assert not dock.isVisible()
    window.menus.actions["edit_candidates"].trigger()
    assert dock.isVisible()
    assert window.results_pane is not None
    assert window.results_pane.candidates.tables["serving"].model().rowCount() > 100


def test_candidates_are_where_they_were_put_at_the_next_start(qtbot: QtBot, settings: QSettings) -> None:
    window = made(qtbot, settings)
    window.build_results()
    window.desk.addDockWidget(RIGHT, window.desk.candidates_dock)
    window.save_layout()
    other = made(qtbot, settings)
    other.build_results()
    assert other.desk.dockWidgetArea(other.desk.candidates_dock) == RIGHT
    assert other.results_pane is not None
    assert other.desk.candidates_dock.widget() is other.results_pane.candidates
    other.commands.reset_layout()
    assert other.desk.dockWidgetArea(other.desk.candidates_dock) == Qt.DockWidgetArea.BottomDockWidgetArea


def test_plots_have_two_thirds_of_the_height_at_first(answered_window: MainWindow) -> None:
    desk = answered_window.desk
    assert 0.25 < desk.candidates_dock.height() / desk.height() < 0.42


@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0])
def test_buttons_of_every_dock_are_as_large_as_its_type(
    qtbot: QtBot, settings: QSettings, qapp: QApplication, scale: float
) -> None:
    theme.use_font_scale(qapp, scale)
    theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
    try:
        window = made(qtbot, settings)
        window.build_results()
        for dock in window.desk.docks():
            dock.show()
            for button in dock.titleBarWidget().findChildren(QToolButton, QRegularExpression("^dock")):
                height = button.fontMetrics().height()
                assert 0.7 * height <= button.iconSize().height() <= 1.3 * height
                assert button.height() >= button.iconSize().height()
                assert button.width() >= button.iconSize().width()
    finally:
        theme.use_font_scale(qapp, 1.0)
        theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)


def test_inputs_float_and_are_put_away_by_the_buttons_of_their_title(qtbot: QtBot, settings: QSettings) -> None:
    window = made(qtbot, settings)
    dock = window.desk.inputs_dock
    floats, closes = dock.titleBarWidget().findChildren(QToolButton)
    qtbot.mouseClick(floats, Qt.MouseButton.LeftButton)
    assert dock.isFloating()
    qtbot.mouseClick(floats, Qt.MouseButton.LeftButton)
    assert not dock.isFloating()
    qtbot.mouseClick(closes, Qt.MouseButton.LeftButton)
    assert not dock.isVisible()
