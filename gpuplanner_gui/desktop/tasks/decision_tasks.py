"""What follows from a plan for the decision: fleets, terms, certainty, comparison; other scenarios' curves; own runs.

What a page on screen shows comes first; how sure the plan is, which the verdict says, once nothing changes any more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal

from gpuplanner_gui.desktop.tasks.runner import PartsOnDemand, Watch
from gpuplanner_gui.drawing.language import labelled, tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.domain.plan import Plan
    from gpuplanner_gui.domain.scenario import Scenario
    from gpuplanner_gui.domain.training_results import LayoutObjective
    from gpuplanner_gui.drawing.results import Decision, Results, ScenarioOverlay, TrainingDetail


STEP, SCALING, LAYOUTS, FITS = "step", "scaling", "layouts", "fits"
"""Parts of `drawing.results.TrainingDetail`."""


class TrainingTasks(PartsOnDemand):
    """Keeps the newest `TrainingDetail` of the results on screen."""

    answer: TrainingDetail | None
    order = (STEP, SCALING, LAYOUTS, FITS)

    def __init__(self, engine_of: Callable[[], Any]) -> None:
        super().__init__("training", engine_of)
        self._ranked_by: LayoutObjective = "time"
        self._devices = 0
        """Of the layouts; 0: as many as the selected candidate has."""

    def follow(self, results: Results) -> None:
        """Work on these results from now on; what is known of the same plan and candidate stays."""
        known = self._results
        is_other = known is None or (known.plan is not results.plan and known.scenario.name != results.scenario.name)
        if results.candidate("training") < 0 or (is_other and self.answer is not None):
            self._known = {}
            self._set(None)
        self._results = results
        self.cancel_others()
        self._mark_outdated()
        self.work()

    def rank_layouts(self, objective: LayoutObjective, devices: int) -> None:
        """Rank layouts in another way; 0 devices: as many as the candidate's."""
        self._ranked_by, self._devices = objective, devices
        self.cancel()
        self._mark_outdated()
        self.work()

    def is_missing(self, part: str) -> bool:
        return self.subject(part) is not None and part in self._wanted and not self.is_known(part)

    def subject(self, part: str) -> Any:
        if self._results is None:
            return None
        plan, candidate = self._results.plan, self._results.candidate("training")
        if plan.training is None or candidate < 0:
            return None
        table = plan.training.table
        accelerator = int(table.accelerator[candidate])
        if part in (STEP, FITS):
            return plan, candidate
        if part == SCALING:
            return plan, accelerator
        return plan, accelerator, self._ranked_by, self._devices, int(table.devices[candidate])

    def take(self, part: str, value: Any, failure: str | None) -> None:
        from gpuplanner_gui.drawing.results import TrainingDetail

        self._known[part] = self._running.get(part)
        known = self.answer if self.answer is not None else TrainingDetail()
        failures = self.failures_with(part, failure)
        self._set(replace(known, **{part: value}, failures=failures, outdated=known.outdated - {part}))

    def compute(self, part: str, engine: ShippedEngine, results: Results, watch: Watch) -> Any:
        from gpuplanner_gui.engine.training import exploring

        scenario, catalog, plan = results.scenario, results.catalog, results.plan
        known, ranked_by, devices = engine.calibration_of(results.project), self._ranked_by, self._devices
        candidate = results.candidate("training")
        if part == STEP:
            return exploring.step_detail(scenario, catalog, known, plan, candidate)
        if part == FITS:
            return exploring.fits(scenario, catalog, known, plan, candidate, is_cancelled=watch.is_cancelled)
        accelerator = plan.accelerators[int(plan.trained.table.accelerator[candidate])]
        if part == SCALING:
            return exploring.scaling(scenario, catalog, known, accelerator, is_cancelled=watch.is_cancelled)
        devices = devices or int(plan.trained.table.devices[candidate])
        return exploring.layouts(
            scenario, catalog, known, accelerator, ranked_by, devices, is_cancelled=watch.is_cancelled
        )

    def _mark_outdated(self) -> None:
        if self.answer is not None and self._results is not None:
            old = frozenset(part for part in self.order if part in self._known and not self.is_known(part))
            if old != self.answer.outdated:
                self._set(replace(self.answer, outdated=old))


