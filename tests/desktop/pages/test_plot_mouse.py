"""What the mouse does in a plot, button by button: move and zoom the view, drag a target, give a drag up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.store import replaced
from gpuplanner_gui.drawing.plots.curves import CurvePlot
from gpuplanner_gui.drawing.plots.latency_marks import TargetLine
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.results import Results

Show = Callable[[QWidget], None]
LEFT = Qt.MouseButton.LeftButton
BETWEEN_MOVES_MS = 25
"""pyqtgraph drops moves that follow each other faster than a hundred in a second."""


class Mouse:
    """The pointer over a plot; positions in pixels of its viewport."""

    def __init__(self, view: PlotView) -> None:
        self.viewport = view.canvas.viewport()
        # Where the last test left the pointer, a move to the same place would be none.
        self.move(QPoint(1, 1))

    def move(self, place: QPoint) -> None:
        QTest.mouseMove(self.viewport, place)
        QTest.qWait(BETWEEN_MOVES_MS)

    def take(self, place: QPoint) -> None:
        for nearer in (2, 1, 0):
            self.move(place - QPoint(nearer, 0))
        QTest.mousePress(self.viewport, LEFT, Qt.KeyboardModifier.NoModifier, place)

    def pull(self, start: QPoint, end: QPoint, steps: int = 5) -> None:
        for step in range(1, steps + 1):
            self.move(start + (end - start) * (step / steps))

    def let_go(self, place: QPoint) -> None:
        QTest.mouseRelease(self.viewport, LEFT, Qt.KeyboardModifier.NoModifier, place)

    def drag(self, start: QPoint, end: QPoint) -> None:
        self.take(start)
        self.pull(start, end)
        self.let_go(end)


@pytest.fixture
def view(shown: Show, results: Results) -> PlotView:
    made = PlotView(lambda: LatencyPlot("ttft"))
    shown(made)
    made.show_results(results)
    QApplication.processEvents()
    return made


def pixel(view: PlotView, x: float, y: float) -> QPoint:
    return view.canvas.mapFromScene(view.plot.item.getViewBox().mapViewToScene(QPointF(x, y)))


def middle_of(view: PlotView) -> QPoint:
    return view.canvas.mapFromScene(view.plot.item.getViewBox().sceneBoundingRect().center())


def target_of(view: PlotView) -> TargetLine:
    assert isinstance(view.plot, LatencyPlot)
    return view.plot.marks.targets[0]


def place_of(view: PlotView, line: TargetLine) -> QPoint:
    (left, right), _ = view.plot.item.getViewBox().viewRange()
    return pixel(view, left + 0.6 * (right - left), float(line.value()))


def with_limit(results: Results, path: str, limit_s: float) -> Results:
    return replace(results, scenario=replaced(results.scenario, path, limit_s))


def ranges_of(view: PlotView) -> list[list[float]]:
    return [list(ends) for ends in view.plot.item.getViewBox().viewRange()]


def test_drag_beside_the_lines_moves_the_view_and_the_button_brings_it_back(qtbot: QtBot, view: PlotView) -> None:
    whole = ranges_of(view)
    start = middle_of(view) + QPoint(0, 60)
    Mouse(view).drag(start, start + QPoint(-40, 0))
    (left, right), _ = ranges_of(view)
    assert left > whole[0][0]
    assert right - left == pytest.approx(whole[0][1] - whole[0][0]), "it was zoomed"
    qtbot.mouseClick(view._back, LEFT)
    assert ranges_of(view) == whole


def test_the_first_drag_after_the_menu_moves_the_view_and_does_not_zoom(view: PlotView) -> None:
    """The menu opens on the right button's press, and the scene never sees its release."""
    whole, start = ranges_of(view), middle_of(view) + QPoint(0, 60)
    mouse = Mouse(view)
    mouse.move(start)
    QTest.mousePress(mouse.viewport, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, start)
    menu_event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, start, mouse.viewport.mapToGlobal(start))
    QApplication.sendEvent(mouse.viewport, menu_event)
    menus = [one for one in view.findChildren(QMenu) if one.isVisible()]
    assert len(menus) == 1
    QTest.mouseRelease(menus[0], Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, QPoint(-5, -5))
    menus[0].close()
    mouse.drag(start, start + QPoint(-40, 20))
    (left, right), (low, high) = ranges_of(view)
    assert right - left == pytest.approx(whole[0][1] - whole[0][0])
    assert high - low == pytest.approx(whole[1][1] - whole[1][0])
    assert left > whole[0][0]


