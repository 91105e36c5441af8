"""Work on threads of their own: the newest request wins, and it can be cancelled, watched and fail by itself."""

from __future__ import annotations

import ctypes
import logging
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, SignalInstance, Slot

from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.domain.scenario import TooManyCandidates, asks_the_same
from gpuplanner_gui.drawing.words.files import file_problem_text, too_many_candidates_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.domain.scenario import Scenario
    from gpuplanner_gui.drawing.results import Results

logger = logging.getLogger(__name__)

STOP_WAIT_MS = 3000
SWITCH_INTERVAL_S = 0.0003
"""An event loop in pure Python keeps Python to itself for this long at a time. At the usual 5 ms, drawing a page of
plots beside a simulation takes twice as long; at 1 ms as long as alone."""

_left_behind: list[tuple[QThread, QObject]] = []
"""Threads that did not end in time, with their workers: Qt ends the program where a running thread is destroyed."""


class NoAnswer(Exception):
    """Why a question can't be answered, for people. No fault of the program: it is told, and not logged."""


class Watch:
    """Link from a running step to its runner: whether to stop, and how far it is."""

    def __init__(self, is_cancelled: Callable[[], bool], worker: _Worker, task: int, step: str) -> None:
        self.is_cancelled = is_cancelled
        self._worker, self._task, self._step = worker, task, step
        self.told: Any = None

    def answer(self, value: Any) -> None:
        """Hand over an answer that a better one may follow."""
        if not self.is_cancelled():
            self.told = value
            self._worker.told.emit(self._task, "answered", self._step, value)

    def progress(self, share: float) -> None:
        """Tell how much of the step is done, from 0 to 1."""
        if not self.is_cancelled():
            self._worker.told.emit(self._task, "progressed", self._step, share)


@dataclass(frozen=True)
class Step:
    """Part of a task."""

    name: str
    compute: Callable[[Watch], Any]
    """Compute the answer on the runner's thread: touch no widget, and check `Watch.is_cancelled` often."""


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
        self._worker = _Worker(lambda: self._newest, waits=pause_ms > 0)
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._begun.connect(self._worker.work, queued)
        self._worker.told.connect(self._on_told, queued)
        self._worker.finished.connect(self._on_finished, queued)

    @property
    def is_running(self) -> bool:
        """A task is at work, or waits for its turn."""
        return self._is_at_work or self._ask is not None

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

    @Slot(int, str, str, object)
    def _on_told(self, task: int, what: str, step: str, value: Any) -> None:
        if task == self._newest:
            tells: SignalInstance = getattr(self, what)
            tells.emit(step, value)

    @Slot(int)
    def _on_finished(self, task: int) -> None:
        if task == self._newest:
            self._is_at_work = False
            self._patience.stop()
            self.finished.emit()
            self._begin()


class _Worker(QObject):
    """Lives on the runner's thread."""

    told = Signal(int, str, str, object)
    """A task, what its runner tells (`answered`, `progressed` or `failed`), a step, and its answer, share or fault."""
    finished = Signal(int)

    def __init__(self, newest: Callable[[], int], waits: bool) -> None:
        """`waits`: for a pause, so that nobody edits after its work."""
        super().__init__()
        self._newest = newest
        self._waits = waits

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
                if not isinstance(problem, (FileProblem, NoAnswer, TooManyCandidates)):
                    logger.exception("%s failed", step.name)
                self.told.emit(task, "failed", step.name, problem)
            else:
                if value is not watch.told or value is None:
                    watch.answer(value)
        self.finished.emit(task)
        if self._waits:
            give_back_memory()


M_ARENA_MAX = -8
"""Option number of glibc's `mallopt` (malloc.h)."""


def share_one_heap() -> None:
    """Let all threads take memory from one heap, before the first of them begins.

    Each would get one of its own, with holes that no other thread fills; Python runs one thread at a time anyway.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(M_ARENA_MAX, 1)


def give_back_memory() -> None:
    """Hand the system what is free: the allocator keeps a third of what a plan has taken, for each thread apart."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def failure_text(problem: Exception) -> str:
    """Why a step failed, for people."""
    if isinstance(problem, FileProblem):
        return file_problem_text(problem)
    if isinstance(problem, TooManyCandidates):
        return too_many_candidates_text(problem)
    return str(problem).strip() or type(problem).__name__


def are_threads_left() -> bool:
    """Whether one still runs that was told to end."""
    return any(thread.isRunning() for thread, _ in _left_behind)


KEPT_PLANS = 48
PAUSE_MS = 60
"""Pause between a plan and what follows from it: while a value is dragged, only the plan is computed."""


