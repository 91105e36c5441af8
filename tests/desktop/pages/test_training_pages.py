"""The training pages ask for what they show while they are seen, draw it, and hand on the layout that is wanted."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.pages.layouts import FRONT_MARK, WHY, LayoutsPage
from gpuplanner_gui.desktop.pages.overview import RisksPanel
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.training_plots import TrainingFitsPage, TrainingScalingPage, TrainingStepPage
from gpuplanner_gui.domain.scenario import HardwareChoice, Project, Scenario
from gpuplanner_gui.domain.training_workload import Parallelism, TrainingWorkload
from gpuplanner_gui.drawing.plots.memory import StageMemoryPlot, shown_stages
from gpuplanner_gui.drawing.plots.step_phases import PipelinePlot, StepPhasesPlot, blocks_of
from gpuplanner_gui.drawing.plots.sweep import HIGHEST, SweepPlot
from gpuplanner_gui.drawing.results import Results, TrainingDetail
from gpuplanner_gui.engine import plan
from gpuplanner_gui.engine.training import exploring
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

Show = Callable[[QWidget], None]
H100 = "nvidia-h100-sxm-80gb"
NBSP = "\N{NO-BREAK SPACE}"
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def trained() -> Results:
    """70B on 64 devices in four interleaved stages with full recomputation, and all that is known beyond the plan."""
    catalog, calibration = load_shipped_catalog(), load_calibration()
    workload = TrainingWorkload(
        tokens=1e12, deadline_s=400 * 86_400.0, schedule="interleaved", recompute="full",
        parallelism=Parallelism(pipeline=4, tensor=4),
    )  # fmt: skip
    scenario = Scenario(
        name="run", model=catalog.models["llama-3.1-70b"].model, training=workload,
        hardware=HardwareChoice(accelerators=(H100,), training_devices=64, max_training_devices=64),
    )  # fmt: skip
    found = plan(scenario, catalog, calibration)
    assert found.training is not None
    best = found.training.best
    detail = TrainingDetail(
        step=exploring.step_detail(scenario, catalog, calibration, found, best),
        scaling=exploring.scaling(scenario, catalog, calibration, H100),
        layouts=exploring.layouts(scenario, catalog, calibration, H100, "time", 64),
        fits=exploring.fits(scenario, catalog, calibration, found, best),
    )
    project = Project(name="p", scenarios=(scenario,))
    return Results(project=project, scenario=scenario, plan=found, catalog=catalog, training=detail)


def drawn(page: QWidget) -> None:
    QApplication.processEvents()
    while page.is_drawing():  # type: ignore[attr-defined]
        QApplication.processEvents()


@pytest.mark.parametrize("page_type", [TrainingStepPage, TrainingScalingPage, LayoutsPage, TrainingFitsPage])
def test_page_asks_while_it_is_seen(shown: Show, page_type: type[TrainingStepPage]) -> None:
    page, wishes = page_type(), []
    page.part_wanted.connect(lambda part, is_wanted: wishes.append((part, is_wanted)))
    shown(page)
    page.hide()
    assert wishes == [(page.wanted[0], True), (page.wanted[0], False)]


@pytest.mark.parametrize("page_type", [TrainingStepPage, TrainingScalingPage, TrainingFitsPage])
def test_every_plot_has_a_sentence_and_numbers(
    shown: Show, trained: Results, page_type: type[TrainingStepPage]
) -> None:  # fmt: skip
    page = page_type()
    shown(page)
    page.show_results(trained)
    drawn(page)
    plots = page.findChildren(PlotView)
    assert len(plots) >= 2
    for view in plots:
        assert view.plot.title
        rows = view.plot.as_rows()
        assert rows.cells
        assert all(len(row) == len(rows.columns) for row in rows.cells)


@pytest.mark.parametrize("page_type", [TrainingStepPage, TrainingScalingPage, TrainingFitsPage])
def test_what_is_not_there_is_waited_for_or_has_failed(
    shown: Show, trained: Results, page_type: type[TrainingStepPage]
) -> None:  # fmt: skip
    page = page_type()
    shown(page)
    page.show_results(replace(trained, training=None))
    drawn(page)
    assert all(view.plot.message.endswith("…") for view in page.findChildren(PlotView))
    failed = TrainingDetail(failures={page.wanted[0]: "The catalogue lacks this device."})
    page.show_results(replace(trained, training=failed))
    drawn(page)
    assert {view.plot.message for view in page.findChildren(PlotView)} == {"The catalogue lacks this device."}


def test_step_says_how_much_is_useful(trained: Results) -> None:
    plot = StepPhasesPlot()
    plot.show(trained)
    assert "forward and backward" in plot.title
    assert "recompute" in plot.title
    rows = plot.as_rows().cells
    assert rows[-1][1] == pytest.approx(sum(float(row[1] or 0) for row in rows[:-1]))
    assert plot.readout_at(0.0, 2.0).startswith("Recompute")


def test_memory_tells_allocated_from_reserved(trained: Results) -> None:
    plot = StageMemoryPlot()
    plot.show(trained)
    assert "reserved" in plot.title
    assert "allocated" in plot.readout_at(1e9, 0.0)
    titles = [column.title for column in plot.as_rows().columns]
    first = dict(zip(titles, plot.as_rows().cells[0]))
    assert first["Allocated"] < first["Reserved"] < first["Used"] < first["Device memory"]  # type: ignore[operator]
    assert "in flight" in plot.readout_at(1e9, 0.0)
    assert shown_stages(16, 4) == (0, 5, 10, 15)


def test_timeline_draws_every_pass_and_the_bubble(trained: Results) -> None:
    plot = PipelinePlot()
    plot.show(trained)
    assert "bubble" in plot.title
    assert trained.training is not None
    step = trained.training.step
    assert step is not None
    assert step.timeline is not None
    blocks = blocks_of(step)
    assert {kind for kind, *_ in blocks} == {"forward", "backward", "recompute"}
    for stage in range(4):
        mine = sorted((start, end) for _, place, start, end in blocks if place == stage)
        assert all(second[0] >= first[1] - 1e-9 for first, second in itertools.pairwise(mine))
    busy = sum(end - start for _, _, start, end in blocks)
    assert 1 - busy / (4 * step.timeline.total_s) == pytest.approx(step.timeline.idle_share)
    assert "Forward, micro-batch 1" in plot.readout_at(1e-6, 0.0)
    assert "waits" in plot.readout_at(1e-6, 3.0)


def test_the_axis_of_a_sweep_ends_where_memory_leaves_the_view(trained: Results) -> None:
    plot = SweepPlot("sequence_length")
    plot.show(trained)
    assert trained.training is not None
    assert trained.training.fits is not None
    sweep = trained.training.fits.sequence_length
    assert sweep is not None
    beyond = sweep.values[sweep.total_bytes > HIGHEST * sweep.capacity_bytes]
    assert len(beyond) > 1, "there is more than is worth drawing"
    last = plot.x_scale.value_at(plot.item.getViewBox().viewRange()[0][1])
    assert last < 1.5 * float(beyond[0])
    assert last > sweep.largest


def test_a_model_without_tokens_has_no_sequences_to_sweep(trained: Results) -> None:
    model = msgspec.structs.replace(trained.scenario.model, layers=())
    plot = SweepPlot("sequence_length")
    plot.show(replace(trained, scenario=msgspec.structs.replace(trained.scenario, model=model)))
    assert plot.message == "This model has no sequences of tokens."


@pytest.fixture
def layouts(shown: Show, trained: Results) -> LayoutsPage:
    page = LayoutsPage()
    shown(page)
    page.show_results(trained)
    drawn(page)
    return page


def column(page: LayoutsPage, title: str) -> int:
    return [one.title for one in page.model.columns].index(title)


def test_table_says_why_each_layout_lost(layouts: LayoutsPage) -> None:
    why = [layouts.model.index(row, column(layouts, WHY)).data() for row in range(layouts.model.rowCount())]
    assert why[0] == "the best"
    assert all(why)
    assert any("does not fit" in one for one in why)
    assert layouts.model.index(0, 1).data() == FRONT_MARK
    assert "layouts tried on 64 × " in layouts.said.text()
    assert "The selected candidate's layout is number " in layouts.said.text()
    assert layouts.table.isColumnHidden(column(layouts, "Devices"))


def test_what_layouts_lost_is_a_share_of_the_best_step_in_every_row(layouts: LayoutsPage) -> None:
    """Rows were in ms beside rows in s, and their ends were cut."""
    ranking = layouts.model.source
    assert ranking is not None
    why = [str(layouts.model.index(row, column(layouts, WHY)).data()) for row in range(layouts.model.rowCount())]
    slower = {row: said.replace(NBSP, " ") for row, said in enumerate(why) if " slower: " in said}
    assert slower
    for row, said in slower.items():
        told = float(said.replace(",", "").partition(" % slower: ")[0].rpartition(" ")[2])
        share = ranking.lost_step_s[row] / (ranking.table.step_time_s[row] - ranking.lost_step_s[row])
        assert told == pytest.approx(100 * share, rel=0.06), said
        assert not any(unit in said for unit in (" ms", " s,", " min"))


def test_the_largest_model_says_on_what_it_is_trained_at_a_time(shown: Show, trained: Results) -> None:
    page = TrainingFitsPage()
    shown(page)
    page.show_results(trained)
    drawn(page)
    said = page.largest.text().replace(NBSP, " ")
    assert "micro-batches of one sequence of 4 096 tokens)" in said


def test_where_optimizer_state_is_stands_where_a_layout_keeps_it_on_the_host(layouts: LayoutsPage) -> None:
    ranking, place = layouts.model.source, column(layouts, "Offload")
    assert ranking is not None
    for state, is_hidden, text in ((0, True, "the device"), (1, False, "the host")):
        table = msgspec.structs.replace(ranking.table, offload=np.full(len(ranking.table.order), state))
        assert layouts.model.plan is not None
        layouts.model.show_ranking(msgspec.structs.replace(ranking, table=table), layouts.model.plan)
        assert layouts.table.isColumnHidden(place) == is_hidden
        assert layouts.model.index(0, place).data() == text


def test_a_click_on_a_heading_sorts(qtbot: QtBot, layouts: LayoutsPage) -> None:
    header, place = layouts.table.horizontalHeader(), column(layouts, "TP")
    middle = QPoint(header.sectionViewportPosition(place) + header.sectionSize(place) // 2, header.height() // 2)
    qtbot.mouseClick(header.viewport(), LEFT, pos=middle)
    sizes = [float(layouts.model.index(row, place).data()) for row in range(layouts.model.rowCount())]
    assert sizes == sorted(sizes)
    qtbot.mouseClick(header.viewport(), LEFT, pos=middle)
    sizes = [float(layouts.model.index(row, place).data()) for row in range(layouts.model.rowCount())]
    assert sizes == sorted(sizes, reverse=True)


def test_filters_leave_what_fits_and_the_front(qtbot: QtBot, layouts: LayoutsPage) -> None:
    ranking = layouts.model.source
    assert ranking is not None
    everything = layouts.model.rowCount()
    qtbot.mouseClick(layouts.only_fitting, LEFT, pos=QPoint(8, layouts.only_fitting.height() // 2))
    assert layouts.model.rowCount() == int(ranking.table.fits.sum()) < everything
    qtbot.mouseClick(layouts.only_front, LEFT, pos=QPoint(8, layouts.only_front.height() // 2))
    assert layouts.model.rowCount() == int(ranking.on_front.sum())


def test_a_chosen_layout_is_handed_on(qtbot: QtBot, layouts: LayoutsPage) -> None:
    wishes: list[int] = []
    layouts.layout_chosen.connect(wishes.append)
    assert not layouts.use.isEnabled()
    place = layouts.table.visualRect(layouts.model.index(2, 0)).center()
    qtbot.mouseClick(layouts.table.viewport(), LEFT, pos=place)
    assert layouts.use.isEnabled()
    qtbot.mouseClick(layouts.use, LEFT)
    assert wishes == [2]


def test_a_layout_that_does_not_fit_cannot_be_used(qtbot: QtBot, layouts: LayoutsPage) -> None:
    ranking = layouts.model.source
    assert ranking is not None
    refused = layouts.model.row_of(int(np.flatnonzero(~ranking.table.fits)[0]))
    layouts.table.scrollTo(layouts.model.index(refused, 0))
    place = layouts.table.visualRect(layouts.model.index(refused, 0)).center()
    qtbot.mouseClick(layouts.table.viewport(), LEFT, pos=place)
    assert not layouts.use.isEnabled()


def test_another_question_is_asked_with_the_keys(qtbot: QtBot, layouts: LayoutsPage) -> None:
    wishes: list[tuple[str, int]] = []
    layouts.ranking_asked.connect(lambda objective, devices: wishes.append((objective, devices)))
    layouts.objective.setFocus()
    qtbot.keyClick(layouts.objective, Qt.Key.Key_Down)
    assert wishes[-1] == ("cost", 0)
    assert not layouts.devices.isEnabled()
    qtbot.keyClick(layouts.objective, Qt.Key.Key_Down)
    assert wishes[-1] == ("devices", 0)
    qtbot.keyClick(layouts.objective, Qt.Key.Key_Home)
    layouts.devices.setFocus()
    layouts.devices.selectAll()
    qtbot.keyClicks(layouts.devices, "32")
    qtbot.keyClick(layouts.devices, Qt.Key.Key_Return)
    assert wishes[-1] == ("time", 32)


def test_a_fixed_layout_can_be_left_to_the_search(qtbot: QtBot, layouts: LayoutsPage) -> None:
    assert layouts.free.isVisible()
    with qtbot.waitSignal(layouts.layout_freed):
        qtbot.mouseClick(layouts.free, LEFT)


def test_a_rate_of_the_store_stands_in_one_line_with_its_unit(qtbot: QtBot, trained: Results) -> None:
    """A line ended at "45.8 MB/", and the next began with "s"."""
    box = QWidget()
    qtbot.addWidget(box)
    panel = RisksPanel(box)
    panel.show_results(trained)
    assert "B/s" in panel.storage.text()
    assert "B/s" not in QLabel.text(panel.storage), "a word joiner stands behind the stroke"
