"""A window whose thousands of widgets do not hear of every dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QMainWindow

BLOCKING = (QEvent.Type.WindowBlocked, QEvent.Type.WindowUnblocked)


class QuietWindow(QMainWindow):
    """Keeps to itself that a dialog blocks it.

    Qt tells each widget inside, one after the other, and each call goes through Python: beside a thread at work 3,000
    of them held the window up for 60 ms. None does anything about it: what is blocked is the window.
    """

    def event(self, event: QEvent) -> bool:
        return True if event.type() in BLOCKING else super().event(event)
