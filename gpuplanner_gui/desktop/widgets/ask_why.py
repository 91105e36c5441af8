"""A question of a widget, why its numbers are what they are, on its way to the view that it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.plots.base import Plot


def ask_why(widget: QWidget, words: str = "") -> None:
    """Have the view around a widget ask about the numbers in these words; without any, about all that it shows."""
    _emit(widget, "why_asked", words)


def ask_why_plot(widget: QWidget, plot: Plot) -> None:
    """Have the view around a widget ask about the numbers that a plot shows."""
    _emit(widget, "plot_asked", plot)


def _emit(widget: QWidget, signal: str, value: object) -> None:
    """Emit the signal of the outermost widget around that has it; do nothing if none has."""
    around: QWidget | None = widget
    outermost: SignalInstance | None = None
    while around is not None:
        asked = getattr(around, signal, None)
        if isinstance(asked, SignalInstance):
            outermost = asked
        around = around.parentWidget()
    if outermost is not None:
        outermost.emit(value)
