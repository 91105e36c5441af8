"""What a click on a mark selects: every bar, point and curve of a candidate or scenario, each named by a tool tip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.domain.training_results import ScalingCurve
from gpuplanner_gui.drawing.plots.bars import BarPlot
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot, StepTimePlot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot, formats_of
from gpuplanner_gui.drawing.plots.phase_shares import PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.roofline_words import highest_peak
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.plots.scaling_curve import ScalingCurvePlot
from gpuplanner_gui.drawing.results import Decision, Results, ScenarioOverlay, TrainingDetail
from gpuplanner_gui.drawing.words.candidates import candidate_text

Show = Callable[[QWidget], None]
HAND = Qt.CursorShape.PointingHandCursor


@pytest.fixture(autouse=True)
def a_second_click_is_soon_another(qapp: QApplication) -> Iterator[None]:
    """Clicks of a test come faster than a person's: what makes two of them one double click is shorter too."""
    usual = qapp.doubleClickInterval()
    qapp.setDoubleClickInterval(20)
    yield
    qapp.setDoubleClickInterval(usual)


class Clicks:
    """A plot in a window, and what clicks in it selected."""

    def __init__(self, qtbot: QtBot, make: Callable[[], Plot], shown: Show, results: Results) -> None:
        self.qtbot, self.results = qtbot, results
        self.view = PlotView(make)
        shown(self.view)
        self.view.show_results(results)
        QApplication.processEvents()
        self.candidates: list[tuple[str, int]] = []
        self.scenarios: list[str] = []
        self.view.candidate_selected.connect(lambda *found: self.candidates.append(found))
        self.view.scenario_selected.connect(self.scenarios.append)

    def at(self, x: float, y: float) -> QPoint:
        box = self.view.plot.item.getViewBox()
        return self.view.canvas.mapFromScene(box.mapViewToScene(QPointF(x, y)))

    def point(self, place: QPoint) -> str:
        """Move the mouse there; the words that explain the mark."""
        viewport = self.view.canvas.viewport()
        # Moves that follow each other within a hundredth of a second are heard as one.
        for step in (QPoint(60, 0), QPoint(0, 0)):
            self.qtbot.mouseMove(viewport, place + step)
            self.qtbot.wait(60)
        return str(self.view.plot.item.toolTip())

    def click(self, place: QPoint) -> None:
        # Two clicks within this would be one double click, which shows the whole plot.
        self.qtbot.wait(QApplication.doubleClickInterval() + 50)
        self.qtbot.mouseClick(self.view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=place)

    @property
    def has_hand(self) -> bool:
        return self.view.canvas.viewport().cursor().shape() == HAND

    def name(self, workload: str, candidate: int) -> str:
        return candidate_text(self.results.plan, self.results.catalog, workload, candidate)


@pytest.fixture
def clicks(qtbot: QtBot, shown: Show, results: Results) -> Callable[..., Clicks]:
    return lambda make, drawn=None: Clicks(qtbot, make, shown, drawn or results)


@pytest.mark.parametrize(
    "make",
    [CostPlot, MemoryPlot, StepTimePlot, lambda: CostPlot("training"), lambda: StepTimePlot("training")],
    ids=["cost", "memory", "step", "training cost", "training step"],
)
def test_each_bar_selects_its_candidate_and_says_so(
    clicks: Callable[..., Clicks], results: Results, make: Callable[[], BarPlot]
) -> None:
    made = clicks(make)
    plot = made.view.plot
    assert isinstance(plot, BarPlot)
    assert len(plot.candidates) > 1
    middle = float(np.mean(plot.item.getViewBox().viewRange()[0]))
    for row, candidate in enumerate(plot.candidates[:3]):
        place = made.at(middle, row)
        words, is_selected = made.point(place), candidate == results.candidate(plot.workload)
        assert made.name(plot.workload, candidate) in words
        assert made.has_hand is not is_selected
        made.candidates.clear()
        made.click(place)
        assert made.candidates == ([] if is_selected else [(plot.workload, candidate)])


