"""Garbage is collected on the window's thread alone.

Python collects where memory happens to be asked for, on a computing thread too; a widget that is freed there brings the
program down. So the automatic collection is off, and a timer of the window's thread does it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

INTERVAL_MS = 1000
YOUNG, ALL = 1, 2
ALL_EVERY = 30
"""Every so many turns what is old is looked through too."""
WORTH_IT = 1000
"""New objects since the last turn; with fewer, nothing is looked for."""


class Collector(QObject):
    """Collects from now on, until its parent goes."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._turn = 0
        timer = QTimer(self)
        timer.setInterval(INTERVAL_MS)
        timer.timeout.connect(self._on_turn)
        timer.start()

    def _on_turn(self) -> None:
        self._turn += 1
        if self._turn % ALL_EVERY == 0:
            gc.collect(ALL)
        elif gc.get_count()[0] > WORTH_IT:
            gc.collect(YOUNG)
