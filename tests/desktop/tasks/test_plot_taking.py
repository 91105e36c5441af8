"""A plot is taken along in steps: the window goes on meanwhile, and what is on screen stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.results import Results
from tests.desktop.test_say_done import WAIT_MS
from tests.drawing import synthetic

LEAST_TURNS, MOST_TURNS = 5, 500
MAKERS: dict[str, Callable[[], Plot]] = {
    "latency": lambda: LatencyPlot("ttft"),
    "memory": MemoryPlot,
    "roofline": lambda: RooflinePlot("serving"),
}


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results()


@pytest.fixture(params=[*MAKERS.values()], ids=[*MAKERS])
def view(request: pytest.FixtureRequest, qtbot: QtBot, results: Results) -> PlotView:
    made = PlotView(request.param)
    qtbot.addWidget(made)
    made.resize(1200, 200)
    made.show()
    made.show_results(results)
    come_to_rest(made)
    return made


def come_to_rest(view: PlotView) -> None:
    """Wait until the plot stays where it is: on a busy machine its last turns come late."""
    places: list[str] = []
    while len(places) < LEAST_TURNS or len(set(places[-LEAST_TURNS:])) > 1:
        QTest.qWait(20)
        places.append(str(place_of(view)))
        assert len(places) < MOST_TURNS, "a plot that never comes to rest"


def place_of(view: PlotView) -> tuple[object, ...]:
    item = view.plot.item
    return item.geometry(), item.getViewBox().sceneBoundingRect(), item.getViewBox().viewRange()


class Turns(QTimer):
    """Looks at something in every turn of the event loop."""

    def __init__(self, view: PlotView) -> None:
        super().__init__(view)
        self.places: list[tuple[object, ...]] = []
        self.timeout.connect(lambda: self.places.append(place_of(view)))
        self.start(0)


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_window_goes_on_while_a_plot_is_saved_and_the_plot_stays_as_it_was(
    view: PlotView, qtbot: QtBot, tmp_path: Path, suffix: str
) -> None:
    before, path = place_of(view), tmp_path / f"plot{suffix}"
    turns = Turns(view)
    view.save_as(path)
    assert not path.exists()
    qtbot.waitUntil(path.exists)
    assert len(turns.places) >= LEAST_TURNS
    assert all(one == before for one in turns.places)
    assert view.plot.item.scene() is view.canvas.scene()


def test_a_picture_is_of_its_own_size_whatever_the_shape_on_screen(view: PlotView, qtbot: QtBot) -> None:
    QGuiApplication.clipboard().clear()
    view.copy_picture()
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())
    image = QGuiApplication.clipboard().image().convertToFormat(QImage.Format.Format_Grayscale8)
    assert (image.width(), image.height()) == (1920, 1080)
    grey = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    ground = QColor(view.plot.theme.surface).lightness()
    for pixels in (grey, grey.T):
        inked = np.flatnonzero((pixels != ground).any(axis=1))
        assert inked[0] < 0.05 * len(pixels)
        assert inked[-1] > 0.95 * len(pixels), "a part of the picture is empty"


def test_what_was_asked_for_is_on_disk_when_the_window_closes(
    answered_window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window, path = answered_window, tmp_path / "plot.png"
    assert window.results_pane is not None
    window.results_pane.show_page_named("memory")

    def plots() -> list[PlotView]:
        found = window.results_pane.findChildren(PlotView) if window.results_pane else []
        return [one for one in found if one.isVisible() and not one.plot.message]

    qtbot.waitUntil(lambda: bool(plots()), timeout=WAIT_MS)
    plots()[0].save_as(path)
    window.store.undo_stack.setClean()
    window.close()
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_view_that_goes_takes_no_file_with_it(qtbot: QtBot, results: Results, tmp_path: Path) -> None:
    shelf, path = QWidget(), tmp_path / "plot.png"
    view = PlotView(MemoryPlot, shelf)
    view.show_results(results)
    view.save_as(path)
    shelf.deleteLater()
    qtbot.waitUntil(path.exists)
