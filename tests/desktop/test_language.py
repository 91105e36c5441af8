"""Another language while the program runs: the same work, in other words."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale, QSettings
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.settings import Key
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.desktop.window.windows import Windows
from gpuplanner_gui.drawing.language import ENGLISH
from gpuplanner_gui.drawing.translations import language_of, use_language

WAIT_MS = 30_000
CHINESE = "zh_TW"


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    before = QLocale()
    yield
    use_language(ENGLISH)
    QLocale.setDefault(before)


@pytest.fixture
def windows(windows: Windows) -> Windows:
    windows.front.build_results()
    windows.front.compute.start()
    return windows


def change_language(windows: Windows, code: str, qtbot: QtBot) -> MainWindow:
    with qtbot.waitSignal(windows.renewed, timeout=WAIT_MS):
        windows.front.appearance.use_language(code)
    return windows.front


def test_the_window_speaks_chinese_at_once_and_english_again(windows: Windows, qtbot: QtBot) -> None:
    titles = [action.text() for action in windows.front.menuBar().actions()]
    chinese = change_language(windows, CHINESE, qtbot)
    assert chinese.isVisible()
    assert chinese.menuBar().actions()[0].text() == "檔案(&F)"
    assert all(not action.text().isascii() for action in chinese.menuBar().actions())
    english = change_language(windows, ENGLISH, qtbot)
    assert [action.text() for action in english.menuBar().actions()] == titles
    assert len(windows.all) == 1


def test_work_steps_and_place_are_kept(windows: Windows, qtbot: QtBot) -> None:
    first = windows.front
    first.commands.add_scenario()
    first.store.edit("serving.classes[0].peak_rate_per_s", 77.0, "edit")
    assert first.results_pane is not None
    first.results_pane.show_page_named("memory")
    second = change_language(windows, CHINESE, qtbot)
    assert second is not first
    assert len(second.store.project.scenarios) == 2
    assert second.store.value("serving.classes[0].peak_rate_per_s") == 77.0
    assert second.results_pane is not None
    assert second.results_pane.page_name() == "memory"
    assert second.file.is_modified
    second.menus.actions["undo"].trigger()
    assert second.store.value("serving.classes[0].peak_rate_per_s") != 77.0
    qtbot.waitUntil(
        lambda: second.compute.results is not None and second.compute.results.scenario is second.store.scenario,
        timeout=WAIT_MS,
    )


def test_the_chosen_language_is_marked_in_every_window(windows: Windows, qtbot: QtBot) -> None:
    windows.open_new()
    change_language(windows, CHINESE, qtbot)
    for window in windows.all:
        window.appearance_menus.mark_chosen()
        marked = [action.text() for action in window.menus.menus["language"].actions() if action.isChecked()]
        assert marked == ["繁體中文"]


def test_a_theme_chosen_in_one_window_is_marked_in_the_other(windows: Windows, settings: QSettings) -> None:
    first = windows.front
    second = windows.open_new()
    settings.setValue(Key.THEME, "dark")
    for window in (first, second):
        window.menus.menus["theme"].aboutToShow.emit()
        marked = [action.data() for action in window.menus.menus["theme"].actions() if action.isChecked()]
        assert marked == ["dark"]


def test_a_language_that_is_none_of_ours_is_the_systems() -> None:
    assert language_of("xx_YY") in (ENGLISH, CHINESE)
    assert language_of(CHINESE) == CHINESE
