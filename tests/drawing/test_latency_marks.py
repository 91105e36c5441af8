"""Names of lines in the latency plot: none lies on another, each says whose target it is."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import msgspec
import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.domain.load_result import METRICS, STATISTICS
from gpuplanner_gui.domain.workload import RequestClass, Slo
from gpuplanner_gui.drawing.plots.export import plot_widget
from gpuplanner_gui.drawing.plots.latency_marks import simulated_columns
from gpuplanner_gui.drawing.plots.load import LatencyPlot, refined
from gpuplanner_gui.drawing.results import LoadSimulation, Results
from gpuplanner_gui.engine.serving.curves import latency_band_s
from tests.drawing import synthetic
from tests.drawing.words.test_load import RATES, curve

LIMITS_S = {"chat": 1.0, "search {0}": 0.9, "batch": 0.25}
"""Two of them so near to each other that their names would lie on each other; one with braces in its name."""

LEAD = 1
"""Above and below the letters of a line. [pixels]"""


@pytest.fixture
def results() -> Results:
    """Three classes with a target of TTFT each, and a simulation whose rates are close together."""
    plain = synthetic.results()
    classes = tuple(
        RequestClass(name=name, peak_rate_per_s=1.0, slos=(Slo(metric="ttft", limit_s=limit_s),))
        for name, limit_s in LIMITS_S.items()
    )
    assert plain.scenario.serving is not None
    scenario = msgspec.structs.replace(
        plain.scenario, serving=msgspec.structs.replace(plain.scenario.serving, classes=classes)
    )
    simulated = curve(max_rate_per_s=7.3, knee_rate_per_s=6.9, targets_s=(RATES * 0.1, RATES * 0.3, RATES * 0.2))
    simulation = LoadSimulation(candidate=plain.candidate("serving"), curve=simulated)
    return replace(plain, scenario=scenario, simulation=simulation)


def named_boxes(plot: LatencyPlot) -> dict[str, QRectF]:
    """Where the names that are shown stand in the scene, without the margin and the lead around the text."""
    boxes = {}
    for one in plot.item.items:
        if isinstance(one, pg.TextItem) and one.isVisible():
            text, margin = one.textItem, one.textItem.document().documentMargin()
            inside = text.boundingRect().adjusted(margin, margin + LEAD, -margin, -margin - LEAD)
            boxes[text.toPlainText()] = text.mapRectToScene(inside)
    return boxes


@pytest.mark.parametrize("size", [(430, 170), (430, 180), (800, 300)])
def test_no_name_lies_on_another(qapp: QApplication, results: Results, size: tuple[int, int]) -> None:
    plot = LatencyPlot("ttft")
    widget = plot_widget(plot)
    widget.resize(*size)
    widget.show()
    plot.show(results)
    plot.fit(*size)
    widget.grab()
    boxes = named_boxes(plot)
    # In little room "saturates at" and "TTFT p95 knee at" are left out where they would lie on a curve; targets never.
    assert len(boxes) - ("TTFT" in boxes) in (4, 5, 6)
    assert sum("≤" in name for name in boxes) == 3
    for (one, first), (other, second) in combinations(boxes.items(), 2):
        assert not first.intersects(second), f"{one} lies on {other}"
    view = plot.item.getViewBox().sceneBoundingRect()
    assert all(view.contains(box) for box in boxes.values())


def test_both_axes_have_a_title_in_a_quarter_of_a_small_page(qapp: QApplication) -> None:
    """At 1366 × 768, a heading of two lines left 190 pixels, and that plot alone of four had no title below."""
    plot = LatencyPlot("ttft")
    widget = plot_widget(plot)
    plot.show(synthetic.results())
    plot.fit(490, 190)
    assert all(plot.item.getAxis(side).label.isVisible() for side in ("bottom", "left"))
    assert widget


def test_names_stand_beside_curves_where_there_is_room(qapp: QApplication) -> None:
    plot = LatencyPlot("ttft")
    widget = plot_widget(plot)
    widget.resize(800, 320)
    widget.show()
    plot.show(synthetic.results())
    plot.fit(800, 320)
    widget.grab()
    boxes, view = named_boxes(plot), plot.item.getViewBox()
    assert len(boxes) == 3
    for curve_item in plot._curves.values():
        x, y = curve_item.getData()
        fine = np.linspace(x[0], x[-1], 2000)
        there = [view.mapViewToScene(QPointF(*point)) for point in zip(fine, np.interp(fine, x, y))]
        covered = [name for name, box in boxes.items() if any(box.contains(point) for point in there)]
        assert not covered


def test_a_target_says_whose_it_is_where_there_are_several_classes(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    shown = [name.text for name in plot.marks.names][:3]
    assert shown == ["chat: TTFT p95 ≤ 1 s", "search {0}: TTFT p95 ≤ 900 ms", "batch: TTFT p95 ≤ 250 ms"]


@pytest.mark.parametrize(("read_off", "told"), [(1.248, 1.24), (1.2, 1.24), (1.5, 1.5)])
def test_a_rate_read_off_the_curve_is_told_as_the_search_found_it(
    results: Results, read_off: float, told: float
) -> None:
    assert results.simulation is not None
    assert results.simulation.curve is not None
    assert results.load_curve is not None
    found = msgspec.structs.replace(results.simulation.curve, slo_rate_per_s=1.24)
    columns = simulated_columns(found, "ttft", results.load_curve)
    assert refined(read_off, columns, found) == told


def test_the_band_of_a_percentile_that_jumps_stays_beside_it(results: Results) -> None:
    assert results.load_curve is not None
    chance = {"ttft": dict.fromkeys(STATISTICS, np.array([0.0, 0.0, 1.2]))}
    simulated, closed = curve(band_s=chance, max_rate_per_s=9.0), results.load_curve
    columns = simulated_columns(simulated, "ttft", closed)
    p95 = columns.statistic("p95")
    ends_s = latency_band_s(closed, "ttft", p95, RATES, 9.0)
    low, high = columns.low_s / p95, columns.high_s / p95
    assert columns.low_s[:2] == pytest.approx(ends_s[0][:2])
    assert columns.high_s[:2] == pytest.approx(ends_s[1][:2])
    # 1.2 s by chance beside 0.3 s: up to five times, or down to a fifth, and a little more by the model.
    assert 1 / 7 < low[2] < 1 / 5
    assert 5 < high[2] < 7


def test_the_band_ends_where_its_curve_leaves_the_view(qapp: QApplication, results: Results) -> None:
    steep = {metric: dict.fromkeys(STATISTICS, np.array([0.1, 40.0, 50.0])) for metric in METRICS}
    plot = LatencyPlot("ttft")
    assert results.simulation is not None
    assert results.load_curve is not None
    calm = msgspec.structs.replace(results.load_curve, planned_rate_per_s=1.0)
    simulation = replace(results.simulation, curve=curve(latency_s=steep))
    plot.show(replace(results, simulation=simulation, load_curve=calm))
    ends = [end.getData()[0].tolist() for end in plot._band.curves]
    assert ends == [[1.0, 2.0], [1.0, 2.0]], "to the first rate beyond, not to the last"
    assert plot._curves["p95"].getData()[0].tolist() == [1.0, 2.0, 3.0]


def test_the_title_holds_each_class_against_its_own_target(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    # Of all requests p95 reaches 0.25 s at 2.5; of the third class it is 0.2 s at the first rate, 0.4 at 2.
    assert plot.title == "batch: TTFT p95 meets its target up to 1.25 req/s per replica"
    assert results.simulation is not None
    slow = replace(results.simulation, curve=curve(targets_s=(RATES, np.full(3, 2.0), RATES * 0.1)))
    plot.show(replace(results, simulation=slow))
    assert plot.title == "search {0}: TTFT p95 exceeds 900 ms at every rate"


def test_the_curve_of_a_class_crosses_its_target_where_the_title_says(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    rates, places = plot._of_class.getData()
    assert np.interp(1.25, rates, 10**places) == pytest.approx(0.25, rel=0.02)
    names = [entry.name for entry in plot.legend_entries()]
    assert {"batch: TTFT p95", "p95 of all classes, simulated"} <= set(names)
    plot.show(synthetic.results())
    assert not len(plot._of_class.getData()[0])
    assert "p95" in [entry.name for entry in plot.legend_entries()]


def test_a_vertical_axis_has_a_title_however_narrow_the_plot(qapp: QApplication) -> None:
    plot = LatencyPlot("ttft")
    widget = plot_widget(plot)
    for width in (380, 800):
        widget.resize(width, 300)
        widget.show()
        plot.show(synthetic.results())
        plot.fit(width, 300)
        widget.grab()
        is_beside = plot.item.getAxis("left").label.isVisible()
        assert is_beside is (width == 800)
        assert ("TTFT" in named_boxes(plot)) is not is_beside


def test_the_planned_rate_says_that_it_is_of_one_replica(qapp: QApplication, results: Results) -> None:
    """Where each of two replicas takes half the peak, their rate read as the mean rate of the service."""
    assert results.load_curve is not None
    plot = LatencyPlot("ttft")
    plot.show(replace(results, load_curve=msgspec.structs.replace(results.load_curve, planned_rate_per_s=2.5)))
    assert "planned 2.50 req/s per replica" in [name.text.replace("\u00a0", " ") for name in plot.marks.names]


def test_a_quick_line_beside_waiting_users_says_that_its_requests_come_at_random(
    qapp: QApplication, results: Results
) -> None:
    """The verdict's quick number is of users who wait: it lay on the simulated line, not on the quick one."""
    assert results.scenario.serving is not None
    plot = LatencyPlot("ttft")
    for arrivals, said in (("poisson", "quick estimate"), ("users", "quick estimate, random arrivals")):
        traffic = msgspec.structs.replace(results.scenario.serving.traffic, arrivals=arrivals)
        serving = msgspec.structs.replace(results.scenario.serving, traffic=traffic)
        plot.show(replace(results, scenario=msgspec.structs.replace(results.scenario, serving=serving)))
        assert said in [entry.name for entry in plot.legend_entries()]
