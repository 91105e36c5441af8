"""The page of the estate: its plan, tables, progress, and decisions pinned with the mouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, QSettings, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QDialog, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from gpuplanner_gui.desktop.dialogs.own_device import GENERAL, EstateInputsDialog
from gpuplanner_gui.desktop.pages.estate import AHEAD, LIMITS, ORDERS, OTHERS, PAIR, TABS, WORKLOADS, EstatePage
from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.domain.estate import EstatePin
from gpuplanner_gui.drawing.estate_rows import CASH, shown_title
from gpuplanner_gui.drawing.plots.estate import SHADES, EstateTimelinePlot
from gpuplanner_gui.drawing.results import EstateFindings, Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.estate.solve import Progress
from gpuplanner_gui.paths import resources_dir
from tests.desktop.dialogs.test_estate_inputs import line_of, type_into
from tests.desktop.test_own_catalog import answer
from tests.drawing.estates import planned, with_estate

pytestmark = pytest.mark.usefixtures("short_simulations")

LEFT = Qt.MouseButton.LeftButton
SEARCH_MS = 180_000


@pytest.fixture
def page(qtbot: QtBot, shown: Callable[[QWidget], None], results: Results) -> EstatePage:
    made = EstatePage()
    shown(made)
    made.resize(1000, 900)
    made.show_results(with_estate(results))
    made.set_state(PlanState.CURRENT)
    qtbot.waitUntil(lambda: not made.is_drawing(), timeout=SEARCH_MS)
    return made


def click_tab(page: EstatePage, qtbot: QtBot, tab: int) -> None:
    qtbot.mouseClick(page.tabs, LEFT, pos=page.tabs.tabRect(tab).center())


def click_row(page: EstatePage, qtbot: QtBot, row: int) -> None:
    page.table.scrollTo(page.rows.index(row, 0))
    qtbot.mouseClick(page.table.viewport(), LEFT, pos=page.table.visualRect(page.rows.index(row, 0)).center())


def test_plots_and_tables_show_the_plan(page: EstatePage, qtbot: QtBot) -> None:
    assert "present value" in page.summary.text()
    for name in ("timeline", "cash", "power"):
        plot = page.plots.plot_view(name).plot
        assert not plot.message
        assert plot.title
        assert plot.as_rows().cells
    for tab in range(PAIR):
        click_tab(page, qtbot, tab)
        assert page.rows.rowCount() > 0 or page.note.text(), TABS[tab]
    assert page.rows.rowCount() == 3  # A runner-up of each workload.


def test_the_legend_names_what_is_paid_and_what_hatching_means(page: EstatePage) -> None:
    checked = planned().found.evaluation
    paid = {shown_title(kind) for kind in CASH if getattr(checked, kind).any()}
    assert {one.name for one in page.plots.plot_view("cash").plot.legend.entries} == paid
    assert paid < {shown_title(kind) for kind in CASH}
    timeline = page.plots.plot_view("timeline").plot
    assert {"in use", "there, but not in use"} < {one.name for one in timeline.legend.entries}


def test_a_sites_limit_is_told_once_and_power_stands_behind_its_bar(page: EstatePage) -> None:
    plot = page.plots.plot_view("power").plot
    assert plot.legend.entries[-1].name == "limit 50 kW"
    notes = [one for one in plot.item.items if isinstance(one, pg.TextItem) and one.isVisible()]
    power = planned().found.evaluation.site_kw.sum(axis=0).reshape(4, -1).max(axis=1)
    for note, drawn in zip(sorted(notes, key=lambda one: one.pos().y()), power, strict=True):
        assert note.toPlainText() == format_value(float(drawn), "kW")
        assert drawn <= note.pos().x() < 50.0, "not behind the limit, whose value it is not"


def test_a_fleet_of_several_periods_is_one_bar_without_slits(page: EstatePage) -> None:
    view = page.plots.plot_view("timeline")
    plot = view.plot
    assert isinstance(plot, EstateTimelinePlot)
    row, (name, stretches) = next((row, one) for row, one in enumerate(plot._rows) if one[0] == "chat")
    assert len(stretches) == 4
    box, picture = plot.item.getViewBox(), view.canvas.grab().toImage()
    start, end = (view.canvas.mapFromScene(box.mapViewToScene(QPointF(month, row))) for month in (0.2, 11.8))
    colours = {picture.pixelColor(x, start.y()).name() for x in range(start.x(), end.x())}
    assert QColor(SHADES[stretches[0].hardware]).name() in colours
    assert QColor(plot.theme.surface).name() not in colours, name


def test_years_are_written_where_months_have_no_room(page: EstatePage) -> None:
    plot = page.plots.plot_view("timeline").plot
    axis = plot.item.getAxis("bottom")
    years = [text for _, values in axis.tickValues(0, 60, 160) for text in axis.tickStrings(values, 1.0, 12.0)]
    assert years == ["2027", "2028"]
    months = [text for _, values in axis.tickValues(0, 12, 300) for text in axis.tickStrings(values, 1.0, 3.0)]
    assert months[:2] == ["2027-01", "2027-04"]


def test_cash_of_the_plot_is_the_evaluators(page: EstatePage) -> None:
    checked = planned().found.evaluation
    rows = page.plots.plot_view("cash").plot.as_rows().cells
    assert np.allclose(
        np.array([row[1:-1] for row in rows], float).sum(axis=1), checked.capital_usd + checked.operating_usd
    )
    assert np.allclose([row[-1] for row in rows], checked.proceeds_usd[:-1])


def test_sales_and_what_is_left_at_the_end_are_told_apart(page: EstatePage) -> None:
    title, proceeds = page.plots.plot_view("cash").plot.title, planned().found.evaluation.proceeds_usd
    assert proceeds[-1] > 0
    assert f"Hardware left at the end is worth {format_value(float(proceeds[-1]), 'USD')}" in title
    sold = float(proceeds[:-1].sum())
    assert (f"{format_value(sold, 'USD')} received from sales" in title) == (sold > 0)


def test_the_page_says_that_the_verdict_above_is_of_one_scenario_alone(page: EstatePage, results: Results) -> None:
    assert f"The verdict above plans {results.scenario.name} alone." in page.summary.text()


def test_a_tab_brings_its_table_into_view(page: EstatePage, qtbot: QtBot, shown: Callable[[QWidget], None]) -> None:
    """In a low window the tables lie below what is seen of the page."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setWidget(page)
    shown(area)
    area.resize(1000, 560)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)

    def is_seen(widget: QWidget) -> bool:
        top = widget.mapTo(area.viewport(), QPoint(0, 0)).y()
        return top >= 0 and top + widget.height() <= area.viewport().height()

    for tab in (WORKLOADS, ORDERS):
        area.verticalScrollBar().setValue(0)
        assert not is_seen(page.table)
        page.tabs.setCurrentIndex(tab)
        qtbot.waitUntil(lambda: is_seen(page.table) and is_seen(page.tabs))