def test_a_dragged_target_follows_the_mouse_in_a_plot_that_stands_still(
    qtbot: QtBot, view: PlotView, results: Results
) -> None:
    told: list[tuple[str, float]] = []
    view.value_edited.connect(lambda path, value: told.append((path, value)))
    # As in the window, every edit comes back as results to draw.
    view.value_edited.connect(lambda path, value: view.show_results(with_limit(results, path, value)))
    line, whole = target_of(view), ranges_of(view)
    start = place_of(view, line) + QPoint(0, 5)  # A hand is not that steady.
    end = start - QPoint(0, 30)
    mouse = Mouse(view)
    mouse.take(start)
    qtbot.waitUntil(lambda: mouse.viewport.cursor().shape() == Qt.CursorShape.SizeVerCursor)
    mouse.pull(start, end)
    assert ranges_of(view) == whole, "the axis ran away under the hand"
    within = view.plot.item.getViewBox().mapSceneToView(view.canvas.mapToScene(end))
    assert isinstance(view.plot, CurvePlot)
    path, limit_s = told[-1]
    assert path == line.path
    assert limit_s == pytest.approx(view.plot.y_scale.value_at(within.y()), rel=0.15)
    mouse.let_go(end)
    assert not line.moving


def test_escape_gives_a_dragged_target_back_exactly(qtbot: QtBot, view: PlotView, results: Results) -> None:
    told: list[float] = []
    waiting: list[tuple[str, float]] = []
    view.value_edited.connect(lambda path, value: told.append(value))
    view.value_edited.connect(lambda *edit: waiting.append(edit))
    line, whole = target_of(view), ranges_of(view)
    before, start = line.limit_s, place_of(view, line)

    def answer() -> None:
        """As in the window, results come back some time after the edit."""
        for edit in waiting:
            view.show_results(with_limit(results, *edit))
        waiting.clear()

    mouse = Mouse(view)
    mouse.take(start)
    mouse.pull(start, start - QPoint(0, 30))
    assert told[-1] != before
    answer()
    qtbot.keyClick(view.canvas, Qt.Key.Key_Escape)
    assert told[-1] == before
    answer()
    assert ranges_of(view) == whole
    count = len(told)
    mouse.pull(start - QPoint(0, 30), start - QPoint(0, 50))
    mouse.let_go(start - QPoint(0, 50))
    assert len(told) == count, "the line was still in the hand"
    assert line.limit_s == before
    assert not view._back.isVisible()


def test_the_cross_hair_goes_when_the_mouse_leaves_the_picture(qtbot: QtBot, view: PlotView) -> None:
    mouse = Mouse(view)
    mouse.move(middle_of(view))
    qtbot.waitUntil(lambda: view._heading.currentWidget() is view._readout)
    QApplication.sendEvent(mouse.viewport, QEvent(QEvent.Type.Leave))
    mouse.viewport.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
    qtbot.waitUntil(lambda: view._heading.currentWidget() is view._title)
    assert not view.plot._cross[0].isVisible()  # type: ignore[attr-defined]


def test_a_table_stands_under_the_sentence(qtbot: QtBot, view: PlotView) -> None:
    Mouse(view).move(middle_of(view))
    qtbot.waitUntil(lambda: view._heading.currentWidget() is view._readout)
    view.show_as_table(True)
    assert view._heading.currentWidget() is view._title


def turn_wheel(view: PlotView, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    place, down = middle_of(view), QPoint(0, -120)
    there = QPointF(view.canvas.viewport().mapToGlobal(place))
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(QPointF(place), there, QPoint(), down, none, modifier, phase, False)
    QApplication.sendEvent(view.canvas.viewport(), event)


@pytest.mark.parametrize("height", [200, 900])
def test_wheel_scrolls_a_page_that_has_more_and_zooms_where_all_is_seen(
    shown: Show, results: Results, height: int
) -> None:
    view, page = PlotView(lambda: LatencyPlot("ttft")), QScrollArea()
    view.setFixedHeight(400)
    page.setWidget(view)
    page.setWidgetResizable(True)
    shown(page)
    page.resize(600, height)
    view.show_results(results)
    QApplication.processEvents()
    whole, has_more = ranges_of(view), height < 400
    turn_wheel(view)
    assert (ranges_of(view) == whole) is has_more
    assert (page.verticalScrollBar().value() > 0) is has_more
    before = ranges_of(view)
    turn_wheel(view, Qt.KeyboardModifier.ControlModifier)
    assert ranges_of(view) != before


def test_a_view_from_farther_away_goes_not_below_nought(view: PlotView) -> None:
    assert isinstance(view.plot, CurvePlot)
    (left, right), _ = ranges_of(view)
    assert left == 0.0
    for _ in range(3):
        turn_wheel(view)
    farther = ranges_of(view)[0]
    assert farther[0] == 0.0
    assert farther[1] > right
    view.plot.use_scale("x", True)
    low, high = ranges_of(view)[0]
    assert low < high < 3, "a limit of the other scale was kept"
