"""HiGHS at work on a program: the one place that speaks with the solver; and the rounding cuts that tighten one.

A cut concerns whole units for the workloads that share a pool's hardware in a period. It says: w · units ≥ a ·
choices + b, whatever the workloads choose; see docs/derivations/estate.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.estate.program import Cover, Program, Terms

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


MOST_PATTERNS = 512
"""Sets of choices that one cut is made from; workloads beyond are held as they are in the relaxation."""
MOST_ROUNDS = 25
LEAST_PROGRESS = 2e-4
"""Least improvement of the bound in a round, as a share."""
TAKEN, WHOLE = 1e-4, 1 - 1e-4
LEAST_VIOLATION = 1e-3
SAFETY = 1e-7
"""Margin by which a cut is loosened, against rounding."""


def tightened(program: Program, solver: Any, is_over: Callable[[], bool]) -> Optimum | None:
    """The relaxation that a solver holds, with cuts; those that bind at its end are added to the program.

    None where it has no solution. Duals are those of the program's own rows.
    """
    own_rows = len(program.rows)
    cuts: list[tuple[float, Terms]] = []
    last = -np.inf
    for _ in range(MOST_ROUNDS):
        now = optimum(solver)
        if now is None or is_over() or now.bound - last <= LEAST_PROGRESS * abs(now.bound):
            break
        last = now.bound
        found = [cut for cover in program.covers.values() if (cut := violated_cut(cover, now.values)) is not None]
        if not found:
            break
        for low, terms in found:
            columns, shares = zip(*terms, strict=True)
            solver.addRow(low, np.inf, len(terms), np.array(columns, np.int32), np.array(shares))
        cuts += found
        solver.run()
    end = optimum(solver)
    if end is None:
        return None
    for (low, terms), dual in zip(cuts, end.row_duals[own_rows:], strict=True):
        if abs(dual) > 1e-9:
            program.limit(terms, low, np.inf)
    return replace(end, row_duals=end.row_duals[:own_rows])


def violated_cut(cover: Cover, values: Floats) -> tuple[float, Terms] | None:
    """The cut that a relaxed solution breaks most, if any: its lower limit and terms."""
    taken = [one for one in cover.items if values[one.column] > TAKEN]
    units = np.array([sum(share * values[column] for column, share in terms) for terms in cover.units])
    held, free = _split(taken, values)
    if not taken or (not free and (units >= np.ceil(_devices(held, cover) / cover.size - TAKEN) - TAKEN).all()):
        return None
    patterns, needs = _patterns(free, _devices(held, cover), cover)
    shares = np.array([values[one.column] for one in free])
    solved = _worst_weights(patterns, needs, shares, units)
    if solved is None:
        return None
    weights, worth = solved
    base = float((needs @ weights - patterns @ worth).min())
    released = [float(weights @ np.ceil(one.devices / cover.size)) for one in held]
    broken_by = base + float(worth @ shares) - float(weights @ units)
    broken_by -= sum(most * (1 - values[one.column]) for most, one in zip(released, held, strict=True))
    if broken_by < LEAST_VIOLATION:
        return None
    terms: dict[int, float] = {}
    for weight, unit_terms in zip(weights, cover.units, strict=True):
        for column, share in unit_terms:
            terms[column] = terms.get(column, 0.0) + weight * share
    for value, one in (*zip(worth, free, strict=True), *zip(released, held, strict=True)):
        terms[one.column] = -float(value)
    for item in cover.items:
        if item.column not in terms:
            same = [one for one in taken if one.load == item.load and one.column in terms]
            lifted = [-terms[one.column] for one in same if (one.devices <= item.devices).all()]
            if lifted and max(lifted) > 0:
                terms[item.column] = -max(lifted)
    low = base - sum(released) - SAFETY * (1 + abs(base) + sum(released))
    return low, [(column, value) for column, value in terms.items() if abs(value) > 1e-9]


def _devices(items: list[Any], cover: Cover) -> Integers:
    return np.asarray(sum((one.devices for one in items), np.zeros(len(cover.units), np.int64)), np.int64)


def _split(taken: list[Any], values: Floats) -> tuple[list[Any], list[Any]]:
    """Choices held at one, and those whose sets are gone through: all if they are few, else the most undecided."""
    by_load: dict[int, list[Any]] = {}
    for one in taken:
        by_load.setdefault(one.load, []).append(one)
    whole = [load for load, items in by_load.items() if len(items) == 1 and values[items[0].column] >= WHOLE]
    part = sorted(
        (load for load in by_load if load not in whole),
        key=lambda load: -sum(values[one.column] * (1 - values[one.column]) for one in by_load[load]),
    )
    count, free = 1, []
    for load in (*part, *whole):
        count *= 1 + len(by_load[load])
        if count > MOST_PATTERNS:
            break
        free += by_load[load]
    loads = {one.load for one in free}
    return [by_load[load][0] for load in whole if load not in loads], free


def _patterns(free: list[Any], held: Integers, cover: Cover) -> tuple[Floats, Floats]:
    """(N, I) which choices are made in each set, one at most of each workload; (N, C) units that the set needs."""
    sets, devices = np.zeros((1, len(free))), held[None, :].astype(np.float64)
    for load in dict.fromkeys(one.load for one in free):
        grown, needing = [sets], [devices]
        for place, one in enumerate(free):
            if one.load == load:
                more = sets.copy()
                more[:, place] = 1.0
                grown.append(more)
                needing.append(devices + one.devices)
        sets, devices = np.concatenate(grown), np.concatenate(needing)
    return sets, np.ceil(devices / cover.size - 1e-9)


def _worst_weights(patterns: Floats, needs: Floats, shares: Floats, units: Floats) -> tuple[Floats, Floats] | None:
    """Weights of the hour classes and worths of the choices whose cut is broken most, by duality; None: none is.

    min z: some mean of sets takes the shares and needs at most the units + z in each class.
    """
    import highspy

    sets, classes, items = len(patterns), needs.shape[1], patterns.shape[1]
    columns = np.hstack([needs, patterns, np.ones((sets, 1))])
    columns = np.vstack([columns, np.concatenate([-np.ones(classes), np.zeros(items + 1)])])
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("presolve", "off")
    model = highspy.HighsLp()
    rows = classes + items + 1
    model.num_col_, model.num_row_ = sets + 1, rows
    model.col_cost_ = np.concatenate([np.zeros(sets), [1.0]])
    model.col_lower_ = np.concatenate([np.zeros(sets), [-1e3]])
    model.col_upper_ = np.full(sets + 1, np.inf)
    model.row_lower_ = np.concatenate([np.full(classes, -np.inf), shares, [1.0]])
    model.row_upper_ = np.concatenate([units, np.full(items, np.inf), [1.0]])
    where = columns != 0.0
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(where.sum(axis=1))]).astype(np.int32)
    model.a_matrix_.index_ = np.nonzero(where)[1].astype(np.int32)
    model.a_matrix_.value_ = columns[where]
    solver.passModel(model)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    if float(solver.getInfo().objective_function_value) < LEAST_VIOLATION:
        return None
    duals = np.array(solver.getSolution().row_dual)
    return np.maximum(-duals[:classes], 0.0), np.maximum(duals[classes : classes + items], 0.0)
