"""Simulations of the plan on screen, and the traces that are replayed in them; the newest plan wins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from gpuplanner_gui.desktop.tasks.runner import Step, TaskRunner, Watch, failure_text
from gpuplanner_gui.drawing.language import labelled, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.domain.traffic import TraceFigures
    from gpuplanner_gui.drawing.results import LoadSimulation, Results
    from gpuplanner_gui.files.traces import ColumnNames, TraceHead

PAUSE_MS = 40
"""Pause between a plan and its simulation: the plan is drawn first, and not simulated while a value is dragged."""
CURVE, FLEET, READINESS, ARRANGEMENT, SEARCH = "curve", "fleet", "readiness", "arrangement", "search"
"""Steps; their answers are parts of `drawing.results.LoadSimulation`."""
STRESS = (READINESS, ARRANGEMENT)
TRACE = "trace"
_WORDS = {
    CURVE: "Simulating load",
    FLEET: "Sizing the fleet",
    READINESS: "Stress tests",
    ARRANGEMENT: "Comparing one pool with separate ones",
    SEARCH: "Searching by targets",
    TRACE: "Reading the trace",
}


@dataclass(frozen=True, kw_only=True)
class ReadTrace:
    """A trace and what it says; figures of a million requests take longer than a window may stand still."""

    trace: Trace
    figures: TraceFigures


class SimulationTasks(QObject):
    """Simulates the plan on screen: the load curve always, the readiness check while somebody looks at it."""

    changed = Signal(object)
    """The newest `LoadSimulation`, or None where there is nothing of the plan on screen."""
    progress_changed = Signal(str, float)
    """Words and the share that is done; empty words when nothing runs."""
    problem = Signal(str)
    """Why a trace cannot be read."""
    stage_failed = Signal(str)
    """Emits what could not be simulated, and why; a new try may succeed."""
    trace_read = Signal(object)
    """A `ReadTrace`."""
    columns_needed = Signal(object)
    """A `TraceHead` of a table whose headings say too little."""

    def __init__(self, engine_of: Callable[[], ShippedEngine | None]) -> None:
        super().__init__()
        self._engine_of = engine_of
        self._results: Results | None = None
        self._running: tuple[str, ...] = ()
        self._is_readiness_wanted = False
        self._is_readiness_complete = False
        self.trace: Trace | None = None
        self._trace_figures: TraceFigures | None = None
        self.simulation: LoadSimulation | None = None
        self._runner = TaskRunner("simulation", self, pause_ms=PAUSE_MS)
        self._runner.answered.connect(self._on_answered)
        self._runner.progressed.connect(self._show_progress)
        self._runner.failed.connect(self._on_failed)
        self._runner.finished.connect(self._on_finished)

    @property
    def is_running(self) -> bool:
        return self._runner.is_running

    @property
    def replayed(self) -> tuple[Trace, TraceFigures | None] | None:
        """What is replayed in place of the request classes, with its figures."""
        return None if self.trace is None else (self.trace, self._trace_figures)

    def follow(self, results: Results) -> None:
        """Simulate these results, unless that is what is being simulated."""
        if results.load_curve is None or results.candidate("serving") < 0:
            return
        before, self._results = self._results, results
        is_same = before is not None and before.plan is results.plan
        if is_same and before is not None and before.candidate("serving") == results.candidate("serving"):
            return
        self._is_readiness_complete = False
        if not self._is_reading():
            self._start_anew()

    def forget(self) -> None:
        """The plan on screen is about to be another: stop, and show nothing of the old one.

        A trace that is being read concerns no plan; what comes after it is simulated with it.
        """
        if not self._is_reading():
            self.cancel()
        self._results = None
        self._set_simulation(None)

    def cancel(self) -> None:
        """Give up what runs; what was answered stays."""
        if self.is_running:
            self._runner.cancel()
            self.progress_changed.emit("", 1.0)

    def want(self, part: str, is_wanted: bool) -> None:
        """Run the stress tests too, from now on, or no longer; parts of others are left alone."""
        if part == READINESS:
            self._is_readiness_wanted = is_wanted
            if not self.is_running:
                self._start_readiness()

    def search(self) -> None:
        """Look for the cheapest configuration whose simulated percentiles meet every target."""
        if self._results is not None:
            self._run((SEARCH,))

    def read_trace(self, path: Path, columns: ColumnNames | None = None) -> None:
        """Read recorded traffic; `trace_read` answers, and `use_trace` replays it, or `columns_needed` asks."""
        self._begin((TRACE,), lambda: (Step(TRACE, partial(_read_trace, path, columns)),), pause_ms=0)

    def use_trace(self, trace: Trace | None, figures: TraceFigures | None = None) -> None:
        """Replay this, whose figures are given, in place of the request classes; None: the classes again."""
        self.trace, self._trace_figures = trace, figures
        self._is_readiness_complete = False
        if self._results is not None:
            self._start_anew()

    def stop(self) -> None:
        """End the thread; running work gives up at its next look."""
        self._runner.stop()

    def _is_reading(self) -> bool:
        return self.is_running and self._running == (TRACE,)

    def _start_anew(self) -> None:
        self._set_simulation(None)
        self._run((CURVE, FLEET, *(STRESS if self._is_readiness_wanted else ())), pause_ms=PAUSE_MS)

    def _start_readiness(self) -> None:
        """Run the stress tests where somebody waits for them."""
        if self._is_readiness_wanted and not self._is_readiness_complete and self._results is not None:
            self._run(STRESS if self._has(FLEET) else (FLEET, *STRESS))

    def _run(self, steps: tuple[str, ...], pause_ms: int = 0) -> None:
        self._begin(steps, lambda: self._steps(steps), pause_ms)

    def _begin(self, names: tuple[str, ...], ask: Callable[[], tuple[Step, ...]], pause_ms: int) -> None:
        """What runs is given up at once, not when the pause is over."""
        self._runner.cancel()
        self._running = names
        self._runner.run(ask, pause_ms=pause_ms)
        self._show_progress(names[0], 0.0)

    def _steps(self, names: tuple[str, ...]) -> tuple[Step, ...]:
        engine, results, known = self._engine_of(), self._results, self.simulation
        if engine is None or results is None:
            return ()
        work = _Simulating(engine, results, self.trace, known)
        return tuple(Step(name, getattr(work, name)) for name in names)

    def _has(self, step: str) -> bool:
        return self.simulation is not None and getattr(self.simulation, step) is not None

    def _on_answered(self, step: str, value: Any) -> None:
        if step == TRACE:
            (self.trace_read if isinstance(value, ReadTrace) else self.columns_needed).emit(value)
        elif self._results is not None:
            self._set_simulation(replace(self._started(), **{step: value}))
            if step == READINESS and value is not None:
                self._is_readiness_complete = value.is_complete

    def _started(self) -> LoadSimulation:
        if self.simulation is not None:
            return self.simulation
        from gpuplanner_gui.drawing.results import LoadSimulation

        assert self._results is not None
        return LoadSimulation(candidate=self._results.candidate("serving"), trace=self._trace_figures)

    def _set_simulation(self, simulation: LoadSimulation | None) -> None:
        if simulation is not self.simulation:
            self.simulation = simulation
            self.changed.emit(simulation)

    def _show_progress(self, step: str, share: float) -> None:
        self.progress_changed.emit(tr(_WORDS[step]), share)

    def _on_failed(self, step: str, problem: Exception) -> None:
        if step == TRACE:
            self.problem.emit(failure_text(problem))
        else:
            self.stage_failed.emit(labelled(tr(_WORDS[step]), failure_text(problem)))

    def _on_finished(self) -> None:
        if self._runner.is_running:
            return
        done, self._running = self._running, ()
        self.progress_changed.emit("", 1.0)
        # A trace that is read interrupts the simulation of the plan on screen.
        if done == (TRACE,) and self._results is not None and not self._has(CURVE):
            self._start_anew()
        elif self._has(CURVE) and READINESS not in done:
            self._start_readiness()


class _Simulating:
    """A method for each step, on the runner's thread; a later one starts from what an earlier one found."""

    def __init__(
        self, engine: ShippedEngine, results: Results, trace: Trace | None, known: LoadSimulation | None
    ) -> None:
        self._engine, self._results, self._trace = engine, results, trace
        self._curve = known.curve if known is not None else None
        self._fleet = known.fleet if known is not None else None

    def curve(self, watch: Watch) -> Any:
        for found, share in self._engine.simulated_curves(self._results, self._trace, watch.is_cancelled):
            self._curve = found
            watch.answer(found)
            watch.progress(share)
        return self._curve

    def fleet(self, _: Watch) -> Any:
        self._fleet = self._engine.fleet_sizing(self._results, None if self._trace is not None else self._curve)
        return self._fleet

    def readiness(self, watch: Watch) -> Any:
        found = None
        if self._fleet is not None:
            for found, share in self._engine.readiness(self._results, self._fleet, self._trace, watch.is_cancelled):
                watch.answer(found)
                watch.progress(share)
        return found

    def arrangement(self, watch: Watch) -> Any:
        return self._engine.pool_arrangement(self._results, watch.is_cancelled)

    def search(self, watch: Watch) -> Any:
        return self._engine.slo_search(self._results, self._trace, watch.is_cancelled, watch.progress)


def _read_trace(path: Path, columns: ColumnNames | None, watch: Watch) -> ReadTrace | TraceHead:
    """The trace; the head of its table where the headings say too little."""
    from gpuplanner_gui.engine.simulation.traffic import trace_figures
    from gpuplanner_gui.files.traces import UnknownColumns, head_of, read_trace

    try:
        trace = read_trace(path, columns, is_cancelled=watch.is_cancelled, on_progress=watch.progress)
    except UnknownColumns as problem:
        return head_of(problem.path)
    return ReadTrace(trace=trace, figures=trace_figures(trace))
