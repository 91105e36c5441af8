"""Type of twice the usual size on a small screen: the window stays on it, and nothing is cut off that can't be read."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QSettings
from PySide6.QtWidgets import QApplication, QPushButton, QScrollArea
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.engine_door import ShippedEngine
from gpuplanner_gui.desktop.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir

WIDTH, HEIGHT = 1280, 720
PLAN_MS = 60_000
DRAWN_MS = 150
EXAMPLE = resources_dir() / "examples" / "13b-two-deployments.gpuplan"


@pytest.fixture(params=[1.5, 2.0], ids=["150 %", "200 %"])
def window(
    request: pytest.FixtureRequest, qtbot: QtBot, qapp: QApplication, settings: QSettings, user_home: object
) -> Iterator[MainWindow]:
    theme.use_font_scale(qapp, request.param)
    theme.apply_theme(qapp, theme.Theme.LIGHT)
    made = MainWindow(ShippedEngine, settings)
    made.resize(WIDTH, HEIGHT)
    made.show()
    made.build_results()
    with qtbot.waitSignal(made.compute.completed, timeout=PLAN_MS):
        made.compute.start()
        made.commands.open_path(EXAMPLE)
    yield made
    made.store.undo_stack.setClean()
    made.close()
    made.deleteLater()
    theme.use_font_scale(qapp, 1.0)
    theme.apply_theme(qapp, theme.Theme.LIGHT)


def test_window_stays_on_a_small_screen_with_an_explanation_beside_it(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.results_pane
    assert pane is not None
    window.open_explanation()
    for page in range(pane.tabs.count()):
        pane.show_page(page)
        qtbot.wait(DRAWN_MS)
        assert window.explain_dock.isVisible()
        assert window.width() == WIDTH, pane.tabs.tabText(page)
        assert window.minimumSizeHint().width() <= WIDTH, pane.tabs.tabText(page)


def test_no_chip_of_the_catalogue_is_cut(window: MainWindow, qtbot: QtBot) -> None:
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


def test_buttons_of_calibrate_are_reached_without_scrolling_aside(window: MainWindow, qtbot: QtBot) -> None:
    pane = window.results_pane
    assert pane is not None
    pane.show_page_named("calibrate")
    qtbot.wait(DRAWN_MS)
    frame = pane.tabs.currentWidget()
    assert isinstance(frame, QScrollArea)
    room = frame.viewport().width()
    buttons = [one for one in frame.widget().findChildren(QPushButton) if one.isVisible()]
    assert buttons
    for button in buttons:
        assert button.mapTo(frame.widget(), QPoint(button.width(), 0)).x() <= room, button.text()
    assert frame.horizontalScrollBar().maximum() == 0
