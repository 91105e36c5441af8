"""Plots hold what results say, keep their items, hold their ranges, say their sentence, and give their numbers."""

from __future__ import annotations

import gc
import math
import weakref
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuplanner_gui.domain.decision import Headline, Rival, UncertaintyAnswer
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.palette import DARK, LIGHT
from gpuplanner_gui.drawing.plots.bars import LABEL_PIXELS, ROW_PIXELS, RowItem, Span
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot, ResourceUsePlot, StepTimePlot
from gpuplanner_gui.drawing.plots.export import content_steps, done, plot_widget, png_bytes, svg_bytes
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.plots.pens import tick_font
from gpuplanner_gui.drawing.plots.phase_shares import BatchSharesPlot, PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.plots.uncertainty import MOST_RATIO, BandsPlot, RivalsPlot
from gpuplanner_gui.drawing.results import Decision, Results
from tests.drawing import synthetic

pytestmark = pytest.mark.usefixtures("short_simulations")

PLOTS: dict[str, Callable[[], Plot]] = {
    "first token": lambda: LatencyPlot("ttft"),
    "each token": lambda: LatencyPlot("tpot"),
    "whole request": lambda: LatencyPlot("e2e"),
    "serving roofline": lambda: RooflinePlot("serving"),
    "training roofline": lambda: RooflinePlot("training"),
    "prefill roofline": lambda: RooflinePlot("serving", phase="prefill"),
    "decode roofline": lambda: RooflinePlot("serving", phase="decode"),
    "phase shares": PhaseSharesPlot,
    "batch shares": BatchSharesPlot,
    "memory frontier": MemoryFrontierPlot,
    "serving memory": lambda: MemoryPlot("serving"),
    "training memory": lambda: MemoryPlot("training"),
    "serving step": lambda: StepTimePlot("serving"),
    "training step": lambda: StepTimePlot("training"),
    "serving cost": lambda: CostPlot("serving"),
    "training cost": lambda: CostPlot("training"),
    "scaling": ScalingPlot,
    "resource use": ResourceUsePlot,
}


@pytest.fixture(scope="module")
def results() -> Results:
    return synthetic.results()


@pytest.fixture(params=PLOTS)
def plot(request: pytest.FixtureRequest, qapp: QApplication) -> Plot:
    return PLOTS[request.param]()


def test_plot_says_a_sentence_and_gives_its_numbers(plot: Plot, results: Results) -> None:
    plot.show(results)
    assert plot.message == ""
    assert len(plot.title.split()) > 2
    rows = plot.as_rows()
    assert rows.cells
    assert all(len(row) == len(rows.columns) for row in rows.cells)


def test_plot_keeps_its_items(plot: Plot, results: Results) -> None:
    plot.show(results)
    before = [id(item) for item in plot.item.items]
    plot.show(replace(results, selected={"serving": 5, "training": 7}))
    plot.show(results)
    assert [id(item) for item in plot.item.items] == before


def test_parts_of_the_selected_bar_are_named_where_they_are_long_enough(qapp: QApplication, results: Results) -> None:
    plot = StepTimePlot("serving")
    widget = plot_widget(plot)
    widget.resize(900, 320)
    widget.show()
    plot.show(results)
    plot.fit(900, 320)
    widget.grab()
    longest = plot.candidates[int(np.argmax(plot.drawn_lengths.sum(axis=1)))]
    plot.show(replace(results, selected={"serving": longest}))
    widget.grab()
    long = int(np.argmax(plot.drawn_lengths[plot.candidates.index(longest)]))
    legend = ["Compute", "Memory bandwidth", "Interconnect", "Host and launch"]
    named = plot.labels.shown()
    assert legend[long] in named
    widget.resize(330, 320)
    plot.fit(330, 320)
    widget.grab()
    assert not set(plot.labels.shown()) & {"Memory bandwidth", "Interconnect"}, "no room"


def test_a_plot_that_nothing_holds_is_given_back(plot_given_up: weakref.ref[pg.PlotItem]) -> None:
    """Closed windows, other languages and exports leave plots behind; each has some forty widgets of its own."""
    gc.collect()
    assert plot_given_up() is None


@pytest.fixture(params=PLOTS)
def plot_given_up(request: pytest.FixtureRequest, qapp: QApplication, results: Results) -> weakref.ref[pg.PlotItem]:
    plot = PLOTS[request.param]()
    plot.show(results)
    return weakref.ref(plot.item)


