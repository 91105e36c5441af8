"""Every page draws when it is seen, says its state, follows the theme, and hands on what is picked and dragged."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import msgspec
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.cost import CostPage
from gpuplanner_gui.desktop.pages.overview import OverviewPage
from gpuplanner_gui.desktop.pages.plot_page import PlotPage, best_columns
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.serving_plots import LoadPage, MemoryPage, RooflinePage
from gpuplanner_gui.desktop.pages.training_plots import TrainingCandidatesPage
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.drawing.results import Results

PAGES = (OverviewPage, MemoryPage, RooflinePage, LoadPage, TrainingCandidatesPage, CostPage)
Show = Callable[[QWidget], None]


@pytest.fixture(params=PAGES, ids=lambda page: page.__name__)
def page(request: pytest.FixtureRequest, shown: Show) -> PlotPage:
    made = request.param()
    shown(made)
    return made


def drag(viewport: QWidget, start: QPoint, end: QPoint) -> None:
    """A drag with the left button; QTest's own moves hold no button."""

    def send(kind: QEvent.Type, place: QPoint, button: Qt.MouseButton, buttons: Qt.MouseButton) -> None:
        everywhere = QPointF(viewport.mapToGlobal(place))
        event = QMouseEvent(kind, QPointF(place), everywhere, button, buttons, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(viewport, event)

    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    send(QEvent.Type.MouseMove, start, none, none)
    send(QEvent.Type.MouseButtonPress, start, left, left)
    for step in range(1, 9):
        send(QEvent.Type.MouseMove, start + (end - start) * (step / 8), none, left)
    send(QEvent.Type.MouseButtonRelease, end, left, none)


def show_all(page: PlotPage, results: Results) -> None:
    page.show_results(results)
    wait_for_plots(page)


def wait_for_plots(page: PlotPage) -> None:
    """Until the last plot has had its turn."""
    QApplication.processEvents()
    while page.is_drawing():
        QApplication.processEvents()


def visible_plots(page: PlotPage) -> list[PlotView]:
    return [view for view in page.findChildren(PlotView) if view.isVisibleTo(page)]


def veil_text(page: PlotPage) -> str:
    labels = [label for label in page._veil.findChildren(QLabel) if page._veil.isVisible()]
    return labels[0].text() if labels and labels[0].isVisible() else ""


def test_page_shows_sentences_and_numbers(page: PlotPage, results: Results) -> None:
    show_all(page, results)
    plots = visible_plots(page)
    assert plots
    for plot in plots:
        assert plot.plot.title
        assert plot.canvas.accessibleName() == plot.plot.title
    assert page.state is PlanState.CURRENT
    assert veil_text(page) == ""


def test_hidden_page_draws_when_it_is_seen(shown: Show, results: Results) -> None:
    page = OverviewPage()
    page.show_results(results)
    assert page.findChildren(PlotView) == []
    shown(page)
    wait_for_plots(page)
    assert len(visible_plots(page)) == 4


def test_plots_of_a_page_that_is_resized_take_their_room_in_turns_of_their_own(shown: Show, results: Results) -> None:
    page = OverviewPage()
    shown(page)
    show_all(page, results)
    QTest.qWait(50)

    def fitting() -> int:
        return sum(view.canvas.size() == view._place.size() for view in visible_plots(page))

    assert fitting() == len(visible_plots(page)) == 4
    page.resize(page.width() + 200, page.height() + 100)
    fits = [fitting()]
    while fits[-1] < 4 and len(fits) < 100:
        QApplication.processEvents()
        fits.append(fitting())
    assert (fits[0], fits[-1]) == (0, 4)
    assert all(after - before <= 1 for before, after in pairwise(fits))
    # All of it is laid out and measured by then: a paint finds nothing that moves the rest.
    for view in visible_plots(page):
        assert view.plot.item.size().width() == pytest.approx(view.canvas.width(), abs=2)


def test_plots_of_a_page_that_comes_back_are_painted_in_turns_of_their_own(shown: Show, results: Results) -> None:
    page = OverviewPage()
    shown(page)
    show_all(page, results)
    page.hide()
    page.show()
    seen = [len(visible_plots(page))]
    while page.is_drawing():
        QApplication.processEvents()
        seen.append(len(visible_plots(page)))
    assert (seen[0], seen[-1]) == (0, 4)
    assert all(after - before <= 1 for before, after in pairwise(seen))


def test_hidden_page_lets_go_of_the_plan_that_it_drew(shown: Show, results: Results, qtbot: QtBot) -> None:
    page = MemoryPage()
    shown(page)
    old = replace(results)
    page.show_results(old)
    qtbot.waitUntil(lambda: not page.is_drawing(), timeout=20_000)
    held = weakref.ref(old)
    del old
    page.hide()
    newer = replace(results)
    page.show_results(newer)
    gc.collect()
    assert held() is None
    page.show()
    qtbot.waitUntil(lambda: all(view.plot.results is newer for view in page._plots.values()), timeout=20_000)


def test_states_say_what_is_the_matter(page: PlotPage, results: Results) -> None:
    page.set_state(PlanState.EMPTY, "Add a model first.")
    assert veil_text(page) == "Add a model first."
    page.set_state(PlanState.COMPUTING)
    assert veil_text(page) == "Computing…"
    show_all(page, results)
    page.set_state(PlanState.COMPUTING)
    assert not page._veil.isVisible()
    page.set_state(PlanState.FAILED, "The calibration file is damaged.")
    assert veil_text(page) == "The calibration file is damaged."
    assert page._veil._is_dimming
    page.set_state("outdated")  # type: ignore[arg-type]
    assert page._veil.isVisible()
    show_all(page, results)
    assert not page._veil.isVisible()


def test_markup_in_a_message_stays_text(page: PlotPage) -> None:
    page.set_state(PlanState.FAILED, "<b>x</b><img src=y>")
    label = page._veil.findChildren(QLabel)[0]
    assert label.textFormat() is Qt.TextFormat.PlainText


def test_page_follows_the_theme(page: PlotPage, results: Results, qapp: QApplication) -> None:
    show_all(page, results)
    try:
        theme.apply_theme(qapp, theme.ThemeChoice.DARK)
        wait_for_plots(page)
        assert all(plot.plot.theme.is_dark for plot in visible_plots(page))
    finally:
        theme.apply_theme(qapp, theme.ThemeChoice.LIGHT)
        wait_for_plots(page)
    assert not any(plot.plot.theme.is_dark for plot in visible_plots(page))


def test_memory_of_a_service_alone(shown: Show, results: Results) -> None:
    page = MemoryPage()
    shown(page)
    show_all(page, replace(results, plan=msgspec.structs.replace(results.plan, training=None)))
    assert [view.plot.workload for view in visible_plots(page)] == ["serving", "serving"]


def test_overview_of_a_training_job_shows_training(shown: Show, results: Results) -> None:
    page = OverviewPage()
    shown(page)
    show_all(page, replace(results, plan=msgspec.structs.replace(results.plan, serving=None)))
    assert {plot.plot.workload for plot in visible_plots(page)} == {"training"}


def test_clicked_bar_is_the_candidate_picked(qtbot: QtBot, shown: Show, results: Results) -> None:
    page = CostPage()
    shown(page)
    show_all(page, results)
    view = page.plot_view("serving")
    box = view.plot.item.getViewBox()
    row = 1
    scene_place = box.mapViewToScene(box.mapToView(box.boundingRect().center()))
    scene_place.setY(box.mapViewToScene(box.viewRect().center()).y())
    target = box.mapViewToScene(type(scene_place)(0.0, row))
    target.setX(scene_place.x())
    place = view.canvas.mapFromScene(target)
    with qtbot.waitSignal(page.candidate_selected) as picked:
        qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert picked.args == ["serving", view.plot.candidates[row]]  # type: ignore[attr-defined]


def test_dragged_target_is_an_edit(shown: Show, results: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    # pyqtgraph drops moves that come closer together than a hand's.
    monkeypatch.setitem(pg.CONFIG_OPTIONS, "mouseRateLimit", 0)
    page = LoadPage()
    shown(page)
    show_all(page, results)
    QApplication.processEvents()  # lays out
    view = page.plot_view("ttft")
    box = view.plot.item.getViewBox()
    line = next(one for one in view.plot.marks.targets if one.isVisible())  # type: ignore[attr-defined]
    # Away from the label at the left end, which is no handle.
    x = sum(box.viewRange()[0]) * 0.7
    start = view.canvas.mapFromScene(box.mapViewToScene(type(box.viewRect().center())(x, line.value())))
    end = view.canvas.mapFromScene(box.mapViewToScene(type(box.viewRect().center())(x, line.value() - 0.25)))
    edits: list[tuple[str, float]] = []
    page.value_edited.connect(lambda path, value: edits.append((path, value)))
    drag(view.canvas.viewport(), start, end)
    assert edits
    assert {path for path, _ in edits} == {"serving.classes[0].slos[0].limit_s"}
    assert edits[-1][1] < 1.0


def test_numbers_of_a_plot_can_be_read_and_copied(qtbot: QtBot, shown: Show, results: Results) -> None:
    page = MemoryPage()
    shown(page)
    show_all(page, results)
    view = page.plot_view("serving")
    view.show_as_table(True)
    assert view._table.rows_model.rowCount() == len(view.plot.as_rows().cells)
    assert view._table.rows_model.index(0, 1).data().endswith("B")
    view.copy_numbers()
    assert QGuiApplication.clipboard().text().startswith("Candidate\tWeights [bytes]")
    view.copy_picture()
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())


def test_disk_that_refuses_is_told(qtbot: QtBot, shown: Show, results: Results, monkeypatch, tmp_path) -> None:
    page = MemoryPage()
    shown(page)
    show_all(page, results)
    told: list[str] = []
    monkeypatch.setattr(
        "gpuplanner_gui.desktop.pages.plot_view.QMessageBox.warning", lambda parent, title, text: told.append(text)
    )
    page.plot_view("serving").save_as(tmp_path / "missing" / "plot.png")
    qtbot.waitUntil(lambda: bool(told))
    assert len(told) == 1
    assert "plot.png" in told[0]
    assert told[0].endswith(".")


def test_columns_follow_the_shape_of_the_page() -> None:
    assert best_columns(4, 980, 360) == 2
    assert best_columns(2, 980, 300) == 2
    assert best_columns(2, 700, 1100) == 1
    assert best_columns(0, 0, 0) == 1
    assert best_columns(3, 300, 900) == 1
