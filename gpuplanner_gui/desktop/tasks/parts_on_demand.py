"""Parts of an answer that are worked out only while a page on screen shows them, each once for what it depends on."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner, Watch, failure_text

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.results import Results

PAUSE_MS = 60
"""Between a plan and what follows from it: while a value is dragged, only the plan is computed."""


class PartsOnDemand(QObject):
    """Keeps the newest `answer`, a struct with a field for each part and `failures`; derived classes say what of."""

    changed = Signal(object)
    order: tuple[str, ...] = ()
    """The parts, the first to be worked out first."""

    def __init__(self, name: str, engine_of: Callable[[], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.answer: Any = None
        self._engine_of = engine_of
        self._results: Results | None = None
        self._wanted: set[str] = set()
        self._running: dict[str, Any] = {}
        """Of each part that is worked out now, what it depends on."""
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

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._runner.stop()

    def is_missing(self, part: str) -> bool:
        """Whether somebody waits for this part of the results at hand."""
        raise NotImplementedError

    def subject(self, part: str) -> Any:
        """What a part depends on; one that runs for the same subject is not begun again."""
        raise NotImplementedError

    def compute(self, part: str, engine: Any, results: Results, watch: Watch) -> Any:
        """A part's answer, on the runner's thread."""
        raise NotImplementedError

    def take(self, part: str, value: Any, failure: str | None) -> None:
        """Keep a part's answer, or why there is none."""
        raise NotImplementedError

    def _steps(self) -> tuple[Step, ...]:
        results, engine = self._results, self._engine_of()
        missing = [part for part in self.order if self.is_missing(part)] if results is not None else []
        if results is None or engine is None or all(self._is_under_way(part) for part in missing):
            return ()
        self._running = {part: self.subject(part) for part in missing}
        return tuple(Step(part, partial(self._compute, part, engine, results)) for part in missing)

    def _compute(self, part: str, engine: Any, results: Results, watch: Watch) -> Any:
        return self.compute(part, engine, results, watch)

    def _is_under_way(self, part: str) -> bool:
        return part in self._running and is_same(self._running[part], self.subject(part))

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
