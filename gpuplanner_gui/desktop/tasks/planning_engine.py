"""What the compute thread calls: the engine, with the catalogue and the calibration that it works on.

Imports numpy, so it is imported by the compute thread and not by the window's shell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from gpuplanner_gui.domain.catalog import Catalog, CatalogSnapshot, merged_with_snapshot
from gpuplanner_gui.domain.curves import LoadCurve, Roofline
from gpuplanner_gui.domain.plan import ExplainedValue, Plan, TrainingTable, column
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.files.errors import FileProblem

if TYPE_CHECKING:
    from gpuplanner_gui.domain.knowledge import Calibration
    from gpuplanner_gui.domain.load_result import FleetSizing, PoolArrangement, Readiness, SearchResult, SimulatedCurve
    from gpuplanner_gui.domain.trace import Trace
    from gpuplanner_gui.drawing.results import Results


_IDENTITY = {
    "serving": ("tensor_parallel", "pipeline_parallel"),
    "training": (
        "devices", "tensor_parallel", "pipeline_parallel", "data_parallel", "context_parallel", "expert_parallel",
        "zero_stage", "micro_batch", "recompute", "virtual_stages",
        "sharding_group", "offload",
    ),
}  # fmt: skip
_GROUPS = ("attention_data_parallel", "expert_parallel")
"""Of a serving candidate; its key ends before them where both are 1."""
_POOLS = (
    "prefill_tensor_parallel", "prefill_data_parallel", "prefill_expert_parallel", "prefill_workers", "decode_workers",
)  # fmt: skip
"""Likewise, of separate pools; it ends before them where there are none."""
_PRECISIONS = {"serving": ("weight_precision", "kv_precision"), "training": ()}


def candidate_key(plan: Plan, workload: str, candidate: int) -> str:
    """A readable key: accelerator, precisions, layout. Raises IndexError for a candidate that the plan lacks."""
    table = _table(plan, workload)
    parts = [plan.accelerators[int(table.accelerator[candidate])]]
    parts += [plan.precisions[int(column(table, name)[candidate])] for name in _PRECISIONS[workload]]
    parts += [str(int(column(table, name)[candidate])) for name in _IDENTITY[workload]]
    if workload != "serving":
        return "/".join(parts)
    groups, pools = ([int(column(table, name)[candidate]) for name in names] for names in (_GROUPS, _POOLS))
    if any(pools):
        return "/".join([*parts, *map(str, (*groups, *pools))])
    return "/".join([*parts, *map(str, groups)] if any(size > 1 for size in groups) else parts)


def training_key(accelerator_id: str, table: TrainingTable, candidate: int) -> str:
    """The key of a layout that may stand in another plan than the table's."""
    return "/".join([accelerator_id, *(str(int(column(table, name)[candidate])) for name in _IDENTITY["training"])])


def candidate_of_key(plan: Plan, workload: str, key: str) -> int:
    """Index of the candidate with that key; -1 if the plan has none, or no answer for the workload."""
    answer = plan.serving if workload == "serving" else plan.training
    names, identity = _PRECISIONS[workload], _IDENTITY[workload]
    parts = key.split("/")
    if workload == "serving":
        identity = (*identity, *_GROUPS, *_POOLS)
        parts += ["1"] * len(_GROUPS) if len(parts) == 1 + len(names) + len(_IDENTITY[workload]) else []
        parts += ["0"] * len(_POOLS) if len(parts) == 1 + len(names) + len(identity) - len(_POOLS) else []
    if answer is None or len(parts) != 1 + len(names) + len(identity) or parts[0] not in plan.accelerators:
        return -1
    table = answer.table
    matches = table.accelerator == plan.accelerators.index(parts[0])
    for name, code in zip(names, parts[1:], strict=False):
        if code not in plan.precisions:
            return -1
        matches &= column(table, name) == plan.precisions.index(code)
    for name, number in zip(identity, parts[1 + len(names) :], strict=True):
        if not number.lstrip("-").isdigit():
            return -1
        matches &= column(table, name) == int(number)
    found = np.flatnonzero(matches)
    return int(found[0]) if len(found) else -1


def _table(plan: Plan, workload: str):  # type: ignore[no-untyped-def]
    answer = plan.serving if workload == "serving" else plan.training
    if answer is None:
        raise IndexError(workload)
    return answer.table


IsCancelled = Callable[[], bool]


