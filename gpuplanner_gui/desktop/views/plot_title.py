"""The sentence over a plot: in two lines where one is too short for it."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.views.lines_label import LinesLabel


class PlotTitle(LinesLabel):
    """Bolder than what stands under it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(2, parent)
        font = self.font()
        font.setWeight(font.Weight.DemiBold)
        self.setFont(font)
