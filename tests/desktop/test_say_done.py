"""What was taken along of a plot is said in the status line."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QToolButton
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.window.main_window import MainWindow

WAIT_MS = 30_000


def choose(window: MainWindow, qtbot: QtBot, entry: str) -> None:
    """Open the menu of the first plot of the memory page and click on an entry."""
    assert window.results_pane is not None
    window.results_pane.show_page_named("memory")

    def plots() -> list[PlotView]:
        found = window.results_pane.findChildren(PlotView) if window.results_pane else []
        return [one for one in found if one.isVisible() and not one.plot.message]

    qtbot.waitUntil(lambda: bool(plots()), timeout=WAIT_MS)
    button = next(one for one in plots()[0].findChildren(QToolButton) if one.text() == "⋯")
    button.setPopupMode(QToolButton.ToolButtonPopupMode.DelayedPopup)  # A click on an instant one waits for its menu.
    menu = button.menu()
    assert isinstance(menu, QMenu)
    menu.popup(button.mapToGlobal(button.rect().bottomLeft()))
    action = next(one for one in menu.actions() if one.text().replace("&", "") == entry)
    qtbot.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(action).center())
    QApplication.processEvents()


def test_a_saved_or_copied_plot_is_said(
    answered_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, path = answered_window, tmp_path / "memory of it.png"
    choose(window, qtbot, "Copy Picture")
    assert window.status.currentMessage() == "Drawing the plot…"
    qtbot.waitUntil(lambda: window.status.currentMessage() == "The picture of the plot was copied.")
    choose(window, qtbot, "Copy Numbers")
    assert window.status.currentMessage() == "The numbers of the plot were copied."
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "Picture (*.png)"))
    choose(window, qtbot, "Save Plot…")
    qtbot.waitUntil(lambda: window.status.currentMessage() == "The plot was saved as memory of it.png.")
    assert path.is_file()


def test_a_plot_that_was_not_saved_is_not_said_to_be(
    answered_window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(QMessageBox, "warning", lambda parent, title, text: told.append(text))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "a.png"), ""))
    choose(answered_window, qtbot, "Save Plot…")
    qtbot.waitUntil(lambda: bool(told))
    assert len(told) == 1
    assert answered_window.status.currentMessage() == ""
