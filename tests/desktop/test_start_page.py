from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QLabel, QListWidget, QPushButton
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.guided_start import GuidedStart
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.project_file import new_project
from gpuplanner_gui.desktop.window.start_page import StartPage
from gpuplanner_gui.drawing.language import without_mnemonic
from gpuplanner_gui.files.project import project_to_bytes
from gpuplanner_gui.paths import resources_dir

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def window(user_home: object, settings: QSettings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    made.show()
    qtbot.waitExposed(made)
    return made


def start_page(window: MainWindow) -> StartPage:
    window.workspace.show_start_page()
    page = window.workspace.start_page
    assert isinstance(page, StartPage)
    return page


def click_first(found: QListWidget, qtbot: QtBot) -> None:
    qtbot.mouseClick(found.viewport(), LEFT, pos=found.visualItemRect(found.item(0)).center())


def test_a_recent_project_is_opened_by_a_click(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "mine.gpuplan"
    path.write_bytes(project_to_bytes(new_project()))
    window.file.recent.add(path)
    page = start_page(window)
    click_first(page.recent, qtbot)
    assert window.file.path == path
    assert not page.isVisible()


def test_an_example_is_opened_unnamed(window: MainWindow, qtbot: QtBot) -> None:
    page = start_page(window)
    assert page.examples.count() == len(list((resources_dir() / "examples").glob("*.gpuplan")))
    click_first(page.examples, qtbot)
    assert window.file.path is None
    assert window.store.project.scenarios[0].training is not None
    assert not page.isVisible()


def test_escape_goes_on_with_an_empty_project(window: MainWindow, qtbot: QtBot) -> None:
    page = start_page(window)
    assert not window.status.facts.isVisible(), "they are of a project that is not on screen"
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert not page.isVisible()
    assert window.status.facts.isVisible()
    assert window.inputs.isVisible()


def test_guided_start_is_one_key_away(window: MainWindow, qtbot: QtBot) -> None:
    page = start_page(window)
    first = next(one for one in page.findChildren(QPushButton) if one.isDefault())
    qtbot.keyClick(first, Qt.Key.Key_Space)
    start = window.findChild(GuidedStart)
    assert start is not None
    start.reject()


def test_a_damaged_recent_project_is_said_on_the_start_page(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "damaged.gpuplan"
    path.write_text("{")
    window.file.recent.add(path)
    page = start_page(window)
    click_first(page.recent, qtbot)
    assert page.isVisible()
    assert window.messages.isVisible()
    assert "damaged.gpuplan" in window.messages.text.text()
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert not window.messages.isVisible(), "an empty project has nothing to do with that file"


def test_a_recent_name_keeps_its_ampersands(window: MainWindow, tmp_path: Path) -> None:
    """“R&D/a&b.gpuplan” was shown as “ab.gpuplan — RD”, with the mnemonics D and b."""
    path = tmp_path / "R&D" / "a&b.gpuplan"
    path.parent.mkdir()
    path.write_bytes(project_to_bytes(new_project()))
    window.file.recent.add(path)
    menu = window.menus.menus["recent"]
    menu.aboutToShow.emit()
    assert without_mnemonic(menu.actions()[0].text()) == f"1 a&b.gpuplan — {path.parent}"


def test_the_list_is_cleared_by_the_menu_while_it_is_seen(window: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    path = tmp_path / "mine.gpuplan"
    path.write_bytes(project_to_bytes(new_project()))
    window.file.recent.add(path)
    page = start_page(window)
    assert page.recent.isVisible()
    menu = window.menus.menus["recent"]
    menu.popup(window.mapToGlobal(window.rect().center()))
    action = next(one for one in menu.actions() if one.text().replace("&", "") == "Clear List")
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert not page.recent.isVisible()
    assert any(one.isVisible() and "are listed here" in one.text() for one in page.findChildren(QLabel))
    menu.aboutToShow.emit()
    assert [one.text() for one in menu.actions()] == ["No recent projects"]
    assert path.is_file()
