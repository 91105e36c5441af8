"""The sentence over a plot: in as many lines as a narrow plot needs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.views.lines_label import LinesLabel

MOST_LINES = 3


class PlotTitle(LinesLabel):
    """Bolder than what stands under it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(MOST_LINES, parent)
        font = self.font()
        font.setWeight(font.Weight.DemiBold)
        self.setFont(font)
