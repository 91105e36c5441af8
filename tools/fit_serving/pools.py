"""Separate pools: how many drafts are accepted, how long groups wait, what experts in 4 bits gain, how long a prompt
takes between the pools; and how pools are set up that rows leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.certainty import CALIBRATED_ENGINES
from gpuplanner_gui.engine.serving.predict.open_loop import weighted_quantile
from tools.fit_serving.parameters import group_weights
from tools.fit_serving.tables import MeasuredCase, has_four_bits, ways_of
from tools.observation.habits import TRAITS, EngineHabits, PoolPractice, Source, habits_of
from tools.observation.pools import observed_pools, setups_of, shares_of, traits_of
from tools.repository import grouped

USUAL_ERROR = 0.12
"""Mean size of TPOT's logarithmic error of a set-up that is known."""
RIDGE = 1e-2
"""Against traits that no row tells, in units of a trait's spread."""
PRACTICE_ROUNDS = 60
LONGEST = 1.0
CLOSE = 1e-3


@dataclass(frozen=True)
class OpenPools:
    """Rows that leave their pools open: every set-up of each with its traits and how far its time is from the row's."""

    traits: Floats
    log_errors: Floats
    """Of TPOT, predicted over measured."""
    of: Integers
    groups: tuple[str, ...]
    """Of the rows."""

    def at(self, rows: NDArray[np.bool_]) -> OpenPools:
        """Some of the rows."""
        kept = rows[self.of]
        number = np.cumsum(rows) - 1
        groups = tuple(group for group, is_kept in zip(self.groups, rows) if is_kept)
        return OpenPools(self.traits[kept], self.log_errors[kept], number[self.of[kept]], groups)


def joined(parts: Sequence[OpenPools]) -> OpenPools:
    """The rows of several engines together."""
    starts = np.cumsum([0, *(len(part.groups) for part in parts)])
    return OpenPools(
        np.concatenate([part.traits for part in parts]),
        np.concatenate([part.log_errors for part in parts]),
        np.concatenate([part.of + start for part, start in zip(parts, starts)]),
        tuple(group for part in parts for group in part.groups),
    )


def fitted_practice(pools: OpenPools) -> PoolPractice:
    """Utilities that make the measured times most likely, which lie around a set-up's as Laplace has it.

    Expectation and maximisation: how likely each set-up is to have run, given the row's time; then a Newton step of the
    logit towards these shares.

    References
    ----------
    .. [1] Train, Discrete Choice Methods with Simulation, 2009, chapter 14.
    """
    if not len(pools.groups):
        return PoolPractice()
    spread = pools.traits.std(axis=0) + 1e-9
    traits = (pools.traits - pools.traits.mean(axis=0)) / spread
    weight = group_weights(list(pools.groups))[pools.of] / len(pools.groups)
    log_likely = -np.abs(pools.log_errors) / USUAL_ERROR
    starts = np.searchsorted(pools.of, np.arange(len(pools.groups)))
    utility = np.zeros(len(TRAITS))
    for _ in range(PRACTICE_ROUNDS):
        of_choice = traits @ utility
        share = shares_of(of_choice, pools.of)
        ran = shares_of(of_choice + log_likely, pools.of)
        slope = traits.T @ ((ran - share) * weight) - RIDGE * utility
        means = np.add.reduceat(traits * share[:, None], starts)
        curvature = (traits * (share * weight)[:, None]).T @ traits - (means * weight[starts][:, None]).T @ means
        step = np.linalg.solve(curvature + RIDGE * np.eye(len(utility)), slope)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max()), 1e-12))
        utility = utility + step
        if np.abs(step).max() < CLOSE:
            break
    return PoolPractice(**dict(zip(TRAITS, (utility / spread).tolist())))


LOAD = "disaggregated"
ENTRIES_S = np.geomspace(0.02, 2.0, 41)
"""Times between pools that are tried."""
ACCEPTANCES = np.arange(0.2, 0.96, 0.05)
"""Chances of a draft that are tried."""
USUAL_ENGINE = "trtllm"
"""Whose pools stand for those of an engine without measured ones."""
FEWEST_CASES = 30
ROUNDS = 2


