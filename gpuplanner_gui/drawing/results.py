"""One scenario's answer with what is needed to draw it: the same for window, report and command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gpuplanner_gui.domain.curves import LoadCurve, Roofline
from gpuplanner_gui.domain.measurement import Workload
from gpuplanner_gui.domain.plan import Plan, ServingPlan, TrainingPlan
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.domain.training_results import LayoutRanking, ScalingCurve, StepDetail, TrainingFits

if TYPE_CHECKING:
    from gpuplanner_gui.domain.catalog import Catalog
    from gpuplanner_gui.domain.load_result import FleetSizing, PoolArrangement, Readiness, SearchResult, SimulatedCurve
    from gpuplanner_gui.domain.traffic_figures import TraceFigures
    from gpuplanner_gui.drawing.decision import Decision
    from gpuplanner_gui.drawing.estate import EstateFindings
    from gpuplanner_gui.drawing.rivals import Rival


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
    rivals: Mapping[str, tuple[Rival, ...]] = field(default_factory=dict)
    """By workload: the pinned candidates, else the best few others, with their rooflines."""
    simulation: LoadSimulation | None = None
    """What has been simulated for the serving candidate that is looked at; None before the first of it."""
    training: TrainingDetail | None = None
    """One training candidate in depth, scaling, layouts and what fits, as far as they were asked for."""
    decision: Decision | None = None
    """Fleets, rent or buy, uncertainty and comparison, as far as they were asked for."""
    estate: EstateFindings | None = None
    """The project's workloads over the years, as far as they are planned."""

    def answer(self, workload: str) -> ServingPlan | TrainingPlan | None:
        return self.plan.serving if workload == "serving" else self.plan.training

    def candidate(self, workload: str) -> int:
        """Index of the candidate that plots speak of; -1 when there is none."""
        answer = self.answer(workload)
        if answer is None:
            return -1
        chosen = self.selected.get(workload, -1)
        if 0 <= chosen < len(answer.table.accelerator):
            return chosen
        return answer.best

    def workloads(self) -> tuple[Workload, ...]:
        """Those that the plan answers."""
        return tuple(workload for workload in WORKLOADS if self.answer(workload) is not None)
