"""The estate in the background: its plan, one beginning for all futures, and why; each while a page shows it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec
from PySide6.QtCore import Signal

from gpuplanner_gui.desktop.tasks.runner import NoAnswer, PartsOnDemand, Watch

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.domain.scenario import Project, Scenario
    from gpuplanner_gui.drawing.results import EstateFindings, Results

DRAFT, PLAN, FUTURES, REASONS = "estate_draft", "estate", "estate_futures", "estate_reasons"
FIELDS = {PLAN: "answer", FUTURES: "ahead", REASONS: "reasons"}
"""Field of `EstateFindings` that each part fills."""
MOST_S, LONGER = 20.0, 3.0
"""Most seconds of a search, and the factor for a longer one."""


class EstateTasks(PartsOnDemand):
    """Keeps the newest `EstateFindings` of the project on screen."""

    answer: EstateFindings | None
    order = (DRAFT, *FIELDS)
    drafted = Signal(object)
    """A first estate of the project's workloads, as it was asked for."""
    problem = Signal(str)
    """Why there is none."""

    def __init__(self, engine_of: Callable[[], Any]) -> None:
        super().__init__("estate", engine_of)
        self._options: Any = None
        self._planned: Any = None
        """The newest plan and its inputs; used only on the thread."""
        self._enough = threading.Event()
        self._most_s = MOST_S

    def follow(self, results: Results, project: Project | None = None) -> None:
        """Work on this project from now on; what is known of the same estate stays, of another one marked as old."""
        self._results = results if project is None else replace(results, project=project)
        self.cancel_others()
        if self.answer is not None and not self.is_known(PLAN) and not self.answer.is_outdated:
            self._most_s = MOST_S
            self._set(replace(self.answer, is_outdated=True, ahead=None, reasons=None, failures={}))
        self.work()

    def forget(self) -> None:
        """Another project is about to be looked at."""
        self.cancel()
        self._results, self._known, self._most_s = None, {}, MOST_S
        self._set(None)

    def stop_searching(self) -> None:
        """Be content with the best so far."""
        self._enough.set()

    def search_again(self) -> None:
        """Search once more from the plan on, three times as long as before."""
        self.cancel()
        self._known = {}
        self._most_s *= LONGER
        self.work()

    def cancel(self) -> None:
        super().cancel()
        if self.answer is not None and self.answer.progress is not None:
            self._set(replace(self.answer, progress=None))

    def draft(self) -> None:
        """Make a first estate of all workloads of the project."""
        self.want(DRAFT, True)

    def is_missing(self, part: str) -> bool:
        if part == DRAFT:
            return part in self._wanted
        if part not in self._wanted or self.subject(part) is None or self.is_known(part):
            return False
        return part == PLAN or self.is_known(PLAN)

    def subject(self, part: str) -> Any:
        project = self._results.project if self._results is not None else None
        has_estate = project is not None and project.estate is not None and bool(project.estate.workloads)
        if project is None or not (has_estate or part == DRAFT):
            return None
        return (None, project.estate, project.scenarios, project.catalog, project.measurements)

    def take(self, part: str, value: Any, failure: str | None) -> None:
        from gpuplanner_gui.drawing.results import EstateFindings
        from gpuplanner_gui.engine.estate.solve import Progress

        if part == DRAFT:
            self._wanted.discard(part)
            if failure is None:
                self.drafted.emit(value)
            else:
                self.problem.emit(failure)
            return
        known = self.answer if self.answer is not None else EstateFindings()
        if isinstance(value, Progress):
            self._set(replace(known, progress=value))
            return
        self._known[part] = self._running.get(part)
        changed: dict[str, Any] = {FIELDS[part]: value, "failures": self.failures_with(part, failure or None)}
        if part == PLAN:
            changed |= {"progress": None, "is_outdated": False, "ahead": None, "reasons": None}
        self._set(replace(known, **changed))
        if part == PLAN and failure is None:
            self.work()

    def compute(self, part: str, engine: ShippedEngine, results: Results, watch: Watch) -> Any:
        from gpuplanner_gui.drawing.carried import estate_brought
        from gpuplanner_gui.drawing.words.estate import missing_workloads_text, no_plan_text
        from gpuplanner_gui.engine.estate import answer, draft, solve, why

        if part == DRAFT:
            project = results.project
            made = {one.name: self._plan_of(one, engine, results, watch) for one in project.scenarios}
            catalog = engine.catalog_of(project)
            drafted = draft.drafted_estate(project, catalog, engine.calibration_of(project), made)
            estate_brought(msgspec.structs.replace(project, estate=drafted), catalog)  # As for a plan's findings.
            return drafted
        estate = results.project.estate
        assert estate is not None
        self._enough.clear()

        def is_enough() -> bool:
            return watch.is_cancelled() or self._enough.is_set()

        if part == REASONS:
            found = self._planned
            return why.reasons(found.problem, found.found, is_cancelled=is_enough)
        try:
            if part == FUTURES:
                return answer.robust(estate, self._options, is_cancelled=is_enough)
            plans = {
                one.name: self._plan_of(one, engine, results, watch) for one in answer.scenarios_of(results.project)
            }
            self._options = answer.options_of_plans(estate, results.project.scenarios, plans)
            is_same = self._planned is not None and self._planned.estate == estate and self._most_s > MOST_S
            self._planned = answer.planned_estate(
                estate, self._options, most_s=self._most_s, is_cancelled=is_enough, watch=watch.answer,
                before=self._planned if is_same else None,
            )  # fmt: skip
            return self._planned
        except solve.NoPlan:
            raise NoAnswer(no_plan_text(bool(estate.pins))) from None
        except answer.MissingWorkloadsError as problem:
            raise NoAnswer(missing_workloads_text(problem.workloads)) from None

    def _plan_of(self, scenario: Scenario, engine: ShippedEngine, results: Results, watch: Watch) -> Plan:
        return self.plan_of(scenario, results, lambda: engine.plan(results.project, scenario, watch.is_cancelled))
