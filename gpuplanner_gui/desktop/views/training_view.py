"""Views of the training detail: they ask for their part of it while they are on screen."""

from __future__ import annotations

from PySide6.QtGui import QHideEvent, QShowEvent

from gpuplanner_gui.desktop.tasks.training_explorer import LEAVE, WANT
from gpuplanner_gui.desktop.views.plot_page import PlotPage
from gpuplanner_gui.desktop.views.result_view import ResultView


class TrainingView(ResultView):
    """A view of parts of `drawing.training_detail.TrainingDetail`; derived classes name their part in `part`."""

    follows_training = True
    part = ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.asked.emit(f"{WANT}{self.part}")

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.asked.emit(f"{LEAVE}{self.part}")


class TrainingPlotPage(TrainingView, PlotPage):
    """Plots of a part of the training detail."""
