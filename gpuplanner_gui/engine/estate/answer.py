"""The estate of a project, planned: the door for the command line, reports and the window.

In several futures of demand and price: first orders that serve them all, and what each would regret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.estate import MONTHS_OF, Estate
from gpuplanner_gui.domain.knowledge import Calibration
from gpuplanner_gui.domain.plan import Plan
from gpuplanner_gui.domain.scenario import Project, Scenario
from gpuplanner_gui.engine.estate.building import problem_of
from gpuplanner_gui.engine.estate.check import Evaluation, evaluated
from gpuplanner_gui.engine.estate.problem import Decisions, Option, ProgramInputs, options_of
from gpuplanner_gui.engine.estate.program import Program, decisions_of, program_of
from gpuplanner_gui.engine.estate.solve import Found, NoPlan, Watcher, optimised, solved
from gpuplanner_gui.engine.planning import plan


@dataclass(frozen=True)
class InFuture:
    """One future under the common first orders, and as it would have been with foresight."""

    name: str
    probability: float
    decisions: Decisions
    evaluation: Evaluation
    alone: Found
    """Planned for this future alone."""

    @property
    def regret_usd(self) -> float:
        """What the common first orders cost this future; 0 at least but for the gap of either search."""
        return self.evaluation.present_value_usd - self.alone.evaluation.present_value_usd


@dataclass(frozen=True)
class FirstOrder:
    """Units to order in the first period, and how many each future would order alone."""

    kind: str
    pool: int
    hardware: int
    units: int
    alone: tuple[int, ...]

    @property
    def can_wait(self) -> bool:
        """Some futures would order more now than the common plan does."""
        return max(self.alone) > self.units


@dataclass(frozen=True)
class Robust:
    """The common first orders and what follows in each future."""

    futures: tuple[InFuture, ...]
    orders: tuple[FirstOrder, ...]
    expected_usd: float
    gap: float


def robust(
    estate: Estate,
    options: Mapping[tuple[str, str], tuple[Option, ...]],
    *,
    gap: float = 0.01,
    most_s: float = 20.0,
    is_cancelled: Callable[[], bool] | None = None,
) -> Robust:
    """Plan each future alone and all together; `most_s` for each search. Raises NoPlan, ValueError without futures."""
    if not estate.futures:
        raise ValueError("the estate names no future")
    looks: dict[str, Any] = {"gap": gap, "most_s": most_s, "is_cancelled": is_cancelled}
    problems = [problem_of(estate, options, future) for future in estate.futures]
    whole = sum(one.probability for one in estate.futures)
    weights = [one.probability / whole for one in estate.futures]
    alone = [solved(problem, **looks) for problem in problems]
    program = program_of(problems, weights)
    near = _together(program, problems, alone)
    answer = optimised(program, problems, weights, near=near, **looks)
    found = []
    for index, (future, problem) in enumerate(zip(estate.futures, problems, strict=True)):
        made = decisions_of(program, answer.values, problem, index)
        if not answer.is_optimal:
            made = _after(problem, made, alone[index], looks)
        found.append(InFuture(future.name, weights[index], made, evaluated(problem, made), alone[index]))
    expected = sum(one.probability * one.evaluation.present_value_usd for one in found)
    return Robust(tuple(found), _first_orders(problems[0], found), expected, answer.gap)


def _together(program: Program, problems: list[ProgramInputs], alone: list[Found]) -> Floats:
    """Where each future would go alone, as values of the common program's columns."""
    columns = [program_of([problem], [1.0]).column for problem in problems]
    near = np.zeros(len(program.costs))
    for (future, *place), column in program.column.items():
        if future >= 0:
            near[column] = alone[future].values[columns[future][(0, *place)]]
    return near


def _after(problem: ProgramInputs, common: Decisions, alone: Found, looks: dict[str, Any]) -> Decisions:
    """The cheaper of what the common search found for a future and of a search of its own after the first orders."""
    program = program_of([problem], [1.0])
    for pool, hardware in np.ndindex(common.bought.shape[:2]):
        program.fix((-1, "buy", pool, hardware, 0), float(common.bought[pool, hardware, 0]))
        for term in range(len(problem.units[hardware].reservations)):
            signed = common.reserved[pool, hardware, term][0]
            program.fix((-1, "reserve", pool, hardware, term, 0), float(signed))
    try:
        answer = optimised(program, [problem], [1.0], near=alone.values, **looks)
    except NoPlan:
        return common
    own = decisions_of(program, answer.values, problem)
    both = [(evaluated(problem, one), one) for one in (common, own)]
    return min(both, key=lambda pair: (len(pair[0].unserved), pair[0].present_value_usd))[1]


def _first_orders(problem: ProgramInputs, futures: list[InFuture]) -> tuple[FirstOrder, ...]:
    orders = []
    for pool in range(len(problem.pools)):
        for hardware, unit in enumerate(problem.units):
            made = [("buy", [int(one.bought[pool, hardware, 0]) for one in _all(futures)])]
            for term in range(len(unit.reservations)):
                signed = [int(one.reserved[pool, hardware, term][0]) for one in _all(futures)]
                made.append(("reserve", signed))
            orders += [
                FirstOrder(kind, pool, hardware, units[0], tuple(units[1:])) for kind, units in made if any(units)
            ]
    return tuple(orders)


def _all(futures: list[InFuture]) -> list[Decisions]:
    return [futures[0].decisions, *(one.alone.decisions for one in futures)]


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
    project: Project, catalog: Catalog, calibration: Calibration
) -> dict[tuple[str, str], tuple[Option, ...]]:
    """Plans every scenario of the estate and takes its candidates. Raises MissingWorkloadsError."""
    assert project.estate is not None
    plans = {one.name: plan(one, catalog, calibration) for one in scenarios_of(project)}
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
