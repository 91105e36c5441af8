"""Separate pools: how many drafts are accepted, how long groups wait, how long a prompt takes between the pools; and
for rows without a published recipe, how many devices decode and what drafts gain that may have run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_case import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.predict.loads import of_pools
from tools.fit_serving.closed_loops import ENGINES
from tools.fit_serving.gauss_newton import group_weights
from tools.fit_serving.recipe_ways import ways_of
from tools.fit_serving.tables import MeasuredCase

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]

LOAD = "disaggregated"
ENTRIES_S = np.geomspace(0.02, 2.0, 41)
"""Times between pools that are tried."""
ACCEPTANCES = np.arange(0.2, 0.96, 0.05)
"""Chances of a draft that are tried."""
USUAL_ENGINE = "trtllm"
"""Whose pools stand for those of an engine without measured ones."""
FEWEST_CASES = 30


@dataclass(frozen=True)
class PoolFacts:
    """What pools of an engine add."""

    speculation: float
    """Gain of drafts that may have run, where no recipe says."""
    entry_s: float
    devices: float
    """That decode, where neither row nor recipe says how many workers."""
    group_time: float
    acceptance: float

    def over(self, engine: EngineFacts) -> EngineFacts:
        """The engine with these."""
        return msgspec.structs.replace(
            engine,
            unstated_speculation=engine.unstated_speculation | {LOAD: self.speculation},
            pool_entry_s=self.entry_s,
            pool_devices=self.devices,
            pool_group_time=self.group_time,
            draft_acceptance=self.acceptance,
        )


@dataclass(frozen=True)
class PoolProblem:
    """Measured pools of one engine, as recipes complete them and as the rows alone say."""

    engine: EngineFacts
    cases: tuple[MeasuredCase, ...]
    plain: tuple[MeasuredCase, ...]
    """The same rows read without recipes."""

    @property
    def measured_s(self) -> tuple[Floats, Floats]:
        """TTFT and TPOT; NaN where a row lacks one."""
        stated = [[question.measured or np.nan for question in one.questions] for one in self.cases]
        both = np.array(stated, np.float64).reshape(-1, 2) / 1e3
        return both[:, 0], both[:, 1]

    def read(self, as_stated: bool) -> tuple[MeasuredCase, ...]:
        """The rows as they stand, or as recipes complete them."""
        return self.plain if as_stated else self.cases

    def at(self, chosen: Booleans) -> PoolProblem:
        """Some of the rows."""
        index = np.flatnonzero(chosen)
        cases, plain = (tuple(rows[position] for position in index) for rows in (self.cases, self.plain))
        return PoolProblem(self.engine, cases, plain)


def pool_problem(completed: Sequence[MeasuredCase], plain: Sequence[MeasuredCase], engine: EngineFacts) -> PoolProblem:
    """The pools of one engine; both sequences hold the same rows."""
    own = [
        position for position, one in enumerate(completed) if one.case.load == LOAD and one.case.engine == engine.engine
    ]
    return PoolProblem(
        engine, tuple(completed[position] for position in own), tuple(plain[position] for position in own)
    )


def predicted_s(cases: Sequence[ServingCase], engine: EngineFacts, context: Context) -> tuple[Floats, Floats]:
    """TTFT and TPOT of pools of one engine, models in turn."""
    ttft, tpot = np.zeros(len(cases)), np.zeros(len(cases))
    for model in {id(one.model) for one in cases}:
        index = [position for position, one in enumerate(cases) if id(one.model) == model]
        found = of_pools([cases[position] for position in index], context, engine)
        ttft[index], tpot[index] = found.values["ttft_mean"], found.values["tpot_mean"]
    return ttft, tpot


def middle_s(rows: Sequence[MeasuredCase], engine: EngineFacts, context: Context) -> tuple[Floats, Floats]:
    """TTFT and TPOT of rows; the geometric mean of the set-ups of one that leaves open which of several ran."""
    case_of, ways = ways_of(rows)
    counts = np.bincount(case_of)
    ttft, tpot = (
        np.exp(np.bincount(case_of, np.log(values)) / counts) for values in predicted_s(ways, engine, context)
    )
    return ttft, tpot


def stated_devices(cases: Sequence[MeasuredCase]) -> float | None:
    """Devices that decode in the middle pool whose source states its workers; None where few do."""
    stated = [one for one in cases if one.case.layout.replicas > 0]
    if len(stated) < FEWEST_CASES:
        return None
    sizes = np.array([one.case.layout.devices * one.case.layout.replicas for one in stated])
    return weighted_median(sizes, group_weights([one.group for one in stated]))


def pool_facts(problem: PoolProblem, devices: float, context: Context) -> PoolFacts:
    """One fact after the other, each by the middle of its own rows, or by the least log error of them."""
    facts = PoolFacts(1.0, 0.0, devices, 1.0, 0.75)
    ttft_s, tpot_s = problem.measured_s
    weight = group_weights([one.group for one in problem.cases])
    drafts, groups = _traits(problem.cases)

    def predicted(trial: PoolFacts, cases: Sequence[MeasuredCase]) -> tuple[Floats, Floats]:
        return middle_s(cases, trial.over(problem.engine), context)

    of_groups = groups & ~drafts
    if of_groups.sum() >= FEWEST_CASES:
        ratio = tpot_s / predicted(facts, problem.cases)[1]
        facts = _with(facts, group_time=weighted_median(ratio[of_groups], weight[of_groups]))
    if drafts.sum() >= FEWEST_CASES:
        trials = [_with(facts, acceptance=float(one)) for one in ACCEPTANCES]
        away = [_nearest_way(problem, trial.over(problem.engine), context)[drafts] for trial in trials]
        facts = trials[int(np.argmin([weight[drafts] @ one for one in away]))]
    first_s = predicted(facts, problem.cases)[0]
    entered = [float(weight @ np.abs(np.log((first_s + entry) / ttft_s))) for entry in ENTRIES_S]
    facts = _with(facts, entry_s=float(ENTRIES_S[int(np.argmin(entered))]))
    may = np.array([one.case.may_speculate for one in problem.plain])
    if may.any():
        gain = predicted(facts, problem.plain)[1] / tpot_s
        facts = _with(facts, speculation=max(weighted_median(gain[may], weight[may]), 1.0))
    return facts


def _nearest_way(problem: PoolProblem, engine: EngineFacts, context: Context) -> Floats:
    """Size of TPOT's logarithmic error of the set-up nearest to what was measured: the middle of several would tell
    nothing of drafts where some ran with and some without."""
    case_of, ways = ways_of(problem.cases)
    size = np.abs(np.log(predicted_s(ways, engine, context)[1] / problem.measured_s[1][case_of]))
    nearest = np.full(len(problem.cases), np.inf)
    np.minimum.at(nearest, case_of, size)
    return nearest


def _with(facts: PoolFacts, **changes: float) -> PoolFacts:
    return PoolFacts(**{**facts.__dict__, **changes})


def _traits(cases: Sequence[MeasuredCase]) -> tuple[Booleans, Booleans]:
    """Rows in which drafts run or may have run, and rows whose attention certainly runs in groups."""
    case_of, ways = ways_of(cases)
    drafts, groups = np.zeros(len(cases), np.bool_), np.ones(len(cases), np.bool_)
    np.logical_or.at(drafts, case_of, [way.draft_tokens > 0 or way.may_speculate for way in ways])
    np.logical_and.at(groups, case_of, [way.layout.data_parallel > 1 for way in ways])
    return drafts, groups


def weighted_median(values: Floats, weight: Floats) -> float:
    """Where half of the weight lies below."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][int(np.searchsorted(reached, 0.5 * reached[-1]))])


