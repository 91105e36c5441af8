"""One fleet or two: what each way to cover training and serving costs, wastes, and when devices are held."""

from __future__ import annotations

from collections.abc import Callable

from gpuplanner_gui.desktop.views.context import Context
from gpuplanner_gui.desktop.views.decision_page import DecisionPlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.resource_use import ResourceUsePlot
from gpuplanner_gui.drawing.plots.strategies import PaidUsedPlot, StrategiesPlot
from gpuplanner_gui.drawing.plots.timeline import TimelinePlot

BOTH, ONE = ("strategies", "paid", "timeline", "use"), ("use",)


class SideBySidePage(DecisionPlotPage):
    """Strategies and their timeline, above what is paid for and what is used."""

    wanted = ("fleets",)
    least_height = 270

    @classmethod
    def page_title(cls) -> str:
        return tr("Fleets")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return BOTH if len(context.workloads()) > 1 else ONE

    def make_plot(self, name: str) -> Plot:
        makers: dict[str, Callable[[], Plot]] = {
            "strategies": StrategiesPlot,
            "paid": PaidUsedPlot,
            "timeline": TimelinePlot,
            "use": ResourceUsePlot,
        }
        return makers[name]()
