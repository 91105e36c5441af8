"""One scenario's answer with what is needed to draw it: the same for window, report and command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import msgspec

from gpuplanner_gui.domain.curves import LoadCurve, Roofline, ServingLimits
from gpuplanner_gui.domain.decision import ComparisonAnswer, FleetsAnswer, OwnershipAnswer, UncertaintyAnswer
from gpuplanner_gui.domain.measurement import Workload
from gpuplanner_gui.domain.plan import Plan, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.price import Alternative
from gpuplanner_gui.domain.scenario import Project, Scenario, asks_the_same
from gpuplanner_gui.domain.training_results import LayoutRanking, ScalingCurve, StepDetail, TrainingFits
from gpuplanner_gui.domain.verdict import Verdict
from gpuplanner_gui.drawing.candidate_keys import candidate_of_key
from gpuplanner_gui.drawing.language import labelled, tr

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.domain.load_result import FleetSizing, PoolArrangement, Readiness, SearchResult, SimulatedCurve
    from gpuplanner_gui.domain.traffic import TraceFigures
    from gpuplanner_gui.drawing.calibration_view import CalibrationView
    from gpuplanner_gui.drawing.candidates import RivalRoofline
    from gpuplanner_gui.drawing.limit_rows import PlannedMemory
    from gpuplanner_gui.engine.estate.answer import EstateAnswer, Robust
    from gpuplanner_gui.engine.estate.solve import Progress
    from gpuplanner_gui.engine.estate.why import Reasons
    from gpuplanner_gui.engine.phases.speeds import PhaseSpeeds


@dataclass(frozen=True, kw_only=True)
class ScenarioOverlay:
    """The best candidates of another scenario."""

    scenario: Scenario
    load_curve: LoadCurve | None
    contexts: NDArray[np.float64]
    """Tokens; none where nothing is served."""
    concurrency: NDArray[np.float64]
    """Sequences that fit at each of the contexts."""
    memory: Mapping[str, PlannedMemory] = field(default_factory=dict)
    """Memory of a device by use, for each workload."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Parts that are not there yet are None, or lack their workload."""

    fleets: FleetsAnswer | None = None
    ownership: Mapping[str, OwnershipAnswer] = field(default_factory=dict)
    alternatives: tuple[Alternative, ...] = ()
    """APIs, smaller models and processors for the recommended service."""
    uncertainty: UncertaintyAnswer | None = None
    comparison: ComparisonAnswer | None = None
    phases: PhaseSpeeds | None = None
    """Times of every phase on every accelerator."""
    calibration: CalibrationView | None = None
    """Effect of own measurements on the plan, and its nearest measured cases."""
    limits: ServingLimits | None = None
    """Most that the memory of each serving candidate holds."""
    overlays: tuple[ScenarioOverlay, ...] = ()
    """Curves and memory of the project's other scenarios."""
    progress: float = 0.0
    """Progress of the running uncertainty computation, 0 to 1."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a part will not come, by the part's name; no words where there is nothing to weigh."""


def awaited_text(decision: Decision, part: str, waiting: str) -> str:
    """Why a part is not there: it is on its way, or it failed, and this is why."""
    failure = decision.failures.get(part, "")
    return labelled(tr("Failed"), failure) if failure else waiting


def is_awaited(decision: Decision, part: str) -> bool:
    """Whether a part is still on its way."""
    return getattr(decision, part) is None and part not in decision.failures


def carried(decision: Decision | None, project: Project, scenario: Scenario) -> Decision | None:
    """Results that stay valid when only the current scenario changes: the others' curves."""
    if decision is None or not decision.overlays:
        return None
    others = [one for one in project.scenarios if one is not scenario]
    is_same = all(any(one is overlay.scenario for one in others) for overlay in decision.overlays)
    return Decision(overlays=decision.overlays) if is_same else None


def renamed(decision: Decision, project: Project) -> Decision:
    """The same results under the names that the scenarios have now; the same object where none is another."""
    compared, now = decision.comparison, project.scenarios
    if compared is not None and any(one.name != new.name for one, new in zip(compared.scenarios, now, strict=False)):
        pairs = zip(compared.scenarios, now, strict=False)
        columns = tuple(msgspec.structs.replace(one, name=new.name) for one, new in pairs)
        decision = replace(decision, comparison=msgspec.structs.replace(compared, scenarios=columns))
    gone = [one.scenario for one in decision.overlays if not any(one.scenario is new for new in now)]
    if not gone:
        return decision
    shown = [one.scenario for one in decision.overlays]
    free = [new for new in now if not any(new is old for old in shown)]
    named = {id(old): next((new for new in free if asks_the_same(new, old)), old) for old in gone}
    overlays = (replace(one, scenario=named.get(id(one.scenario), one.scenario)) for one in decision.overlays)
    return replace(decision, overlays=tuple(overlays))


