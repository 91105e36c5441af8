"""The plan at a glance: four plots of what is planned."""

from __future__ import annotations

from collections.abc import Callable

from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.cost import CostPlot
from gpuplanner_gui.drawing.plots.load import LatencyPlot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.results import Results

SERVING = ("latency", "roofline", "memory", "cost")
LEAST_HEIGHT = 150
"""Of a plot: two rows are seen whole on a small screen."""
TRAINING = ("scaling", "training_roofline", "training_memory", "training_cost")


class OverviewPage(PlotPage):
    """Load, roofline, memory and cost of the service; of the training run where only that is planned."""

    least_height = LEAST_HEIGHT

    @classmethod
    def page_title(cls) -> str:
        return tr("Overview")

    def plots_for(self, context: Results) -> tuple[str, ...]:
        return SERVING if context.plan.serving is not None else TRAINING

    def make_plot(self, name: str) -> Plot:
        makers: dict[str, Callable[[], Plot]] = {
            "latency": lambda: LatencyPlot("ttft"),
            "roofline": lambda: RooflinePlot("serving"),
            "memory": lambda: MemoryPlot("serving", rows=5),
            "cost": lambda: CostPlot("serving", rows=5),
            "scaling": ScalingPlot,
            "training_roofline": lambda: RooflinePlot("training"),
            "training_memory": lambda: MemoryPlot("training", rows=5),
            "training_cost": lambda: CostPlot("training", rows=5),
        }
        return makers[name]()
