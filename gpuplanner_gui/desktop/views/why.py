"""A question of a widget, why its numbers are what they are, on its way to the view that it stands in."""

from __future__ import annotations

from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QWidget

WHY = "why:"
"""What a view asks for, followed by the words at the mouse."""


def ask_why(widget: QWidget, words: str = "") -> None:
    """Have the view around a widget ask about the numbers in these words; without any, about all that it shows."""
    around: QWidget | None = widget
    while around is not None:
        asked = getattr(around, "asked", None)
        if isinstance(asked, SignalInstance):
            asked.emit(f"{WHY}{words}")
            return
        around = around.parentWidget()
