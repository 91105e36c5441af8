"""What the selected device could do, and what the workload makes of it."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.context import Context
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.step_time import StepTimePlot


class RooflinePage(PlotPage):
    """The roofline of each workload, and where its step's time goes."""

    @classmethod
    def page_title(cls) -> str:
        return tr("Roofline")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return tuple(f"{kind}.{workload}" for workload in context.workloads() for kind in ("roofline", "step"))

    def make_plot(self, name: str) -> Plot:
        kind, _, workload = name.partition(".")
        return RooflinePlot(workload) if kind == "roofline" else StepTimePlot(workload)
