"""What runs on the compute thread: one request after another, in stages, given up when a newer one waits."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.engine_door import EngineDoor
    from gpuplanner_gui.domain.plan import Roofline
    from gpuplanner_gui.drawing.rivals import Rival

logger = logging.getLogger(__name__)

PLAN = "plan"
LOAD_CURVE = "load_curve"
ROOFLINE = "roofline"
DETAILS = "details"
"""Load curve and rooflines of the selected candidates and their rivals, those that did not fail."""
CATALOG = "catalog"


@dataclass(frozen=True, kw_only=True)
class Request:
    """One question to the engine; with a `plan`, only what depends on the selected candidates is asked."""

    generation: int
    project: Project
    scenario: Scenario
    selected: Mapping[str, str] = field(default_factory=dict)
    """Workload to the key of the candidate that is looked at; absent: the best."""
    plan: Any = None


@dataclass(frozen=True, kw_only=True)
class StageResult:
    """What one stage of a request answered."""

    generation: int
    stage: str
    value: Any
    selected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class StageFailure:
    """Why a stage of a request has no answer."""

    generation: int
    stage: str
    message: str


class ComputeWorker(QObject):
    """Lives on the compute thread. Signals carry values; nothing here touches a widget."""

    catalog_ready = Signal(object)
    stage_ready = Signal(object)
    stage_failed = Signal(object)
    finished = Signal(int)
    explained = Signal(object)
    """(workload, quantity, ExplainedValue or StageFailure)"""

    def __init__(self, make_engine: Callable[[], EngineDoor], wanted_from: Callable[[], int]) -> None:
        super().__init__()
        self._make_engine = make_engine
        self._wanted_from = wanted_from
        self._engine: EngineDoor | None = None

    @Slot()
    def prepare(self) -> None:
        """Load the catalogue and the engine's modules."""
        try:
            self._engine = self._make_engine()
        except Exception as problem:
            logger.exception("the catalogue could not be loaded")
            failure = StageFailure(generation=self._wanted_from(), stage=CATALOG, message=_sentence(problem))
            self.stage_failed.emit(failure)
        else:
            self.catalog_ready.emit(self._engine.catalog)

    @Slot(object)
    def answer(self, request: Request) -> None:
        """Run every stage of a request; each answers or fails for itself."""
        engine = self._engine
        if engine is None or self._is_old(request.generation):
            return

        def is_cancelled() -> bool:
            return self._is_old(request.generation)

        plan = request.plan
        if plan is None:
            plan = self._asked(request, PLAN, lambda: engine.plan(request.project, request.scenario, is_cancelled))
        if plan is not None:
            selected = _selected_candidates(plan, request.selected)
            if request.plan is None:
                self._send(request, PLAN, (plan, engine.catalog_of(request.project)), selected)
            self._answer_details(engine, request, plan, selected, is_cancelled)
        if not is_cancelled():
            self.finished.emit(request.generation)

    def _answer_details(
        self,
        engine: EngineDoor,
        request: Request,
        plan: Any,
        selected: Mapping[str, int],
        is_cancelled: Callable[[], bool],
    ) -> None:
        project, scenario = request.project, request.scenario
        rooflines, rivals = {}, {}
        for workload, candidate in selected.items():
            ask_rooflines = partial(_with_rivals, engine, request, plan, workload, candidate)
            found = self._asked(request, ROOFLINE, ask_rooflines)
            if found is not None:
                rooflines[workload], rivals[workload] = found
        load_curve = None
        # Latency under load is no question for one that does not fit; its reason stands in the table.
        if "serving" in selected and plan.serving.table.fits[selected["serving"]]:
            ask_curve = partial(engine.load_curve, project, scenario, plan, selected["serving"], is_cancelled)
            load_curve = self._asked(request, LOAD_CURVE, ask_curve)
        self._send(request, DETAILS, (rooflines, rivals, load_curve), selected)

    def _asked(self, request: Request, stage: str, ask: Callable[[], Any]) -> Any:
        """The stage's answer; None if it failed, which is sent on, or if it is no longer wanted."""
        if self._is_old(request.generation):
            return None
        try:
            return ask()
        except Exception as problem:
            if not self._is_old(request.generation):
                logger.exception("stage %s failed", stage)
                failure = StageFailure(generation=request.generation, stage=stage, message=_sentence(problem))
                self.stage_failed.emit(failure)
            return None

    def _send(self, request: Request, stage: str, value: Any, selected: Mapping[str, int]) -> None:
        if not self._is_old(request.generation):
            result = StageResult(generation=request.generation, stage=stage, value=value, selected=selected)
            self.stage_ready.emit(result)

    @Slot(object, str, int, str)
    def explain(self, request: Request, workload: str, candidate: int, quantity: str) -> None:
        """Replay one candidate and say where a number comes from."""
        if self._engine is None:
            return
        try:
            value: Any = self._engine.explain(
                request.project, request.scenario, request.plan, workload, candidate, quantity
            )
        except Exception as problem:
            logger.exception("%s could not be explained", quantity)
            value = StageFailure(generation=request.generation, stage="explain", message=_sentence(problem))
        self.explained.emit((workload, quantity, value))

    @Slot(object, str, str)
    def explain_number(self, results: Any, stage: str, place: str) -> None:
        """Say where a number of an answer comes from."""
        if self._engine is None:
            return
        from gpuplanner_gui.engine.explaining_parts import UnknownPartError

        try:
            value: Any = self._engine.explain_number(results, stage, place)
        except UnknownPartError:
            # Clicked in a list of an earlier plan, or about a candidate of another scenario.
            gone = tr("This number is not in the plan at hand any more. Choose one of those that are shown now.")
            value = StageFailure(generation=0, stage="explain", message=gone)
        except Exception as problem:
            logger.exception("%s of %s could not be explained", place, stage)
            value = StageFailure(generation=0, stage="explain", message=_sentence(problem))
        self.explained.emit((stage, place, value))

    def _is_old(self, generation: int) -> bool:
        return generation < self._wanted_from()


def _with_rivals(
    engine: EngineDoor, request: Request, plan: Any, workload: str, candidate: int
) -> tuple[Roofline, tuple[Rival, ...]]:
    """The roofline of the selected candidate, and its rivals with theirs: asked for together, they hardly cost more."""
    from gpuplanner_gui.drawing.rivals import rival_marks, rivals_of

    marks = rival_marks(plan.serving if workload == "serving" else plan.training, candidate)
    first, *others = engine.rooflines(request.project, request.scenario, plan, workload, (candidate, *marks))
    return first, rivals_of(marks, others)


def _selected_candidates(plan: Any, keys: Mapping[str, str]) -> dict[str, int]:
    from gpuplanner_gui.desktop.candidate_key import candidate_of_key

    selected = {}
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        if answer is None:
            continue
        found = candidate_of_key(plan, workload, keys[workload]) if keys.get(workload) else -1
        candidate = found if found >= 0 else answer.best
        if candidate >= 0:
            selected[workload] = candidate
    return selected


def _sentence(problem: Exception) -> str:
    text = str(problem).strip()
    return text if text else type(problem).__name__
