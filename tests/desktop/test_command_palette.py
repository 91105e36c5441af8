from __future__ import annotations

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.command_palette import CommandPalette
from gpuplanner_gui.desktop.main_window import MainWindow


@pytest.fixture
def window(user_home: object, settings: QSettings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    made.show()
    qtbot.waitExposed(made)
    return made


def opened(window: MainWindow, qtbot: QtBot) -> CommandPalette:
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    palette = QApplication.activePopupWidget()
    assert isinstance(palette, CommandPalette)
    return palette


def titles(palette: CommandPalette) -> list[str]:
    model = palette.list.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_typed_letters_find_a_command_and_enter_does_it(window: MainWindow, qtbot: QtBot) -> None:
    palette = opened(window, qtbot)
    qtbot.keyClicks(palette.typed, "dupl")
    assert titles(palette)[0] == "Duplicate Scenario"
    qtbot.keyClick(palette.typed, Qt.Key.Key_Return)
    assert len(window.store.project.scenarios) == 2


def test_arrows_choose_and_escape_leaves(window: MainWindow, qtbot: QtBot) -> None:
    palette = opened(window, qtbot)
    first = palette.list.currentIndex().row()
    qtbot.keyClick(palette.typed, Qt.Key.Key_Down)
    assert palette.list.currentIndex().row() == first + 1
    qtbot.keyClick(palette.typed, Qt.Key.Key_Escape)
    assert QApplication.activePopupWidget() is None


def test_an_input_is_gone_to(window: MainWindow, qtbot: QtBot) -> None:
    palette = opened(window, qtbot)
    qtbot.keyClicks(palette.typed, "request classes")
    assert titles(palette)[0] == "Request classes"
    qtbot.keyClick(palette.typed, Qt.Key.Key_Return)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert window.inputs.editor.isAncestorOf(focused)


def test_what_fits_nothing_leaves_an_empty_list_and_enter_does_nothing(window: MainWindow, qtbot: QtBot) -> None:
    palette = opened(window, qtbot)
    qtbot.keyClicks(palette.typed, "xqzzv")
    assert titles(palette) == []
    qtbot.keyClick(palette.typed, Qt.Key.Key_Return)
    assert palette.isVisible()
    palette.close()
