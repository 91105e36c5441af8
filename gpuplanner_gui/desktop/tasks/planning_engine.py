"""What the compute thread calls: the engine, with the catalogue and the calibration that it works on.

Imports numpy, so it is imported by the compute thread and not by the window's shell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from gpuplanner_gui.domain.catalog import Catalog, CatalogSnapshot, merged_with_snapshot
from gpuplanner_gui.domain.curves import LoadCurve, Roofline
from gpuplanner_gui.domain.method import ExplainedValue
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.domain.knowledge import Calibration
    from gpuplanner_gui.domain.load_result import FleetSizing, PoolArrangement, Readiness, SearchResult, SimulatedCurve
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.drawing.results import Results


IsCancelled = Callable[[], bool]


class ShippedEngine:
    """The engine with the catalogue and calibration that ship with the program, and the user's own entries."""

    def __init__(self) -> None:
        # Loaded here, on the compute thread, so that the first question does not wait for them.
        from gpuplanner_gui import engine
        from gpuplanner_gui.files.catalogs import load_catalog, load_shipped_catalog
        from gpuplanner_gui.files.knowledge import load_calibration

        self._engine, self._plan = engine, engine.plan  # The package loads its rooms when they are named.
        self.catalog_problem: FileProblem | None = None
        """Why the planner's own catalogue entries are left out; None when they are in."""
        try:
            self.catalog: Catalog = load_catalog()
        except FileProblem as problem:
            # The planner's own entries are at fault; without them the program still plans.
            self.catalog_problem = problem
            self.catalog = load_shipped_catalog()
        self.calibration = load_calibration()
        self._merged: tuple[CatalogSnapshot, Catalog] = (CatalogSnapshot(), self.catalog)

    def catalog_of(self, project: Project) -> Catalog:
        """The catalogue with the figures that the project carries along over it."""
        if project.catalog == CatalogSnapshot():
            return self.catalog
        if self._merged[0] is not project.catalog:
            self._merged = (project.catalog, merged_with_snapshot(self.catalog, project.catalog))
        return self._merged[1]

    def calibration_of(self, project: Project) -> Calibration:
        """The shipped calibration with what the project's own measurements add."""
        from gpuplanner_gui.files.knowledge import calibrated_by

        return calibrated_by(project.measurements, self.catalog_of(project), self.calibration)

    def _known(self, project: Project) -> tuple[Catalog, Calibration]:
        return self.catalog_of(project), self.calibration_of(project)

    def plan(self, project: Project, scenario: Scenario, is_cancelled: IsCancelled) -> Plan:
        return self._plan(scenario, *self._known(project), seed=project.seed, is_cancelled=is_cancelled)

    def plan_with_own_figures(self, project: Project, scenario: Scenario, is_cancelled: IsCancelled) -> Plan:
        """The plan, simulated, with this installation's figures in place of those that the project brings."""
        from gpuplanner_gui.drawing.carried import with_own_figures
        from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan
        from gpuplanner_gui.files.knowledge import calibrated_by

        own = with_own_figures(project, self.catalog)
        catalog = merged_with_snapshot(self.catalog, own.catalog)
        asked = own.scenarios[project.scenarios.index(scenario)]
        calibration = calibrated_by(project.measurements, catalog, self.calibration)
        quick = self._plan(asked, catalog, calibration, seed=project.seed, is_cancelled=is_cancelled)
        return simulated_plan(asked, catalog, calibration, quick, project.seed, is_cancelled)

    def simulated_plan(self, project: Project, scenario: Scenario, plan: Plan, is_cancelled: IsCancelled) -> Plan:
        """The plan with its recommended serving fleet simulated, and its replicas corrected; may be the same object."""
        from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan

        return simulated_plan(scenario, *self._known(project), plan, project.seed, is_cancelled)

    def load_curve(
        self, project: Project, scenario: Scenario, plan: Plan, candidate: int, is_cancelled: IsCancelled
    ) -> LoadCurve:
        return self._engine.load_curve(scenario, *self._known(project), plan, candidate, is_cancelled=is_cancelled)

    def rooflines(
        self, project: Project, scenario: Scenario, plan: Plan, workload: str, candidates: Sequence[int]
    ) -> tuple[Roofline, ...]:
        return self._engine.rooflines(scenario, *self._known(project), plan, workload, candidates)

    def explain(
        self, project: Project, scenario: Scenario, plan: Plan, workload: str, candidate: int, quantity: str
    ) -> ExplainedValue:
        return self._engine.explain(scenario, *self._known(project), plan, workload, candidate, quantity)

    def explain_number(self, results: Results, stage: str, place: str) -> ExplainedValue:
        """The explanation of a number on screen: formula and inputs."""
        from gpuplanner_gui.drawing.explained_numbers import explained_number

        return explained_number(results, self.calibration_of(results.project), stage, place)

    def stamped(self, project: Project, plans: Mapping[str, Plan]) -> Project:
        """The project with a snapshot of what it uses, digests and headline results, as it is saved."""
        from gpuplanner_gui.files.project import with_snapshot

        stamped = with_snapshot(project, *self._known(project), plans)
        # JSON has no NaN: the cost of a device without a price must not make the file unreadable.
        known = tuple(headline for headline in stamped.headlines if math.isfinite(headline.value))
        return msgspec.structs.replace(stamped, headlines=known)

    def simulated_curves(
        self, results: Results, trace: Trace | None, is_cancelled: IsCancelled
    ) -> Iterator[tuple[SimulatedCurve, float]]:
        """Load curves of the candidate on screen, ever more exact, each with the share of the work that is done."""
        from gpuplanner_gui.engine.simulation.candidate_load import simulated_curves
        from gpuplanner_gui.engine.simulation.curve import FINE_POINTS

        closed_form = results.load_curve if trace is None else None
        curves = simulated_curves(
            *self._subject(results), closed_form, trace=trace, seed=_seed(results), is_cancelled=is_cancelled,
        )  # fmt: skip
        for curve in curves:
            yield curve, len(curve.rates_per_s) / (FINE_POINTS + 1)

    def _subject(self, results: Results) -> tuple[Scenario, Catalog, Calibration, Plan, int]:
        """What a simulation is of: the candidate on screen, with all that its figures come from."""
        known = self.calibration_of(results.project)
        return results.scenario, results.catalog, known, results.plan, results.candidate("serving")

    def fleet_sizing(self, results: Results, curve: SimulatedCurve | None) -> FleetSizing:
        from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing

        return fleet_sizing(results.scenario, results.plan, results.candidate("serving"), curve)

    def readiness(
        self, results: Results, fleet: FleetSizing, trace: Trace | None, is_cancelled: IsCancelled
    ) -> Iterator[tuple[Readiness, float]]:
        """Stress tests of the fleet on screen, one more in every answer."""
        from gpuplanner_gui.engine.fleet.readiness import readiness

        answers = readiness(
            *self._subject(results), replica_start_s=fleet.start.total_s, trace=trace, seed=_seed(results),
            is_cancelled=is_cancelled,
        )  # fmt: skip
        for found in answers:
            yield found, 1.0 if found.is_complete else (len(found.tests) + 1) / _USUAL_TESTS

    def pool_arrangement(self, results: Results, is_cancelled: IsCancelled) -> PoolArrangement | None:
        from gpuplanner_gui.engine.simulation.arrangement import pool_arrangement

        return pool_arrangement(*self._subject(results), seed=_seed(results), is_cancelled=is_cancelled)

    def slo_search(
        self,
        results: Results,
        trace: Trace | None,
        is_cancelled: IsCancelled,
        on_progress: Callable[[float], None],
    ) -> SearchResult:
        from gpuplanner_gui.engine.fleet.slo_search import slo_search

        return slo_search(
            results.scenario, results.catalog, self.calibration_of(results.project), results.plan, trace=trace,
            seed=_seed(results),
            is_cancelled=is_cancelled, on_progress=on_progress,
        )  # fmt: skip


_USUAL_TESTS = 8


def _seed(results: Results) -> int:
    return results.project.seed % 2**32
