"""Work for when the program has nothing else to do, a piece at a time, so that no edit waits for more than a piece."""

from __future__ import annotations

import gc
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer

PAUSE_MS = 80


class IdleWork(QObject):
    """Does one piece after another while nothing runs; once all are done, spares the garbage collector what stays."""

    def __init__(self, is_idle: Callable[[], bool], do_one: Callable[[], bool], parent: QObject) -> None:
        """`do_one` says whether there was something left to do."""
        super().__init__(parent)
        self._is_idle = is_idle
        self._do_one = do_one
        self._is_first = False
        """Of a further window, not everything stays until the end."""
        self._is_started = False
        self._is_done = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(PAUSE_MS)
        self._timer.timeout.connect(self._turn)

    def start(self) -> None:
        """Go on as soon as nothing runs; does nothing while it is going on already, or done."""
        # Asked once: the count is made by walking over everything that is spared.
        if not self._is_started and gc.get_freeze_count() == 0:
            self._is_first = True
            _spare_what_stays()
        self._is_started = True
        if not self._is_done and not self._timer.isActive():
            self._timer.start()

    def _turn(self) -> None:
        if self._is_idle() and not self._do_one():
            self._is_done = True
            if self._is_first:
                _spare_what_stays()
        else:
            self._timer.start()


def _spare_what_stays() -> None:
    """Windows, catalogue and modules stay until the end; collecting garbage among them would stall the window."""
    gc.freeze()
