"""HiGHS at work on a program: the one place that speaks with the solver."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.estate.program import Program

TIGHTEST = 1e-6
"""Gap of a plan that counts as the best."""
FEASIBLE = 2
"""The solver's word for a solution that keeps every row."""


@dataclass(frozen=True)
class Outcome:
    """What the solver found, in the program's unit of money."""

    values: Floats | None
    objective: float
    bound: float


def solver_of(program: Program, *, is_relaxed: bool = False) -> Any:
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
    if not is_relaxed:
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        model.integrality_ = [kinds[int(one)] for one in program.is_whole]
    solver.passModel(model)
    return solver


@dataclass(frozen=True)
class Optimum:
    """The optimum of a program without whole numbers."""

    values: Floats
    bound: float
    row_duals: Floats


def optimum(solver: Any) -> Optimum | None:
    """What a solver holds after it ran; None where it has no optimum."""
    import highspy

    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    solution = solver.getSolution()
    bound = float(solver.getInfo().objective_function_value)
    return Optimum(np.array(solution.col_value), bound, np.array(solution.row_dual))


def minimised(
    program: Program,
    *,
    most_s: float,
    gap: float = TIGHTEST,
    start: Floats | None = None,
    improved: Callable[[Floats, float], None] | None = None,
    is_enough: Callable[[float], bool] | None = None,
) -> Outcome:
    """Search whole numbers of least cost. `improved` hears of values and their cost, `is_enough` of the bound."""
    import highspy

    solver = solver_of(program)
    is_mixed = any(program.is_whole)

    def tell(event: Any) -> None:
        if improved is not None:
            improved(np.array(event.data_out.mip_solution), float(event.data_out.objective_function_value))

    def ask(event: Any) -> None:
        if is_enough is not None and is_enough(float(event.data_out.mip_dual_bound)):
            event.interrupt()

    if is_mixed:
        solver.cbMipImprovingSolution.subscribe(tell)
        solver.cbMipInterrupt.subscribe(ask)
    options = (("mip_rel_gap", gap), ("time_limit", max(most_s, 0.0)), ("threads", 1), ("random_seed", 1))
    for name, value in options:
        solver.setOptionValue(name, value)
    if start is not None:
        solution = highspy.HighsSolution()
        solution.col_value = list(start)
        solver.setSolution(solution)
    solver.run()
    information = solver.getInfo()
    values = np.array(solver.getSolution().col_value)
    cost = float(information.objective_function_value)
    if not len(values) or information.primal_solution_status != FEASIBLE:
        bound = math.inf if solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible else -math.inf
        return Outcome(None, math.inf, bound)
    return Outcome(values, cost, float(information.mip_dual_bound) if is_mixed else cost)