def test_an_order_is_pinned_by_two_clicks(page: EstatePage, qtbot: QtBot) -> None:
    click_tab(page, qtbot, ORDERS)
    assert not page.pin.isEnabled()
    kinds = [page.rows.rows.cells[row][1] for row in range(page.rows.rowCount())]
    click_row(page, qtbot, kinds.index("Buy"))
    with qtbot.waitSignal(page.pin_wanted) as heard:
        qtbot.mouseClick(page.pin, LEFT)
    (pin,) = heard.args
    assert (pin.kind, pin.pool, pin.hardware) == ("buy", "cluster", "node")
    assert planned().found.decisions.bought[0, 0, pin.period] == pin.units


def test_a_pinned_workload_says_so_and_is_unpinned(page: EstatePage, qtbot: QtBot, results: Results) -> None:
    pin = EstatePin(kind="run_on", period=0, hardware="dear node", workload="chat")
    page.show_results(with_estate(results, pin))
    click_tab(page, qtbot, WORKLOADS)
    row = next(place for place, cells in enumerate(page.rows.rows.cells) if cells[0] == "chat")
    assert page.rows.rows.cells[row][2] == "dear node"
    click_row(page, qtbot, row)
    assert page.pin.text() == "Unpin"
    with qtbot.waitSignal(page.unpin_wanted) as heard:
        qtbot.mouseClick(page.pin, LEFT)
    assert heard.args == [pin]