def test_symbols_are_rendered_once_however_often_a_plot_is_drawn(plot: Plot, results: Results) -> None:
    plot.show(results)
    points = [one for one in plot.item.items if isinstance(one, pg.ScatterPlotItem)]
    rendered = [len(one.fragmentAtlas) for one in points]
    for _ in range(3):
        plot.draw_again()
    assert [len(one.fragmentAtlas) for one in points] == rendered


def test_plot_says_why_it_is_empty(plot: Plot, results: Results) -> None:
    nothing = replace(
        results,
        load_curve=None,
        rooflines={},
        plan=msgspec.structs.replace(results.plan, serving=None, training=None),
    )
    plot.show(nothing)
    assert plot.message.endswith((".", "…"))
    plot.show(results)
    assert plot.message == ""


def test_plot_is_drawn_in_both_themes_and_exported(plot: Plot, results: Results) -> None:
    plot.show(results)
    light = QImage.fromData(png_bytes(plot, 480, 300, 1.0))
    plot.use_theme(DARK)
    dark = QImage.fromData(png_bytes(plot, 480, 300, 1.0))
    assert light.size() == dark.size()
    assert light.pixelColor(2, 2).name() == LIGHT.surface.lower()
    assert dark.pixelColor(2, 2).name() == DARK.surface.lower()
    colours = {light.pixel(x, y) for x in range(480) for y in range(300)}
    assert len(colours) > 6
    svg = ElementTree.fromstring(svg_bytes(plot))
    assert len(list(svg.iter())) > 20
    for suffix in (".png", ".svg", ".csv"):
        assert len(done(content_steps(plot, suffix))()) > 50


def test_unknown_suffix_is_refused(qapp: QApplication) -> None:
    with pytest.raises(ValueError, match="suffix"):
        done(content_steps(LatencyPlot(), ".exe"))


def test_small_plots_leave_out_what_has_no_room(plot: Plot, results: Results) -> None:
    plot.show(results)
    plot.fit(300, 80)
    assert not plot.legend.isVisible()
    plot.fit(600, 400)
    assert plot.legend.isVisible()


def curve_of(plot: LatencyPlot, name: str) -> tuple[np.ndarray, np.ndarray]:
    return plot._curves[name].getData()


