"""Work put off to the next turn of the event loop.

WORKAROUND for PySide6 (seen in 6.10.3 on Python 3.11): an exception that leaves an override such as resizeEvent,
showEvent or changeEvent, while Python waits for the Qt call that led there, ends the process. From a timer's
slot it reaches `sys.excepthook`. So overrides only ask for a turn, and the work that could fail is done there.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable
from functools import cache, partial

from PySide6.QtCore import QCoreApplication, QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid


class NextTurn(QTimer):
    """Calls back once, soon after `start`, however often it was started; not at all after its parent has gone."""

    def __init__(self, parent: QObject, work: Callable[[], None]) -> None:
        super().__init__(parent, singleShot=True, interval=0)
        self.timeout.connect(work)


class PaintedNextTurn(NextTurn):
    """What changes in a widget after `start` is laid out in this turn and painted in the next."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget, partial(widget.setUpdatesEnabled, True))
        self._widget = widget

    def start(self) -> None:  # type: ignore[override]
        self._widget.setUpdatesEnabled(False)
        super().start()


class DrawingTurn(QObject):
    """A `NextTurn` for work of some milliseconds: no two of the program share a turn of the event loop.

    So the window paints what one has drawn, and hears keys and mouse, before the next.
    """

    def __init__(self, parent: QObject, work: Callable[[], None]) -> None:
        super().__init__(parent)
        self.work = work

    def start(self) -> None:
        drawing_queue().add(self)

    def is_waiting(self) -> bool:
        return drawing_queue().holds(self)


class DrawingQueue(QObject):
    """A queue of drawings, in the order of the requests; one runs in every second turn of the event loop.

    The turn between is for what the window paints: plots take as long to paint as to draw.
    """

    all_drawn = Signal()
    """Nothing waits any more, and the window has painted what was drawn last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[DrawingTurn] = deque()
        self._turn = NextTurn(self, self._draw_one)
        self._is_at_work = False
        self._is_painting = False
        """Whether the present turn is left to what was drawn last, or to what asked for the first."""

    def add(self, turn: DrawingTurn) -> None:
        """Draw this after what waits already; once, however often it is asked for before."""
        if turn not in self._waiting:
            self._waiting.append(turn)
        if not self._turn.isActive():
            self._is_painting = not self._is_at_work
            self._turn.start()

    def holds(self, turn: DrawingTurn) -> bool:
        return turn in self._waiting

    def is_drawing(self) -> bool:
        """Something waits, is drawn just now, or has not been painted yet."""
        return self._is_at_work or self._turn.isActive()

    def _draw_one(self) -> None:
        if self._is_painting:
            self._is_painting = False
            self._turn.start()
            return
        while self._waiting and not isValid(self._waiting[0]):
            self._waiting.popleft()
        if not self._waiting:
            self.all_drawn.emit()
            return
        turn = self._waiting.popleft()
        self._is_at_work = True
        try:
            turn.work()
        finally:
            # After the work, so that whatever came meanwhile goes before the next; and after a failure too.
            self._is_at_work = False
            self._is_painting = True
            self._turn.start()


class WhenDrawn(QObject):
    """Calls back once, when all is drawn and painted that waits at `start` or comes until then."""

    def __init__(self, parent: QObject, work: Callable[[], None]) -> None:
        super().__init__(parent)
        self._work = work
        self._is_waiting = False
        # The queue only tells that it is empty after it has held something.
        self._turn = DrawingTurn(self, lambda: None)
        drawing_queue().all_drawn.connect(self._on_all_drawn)

    def start(self) -> None:
        self._is_waiting = True
        self._turn.start()

    def _on_all_drawn(self) -> None:
        if self._is_waiting:
            self._is_waiting = False
            self._work()


@cache
def drawing_queue() -> DrawingQueue:
    """The program's only one: two windows draw no more in one turn than one does."""
    return DrawingQueue(QCoreApplication.instance())


class BesideDrawing(QTimer):
    """Calls back in each turn of the event loop in which nothing is drawn, from `start` to `stop`.

    For long lists: as `DrawingTurn`s they would hold up what waits until all is drawn.
    """

    def __init__(self, parent: QObject, work: Callable[[], None]) -> None:
        super().__init__(parent, interval=0)
        self._work = work
        self.timeout.connect(self._turn)

    def _turn(self) -> None:
        if not drawing_queue().is_drawing():
            self._work()


PAUSE_MS = 80


class IdleWork(QObject):
    """Does one piece after another while nothing runs; once all are done, spares the garbage collector what stays."""

    def __init__(self, is_idle: Callable[[], bool], do_one: Callable[[], bool], parent: QObject) -> None:
        """`do_one` says whether there was something left to do."""
        super().__init__(parent)
        self._is_idle = is_idle
        self._do_one = do_one
        self._is_first = False
        """Whether this is the first window: objects of a further one do not stay until the end."""
        self._is_started = False
        self._is_done = False
        self._timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._timer.timeout.connect(self._turn)

    def start(self) -> None:
        """Go on as soon as nothing runs; does nothing while it is going on already, or done.

        Windows, catalogue and modules stay until the end; collecting garbage among them would stall the window.
        """
        # Asked once: the count is made by walking over everything that is spared.
        if not self._is_started and gc.get_freeze_count() == 0:
            self._is_first = True
            gc.freeze()
        self._is_started = True
        if not self._is_done and not self._timer.isActive():
            self._timer.start()

    def _turn(self) -> None:
        if self._is_idle() and not self._do_one():
            self._is_done = True
            if self._is_first:
                gc.freeze()
        else:
            self._timer.start()
