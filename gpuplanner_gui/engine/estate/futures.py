"""An estate in several futures of demand and price: first orders that serve them all, and what each would regret."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gpuplanner_gui.domain.estate import Estate
from gpuplanner_gui.engine.estate.building import problem_of
from gpuplanner_gui.engine.estate.check import Evaluation, evaluated
from gpuplanner_gui.engine.estate.options import Option
from gpuplanner_gui.engine.estate.problem import Decisions, Problem
from gpuplanner_gui.engine.estate.program import decisions_of, program_of
from gpuplanner_gui.engine.estate.solve import Found, optimised, solved


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
    """Plan all futures together and each alone; `most_s` for each search. Raises NoPlan, ValueError without futures."""
    if not estate.futures:
        raise ValueError("the estate names no future")
    problems = [problem_of(estate, options, future) for future in estate.futures]
    whole = sum(one.probability for one in estate.futures)
    weights = [one.probability / whole for one in estate.futures]
    program = program_of(problems, weights)
    answer = optimised(program, problems, weights, gap=gap, most_s=most_s, is_cancelled=is_cancelled)
    found = []
    for index, (future, problem) in enumerate(zip(estate.futures, problems, strict=True)):
        made = decisions_of(program, answer.values, problem, index)
        alone = solved(problem, gap=gap, most_s=most_s, is_cancelled=is_cancelled)
        found.append(InFuture(future.name, weights[index], made, evaluated(problem, made), alone))
    expected = sum(one.probability * one.evaluation.present_value_usd for one in found)
    return Robust(tuple(found), _first_orders(problems[0], found), expected, answer.gap)


def _first_orders(problem: Problem, futures: list[InFuture]) -> tuple[FirstOrder, ...]:
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
