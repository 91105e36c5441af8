"""The search for an estate's decisions: progress, bound and gap while it works, the best so far when it is stopped.

First a relaxation with rounding cuts, then HiGHS on each part of the program beside the others, then on the whole.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.engine.estate.check import Evaluation, evaluated
from gpuplanner_gui.engine.estate.highs import TIGHTEST, Optimum, minimised, optimum, solver_of, tightened
from gpuplanner_gui.engine.estate.parts import NarrowedChoices, split
from gpuplanner_gui.engine.estate.problem import Decisions, ProgramInputs
from gpuplanner_gui.engine.estate.program import USD, Program, decisions_of, program_of, worth_of

NARROW_GAP = 0.002
"""Gap at which a search among few choices ends."""
FIRST_PLAN_S = 2.0
"""Most time for a plan with the choices given."""
TIGHTENING, NARROW, TOGETHER = 0.3, 0.3, 0.5
"""Shares of the time: for cuts; for few choices; for parts where limits between them bind."""
PATIENCE = 0.6
"""Share of the time after which not all workloads must be served any more, where no plan serves all."""
CHOOSING = 0.75
"""Share of the time after which no better choice of workloads is looked for where not all are served."""
TELLING_S = 0.1


@dataclass(frozen=True)
class Progress:
    """Where the search stands. Money is the present value. [USD]"""

    elapsed_s: float
    cost_usd: float
    """Cost of the best plan so far; infinite before there is one."""
    bound_usd: float
    """No plan costs less."""
    gap: float
    served: int = 0
    """Workloads that the best so far serves."""


@dataclass(frozen=True)
class SearchAnswer:
    """What the search says of a program."""

    values: Floats
    """Values of the program's columns, for a warm start."""
    cost_usd: float
    bound_usd: float
    gap: float
    is_optimal: bool
    """Within the gap that was asked for."""
    elapsed_s: float
    first_feasible_s: float
    """When the first plan that serves as many workloads as the last was there."""
    are_most_served: bool
    """Proven: no plan serves more workloads of the first priorities."""


@dataclass(frozen=True)
class Found(SearchAnswer):
    """The best decisions that were found, how good they can be at most, and what they come to."""

    decisions: Decisions
    evaluation: Evaluation


class NoPlan(Exception):
    """No decisions were found: pins contradict each other, or the search was stopped before the first."""


Watcher = Callable[[Progress], None]


@dataclass(frozen=True)
class Looks:
    """When a search ends, and who is told meanwhile."""

    gap: float = 0.01
    most_s: float = 20.0
    is_cancelled: Callable[[], bool] | None = None
    watch: Watcher | None = None


def solved(
    problem: ProgramInputs,
    *,
    gap: float = 0.01,
    most_s: float = 20.0,
    is_cancelled: Callable[[], bool] | None = None,
    watch: Watcher | None = None,
    near: Floats | None = None,
) -> Found:
    """The cheapest decisions; `near` is the values of a plan of the same problem to begin from. Raises NoPlan."""
    program = program_of([problem], [1.0])
    answer = optimised(
        program, [problem], [1.0], gap=gap, most_s=most_s, is_cancelled=is_cancelled, watch=watch, near=near
    )  # fmt: skip
    decisions = decisions_of(program, answer.values, problem)
    return Found(**vars(answer), decisions=decisions, evaluation=evaluated(problem, decisions))


def optimised(
    program: Program,
    problems: Sequence[ProgramInputs],
    weights: Sequence[float],
    *,
    gap: float,
    most_s: float,
    is_cancelled: Callable[[], bool] | None = None,
    watch: Watcher | None = None,
    near: Floats | None = None,
) -> SearchAnswer:
    """Solve a program: all workloads served if limits allow it, else those of the first priorities. Raises NoPlan.

    The gap is of the cost of serving those alone. The first plan is looked for among the choices of one that is `near`.
    """
    begun = time.perf_counter()
    looks = Looks(gap, most_s, is_cancelled, watch)
    served = {key: column for key, column in program.column.items() if key[1] == "served"}
    for column in served.values():
        program.lower[column] = 1.0
    own_rows, costs = len(program.rows), list(program.costs)
    answer = _Search(program, {}, begun, looks, PATIENCE * most_s).run(near)
    if answer is not None:
        return answer
    del program.rows[own_rows:]
    worths = [worth_of(one) for one in problems]
    worth_of_column = {}
    for (future, _, load), column in served.items():
        program.lower[column] = 0.0
        worth_of_column[column] = weights[future] * worths[future][problems[future].loads[load].priority]
        program.costs[column] -= worth_of_column[column] * USD
    chosen = _Search(program, worth_of_column, begun, replace(looks, most_s=CHOOSING * most_s), most_s).run(near)
    if chosen is None:
        raise NoPlan
    del program.rows[own_rows:]
    program.costs[:] = costs
    for column in served.values():
        program.lower[column] = program.upper[column] = float(round(chosen.values[column]))
    cheapest = _Search(program, {}, begun, looks, most_s)
    cheapest.take(chosen.values, float(np.dot(costs, chosen.values)))
    answer = cheapest.run(chosen.values)
    assert answer is not None
    return replace(answer, are_most_served=chosen.are_most_served, first_feasible_s=chosen.first_feasible_s)


