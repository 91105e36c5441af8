"""The plan of the scenario at hand, with its curves, and why its numbers are what they are: the newest edit wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from gpuplanner_gui.desktop.tasks.runner import NoAnswer, Step, TaskRunner, Watch, failure_text
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.domain.curves import Roofline
    from gpuplanner_gui.domain.method import ExplainedValue
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.drawing.candidates import RivalRoofline
    from gpuplanner_gui.drawing.results import Results

QUICK_MS = 250
"""Work that answers within this is not given up for a newer edit, so that the views follow a slider while it moves."""
OUTDATED_AFTER_MS = 250
"""An old result is dimmed only when the new one takes longer than this, so that quick answers do not flicker."""
DETAILS_WAIT_MS = 40
"""A plan is shown together with its curves when they come within this; else it is shown first."""
CHECK_PAUSE_MS = 100
"""Pause between a plan and the simulation of its fleet, so that none runs while a value is dragged."""
CATALOG, PLAN, ROOFLINE, LOAD_CURVE, DETAILS = "catalog", "plan", "roofline", "load_curve", "details"
"""Steps; the last gathers what depends on the selected candidates and did not fail."""
FLEET_CHECK = "fleet_check"


class PlanState(StrEnum):
    """How the results on screen relate to what was asked."""

    EMPTY = "empty"
    COMPUTING = "computing"
    OUTDATED = "outdated"
    FAILED = "failed"
    CURRENT = "current"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question to the engine; with a `plan`, only what depends on the selected candidates is asked."""

    project: Project
    scenario: Scenario
    selected: Mapping[str, str] = field(default_factory=dict)
    """Workload to the key of the candidate that is looked at; absent: the best."""
    pinned: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Workload to the keys of the pinned candidates."""
    plan: Any = None


class PlanTasks(QObject):
    """Loads the engine, plans what is submitted, and keeps the newest results and their state."""

    catalog_ready = Signal(object)
    results_changed = Signal(object)
    state_changed = Signal(str, str)
    """State, and a message where it failed."""
    completed = Signal()
    """Every step of the newest request has answered or failed; the recommended fleet may not be simulated yet."""
    settled = Signal(object)
    """Results whose plan stays until the next edit: its recommended fleet was simulated, or cannot be."""
    explained = Signal(object)
    """An `ExplainedValue`."""
    explaining_failed = Signal(str)

    def __init__(self, make_engine: Callable[[], ShippedEngine], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.make_engine = make_engine
        self.results: Results | None = None
        self.catalog: Any = None
        self.engine: ShippedEngine | None = None
        self.state = PlanState.EMPTY
        self._waiting: Request | None = None
        self._last: Request | None = None
        self._failures: dict[str, str] = {}
        self._plan_is_newest = False
        self._is_checked = False
        """Whether the simulation of the plan's fleet has answered or failed."""
        self._outdated = QTimer(self, singleShot=True, interval=OUTDATED_AFTER_MS)
        self._outdated.timeout.connect(self._mark_outdated)
        self._details_wait = QTimer(self, singleShot=True, interval=DETAILS_WAIT_MS)
        self._details_wait.timeout.connect(self._show_results)
        self._loading = TaskRunner("catalogue", self)
        self._loading.answered.connect(self._on_loaded)
        self._loading.failed.connect(self._on_failed)
        self._loading.finished.connect(self._ask)
        self._planning = TaskRunner("plan", self, patience_ms=QUICK_MS)
        self._planning.answered.connect(self._on_answered)
        self._planning.failed.connect(self._on_failed)
        self._planning.finished.connect(self._on_finished)
        self._checking = TaskRunner("fleet check", self, pause_ms=CHECK_PAUSE_MS)
        self._checking.answered.connect(self._on_checked)
        self._checking.failed.connect(self._on_check_failed)
        self._explaining = TaskRunner("explanation", self)
        self._explaining.answered.connect(lambda _, value: self.explained.emit(value))
        self._explaining.failed.connect(lambda _, problem: self.explaining_failed.emit(failure_text(problem)))

    def start(self) -> None:
        """Load catalogue and engine, again where they are there; questions may be asked before that is done."""
        self._loading.run(lambda: (Step(CATALOG, lambda _: self.make_engine()),))

    def submit(
        self, project: Project, scenario: Scenario, selected: Mapping[str, str], pinned: Mapping[str, Sequence[str]]
    ) -> None:
        """Plan this scenario in the next turn of the event loop, or as soon as quick work is done."""
        self._checking.cancel()
        self._waiting = Request(project=project, scenario=scenario, selected=dict(selected), pinned=dict(pinned))
        self._set_state(PlanState.COMPUTING)
        self._outdated.start()
        self._ask()

    def select(self, selected: Mapping[str, str], pinned: Mapping[str, Sequence[str]]) -> None:
        """Look at other candidates of the present plan: only what depends on them is computed."""
        if self._waiting is not None:
            self._waiting = replace(self._waiting, selected=dict(selected), pinned=dict(pinned))
        elif self._last is not None:
            plan = self.results.plan if self.results is not None and self._plan_is_newest else None
            self._waiting = replace(self._last, selected=dict(selected), pinned=dict(pinned), plan=plan)
            self._ask()

    def rename(self, project: Project, scenario: Scenario) -> bool:
        """Give the plan at hand, which depends on no name, the names of this project; False where none is at hand."""
        if self.state is not PlanState.CURRENT or self.results is None or self._last is None:
            return False
        self._last = replace(self._last, project=project, scenario=scenario)
        if self._waiting is not None:
            self._waiting = replace(self._waiting, project=project, scenario=scenario)
        self.results = replace(self.results, project=project, scenario=scenario)
        self._show_results()
        return True

    def retry(self) -> None:
        """Ask the last question again; load the catalogue again if that was what failed."""
        last = self._waiting or self._last
        if last is not None:
            self.submit(last.project, last.scenario, last.selected, last.pinned)
        if self.catalog is None:
            self.start()

    def cancel(self) -> None:
        """Give up the running question; the old results stay, marked as outdated."""
        if self.state in (PlanState.COMPUTING, PlanState.OUTDATED):
            self._give_up()
            self._set_state(PlanState.OUTDATED if self.results else PlanState.EMPTY)

    def forget(self) -> None:
        """Nothing to plan: no scenario is open."""
        self._give_up()
        self._explaining.cancel()
        self._last = self.results = None
        self._details_wait.stop()
        self._set_state(PlanState.EMPTY, tr("The project has no scenario. Add one to plan."))

    def explain(self, workload: str, candidate: int, quantity: str) -> None:
        """Ask why a number of the table of candidates is what it is; `explained` answers."""
        engine, results = self.engine, self.results
        if engine is not None and results is not None:
            ask = partial(engine.explain, results.project, results.scenario, results.plan)
            self._why(quantity, partial(ask, workload, candidate, quantity))

    def explain_number(self, results: Results, stage: str, place: str) -> None:
        """Ask why another number is what it is; `explained` answers."""
        engine = self.engine
        if engine is not None:
            self._why(place, partial(engine.explain_number, results, stage, place))

    def _why(self, name: str, ask: Callable[[], ExplainedValue]) -> None:
        self._explaining.run(lambda: (Step(name, partial(_explained, ask)),))

    def stop(self) -> None:
        """End the threads; running work gives up at its next look."""
        self._give_up()
        for runner in (self._loading, self._planning, self._checking, self._explaining):
            runner.stop()

    def _ask(self) -> None:
        if self._waiting is not None and self.engine is not None and not self._loading.is_running:
            self._planning.run(self._steps)

    def _steps(self) -> tuple[Step, ...]:
        request, self._waiting = self._waiting, None
        if request is None or self.engine is None:
            return ()
        self._last = replace(request, plan=None)
        self._failures = {}
        self._plan_is_newest = self._plan_is_newest and request.plan is not None
        return _Planning(self.engine, request).steps()

    def _give_up(self) -> None:
        self._planning.cancel()
        self._checking.cancel()
        self._waiting = None
        self._outdated.stop()

    def _on_loaded(self, _: str, engine: ShippedEngine) -> None:
        self.engine, self.catalog = engine, engine.catalog
        self._failures.pop(CATALOG, None)
        self.catalog_ready.emit(self.catalog)

    def _on_answered(self, step: str, value: Any) -> None:
        if step == PLAN:
            self._plan_is_newest, self._is_checked = True, False
            self.results = value
            self._details_wait.start()
        elif step == DETAILS and value is not None and self.results is not None:
            self.results = replace(self.results, **value)
            self._show_results()

    def _on_failed(self, step: str, problem: Exception) -> None:
        self._failures[step] = failure_text(problem)
        if step == CATALOG or (step == PLAN and self._waiting is None):
            self._outdated.stop()
            self._set_state(PlanState.FAILED, self._failures[step])

    def _on_finished(self) -> None:
        if self._planning.is_running:
            return
        self._outdated.stop()
        if self._failures:
            self._set_state(PlanState.FAILED, " ".join(self._failures.values()))
        else:
            self._set_state(PlanState.CURRENT)
        self.completed.emit()
        self._check_fleet()

    def _check_fleet(self) -> None:
        """Simulate the recommended fleet of the plan on screen, and price its limits, once."""
        engine, results = self.engine, self.results
        if engine is None or results is None or PLAN in self._failures or self._is_checked:
            return
        ask = partial(engine.simulated_plan, results.project, results.scenario, results.plan)
        self._checking.run(lambda: (Step(FLEET_CHECK, lambda watch: ask(watch.is_cancelled)),))

    def _on_checked(self, _: str, plan: Plan) -> None:
        results, last = self.results, self._last
        if results is None or last is None or self._planning.is_running:
            return  # Another candidate is looked at: asked again when its details are there.
        before, after = results.plan.serving, plan.serving
        is_resized = before is not None and after is not None and before.table is not after.table
        self.results = replace(results, plan=plan)
        if is_resized:
            # Curves are of a fleet at its load, and another candidate may be the best.
            self.results = replace(
                self.results, load_curve=None, pinned_curves={}, rooflines={}, rivals={},
                selected=_selected_candidates(plan, last.selected), pinned=_pinned_candidates(plan, last.pinned),
            )  # fmt: skip
            self._is_checked = True
            self._waiting = replace(last, plan=plan)
            self._details_wait.start()
            self._ask()
        elif plan is results.plan:
            self._settle()
        else:
            self._is_checked = True
            self._show_results()

    def _on_check_failed(self, _: str, problem: Exception) -> None:
        """The quick estimate stands, and the verdict says so."""
        if not self._planning.is_running:
            self._settle()

    def _settle(self) -> None:
        self._is_checked = True
        if self.results is not None:
            self.settled.emit(self.results)

    def _show_results(self) -> None:
        self._details_wait.stop()
        if self.results is not None:
            self.results_changed.emit(self.results)
            if self._is_checked and self._plan_is_newest:
                self.settled.emit(self.results)

    def _mark_outdated(self) -> None:
        if self.results is not None:
            self._set_state(PlanState.OUTDATED)

    def _set_state(self, state: PlanState, message: str = "") -> None:
        self.state = state
        self.state_changed.emit(state.value, message)