@dataclass(frozen=True)
class PoolFacts:
    """What pools of an engine add."""

    entry_s: float
    group_time: float
    acceptance: float
    four_bit_time: float
    practice: PoolPractice = field(default_factory=PoolPractice)

    def over(self, engine: EngineFacts) -> EngineFacts:
        """The engine with these."""
        return msgspec.structs.replace(
            engine,
            pool_entry_s=self.entry_s,
            pool_group_time=self.group_time,
            draft_acceptance=self.acceptance,
            pool_four_bit_time=self.four_bit_time,
        )

    def habits(self, engine: EngineFacts) -> EngineHabits:
        """Those of the engine's sources, with operators' practice as found."""
        return msgspec.structs.replace(habits_of(engine.engine), pool_practice=self.practice)


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
    own = np.array([one.case.load == LOAD and one.case.engine == engine.engine for one in completed], np.bool_)
    return PoolProblem(engine, tuple(completed), tuple(plain)).at(own)


def predicted_s(
    rows: Sequence[MeasuredCase], engine: EngineFacts, facts: PoolFacts, context: Context
) -> tuple[Floats, Floats]:
    """TTFT and TPOT as sources saw them of pools of one engine, models in turn."""
    ttft, tpot = np.zeros(len(rows)), np.zeros(len(rows))
    for index in grouped(range(len(rows)), lambda position: id(rows[position].case.model)).values():
        cases, sources = _parts([rows[position] for position in index])
        seen = observed_pools(cases, sources, context, facts.over(engine), facts.habits(engine))
        ttft[index], tpot[index] = seen.ttft_s, seen.tpot_s
    return ttft, tpot


def _parts(rows: Sequence[MeasuredCase]) -> tuple[list[ServingCase], list[Source]]:
    return [one.case for one in rows], [one.source for one in rows]


def middle_s(
    rows: Sequence[MeasuredCase], engine: EngineFacts, facts: PoolFacts, context: Context
) -> tuple[Floats, Floats]:
    """TTFT and TPOT of rows; the geometric mean of the set-ups of one that leaves open which of several ran."""
    case_of, ways = ways_of(rows)
    counts = np.bincount(case_of)
    ttft, tpot = (
        np.exp(np.bincount(case_of, np.log(values)) / counts) for values in predicted_s(ways, engine, facts, context)
    )
    return ttft, tpot


def pool_facts(problem: PoolProblem, context: Context) -> PoolFacts:
    """One fact after the other, each by the middle of its own rows, or by the least log error of them; twice, since one
    moves the other."""
    facts = PoolFacts(0.0, 1.0, 0.75, 1.0)
    ttft_s, tpot_s = problem.measured_s
    weight = group_weights([one.group for one in problem.cases])
    drafts, groups = _traits(problem.cases)
    narrow = np.array([has_four_bits(one.case) for one in problem.cases], np.bool_)

    def predicted(trial: PoolFacts) -> tuple[Floats, Floats]:
        return middle_s(problem.cases, problem.engine, trial, context)

    of_groups = groups & ~drafts
    for _ in range(ROUNDS):
        if of_groups.sum() >= FEWEST_CASES:
            ratio = tpot_s / predicted(facts)[1]
            middle = weighted_quantile(ratio[of_groups], weight[of_groups], 0.5)
            facts = replace(facts, group_time=facts.group_time * middle)
        if drafts.sum() >= FEWEST_CASES:
            trials = [replace(facts, acceptance=float(one)) for one in ACCEPTANCES]
            missed = [np.abs(_nearest_way(problem, trial, context)[drafts]) for trial in trials]
            facts = trials[int(np.argmin([weight[drafts] @ one for one in missed]))]
        if narrow.sum() >= FEWEST_CASES:
            away = _nearest_way(problem, facts, context)
            middle = float(np.exp(weighted_quantile(-away[narrow], weight[narrow], 0.5)))
            facts = replace(facts, four_bit_time=facts.four_bit_time * middle)
    first_s = predicted(facts)[0]
    entered = [float(weight @ np.abs(np.log((first_s + entry) / ttft_s))) for entry in ENTRIES_S]
    return replace(facts, entry_s=float(ENTRIES_S[int(np.argmin(entered))]))


def _nearest_way(problem: PoolProblem, facts: PoolFacts, context: Context) -> Floats:
    """TPOT's logarithmic error of the set-up nearest to what was measured: the middle of several would tell nothing of
    drafts where some ran with and some without."""
    case_of, ways = ways_of(problem.cases)
    errors = np.log(predicted_s(ways, problem.engine, facts, context)[1] / problem.measured_s[1][case_of])
    order = np.lexsort((np.abs(errors), case_of))
    return np.asarray(errors[order[np.searchsorted(case_of[order], np.arange(len(problem.cases)))]])