class ShippedEngine:
    """The engine with the catalogue and calibration that ship with the program, and the user's own entries."""

    def __init__(self) -> None:
        # Loaded here, on the compute thread, so that the first question does not wait for them.
        from gpuplanner_gui import engine
        from gpuplanner_gui.files.catalogs import load_catalog, load_shipped_catalog
        from gpuplanner_gui.files.knowledge import load_calibration

        self._engine = engine
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

    def plan(self, project: Project, scenario: Scenario, is_cancelled: IsCancelled) -> Plan:
        catalog, calibration = self.catalog_of(project), self.calibration_of(project)
        return self._engine.plan(scenario, catalog, calibration, seed=project.seed, is_cancelled=is_cancelled)

    def plan_with_own_figures(self, project: Project, scenario: Scenario, is_cancelled: IsCancelled) -> Plan:
        """What would come out without the figures that the project brings and this installation has otherwise."""
        from gpuplanner_gui.drawing.carried import with_own_figures
        from gpuplanner_gui.files.knowledge import calibrated_by

        own = with_own_figures(project, self.catalog)
        catalog = merged_with_snapshot(self.catalog, own.catalog)
        asked = own.scenarios[project.scenarios.index(scenario)]
        calibration = calibrated_by(project.measurements, catalog, self.calibration)
        return self._engine.plan(asked, catalog, calibration, seed=project.seed, is_cancelled=is_cancelled)

    def simulated_plan(self, project: Project, scenario: Scenario, plan: Plan, is_cancelled: IsCancelled) -> Plan:
        """The plan with its recommended serving fleet simulated, and its replicas corrected; may be the same object."""
        from gpuplanner_gui.engine.simulation.fleet_check import simulated_plan

        catalog, calibration = self.catalog_of(project), self.calibration_of(project)
        return simulated_plan(scenario, catalog, calibration, plan, project.seed, is_cancelled)

    def load_curve(
        self, project: Project, scenario: Scenario, plan: Plan, candidate: int, is_cancelled: IsCancelled
    ) -> LoadCurve:
        catalog, calibration = self.catalog_of(project), self.calibration_of(project)
        return self._engine.load_curve(scenario, catalog, calibration, plan, candidate, is_cancelled=is_cancelled)

    def rooflines(
        self, project: Project, scenario: Scenario, plan: Plan, workload: str, candidates: Sequence[int]
    ) -> tuple[Roofline, ...]:
        catalog, calibration = self.catalog_of(project), self.calibration_of(project)
        return self._engine.rooflines(scenario, catalog, calibration, plan, workload, candidates)

    def explain(
        self, project: Project, scenario: Scenario, plan: Plan, workload: str, candidate: int, quantity: str
    ) -> ExplainedValue:
        catalog, calibration = self.catalog_of(project), self.calibration_of(project)
        return self._engine.explain(scenario, catalog, calibration, plan, workload, candidate, quantity)

    def explain_number(self, results: Results, stage: str, place: str) -> ExplainedValue:
        """Where a number of an answer on screen comes from."""
        from gpuplanner_gui.drawing.explained_numbers import explained_number

        return explained_number(results, self.calibration_of(results.project), stage, place)

    def stamped(self, project: Project, plans: Mapping[str, Plan]) -> Project:
        """The project with a snapshot of what it uses, digests and headline results, as it is saved."""
        from gpuplanner_gui.files.project import with_snapshot

        stamped = with_snapshot(project, self.catalog_of(project), self.calibration_of(project), plans)
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
            results.scenario, results.catalog, self.calibration_of(results.project), results.plan,
            results.candidate("serving"),
            closed_form, trace=trace, seed=_seed(results), is_cancelled=is_cancelled,
        )  # fmt: skip
        for curve in curves:
            yield curve, len(curve.rates_per_s) / (FINE_POINTS + 1)

    def fleet_sizing(self, results: Results, curve: SimulatedCurve | None) -> FleetSizing:
        from gpuplanner_gui.engine.fleet.fleet_sizing import fleet_sizing

        return fleet_sizing(results.scenario, results.plan, results.candidate("serving"), curve)

    def readiness(
        self, results: Results, fleet: FleetSizing, trace: Trace | None, is_cancelled: IsCancelled
    ) -> Iterator[tuple[Readiness, float]]:
        """Stress tests of the fleet on screen, one more in every answer."""
        from gpuplanner_gui.engine.fleet.readiness import readiness

        answers = readiness(
            results.scenario, results.catalog, self.calibration_of(results.project), results.plan,
            results.candidate("serving"),
            replica_start_s=fleet.start.total_s, trace=trace, seed=_seed(results), is_cancelled=is_cancelled,
        )  # fmt: skip
        for found in answers:
            yield found, 1.0 if found.is_complete else (len(found.tests) + 1) / _USUAL_TESTS

    def pool_arrangement(self, results: Results, is_cancelled: IsCancelled) -> PoolArrangement | None:
        from gpuplanner_gui.engine.simulation.arrangement import pool_arrangement

        return pool_arrangement(
            results.scenario, results.catalog, self.calibration_of(results.project), results.plan,
            results.candidate("serving"),
            seed=_seed(results), is_cancelled=is_cancelled,
        )  # fmt: skip

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
