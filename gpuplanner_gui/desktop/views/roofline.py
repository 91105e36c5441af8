"""What the selected device could do, and what the workload makes of it."""

from __future__ import annotations

from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.desktop.views.plot_view import PlotView
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.phase_shares import BatchSharesPlot, PhaseSharesPlot
from gpuplanner_gui.drawing.plots.roofline import RooflinePlot
from gpuplanner_gui.drawing.plots.step_time import StepTimePlot
from gpuplanner_gui.drawing.results import Results

SERVING = ("roofline.serving.prefill", "roofline.serving.decode", "shares.serving", "batches.serving", "step.serving")
TRAINING = ("roofline.training.training", "step.training")
LEAST_HEIGHTS = {"roofline": 376, "shares": 300, "batches": 220, "step": 190}
"""A low window scrolls rather than crowd what stands in a plot."""


class RooflinePage(PlotPage):
    """Prefill and decode apart, operation by operation; where their time goes, and what a larger batch changes."""

    def plots_for(self, context: Results) -> tuple[str, ...]:
        by_workload = {"serving": SERVING, "training": TRAINING}
        return tuple(name for workload in context.workloads() for name in by_workload[workload])

    def make_plot(self, name: str) -> Plot:
        kind, workload, *phase = name.split(".")
        if kind == "roofline":
            return RooflinePlot(workload, phase=phase[0])
        if kind == "shares":
            return PhaseSharesPlot()
        return BatchSharesPlot() if kind == "batches" else StepTimePlot(workload)

    def plot_view(self, name: str) -> PlotView:
        view = super().plot_view(name)
        view.be_at_least(LEAST_HEIGHTS[name.partition(".")[0]])
        return view
