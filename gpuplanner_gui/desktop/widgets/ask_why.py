"""What a widget stands in, and its question why its numbers are what they are, on its way to the view around it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QScrollArea, QWidget

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.plots.base import Plot


def ask_why(widget: QWidget, words: str = "") -> None:
    """Have the view around a widget ask about the numbers in these words; without any, about all that it shows."""
    _emit(widget, "why_asked", words)


def ask_why_cell(widget: QWidget, words: str) -> None:
    """Have the view around a table ask about the number in a cell, which may have no calculation."""
    _emit(widget, "cell_why_asked", words)


def ask_why_plot(widget: QWidget, plot: Plot) -> None:
    """Have the view around a widget ask about the numbers that a plot shows."""
    _emit(widget, "plot_asked", plot)


def from_inside_out(widget: QWidget | None) -> Iterator[QWidget]:
    """A widget, what it stands in, and so on to its window."""
    while widget is not None:
        yield widget
        widget = widget.parentWidget()


def scroll_area_around(widget: QWidget) -> QScrollArea | None:
    """The nearest area that scrolls a widget."""
    return next((one for one in from_inside_out(widget) if isinstance(one, QScrollArea)), None)


def _emit(widget: QWidget, signal: str, value: object) -> None:
    """Emit the signal of the outermost widget around that has it; do nothing if none has."""
    asked = [getattr(one, signal, None) for one in from_inside_out(widget)]
    signals = [one for one in asked if isinstance(one, SignalInstance)]
    if signals:
        signals[-1].emit(value)
