"""A program in parts: pools that only budgets, sites and delivery waves tie together are searched each on its own.

The ties are priced into the parts' costs (Lagrange): the sum of the parts' bounds, less what the limits are worth,
is a bound of the whole, whatever the prices are.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.engine.estate.program import Key, Program

TAKEN = 1e-4


class NarrowedChoices:
    """The columns by which workloads choose, and ways to leave most of them out."""

    def __init__(self, program: Program) -> None:
        self.size = len(program.costs)
        self.upper = np.array(program.upper)
        by_load: dict[Key, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        by_period: dict[Key, list[int]] = defaultdict(list)
        self.apart: list[int] = []
        for key, column in program.column.items():
            if key[1] in ("run", "job"):
                by_load[key[0], key[2]][key[3]].append(column)
            if key[1] == "run":
                by_period[key[0], key[2], key[4]].append(column)
            if key[1] == "apart":
                self.apart.append(program.column[key[0], "job", key[2], key[3]])
        self.by_load = [[np.array(columns) for columns in numbers.values()] for numbers in by_load.values()]
        self.by_period = [np.array(columns) for columns in by_period.values()]

    def none(self) -> Booleans:
        return np.zeros(self.size, bool)

    def most_likely(self, relaxed: Floats) -> Booleans:
        """The choices that the relaxation uses most for each workload, overall and by period; runs may be separate."""
        allowed = self.none()
        allowed[self.apart] = True
        for numbers in self.by_load:
            allowed[max(numbers, key=lambda columns: float(relaxed[columns].sum()))] = True
        for columns in self.by_period:
            possible = columns[self.upper[columns] > 0]
            if len(possible):
                allowed[possible[relaxed[possible].argmax()]] = True
        return allowed

    def taken(self, values: Floats) -> Booleans:
        """Choices that are taken in any period, if only in part."""
        allowed = self.none()
        for numbers in self.by_load:
            for columns in numbers:
                allowed[columns] = values[columns].max() > TAKEN
        return allowed

    def narrowed(self, program: Program, allowed: Booleans) -> Program:
        """The program without the choices that are not allowed."""
        upper = self.upper.copy()
        for numbers in self.by_load:
            for columns in numbers:
                upper[columns[~allowed[columns]]] = 0.0
        return replace(program, upper=upper.tolist())


TIES = ("capital", "operating", "emissions", "power", "racks", "air", "liquid", "wave")
"""Rows over several pools."""


@dataclass(frozen=True)
class EstatePart:
    """Some of a program's columns with the rows that hold them alone."""

    columns: Integers
    program: Program


@dataclass(frozen=True)
class Split:
    """The parts of a program, the rows between them, and what those are worth at their limits."""

    parts: tuple[EstatePart, ...]
    ties: tuple[int, ...]
    """Rows of the whole program."""
    tie_worth: float
    """Value of all limits together, to be subtracted from the sum of the parts' costs. [program's unit of money]"""
    has_prices: bool

    def is_broken(self, program: Program, values: Floats) -> bool:
        """Whether the parts' solutions together break a row between them."""
        for row in self.ties:
            low, high, terms = program.rows[row]
            total = sum(share * values[column] for column, share in terms)
            slack = 1e-6 * max(1.0, abs(high) if np.isfinite(high) else abs(low))
            if not low - slack <= total <= high + slack:
                return True
        return False


def split(program: Program, row_duals: Floats) -> Split:
    """The parts of a program, with the prices that its relaxation gives the rows between them."""
    ties = {row for key, row in program.row_of.items() if key[1] in TIES}
    part_of = _part_of_column(program, ties)
    ties = {row for row in ties if len({int(part_of[column]) for column, _ in program.rows[row][2]}) > 1}
    costs, tie_worth, has_prices = np.array(program.costs), 0.0, False
    for row in ties:
        low, high, terms = program.rows[row]
        price = min(float(row_duals[row]), 0.0) if row < len(row_duals) else 0.0
        if price < -1e-9 and np.isfinite(high) and not np.isfinite(low):
            has_prices = True
            tie_worth += price * high
            for column, share in terms:
                costs[column] -= price * share
    rows: dict[int, list[int]] = {}
    for row, (_, _, terms) in enumerate(program.rows):
        if row not in ties and terms:
            rows.setdefault(int(part_of[terms[0][0]]), []).append(row)
    parts = []
    for number in np.unique(part_of):
        columns = np.flatnonzero(part_of == number)
        parts.append(EstatePart(columns, _part_program(program, columns, rows.get(int(number), []), costs)))
    return Split(tuple(parts), tuple(sorted(ties)), tie_worth, has_prices)


def _part_program(program: Program, columns: Integers, rows: list[int], costs: Floats) -> Program:
    place = {int(column): index for index, column in enumerate(columns)}
    part = Program(
        costs=[float(costs[one]) for one in columns],
        upper=[program.upper[one] for one in columns],
        lower=[program.lower[one] for one in columns],
        is_whole=[program.is_whole[one] for one in columns],
    )
    for row in rows:
        low, high, terms = program.rows[row]
        part.limit([(place[column], share) for column, share in terms], low, high)
    return part


def _part_of_column(program: Program, ties: set[int]) -> Integers:
    """A number for each column, the same for columns that share a row which is no tie; lone columns all share one."""
    root = np.arange(len(program.costs))

    def find(column: int) -> int:
        while root[column] != column:
            root[column] = root[root[column]]
            column = int(root[column])
        return column

    is_alone = np.ones(len(root), bool)
    for row, (_, _, terms) in enumerate(program.rows):
        if row in ties or not terms:
            continue
        first = find(terms[0][0])
        is_alone[[column for column, _ in terms]] = False
        for column, _ in terms[1:]:
            root[find(column)] = first
    found = np.array([find(column) for column in range(len(root))])
    alone = np.flatnonzero(is_alone)
    found[alone] = alone[0] if len(alone) else 0
    return found
