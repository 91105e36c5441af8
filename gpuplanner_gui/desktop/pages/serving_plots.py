"""The pages of Why on a service: memory, roofline, load and readiness."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView, theme_of
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import LinesLabel, plain_label
from gpuplanner_gui.desktop.widgets.rows_table import RowsModel, RowsTable
from gpuplanner_gui.desktop.widgets.table_columns import text_height
from gpuplanner_gui.desktop.widgets.tables import Index, row_height
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.drawing.language import in_turn, mark, tr
from gpuplanner_gui.drawing.limit_rows import limit_rows, neighbours
from gpuplanner_gui.drawing.load_rows import FAILED, PASSED, fleet_rows, search_rows, stress_rows
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import StepTimePlot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.phase_shares import BatchSharesPlot, PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.results import Results, is_awaited
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import serving_layout
from gpuplanner_gui.drawing.words.load import (
    batch_text,
    difference_text,
    rates_summary,
    readiness_summary,
    search_summary,
    use_summary,
)
from gpuplanner_gui.drawing.words.request_kinds import has_tokens

LEAST_LAST_COLUMN = 74
MOST_LINES = 3
"""Most lines of a sentence above plots."""
MOST_LINES_OF_TABLE = 12
"""Most lines above a table: all that is said, in a narrow window too, for there is nothing below that must fit."""
LEAST_WIDTH_OF_TWO = 1180
"""Least width of the page for two tables side by side at the usual size of type. [pixels]"""
WIDEST_WRAPPED = 0.33
"""Share of a table's width that a column of wrapped text takes beside the last one."""
ROW_PADDING = 8
"""Pixels that a row of several lines gets beside them."""


class ReadinessPage(ResultView):
    """Three tables; the stress tests run while the page is on screen, the search when it is asked for."""

    search_requested = Signal()
    follows = ("simulation",)
    wanted = ("readiness",)

    def __init__(self) -> None:
        super().__init__()
        self.stress = _Table(tr("Stress tests"), self)
        self.stress.model.breaks_headings = True
        self.fleet = _Table(tr("Replicas"), self)
        self.search = _Table(tr("Cheapest by simulation, within all targets"), self)
        tip = tr(
            "Simulates every configuration that could be cheapest, including other batch limits; takes a few seconds"
        )
        self.search_button = push_button(tr("Search"), self.search_requested, self, tip=tip)
        self.search.heading_row.addWidget(self.search_button)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 8, 8, 8)
        self._grid.setSpacing(16)
        self._grid.setRowStretch(3, 1)
        self._columns = 0
        self._arrange(1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange(2 if self.width() >= scaled(LEAST_WIDTH_OF_TWO) else 1)

    def is_drawing(self) -> bool:
        tables = (self.stress, self.fleet, self.search)
        return super().is_drawing() or any(table.fit_soon.is_waiting() for table in tables)

    def _arrange(self, columns: int) -> None:
        """Place the tables side by side if whole lines fit, else one below the other."""
        if columns == self._columns:
            return
        self._columns = columns
        places = ((0, 0, 1), (0, 1, 2), (1, 0, 1)) if columns == 2 else ((0, 0, 1), (1, 0, 1), (2, 0, 1))
        for table, (row, column, rows) in zip((self.stress, self.fleet, self.search), places):
            self._grid.removeWidget(table)
            self._grid.addWidget(table, row, column, rows, 1)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1 if columns == 2 else 0)

    def draw(self, context: Results) -> None:
        simulation = context.simulation
        readiness = simulation.readiness if simulation is not None else None
        serving, fleet = context.scenario.serving, simulation.fleet if simulation is not None else None
        if serving is not None and serving.traffic.is_batch:
            self.stress.show_rows(tr("A batch has no latency target to test: it only has to be done in time."), NO_ROWS)
        elif readiness is not None:
            has_spares = fleet is None or fleet.total > fleet.base
            told = readiness_summary(readiness, has_spares, context.scenario.service.availability.router)
            self.stress.show_rows(told, stress_rows(readiness, context.scenario))
        else:
            self.stress.show_rows(
                tr("Simulating…") if fleet is not None else tr("Calculating the load curve…"), NO_ROWS
            )
        if simulation is not None and fleet is not None:
            self.fleet.show_rows("", fleet_rows(fleet, simulation.arrangement))
        else:
            self.fleet.show_rows("", NO_ROWS)
        if simulation is not None and simulation.search is not None:
            self.search.show_rows(search_summary(simulation.search), search_rows(simulation.search, context))
        else:
            waiting = tr("The table of candidates ranks by cost, from quick estimates. Search simulates the cheapest.")
            self.search.show_rows(waiting, NO_ROWS)
        self.search_button.setEnabled(context.plan.serving is not None)

    def recolour(self) -> None:
        for table in (self.stress, self.fleet, self.search):
            table.model.use_colours(theme_of(self).good, theme_of(self).bad)

    def showEvent(self, event: QShowEvent) -> None:
        self.recolour()
        super().showEvent(event)


