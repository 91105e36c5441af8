"""A picture of every example, light and dark, every page, for a person to look at (`make screenshots`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir
from tests.conftest import with_deep

EXAMPLES = sorted((resources_dir() / "examples").glob("*.gpuplan"))
AT_NIGHT = {one.stem for one in EXAMPLES} - {"13b-two-deployments", "transcription"}
"""Those left serve, train and hear; the others' windows are opened by other tests too."""
RESULT_WAIT_MS = 30_000
FEWEST_COLOURS = 200
"""An empty or half-painted window has far fewer."""


@pytest.fixture(scope="module")
def engine() -> ShippedEngine:
    return ShippedEngine()


def opened(qtbot: QtBot, settings: QSettings, engine: ShippedEngine, example: Path) -> MainWindow:
    window = MainWindow(lambda: engine, settings)
    qtbot.addWidget(window, before_close_func=lambda it: it.store.undo_stack.setClean())
    window.resize(1280, 720)
    window.show()
    window.build_results()
    with qtbot.waitSignal(window.compute.completed, timeout=RESULT_WAIT_MS):
        window.compute.start()
        window.commands.open_path(example)
    return window


def settled(qtbot: QtBot, window: MainWindow) -> QPixmap:
    qtbot.wait(200)
    return window.grab()


def colours_in(picture: QPixmap) -> int:
    image = picture.toImage()
    step = 4
    return len({image.pixel(x, y) for x in range(0, image.width(), step) for y in range(0, image.height(), step)})


@pytest.mark.parametrize("example", with_deep(EXAMPLES, *AT_NIGHT), ids=lambda path: path.stem)
def test_example_is_pictured(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine, screenshots_dir: Path, example: Path
) -> None:
    window = opened(qtbot, settings, engine, example)
    picture = settled(qtbot, window)
    assert picture.width() >= 1280
    assert colours_in(picture) > FEWEST_COLOURS
    assert picture.save(str(screenshots_dir / f"{example.stem}.png"))


def test_example_is_pictured_in_the_dark(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine, screenshots_dir: Path, qapp: QApplication
) -> None:
    theme.apply_theme(qapp, theme.ThemeChoice.DARK)
    try:
        picture = settled(qtbot, opened(qtbot, settings, engine, EXAMPLES[0]))
        assert colours_in(picture) > FEWEST_COLOURS
        assert picture.save(str(screenshots_dir / f"{EXAMPLES[0].stem}-dark.png"))
    finally:
        theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)


def test_every_page_is_pictured(
    qtbot: QtBot, settings: QSettings, engine: ShippedEngine, screenshots_dir: Path
) -> None:
    window = opened(qtbot, settings, engine, EXAMPLES[0])
    assert window.results_pane is not None
    names = window.results_pane.page_names()
    assert {"overview", "memory", "roofline", "load", "step", "cost"} <= set(names)
    for name in names:
        window.results_pane.show_page_named(name)
        picture = settled(qtbot, window)
        assert colours_in(picture) > FEWEST_COLOURS, name
        assert picture.save(str(screenshots_dir / f"page-{name.replace('_', '-')}.png"))