def test_the_name_beside_a_bar_is_clicked_like_the_bar(clicks: Callable[..., Clicks], results: Results) -> None:
    made = clicks(CostPlot)
    plot = made.view.plot
    assert isinstance(plot, BarPlot)
    row = next(row for row, one in enumerate(plot.candidates) if one != results.candidate("serving"))
    left = made.view.canvas.mapFromScene(plot.names.sceneBoundingRect().center()).x()
    place = QPoint(left, made.at(0.0, row).y())
    assert made.name("serving", plot.candidates[row]) in made.point(place)
    assert made.has_hand
    made.click(place)
    assert made.candidates == [("serving", plot.candidates[row])]


def test_a_curve_of_another_format_selects_that_candidate(clicks: Callable[..., Clicks], results: Results) -> None:
    assert results.plan.serving is not None
    table = results.plan.serving.table
    fitting = [one for one in map(int, table.order) if table.fits[one]]
    assert results.known.limits is not None
    held = results.known.limits.concurrency_by_context[0]

    def spread(one: int) -> float:
        """How far the formats of a candidate's accelerator are apart in what they hold."""
        formats = [row for row in formats_of(table, one) if table.fits[row]]
        return float(held[formats].max() / max(held[formats].min(), 1.0))

    chosen = next(one for one in fitting if spread(one) > 1.5)
    made = clicks(MemoryFrontierPlot, replace(results, selected={"serving": chosen}))
    plot = made.view.plot
    assert isinstance(plot, MemoryFrontierPlot)
    # Formats whose lines would lie on one another are one line.
    drawn = [place for place, by in enumerate(plot._drawn_by) if by == place]
    assert len(drawn) > 1
    x, y = plot._curves[drawn[1]].getData()
    # Half way between two of its points: a line is clicked anywhere, not only where it was computed.
    place = made.at((x[2] + x[3]) / 2, (y[2] + y[3]) / 2)
    assert made.name("serving", plot._rows[drawn[1]]) in made.point(place)
    assert made.has_hand
    made.click(place)
    assert made.candidates == [("serving", plot._rows[drawn[1]])]


def test_points_and_curves_of_run_times_select_their_candidates(clicks: Callable[..., Clicks]) -> None:
    made = clicks(ScalingPlot)
    plot = made.view.plot
    assert isinstance(plot, ScalingPlot)
    _, candidates = plot._sizes[1]
    x, y = plot._curves[1].getData()
    made.click(made.at(x[0], y[0]))
    assert made.candidates[-1] == ("training", candidates[0])
    if len(candidates) > 1:
        near_second = made.at(0.4 * x[0] + 0.6 * x[1], 0.4 * y[0] + 0.6 * y[1])
        assert made.name("training", candidates[1]) in made.point(near_second)
        made.click(near_second)
        assert made.candidates[-1] == ("training", candidates[1])


def test_another_scenario_s_curve_leads_to_it(clicks: Callable[..., Clicks], results: Results) -> None:
    other = faster_scenario(results, "Twice as fast")
    beside = replace(results, decision=replace(results.decision or Decision(), overlays=(other,)))
    made = clicks(lambda: LatencyPlot("ttft"), beside)
    plot = made.view.plot
    assert isinstance(plot, LatencyPlot)
    x, y = plot._overlays.curves[0].getData()
    place = made.at(x[3], y[3])
    assert "Twice as fast" in made.point(place)
    assert made.has_hand
    made.click(place)
    assert made.scenarios == ["Twice as fast"]
    assert made.candidates == []


def faster_scenario(results: Results, name: str) -> ScenarioOverlay:
    curve = results.load_curve
    assert curve is not None
    return ScenarioOverlay(
        scenario=msgspec.structs.replace(results.scenario, name=name),
        load_curve=msgspec.structs.replace(curve, ttft_s={name: one * 0.5 for name, one in curve.ttft_s.items()}),
        contexts=np.empty(0), concurrency=np.empty(0),
    )  # fmt: skip