SETTLED_MS = 800
"""Time after which a plan counts as settled."""
PAGES = {
    "limits": "Memory", "overlays": "Compare", "phases": "Phases", "calibration": "Calibrate", "ownership": "Cost",
    "alternatives": "Cost", "fleets": "Fleets", "uncertainty": "Uncertainty", "comparison": "Compare",
}  # fmt: skip
"""Parts of `drawing.results.Decision`, the first to be found out first, each with the page that shows it."""


class DecisionTasks(PartsOnDemand):
    """Keeps the newest `Decision` of the results on screen."""

    problem = Signal(str)
    """Emits the part that failed, and the reason."""
    answer: Decision | None
    order = tuple(PAGES)

    def __init__(self, engine_of: Callable[[], Any]) -> None:
        super().__init__("decision", engine_of)
        self._is_overlaying = False
        self._is_settled = False
        self._settling = QTimer(self, singleShot=True, interval=SETTLED_MS)
        self._settling.timeout.connect(self._settle)
        self._runner.progressed.connect(self._on_progressed)

    def follow(self, results: Results) -> None:
        """Find out about these results, unless they are of the plan that is known."""
        is_same = self._results is not None and self._results.plan is results.plan
        self.leave(results)
        self._results = results
        if not is_same:
            self.work()
            self._settling.start()

    def leave(self, results: Results) -> None:
        """These are on screen from now on: nothing more is told of another plan, though they may not stay."""
        from gpuplanner_gui.drawing.results import carried, renamed

        if self._results is None or self._results.plan is not results.plan:
            self.cancel()
            self._results = None
            self._set(carried(self.answer, results.project, results.scenario))
        elif self.answer is not None:
            self._set(renamed(self.answer, results.project))

    def cancel(self) -> None:
        super().cancel()
        self._settling.stop()
        self._is_settled = False

    def stop(self) -> None:
        self._settling.stop()
        super().stop()

    def set_overlaying(self, is_overlaying: bool) -> None:
        """Whether curves of other scenarios are to be worked out, on pages that show them."""
        self._is_overlaying = is_overlaying
        if is_overlaying:
            self.work()
        elif self.answer is not None and self.answer.overlays:
            self._set(replace(self.answer, overlays=()))

    def is_missing(self, part: str) -> bool:
        found = self.answer
        if found is not None and (bool(getattr(found, part)) or part in found.failures):
            return False
        has_others = self._results is not None and len(self._results.project.scenarios) > 1
        if part == "overlays" and not (self._is_overlaying and has_others):
            return False
        return part in self._wanted or (part == "uncertainty" and self._is_settled)

    def subject(self, part: str) -> Any:
        return (self._results.plan,) if self._results is not None else None

    def take(self, part: str, value: Any, failure: str | None) -> None:
        from gpuplanner_gui.drawing.results import renamed

        known = self._started()
        if failure is None:
            found = replace(known, **{part: value})
            self._set(found if self._results is None else renamed(found, self._results.project))
            return
        self._set(replace(known, failures={**known.failures, part: failure}))
        if failure and part in self._wanted:
            self.problem.emit(labelled(tr(PAGES[part]), failure))

    def compute(self, part: str, engine: ShippedEngine, results: Results, watch: Watch) -> Any:
        """None where there is nothing to weigh."""
        from gpuplanner_gui.engine.decision import doors

        scenario, plan, catalog = results.scenario, results.plan, results.catalog
        if part == "calibration":
            from gpuplanner_gui.drawing.calibration import calibration_view

            return calibration_view(results, lambda: _check(watch))
        known = engine.calibration_of(results.project)
        if part == "fleets":
            return doors.fleets(scenario, catalog, known, plan)
        if part == "ownership":
            return doors.ownership(scenario, catalog, known, plan)
        if part == "alternatives":
            from gpuplanner_gui.drawing.in_depth import alternatives_of

            return alternatives_of(results, known, watch.is_cancelled) or None
        if part == "limits":
            from gpuplanner_gui.engine.serving.limits import plan_limits

            return plan_limits(scenario, catalog, known, plan) if plan.serving is not None else None
        if part == "phases":
            from gpuplanner_gui.engine.phases.gains import speeds, work_of

            return speeds(scenario.model, catalog, known, work_of(scenario))
        if part == "uncertainty":
            return doors.uncertainty(
                scenario, catalog, known, plan, results.project.seed,
                on_progress=watch.progress, is_cancelled=watch.is_cancelled,
            )  # fmt: skip
        if part == "overlays":
            return self._overlays(engine, results, watch)
        self.keep_plan(scenario, plan, results)
        others = results.project.scenarios[: doors.MOST_SCENARIOS]
        planned = [(one, self._plan_of(one, engine, results, watch)) for one in others]
        if len(planned) < 2:
            return None
        weights = scenario.economics.ranking
        return doors.compared(
            planned, catalog, known, results.project.seed, weights, is_cancelled=watch.is_cancelled
        )  # fmt: skip

    def _overlays(self, engine: ShippedEngine, results: Results, watch: Watch) -> tuple[ScenarioOverlay, ...] | None:
        """Curves and memory of the best candidates of each other scenario that has one; None where none has."""
        from gpuplanner_gui.drawing.plots.rival_marks import MOST_OVERLAYS

        found: list[ScenarioOverlay] = []
        for one in results.project.scenarios:
            if one is results.scenario or len(found) == MOST_OVERLAYS:
                continue
            _check(watch)
            overlay = self._overlay(one, engine, results, watch)
            if overlay.memory:
                found.append(overlay)
        return tuple(found) or None

    def _overlay(self, scenario: Scenario, engine: ShippedEngine, results: Results, watch: Watch) -> ScenarioOverlay:
        import numpy as np

        from gpuplanner_gui.drawing.limit_rows import planned_memory
        from gpuplanner_gui.drawing.results import ScenarioOverlay
        from gpuplanner_gui.engine.serving.limits import plan_limits

        plan = self._plan_of(scenario, engine, results, watch)
        memory = planned_memory(plan, results.catalog, scenario)
        if plan.serving is None or plan.serving.best < 0:
            return ScenarioOverlay(
                scenario=scenario, load_curve=None, contexts=np.empty(0), concurrency=np.empty(0), memory=memory
            )
        best = plan.serving.best
        limits = plan_limits(scenario, results.catalog, engine.calibration_of(results.project), plan)
        return ScenarioOverlay(
            scenario=scenario,
            load_curve=engine.load_curve(results.project, scenario, plan, best, watch.is_cancelled),
            contexts=limits.contexts,
            concurrency=limits.concurrency_by_context[:, best],
            memory=memory,
        )

    def _plan_of(self, scenario: Scenario, engine: ShippedEngine, results: Results, watch: Watch) -> Plan:
        """The plan of another scenario of the project, made once as long as it does not change."""

        def made() -> Plan:
            quick = engine.plan(results.project, scenario, watch.is_cancelled)
            return engine.simulated_plan(results.project, scenario, quick, watch.is_cancelled)

        return self.plan_of(scenario, results, made)

    def _settle(self) -> None:
        """Nothing has changed for a while: what no page asks for is found out too, after what one waits for."""
        if self.is_running:
            self._settling.start()
        else:
            self._is_settled = True
            self.work()

    def _on_progressed(self, part: str, share: float) -> None:
        if part == "uncertainty" and share > 0:
            self._set(replace(self._started(), progress=share))

    def _started(self) -> Decision:
        from gpuplanner_gui.drawing import results

        return self.answer if self.answer is not None else results.Decision()


def _check(watch: Watch) -> None:
    from gpuplanner_gui.engine.cancelling import CancelledError

    if watch.is_cancelled():
        raise CancelledError
