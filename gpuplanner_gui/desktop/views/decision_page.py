"""Pages that show parts of the decision: they ask for them while they are on screen."""

from __future__ import annotations

from PySide6.QtGui import QHideEvent, QShowEvent

from gpuplanner_gui.desktop.tasks.decider import LEAVE, WANT
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.desktop.views.plot_view import PlotView
from gpuplanner_gui.desktop.views.result_view import ResultView


class DecisionView(ResultView):
    """A view of parts of `drawing.decision.Decision`; derived classes name them in `wanted`."""

    follows_decision = True
    wanted: tuple[str, ...] = ()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for stage in self.wanted:
            self.asked.emit(f"{WANT}{stage}")

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        for stage in self.wanted:
            self.asked.emit(f"{LEAVE}{stage}")


class DecisionPlotPage(DecisionView, PlotPage):
    """Plots of parts of the decision; tall enough to read all their rows, so that a low window scrolls."""

    least_height = 190

    def plot_view(self, name: str) -> PlotView:
        view = super().plot_view(name)
        view.be_at_least(self.least_height)
        return view
