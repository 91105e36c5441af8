"""Fewer choices for each workload: programs that are searched quickly and give good plans for the whole."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
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
        """Of each workload what the relaxation takes most, over all periods and in each; runs may go apart."""
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
