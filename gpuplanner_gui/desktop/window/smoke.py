"""A run that proves the program works here: open, compute, paint, exit."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.tasks.plan_tasks import PlanState
from gpuplanner_gui.drawing.words.files import file_problem_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.main_window import MainWindow

STARTED_VARIABLE = "BENCH_START"


class SmokeRun(QObject):
    """Ends the program after the first complete result was painted, or with the reason why there is none."""

    def __init__(self, window: MainWindow, limit_s: float) -> None:
        super().__init__(window)
        self.code = 1
        self._window = window
        self._is_over = False
        window.compute.completed.connect(self._on_completed)
        if os.environ.get(STARTED_VARIABLE):
            window.installEventFilter(self)
            window.results_built.connect(lambda: QTimer.singleShot(0, self._say_when_usable))
        window.file.problem.connect(lambda problem: self.fail(file_problem_text(problem)))
        window.compute.state_changed.connect(self._on_state)
        QTimer.singleShot(int(limit_s * 1000), lambda: self.fail(f"no result within {limit_s:g} s"))

    def fail(self, reason: str) -> None:
        """End the program as failed, if it has not ended yet."""
        if self._is_over:
            return
        sys.stderr.write(f"gpuplanner-gui: smoke run failed: {reason}\n")
        self._end()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the first paint at once, for benchmarks."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            _say("on screen")
        return False

    def _say_when_usable(self) -> None:
        self._window.repaint()
        _say("usable")

    def _on_completed(self) -> None:
        if self._window.compute.state == PlanState.CURRENT and self._window.results_pane is not None:
            # Behind the repaints that the result has asked for.
            self._window.repaint()
            QTimer.singleShot(0, self._succeed)
        elif self._window.results_pane is None:
            self._window.results_built.connect(lambda: QTimer.singleShot(0, self._on_completed))

    def _on_state(self, state: str, message: str) -> None:
        if state == PlanState.FAILED:
            self.fail(message)

    def _succeed(self) -> None:
        if self._is_over:
            return
        self.code = 0
        self._end()

    def _end(self) -> None:
        self._is_over = True
        self._window.store.undo_stack.setClean()
        self._window.close()
        QApplication.exit(self.code)


def _say(what: str) -> None:
    """Seconds from the start of the process to now."""
    sys.stdout.write(f"{what} {time.time() - float(os.environ[STARTED_VARIABLE]):.4f}\n")
    sys.stdout.flush()
