"""A window whose thousands of widgets do not hear of every dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow

BLOCKING = (QEvent.Type.WindowBlocked, QEvent.Type.WindowUnblocked)


class QuietWindow(QMainWindow):
    """Keeps to itself that a dialog blocks it.

    Qt tells each widget inside, one after the other, and each call goes through Python: beside a thread at work 3,000
    of them held the window up for 60 ms. None does anything about it: what is blocked is the window.
    """

    def __init__(self) -> None:
        # A dock that was moved has a native window from then on, and is told apart from the window around it.
        QApplication.setAttribute(Qt.ApplicationAttribute.AA_DontCreateNativeWidgetSiblings)
        super().__init__()

    def event(self, event: QEvent) -> bool:
        return True if event.type() in BLOCKING else super().event(event)


class QuietDock(QDockWidget):
    """A dock of a quiet window, as quiet as that."""

    def event(self, event: QEvent) -> bool:
        return True if event.type() in BLOCKING else super().event(event)
