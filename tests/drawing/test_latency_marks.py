"""Names of lines in the latency plot: none lies on another, each says whose target it is."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.domain.workload import RequestClass, Slo
from gpuplanner_gui.drawing.plots.export import plot_widget
from gpuplanner_gui.drawing.plots.label_places import Box, CurveCover, LabelPlaces
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.results import LoadSimulation, Results
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
    """Where the names of visible lines stand in the scene, without the margin and the lead around the text."""
    boxes = {}
    for line in (*plot.marks.uprights, *plot.marks.targets):
        if line.isVisible():
            text, margin = line.label.textItem, line.label.textItem.document().documentMargin()
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
    assert len(boxes) == 6
    for (one, first), (other, second) in combinations(boxes.items(), 2):
        assert not first.intersects(second), f"{one} lies on {other}"
    view = plot.item.getViewBox().sceneBoundingRect()
    assert all(view.contains(box) for box in boxes.values())


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
    shown = [line.label.textItem.toPlainText() for line in plot.marks.targets if line.isVisible()]
    assert shown == ["chat: TTFT p95 ≤ 1 s", "search {0}: TTFT p95 ≤ 900 ms", "batch: TTFT p95 ≤ 250 ms"]


def test_the_title_holds_each_class_against_its_own_target(qapp: QApplication, results: Results) -> None:
    plot = LatencyPlot("ttft")
    plot.show(results)
    # Of all requests p95 reaches 0.25 s at 2.5; of the third class it is 0.2 s at the first rate, 0.4 at 2.
    assert plot.title == "Holds batch: TTFT p95 to 1.25 req/s per replica"
    assert results.simulation is not None
    slow = replace(results.simulation, curve=curve(targets_s=(RATES, np.full(3, 2.0), RATES * 0.1)))
    plot.show(replace(results, simulation=slow))
    assert plot.title == "Never holds search {0}: TTFT p95 within 900 ms"


def test_a_name_takes_its_first_choice_unless_that_is_worse() -> None:
    places = LabelPlaces(100.0, 50.0, uprights=(70.0,))
    left, right, over_line = Box(0, 0, 30, 10), Box(33, 0, 30, 10), Box(55, 20, 30, 10)
    assert places.choose([left, right]) == 0
    assert places.choose([left, right]) == 1
    assert places.choose([Box(90, 40, 30, 10), Box(0, 40, 30, 10)]) == 1
    assert places.choose([over_line, Box(0, 20, 30, 10)]) == 1
    assert places.choose([Box(5, 22, 30, 10)]) == 0


def test_curves_are_counted_by_how_far_they_run_through() -> None:
    across = np.array([0.0, 200.0])
    level, rising = (across, np.array([50.0, 50.0])), (np.array([100.0, 104.0, 200.0]), np.array([90.0, 10.0, 10.0]))
    cover = CurveCover(200.0, 100.0, [level, rising, (np.empty(0), np.empty(0))])
    assert cover.share(Box(0, 44, 80, 12)) == 1.0
    assert cover.share(Box(-40, 44, 80, 12)) == 1.0, "of what is in view"
    assert cover.share(Box(0, 60, 80, 12)) == 0.0
    assert 0 < cover.share(Box(80, 70, 40, 12)) < 0.5, "a steep curve runs through a narrow part"
    assert cover.share(Box(300, 70, 40, 12)) == 0.0


def test_a_name_leaves_a_curve_but_stays_where_it_is_as_good() -> None:
    across = np.array([0.0, 200.0])
    places = LabelPlaces(200.0, 100.0, curves=CurveCover(200.0, 100.0, [(across, np.array([50.0, 50.0]))]))
    on_curve, above, below = Box(0, 44, 80, 12), Box(0, 10, 80, 12), Box(0, 80, 80, 12)
    assert places.choose([on_curve, above, below]) == 1
    places.taken.clear()
    assert places.choose([on_curve, above, below], present=2) == 2
    places.taken.clear()
    assert places.choose([on_curve, above, below], present=0) == 1


def test_names_that_would_lie_on_each_other_stand_on_curves_instead() -> None:
    across = np.array([0.0, 200.0])
    places = LabelPlaces(200.0, 40.0, curves=CurveCover(200.0, 40.0, [(across, np.array([30.0, 30.0]))]))
    free, on_curve = Box(0, 4, 80, 12), Box(0, 24, 80, 12)
    assert places.arrange([[free, on_curve], [free]], [-1, -1]) == [1, 0], "the first gives way to one without a choice"
    places = LabelPlaces(200.0, 40.0, curves=CurveCover(200.0, 40.0, [(across, np.array([30.0, 30.0]))]))
    assert places.arrange([[free, on_curve], [free, on_curve]], [-1, -1]) == [0, 1]