class _Planning:
    """One request on its way through its steps, on the runner's thread."""

    def __init__(self, engine: ShippedEngine, request: Request) -> None:
        self._engine, self._request = engine, request
        self._plan = request.plan
        self._selected: dict[str, int] = {}
        self._rooflines: dict[str, Roofline] = {}
        self._rivals: dict[str, tuple[RivalRoofline, ...]] = {}
        self._load_curve: Any = None
        self._pinned: dict[str, tuple[int, ...]] = {}
        self._pinned_curves: dict[int, Any] = {}

    def steps(self) -> tuple[Step, ...]:
        plan = () if self._request.plan is not None else (Step(PLAN, self._planned),)
        rooflines = (Step(ROOFLINE, partial(self._draw_rooflines, workload)) for workload in ("serving", "training"))
        return (*plan, *rooflines, Step(LOAD_CURVE, self._draw_load_curve), Step(DETAILS, self._details))

    def _planned(self, watch: Watch) -> Results:
        from gpuplanner_gui.drawing.carried import estate_brought
        from gpuplanner_gui.drawing.results import Results

        project, scenario = self._request.project, self._request.scenario
        self._plan = self._engine.plan(project, scenario, watch.is_cancelled)
        catalog = self._engine.catalog_of(project)
        estate_brought(project, catalog)  # Kept for the findings, which would hold the window up for it.
        return Results(
            project=project, scenario=scenario, plan=self._plan, catalog=catalog,
            selected=_selected_candidates(self._plan, self._request.selected),
            pinned=_pinned_candidates(self._plan, self._request.pinned),
        )  # fmt: skip

    def _draw_rooflines(self, workload: str, _: Watch) -> None:
        """Compute the rooflines of the selected candidate and its rivals; together they take hardly longer than one."""
        from gpuplanner_gui.drawing.candidates import rival_marks, rivals_of

        if self._plan is None:
            return
        self._selected = _selected_candidates(self._plan, self._request.selected)
        self._pinned = _pinned_candidates(self._plan, self._request.pinned)
        if workload not in self._selected:
            return
        candidate = self._selected[workload]
        answer = self._plan.serving if workload == "serving" else self._plan.training
        marks = rival_marks(answer, candidate, self._pinned.get(workload, ()))
        request = self._request
        first, *others = self._engine.rooflines(
            request.project, request.scenario, self._plan, workload, (candidate, *marks)
        )
        self._rooflines[workload], self._rivals[workload] = first, rivals_of(marks, others)

    def _draw_load_curve(self, watch: Watch) -> None:
        """Compute the load curves of the selected candidate, then of the pinned ones."""
        candidate, request = self._selected.get("serving", -1), self._request
        for one in dict.fromkeys((candidate, *self._pinned.get("serving", ()))):
            # Latency under load is no question for one that does not fit; its reason stands in the table.
            if one < 0 or not self._plan.serving.table.fits[one]:
                continue
            curve = self._engine.load_curve(request.project, request.scenario, self._plan, one, watch.is_cancelled)
            if one == candidate:
                self._load_curve = curve
            else:
                self._pinned_curves[one] = curve

    def _details(self, _: Watch) -> dict[str, Any] | None:
        if self._plan is None:
            return None
        return {
            "rooflines": self._rooflines, "rivals": self._rivals, "load_curve": self._load_curve,
            "selected": self._selected, "pinned": self._pinned, "pinned_curves": self._pinned_curves,
        }  # fmt: skip


def _selected_candidates(plan: Any, keys: Mapping[str, str]) -> dict[str, int]:
    from gpuplanner_gui.drawing.candidate_keys import candidate_of_key

    selected = {}
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        if answer is None:
            continue
        found = candidate_of_key(plan, workload, keys[workload]) if keys.get(workload) else -1
        candidate = found if found >= 0 else answer.best
        if candidate >= 0:
            selected[workload] = candidate
    return selected


def _pinned_candidates(plan: Any, keys: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, ...]]:
    """Pinned candidates that are in the plan."""
    from gpuplanner_gui.drawing.candidate_keys import candidate_of_key

    found = {name: [candidate_of_key(plan, name, key) for key in of_workload] for name, of_workload in keys.items()}
    return {name: tuple(dict.fromkeys(one for one in of_name if one >= 0)) for name, of_name in found.items()}


def _explained(ask: Callable[[], ExplainedValue], _: Watch) -> ExplainedValue:
    from gpuplanner_gui.engine.explaining.parts import UnknownPartError

    try:
        return ask()
    except UnknownPartError as problem:
        # Clicked in a list of an earlier plan, or about a scenario that was removed meanwhile.
        raise NoAnswer(tr("This number is no longer in the plan. Choose one that is shown now.")) from problem