class _Search:
    """One search of a program: the best so far, what is told of it, and when it ends."""

    def __init__(
        self, program: Program, worth_of_column: dict[int, float], begun: float, looks: Looks, patience_s: float
    ) -> None:
        self.program, self.begun, self.looks, self.patience_s = program, begun, looks, patience_s
        self.worth_of = worth_of_column
        self.all_served = [column for key, column in program.column.items() if key[1] == "served"]
        self.choices = NarrowedChoices(program)
        self.first_s, self.worth_usd, self.bound = math.inf, 0.0, -math.inf
        self.values: Floats | None = None
        self.objective, self.last_told = math.inf, 0.0
        self.lock, self.thread = threading.RLock(), threading.get_ident()

    def run(self, near: Floats | None = None) -> SearchAnswer | None:
        """The answer, or none where there is none, or none was found within the patience."""
        solver = solver_of(self.program, is_relaxed=True)
        solver.run()
        first = optimum(solver)
        if first is None:
            return None
        self.raise_bound(first.bound)
        likely = self.choices.most_likely(first.values)
        patience = NARROW * self.looks.most_s if self.worth_of else FIRST_PLAN_S
        self.try_with(likely if near is None else likely | self.choices.taken(near), patience)
        if self.values is None and self.worth_of:
            self.serve_nobody()
        relaxation = None if self.is_enough() else tightened(self.program, solver, lambda: self.is_over(TIGHTENING))
        if relaxation is not None:
            self.raise_bound(relaxation.bound)
            parts = _Parts(self, relaxation)
            parts.search()
            if parts.are_tied and not self.is_enough():
                self.search_whole(relaxation, parts.merged())
        return self.answer()

    @property
    def elapsed_s(self) -> float:
        return time.perf_counter() - self.begun

    def rest_s(self, share: float = 1.0) -> float:
        """What is left of a share of the time."""
        most = self.looks.most_s if self.values is not None else min(self.looks.most_s, self.patience_s)
        return max(share * most - self.elapsed_s, 0.0)

    def is_over(self, share: float = 1.0) -> bool:
        """Called off, or past a share of the time."""
        is_cancelled = self.looks.is_cancelled
        return self.rest_s(share) <= 0.0 or (is_cancelled is not None and is_cancelled())

    def is_enough(self) -> bool:
        if self.worth_of:
            return self.is_over() or self.are_most_served()
        return self.is_over() or self.progress().gap <= self.looks.gap

    def are_most_served(self) -> bool:
        """Whether the bound leaves no room for one more workload, be it of the last priority."""
        return self.objective / USD - self.bound / USD < min(self.worth_of.values(), default=math.inf)

    def take(self, values: Floats, objective: float) -> None:
        """Keep a solution of the whole program if it is the best so far."""
        with self.lock:
            if objective >= self.objective - 1e-9:
                return
            worth = sum(worth for column, worth in self.worth_of.items() if values[column] > 0.5)
            if worth > self.worth_usd + 0.5 or self.values is None:
                self.first_s, self.worth_usd = self.elapsed_s, worth
            self.values, self.objective = values, objective
        self.tell()

    def raise_bound(self, bound: float) -> None:
        with self.lock:
            self.bound = max(self.bound, bound)
        self.tell()

    def tell(self) -> None:
        """Report progress to the caller, on the caller's thread."""
        now = self.elapsed_s
        if threading.get_ident() != self.thread:
            return
        if self.looks.watch is not None and now - self.last_told > TELLING_S:
            self.last_told = now
            self.looks.watch(self.progress())

    def progress(self) -> Progress:
        with self.lock:
            low = self.bound / USD + self.worth_usd
            if self.values is None:
                return Progress(self.elapsed_s, math.inf, low, math.inf)
            cost = self.objective / USD + self.worth_usd
            served = sum(self.values[column] > 0.5 for column in self.all_served)
        return Progress(self.elapsed_s, cost, low, gap_of(cost, low), int(served))

    def answer(self) -> SearchAnswer | None:
        if self.values is None:
            return None
        state = self.progress()
        is_optimal = state.gap <= max(self.looks.gap, TIGHTEST)
        first_s = min(self.first_s, self.elapsed_s)
        return SearchAnswer(
            self.values, state.cost_usd, state.bound_usd, state.gap, is_optimal, self.elapsed_s, first_s,
            not self.worth_of or self.are_most_served(),
        )  # fmt: skip

    def try_with(self, allowed: Booleans, most_s: float = FIRST_PLAN_S) -> None:
        """Search among few choices of the whole program."""
        minimised(
            self.choices.narrowed(self.program, allowed), most_s=min(most_s, self.rest_s()), gap=NARROW_GAP,
            start=self.values, improved=self.take, is_enough=lambda bound: self.is_over(),
        )  # fmt: skip

    def serve_nobody(self) -> None:
        """The plan that there always is unless pins forbid it; found in a moment, also when the time is over."""
        is_cancelled = self.looks.is_cancelled
        minimised(
            self.choices.narrowed(self.program, self.choices.none()), most_s=self.looks.most_s + FIRST_PLAN_S,
            improved=self.take, is_enough=lambda bound: is_cancelled is not None and is_cancelled(),
        )  # fmt: skip

    def search_whole(self, relaxation: Optimum, merged: Floats | None) -> None:
        """The whole program at once, from few choices to all."""
        likely = self.choices.taken(relaxation.values)
        for values in (merged, self.values):
            if values is not None:
                self.try_with(self.choices.taken(values))
                likely |= self.choices.taken(values)
        self.try_with(likely, NARROW * self.rest_s())

        def is_enough(bound: float) -> bool:
            self.raise_bound(bound)
            return self.is_enough()

        found = minimised(
            self.program, most_s=self.rest_s(), start=self.values, improved=self.take, is_enough=is_enough
        )  # fmt: skip
        self.raise_bound(found.bound)