def test_a_number_of_devices_selects_the_layout_that_runs_there(
    clicks: Callable[..., Clicks], results: Results
) -> None:
    answer = results.plan.training
    assert answer is not None
    chosen = int(answer.table.order[1])
    made = clicks(lambda: ScalingCurvePlot("time"), with_scaling(results, chosen))
    plot = made.view.plot
    assert isinstance(plot, ScalingCurvePlot)
    x, y = plot._lines[0].getData()
    place = made.at(x[1], y[1])
    assert made.name("training", chosen) in made.point(place)
    made.click(place)
    assert made.candidates == [("training", chosen)]
    # A number of devices that no candidate has.
    assert made.point(made.at(x[2], y[2])) == ""


def test_time_saved_is_priced_in_the_unit_of_its_curve(clicks: Callable[..., Clicks], results: Results) -> None:
    """A day saved has no price for a run of six hours. $1.2 M a day are $50 000 an hour."""
    made = clicks(lambda: ScalingCurvePlot("cost"), with_scaling(results, 0))
    plot = made.view.plot
    assert isinstance(plot, ScalingCurvePlot)
    assert plot.title.replace("\u00a0", " ") == "From 16 to 99 991 devices, each hour saved costs $50 000"
    assert "Cost of each hour saved" in [one.name for one in plot.legend_entries()]
    assert plot.y_scale.place_one(5e4) == pytest.approx(plot._lines[1].getData()[1][-1])


def test_every_share_that_the_title_names_is_a_line(clicks: Callable[..., Clicks], results: Results) -> None:
    """What takes a step's time was named, and of the host no line was drawn."""
    plot = clicks(lambda: ScalingCurvePlot("efficiency"), with_scaling(results, 0)).view.plot
    assert isinstance(plot, ScalingCurvePlot)
    assert "communication takes" in plot.title
    assert "host and launch" in plot.title
    named = [one.name for one in plot.legend_entries()]
    assert {"Communication and bubble", "Host and launch"} < set(named)
    assert len(plot._lines) == 4
    assert all(len(line.getData()[0]) == 3 for line in plot._lines)


def with_scaling(results: Results, candidate: int) -> Results:
    """A curve whose second count is laid out like a candidate, and whose third is like none."""
    answer = results.plan.training
    assert answer is not None
    table = answer.table
    counts = np.array([1, int(table.devices[candidate]), 99_991])

    def sizes(name: str) -> np.ndarray:
        return np.array([1, int(getattr(table, name)[candidate]), 1])

    falling, flat = np.array([9e6, 5e6, 1e6]), np.full(3, 0.5)
    curve = ScalingCurve(
        accelerator=int(table.accelerator[candidate]), devices=counts, can_run=np.ones(3, bool),
        reason=np.zeros(3, int), tensor_parallel=sizes("tensor_parallel"), pipeline_parallel=sizes("pipeline_parallel"),
        data_parallel=sizes("data_parallel"), step_time_s=flat, tokens_per_s=flat, efficiency=flat, mfu=flat,
        communication_share=flat, host_share=flat, goodput=flat, run_time_s=falling, usd_per_run=falling,
        usd_per_day_saved=falling * 1.2, knee=1,
    )  # fmt: skip
    return replace(results, training=TrainingDetail(scaling=curve))


@pytest.mark.parametrize("make", [lambda: RooflinePlot("serving", phase="decode"), lambda: RooflinePlot("serving")])
def test_an_operation_says_whose_it_is_and_selects_nobody(
    clicks: Callable[..., Clicks], results: Results, make: Callable[[], RooflinePlot]
) -> None:
    made = clicks(make)
    plot = made.view.plot
    assert isinstance(plot, RooflinePlot)
    x, y = plot._points.getData()
    place = made.at(x[0], y[0])
    words = made.point(place)
    assert "selected candidate" in words
    assert made.name("serving", results.candidate("serving")) in words
    made.click(place)
    assert made.candidates == []
    assert plot.picked, "the operation is marked instead"