class PartsOnDemand(QObject):
    """Keeps the newest `answer`, a struct with a field for each part and `failures`; derived classes say what of."""

    changed = Signal(object)
    order: tuple[str, ...] = ()
    """The parts, the first to be worked out first."""

    def __init__(self, name: str, engine_of: Callable[[], Any]) -> None:
        super().__init__()
        self.answer: Any = None
        self._engine_of = engine_of
        self._results: Results | None = None
        self._wanted: set[str] = set()
        self._running: dict[str, Any] = {}
        """The subject of each part that is being computed."""
        self._known: dict[str, Any] = {}
        """The subject for which each part is known or has failed."""
        self._plans: list[tuple[Scenario, Plan]] = []
        """Plans of other scenarios, kept while those do not change; both threads replace the list whole."""
        self._runner = TaskRunner(name, self, pause_ms=PAUSE_MS)
        self._runner.answered.connect(self._on_answered)
        self._runner.failed.connect(self._on_failed)
        self._runner.finished.connect(self._on_finished)

    def want(self, part: str, is_wanted: bool) -> None:
        """A page that shows the part came on screen, or left it; parts of others are left alone."""
        if is_wanted and part in self.order:
            self._wanted.add(part)
            self.work()
        else:
            self._wanted.discard(part)

    @property
    def is_running(self) -> bool:
        return self._runner.is_running

    def work(self) -> None:
        """Work out what is missing, after a pause."""
        self._runner.run(self._steps)

    def cancel(self) -> None:
        """Give up what runs; what is known stays."""
        self._runner.cancel()
        self._running = {}

    def cancel_others(self) -> None:
        """Give up what runs where some of it is of another subject than the results at hand."""
        if not all(map(self._is_under_way, self._running)):
            self.cancel()

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._runner.stop()

    def is_missing(self, part: str) -> bool:
        """Whether somebody waits for this part of the results at hand."""
        raise NotImplementedError

    def subject(self, part: str) -> Any:
        """The subject of a part: what it depends on. A part that runs for the same subject is not started again."""
        raise NotImplementedError

    def compute(self, part: str, engine: Any, results: Results, watch: Watch) -> Any:
        """A part's answer, on the runner's thread."""
        raise NotImplementedError

    def take(self, part: str, value: Any, failure: str | None) -> None:
        """Keep a part's answer, or why there is none."""
        raise NotImplementedError

    def _steps(self) -> tuple[Step, ...]:
        results, engine = self._results, self._engine_of()
        self._plans = [] if results is None else self._plans_there(results)
        missing = [part for part in self.order if self.is_missing(part)] if results is not None else []
        if results is None or engine is None or all(self._is_under_way(part) for part in missing):
            return ()
        self._running = {part: self.subject(part) for part in missing}
        return tuple(Step(part, partial(self.compute, part, engine, results)) for part in missing)

    def _is_under_way(self, part: str) -> bool:
        return part in self._running and is_same(self._running[part], self.subject(part))

    def is_known(self, part: str) -> bool:
        """Whether what is known of a part is of the results at hand."""
        return is_same(self._known.get(part), self.subject(part))

    def failures_with(self, part: str, failure: str | None) -> dict[str, str]:
        """Why there is no answer, by part, with what became of this one."""
        known = {} if self.answer is None else self.answer.failures
        others = {name: text for name, text in known.items() if name != part}
        return {**others, part: failure} if failure is not None else others

    def plan_of(self, scenario: Scenario, results: Results, make: Callable[[], Plan]) -> Plan:
        """The plan of a scenario of the project, made where none is kept."""
        for known, plan in self._plans:
            if asks_the_same(known, scenario):
                return plan
        plan = make()
        self.keep_plan(scenario, plan, results)
        return plan

    def keep_plan(self, scenario: Scenario, plan: Plan, results: Results) -> None:
        """Keep the plan of a scenario; drop plans of its earlier states."""
        others = [entry for entry in self._plans_there(results) if not asks_the_same(entry[0], scenario)]
        self._plans = [*others[-KEPT_PLANS + 1 :], (scenario, plan)]

    def _plans_there(self, results: Results) -> list[tuple[Scenario, Plan]]:
        """Those of scenarios that the project has: of one that was removed, or of another project, none stays."""
        there = results.project.scenarios
        return [entry for entry in self._plans if any(asks_the_same(entry[0], one) for one in there)]

    def _on_answered(self, part: str, value: Any) -> None:
        self.take(part, value, None if value is not None else "")

    def _on_failed(self, part: str, problem: Exception) -> None:
        self.take(part, None, failure_text(problem))

    def _on_finished(self) -> None:
        self._running = {}

    def _set(self, answer: Any) -> None:
        if answer is not self.answer:
            self.answer = answer
            self.changed.emit(answer)


def is_same(one: tuple[Any, ...] | None, other: tuple[Any, ...] | None) -> bool:
    """Whether two subjects are one. Their first parts are plans, which hold arrays: one object, or different."""
    if one is None or other is None:
        return False
    return one[0] is other[0] and one[1:] == other[1:]
