"""What runs on the decision thread: fleets, ownership, uncertainty, comparison, given up when a newer job waits.

A thread of its own, so that a plan or a simulation never waits for a sample of ten thousand.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import ShippedEngine
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.domain.scenario import Scenario
    from gpuplanner_gui.drawing.calibration import CalibrationView
    from gpuplanner_gui.drawing.overlays import ScenarioOverlay
    from gpuplanner_gui.drawing.results import Results

logger = logging.getLogger(__name__)

FLEETS, OWNERSHIP, UNCERTAINTY, COMPARISON = "fleets", "ownership", "uncertainty", "comparison"
PHASES, CALIBRATION, LIMITS, OVERLAYS = "phases", "calibration", "limits", "overlays"
"""Stages; their answers are parts of `drawing.decision.Decision`."""
KEPT_PLANS = 12


@dataclass(frozen=True, kw_only=True)
class DecisionJob:
    """What to find out, in this order, of results on screen."""

    generation: int
    stages: tuple[str, ...]
    results: Results


class DecisionWorker(QObject):
    """Lives on the decision thread. Signals carry values; nothing here touches a widget."""

    answered = Signal(int, str, object)
    progressed = Signal(int, float)
    failed = Signal(int, str, str)
    """Stage, and why; no reason where there is nothing to weigh."""
    finished = Signal(int)

    def __init__(self, engine_of: Callable[[], Any], newest: Callable[[], int]) -> None:
        super().__init__()
        self._engine_of = engine_of
        self._newest = newest
        self._generation = 0
        self._plans: list[tuple[Scenario, Plan]] = []

    @Slot(object)
    def answer(self, job: DecisionJob) -> None:
        """Run a job's stages; each answers, fails or is given up for itself."""
        from gpuplanner_gui.engine.planning import CancelledError

        engine = self._engine_of()
        self._generation = job.generation
        for stage in job.stages:
            if engine is None or self._is_cancelled():
                return
            try:
                value = self._value(stage, engine, job.results)
            except CancelledError:
                return
            except Exception as problem:
                logger.exception("decision stage %s failed", stage)
                self._fail(stage, str(problem).strip() or type(problem).__name__)
                continue
            if self._is_cancelled():
                return
            if value is None:
                self._fail(stage, "")
            else:
                self.answered.emit(job.generation, stage, value)
        if not self._is_cancelled():
            self.finished.emit(job.generation)

    def _value(self, stage: str, engine: ShippedEngine, results: Results) -> Any:
        from gpuplanner_gui.engine.decision import doors

        if stage == CALIBRATION:
            return self._calibration(results)
        scenario, plan, catalog = results.scenario, results.plan, results.catalog
        known = engine.calibration_of(results.project)
        if stage == FLEETS:
            return doors.fleets(scenario, catalog, known, plan)
        if stage == OWNERSHIP:
            return doors.ownership(scenario, catalog, known, plan)
        if stage == LIMITS:
            from gpuplanner_gui.engine.serving.limits import plan_limits

            return plan_limits(scenario, catalog, known, plan) if plan.serving is not None else None
        if stage == PHASES:
            from gpuplanner_gui.engine.phases.gains import speeds, work_of

            return speeds(scenario.model, catalog, known, work_of(scenario))
        if stage == UNCERTAINTY:
            return doors.uncertainty(
                scenario, catalog, known, plan, results.project.seed, on_progress=self._tell_progress,
                is_cancelled=self._is_cancelled,
            )  # fmt: skip
        if stage == OVERLAYS:
            return self._overlays(engine, results)
        self._keep(scenario, plan, results)
        others = results.project.scenarios[: doors.MOST_SCENARIOS]
        planned = [(one, self._plan_of(one, engine, results)) for one in others]
        if len(planned) < 2:
            return None
        weights = scenario.economics.ranking
        return doors.compared(planned, catalog, known, results.project.seed, weights, is_cancelled=self._is_cancelled)

    def _overlays(self, engine: ShippedEngine, results: Results) -> tuple[ScenarioOverlay, ...] | None:
        """Curves and memory of the best candidates of each other scenario that has one; None where none has."""
        from gpuplanner_gui.drawing.overlays import MOST_OVERLAYS

        found: list[ScenarioOverlay] = []
        for one in results.project.scenarios:
            if one is results.scenario or len(found) == MOST_OVERLAYS:
                continue
            self._check()
            overlay = self._overlay(one, engine, results)
            if overlay.memory:
                found.append(overlay)
        return tuple(found) or None

    def _overlay(self, scenario: Scenario, engine: ShippedEngine, results: Results) -> ScenarioOverlay:
        import numpy as np

        from gpuplanner_gui.drawing.memory_parts import planned_memory
        from gpuplanner_gui.drawing.overlays import ScenarioOverlay
        from gpuplanner_gui.engine.serving.limits import plan_limits

        plan = self._plan_of(scenario, engine, results)
        memory = planned_memory(plan, results.catalog)
        if plan.serving is None or plan.serving.best < 0:
            return ScenarioOverlay(
                scenario=scenario, load_curve=None, contexts=np.empty(0), concurrency=np.empty(0), memory=memory
            )
        best = plan.serving.best
        limits = plan_limits(scenario, results.catalog, engine.calibration_of(results.project), plan)
        return ScenarioOverlay(
            scenario=scenario,
            load_curve=engine.load_curve(results.project, scenario, plan, best, self._is_cancelled),
            contexts=limits.contexts,
            concurrency=limits.concurrency_by_context[:, best],
            memory=memory,
        )

    def _calibration(self, results: Results) -> CalibrationView:
        from gpuplanner_gui.drawing.calibration import calibration_view

        return calibration_view(results, self._check)

    def _plan_of(self, scenario: Scenario, engine: ShippedEngine, results: Results) -> Plan:
        """The plan of another scenario of the project, made once as long as it does not change."""
        for known, plan in self._plans:
            if known is scenario:
                return plan
        plan = engine.plan(results.project, scenario, self._is_cancelled)
        self._keep(scenario, plan, results)
        return plan

    def _keep(self, scenario: Scenario, plan: Plan, results: Results) -> None:
        """Beside it those of the project's other scenarios; of what a scenario was before an edit, none."""
        there = {id(one) for one in results.project.scenarios}
        others = [entry for entry in self._plans if id(entry[0]) in there and entry[0] is not scenario]
        self._plans = [*others[-KEPT_PLANS + 1 :], (scenario, plan)]

    def _tell_progress(self, share: float) -> None:
        if not self._is_cancelled():
            self.progressed.emit(self._generation, share)

    def _fail(self, stage: str, message: str) -> None:
        if not self._is_cancelled():
            self.failed.emit(self._generation, stage, message)

    def _check(self) -> None:
        from gpuplanner_gui.engine.planning import CancelledError

        if self._is_cancelled():
            raise CancelledError

    def _is_cancelled(self) -> bool:
        return self._generation != self._newest()
