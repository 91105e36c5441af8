"""What a planner does with a plot: hide a curve, change a scale, point, zoom and come back, take it along."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, QSettings, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.compare import ComparePage
from gpuplanner_gui.desktop.pages.plot_menu import (
    PlotChoices,
    ask_and_save,
    file_stem,
    fill_plot_menu,
    path_with_suffix,
)
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.serving_plots import LoadPage
from gpuplanner_gui.desktop.settings import last_folder
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.plots.curves import CurvePlot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.results import Decision, Results, ScenarioOverlay

Show = Callable[[QWidget], None]


@pytest.fixture
def view(shown: Show, results: Results) -> PlotView:
    made = PlotView(lambda: LatencyPlot("ttft"))
    shown(made)
    made.show_results(results)
    QApplication.processEvents()
    return made


def actions_of(menu: QMenu) -> dict[str, QAction]:
    return {action.text().replace("&", ""): action for action in menu.findChildren(QAction)}


def curve_of(view: PlotView, name: str) -> object:
    return view.plot._curves[name]  # type: ignore[attr-defined]


def click_on_entry(qtbot: QtBot, view: PlotView, key: str) -> None:
    legend = view.plot.legend
    place = next(
        legend.mapToScene(QPointF(x, y))
        for y in range(4, int(legend.size().height()), 6)
        for x in range(2, int(legend.size().width()), 4)
        if (entry := legend.entry_at(legend.mapToScene(QPointF(x, y)))) is not None and entry.key == key
    )
    qtbot.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=view.canvas.mapFromScene(place))


def test_click_on_a_legend_entry_hides_its_curve_until_the_next(qtbot: QtBot, view: PlotView, results: Results) -> None:
    click_on_entry(qtbot, view, "p99")
    assert not curve_of(view, "p99").isVisible()  # type: ignore[attr-defined]
    assert curve_of(view, "p95").isVisible()  # type: ignore[attr-defined]
    view.show_results(results)
    assert not curve_of(view, "p99").isVisible(), "a redraw brought it back"  # type: ignore[attr-defined]
    qtbot.wait(QApplication.doubleClickInterval() + 50)
    click_on_entry(qtbot, view, "p99")
    assert curve_of(view, "p99").isVisible()  # type: ignore[attr-defined]


def test_targets_come_back_only_as_far_as_the_scenario_has_them(view: PlotView) -> None:
    lines = view.plot.marks.targets  # type: ignore[attr-defined]
    before = [line.isVisible() for line in lines]
    view.plot.toggle("target")
    assert not any(line.isVisible() for line in lines)
    view.plot.toggle("target")
    assert [line.isVisible() for line in lines] == before


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize(
    "make", [lambda: LatencyPlot("tpot"), MemoryFrontierPlot, lambda: RooflinePlot("serving", phase="decode")],
    ids=["latency", "frontier", "roofline"],
)  # fmt: skip
def test_scale_of_an_axis_changes_and_all_data_stay_in_view(
    shown: Show, results: Results, make: Callable[[], CurvePlot], axis: str
) -> None:
    made = PlotView(make)
    plot = made.plot
    assert isinstance(plot, CurvePlot)
    shown(made)
    made.show_results(results)
    was_log = plot.is_log(axis)
    for is_log in (not was_log, was_log):
        plot.use_scale(axis, is_log)
        assert plot.is_log(axis) is is_log
        view_box = plot.item.getViewBox()
        low, high = view_box.viewRange()["xy".index(axis)]
        assert all(math.isfinite(end) for end in (low, high))
        assert low < high
        axis_item = plot.item.getAxis("bottom" if axis == "x" else "left")
        ticks = axis_item.tickValues(low, high, 400)
        assert len(ticks[0][1]) >= 2, "an axis without ticks"
        assert made.grab().toImage().width() > 0


def test_scale_is_remembered_for_the_next_plot_of_its_kind(settings: QSettings) -> None:
    choices = PlotChoices()
    choices.use_settings(settings)
    first = LatencyPlot("ttft")
    first.use_scale("y", False)
    choices.note(first, "y")
    later = PlotChoices()
    later.use_settings(settings)
    second, other = LatencyPlot("ttft"), LatencyPlot("e2e")
    for plot in (second, other):
        later.apply(plot)
    assert not second.is_log("y")
    assert other.is_log("y"), "another plot was changed"


def test_a_plot_without_positive_values_offers_no_logarithm(view: PlotView) -> None:
    assert view.plot.switchable == ("x", "y")
    from gpuplanner_gui.drawing.plots.scaling_curve import ScalingCurvePlot

    assert ScalingCurvePlot("efficiency").switchable == ("x",)


def test_cross_hair_stands_at_the_same_rate_in_every_load_plot(shown: Show, results: Results) -> None:
    page = LoadPage()
    shown(page)
    page.show_results(results)
    while page.is_drawing():
        QApplication.processEvents()
    QApplication.processEvents()
    pointed, other = page.plot_view("ttft"), page.plot_view("tpot")
    other.plot.use_scale("x", True)  # type: ignore[attr-defined]
    box = pointed.plot.item.getViewBox()
    (left, right), (low, high) = box.viewRange()
    middle = QPointF(left + (right - left) * 0.4, (low + high) / 2)
    pointed._on_moved((box.mapViewToScene(middle),))
    cross = other.plot._cross[0]  # type: ignore[attr-defined]
    assert cross.isVisible()
    assert 10 ** cross.value() == pytest.approx(middle.x())
    assert "req/s" in other._readout.text()
    assert not other.plot._cross[1].isVisible()  # type: ignore[attr-defined]
    pointed._leave_cross()
    assert not cross.isVisible()
    assert other._heading.currentWidget() is other._title


def test_zoom_offers_the_way_back(qtbot: QtBot, view: PlotView) -> None:
    plot = view.plot
    assert isinstance(plot, CurvePlot)
    whole = plot.item.getViewBox().viewRange()
    assert not view._back.isVisible()
    plot.zoom(2.0)
    assert view._back.isVisible()
    assert plot.item.getViewBox().viewRange() != whole
    qtbot.mouseClick(view._back, Qt.MouseButton.LeftButton)
    assert plot.item.getViewBox().viewRange() == whole
    assert not view._back.isVisible()


def test_roofline_comes_back_from_a_zoom(shown: Show, results: Results) -> None:
    """Its drawing is skipped where nothing has changed, which must not keep the zoom."""
    made = PlotView(lambda: RooflinePlot("serving", phase="decode"))
    plot = made.plot
    assert isinstance(plot, RooflinePlot)
    shown(made)
    made.show_results(results)
    QApplication.processEvents()
    whole = plot.item.getViewBox().viewRange()
    plot.zoom(3.0)
    plot.zoom_back()
    assert plot.item.getViewBox().viewRange() == whole


def test_menu_reaches_everything_by_keyboard(view: PlotView, qtbot: QtBot) -> None:
    menu = QMenu()
    fill_plot_menu(menu, view)
    found = actions_of(menu)
    assert {"Copy Picture", "Copy Numbers", "Save Plot…", "Show as Table", "Zoom In", "Zoom Out", "Show All",
            "Logarithmic Horizontal Axis", "Logarithmic Vertical Axis", "p50", "p99"} <= set(found)  # fmt: skip
    found["p50"].trigger()
    assert "p50" in view.plot.hidden
    found["Copy Numbers"].trigger()
    assert "Rate per replica" in QGuiApplication.clipboard().text().splitlines()[0]
    found["Copy Picture"].trigger()
    qtbot.waitUntil(lambda: not QGuiApplication.clipboard().image().isNull())


@pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".csv", b"\xef\xbb\xbf")])
def test_plot_is_saved_in_each_format(view: PlotView, tmp_path: Path, qtbot: QtBot, suffix: str, begins: bytes) -> None:
    path = tmp_path / f"plot{suffix}"
    view.save_as(path)
    qtbot.waitUntil(path.exists)
    assert path.read_bytes().startswith(begins)


def test_name_without_a_suffix_takes_the_chosen_kind() -> None:
    assert path_with_suffix(Path("a/latency"), ".svg").name == "latency.svg"
    assert path_with_suffix(Path("a/2.5 req"), ".csv").name == "2.5 req.csv"
    assert path_with_suffix(Path("a/plot.PNG"), ".svg").name == "plot.PNG"


def test_file_is_named_after_the_sentence() -> None:
    assert file_stem("Holds TTFT p95 to 4.5 req/s: fine") == "holds-ttft-p95-to-4-5-req-s-fine"
    assert file_stem("…") == "plot"


def test_names_of_near_ceilings_do_not_lie_over_each_other(shown: Show, results: Results, qtbot: QtBot) -> None:
    known = results.rooflines["serving"]
    peaks = {"bf16": 1.00e15, "fp16": 1.02e15, "fp8": 1.05e15, "int8": 1.09e15}
    crowded = msgspec.structs.replace(known, peak_flop_per_s=peaks, formats=tuple(peaks))
    made = PlotView(lambda: RooflinePlot("serving", phase="decode"))
    plot = made.plot
    assert isinstance(plot, RooflinePlot)
    shown(made)
    made.show_results(replace(results, rooflines={**results.rooflines, "serving": crowded}))

    def are_apart() -> bool:
        texts = [one for one in plot.item.items if isinstance(one, pg.TextItem) and one.isVisible()]
        boxes = [one.mapRectToScene(one.boundingRect()).adjusted(0, 4, 0, -4) for one in texts]
        apart = not any(one.intersects(other) for place, one in enumerate(boxes) for other in boxes[place + 1 :])
        return {"BF16", "FP16", "FP8", "INT8"} <= set(plot.labels.shown()) and apart

    # The plot takes its size in a later turn of the event loop, and the names their places after it.
    qtbot.waitUntil(are_apart, timeout=20_000)


def with_overlay(results: Results) -> Results:
    other = msgspec.structs.replace(results.scenario, name="On another device")
    curve = results.load_curve
    assert curve is not None
    faster = msgspec.structs.replace(curve, max_rate_per_s=curve.max_rate_per_s * 2, rates_per_s=curve.rates_per_s * 2)
    overlay = ScenarioOverlay(
        scenario=other, load_curve=faster, contexts=np.array([100.0, 1e4]), concurrency=np.array([5000.0, 50.0])
    )
    decision = results.decision or Decision()
    return replace(results, decision=replace(decision, overlays=(overlay,)))


@pytest.mark.parametrize("make", [lambda: LatencyPlot("ttft"), MemoryFrontierPlot], ids=["latency", "frontier"])
def test_curve_of_another_scenario_lies_over_the_own_ones(
    shown: Show, results: Results, make: Callable[[], CurvePlot]
) -> None:
    made = PlotView(make)
    plot = made.plot
    assert isinstance(plot, CurvePlot)
    shown(made)
    made.show_results(with_overlay(results))
    curve = plot._overlays.curves[0]  # type: ignore[attr-defined]
    assert len(curve.getData()[0]) > 1
    assert "On another device" in [entry.name for entry in plot.toggles()]
    (left, right), (low, high) = plot.item.getViewBox().viewRange()
    assert "On another device" in plot.readout_at(left + (right - left) * 0.3, (low + high) / 2)
    plot.toggle("overlay0")
    assert not curve.isVisible()
    made.show_results(results)
    assert "On another device" not in [entry.name for entry in plot.legend.entries]
    assert not len(curve.getData()[0])


@pytest.mark.parametrize("make", [MemoryPlot, CostPlot])
def test_a_part_of_the_bars_is_hidden_by_its_legend_entry(make: type[MemoryPlot | CostPlot], results: Results) -> None:
    plot = make()
    plot.show(results)
    whole = plot.drawn_lengths
    named = {entry.name: entry.key for entry in plot.toggles()}
    assert len(named) == int((whole > 0).any(axis=0).sum()), "those that a bar has"
    plot.toggle("part0")
    assert not plot.drawn_lengths[:, 0].any()
    assert (plot.drawn_lengths[:, 1:] == whole[:, 1:]).all()
    plot.show(results)
    assert not plot.drawn_lengths[:, 0].any(), "it stays hidden while results change"
    plot.toggle("part0")
    assert (plot.drawn_lengths == whole).all()


def test_a_long_message_over_a_view_is_whole(shown: Show) -> None:
    page = ComparePage()
    shown(page)
    page.set_state(PlanState.EMPTY, "What is to be done so that something can be seen here, in many words. " * 3)
    QApplication.processEvents()
    label = page._veil._label
    assert label.height() >= label.heightForWidth(label.width()) > 2 * label.fontMetrics().height()


def test_plots_are_saved_where_files_were_saved_last(
    view: PlotView, settings: QSettings, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last_folder.use_settings(settings)
    asked: list[str] = []

    def answer(_parent: QWidget, _title: str, suggested: str, _kinds: str) -> tuple[str, str]:
        asked.append(suggested)
        return str(tmp_path / "picture.svg"), ""

    monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
    ask_and_save(view)
    qtbot.waitUntil((tmp_path / "picture.svg").exists)
    ask_and_save(view)
    assert (tmp_path / "picture.svg").stat().st_size > 1000
    assert [Path(one).parent for one in asked] == [Path.home(), tmp_path]
