"""The window's side of the decision thread: what is found out and when.

What a page on screen shows comes first; how sure the plan is, which the verdict says, once nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from gpuplanner_gui.desktop.tasks.decision_worker import (
    CALIBRATION,
    COMPARISON,
    FLEETS,
    LIMITS,
    OVERLAYS,
    OWNERSHIP,
    PHASES,
    UNCERTAINTY,
    DecisionJob,
    DecisionWorker,
)
from gpuplanner_gui.desktop.tasks.ending_thread import end_thread
from gpuplanner_gui.desktop.views.next_turn import AfterDrawing
from gpuplanner_gui.drawing.language import labelled, tr

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.decision import Decision
    from gpuplanner_gui.drawing.results import Results


PAUSE_MS = 60
"""Between a plan and what follows from it: while a value is dragged, only the plan is computed."""
SETTLED_MS = 800
"""After which a plan is taken to stay for a while."""
ORDER = (LIMITS, OVERLAYS, PHASES, CALIBRATION, OWNERSHIP, FLEETS, UNCERTAINTY, COMPARISON)
WANT, LEAVE = "want:", "leave:"
"""What a page asks for while it is on screen, and no longer; before the name of a stage."""
CANCEL = "cancel:decision"
_WORDS = {
    LIMITS: "Memory", OVERLAYS: "Compare", PHASES: "Phases", CALIBRATION: "Calibrate", OWNERSHIP: "Cost",
    FLEETS: "Fleets", UNCERTAINTY: "Uncertainty", COMPARISON: "Compare",
}  # fmt: skip
"""The page that shows each stage."""


class Decider(QObject):
    """Keeps the newest `Decision` of the results on screen."""

    changed = Signal(object)
    problem = Signal(str)
    """What could not be found out, and why."""

    _ask = Signal(object)

    def __init__(self, engine_of: Callable[[], Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._generation = 0
        self._results: Results | None = None
        self._wanted: set[str] = set()
        self._running: set[str] = set()
        self._is_overlaying = False
        self.decision: Decision | None = None
        self._thread = QThread(self)
        self._thread.setObjectName("decision")
        self._worker = DecisionWorker(engine_of, lambda: self._generation)
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._ask.connect(self._worker.answer, queued)
        self._worker.answered.connect(self._on_answered, queued)
        self._worker.progressed.connect(self._on_progressed, queued)
        self._worker.failed.connect(self._on_failed, queued)
        self._worker.finished.connect(self._on_finished, queued)
        self._pause = AfterDrawing(self, PAUSE_MS, self._run)
        self._is_settled = False
        self._settling = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._settling.timeout.connect(self._settle)
        self._thread.start()

    def follow(self, results: Results) -> None:
        """Find out about these results, unless they are of the plan that is known."""
        from gpuplanner_gui.drawing.decision import carried

        is_same = self._results is not None and self._results.plan is results.plan
        self._results = results
        if not is_same:
            self._cancel()
            self._set_decision(carried(self.decision, results.project, results.scenario))
            self._pause.start()
            self._settling.start()

    def forget(self) -> None:
        """The plan on screen is about to be another."""
        self._cancel()
        self._results = None
        self._set_decision(None)

    def take_wish(self, wish: str) -> None:
        """A page came on screen or left it, or the planner has waited long enough."""
        if wish == CANCEL:
            self._cancel()
        elif wish.startswith(WANT):
            self._wanted.add(wish.removeprefix(WANT))
            self._pause.start()
        elif wish.startswith(LEAVE):
            self._wanted.discard(wish.removeprefix(LEAVE))

    def set_overlaying(self, is_overlaying: bool) -> None:
        """Whether curves of other scenarios are to be worked out, on pages that show them."""
        self._is_overlaying = is_overlaying
        if is_overlaying:
            self._pause.start()
        elif self.decision is not None and self.decision.overlays:
            self._set_decision(replace(self.decision, overlays=()))

    @property
    def is_running(self) -> bool:
        return bool(self._running)

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._generation += 1
        self._pause.stop()
        self._settling.stop()
        end_thread(self._thread, self._worker)

    def _cancel(self) -> None:
        self._generation += 1
        self._running = set()
        self._pause.stop()
        self._settling.stop()
        self._is_settled = False

    def _settle(self) -> None:
        """Nothing has changed for a while: what no page asks for is found out too, after what one waits for."""
        if self._running:
            self._settling.start()
        else:
            self._is_settled = True
            self._pause.start()

    def _run(self) -> None:
        missing = [stage for stage in ORDER if self._is_missing(stage)]
        if self._results is None or not missing or set(missing) <= self._running:
            return
        self._generation += 1
        self._running = set(missing)
        self._ask.emit(DecisionJob(generation=self._generation, stages=tuple(missing), results=self._results))

    def _is_missing(self, stage: str) -> bool:
        is_asked = stage in self._wanted or (stage == UNCERTAINTY and self._is_settled)
        if not is_asked or self._is_known(stage):
            return False
        return stage != OVERLAYS or self._has_overlays()

    def _has_overlays(self) -> bool:
        return self._is_overlaying and self._results is not None and len(self._results.project.scenarios) > 1

    def _is_known(self, stage: str) -> bool:
        found = self.decision
        return found is not None and (bool(getattr(found, stage)) or stage in found.failures)

    @Slot(int, str, object)
    def _on_answered(self, generation: int, stage: str, value: Any) -> None:
        if generation == self._generation:
            self._set_decision(replace(self._started(), **{stage: value}))

    @Slot(int, float)
    def _on_progressed(self, generation: int, share: float) -> None:
        if generation == self._generation:
            self._set_decision(replace(self._started(), progress=share))

    @Slot(int, str, str)
    def _on_failed(self, generation: int, stage: str, message: str) -> None:
        if generation == self._generation:
            started = self._started()
            self._set_decision(replace(started, failures={**started.failures, stage: message}))
            if message and stage in self._wanted:
                self.problem.emit(labelled(tr(_WORDS[stage]), message))

    @Slot(int)
    def _on_finished(self, generation: int) -> None:
        if generation == self._generation:
            self._running = set()

    def _started(self) -> Decision:
        from gpuplanner_gui.drawing.decision import Decision

        return self.decision if self.decision is not None else Decision()

    def _set_decision(self, decision: Decision | None) -> None:
        if decision is not self.decision:
            self.decision = decision
            self.changed.emit(decision)
