"""How the Python interpreter is set up for a window: when garbage is collected, and how modules are imported.

Python collects where memory happens to be asked for, on a computing thread too; a widget that is freed there brings the
program down. So the automatic collection is off, and a timer of the window's thread does it.
"""

from __future__ import annotations

import builtins
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


HIDDEN = "__orig_import__"


def spare_source_reading() -> None:
    """From now on no module's source is read as it is imported.

    WORKAROUND for PySide6 (seen in 6.10.3): it takes `__import__` over, and reads the source of every module that any
    other imports, compiled or not, to see whether it may use `from __feature__ import`. No module of this program does,
    and the reading was a tenth of the time until the window could be used. What PySide6 had hidden takes its place
    again; where a later version hides nothing, there is nothing to be done.
    """
    hidden = getattr(builtins, HIDDEN, None)
    if hidden is not None:
        builtins.__import__ = hidden
