"""One fleet or two: what each way to cover training and serving costs, wastes, and when devices are held."""

from __future__ import annotations

from collections.abc import Callable

from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.resource_use import ResourceUsePlot
from gpuplanner_gui.drawing.plots.shared_fleet import SharedFleetPlot
from gpuplanner_gui.drawing.plots.strategies import PaidUsedPlot, StrategiesPlot, fleets_of
from gpuplanner_gui.drawing.plots.timeline import TimelinePlot
from gpuplanner_gui.drawing.results import Results

AT_ONCE, KNOWN = ("use", "fleet"), ("strategies", "paid", "timeline", "use")
"""Before fleets are weighed over the horizon, a run and a month stand for it."""


class SideBySidePage(PlotPage):
    """Strategies and their timeline, above what is paid for and what is used."""

    follows = ("decision",)
    is_tall = True
    wanted = ("fleets",)
    least_height = 270

    def plots_for(self, context: Results) -> tuple[str, ...]:
        return KNOWN if fleets_of(context) is not None else AT_ONCE

    def make_plot(self, name: str) -> Plot:
        makers: dict[str, Callable[[], Plot]] = {
            "strategies": StrategiesPlot,
            "paid": PaidUsedPlot,
            "timeline": TimelinePlot,
            "use": ResourceUsePlot,
            "fleet": SharedFleetPlot,
        }
        return makers[name]()
