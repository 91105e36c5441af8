"""A plot on its way to a file or the clipboard: painted here, a little in each turn; encoded and written elsewhere."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal

from gpuplanner_gui.desktop.tasks.runner import STOP_WAIT_MS
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.export import Steps
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

logger = logging.getLogger(__name__)

_under_way: set[PlotTaking] = set()
"""Nothing is given up because its view has gone."""


class PlotTaking(QObject):
    """Takes the steps that make something of a plot, and hands the result on."""

    ended = Signal(object)
    """With the result of the steps, or what was made of it elsewhere."""
    failed = Signal(str)
    """With a sentence."""

    _handed_on = Signal()

    def __init__(
        self, steps: Steps[Any], hand_on: Callable[[Any], Any] | None = None, own_plot: Plot | None = None
    ) -> None:
        """`hand_on` is called with the steps' result, on another thread; a `FileProblem` there is told.

        A plot of its own is deleted afterwards.
        """
        super().__init__(QCoreApplication.instance())
        self._plot, self._steps, self._hand_on = own_plot, steps, hand_on
        self._result: Any = None
        self._problem = ""
        self._thread: threading.Thread | None = None
        self._is_told = False
        self._turn = DrawingTurn(self, self._step)
        self._handed_on.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        _under_way.add(self)
        self._turn.start()

    def finish(self) -> None:
        """All that is left, at once, for as long as a window may take to close."""
        while self._thread is None and not self._is_told:
            self._step()
        if self._thread is not None:
            self._thread.join(STOP_WAIT_MS / 1000)
        self._tell()

    def _step(self) -> None:
        if self._thread is not None or self._is_told:
            return
        try:
            next(self._steps)
        except StopIteration as end:
            self._result = end.value
            if self._plot is not None:
                self._plot.deleteLater()
            self._begin_handing_on()
        except Exception:
            self._leave()
            raise
        else:
            self._turn.start()

    def _begin_handing_on(self) -> None:
        if self._hand_on is None:
            self._tell()
            return
        self._thread = threading.Thread(target=self._run, name="plot", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        assert self._hand_on is not None
        try:
            self._result = self._hand_on(self._result)
        except FileProblem as problem:
            self._problem = file_problem_text(problem)
        except Exception as problem:
            logger.exception("a plot could not be taken along")
            self._problem = str(problem).strip() or type(problem).__name__
        self._handed_on.emit()

    def _tell(self) -> None:
        if self._is_told:
            return
        self._leave()
        if self._problem:
            self.failed.emit(self._problem)
        else:
            self.ended.emit(self._result)

    def _leave(self) -> None:
        self._is_told = True
        _under_way.discard(self)
        self.deleteLater()


def finish_takings() -> None:
    """Bring to their end what was asked for, as a window closes."""
    for taking in list(_under_way):
        taking.finish()
