"""The training run: how long on how many devices, and where a step's time goes."""

from __future__ import annotations

from collections.abc import Callable

from gpuplanner_gui.desktop.views.context import Context, ViewState
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.memory import MemoryPlot
from gpuplanner_gui.drawing.plots.scaling import ScalingPlot
from gpuplanner_gui.drawing.plots.step_time import StepTimePlot


class TrainingPage(PlotPage):
    """Scaling, the parts of a step, and memory."""

    @classmethod
    def page_title(cls) -> str:
        return tr("Training")

    def plots_for(self, context: Context) -> tuple[str, ...]:
        return ("scaling", "step", "memory") if context.plan.training is not None else ()

    def make_plot(self, name: str) -> Plot:
        makers: dict[str, Callable[[], Plot]] = {
            "scaling": ScalingPlot,
            "step": lambda: StepTimePlot("training"),
            "memory": lambda: MemoryPlot("training"),
        }
        return makers[name]()

    def set_state(self, state: ViewState, message: str = "") -> None:
        if state is ViewState.CURRENT and self.context is not None and self.context.plan.training is None:
            self.context = None
            state, message = ViewState.EMPTY, tr("This scenario trains nothing. Add a training job to see its run.")
        super().set_state(state, message)
