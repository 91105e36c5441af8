"""The window's side of the simulation thread: what is simulated and when; the newest plan wins."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QThread, Signal, Slot

from gpuplanner_gui.desktop.tasks.ending_thread import end_thread
from gpuplanner_gui.desktop.tasks.simulation_worker import (
    ARRANGEMENT,
    CURVE,
    FLEET,
    READINESS,
    SEARCH,
    TRACE,
    SimulationJob,
    SimulationWorker,
    StageAnswer,
)
from gpuplanner_gui.desktop.views.next_turn import AfterDrawing
from gpuplanner_gui.drawing.language import labelled, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import EngineDoor
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.domain.traffic_figures import TraceFigures
    from gpuplanner_gui.drawing.load_simulation import LoadSimulation
    from gpuplanner_gui.drawing.results import Results
    from gpuplanner_gui.files.traces import ColumnNames, TraceHead


PAUSE_MS = 40
"""Between a plan and its simulation: the plan is drawn first, and not simulated while a value is dragged."""
SWITCH_INTERVAL_S = 0.0003
"""An event loop in pure Python keeps Python to itself for this long at a time. At the usual 5 ms, drawing a page of
plots beside a simulation takes twice as long; at 1 ms as long as alone."""

_WORDS = {
    CURVE: "Simulating load",
    FLEET: "Sizing the fleet",
    READINESS: "Stress tests",
    ARRANGEMENT: "Shared or separate pools",
    SEARCH: "Searching by targets",
    TRACE: "Reading the trace",
}


class LoadSimulator(QObject):
    """Simulates the plan on screen: the load curve always, the readiness check while somebody looks at it."""

    changed = Signal(object)
    """The newest `LoadSimulation`, or None where there is nothing of the plan on screen."""
    progress_changed = Signal(str, float)
    """Words and the share that is done; empty words when nothing runs."""
    problem = Signal(str)
    stage_failed = Signal(str)
    """What could not be simulated, and why; another try may do."""
    trace_read = Signal(object)
    """A `ReadTrace`."""
    columns_needed = Signal(object)
    """A `TraceHead` of a table whose headings say too little."""
    trace_changed = Signal(object)
    """The trace that is replayed from now on, or None."""

    _ask = Signal(object)

    def __init__(self, engine_of: Callable[[], EngineDoor | None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(SWITCH_INTERVAL_S)
        self._generation = 0
        self._results: Results | None = None
        self._running: tuple[str, ...] = ()
        self._is_readiness_wanted = False
        self._is_readiness_complete = False
        self.trace: Trace | None = None
        self._trace_figures: TraceFigures | None = None
        self.simulation: LoadSimulation | None = None
        self._thread = QThread(self)
        self._thread.setObjectName("simulation")
        self._worker = SimulationWorker(engine_of, lambda: self._generation)
        self._worker.moveToThread(self._thread)
        queued = Qt.ConnectionType.QueuedConnection
        self._ask.connect(self._worker.answer, queued)
        self._worker.answered.connect(self._on_answered, queued)
        self._worker.progressed.connect(self._on_progressed, queued)
        self._worker.failed.connect(self._on_failed, queued)
        self._worker.columns_needed.connect(self._on_columns_needed, queued)
        self._worker.finished.connect(self._on_finished, queued)
        self._pause = AfterDrawing(self, PAUSE_MS, self._send)
        self._job: SimulationJob | None = None
        self._thread.start()

    @property
    def is_running(self) -> bool:
        return bool(self._running)

    @property
    def _is_reading(self) -> bool:
        return self._running == (TRACE,)

    def follow(self, results: Results) -> None:
        """Simulate these results, unless that is what is being simulated."""
        if results.load_curve is None or results.candidate("serving") < 0:
            return
        before = self._results
        is_same = before is not None and before.plan is results.plan
        if is_same and before is not None and before.candidate("serving") == results.candidate("serving"):
            self._results = results
            return
        self._results = results
        self._is_readiness_complete = False
        if not self._is_reading:
            self._start_anew()

    def forget(self, *_: object) -> None:
        """The plan on screen is about to be another: stop, and show nothing of the old one.

        A trace that is being read concerns no plan; what comes after it is simulated with it.
        """
        if not self._is_reading:
            self.cancel()
        self._results = None
        self._set_simulation(None)

    def cancel(self) -> None:
        """Give up what runs; what was answered stays."""
        self._generation += 1
        self._pause.stop()
        if self._running:
            self._running = ()
            self.progress_changed.emit("", 1.0)

    def want_readiness(self, is_wanted: bool) -> None:
        """Run the stress tests too, from now on, or no longer."""
        self._is_readiness_wanted = is_wanted
        if not self._running:
            self._start_readiness()

    def _start_readiness(self) -> None:
        """Run the stress tests where somebody waits for them."""
        if self._is_readiness_wanted and not self._is_readiness_complete and self._results is not None:
            self._run((READINESS, ARRANGEMENT) if self._has(FLEET) else (FLEET, READINESS, ARRANGEMENT))

    def search(self) -> None:
        """Look for the cheapest configuration whose simulated percentiles meet every target."""
        if self._results is not None:
            self._run((SEARCH,))

    def read_trace(self, path: Path, columns: ColumnNames | None = None) -> None:
        """Read recorded traffic; `trace_read` answers, and `use_trace` replays it, or `columns_needed` asks."""
        self._run((TRACE,), path, columns)

    def use_trace(self, trace: Trace | None, figures: TraceFigures | None = None) -> None:
        """Replay this, whose figures are given, in place of the request classes; None: the classes again."""
        self.trace, self._trace_figures = trace, figures
        self._is_readiness_complete = False
        self.trace_changed.emit(trace)
        if self._results is not None:
            self._start_anew()

    @property
    def replayed(self) -> tuple[Trace, TraceFigures | None] | None:
        """What is replayed in place of the request classes, with its figures."""
        return None if self.trace is None else (self.trace, self._trace_figures)

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._generation += 1
        self._pause.stop()
        end_thread(self._thread, self._worker)

    def _start_anew(self) -> None:
        self._set_simulation(None)
        stages = (CURVE, FLEET)
        self._prepare((*stages, READINESS, ARRANGEMENT) if self._is_readiness_wanted else stages)
        self._pause.start()

    def _run(self, stages: tuple[str, ...], path: Path | None = None, columns: ColumnNames | None = None) -> None:
        self._prepare(stages, path, columns)
        self._send()

    def _prepare(self, stages: tuple[str, ...], path: Path | None = None, columns: ColumnNames | None = None) -> None:
        self._generation += 1
        self._running = stages
        known = self.simulation
        self.progress_changed.emit(tr(_WORDS[stages[0]]), 0.0)
        self._job = SimulationJob(
            generation=self._generation,
            stages=stages,
            results=self._results,
            trace=self.trace,
            curve=known.curve if known is not None else None,
            fleet=known.fleet if known is not None else None,
            path=path,
            columns=columns,
        )

    def _send(self) -> None:
        self._pause.stop()
        if self._job is not None:
            job, self._job = self._job, None
            self._ask.emit(job)

    def _has(self, stage: str) -> bool:
        return self.simulation is not None and getattr(self.simulation, stage) is not None

    @Slot(object)
    def _on_answered(self, answer: StageAnswer) -> None:
        if answer.generation != self._generation:
            return
        self._show_progress(answer.stage, answer.share)
        if answer.stage == TRACE:
            self.trace_read.emit(answer.value)
            return
        if self._results is not None:
            self._set_simulation(replace(self._started(), **{answer.stage: answer.value}))
        if answer.stage == READINESS:
            self._is_readiness_complete = answer.value.is_complete

    def _started(self) -> LoadSimulation:
        if self.simulation is not None:
            return self.simulation
        from gpuplanner_gui.drawing.load_simulation import LoadSimulation

        assert self._results is not None
        return LoadSimulation(candidate=self._results.candidate("serving"), trace=self._trace_figures)

    def _set_simulation(self, simulation: LoadSimulation | None) -> None:
        if simulation is not self.simulation:
            self.simulation = simulation
            self.changed.emit(simulation)

    @Slot(int, str, float)
    def _on_progressed(self, generation: int, stage: str, share: float) -> None:
        if generation == self._generation:
            self._show_progress(stage, share)

    def _show_progress(self, stage: str, share: float) -> None:
        self.progress_changed.emit(tr(_WORDS[stage]), share)

    @Slot(int, str, str)
    def _on_failed(self, generation: int, stage: str, message: str) -> None:
        if generation == self._generation:
            if stage == TRACE:
                self.problem.emit(message)
            else:
                self.stage_failed.emit(labelled(tr(_WORDS[stage]), message))

    @Slot(int, object)
    def _on_columns_needed(self, generation: int, head: TraceHead) -> None:
        if generation == self._generation:
            self.columns_needed.emit(head)

    @Slot(int)
    def _on_finished(self, generation: int) -> None:
        if generation != self._generation:
            return
        was_trace, had_readiness = self._is_reading, READINESS in self._running
        self._running = ()
        self.progress_changed.emit("", 1.0)
        # A trace that is read interrupts the simulation of the plan on screen.
        if was_trace and self._results is not None and not self._has(CURVE):
            self._start_anew()
        elif self._has(CURVE) and not had_readiness:
            self._start_readiness()
