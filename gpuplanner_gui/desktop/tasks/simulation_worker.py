"""What runs on the simulation thread: one job after another, in stages, given up when a newer one waits.

A thread of its own, so that a plan or an explanation never waits for a simulation.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import EngineDoor
    from gpuplanner_gui.domain.load_result import FleetSizing, SimulatedCurve
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.domain.traffic_figures import TraceFigures
    from gpuplanner_gui.drawing.results import Results
    from gpuplanner_gui.files.traces import ColumnNames

logger = logging.getLogger(__name__)

CURVE, FLEET, READINESS, ARRANGEMENT, SEARCH, TRACE = (
    "curve", "fleet", "readiness", "arrangement", "search", "trace",
)  # fmt: skip
"""Stages of a job; their answers are parts of `drawing.load_simulation.LoadSimulation`, or a trace."""


@dataclass(frozen=True, kw_only=True)
class SimulationJob:
    """What to simulate: stages in order, on a plan's results, or a trace to read."""

    generation: int
    stages: tuple[str, ...]
    results: Results | None = None
    trace: Any = None
    curve: SimulatedCurve | None = None
    """Of an earlier job of the same plan."""
    fleet: FleetSizing | None = None
    path: Path | None = None
    columns: ColumnNames | None = None
    """Of the trace at the path, where its user names them."""


@dataclass(frozen=True, kw_only=True)
class ReadTrace:
    """A trace and what it says; figures of a million requests take longer than a window may stand still."""

    trace: Trace
    figures: TraceFigures


@dataclass(frozen=True, kw_only=True)
class StageAnswer:
    """Part of a job's answer; a later one of the same stage takes its place."""

    generation: int
    stage: str
    value: Any
    share: float
    """Of the stage that is done."""


class SimulationWorker(QObject):
    """Lives on the simulation thread. Signals carry values; nothing here touches a widget."""

    answered = Signal(object)
    progressed = Signal(int, str, float)
    failed = Signal(int, str, str)
    columns_needed = Signal(int, object)
    """A `TraceHead`: which of the table's columns hold the requests?"""
    finished = Signal(int)

    def __init__(self, engine_of: Callable[[], EngineDoor | None], newest: Callable[[], int]) -> None:
        super().__init__()
        self._engine_of = engine_of
        self._newest = newest
        self._job: SimulationJob | None = None
        self._curve: SimulatedCurve | None = None
        self._fleet: FleetSizing | None = None

    @Slot(object)
    def answer(self, job: SimulationJob) -> None:
        """Run a job's stages; each answers, fails or is given up for itself."""
        from gpuplanner_gui.engine.planning import CancelledError
        from gpuplanner_gui.files.traces import TraceCancelled, UnknownColumns

        self._job, self._curve, self._fleet = job, job.curve, job.fleet
        for stage in job.stages:
            if self._is_cancelled():
                return
            try:
                for value, share in self._values(stage, job):
                    if self._is_cancelled():
                        return
                    self.answered.emit(StageAnswer(generation=job.generation, stage=stage, value=value, share=share))
            except (CancelledError, TraceCancelled):
                return
            except UnknownColumns as problem:
                self._ask_for_columns(job, problem)
            except FileProblem as problem:
                self._fail(job, stage, file_problem_text(problem))
            except Exception as problem:
                logger.exception("simulation stage %s failed", stage)
                self._fail(job, stage, str(problem).strip() or type(problem).__name__)
        if not self._is_cancelled():
            self.finished.emit(job.generation)

    def _values(self, stage: str, job: SimulationJob) -> Iterator[tuple[Any, float]]:
        """Answers of a stage, each with the share of the stage that is done."""
        if stage == TRACE:
            yield self._read_trace(job), 1.0
            return
        engine, results = self._engine_of(), job.results
        if engine is None or results is None:
            return
        if stage == CURVE:
            for curve, share in engine.simulated_curves(results, job.trace, self._is_cancelled):
                self._curve = curve
                yield curve, share
        elif stage == FLEET:
            self._fleet = engine.fleet_sizing(results, None if job.trace is not None else self._curve)
            yield self._fleet, 1.0
        elif stage == READINESS and self._fleet is not None:
            yield from engine.readiness(results, self._fleet, job.trace, self._is_cancelled)
        elif stage == ARRANGEMENT:
            yield engine.pool_arrangement(results, self._is_cancelled), 1.0
        elif stage == SEARCH:
            yield engine.slo_search(results, job.trace, self._is_cancelled, self._tell_progress), 1.0

    def _read_trace(self, job: SimulationJob) -> ReadTrace:
        from gpuplanner_gui.engine.trace_figures import trace_figures
        from gpuplanner_gui.files.traces import read_trace

        assert job.path is not None
        trace = read_trace(job.path, job.columns, is_cancelled=self._is_cancelled, on_progress=self._tell_progress)
        return ReadTrace(trace=trace, figures=trace_figures(trace))

    def _ask_for_columns(self, job: SimulationJob, problem: FileProblem) -> None:
        from gpuplanner_gui.files.traces import head_of

        try:
            head = head_of(problem.path)
        except FileProblem as other:
            self._fail(job, TRACE, file_problem_text(other))
            return
        if not self._is_cancelled():
            self.columns_needed.emit(job.generation, head)

    def _tell_progress(self, share: float) -> None:
        if self._job is not None and not self._is_cancelled():
            self.progressed.emit(self._job.generation, self._job.stages[0], share)

    def _fail(self, job: SimulationJob, stage: str, message: str) -> None:
        if not self._is_cancelled():
            self.failed.emit(job.generation, stage, message)

    def _is_cancelled(self) -> bool:
        return self._job is None or self._job.generation != self._newest()
