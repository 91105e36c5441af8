"""How the service behaves as load grows: closed form at once, simulated percentiles as they come."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.views.lines_label import LinesLabel
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import in_turn, mark, tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.load import difference_text, rates_summary, use_summary

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
        self._trace = QLabel(self)
        self._trace.setTextFormat(Qt.TextFormat.PlainText)
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
        lines = QVBoxLayout(self._strip)
        lines.setContentsMargins(4, 0, 4, 0)
        lines.setSpacing(2)
        lines.addWidget(self._replayed)
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
