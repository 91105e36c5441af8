"""What it costs, and what the money is for."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.context import Context
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot


class CostPage(PlotPage):
    """Cost of the best candidate of each device, divided by what its time is spent on."""

    @classmethod
    def page_title(cls) -> str:
        return tr("Cost")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return context.workloads()

    def make_plot(self, name: str) -> Plot:
        return CostPlot(name, rows=9)
