"""How the service behaves as load grows."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.context import Context, ViewState
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.load import LatencyPlot


class LoadPage(PlotPage):
    """First token, each token, and the whole request against the rate of requests."""

    @classmethod
    def page_title(cls) -> str:
        return tr("Load")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return ("ttft", "tpot", "e2e") if context.plan.serving is not None else ()

    def make_plot(self, name: str) -> Plot:
        return LatencyPlot(name)

    def set_state(self, state: ViewState, message: str = "") -> None:
        if state is ViewState.CURRENT and self.context is not None and self.context.plan.serving is None:
            self.context = None
            state, message = ViewState.EMPTY, tr("This scenario serves nothing. Add a serving load to see latency.")
        super().set_state(state, message)