class _MarkedRows(RowsModel):
    """Marks of passed and failed tests in their colours."""

    def __init__(self) -> None:
        super().__init__()
        self._colours: dict[str, QColor] = {}

    def use_colours(self, good: str, bad: str) -> None:
        self._colours = {PASSED: QColor(good), FAILED: QColor(bad)}

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if index.isValid() and role in (Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.ToolTipRole):
            cell = self.rows.cells[index.row()][index.column()]
            if role == Qt.ItemDataRole.ForegroundRole:
                return self._colours.get(cell) if isinstance(cell, str) else None
            return cell if isinstance(cell, str) and len(cell) > 24 else None
        return super().data(index, role)


class _Table(QWidget):
    """A heading, a sentence and a table."""

    def __init__(self, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.fit_soon = DrawingTurn(self, self._fit)
        heading = plain_label(title, self, name="sectionTitle")
        self.sentence = LinesLabel(MOST_LINES_OF_TABLE, self)
        self.model = _MarkedRows()
        self.table = RowsTable(title, self, self.model)
        self.table.verticalHeader().setMinimumSectionSize(row_height())
        self.table.horizontalHeader().setStretchLastSection(False)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.table.setMinimumWidth(200)
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.heading_row = QHBoxLayout()
        self.heading_row.addWidget(heading, 1)
        lay_out(
            QVBoxLayout(self), self.heading_row, self.sentence, self.table, STRETCH, margins=(0, 0, 0, 0), spacing=4,
        )  # fmt: skip

    def show_rows(self, sentence: str, rows: Rows) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        if self.table.show_rows(rows):
            self.fit_soon.start()
        self.table.setVisible(bool(rows.cells))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.fit_soon.start()

    def _fit(self) -> None:
        """Columns as wide as their contents, the last one as wide as there is room; wrapped text takes less."""
        self.table.resizeColumnsToContents()
        *others, last = range(len(self.model.rows.columns)) or (-1,)
        if last >= 0:
            room = self.table.width() - 2
            for column in others:
                widest = int(WIDEST_WRAPPED * room)
                self.table.setColumnWidth(column, min(self.table.columnWidth(column), widest))
            before = sum(self.table.columnWidth(column) for column in others)
            header = self.table.horizontalHeader()
            contents = max(self.table.sizeHintForColumn(last), header.sectionSizeHint(last))
            if self.model.is_number_column(last) and before + contents < room:
                # Numbers far off at the edge would be read in the wrong line.
                more = (room - before - contents) // (len(others) + 1)
                for column in others:
                    self.table.setColumnWidth(column, self.table.columnWidth(column) + more)
                self.table.setColumnWidth(last, contents + more)
            else:
                self.table.setColumnWidth(last, max(LEAST_LAST_COLUMN, room - before))
        for row, cells in enumerate(self.model.rows.cells):
            needed = max(text_height(self.table, row, column) for column in range(len(cells)))
            self.table.setRowHeight(row, max(needed + ROW_PADDING, row_height()))
        self.table.show_whole()


FRONTIER = "frontier"
MOST_DEPLOYMENTS = 24


class MemoryPage(PlotPage):
    """What fills a device, for the selected candidate, its neighbours and its rivals; under it the inverse answers."""

    follows = ("decision",)
    is_tall = True
    wanted = ("limits", "overlays")
    least_height = 220

    def __init__(self) -> None:
        super().__init__()
        self.limits_table = RowsTable(tr("Capacity of the selected accelerator's memory"), self, fits=True)
        self._limits = self.limits_table.rows_model
        self.limits_table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.limits_table.hide()

    def plots_for(self, context: Results) -> tuple[str, ...]:
        workloads = context.workloads()
        # Requests that are no text keep no cache: their length takes no memory.
        has_lengths = "serving" in workloads and has_tokens(context.scenario)
        return (*workloads, FRONTIER) if has_lengths else workloads

    def make_plot(self, name: str) -> Plot:
        return MemoryFrontierPlot() if name == FRONTIER else MemoryPlot(name, rows=9)

    def draw(self, context: Results) -> None:
        super().draw(context)
        # What is there stays, dimmed: a table that goes and comes back would move the plots above it.
        is_old = _are_rows_awaited(context) and bool(self._limits.rows.cells)
        self._limits.set_dimmed(is_old)
        if is_old:
            return
        rows = _limit_rows(context)
        if self.limits_table.show_rows(rows):
            self.limits_table.show_whole()
        self.limits_table.setVisible(bool(rows.cells))

    def _arrange(self, names: tuple[str, ...]) -> None:
        """The table lies under all plots."""
        super()._arrange(names)
        lines = -(-len(names) // max(self._columns, 1))
        if self._grid.indexOf(self.limits_table) < 0 or self._table_line != lines:
            self._grid.removeWidget(self.limits_table)
            self._grid.addWidget(self.limits_table, lines, 0, 1, -1)
            self._table_line = lines

    _table_line = -1


def _are_rows_awaited(context: Results) -> bool:
    has_answer = context.plan.serving is not None and context.candidate("serving") >= 0
    return has_answer and is_awaited(context.known, "limits")


def _limit_rows(context: Results) -> Rows:
    limits = context.known.limits
    answer, selected = context.plan.serving, context.candidate("serving")
    if limits is None or answer is None or selected < 0:
        return NO_ROWS
    table, precisions = answer.table, context.plan.precisions
    rows = neighbours(table, selected, MOST_DEPLOYMENTS)
    return limit_rows(
        limits,
        rows,
        [
            " · ".join(filter(None, (str(int(table.devices_per_replica[row])), serving_layout(table, row))))
            for row in rows
        ],
        [precisions[int(table.weight_precision[row])] for row in rows],
        [precisions[int(table.kv_precision[row])] for row in rows],
        has_cache=has_tokens(context.scenario),
    )


SERVING = ("roofline.serving.prefill", "roofline.serving.decode", "shares.serving", "batches.serving", "step.serving")
SAMPLES = ("roofline.serving.sample",)
"""A pass over images or documents is known as a whole."""
TRAINING = ("roofline.training.training", "step.training")
LEAST_HEIGHTS = {"roofline": 376, "shares": 300, "batches": 220, "step": 190}
"""A low window scrolls rather than crowd what stands in a plot."""


class RooflinePage(PlotPage):
    """Prefill and decode apart, operation by operation; where their time goes, and what a larger batch changes."""

    def plots_for(self, context: Results) -> tuple[str, ...]:
        served = SERVING if context.scenario.serving is None or has_tokens(context.scenario) else SAMPLES
        by_workload = {"serving": served, "training": TRAINING}
        return tuple(name for workload in context.workloads() for name in by_workload[workload])

    def make_plot(self, name: str) -> Plot:
        kind, workload, *phase = name.split(".")
        if kind == "roofline":
            return RooflinePlot(workload, phase=phase[0])
        if kind == "shares":
            return PhaseSharesPlot()
        return BatchSharesPlot() if kind == "batches" else StepTimePlot(workload)

    def plot_view(self, name: str) -> PlotView:
        view = super().plot_view(name)
        view.be_at_least(LEAST_HEIGHTS[name.partition(".")[0]])
        return view


LEAST_HEIGHT = 150
"""Least height of a plot, so that two rows and their sentences fit on a small screen. [pixels]"""

HEIGHT_OF_PIN = 35
"""Added for each pinned candidate: its line in the legend, and room to tell its curve from the others. [pixels]"""


class LoadPage(PlotPage):
    """First token, gap between tokens, each token, and the whole request against the rate of requests."""

    trace_closed = Signal()
    """The request classes are to be simulated again."""
    follows = ("decision", "simulation")
    wanted = ("overlays",)
    plots: ClassVar = {name: partial(LatencyPlot, name) for name in ("ttft", "tpot", "itl", "e2e")}
    first_row = 1
    least_height = LEAST_HEIGHT

    def __init__(self) -> None:
        super().__init__()
        self._trace = plain_label("", self)
        self._close_trace = push_button(tr("Back to the request classes"), self.trace_closed, self)
        self._rates, self._use, self._differences = (LinesLabel(MOST_LINES, self) for _ in range(3))
        self._differences.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._strip = QWidget(self)
        self._replayed = QWidget(self._strip)
        lay_out(QHBoxLayout(self._replayed), self._trace, STRETCH, self._close_trace, margins=(0, 0, 0, 0))
        lines = lay_out(QVBoxLayout(self._strip), self._replayed, margins=(4, 0, 4, 0), spacing=2)
        for line in (self._rates, self._use, self._differences):
            lines.addWidget(line)
        self._strip.hide()

    def plots_for(self, context: Results) -> tuple[str, ...]:
        if context.plan.serving is None:
            return ()
        is_simulated = context.simulation is not None and context.simulation.curve is not None
        if "tpot" not in (told := context.scenario.told_latencies):
            return told
        # The closed form knows no distribution of single gaps: that plot comes with the simulation, and stays.
        has_gaps = is_simulated or "itl" in self._plots
        return tuple(name for name in self.plots if name != "itl" or has_gaps)

    def draw(self, context: Results) -> None:
        super().draw(context)
        simulation = context.simulation
        curve = simulation.curve if simulation is not None else None
        self._strip.setVisible(context.plan.serving is not None)
        first, closed = context.scenario.first_latency, context.load_curve
        has_targets = context.scenario.serving is not None and bool(context.scenario.serving.targets)
        rates = rates_summary(curve, closed, first, has_targets) if curve is not None else tr("Simulating…")
        self._rates.setText(rates)
        used = use_summary(curve, closed, has_tokens(context.scenario)) if curve is not None else ""
        answer = context.plan.serving
        batch = batch_text(context.scenario, answer, context.candidate("serving")) if answer is not None else ""
        self._use.setText(in_turn(batch, used) if used else "")
        self._use.setVisible(bool(self._use.text()))
        differs = difference_text(curve, first) if curve is not None else ""
        self._differences.setText(f"{differs}{mark('.')}" if differs else "")
        self._differences.setVisible(bool(self._differences.text()))
        figures = simulation.trace if simulation is not None else None
        self._replayed.setVisible(figures is not None)
        if figures is not None:
            count = format_value(figures.requests)
            self._trace.setText(tr("Trace {name}, {count} requests").format(name=figures.name, count=count))

    def _begin(self, names: tuple[str, ...]) -> None:
        pinned = self._drawn.pinned.get("serving", ()) if self._drawn is not None else ()
        for name in names:
            self._plots[name].be_at_least(LEAST_HEIGHT + HEIGHT_OF_PIN * len(pinned))
        super()._begin(names)

    def _arrange(self, names: tuple[str, ...]) -> None:
        """The plots, and above them what they come to."""
        super()._arrange(names)
        if self._columns:
            self._grid.removeWidget(self._strip)
            self._grid.addWidget(self._strip, 0, 0, 1, self._columns)
