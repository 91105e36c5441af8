"""Separate pools: what unstated drafts gain in TPOT, and how long a prompt takes between the pools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.serving_engine import EngineFacts
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving_predict.loads import of_pools
from tools.fit_serving.closed_loops import ENGINES
from tools.fit_serving.gauss_newton import group_weights
from tools.fit_serving.tables import MeasuredCase

Floats = NDArray[np.float64]

LOAD = "disaggregated"
ENTRIES_S = np.geomspace(0.02, 2.0, 41)
"""Times between pools that are tried."""
USUAL_ENGINE = "trtllm"
"""Whose pools stand for those of an engine without measured ones."""


@dataclass(frozen=True)
class PoolFacts:
    """What pools of an engine add."""

    speculation: float
    entry_s: float
    devices: float
    """That decode, where the workers are not stated."""


@dataclass(frozen=True)
class PoolProblem:
    """Measured pools of one engine with predictions that know neither drafts nor the way between pools."""

    engine: str
    devices: float
    cases: tuple[MeasuredCase, ...]
    ttft_s: Floats
    tpot_s: Floats
    measured_ttft_s: Floats
    measured_tpot_s: Floats

    @property
    def may_speculate(self) -> NDArray[np.bool_]:
        return np.array([one.case.may_speculate for one in self.cases])

    def at(self, index: NDArray[np.int64]) -> PoolProblem:
        """Some of the cases."""
        return PoolProblem(
            self.engine,
            self.devices,
            tuple(self.cases[position] for position in index),
            self.ttft_s[index],
            self.tpot_s[index],
            self.measured_ttft_s[index],
            self.measured_tpot_s[index],
        )


def pool_problem(measured: Sequence[MeasuredCase], facts: EngineFacts, context: Context) -> PoolProblem:
    """The pools of one engine, predicted with its facts."""
    pools = [one for one in measured if one.case.load == LOAD]
    own = tuple(one for one in pools if one.case.engine == facts.engine)
    devices = stated_devices(own) or stated_devices(pools) or 0.0
    plain = msgspec.structs.replace(facts, unstated_speculation={}, pool_entry_s=0.0, pool_devices=devices)
    ttft, tpot = np.zeros(len(own)), np.zeros(len(own))
    models = {id(one.case.model) for one in own}
    for model in models:
        index = [position for position, one in enumerate(own) if id(one.case.model) == model]
        found = of_pools([own[position].case for position in index], context, plain)
        ttft[index], tpot[index] = found.values["ttft_mean"], found.values["tpot_mean"]
    stated = np.array([[question.measured or np.nan for question in one.questions] for one in own]).reshape(-1, 2) / 1e3
    return PoolProblem(facts.engine, devices, own, ttft, tpot, stated[:, 0], stated[:, 1])


def stated_devices(cases: Sequence[MeasuredCase]) -> float | None:
    """Devices that decode in the middle pool whose source states its workers; None where few do."""
    stated = [one for one in cases if one.case.layout.replicas > 0]
    if len(stated) < FEWEST_CASES:
        return None
    sizes = np.array([one.case.layout.devices * one.case.layout.replicas for one in stated])
    return weighted_median(sizes, group_weights([one.group for one in stated]))


def pool_facts(problem: PoolProblem) -> PoolFacts | None:
    """Gain of drafts as the middle ratio where they may run; the way between pools with the least log error."""
    if not len(problem.cases):
        return None
    weight = group_weights([one.group for one in problem.cases])
    may = problem.may_speculate
    gain = 1.0
    if may.any():
        gain = float(np.exp(weighted_median(np.log(problem.tpot_s / problem.measured_tpot_s)[may], weight[may])))
    errors = [float(weight @ np.abs(np.log((problem.ttft_s + entry) / problem.measured_ttft_s))) for entry in ENTRIES_S]
    return PoolFacts(max(gain, 1.0), float(ENTRIES_S[int(np.argmin(errors))]), problem.devices)


def weighted_median(values: Floats, weight: Floats) -> float:
    """Where half of the weight lies below."""
    order = np.argsort(values)
    reached = np.cumsum(weight[order])
    return float(values[order][int(np.searchsorted(reached, 0.5 * reached[-1]))])


def all_pool_facts(problems: Sequence[PoolProblem]) -> dict[str, PoolFacts]:
    """Facts of every engine; those without enough measured pools take another's."""
    found = {problem.engine: pool_facts(problem) for problem in problems if len(problem.cases) >= FEWEST_CASES}
    usual = found.get(USUAL_ENGINE) or PoolFacts(1.0, float(ENTRIES_S[0]), 0.0)
    return {engine: found.get(engine) or usual for engine in ENGINES}


FEWEST_CASES = 30
