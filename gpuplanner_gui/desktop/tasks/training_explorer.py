"""The window's side of the training thread: what is worked out and when; only what a page on screen shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from gpuplanner_gui.desktop.tasks.ending_thread import end_thread
from gpuplanner_gui.desktop.tasks.training_worker import (
    FITS,
    LAYOUTS,
    SCALING,
    STEP,
    LayoutQuestion,
    TrainingQuestion,
    TrainingWorker,
)
from gpuplanner_gui.desktop.views.next_turn import AfterDrawing

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.results import Results
    from gpuplanner_gui.drawing.training_detail import TrainingDetail


PAUSE_MS = 60
"""Between a plan and what follows from it: while a value is dragged, only the plan is computed."""
ORDER = (STEP, SCALING, LAYOUTS, FITS)
WANT, LEAVE = "want:training.", "leave:training."
"""What a page asks for while it is on screen, and no longer; before the name of a part."""
RANK = "layouts:"
"""Before an objective and a number of devices: `layouts:cost:64`."""


class TrainingExplorer(QObject):
    """Keeps the newest `TrainingDetail` of the results on screen; what is old stays, marked, until the new is there."""

    changed = Signal(object)

    _ask = Signal(object)

    def __init__(self, engine_of: Callable[[], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generation = 0
        self._results: Results | None = None
        self._wanted: set[str] = set()
        self._running: dict[str, Any] = {}
        self._known: dict[str, Any] = {}
        """Of each part that is known or failed, what it was worked out for."""
        self.layout_question = LayoutQuestion()
        self.detail: TrainingDetail | None = None
        self._thread = QThread(self)
        self._thread.setObjectName("training")
        self._worker = TrainingWorker(engine_of, lambda: self._generation)
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._ask.connect(self._worker.answer, queued)
        self._worker.answered.connect(self._on_answered, queued)
        self._worker.failed.connect(self._on_failed, queued)
        self._worker.finished.connect(self._on_finished, queued)
        self._pause = AfterDrawing(self, PAUSE_MS, self._run)
        self._thread.start()

    def follow(self, results: Results) -> None:
        """Work on these results from now on; what is known of the same plan and candidate stays."""
        is_other = self._results is None or self._results.scenario.name != results.scenario.name
        if results.candidate("training") < 0 or (is_other and self.detail is not None):
            self._known = {}
            self._set_detail(None)
        self._results = results
        if any(not _same(subject, self._subject(part)) for part, subject in self._running.items()):
            self._cancel()
        self._mark_outdated()
        self._pause.start()

    def take_wish(self, wish: str) -> None:
        """A page came on screen or left it, or the planner ranks layouts in another way."""
        if wish.startswith(WANT):
            self._wanted.add(wish.removeprefix(WANT))
            self._pause.start()
        elif wish.startswith(LEAVE):
            self._wanted.discard(wish.removeprefix(LEAVE))
        elif wish.startswith(RANK):
            objective, _, devices = wish.removeprefix(RANK).partition(":")
            self.layout_question = LayoutQuestion(objective=objective, devices=int(devices or 0))  # type: ignore[arg-type]
            self._cancel()
            self._mark_outdated()
            self._pause.start()

    @property
    def is_running(self) -> bool:
        return bool(self._running) or self._pause.isActive()

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._generation += 1
        self._pause.stop()
        end_thread(self._thread, self._worker)

    def _subject(self, part: str) -> Any:
        """What a part depends on: equal subjects have equal answers."""
        assert self._results is not None
        candidate = self._results.candidate("training")
        answer = self._results.plan.training
        if answer is None or candidate < 0:
            return None
        if part in (STEP, FITS):
            return self._results.plan, candidate
        table = answer.table
        accelerator = int(table.accelerator[candidate])
        if part == SCALING:
            return self._results.plan, accelerator
        devices = self.layout_question.devices or int(table.devices[candidate])
        return self._results.plan, accelerator, self.layout_question.objective, devices

    def _is_known(self, part: str) -> bool:
        return _same(self._known.get(part), self._subject(part))

    def _cancel(self) -> None:
        self._generation += 1
        self._running = {}

    def _run(self) -> None:
        if self._results is None or self._results.candidate("training") < 0:
            return
        missing = [part for part in ORDER if part in self._wanted and not self._is_known(part)]
        if not missing or all(_same(self._running.get(part), self._subject(part)) for part in missing):
            return
        self._generation += 1
        self._running = {part: self._subject(part) for part in missing}
        self._ask.emit(
            TrainingQuestion(
                generation=self._generation, parts=tuple(missing), results=self._results, layouts=self.layout_question
            )
        )

    def _mark_outdated(self) -> None:
        if self.detail is None or self._results is None:
            return
        old = frozenset(part for part in ORDER if part in self._known and not self._is_known(part))
        if old != self.detail.outdated:
            self._set_detail(replace(self.detail, outdated=old))

    @Slot(int, str, object)
    def _on_answered(self, generation: int, part: str, value: Any) -> None:
        if generation == self._generation:
            self._note(part)
            started = self._started()
            failures = {name: text for name, text in started.failures.items() if name != part}
            self._set_detail(
                replace(started, **{part: value}, failures=failures, outdated=started.outdated - {part})
            )  # fmt: skip

    @Slot(int, str, str)
    def _on_failed(self, generation: int, part: str, message: str) -> None:
        if generation == self._generation:
            self._note(part)
            started = self._started()
            failures = {**started.failures, part: message}
            self._set_detail(
                replace(started, **{part: None}, failures=failures, outdated=started.outdated - {part})
            )  # fmt: skip

    def _note(self, part: str) -> None:
        self._known[part] = self._running.get(part)

    @Slot(int)
    def _on_finished(self, generation: int) -> None:
        if generation == self._generation:
            self._running = {}

    def _started(self) -> TrainingDetail:
        from gpuplanner_gui.drawing.training_detail import TrainingDetail

        return self.detail if self.detail is not None else TrainingDetail()

    def _set_detail(self, detail: TrainingDetail | None) -> None:
        if detail is not self.detail:
            self.detail = detail
            self.changed.emit(detail)


def _same(one: tuple[Any, ...] | None, other: tuple[Any, ...] | None) -> bool:
    """Plans hold arrays: they are the same if they are one object."""
    if one is None or other is None:
        return False
    return one[0] is other[0] and one[1:] == other[1:]