class _Parts:
    """The parts of a search's program, each searched on a thread of its own."""

    def __init__(self, search: _Search, relaxation: Optimum) -> None:
        self.search_of_all, self.split = search, split(search.program, relaxation.row_duals)
        self.costs = np.array(search.program.costs)
        self.likely = search.choices.taken(relaxation.values)
        if search.values is not None:
            self.likely |= search.choices.taken(search.values)
        self.narrow = search.choices.narrowed(search.program, self.likely)
        self.values: list[Floats | None] = [None] * len(self.split.parts)
        self.objectives = [math.inf] * len(self.split.parts)
        self.bounds = [
            float(np.dot(part.program.costs, relaxation.values[part.columns])) for part in self.split.parts
        ]  # fmt: skip
        self.share = TOGETHER if self.split.has_prices else 1.0

    @property
    def are_tied(self) -> bool:
        """The parts' plans together break a limit, or one of the limits has a price."""
        merged = self.merged()
        return self.split.has_prices or merged is None or self.split.is_broken(self.search_of_all.program, merged)

    def merged(self) -> Floats | None:
        """The parts' best solutions together; None where one has none."""
        found = np.zeros(len(self.costs))
        for part, values in zip(self.split.parts, self.values, strict=True):
            if values is None:
                return None
            found[part.columns] = values
        return found

    def search(self) -> None:
        """Search all parts until the plan is good enough or the time is over."""
        with ThreadPoolExecutor(max_workers=len(self.split.parts)) as pool:
            waiting = {pool.submit(self._search_part, index) for index in range(len(self.split.parts))}
            while waiting:
                done, waiting = wait(waiting, TELLING_S)
                self.search_of_all.tell()
                for one in done:
                    one.result()

    def _search_part(self, index: int) -> None:
        search, part = self.search_of_all, self.split.parts[index]
        if search.values is not None:
            self._improve(index, search.values[part.columns], math.inf)

        def improved(values: Floats, objective: float) -> None:
            self._improve(index, values, objective)

        def is_enough(bound: float) -> bool:
            self._bound(index, bound)
            return search.is_over(self.share) or search.is_enough()

        if any(part.program.is_whole):
            upper = [self.narrow.upper[int(column)] for column in part.columns]
            minimised(
                replace(part.program, upper=upper), most_s=NARROW * search.rest_s(self.share), gap=NARROW_GAP,
                start=self.values[index], improved=improved, is_enough=lambda bound: search.is_enough(),
            )  # fmt: skip
        found = minimised(
            part.program, most_s=search.rest_s(self.share), start=self.values[index], improved=improved,
            is_enough=is_enough,
        )  # fmt: skip
        if found.values is not None:
            self._improve(index, found.values, found.objective)
        self._bound(index, found.bound)

    def _improve(self, index: int, values: Floats, objective: float) -> None:
        search = self.search_of_all
        with search.lock:
            if objective >= self.objectives[index] and self.values[index] is not None:
                return
            self.values[index], self.objectives[index] = values, objective
            merged = self.merged()
        if merged is not None and not self.split.is_broken(search.program, merged):
            search.take(merged, float(self.costs @ merged))

    def _bound(self, index: int, bound: float) -> None:
        with self.search_of_all.lock:
            self.bounds[index] = max(self.bounds[index], bound)
            whole = sum(self.bounds) + self.split.tie_worth
        self.search_of_all.raise_bound(whole - 1e-7 * abs(whole))


def gap_of(cost_usd: float, bound_usd: float) -> float:
    """How much cheaper the best could be at most, as a share of the cost."""
    if not math.isfinite(cost_usd) or not math.isfinite(bound_usd):
        return math.inf
    return max(0.0, (cost_usd - bound_usd) / max(abs(cost_usd), 1.0))