def test_a_search_can_be_stopped_and_tells_its_gap(page: EstatePage, qtbot: QtBot, results: Results) -> None:
    assert not page.stop.isVisible()
    running = EstateFindings(progress=Progress(4.0, 2e6, 1.9e6, 0.05, 3))
    page.show_results(replace(results, estate=running))
    assert "gap 5 %" in page.summary.text().replace("\u00a0", " ")
    with qtbot.waitSignal(page.stop_wanted):
        qtbot.mouseClick(page.stop, LEFT)


def test_a_plan_that_waits_for_its_successor_is_dimmed_and_said_to_be_old(page: EstatePage, results: Results) -> None:
    known = with_estate(results)
    assert known.estate is not None
    progress = Progress(4.0, 2e6, 1.9e6, 0.05, 3)
    page.show_results(replace(known, estate=replace(known.estate, is_outdated=True, progress=progress)))
    page.set_state(PlanState.CURRENT)  # The scenario's own plan is.
    assert page.summary.text().startswith("Updating: this plan is for the earlier inputs.")
    assert page.plots.state == PlanState.OUTDATED
    page.show_results(known)
    assert "Updating" not in page.summary.text()
    assert page.plots.state == PlanState.CURRENT


def test_parts_are_asked_for_while_their_tab_is_in_front(page: EstatePage, qtbot: QtBot) -> None:
    told: list[tuple[str, bool]] = []
    page.part_wanted.connect(lambda part, is_wanted: told.append((part, is_wanted)))
    for tab in (AHEAD, LIMITS, OTHERS, ORDERS):
        click_tab(page, qtbot, tab)
    assert told == [
        ("estate_futures", True), ("estate_futures", False), ("estate_reasons", True), ("estate_reasons", False),
    ]  # fmt: skip


@pytest.fixture
def window(qtbot: QtBot, settings: QSettings, user_home: Path) -> MainWindow:
    made = MainWindow(ShippedEngine, settings)
    qtbot.addWidget(made, before_close_func=lambda closed: closed.store.undo_stack.setClean())
    made.resize(1366, 768)
    made.show()
    made.build_results()
    made.compute.start()
    return made


def test_a_pin_is_an_edit_and_the_rest_is_planned_around_it(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.compute.completed, timeout=SEARCH_MS):
        window.commands.open_path(resources_dir() / "examples" / "estate-12-quarters.gpuplan")
    pane = window.results_pane
    assert pane is not None
    pane.show_page_named("estate")
    tasks = window.estate_plan.tasks
    page = pane.view_in_front()
    assert isinstance(page, EstatePage)
    qtbot.waitUntil(lambda: page.stop.isVisible(), timeout=SEARCH_MS)
    qtbot.waitUntil(lambda: not tasks.is_running and page.rows.rowCount() > 0, timeout=SEARCH_MS)
    pin = EstatePin(kind="buy", period=1, pool="hall + cloud", hardware="H200 node", units=1)
    window.estate_plan.pin(pin)
    assert window.store.project.estate.pins == (pin,)
    assert tasks.answer is not None
    assert tasks.answer.is_outdated
    qtbot.waitUntil(lambda: page.summary.text().startswith("Updating"), timeout=SEARCH_MS)
    assert page.plots.state == PlanState.OUTDATED

    def is_pinned() -> bool:
        return any(row[1] == "Buy" and row[3] == "H200 node" and row[7] == "yes" for row in page.rows.rows.cells)

    qtbot.waitUntil(is_pinned, timeout=SEARCH_MS)
    window.store.undo_stack.undo()
    assert not any(window.store.project.estate.pins)
    qtbot.waitUntil(lambda: tasks.is_running and page.stop.isVisible(), timeout=SEARCH_MS)
    qtbot.mouseClick(page.stop, LEFT)
    qtbot.waitUntil(lambda: not tasks.is_running, timeout=SEARCH_MS)
    answer(EstateInputsDialog, lambda dialog: give_four_periods(dialog, qtbot))
    qtbot.mouseClick(page.inputs, LEFT)
    assert window.store.project.estate.periods == 4
    qtbot.waitUntil(lambda: not tasks.is_running and not tasks.answer.is_outdated, timeout=SEARCH_MS)
    assert page.plots.state == PlanState.CURRENT


