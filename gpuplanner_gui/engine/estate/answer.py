"""The estate of a project, planned: the door for the command line, reports and the window."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.estate import MONTHS_OF, Estate
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.engine.estate.building import problem_of
from gpuplanner_gui.engine.estate.problem import Option, ProgramInputs, options_of
from gpuplanner_gui.engine.estate.solve import Found, Watcher, solved
from gpuplanner_gui.engine.planning import plan


class MissingWorkloadsError(ValueError):
    """The estate names workloads that no scenario of the project plans."""

    def __init__(self, workloads: Sequence[tuple[str, str]]) -> None:
        super().__init__(", ".join(f"{scenario}: {part}" for scenario, part in workloads))
        self.workloads = tuple(workloads)


@dataclass(frozen=True)
class EstateAnswer:
    """The numbers of an estate and the best decisions that were found."""

    estate: Estate
    problem: ProgramInputs
    found: Found

    @property
    def months_per_period(self) -> int:
        return MONTHS_OF[self.estate.period]


def workload_options(
    project: Project, catalog: Catalog, calibration: Calibration, is_cancelled: Callable[[], bool] | None = None
) -> dict[tuple[str, str], tuple[Option, ...]]:
    """Plans every scenario of the estate and takes its candidates. Raises CancelledError, MissingWorkloadsError."""
    assert project.estate is not None
    plans = {one.name: plan(one, catalog, calibration, is_cancelled=is_cancelled) for one in scenarios_of(project)}
    return options_of_plans(project.estate, scenarios_of(project), plans)


def scenarios_of(project: Project) -> tuple[Scenario, ...]:
    """The scenarios that a project's estate names."""
    named = {load.scenario for load in project.estate.workloads} if project.estate is not None else set()
    return tuple(one for one in project.scenarios if one.name in named)


def options_of_plans(
    estate: Estate, scenarios: Iterable[Scenario], plans: Mapping[str, Plan]
) -> dict[tuple[str, str], tuple[Option, ...]]:
    """Candidates on the estate's hardware by scenario and part. Raises MissingWorkloadsError."""
    accelerators, known = frozenset(one.accelerator for one in estate.hardware), {one.name: one for one in scenarios}
    most, asked = estate.options_per_workload, dict.fromkeys((one.scenario, one.part) for one in estate.workloads)
    if missing := [(name, part) for name, part in asked if getattr(known.get(name), part, None) is None]:
        raise MissingWorkloadsError(missing)
    return {(name, part): options_of(known[name], plans[name], part, accelerators, most) for name, part in asked}


def planned_estate(
    estate: Estate,
    options: Mapping[tuple[str, str], tuple[Option, ...]],
    *,
    gap: float = 0.01,
    most_s: float = 20.0,
    is_cancelled: Callable[[], bool] | None = None,
    watch: Watcher | None = None,
    before: EstateAnswer | None = None,
) -> EstateAnswer:
    """The cheapest decisions for an estate, from those of a search `before` on. Raises NoPlan."""
    problem = problem_of(estate, options)
    near = before.found.values if before is not None else None
    found = solved(problem, gap=gap, most_s=most_s, is_cancelled=is_cancelled, watch=watch, near=near)
    return EstateAnswer(estate, problem, found)
