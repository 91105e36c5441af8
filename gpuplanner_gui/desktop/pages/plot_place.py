"""Where a plot stands in a window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget


class PlotPlace(QWidget):
    """Holds the canvas of a plot, and gives it a new size only when `take_room` is called.

    A window that is resized would lay out and paint all of its plots in one turn. So each is painted as it was, from
    what it has cached, and takes its room in a turn of its own.
    """

    def __init__(self, canvas: QWidget, ask_turn: Callable[[], None]) -> None:
        """`ask_turn` is called when there is another room to be taken."""
        super().__init__()
        self._canvas = canvas
        self._ask_turn = ask_turn
        canvas.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible():
            self._ask_turn()
        else:
            self.take_room()

    def take_room(self) -> None:
        """Make the canvas as large as its place."""
        self._canvas.setGeometry(self.rect())
