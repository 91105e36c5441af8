"""HiGHS solves the program of an estate: progress, bound and gap while it works, the best so far when it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.estate.check import Evaluation, evaluated
from gpuplanner_gui.engine.estate.problem import Decisions, Problem
from gpuplanner_gui.engine.estate.program import USD, Program, decisions_of, program_of, worth_of


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
    values: np.ndarray
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

    values: np.ndarray
    cost_usd: float
    bound_usd: float
    gap: float
    is_optimal: bool
    elapsed_s: float
    first_feasible_s: float


def solver_of(program: Program) -> object:
    """HiGHS with the program in it, silent."""
    import highspy

    solver = highspy.Highs()
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


def optimised(
    program: Program,
    problems: list[Problem],
    weights: list[float],
    *,
    gap: float,
    most_s: float,
    is_cancelled: Callable[[], bool] | None = None,
    watch: Watcher | None = None,
    start: np.ndarray | None = None,
) -> Answer:
    """Solve a program. The gap is of the cost alone, without the worth of what is served. Raises NoPlan."""
    import highspy

    solver = solver_of(program)
    begun = time.perf_counter()
    served = [
        (
            column,
            weights[int(key[0])] * worth_of(problems[int(key[0])])[problems[int(key[0])].loads[int(key[2])].priority],
        )  # type: ignore[call-overload]
        for key, column in program.column.items()
        if key[1] == "served"
    ]
    worths = [one for _, one in served]
    best = {"first": np.inf, "worth": 0.0, "cost": np.inf, "count": 0.0, "values": None}

    def improved(event: object) -> None:
        values = np.array(event.data_out.mip_solution)  # type: ignore[attr-defined]
        worth = sum(one for (column, one) in served if values[column] > 0.5)
        now = time.perf_counter() - begun
        if worth > float(best["worth"] or 0) + 0.5:  # type: ignore[arg-type]
            best["first"], best["worth"] = now, worth
        best["count"] = sum(values[column] > 0.5 for column, _ in served)
        best["cost"] = event.data_out.objective_function_value / USD + worth  # type: ignore[attr-defined]
        best["values"] = values
        tell(float(event.data_out.mip_dual_bound))  # type: ignore[attr-defined]

    def tell(bound: float) -> None:
        if watch is None:
            return
        cost = float(best["cost"])  # type: ignore[arg-type]
        low = bound / USD + float(best["worth"] or 0)  # type: ignore[arg-type]
        share = gap_of(cost, low)
        watch(Progress(time.perf_counter() - begun, cost, low, share, int(best["count"] or 0)))  # type: ignore[call-overload]

    def ask(event: object) -> None:
        is_over = time.perf_counter() - begun > most_s
        bound = float(event.data_out.mip_dual_bound)  # type: ignore[attr-defined]
        cost = float(best["cost"])  # type: ignore[arg-type]
        is_near = np.isfinite(cost) and gap_of(cost, bound / USD + float(best["worth"] or 0)) <= gap  # type: ignore[arg-type]
        if is_over or is_near or (is_cancelled is not None and is_cancelled()):
            event.interrupt()  # type: ignore[attr-defined]

    solver.cbMipImprovingSolution.subscribe(improved)  # type: ignore[attr-defined]
    solver.cbMipInterrupt.subscribe(ask)  # type: ignore[attr-defined]
    solver.cbMipLogging.subscribe(lambda event: tell(float(event.data_out.mip_dual_bound)))  # type: ignore[attr-defined]
    solver.setOptionValue("mip_rel_gap", 1e-6)  # type: ignore[attr-defined]
    solver.setOptionValue("time_limit", most_s)  # type: ignore[attr-defined]
    solver.setOptionValue("threads", 1)  # type: ignore[attr-defined]
    solver.setOptionValue("random_seed", 1)  # type: ignore[attr-defined]
    if start is not None:
        given = highspy.HighsSolution()
        given.col_value = list(start)
        solver.setSolution(given)  # type: ignore[attr-defined]
    solver.run()  # type: ignore[attr-defined]
    information = solver.getInfo()  # type: ignore[attr-defined]
    values = np.array(solver.getSolution().col_value)  # type: ignore[attr-defined]
    if not len(values) or information.primal_solution_status != 2:
        raise NoPlan
    worth = sum(one for (column, one) in served if values[column] > 0.5)
    cost = information.objective_function_value / USD + worth
    bound = information.mip_dual_bound / USD + worth
    share = gap_of(cost, bound)
    first = float(best["first"])  # type: ignore[arg-type]
    elapsed = time.perf_counter() - begun
    return Answer(values, cost, bound, share, share <= gap + 1e-12, elapsed, min(first, elapsed))


def gap_of(cost_usd: float, bound_usd: float) -> float:
    """How much cheaper the best could be at most, as a share of the cost."""
    if not np.isfinite(cost_usd) or not np.isfinite(bound_usd):
        return float("inf")
    return max(0.0, (cost_usd - bound_usd) / max(abs(cost_usd), 1.0))