@dataclass(frozen=True, kw_only=True)
class EstateFindings:
    """Parts that are not there yet are None; a plan that waits for its successor stays, outdated."""

    answer: EstateAnswer | None = None
    ahead: Robust | None = None
    """One beginning for all futures."""
    reasons: Reasons | None = None
    progress: Progress | None = None
    """Progress of the running search for `answer`; None if none runs."""
    is_outdated: bool = False
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a part will not come, in a sentence, by the part's name."""


@dataclass(frozen=True, kw_only=True)
class TrainingDetail:
    """Parts that are not there yet are None; one that waits for its successor stays."""

    step: StepDetail | None = None
    scaling: ScalingCurve | None = None
    layouts: LayoutRanking | None = None
    fits: TrainingFits | None = None
    outdated: frozenset[str] = frozenset()
    """Names of parts that are of an earlier plan or candidate."""
    failures: Mapping[str, str] = field(default_factory=dict)
    """Why a part will not come, in a sentence, by the part's name."""


@dataclass(frozen=True, kw_only=True)
class LoadSimulation:
    """Parts that are not there yet are None."""

    candidate: int
    curve: SimulatedCurve | None = None
    fleet: FleetSizing | None = None
    readiness: Readiness | None = None
    arrangement: PoolArrangement | None = None
    search: SearchResult | None = None
    trace: TraceFigures | None = None
    """Recorded traffic that was simulated in place of the request classes."""


WORKLOADS: tuple[Workload, ...] = ("serving", "training")


@dataclass(frozen=True, kw_only=True)
class Results:
    """A scenario's plan, the candidate that is looked at, and the curves that were made for it."""

    project: Project
    scenario: Scenario
    plan: Plan
    catalog: Catalog
    selected: Mapping[str, int] = field(default_factory=dict)
    """Workload to index in its table; absent or negative: the best candidate."""
    pinned: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Workload to the candidates that plots show together with the selected one, in the order of pinning."""
    recommended: Mapping[str, int] = field(default_factory=dict)
    """Workload to the recommended candidate, where the plan is about another one that the planner chose."""
    load_curve: LoadCurve | None = None
    pinned_curves: Mapping[int, LoadCurve] = field(default_factory=dict)
    """Load curves of pinned serving candidates other than the selected one."""
    rooflines: Mapping[str, Roofline] = field(default_factory=dict)
    rivals: Mapping[str, tuple[RivalRoofline, ...]] = field(default_factory=dict)
    """Rivals of each workload with rooflines: the pinned candidates, else the best few others."""
    simulation: LoadSimulation | None = None
    """Simulation of the selected serving candidate; None before its first result."""
    training: TrainingDetail | None = None
    """One training candidate in depth, scaling, layouts and what fits, as far as they were asked for."""
    decision: Decision | None = None
    """Fleets, rent or buy, uncertainty and comparison, as far as they were asked for."""
    estate: EstateFindings | None = None
    """The project's workloads over the years, as far as they are planned."""

    @property
    def known(self) -> Decision:
        """Decision results so far; empty parts before the first of them."""
        return self.decision if self.decision is not None else Decision()

    @property
    def in_depth(self) -> TrainingDetail:
        """Training in depth so far; empty parts before the first of them."""
        return self.training if self.training is not None else TrainingDetail()

    def judged(self, workload: str) -> Verdict | None:
        """The engine's verdict on a workload, or on both together; None where it has none."""
        return None if self.plan.verdicts is None else getattr(self.plan.verdicts, workload)

    def answer(self, workload: str) -> ServingPlan | TrainingPlan | None:
        return self.plan.serving if workload == "serving" else self.plan.training

    def candidate(self, workload: str) -> int:
        """Index of the candidate that plots speak of: the selected one, else one that can run and the file names, else
        the best; -1 when there is none."""
        answer = self.answer(workload)
        if answer is None:
            return -1
        chosen = self.selected.get(workload, -1)
        if 0 <= chosen < len(answer.table.accelerator):
            return chosen
        key = self.scenario.chosen.get(workload, "")
        named = candidate_of_key(self.plan, workload, key) if key else -1
        return named if named >= 0 and answer.table.fits[named] else answer.best

    def of_recommended(self) -> Results:
        """The same, looked at for the best candidates, whatever is selected or named in the file."""
        best = {name: answer.best for name, answer in self.plan.answers.items()}
        return self if all(self.candidate(name) == row for name, row in best.items()) else replace(self, selected=best)

    @property
    def has_estate(self) -> bool:
        """Whether the project plans its workloads as one estate."""
        return self.project.estate is not None and bool(self.project.estate.workloads)

    def workloads(self) -> tuple[Workload, ...]:
        """Workloads that the plan answers."""
        return tuple(workload for workload in WORKLOADS if self.answer(workload) is not None)


def simulated_curve(results: Results) -> SimulatedCurve | None:
    """The simulated curve, if it is about the candidate that is looked at."""
    simulation = results.simulation
    if simulation is None or simulation.curve is None or simulation.candidate != results.candidate("serving"):
        return None
    return simulation.curve