def all_pool_facts(problems: Sequence[PoolProblem], context: Context) -> dict[str, PoolFacts]:
    """Facts of every engine; those without enough measured pools take another's."""
    everyone = [one for problem in problems for one in problem.cases]
    found = {}
    for problem in problems:
        if len(problem.cases) >= FEWEST_CASES:
            devices = stated_devices(problem.plain) or stated_devices(everyone) or 0.0
            found[problem.engine.engine] = pool_facts(problem, devices, context)
    usual = found.get(USUAL_ENGINE) or PoolFacts(1.0, float(ENTRIES_S[0]), 0.0, 1.0, 0.75)
    return {engine: found.get(engine) or usual for engine in ENGINES}


Logs = tuple[Floats, Floats]


def left_out_logs(problems: Sequence[PoolProblem], context: Context, as_stated: bool = True) -> dict[str, Logs]:
    """Logarithms of TTFT and TPOT of every engine's pools, by facts fitted without the row's group; of rows as they
    stand, or as recipes complete them."""
    found = {
        problem.engine.engine: (np.zeros(len(problem.cases)), np.zeros(len(problem.cases))) for problem in problems
    }
    for group in sorted({one.group for problem in problems for one in problem.cases}):
        inside = [np.array([one.group == group for one in problem.cases], np.bool_) for problem in problems]
        facts = all_pool_facts([problem.at(~own) for problem, own in zip(problems, inside)], context)
        for problem, own in zip(problems, inside):
            if own.any():
                name = problem.engine.engine
                part = problem.at(own).read(as_stated)
                ttft_s, tpot_s = middle_s(part, facts[name].over(problem.engine), context)
                found[name][0][own], found[name][1][own] = np.log(ttft_s), np.log(tpot_s)
    return found