def test_latency_stands_on_a_log_axis(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    assert results.load_curve is not None
    x, y = curve_of(plot, "p95")
    assert x == pytest.approx(results.load_curve.rates_per_s)
    assert y == pytest.approx(np.log10(results.load_curve.ttft_s["p95"]))


def test_target_line_stands_at_its_limit_and_its_drag_edits_the_scenario(qtbot: QtBot, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    line = next(line for line in plot.marks.targets if line.isVisible())
    assert line.value() == pytest.approx(0.0)
    with qtbot.waitSignal(plot.value_edited) as edited:
        line.setValue(np.log10(0.5))
        line.sigDragged.emit(line)
    assert edited.args == ["serving.classes[0].slos[0].limit_s", 0.5]


def test_line_in_the_hand_is_not_moved_by_results(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    line = next(line for line in plot.marks.targets if line.isVisible())
    line.moving = True
    line.setValue(-0.3)
    plot.show(results)
    assert line.value() == pytest.approx(-0.3)


def test_title_says_the_rate_at_which_the_curve_meets_the_target(qapp: QApplication, results: Results) -> None:
    assert results.load_curve is not None
    plot = LatencyPlot("ttft")
    plot.show(results)
    # p95 = 0.208 / (1 - rate / 9) reaches 1 s at 9 × (1 - 0.208).
    assert plot.title == "TTFT p95 meets its target up to 7.12 req/s per replica (quick estimate)"
    slow = {name: values * 100 for name, values in results.load_curve.ttft_s.items()}
    plot.show(replace(results, load_curve=msgspec.structs.replace(results.load_curve, ttft_s=slow)))
    assert plot.title == "TTFT p95 exceeds 1 s at every rate"


def test_title_says_which_target_limits_where_it_is_another_plots(qapp: QApplication, results: Results) -> None:
    assert results.load_curve is not None
    assert results.scenario.serving is not None
    (chat,) = results.scenario.serving.classes
    slos = (Slo(metric="ttft", limit_s=1.0), Slo(metric="tpot", limit_s=0.05))
    classes = (msgspec.structs.replace(chat, slos=slos),)
    scenario = msgspec.structs.replace(
        results.scenario, serving=msgspec.structs.replace(results.scenario.serving, classes=classes)
    )
    rates = results.load_curve.rates_per_s
    # 0.02 / (1 - rate / 9) reaches 50 ms at 9 × (1 - 0.4).
    slow = msgspec.structs.replace(results.load_curve, tpot_s={"p50": rates * 0, "p95": 0.02 / (1 - rates / 9)})
    shown = replace(results, scenario=scenario, load_curve=slow)
    plot = LatencyPlot("ttft")
    plot.show(shown)
    assert plot.title == ("Targets met: TPOT p95 up to 5.40 req/s, TTFT p95 up to 7.12 req/s (quick estimate)")
    assert plot.marks.limit.isVisible(), "the rate that the title names is drawn"
    assert plot.marks.limit.value() == pytest.approx(5.4, rel=0.01)
    assert [one.text for one in plot.marks.names if "up to" in one.text] == ["TPOT p95 target: up to 5.40 req/s"]
    plot = LatencyPlot("tpot")
    plot.show(shown)
    assert not plot.marks.limit.isVisible(), "its own target's line is crossed there"
    assert plot.title == "TPOT p95 meets its target up to 5.40 req/s per replica (quick estimate)"


def test_range_is_held_while_the_curve_moves_a_little(qapp: QApplication, results: Results) -> None:
    assert results.load_curve is not None
    plot = LatencyPlot("ttft")
    plot.show(results)
    before = plot.item.getViewBox().viewRange()
    moved = {name: values * 1.05 for name, values in results.load_curve.ttft_s.items()}
    plot.show(replace(results, load_curve=msgspec.structs.replace(results.load_curve, ttft_s=moved)))
    assert plot.item.getViewBox().viewRange() == before


def test_zoom_of_the_planner_is_kept_until_asked_back(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    view = plot.item.getViewBox()
    whole = view.viewRange()
    view.setRange(xRange=(1, 2), yRange=(-1, 0), padding=0)
    view.sigRangeChangedManually.emit([True, True])
    plot.show(results)
    assert view.viewRange()[0] == pytest.approx([1, 2])
    plot.zoom_back()
    assert view.viewRange() == whole


def test_readout_names_the_latencies_at_a_rate(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    said = plot.readout_at(4.5, 0.0)
    assert "p95" in said
    assert "req/s" in said
    assert plot.readout_at(-1.0, 0.0) == ""


def test_roofline_points_stand_under_the_ceilings(qapp: QApplication, results: Results) -> None:
    plot = RooflinePlot("serving")
    plot.show(results)
    roofline = results.rooflines["serving"]
    positions = [(point.pos().x(), point.pos().y()) for point in plot._points.points()]
    assert len(positions) == len(roofline.points)
    for x, y in positions:
        ceiling = min(x + np.log10(roofline.bandwidth_bytes_per_s), np.log10(max(roofline.peak_flop_per_s.values())))
        assert y <= ceiling + 1e-9
    assert "prefill is bound by compute, decode is bound by memory bandwidth" in plot.title


def test_memory_bars_start_with_the_selected_candidate_marked(qtbot: QtBot, results: Results) -> None:
    plot = MemoryPlot("serving")
    plot.show(results)
    assert results.plan.serving is not None
    assert results.plan.serving.best in plot.candidates
    row = plot.candidates.index(results.plan.serving.best)
    assert plot.bars.chosen_row == row
    other = next(place for place in range(len(plot.candidates)) if place != row)
    with qtbot.waitSignal(plot.candidate_picked) as picked:
        plot.clicked_at(1e9, other + 0.1)
    assert picked.args == ["serving", plot.candidates[other]]


def test_separate_pools_have_a_memory_bar_each(qapp: QApplication, results: Results) -> None:
    assert results.plan.serving is not None
    answer, best = results.plan.serving, results.plan.serving.best
    memory = (("weights", 3e10), ("kv_cache", 1e9), ("activation", 2e9), ("runtime", 4e9))
    changed = {"prefill_workers": 2.0, "decode_workers": 1.0, "prefill_tensor_parallel": 4.0}
    changed |= {f"prefill_{name}_bytes": size for name, size in memory}
    columns = {name: getattr(answer.table, name).copy() for name in changed}
    for name, value in changed.items():
        columns[name][best] = value
    table = msgspec.structs.replace(answer.table, **columns)
    plan = msgspec.structs.replace(results.plan, serving=msgspec.structs.replace(answer, table=table))
    plot = MemoryPlot("serving")
    plot.show(replace(results, plan=plan))
    rows = {str(row[0]): row[1:] for row in plot.as_rows().cells}
    (prefill,) = [sizes for name, sizes in rows.items() if name.startswith("Prefill worker")]
    (decode,) = [sizes for name, sizes in rows.items() if name.startswith("Decode worker")]
    assert prefill[:4] == pytest.approx([size for _, size in memory])
    assert decode[0] == pytest.approx(table.weights_bytes[best])
    assert plot.candidates.count(best) == 2


def test_memory_that_lacks_is_said(qapp: QApplication, results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    # The mark stands at what the engine may use, so what lacks is what the bar has beyond it.
    used = table.weights_bytes + table.kv_cache_bytes + table.activation_bytes + table.runtime_bytes
    short = np.flatnonzero((table.reason == Reason.DOES_NOT_FIT) & (used > 0.9 * table.memory_capacity_bytes))[0]
    plot = MemoryPlot("serving")
    plot.show(replace(results, selected={"serving": int(short)}))
    assert plot.title.startswith("Does not fit: ")


def test_parts_of_a_bar_add_up_to_the_cost(qapp: QApplication, results: Results) -> None:
    plot = CostPlot("serving")
    plot.show(results)
    assert plot.drawn_lengths.sum(axis=1) == pytest.approx(np.nan_to_num(plot._costs))


@pytest.mark.parametrize("split", [0.5, 0.501, 0.5015, 0.502, 0.503])
def test_a_line_stands_between_parts_wherever_they_meet(qapp: QApplication, split: float) -> None:
    """The next part covered it at some places, as pixels are rounded."""
    item, image = RowItem(), QImage(400, 40, QImage.Format.Format_RGB32)
    spans = [Span(0, 0.0, split, "#ff0000"), Span(0, split, 0.9, "#00ff00")]
    item.show_rows(1, (0.0, 1.0), DARK, spans, ())
    image.fill(QColor("#0000ff"))
    painter = QPainter(image)
    painter.scale(400, 40)
    painter.translate(0.0, 0.5)
    item.paint(painter)
    painter.end()
    seen = [image.pixelColor(round(400 * split) + step, 20).name() for step in range(-2, 3)]
    assert DARK.surface.lower() in seen


def test_no_colour_is_drawn_that_the_legend_does_not_name(qapp: QApplication) -> None:
    """A part too short for the legend was drawn as the thinnest span: five times as long."""
    plot = CostPlot("serving")
    lengths = np.array([[0.0, 1.0, 0.0004, 0.0, 0.002, 0.5], [0.0, 0.6, 0.0002, 0.0, 0.0, 0.2]])
    plot.show_stacks(("one", "other"), plot.parts(), lengths)
    named = {entry.colour for entry in plot.legend_entries()}
    assert {span.colour for span in plot.bars.spans} == named
    assert len(named) == 3


def test_steps_eight_times_as_long_as_the_plans_are_drawn_whole(qapp: QApplication, results: Results) -> None:
    """Cut at four times the plan's 5.07 s, bars of 28.5 s and 41.4 s looked alike."""
    answer, selected = results.plan.training, results.candidate("training")
    assert answer is not None
    compute = (
        np.where(np.arange(len(answer.table.compute_s)) == selected, 1.0, 8.0) * answer.table.step_time_s[selected]
    )
    slower = msgspec.structs.replace(answer, table=msgspec.structs.replace(answer.table, compute_s=compute))
    plot = StepTimePlot("training")
    plot.show(replace(results, plan=msgspec.structs.replace(results.plan, training=slower)))
    lengths = plot.drawn_lengths.sum(axis=1)
    assert lengths.max() > 4 * lengths[plot.bars.chosen_row]
    assert plot.item.getViewBox().viewRange()[0][1] >= lengths.max()
    assert " on " in plot.title.split(";")[0], "the number of devices"


def test_scaling_draws_one_curve_for_each_device_and_the_deadline(qtbot: QtBot, results: Results) -> None:
    plot = ScalingPlot()
    plot.show(results)
    drawn = [curve for curve in plot._curves if curve.getData()[0] is not None]
    assert len(drawn) == len(plot._sizes) > 1
    # Each in the legend, by its symbol: a name along a curve stood at that of another device.
    named = zip(plot.legend.entries, plot._sizes, strict=True)
    assert all(entry.name.startswith(name[:20]) for entry, (name, _) in named)
    assert len({entry.style for entry in plot.legend.entries}) == len(drawn)
    assert 10 ** plot._deadline.value() == pytest.approx(14 * 86400)
    with qtbot.waitSignal(plot.value_edited) as edited:
        plot._deadline.setValue(np.log10(7 * 86400.0))
        plot._deadline.sigPositionChangeFinished.emit(plot._deadline)
    assert edited.args[0] == "training.deadline_s"
    assert edited.args[1] == pytest.approx(7 * 86400, rel=0.02)


@pytest.fixture(params=[1.0, 1.5, 2.0])
def type_size(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[float]:
    before = qapp.property("fontScale")
    qapp.setProperty("fontScale", request.param)
    yield request.param
    qapp.setProperty("fontScale", before)


def test_axes_hold_their_texts_at_every_size_of_type(type_size: float, results: Results) -> None:
    plot = RooflinePlot("serving")
    canvas = plot_widget(plot)
    canvas.resize(round(500 * type_size), round(200 * type_size))
    plot.fit(500 * type_size, 200 * type_size)
    plot.show(results)
    below, left = plot.item.getAxis("bottom"), plot.item.getAxis("left")
    assert below.height() >= QFontMetricsF(tick_font()).height() + below.style["tickTextOffset"][1]
    title = left.label.boundingRect().height()
    assert left.width() == pytest.approx(RooflinePlot.Y_AXIS_WIDTH * type_size + title, abs=2)


def test_a_plot_keeps_no_picture_of_its_ground(qapp: QApplication) -> None:
    """It would be as large as the plot was last shown, for each of a hundred plots."""
    assert plot_widget(BandsPlot()).cacheMode() == pg.PlotWidget.CacheModeFlag.CacheNone


def test_a_plot_shows_as_much_of_itself_at_every_size_of_type(type_size: float, results: Results) -> None:
    plot = MemoryPlot("serving", rows=9)
    axis = 22 + LABEL_PIXELS
    plot.fit(400 * type_size, (axis + 6.5 * ROW_PIXELS) * type_size + plot.legend.wanted_height())
    assert plot.item.getAxis("bottom").label.isVisible()
    assert plot.rows == 6
    assert plot.legend.isVisible()
    plot.fit(400 * type_size, 90 * type_size)
    assert not plot.legend.isVisible()


def test_nothing_is_painted_outside_what_a_bar_chart_says_it_covers(qapp: QApplication, results: Results) -> None:
    plot = CostPlot("serving")
    plot.show(results)
    (_, end), _ = plot.item.getViewBox().viewRange()
    # The ground of the selected candidate's row goes to the view's end; it stayed when another was selected.
    assert plot.bars.boundingRect().right() >= end


def test_numbers_of_a_band_go_with_its_curve(results: Results, qapp: QApplication) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    rows = plot.as_rows()
    names = [column.title for column in rows.columns]
    p95, low, high = (names.index(f"TTFT p95{end}") for end in ("", ", 80 % range, low", ", 80 % range, high"))
    known = [row for row in rows.cells if row[p95] == row[p95]]
    assert known
    assert all(float(row[low]) < float(row[p95]) < float(row[high]) for row in known)
    assert rows.columns[low].unit == "s"


def test_what_is_hidden_is_not_read_out(results: Results, qapp: QApplication) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    assert plot.columns is not None
    x = plot.x_scale.place_one(plot.columns.planned_rate_per_s)
    assert "p99" in plot.readout_at(x, 0.0)
    plot.toggle("p99")
    assert "p99" not in plot.readout_at(x, 0.0)
    assert "p95" in plot.readout_at(x, 0.0)


@pytest.mark.parametrize("kind", [ScalingPlot, BatchSharesPlot])
def test_numbers_without_a_unit_are_told_by_the_title_of_their_axis(
    kind: type[ScalingPlot | BatchSharesPlot], qapp: QApplication
) -> None:
    """1, 10, 100 of what? Ticks such as 5 req/s say it themselves."""
    plot = kind()
    plot.fit(400, 150)
    assert plot.item.getAxis("bottom").label.isVisible()
    assert not plot.item.getAxis("left").label.isVisible()
    plot.fit(400, 80)
    assert not plot.item.getAxis("bottom").label.isVisible()


def test_bars_have_texts_at_both_ends_of_their_axis(qapp: QApplication, results: Results) -> None:
    plot = BandsPlot()
    widget = plot_widget(plot)
    widget.resize(490, 260)
    widget.show()
    plot.fit(490, 260)
    plot.show(results)
    widget.grab()
    axis = plot.item.getAxis("bottom")
    axis.measure()
    texts = [text for _, _, text in axis.picture[0][2]]
    assert texts[0] == "0"
    assert len(texts) >= 3


def test_the_runner_up_is_named_though_it_has_no_row(results: Results, qapp: QApplication) -> None:
    names = [*results.catalog.accelerators][:3]
    shares = (0.5, 0.1, 0.3)
    rivals = tuple(
        Rival(workload="serving", candidate=place, accelerator=name, p10_usd=1.0, p50_usd=2.0, p90_usd=3.0,
              best_share=share, beats_recommended=0.0)
        for place, (name, share) in enumerate(zip(names, shares, strict=True))
    )  # fmt: skip
    answer = UncertaintyAnswer(
        samples=10, seed=1, headlines=(), tornados=(), probabilities=(), rivals=rivals, measurements=(), inputs=()
    )
    plot = RivalsPlot("serving")
    plot.rows = 2
    plot.show(replace(results, decision=Decision(uncertainty=answer)))
    assert len(plot.candidates) == 2
    assert plot.title.endswith(f"{results.catalog.accelerators[names[2]].name} in 30 %")
    two = tuple(msgspec.structs.replace(one, best_share=share) for one, share in zip(rivals, (0.9995, 0.0005)))
    rare = msgspec.structs.replace(answer, rivals=two)
    plot.show(replace(results, decision=Decision(uncertainty=rare)))
    assert [row[4] for row in plot.table(results).cells] == ["over 99 %", "under 1 %"]  # One of 2 000 simulations.


def headline(code: str, p90: float, limit: float = math.nan) -> Headline:
    unit = "s" if code.endswith("_s") else ""
    return Headline(code=code, unit=unit, planned=1.0, p10=0.5, p50=1.0, p90=p90, input_share=0.5, limit=limit)


def test_a_band_beyond_the_axis_ends_in_an_arrow_and_a_limit_there_is_told(
    qapp: QApplication, results: Results
) -> None:
    headlines = (
        headline("serving.ttft_p95_s", 9.0, limit=7.0), headline("serving.e2e_p95_s", math.inf),
        headline("serving.tpot_p95_s", 2.0, limit=3.0), headline("serving.replicas_needed", 3.0),
    )  # fmt: skip
    answer = UncertaintyAnswer(
        samples=10, seed=1, headlines=headlines, tornados=(), probabilities=(), rivals=(), measurements=(), inputs=()
    )
    plot = BandsPlot()
    widget = plot_widget(plot)
    widget.resize(900, 300)
    widget.show()
    plot.fit(900, 300)
    plot.show(replace(results, decision=Decision(uncertainty=answer)))
    picture = widget.grab().toImage()
    view = plot.item.getViewBox()

    def ends_in_an_arrow(row: int) -> bool:
        place = widget.mapFromScene(view.mapViewToScene(QPointF(MOST_RATIO, row)))
        return bool(picture.pixelColor(place.x() - 3, place.y()) == QColor(plot.theme.accent))

    assert [ends_in_an_arrow(row) for row in range(4)] == [True, True, False, False]
    # Also where the mark is on the axis: a red line had no number.
    targets = ["0.50–9.00 s, target 7 s", "0.50–2.00 s, target 3 s"]
    assert [note for note in plot.labels.shown() if "target" in note] == targets
    assert "100 %: the result of the inputs as entered (1 replica with spares, without headroom)" in plot.title
    assert "target, budget or deadline" in [one.name for one in plot.legend.entries]
    beyond = msgspec.structs.replace(answer, headlines=headlines[:2])
    plot.show(replace(results, decision=Decision(uncertainty=beyond)))
    assert "target 7 s" in " ".join(plot.labels.shown())
    assert "target, budget or deadline" not in [one.name for one in plot.legend.entries], "no such mark is seen"
