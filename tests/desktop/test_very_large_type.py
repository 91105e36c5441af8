"""Type of twice the usual size on a small screen: the window stays on it, and nothing is cut off that can't be read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.window.main_window import MainWindow

WIDTH = 1280
DRAWN_MS = 150

pytestmark = pytest.mark.parametrize(
    "window_of_type", [pytest.param(1.5, marks=pytest.mark.deep), 2.0], ids=["150 %", "200 %"], indirect=True
)


def test_window_stays_on_a_small_screen_with_an_explanation_beside_it(window_of_type: MainWindow, qtbot: QtBot) -> None:
    window = window_of_type
    pane = window.results_pane
    assert pane is not None
    window.desk.open_explanation()
    for page in pane.page_names():
        pane.show_page_named(page)
        qtbot.wait(DRAWN_MS)
        assert window.explain_dock.isVisible()
        assert window.width() == WIDTH, page
        assert window.minimumSizeHint().width() <= WIDTH, page


def test_no_chip_of_the_catalogue_is_cut(window_of_type: MainWindow, qtbot: QtBot) -> None:
    window = window_of_type
    pane = window.results_pane
    assert pane is not None
    pane.show_catalog_page()
    qtbot.waitUntil(lambda: pane.catalog_browser is not None and pane.catalog_browser.catalog is not None)
    assert pane.catalog_browser is not None
    filters = pane.catalog_browser.here().filters
    filters.text.setText("h")
    filters.chips["vendor"].tick("NVIDIA", "AMD")
    qtbot.wait(DRAWN_MS)
    chips = [chip for chip in (*filters.all_chips.values(), filters.clear) if chip.isVisible()]
    assert len({chip.y() for chip in chips}) > 1, "they go on in a second line"
    for chip in chips:
        box = chip.parentWidget()
        assert chip.geometry().bottom() < box.height(), chip.text()
        assert box.geometry().bottom() <= filters.height(), chip.text()


def test_buttons_of_calibrate_are_reached_without_scrolling_aside(window_of_type: MainWindow, qtbot: QtBot) -> None:
    window = window_of_type
    pane = window.results_pane
    assert pane is not None
    pane.show_page_named("calibrate")
    qtbot.wait(DRAWN_MS)
    frame = pane.frame_in_front()
    assert isinstance(frame, QScrollArea)
    room = frame.viewport().width()
    buttons = [one for one in frame.widget().findChildren(QPushButton) if one.isVisible()]
    assert buttons
    for button in buttons:
        assert button.mapTo(frame.widget(), QPoint(button.width(), 0)).x() <= room, button.text()
    assert frame.horizontalScrollBar().maximum() == 0
