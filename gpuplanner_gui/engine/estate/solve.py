"""HiGHS solves the program of an estate: progress, bound and gap while it works, the best so far when it is stopped."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.engine.estate.check import Evaluation, evaluated
from gpuplanner_gui.engine.estate.problem import Decisions, Floats, Problem
from gpuplanner_gui.engine.estate.program import USD, Program, decisions_of, program_of, worth_of

TIGHTEST = 1e-6
"""Gap of a plan that counts as the best."""
FEASIBLE = 2
"""The solver's word for a solution that keeps every row."""


@dataclass(frozen=True)
class Progress:
    """Where the search stands. Money is the present value. [USD]"""

    elapsed_s: float
    cost_usd: float
    """Of the best so far; infinite before there is one."""
    bound_usd: float
    """No plan costs less."""
    gap: float
    served: int = 0
    """Workloads that the best so far serves."""


@dataclass(frozen=True)
class Found:
    """The best decisions that were found, how good they can be at most, and what they come to."""

    decisions: Decisions
    evaluation: Evaluation
    bound_usd: float
    gap: float
    is_optimal: bool
    """Within the gap that was asked for."""
    elapsed_s: float
    first_feasible_s: float
    """When the first plan that serves as many workloads as the last was there."""
    values: Floats
    """Of the program's columns, for a start that is warm."""


class NoPlan(Exception):
    """No decisions were found: pins contradict each other, or the search was stopped before the first."""


Watcher = Callable[[Progress], None]


def solved(
    problem: Problem,
    *,
    gap: float = 0.01,
    most_s: float = 20.0,
    is_cancelled: Callable[[], bool] | None = None,
    watch: Watcher | None = None,
) -> Found:
    """The cheapest decisions. Raises NoPlan."""
    program = program_of([problem], [1.0])
    answer = optimised(program, [problem], [1.0], gap=gap, most_s=most_s, is_cancelled=is_cancelled, watch=watch)
    decisions = decisions_of(program, answer.values, problem)
    checked = evaluated(problem, decisions)
    return Found(
        decisions, checked, answer.bound_usd, answer.gap, answer.is_optimal, answer.elapsed_s,
        answer.first_feasible_s, answer.values,
    )  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """What the solver says of a program."""

    values: Floats
    cost_usd: float
    bound_usd: float
    gap: float
    is_optimal: bool
    elapsed_s: float
    first_feasible_s: float


def solver_of(program: Program) -> Any:
    """HiGHS with the program in it, silent."""
    import highspy

    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    starts, index, value = [0], [], []
    for _, _, terms in program.rows:
        for column, one in terms:
            index.append(column)
            value.append(one)
        starts.append(len(index))
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = len(program.costs), len(program.rows)
    model.col_cost_ = np.array(program.costs)
    model.col_lower_, model.col_upper_ = np.array(program.lower), np.array(program.upper)
    model.row_lower_ = np.array([low for low, _, _ in program.rows])
    model.row_upper_ = np.array([high for _, high, _ in program.rows])
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_ = np.array(starts), np.array(index)
    model.a_matrix_.value_ = np.array(value, float)
    kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
    model.integrality_ = [kinds[int(one)] for one in program.is_whole]
    solver.passModel(model)
    return solver


class _Search:
    """The best so far while the solver works; its callbacks look, tell and stop."""

    def __init__(self, program: Program, worth_of_column: dict[int, float], begun: float) -> None:
        self.begun = begun
        self.first_s = self.cost_usd = math.inf
        self.worth_usd, self.served = 0.0, 0
        self.worth_of = worth_of_column
        self.all_served = [column for key, column in program.column.items() if key[1] == "served"]

    @property
    def elapsed_s(self) -> float:
        return time.perf_counter() - self.begun

    def worth(self, values: Floats) -> float:
        """What the workloads that are served are worth; 0 where all must be. [USD]"""
        return sum(worth for column, worth in self.worth_of.items() if values[column] > 0.5)

    def improve(self, values: Floats, objective: float) -> None:
        worth = self.worth(values)
        if worth > self.worth_usd + 0.5 or math.isinf(self.first_s):
            self.first_s, self.worth_usd = self.elapsed_s, worth
        self.served = sum(values[column] > 0.5 for column in self.all_served)
        self.cost_usd = objective / USD + worth

    def progress(self, bound: float) -> Progress:
        low = bound / USD + self.worth_usd
        return Progress(self.elapsed_s, self.cost_usd, low, gap_of(self.cost_usd, low), self.served)


def optimised(
    program: Program,
    problems: Sequence[Problem],
    weights: Sequence[float],
    *,
    gap: float,
    most_s: float,
    is_cancelled: Callable[[], bool] | None = None,
    watch: Watcher | None = None,
) -> Answer:
    """Solve a program: all workloads served if limits allow it, else those of the first priorities. Raises NoPlan.

    The gap is of the cost alone.
    """
    begun = time.perf_counter()
    served = {key: column for key, column in program.column.items() if key[1] == "served"}
    looks = (gap, most_s, is_cancelled, watch)
    for column in served.values():
        program.lower[column] = 1.0
    answer = _searched(program, _Search(program, {}, begun), *looks)
    if answer is not None:
        return answer
    worths = [worth_of(one) for one in problems]
    worth_of_column = {}
    for (future, _, load), column in served.items():
        program.lower[column] = 0.0
        worth_of_column[column] = weights[future] * worths[future][problems[future].loads[load].priority]
        program.costs[column] -= worth_of_column[column] * USD
    answer = _searched(program, _Search(program, worth_of_column, begun), *looks)
    if answer is None:
        raise NoPlan
    return answer


def _searched(
    program: Program,
    search: _Search,
    gap: float,
    most_s: float,
    is_cancelled: Callable[[], bool] | None,
    watch: Watcher | None,
) -> Answer | None:
    """Run the solver with callbacks; None where it found nothing."""
    solver = solver_of(program)

    def tell(event: Any) -> None:
        if watch is not None:
            watch(search.progress(float(event.data_out.mip_dual_bound)))

    def improved(event: Any) -> None:
        search.improve(np.array(event.data_out.mip_solution), float(event.data_out.objective_function_value))
        tell(event)

    def ask(event: Any) -> None:
        is_near = search.progress(float(event.data_out.mip_dual_bound)).gap <= gap
        if is_near or search.elapsed_s > most_s or (is_cancelled is not None and is_cancelled()):
            event.interrupt()

    solver.cbMipImprovingSolution.subscribe(improved)
    solver.cbMipInterrupt.subscribe(ask)
    solver.cbMipLogging.subscribe(tell)
    rest = max(most_s - search.elapsed_s, 0.0)
    for name, value in (("mip_rel_gap", TIGHTEST), ("time_limit", rest), ("threads", 1), ("random_seed", 1)):
        solver.setOptionValue(name, value)
    solver.run()
    information = solver.getInfo()
    values = np.array(solver.getSolution().col_value)
    if not len(values) or information.primal_solution_status != FEASIBLE:
        return None
    worth = search.worth(values)
    cost, bound = (one / USD + worth for one in (information.objective_function_value, information.mip_dual_bound))
    share, elapsed = gap_of(cost, bound), search.elapsed_s
    return Answer(values, cost, bound, share, share <= max(gap, TIGHTEST), elapsed, min(search.first_s, elapsed))


def gap_of(cost_usd: float, bound_usd: float) -> float:
    """How much cheaper the best could be at most, as a share of the cost."""
    if not math.isfinite(cost_usd) or not math.isfinite(bound_usd):
        return math.inf
    return max(0.0, (cost_usd - bound_usd) / max(abs(cost_usd), 1.0))
