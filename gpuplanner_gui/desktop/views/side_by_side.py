"""Training and serving beside each other: what each pays for and does not use, and what sharing would cost."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.context import Context
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.resource_use import ResourceUsePlot
from gpuplanner_gui.drawing.plots.shared_fleet import SharedFleetPlot


class SideBySidePage(PlotPage):
    """Use of the paid time by workload, above the costs of one shared fleet."""

    @classmethod
    def page_title(cls) -> str:
        return tr("Side by side")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return ("use", "fleet")

    def make_plot(self, name: str) -> Plot:
        return ResourceUsePlot() if name == "use" else SharedFleetPlot()
