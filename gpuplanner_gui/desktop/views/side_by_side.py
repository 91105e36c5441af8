"""Training and serving beside each other: what each pays for and does not use, and what sharing would cost."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.context import Context, ViewState
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
        return ("use", "fleet") if len(context.workloads()) > 1 else ()

    def set_state(self, state: ViewState, message: str = "") -> None:
        if state is ViewState.CURRENT and self.context is not None and len(self.context.workloads()) < 2:
            self.context = None
            state = ViewState.EMPTY
            message = tr("Plan both training and serving in one scenario to see what one fleet for both would cost.")
        super().set_state(state, message)

    def make_plot(self, name: str) -> Plot:
        return ResourceUsePlot() if name == "use" else SharedFleetPlot()
