"""Why this plan of an estate: what a limit is worth at the margin, and what each workload's runner-up would cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.engine.estate.highs import solver_of
from gpuplanner_gui.engine.estate.problem import ProgramInputs
from gpuplanner_gui.engine.estate.program import USD, Program, program_of
from gpuplanner_gui.engine.estate.solve import Found, NoPlan, optimised

CHOICES = ("served", "open", "run", "job", "on")
"""Columns that stay as they are while limits are priced; numbers of units may move."""


@dataclass(frozen=True)
class ShadowPrice:
    """What the plan would save with one more unit of a limit: a dollar, a kW, a ton, a rack, an hour."""

    limit: str
    place: tuple[int, ...]
    """A year; or a site and a period; or a workload."""
    usd_per_unit: float


@dataclass(frozen=True)
class RunnerUp:
    """The best plan in which a workload runs on none of the hardware that it runs on now."""

    load: int
    hardware: tuple[int, ...]
    """Empty: the workload would be left out."""
    extra_usd: float
    """More than the plan, by present value; infinite where there is no other way."""
    gap: float


@dataclass(frozen=True)
class Reasons:
    """Why this plan and no other."""

    prices: tuple[ShadowPrice, ...]
    runners_up: tuple[RunnerUp, ...]


def reasons(
    problem: ProgramInputs, found: Found, *, most_s: float = 5.0, is_cancelled: Callable[[], bool] | None = None
) -> Reasons:
    """What limits are worth, and the runner-up of each workload that is served; `most_s` for each search."""
    others = []
    for load in range(len(problem.loads)):
        if is_cancelled is not None and is_cancelled():
            break
        if load not in found.evaluation.unserved:
            others.append(runner_up(problem, found, load, most_s=most_s, is_cancelled=is_cancelled))
    return Reasons(shadow_prices(problem, found), tuple(others))


def shadow_prices(problem: ProgramInputs, found: Found) -> tuple[ShadowPrice, ...]:
    """Prices of the limits that bind: where each workload runs is held, units may be fractions."""
    program = program_of([problem], [1.0])
    for key, column in program.column.items():
        if key[1] in CHOICES:
            program.lower[column] = program.upper[column] = float(round(found.values[column]))
    program.is_whole = [False] * len(program.is_whole)
    solver = solver_of(program)
    solver.run()
    duals = np.array(solver.getSolution().row_dual)
    if not len(duals):
        return ()
    prices = []
    for key, row in program.row_of.items():
        kind = key[1]
        scale = USD if kind in ("capital", "operating") else 1.0
        usd = abs(float(duals[row])) * scale / USD
        if usd > 1e-6:
            prices.append(ShadowPrice(kind, key[2:], usd))
    return tuple(prices)


def runner_up(
    problem: ProgramInputs,
    found: Found,
    load: int,
    *,
    gap: float = 0.01,
    most_s: float = 5.0,
    is_cancelled: Callable[[], bool] | None = None,
) -> RunnerUp:
    """Plan anew with the hardware of one workload forbidden to it."""
    program = program_of([problem], [1.0])
    one = problem.loads[load]
    used = {one.choices[int(number)].hardware for number in found.decisions.choice[load] if number >= 0}
    _forbid(program, problem, load, used)
    try:
        answer = optimised(
            program, [problem], [1.0], gap=gap, most_s=most_s, is_cancelled=is_cancelled,
            near=found.values,
        )  # fmt: skip
    except NoPlan:
        return RunnerUp(load, (), float("inf"), float("inf"))
    hardware = {
        one.choices[key[3]].hardware
        for key, column in program.column.items()
        if key[1] in ("run", "job") and key[2] == load and answer.values[column] > 0.5
    }
    extra = answer.cost_usd - found.evaluation.present_value_usd
    return RunnerUp(load, tuple(sorted(hardware)), extra if hardware else float("inf"), answer.gap)


def _forbid(program: Program, problem: ProgramInputs, load: int, used: set[int]) -> None:
    for key in list(program.column):
        is_of_load = key[1] in ("run", "job") and key[2] == load
        if is_of_load and problem.loads[load].choices[key[3]].hardware in used:
            program.fix(key, 0.0)
