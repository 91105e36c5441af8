"""The pages of Why on a service: memory, roofline and load."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QPushButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.plot_page import PlotPage
from gpuplanner_gui.desktop.pages.plot_view import PlotView
from gpuplanner_gui.desktop.widgets.labels import LinesLabel, plain_label
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.desktop.widgets.tables import RowsModel, rows_table, show_whole
from gpuplanner_gui.drawing.language import in_turn, mark, tr
from gpuplanner_gui.drawing.limit_rows import limit_rows, neighbours
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.memory_frontier import MemoryFrontierPlot
from gpuplanner_gui.drawing.plots.phase_shares import BatchSharesPlot, PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.step_time import StepTimePlot
from gpuplanner_gui.drawing.results import Results, is_awaited
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.load import difference_text, rates_summary, use_summary

FRONTIER = "frontier"
MOST_DEPLOYMENTS = 24


class MemoryPage(PlotPage):
    """What fills a device, for the selected candidate, its neighbours and its rivals; under it the inverse answers."""

    follows = ("decision",)
    is_tall = True
    wanted = ("limits", "overlays")
    least_height = 220

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limits = RowsModel()
        self.limits_table = rows_table(self._limits, self)
        self.limits_table.setAccessibleName(tr("What the selected accelerator's memory holds"))
        self.limits_table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.limits_table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.limits_table.hide()

    def plots_for(self, context: Results) -> tuple[str, ...]:
        workloads = context.workloads()
        return (*workloads, FRONTIER) if "serving" in workloads else workloads

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
        if rows != self._limits.rows:
            self._limits.show_rows(rows)
            show_whole(self.limits_table)
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
    return has_answer and is_awaited(context.decision, "limits")


def _limit_rows(context: Results) -> Rows:
    limits = context.decision.limits if context.decision is not None else None
    answer, selected = context.plan.serving, context.candidate("serving")
    if limits is None or answer is None or selected < 0:
        return NO_ROWS
    table, precisions = answer.table, context.plan.precisions
    rows = neighbours(table, selected, MOST_DEPLOYMENTS)
    return limit_rows(
        limits,
        rows,
        [str(int(table.devices_per_replica[row])) for row in rows],
        [precisions[int(table.weight_precision[row])] for row in rows],
        [precisions[int(table.kv_precision[row])] for row in rows],
    )


SERVING = ("roofline.serving.prefill", "roofline.serving.decode", "shares.serving", "batches.serving", "step.serving")
TRAINING = ("roofline.training.training", "step.training")
LEAST_HEIGHTS = {"roofline": 376, "shares": 300, "batches": 220, "step": 190}
"""A low window scrolls rather than crowd what stands in a plot."""


class RooflinePage(PlotPage):
    """Prefill and decode apart, operation by operation; where their time goes, and what a larger batch changes."""

    def plots_for(self, context: Results) -> tuple[str, ...]:
        by_workload = {"serving": SERVING, "training": TRAINING}
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
"""Of a plot: two rows and the sentences above them fit on a small screen."""
MOST_LINES = 3
"""Of a sentence above the plots."""


class LoadPage(PlotPage):
    """First token, gap between tokens, each token, and the whole request against the rate of requests."""

    trace_closed = Signal()
    """The request classes are to be simulated again."""
    follows = ("decision", "simulation")
    wanted = ("overlays",)
    first_row = 1
    least_height = LEAST_HEIGHT

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._trace = plain_label("", self)
        self._close_trace = QPushButton(tr("Back to the request classes"), self)
        self._close_trace.clicked.connect(self.trace_closed)
        self._rates, self._use, self._differences = (LinesLabel(MOST_LINES, self) for _ in range(3))
        self._differences.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._strip = QWidget(self)
        self._replayed = QWidget(self._strip)
        trace = QHBoxLayout(self._replayed)
        trace.setContentsMargins(0, 0, 0, 0)
        trace.addWidget(self._trace)
        trace.addStretch()
        trace.addWidget(self._close_trace)
        lines = lay_out(QVBoxLayout(self._strip), self._replayed, margins=(4, 0, 4, 0), spacing=2)
        for line in (self._rates, self._use, self._differences):
            lines.addWidget(line)
        self._strip.hide()

    def plots_for(self, context: Results) -> tuple[str, ...]:
        if context.plan.serving is None:
            return ()
        is_simulated = context.simulation is not None and context.simulation.curve is not None
        # The closed form knows no distribution of single gaps: that plot comes with the simulation, and stays.
        return ("ttft", "tpot", "itl", "e2e") if is_simulated or "itl" in self._plots else ("ttft", "tpot", "e2e")

    def make_plot(self, name: str) -> Plot:
        return LatencyPlot(name)

    def draw(self, context: Results) -> None:
        super().draw(context)
        simulation = context.simulation
        curve = simulation.curve if simulation is not None else None
        self._strip.setVisible(context.plan.serving is not None)
        self._rates.setText(rates_summary(curve, context.load_curve) if curve is not None else tr("Simulating…"))
        self._use.setText(use_summary(curve, context.load_curve) if curve is not None else "")
        self._use.setVisible(bool(self._use.text()))
        self._differences.setText(
            in_turn(*(f"{one}{mark('.')}" for one in difference_text(curve))) if curve is not None else ""
        )
        self._differences.setVisible(bool(self._differences.text()))
        figures = simulation.trace if simulation is not None else None
        self._replayed.setVisible(figures is not None)
        if figures is not None:
            count = format_value(figures.requests)
            self._trace.setText(tr("Trace {name}, {count} requests").format(name=figures.name, count=count))

    def _arrange(self, names: tuple[str, ...]) -> None:
        """The plots, and above them what they come to."""
        super()._arrange(names)
        if self._columns:
            self._grid.removeWidget(self._strip)
            self._grid.addWidget(self._strip, 0, 0, 1, self._columns)
