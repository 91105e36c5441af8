"""Work put off to the next turn of the event loop.

WORKAROUND for PySide6 (seen in 6.10.3 on Python 3.11): an exception that leaves an override such as resizeEvent,
showEvent or changeEvent, while Python waits for the Qt call that led there, ends the process. From a timer's
slot it reaches `sys.excepthook`. So overrides only ask for a turn, and the work that could fail is done there.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer


class NextTurn(QTimer):
    """Calls back once, soon after `start`, however often it was started; not at all after its parent has gone."""

    def __init__(self, parent: QObject, work: Callable[[], None]) -> None:
        super().__init__(parent)
        self.setSingleShot(True)
        self.setInterval(0)
        self.timeout.connect(work)
