"""A word in the window's status line that something was done."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.status_line import StatusLine

SHOWN_MS = 8_000


def say_done(view: QWidget, text: str) -> None:
    """Show a sentence in the status line of the window that the view is in, for some seconds."""
    above: QWidget | None = view
    while above is not None:
        line = above.findChild(StatusLine, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if line is not None:
            line.showMessage(text, SHOWN_MS)
            return
        above = above.parentWidget()