def _traits(cases: Sequence[MeasuredCase]) -> tuple[Booleans, Booleans]:
    """Rows in which drafts run or may have run, and rows whose attention certainly runs in groups."""
    case_of, ways = ways_of(cases)
    drafts, groups = np.zeros(len(cases), np.bool_), np.ones(len(cases), np.bool_)
    np.logical_or.at(drafts, case_of, [way.case.draft_tokens > 0 or way.source.may_speculate for way in ways])
    np.logical_and.at(groups, case_of, [way.case.layout.data_parallel > 1 for way in ways])
    return drafts, groups


def all_pool_facts(problems: Sequence[PoolProblem], context: Context) -> dict[str, PoolFacts]:
    """Facts of every engine; those without enough measured pools take another's. Operators are alike in all."""
    found = {
        problem.engine.engine: pool_facts(problem, context)
        for problem in problems
        if len(problem.cases) >= FEWEST_CASES
    }
    usual = found.get(USUAL_ENGINE) or PoolFacts(float(ENTRIES_S[0]), 1.0, 0.75, 1.0)
    facts = {engine: found.get(engine) or usual for engine in CALIBRATED_ENGINES}
    left_open = [open_pools(problem, facts[problem.engine.engine], context) for problem in problems]
    practice = fitted_practice(joined(left_open))
    return {engine: replace(one, practice=practice) for engine, one in facts.items()}


def open_pools(problem: PoolProblem, facts: PoolFacts, context: Context) -> OpenPools:
    """Every set-up of the rows that leave theirs open, as they stand."""
    is_open = np.array([one.case.layout.replicas == 0 for one in problem.plain], np.bool_)
    if not is_open.any():
        return OpenPools(np.zeros((0, len(TRAITS))), np.zeros(0), np.zeros(0, np.int64), ())
    part = problem.at(is_open)
    engine = facts.over(problem.engine)
    traits, errors, of = [], [], []
    for index in grouped(range(len(part.plain)), lambda row: id(part.plain[row].case.model)).values():
        own = np.array(index)
        setups = setups_of(*_parts([part.plain[row] for row in own]), context, engine)
        each = [
            replace(part.plain[own[place]], case=case, source=Source()) for case, place in zip(setups.cases, setups.of)
        ]
        tpot_s = predicted_s(each, problem.engine, facts, context)[1]
        traits.append(traits_of(setups.cases))
        errors.append(np.log(tpot_s / part.measured_s[1][own][setups.of]))
        of.append(own[setups.of])
    order = np.argsort(np.concatenate(of), kind="stable")
    return OpenPools(
        np.concatenate(traits)[order],
        np.concatenate(errors)[order],
        np.concatenate(of)[order],
        tuple(one.group for one in part.plain),
    )


Logs = tuple[Floats, Floats]
LeftOutFacts = dict[str, dict[str, PoolFacts]]
"""Facts of every engine, by the group that their fit has not seen."""


def left_out_facts(problems: Sequence[PoolProblem], context: Context) -> LeftOutFacts:
    """Facts fitted without each group in turn."""
    found = {}
    for group in sorted({one.group for problem in problems for one in problem.cases}):
        outside = [np.array([one.group != group for one in problem.cases], np.bool_) for problem in problems]
        found[group] = all_pool_facts([problem.at(rows) for problem, rows in zip(problems, outside)], context)
    return found


def left_out_logs(
    problems: Sequence[PoolProblem], facts: LeftOutFacts, context: Context, as_stated: bool = True
) -> dict[str, Logs]:
    """Logarithms of TTFT and TPOT of every engine's pools, by facts fitted without the row's group; of rows as they
    stand, or as recipes complete them."""
    found = {
        problem.engine.engine: (np.zeros(len(problem.cases)), np.zeros(len(problem.cases))) for problem in problems
    }
    for group, problem in product(facts, problems):
        own = np.array([one.group == group for one in problem.cases], np.bool_)
        if own.any():
            name = problem.engine.engine
            part = problem.at(own).read(as_stated)
            ttft_s, tpot_s = middle_s(part, problem.engine, facts[group][name], context)
            found[name][0][own], found[name][1][own] = np.log(ttft_s), np.log(tpot_s)
    return found
