from __future__ import annotations

from functools import partial

import pytest
from PySide6.QtCore import QSettings, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.catalog_browser import CatalogBrowser
from gpuplanner_gui.desktop.window.command_palette import CommandPalette
from gpuplanner_gui.desktop.window.main_window import MainWindow


@pytest.fixture
def window(user_home: object, settings: QSettings, qtbot: QtBot) -> MainWindow:
    made = MainWindow(settings=settings)
    qtbot.addWidget(made, before_close_func=lambda window: window.store.undo_stack.setClean())
    made.show()
    qtbot.waitExposed(made)
    return made


def opened(window: MainWindow, qtbot: QtBot) -> CommandPalette:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
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
    assert palette.nothing.isVisible()
    assert "xqzzv" in palette.nothing.text()
    assert not palette.list.isVisible()
    for _ in "xqzzv":
        qtbot.keyClick(palette.typed, Qt.Key.Key_Backspace)
    assert palette.list.isVisible()
    assert not palette.nothing.isVisible()
    palette.close()


def test_an_accelerator_and_a_model_are_gone_to_in_the_catalogue(answered_window: MainWindow, qtbot: QtBot) -> None:
    pane = answered_window.results_pane
    assert pane is not None
    for typed, kind, name in (("h200 sxm", "accelerators", "H200 SXM"), ("llama 3.1 70b", "models", "Llama 3.1 70B")):
        palette = opened(answered_window, qtbot)
        qtbot.keyClicks(palette.typed, typed)
        assert titles(palette)[0].startswith(name)
        qtbot.keyClick(palette.typed, Qt.Key.Key_Return)
        browser = pane.catalog_browser
        assert browser is not None
        assert browser.isVisible()
        qtbot.waitUntil(partial(_shows, browser, kind, name))
    palette = opened(answered_window, qtbot)
    qtbot.keyClicks(palette.typed, "model")
    found, models = titles(palette), {entry.name for entry in answered_window.compute.catalog.models.values()}
    # Fields of forms that are built by then may come first: how many are is a matter of idle time.
    before = found[: next(place for place, title in enumerate(found) if title in models)]
    assert "Import Model Configuration…" in before, "commands before the hundreds of models"
    palette.close()


def _shows(browser: CatalogBrowser, kind: str, name: str) -> bool:
    chosen = browser.here().chosen()
    return browser.here().kind == kind and chosen is not None and chosen.name.startswith(name)


def test_a_number_of_the_page_is_found_and_explained(planned_window: MainWindow, qtbot: QtBot) -> None:
    window = planned_window
    assert window.results_pane is not None
    window.results_pane.show_page_named("phases")
    for typed, first in (("ttft p95", "TTFT p95: "), ("cost per month", "Cost per month: "), ("dpsc", "Duplicate")):
        palette = opened(window, qtbot)
        qtbot.keyClicks(palette.typed, typed)
        assert titles(palette)[0].startswith(first)
        assert not any("Import Traffic" in title for title in titles(palette))
        palette.close()
    window.results_pane.show_page_named("overview")
    palette = opened(window, qtbot)
    qtbot.keyClicks(palette.typed, "number on this page")
    found = titles(palette)
    assert len(found) > 5
    assert all(": " in title for title in found[:5])
    qtbot.keyClick(palette.typed, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.explain_panel.explanation is not None, timeout=30_000)
    assert window.explain_dock.isVisible()