def give_four_periods(dialog: QDialog, qtbot: QtBot) -> None:
    assert isinstance(dialog, EstateInputsDialog)
    type_into(qtbot, line_of(dialog, GENERAL[0], "periods"), "4")
    qtbot.mouseClick(dialog.take, LEFT)


def test_a_project_without_an_estate_gets_one_by_the_menu(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.compute.completed, timeout=SEARCH_MS):
        window.commands.open_path(resources_dir() / "examples" / "13b-two-deployments.gpuplan")
    pane = window.results_pane
    assert pane is not None
    pane.show_page_named("estate")
    page = pane.view_in_front()
    assert isinstance(page, EstatePage)
    strategies = page.fleets.plot_view("strategies").plot
    qtbot.waitUntil(lambda: "present value" in strategies.title, timeout=SEARCH_MS)
    assert page.table.isHidden()
    qtbot.mouseClick(page.draft, LEFT)
    qtbot.waitUntil(lambda: window.store.project.estate is not None, timeout=SEARCH_MS)
    qtbot.waitUntil(lambda: page.rows.rowCount() > 0, timeout=SEARCH_MS)
    click_tab(page, qtbot, PAIR)
    assert page.table.isHidden()
    assert page.fleets.isVisible()
    click_tab(page, qtbot, WORKLOADS)
    names = [row[0] for row in page.rows.rows.cells]
    assert {"13B assistant: serving", "13B assistant: training 2027-01"} <= set(names)
    window.store.undo_stack.undo()
    assert window.store.project.estate is None


@pytest.mark.deep
def test_a_scenario_that_goes_and_comes_back_leaves_the_estate_planned(window: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(window.compute.completed, timeout=SEARCH_MS):
        window.commands.open_path(resources_dir() / "examples" / "estate-12-quarters.gpuplan")
    pane, tasks, store = window.results_pane, window.estate_plan.tasks, window.store
    assert pane is not None
    pane.show_page_named("estate")
    page = pane.view_in_front()
    assert isinstance(page, EstatePage)
    click_tab(page, qtbot, WORKLOADS)

    def workloads() -> set[str]:
        settled = not tasks.is_running and tasks.answer is not None and not tasks.answer.is_outdated
        return {str(row[0]) for row in page.rows.rows.cells} if settled else set()

    qtbot.waitUntil(lambda: "Autumn tuning 70B" in workloads(), timeout=SEARCH_MS)
    index = [one.name for one in store.project.scenarios].index("Autumn tuning 70B")
    store.remove_scenario(index, "remove")
    qtbot.waitUntil(lambda: bool(workloads()) and "Autumn tuning 70B" not in workloads(), timeout=SEARCH_MS)
    assert tasks.answer is not None
    assert not tasks.answer.failures
    store.undo_stack.undo()
    qtbot.waitUntil(lambda: "Autumn tuning 70B" in workloads(), timeout=SEARCH_MS)
    assert not tasks.answer.failures
    assert "failed" not in page.summary.text()
