"""What's This of a plot: every kind says what it shows; by mouse and by keys."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import cast

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWhatsThis, QWidget
from pytestqt.qtbot import QtBot

import gpuplanner_gui.drawing.plots as plots
from gpuplanner_gui.desktop.pages.plot_menu import plot_help
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.drawing.plots.bars import BarPlot
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.curves import CurvePlot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.results import Results
from tests.drawing import synthetic

Show = Callable[[QWidget], None]


def kinds(of: type[Plot] = Plot) -> Iterator[type[Plot]]:
    for module in pkgutil.iter_modules(plots.__path__):
        importlib.import_module(f"{plots.__name__}.{module.name}")
    for kind in of.__subclasses__():
        yield from (() if kind in (BarPlot, CurvePlot) or kind.__name__.startswith("_") else (kind,))
        yield from kinds(kind)


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results()


@pytest.fixture
def view(shown: Show, results: Results) -> Iterator[PlotView]:
    made = PlotView(lambda: LatencyPlot("ttft"))
    shown(made)
    made.show_results(results)
    QApplication.processEvents()
    assert not is_said()
    yield made
    QWhatsThis.hideText()
    if QWhatsThis.inWhatsThisMode():
        QWhatsThis.leaveWhatsThisMode()


def is_said() -> bool:
    """Qt's own popup, whose text nobody can read, is open."""
    return any(one.isVisible() and one.inherits("QWhatsThat") for one in QApplication.topLevelWidgets())


def test_every_kind_of_plot_says_what_it_shows(qapp: QApplication) -> None:
    found = {kind.__name__: kind.about(cast("Plot", kind)) for kind in kinds()}
    assert len(found) > 20
    assert all(words.endswith(".") and len(words) > 60 for words in found.values())
    assert len(set(found.values())) == len(found)


def test_only_what_can_be_done_in_a_plot_is_said(view: PlotView, results: Results) -> None:
    assert "Drag a dashed line" in plot_help(view.plot)
    assert "wheel" in plot_help(view.plot)
    bars = MemoryPlot()
    bars.show(results)
    assert "Drag a dashed line" not in plot_help(bars)
    assert "wheel" not in plot_help(bars)
    assert "Click a mark" in plot_help(bars)


def test_a_name_with_markup_is_shown_as_it_is(view: PlotView) -> None:
    view.plot.title = "<img src='x'> & Co"
    assert "&lt;img src=&#x27;x&#x27;&gt; &amp; Co" in plot_help(view.plot)


def test_a_click_in_whats_this_mode_tells_of_the_plot(view: PlotView, qtbot: QtBot) -> None:
    QWhatsThis.enterWhatsThisMode()
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(150, 80))
    qtbot.waitUntil(is_said)


def test_the_keys_tell_of_the_plot_that_has_the_focus(view: PlotView, qtbot: QtBot) -> None:
    view.canvas.setFocus()
    qtbot.keyClick(view.canvas, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    qtbot.waitUntil(is_said)
