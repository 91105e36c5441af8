"""Memory per device, of each workload."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.context import Context
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot


class MemoryPage(PlotPage):
    """What fills a device, for the selected candidate, its neighbours and its rivals."""

    @classmethod
    def page_title(cls) -> str:
        return tr("Memory")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return context.workloads()

    def make_plot(self, name: str) -> Plot:
        return MemoryPlot(name, rows=9)
