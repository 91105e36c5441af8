"""One training candidate in depth, scaling, layouts and what fits; what is old stays, marked, until the new comes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.tasks.runner import PartsOnDemand, Watch, is_same

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
    from gpuplanner_gui.domain.training_results import LayoutObjective
    from gpuplanner_gui.drawing.results import Results, TrainingDetail

STEP, SCALING, LAYOUTS, FITS = "step", "scaling", "layouts", "fits"
"""Parts of `drawing.results.TrainingDetail`."""


@dataclass(frozen=True, kw_only=True)
class LayoutQuestion:
    """How layouts are ranked; 0 devices: as many as the candidate that is looked at."""

    objective: LayoutObjective = "time"
    devices: int = 0


class TrainingTasks(PartsOnDemand):
    """Keeps the newest `TrainingDetail` of the results on screen."""

    answer: TrainingDetail | None
    order = (STEP, SCALING, LAYOUTS, FITS)

    def __init__(self, engine_of: Callable[[], Any], parent: QObject | None = None) -> None:
        super().__init__("training", engine_of, parent)
        self._known: dict[str, Any] = {}
        """Of each part that is known or failed, what it was worked out for."""
        self.layout_question = LayoutQuestion()

    def follow(self, results: Results) -> None:
        """Work on these results from now on; what is known of the same plan and candidate stays."""
        is_other = self._results is None or self._results.scenario.name != results.scenario.name
        if results.candidate("training") < 0 or (is_other and self.answer is not None):
            self._known = {}
            self._set(None)
        self._results = results
        if any(not is_same(subject, self.subject(part)) for part, subject in self._running.items()):
            self.cancel()
        self._mark_outdated()
        self.work()

    def rank_layouts(self, objective: LayoutObjective, devices: int) -> None:
        """Rank layouts in another way; 0 devices: as many as the candidate's."""
        self.layout_question = LayoutQuestion(objective=objective, devices=devices)
        self.cancel()
        self._mark_outdated()
        self.work()

    def is_missing(self, part: str) -> bool:
        return self.subject(part) is not None and part in self._wanted and not self._is_known(part)

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
        return plan, accelerator, self.layout_question, int(table.devices[candidate])

    def take(self, part: str, value: Any, failure: str | None) -> None:
        from gpuplanner_gui.drawing.results import TrainingDetail

        self._known[part] = self._running.get(part)
        known = self.answer if self.answer is not None else TrainingDetail()
        failures = {name: text for name, text in known.failures.items() if name != part}
        if failure is not None:
            failures[part] = failure
        self._set(replace(known, **{part: value}, failures=failures, outdated=known.outdated - {part}))

    def compute(self, part: str, engine: ShippedEngine, results: Results, watch: Watch) -> Any:
        from gpuplanner_gui.engine.training import exploring

        scenario, catalog, plan = results.scenario, results.catalog, results.plan
        known, question = engine.calibration_of(results.project), self.layout_question
        candidate = results.candidate("training")
        assert plan.training is not None
        if part == STEP:
            return exploring.step_detail(scenario, catalog, known, plan, candidate)
        if part == FITS:
            return exploring.fits(scenario, catalog, known, plan, candidate, is_cancelled=watch.is_cancelled)
        accelerator = plan.accelerators[int(plan.training.table.accelerator[candidate])]
        if part == SCALING:
            return exploring.scaling(scenario, catalog, known, accelerator, is_cancelled=watch.is_cancelled)
        devices = question.devices or int(plan.training.table.devices[candidate])
        return exploring.layouts(
            scenario, catalog, known, accelerator, question.objective, devices, is_cancelled=watch.is_cancelled
        )

    def _is_known(self, part: str) -> bool:
        return is_same(self._known.get(part), self.subject(part))

    def _mark_outdated(self) -> None:
        if self.answer is not None and self._results is not None:
            old = frozenset(part for part in self.order if part in self._known and not self._is_known(part))
            if old != self.answer.outdated:
                self._set(replace(self.answer, outdated=old))
