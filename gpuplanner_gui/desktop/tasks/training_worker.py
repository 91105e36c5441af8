"""What runs on the training thread: one candidate in depth, scaling, layouts, what fits; given up for a newer job.

A thread of its own, so that a plan never waits for a search over every layout.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import ShippedEngine
    from gpuplanner_gui.domain.training_results import LayoutObjective
    from gpuplanner_gui.drawing.results import Results

logger = logging.getLogger(__name__)

STEP, SCALING, LAYOUTS, FITS = "step", "scaling", "layouts", "fits"
"""Parts of `drawing.training_detail.TrainingDetail`."""


@dataclass(frozen=True, kw_only=True)
class LayoutQuestion:
    """How layouts are ranked; 0 devices: as many as the candidate that is looked at."""

    objective: LayoutObjective = "time"
    devices: int = 0


@dataclass(frozen=True, kw_only=True)
class TrainingQuestion:
    """What to work out, in this order, of results on screen."""

    generation: int
    parts: tuple[str, ...]
    results: Results
    layouts: LayoutQuestion


class TrainingWorker(QObject):
    """Lives on the training thread. Signals carry values; nothing here touches a widget."""

    answered = Signal(int, str, object)
    failed = Signal(int, str, str)
    finished = Signal(int)

    def __init__(self, engine_of: Callable[[], Any], newest: Callable[[], int]) -> None:
        super().__init__()
        self._engine_of = engine_of
        self._newest = newest
        self._generation = 0

    @Slot(object)
    def answer(self, question: TrainingQuestion) -> None:
        """Work out a question's parts; each answers, fails or is given up for itself."""
        from gpuplanner_gui.engine.planning import CancelledError

        engine = self._engine_of()
        self._generation = question.generation
        for part in question.parts:
            if engine is None or self._is_cancelled():
                return
            try:
                value = self._value(part, engine, question)
            except CancelledError:
                return
            except Exception as problem:
                logger.exception("training part %s failed", part)
                if not self._is_cancelled():
                    self.failed.emit(question.generation, part, str(problem).strip() or type(problem).__name__)
                continue
            if not self._is_cancelled():
                self.answered.emit(question.generation, part, value)
        if not self._is_cancelled():
            self.finished.emit(question.generation)

    def _value(self, part: str, engine: ShippedEngine, question: TrainingQuestion) -> Any:
        from gpuplanner_gui.engine.training import exploring

        results = question.results
        scenario, catalog, plan = results.scenario, results.catalog, results.plan
        known = engine.calibration_of(results.project)
        candidate = results.candidate("training")
        assert plan.training is not None
        if part == STEP:
            return exploring.step_detail(scenario, catalog, known, plan, candidate)
        if part == FITS:
            return exploring.fits(scenario, catalog, known, plan, candidate, is_cancelled=self._is_cancelled)
        accelerator = plan.accelerators[int(plan.training.table.accelerator[candidate])]
        if part == SCALING:
            return exploring.scaling(scenario, catalog, known, accelerator, is_cancelled=self._is_cancelled)
        devices = question.layouts.devices or int(plan.training.table.devices[candidate])
        return exploring.layouts(
            scenario, catalog, known, accelerator, question.layouts.objective, devices,
            is_cancelled=self._is_cancelled,
        )  # fmt: skip

    def _is_cancelled(self) -> bool:
        return self._generation != self._newest()
