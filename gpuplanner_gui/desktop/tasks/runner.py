"""Work on a thread of its own: the newest task wins, a task can be called off, and its steps answer or fail alone."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from gpuplanner_gui.desktop.views.next_turn import drawing_queue
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

logger = logging.getLogger(__name__)

STOP_WAIT_MS = 3000
SWITCH_INTERVAL_S = 0.0003
"""An event loop in pure Python keeps Python to itself for this long at a time. At the usual 5 ms, drawing a page of
plots beside a simulation takes twice as long; at 1 ms as long as alone."""

_left_behind: list[tuple[QThread, QObject]] = []
"""Threads that did not end in time, with their workers: Qt ends the program where a running thread is destroyed."""


class Watch:
    """What a step looks at and speaks through while it computes, on the runner's thread."""

    def __init__(self, is_cancelled: Callable[[], bool], worker: _Worker, task: int, step: str) -> None:
        self.is_cancelled = is_cancelled
        self._worker, self._task, self._step = worker, task, step
        self.told: Any = None

    def answer(self, value: Any) -> None:
        """Hand over an answer that a better one may follow."""
        if not self.is_cancelled():
            self.told = value
            self._worker.answered.emit(self._task, self._step, value)

    def progress(self, share: float) -> None:
        """Tell how much of the step is done, from 0 to 1."""
        if not self.is_cancelled():
            self._worker.progressed.emit(self._task, self._step, share)


@dataclass(frozen=True)
class Step:
    """Part of a task."""

    name: str
    compute: Callable[[Watch], Any]
    """Its answer; called on the runner's thread, touches no widget, and looks often at `Watch.is_cancelled`."""


class TaskRunner(QObject):
    """Runs one task at a time; nothing of a task is told after another took its place or it was called off."""

    answered = Signal(str, object)
    """A step and its answer."""
    progressed = Signal(str, float)
    """A step and the share of it that is done; 0 when the step begins."""
    failed = Signal(str, object)
    """A step and the exception that ended it; the task's other steps go on."""
    finished = Signal()
    """Every step of the newest task has answered or failed; `is_running` where another waits already."""

    _begun = Signal(int, object)

    def __init__(self, name: str, parent: QObject | None = None, *, pause_ms: int = 0, patience_ms: int = 0) -> None:
        """A task begins `pause_ms` after it was asked for, and not while the window draws.

        One that is done within `patience_ms` is not given up for a newer one: views follow a slider while it moves.
        """
        super().__init__(parent)
        self._pause_ms, self._patience_ms = pause_ms, patience_ms
        self._newest = 0
        self._is_at_work = False
        self._ask: Callable[[], Sequence[Step]] | None = None
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._begin)
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._begin)
        drawing_queue().all_drawn.connect(self._begin)
        self._thread = QThread(self)
        self._thread.setObjectName(name)
        self._worker = _Worker(lambda: self._newest)
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._begun.connect(self._worker.work, queued)
        self._worker.answered.connect(self._on_answered, queued)
        self._worker.progressed.connect(self._on_progressed, queued)
        self._worker.failed.connect(self._on_failed, queued)
        self._worker.finished.connect(self._on_finished, queued)

    @property
    def is_running(self) -> bool:
        """A task is at work, or waits for its turn."""
        return self._is_at_work or self._ask is not None

    @property
    def is_at_work(self) -> bool:
        return self._is_at_work

    def run(self, ask: Callable[[], Sequence[Step]], *, pause_ms: int | None = None) -> None:
        """Begin a task when the pause is over; `ask` gives its steps then. Where there are none, what runs goes on.

        Asked again within the pause, only the newest is begun, a whole pause later.
        """
        self._ask = ask
        self._pause.start(self._pause_ms if pause_ms is None else pause_ms)

    def cancel(self) -> None:
        """Give up what runs and what waits: nothing more is told of it, and its steps end at their next look."""
        self._newest += 1
        self._is_at_work, self._ask = False, None
        self._pause.stop()
        self._patience.stop()

    def stop(self, wait_ms: int = STOP_WAIT_MS) -> None:
        """Cancel, and end the thread; one that does not end in time is left to itself."""
        self.cancel()
        self._thread.quit()
        if self._thread.isRunning() and not self._thread.wait(wait_ms):
            logger.warning("the %s thread did not stop within %d ms", self._thread.objectName(), wait_ms)
            self._thread.setParent(None)
            _left_behind.append((self._thread, self._worker))

    def _begin(self) -> None:
        if self._ask is None or self._pause.isActive() or (self._is_at_work and self._patience.isActive()):
            return
        if drawing_queue().is_drawing():
            # Computing meanwhile would take the interpreter from the drawing, and the window would stutter.
            return  # `all_drawn` comes.
        ask, self._ask = self._ask, None
        steps = tuple(ask())
        if not steps:
            if not self._is_at_work:
                self.finished.emit()
            return
        self._newest += 1
        self._is_at_work = True
        if self._patience_ms:
            self._patience.start(self._patience_ms)
        if not self._thread.isRunning():
            # Every call into Qt gives the interpreter away; beside a busy thread the window gets it back this soon.
            sys.setswitchinterval(SWITCH_INTERVAL_S)
            self._thread.start()
        self._begun.emit(self._newest, steps)

    @Slot(int, str, object)
    def _on_answered(self, task: int, step: str, value: Any) -> None:
        if task == self._newest:
            self.answered.emit(step, value)

    @Slot(int, str, float)
    def _on_progressed(self, task: int, step: str, share: float) -> None:
        if task == self._newest:
            self.progressed.emit(step, share)

    @Slot(int, str, object)
    def _on_failed(self, task: int, step: str, problem: Exception) -> None:
        if task == self._newest:
            self.failed.emit(step, problem)

    @Slot(int)
    def _on_finished(self, task: int) -> None:
        if task == self._newest:
            self._is_at_work = False
            self._patience.stop()
            self.finished.emit()
            self._begin()


class _Worker(QObject):
    """Lives on the runner's thread."""

    answered = Signal(int, str, object)
    progressed = Signal(int, str, float)
    failed = Signal(int, str, object)
    finished = Signal(int)

    def __init__(self, newest: Callable[[], int]) -> None:
        super().__init__()
        self._newest = newest

    @Slot(int, object)
    def work(self, task: int, steps: tuple[Step, ...]) -> None:
        def is_cancelled() -> bool:
            return task != self._newest()

        for step in steps:
            if is_cancelled():
                return
            watch = Watch(is_cancelled, self, task, step.name)
            watch.progress(0.0)
            try:
                value = step.compute(watch)
            except Exception as problem:
                if is_cancelled():
                    logger.debug("%s was given up", step.name, exc_info=True)
                    return
                if not isinstance(problem, FileProblem):
                    logger.exception("%s failed", step.name)
                self.failed.emit(task, step.name, problem)
            else:
                if value is not watch.told or value is None:
                    watch.answer(value)
        self.finished.emit(task)


def failure_text(problem: Exception) -> str:
    """Why a step failed, for people."""
    if isinstance(problem, FileProblem):
        return file_problem_text(problem)
    return str(problem).strip() or type(problem).__name__


def are_threads_left() -> bool:
    """Whether one still runs that was told to end."""
    return any(thread.isRunning() for thread, _ in _left_behind)