@pytest.mark.parametrize("make", [lambda: RooflinePlot("serving", phase="decode"), lambda: RooflinePlot("serving")])
def test_a_rival_s_mark_in_a_roofline_selects_it_and_names_its_operation(
    clicks: Callable[..., Clicks], results: Results, make: Callable[[], RooflinePlot]
) -> None:
    made = clicks(make)
    plot = made.view.plot
    assert isinstance(plot, RooflinePlot)
    for shown in plot._rivals.shown:
        # The phase itself, where no mark of another candidate is nearer.
        point = next(one for one in shown.points if one.code == "decode")
        x, y = plot.x_scale.place_one(point.intensity_flop_per_byte), plot.y_scale.place_one(point.achieved_flop_per_s)
        rival = shown.rival.candidate
        words = made.point(made.at(x, y))
        assert made.name("serving", rival) in words
        assert words.startswith("Decode of ")
        assert made.has_hand
        assert made.view._readout.text().startswith(shown.name)
        made.click(made.at(x, y))
        assert made.candidates[-1] == ("serving", rival)
    assert len(made.candidates) == len(results.rivals["serving"])


def test_a_rival_s_ceiling_selects_it(clicks: Callable[..., Clicks]) -> None:
    made = clicks(lambda: RooflinePlot("serving", phase="decode"))
    plot = made.view.plot
    assert isinstance(plot, RooflinePlot)
    highest = max(plot._rivals.shown, key=lambda one: highest_peak(one.rival.roofline))
    peak = plot.y_scale.place_one(highest_peak(highest.rival.roofline))
    (left, right), _ = plot.item.getViewBox().viewRange()
    place = made.at(left + 0.8 * (right - left), peak)
    assert made.name("serving", highest.rival.candidate) in made.point(place)
    made.click(place)
    assert made.candidates == [("serving", highest.rival.candidate)]


def test_a_hidden_rival_is_not_there_to_be_clicked(clicks: Callable[..., Clicks]) -> None:
    made = clicks(lambda: RooflinePlot("serving", phase="decode"))
    plot = made.view.plot
    assert isinstance(plot, RooflinePlot)
    entry = next(one for one in plot.legend.entries if one.key.startswith("rival"))
    shown = next(one for one in plot._rivals.shown if one.key == entry.key)
    spot = legend_place(made, entry.key)
    made.click(spot)
    assert entry.key in plot.hidden
    point = shown.points[0]
    x, y = plot.x_scale.place_one(point.intensity_flop_per_byte), plot.y_scale.place_one(point.achieved_flop_per_s)
    assert made.name("serving", shown.rival.candidate) not in made.point(made.at(x, y))
    made.click(spot)
    assert made.name("serving", shown.rival.candidate) in made.point(made.at(x, y))


def legend_place(made: Clicks, key: str) -> QPoint:
    """The middle of a legend entry's swatch."""
    legend = made.view.plot.legend
    place = next(place for one, place in zip(legend.entries, legend._places()) if one.key == key)
    within = QPointF(place[0] + 5, (place[1] + 0.5) * legend._line_height())
    return made.view.canvas.mapFromScene(legend.mapToScene(within))


def test_rows_of_operations_say_whose_they_are(clicks: Callable[..., Clicks], results: Results) -> None:
    made = clicks(PhaseSharesPlot)
    assert made.name("serving", results.candidate("serving")) in made.point(made.at(0.2, 0))
    assert not made.has_hand


def test_beside_marks_there_is_neither_hand_nor_tip(clicks: Callable[..., Clicks]) -> None:
    made = clicks(MemoryFrontierPlot)
    (_, right), (_, top) = made.view.plot.item.getViewBox().viewRange()
    assert made.point(made.at(right * 0.999, top * 0.999)) == ""
    assert not made.has_hand
    made.click(made.at(right * 0.999, top * 0.999))
    assert made.candidates == made.scenarios == []
