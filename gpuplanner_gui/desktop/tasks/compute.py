"""The window's side of the compute thread: the newest edit wins, and what it answers is put together here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, QThread, QTimer, Signal, Slot

from gpuplanner_gui.desktop.tasks.compute_worker import (
    CATALOG,
    DETAILS,
    PLAN,
    ComputeWorker,
    Request,
    StageFailure,
    StageResult,
)
from gpuplanner_gui.desktop.tasks.ending_thread import end_thread
from gpuplanner_gui.desktop.views.next_turn import drawing_queue
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import EngineDoor
    from gpuplanner_gui.drawing.results import Results


NEXT_TURN_MS = 0
"""Edits of one turn of the event loop are one question."""
QUICK_MS = 250
"""Work that answers within this is not given up for a newer edit, so that the views follow a slider while it moves."""
OUTDATED_AFTER_MS = 250
"""An old result is dimmed only when the new one takes longer than this, so that quick answers do not flicker."""
DETAILS_WAIT_MS = 40
"""A plan is shown together with its curves when they come within this; else it is shown first."""
SWITCH_INTERVAL_S = 0.0003


class ComputeState(StrEnum):
    """How the results on screen relate to what was asked; the words of `views.context.ViewState`."""

    EMPTY = "empty"
    COMPUTING = "computing"
    OUTDATED = "outdated"
    FAILED = "failed"
    CURRENT = "current"


class ComputeService(QObject):
    """Sends scenarios to the compute thread, drops old answers, and keeps the newest results and their state."""

    catalog_ready = Signal(object)
    results_changed = Signal(object)
    state_changed = Signal(str, str)
    """State, and a message where it failed."""
    completed = Signal()
    """Every stage of the newest request has answered or failed."""
    explained = Signal(str, str, object)

    _prepare = Signal()
    _ask = Signal(object)
    _ask_why = Signal(object, str, int, str)
    _ask_why_number = Signal(object, str, str)

    def __init__(self, make_engine: Callable[[], EngineDoor], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.make_engine = make_engine
        self._generation = 0
        self._wanted_from = 0
        """Older questions are given up."""
        self._waiting: Request | None = None
        self._running: Request | None = None
        self._last: Request | None = None
        self._failures: dict[str, str] = {}
        self._plan_is_newest = False
        self.results: Results | None = None
        self.catalog: Any = None
        self.engine: EngineDoor | None = None
        self.state = ComputeState.EMPTY
        self._turn = self._single_shot(NEXT_TURN_MS, self._send_or_wait)
        self._patience = self._single_shot(QUICK_MS, self._send_or_wait)
        self._outdated = self._single_shot(OUTDATED_AFTER_MS, self._mark_outdated)
        self._details_wait = self._single_shot(DETAILS_WAIT_MS, self._show_results)
        self._thread = QThread(self)
        self._thread.setObjectName("compute")
        self._worker = ComputeWorker(self._made_engine(make_engine), lambda: self._wanted_from)
        self._worker.moveToThread(self._thread)
        self._connect_worker()
        drawing_queue().all_drawn.connect(self._send_or_wait)
        self._thread.start()

    def start(self) -> None:
        """Load catalogue and engine on the thread; questions may be asked before that is done."""
        # Every call into Qt gives the interpreter away; beside a busy thread the window gets it back after this long.
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._prepare.emit()

    def submit(self, project: Project, scenario: Scenario, selected: Mapping[str, str]) -> None:
        """Plan this scenario in the next turn of the event loop, or as soon as quick work is done."""
        self._generation += 1
        self._waiting = Request(
            generation=self._generation, project=project, scenario=scenario, selected=dict(selected)
        )
        self._set_state(ComputeState.COMPUTING)
        self._outdated.start()
        self._turn.start()

    def select(self, selected: Mapping[str, str]) -> None:
        """Look at other candidates of the present plan: only what depends on them is computed."""
        if self._waiting is not None:
            self._waiting = replace(self._waiting, selected=dict(selected))
        elif self._last is not None:
            self._generation += 1
            plan = self.results.plan if self.results is not None and self._plan_is_newest else None
            self._waiting = replace(self._last, generation=self._generation, selected=dict(selected), plan=plan)
            self._turn.start()

    def retry(self) -> None:
        """Ask the last question again; load the catalogue again if that was what failed."""
        last = self._waiting or self._last
        if last is not None:
            self.submit(last.project, last.scenario, last.selected)
        if self.catalog is None:
            self.start()

    def cancel(self) -> None:
        """Give up the running question; the old results stay, marked as outdated."""
        if self.state not in (ComputeState.COMPUTING, ComputeState.OUTDATED):
            return
        self._give_up_everything()
        self._set_state(ComputeState.OUTDATED if self.results else ComputeState.EMPTY)

    def forget(self) -> None:
        """Nothing to plan: no scenario is open."""
        self._give_up_everything()
        self._last = self.results = None
        self._details_wait.stop()
        self._set_state(ComputeState.EMPTY, tr("The project has no scenario. Add one to plan."))

    def explain(self, workload: str, candidate: int, quantity: str) -> None:
        """Ask why a number is what it is; `explained` answers."""
        if self.results is not None:
            request = Request(
                generation=self._generation, project=self.results.project, scenario=self.results.scenario,
                plan=self.results.plan,
            )  # fmt: skip
            self._ask_why.emit(request, workload, candidate, quantity)

    def explain_number(self, results: Results, stage: str, place: str) -> None:
        """Ask why a number beyond the table of candidates is what it is; `explained` answers."""
        self._ask_why_number.emit(results, stage, place)

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._give_up_everything()
        end_thread(self._thread, self._worker)

    def _made_engine(self, make_engine: Callable[[], EngineDoor]) -> Callable[[], EngineDoor]:
        def make() -> EngineDoor:
            self.engine = make_engine()
            return self.engine

        return make

    def _connect_worker(self) -> None:
        queued = Qt.ConnectionType.QueuedConnection
        self._prepare.connect(self._worker.prepare, queued)
        self._ask.connect(self._worker.answer, queued)
        self._ask_why.connect(self._worker.explain, queued)
        self._ask_why_number.connect(self._worker.explain_number, queued)
        self._worker.catalog_ready.connect(self._on_catalog_ready, queued)
        self._worker.stage_ready.connect(self._on_stage_ready, queued)
        self._worker.stage_failed.connect(self._on_stage_failed, queued)
        self._worker.finished.connect(self._on_finished, queued)
        self._worker.explained.connect(self._on_explained, queued)

    def _single_shot(self, interval_ms: int, act: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(act)
        return timer

    def _give_up_everything(self) -> None:
        self._generation += 1
        self._wanted_from = self._generation
        self._waiting = self._running = None
        for timer in (self._turn, self._patience, self._outdated):
            timer.stop()

    def _send_or_wait(self) -> None:
        if self._waiting is None or self.catalog is None:
            return
        if self._running is None and drawing_queue().is_drawing():
            # Computing meanwhile would take the interpreter from the drawing, and the window would stutter.
            return
        if self._running is None or not self._patience.isActive():
            self._send()

    def _send(self) -> None:
        assert self._waiting is not None
        request, self._waiting = self._waiting, None
        self._wanted_from = request.generation
        self._last = replace(request, plan=None)
        self._running = request
        self._failures = {}
        self._plan_is_newest = self._plan_is_newest and request.plan is not None
        self._patience.start()
        self._ask.emit(request)

    @Slot(object)
    def _on_catalog_ready(self, catalog: Any) -> None:
        self.catalog = catalog
        self.catalog_ready.emit(catalog)
        self._send_or_wait()

    @Slot(object)
    def _on_stage_ready(self, result: StageResult) -> None:
        if result.generation < self._wanted_from or self._last is None:
            return
        if result.stage == PLAN:
            self._plan_is_newest = True
            self.results = self._fresh_results(result)
            self._details_wait.start()
        elif result.stage == DETAILS and self.results is not None:
            rooflines, rivals, load_curve = result.value
            self.results = replace(
                self.results, rooflines=rooflines, rivals=rivals, load_curve=load_curve, selected=dict(result.selected)
            )
            self._show_results()

    def _show_results(self) -> None:
        self._details_wait.stop()
        if self.results is not None:
            self.results_changed.emit(self.results)

    def _fresh_results(self, result: StageResult) -> Results:
        from gpuplanner_gui.drawing.results import Results

        assert self._last is not None
        plan, catalog = result.value
        return Results(
            project=self._last.project, scenario=self._last.scenario, plan=plan, catalog=catalog,
            selected=dict(result.selected),
        )  # fmt: skip

    @Slot(object)
    def _on_stage_failed(self, failure: StageFailure) -> None:
        if failure.generation < self._wanted_from and failure.stage != CATALOG:
            return
        self._failures[failure.stage] = failure.message
        if failure.stage == CATALOG or (failure.stage == PLAN and self._waiting is None):
            self._outdated.stop()
            self._set_state(ComputeState.FAILED, failure.message)

    @Slot(int)
    def _on_finished(self, generation: int) -> None:
        if generation < self._wanted_from:
            return
        self._running = None
        self._patience.stop()
        if self._waiting is not None:
            self._send_or_wait()
            return
        self._outdated.stop()
        if self._failures:
            self._set_state(ComputeState.FAILED, " ".join(self._failures.values()))
        else:
            self._set_state(ComputeState.CURRENT)
        self.completed.emit()

    @Slot(object)
    def _on_explained(self, answer: tuple[str, str, Any]) -> None:
        self.explained.emit(*answer)

    def _mark_outdated(self) -> None:
        if self.results is not None:
            self._set_state(ComputeState.OUTDATED)

    def _set_state(self, state: ComputeState, message: str = "") -> None:
        self.state = state
        self.state_changed.emit(state.value, message)
