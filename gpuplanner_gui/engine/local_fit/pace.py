"""Own measurements applied to serving candidates: their steps take longer or shorter, their bands narrow."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.formula import formula, leaf
from gpuplanner_gui.engine.local_fit.knowledge import PhaseKnowledge, knowledge_of
from gpuplanner_gui.engine.local_fit.points import LEAST_TIME_S, log2_tokens
from gpuplanner_gui.engine.local_fit.rows import Rows, model_signature
from gpuplanner_gui.engine.local_fit.shares import step_shares
from gpuplanner_gui.engine.precision import PRECISIONS
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.demand import Demand
from gpuplanner_gui.engine.serving.deployments import Deployments
from gpuplanner_gui.engine.serving.step import StepTimes, StepWork, step_times
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps, breakdown

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BATCHES = np.array([1.0, 8.0, 64.0, 256.0])
"""Sequences per replica at which factors are asked for."""
WIDTH_BATCH = BATCHES[2]
"""At which the width of the band is taken."""
SOURCE = "own measurements, shrunk towards the shipped calibration"


@dataclass(frozen=True)
class ServingPace:
    """Log factors on the time of serving steps; candidates' shape."""

    decode_log: Floats
    """Shape (batches, candidates)."""
    prefill_log: Floats
    decode_width: Floats
    """What remains of the band of times per token."""
    prefill_width: Floats
    is_measured: NDArray[np.bool_]

    def at(self, index: Integers) -> ServingPace:
        return ServingPace(
            self.decode_log[:, index], self.prefill_log[index], self.decode_width[index], self.prefill_width[index],
            self.is_measured[index],
        )  # fmt: skip

    def decode_factor(self, sequences: Floats) -> Floats:
        """Factor on a decode step of so many sequences, shape (…, candidates)."""
        at = np.log(np.clip(sequences, BATCHES[0], BATCHES[-1]))
        grid = np.log(BATCHES)
        above = np.clip(np.searchsorted(grid, at), 1, len(grid) - 1)
        columns = np.broadcast_to(np.arange(self.decode_log.shape[1]), at.shape)
        low, high = self.decode_log[above - 1, columns], self.decode_log[above, columns]
        part = (at - grid[above - 1]) / (grid[above] - grid[above - 1])
        return np.asarray(np.exp(low + part * (high - low)))

    @property
    def prefill_factor(self) -> Floats:
        return np.asarray(np.exp(self.prefill_log))


def serving_pace(
    context: Context,
    scenario: Scenario,
    candidates: ServingCandidates,
    deployed: Deployments,
    demand: Demand,
) -> ServingPace | None:
    """Factors of candidates; None where nothing was measured."""
    assert scenario.serving is not None
    if context.calibration.local is None:
        return None
    known = knowledge_of(context.calibration.local)
    decode, prefill = known.phase("decode"), known.phase("prefill")
    chosen = _concerned([part for part in (decode, prefill) if part is not None], candidates, context.devices)
    if not len(chosen):
        return None
    cases = _Cases(scenario, candidates.at(chosen), context.devices, demand)
    own = deployed.at(chosen)
    pace = _unchanged(len(candidates))
    if decode is not None:
        for position, batch in enumerate(BATCHES):
            parts = breakdown(own, np.full(len(chosen), batch), demand.context_tokens)
            log, width, is_measured = decode.factor(cases.rows(decode, batch, parts))
            pace.decode_log[position, chosen] = log
            if batch == WIDTH_BATCH:
                pace.decode_width[chosen], pace.is_measured[chosen] = width, is_measured
    if prefill is not None:
        tokens = np.asarray(min(max(demand.mix.computed_tokens, 1.0), float(demand.token_budget)))
        parts = step_times(own.operations, StepWork(_NONE, _NONE, tokens, _ONE, _NONE), own.replica, own.engine)
        log, width, _ = prefill.factor(cases.rows(prefill, 1.0, parts))
        pace.prefill_log[chosen], pace.prefill_width[chosen] = log, width
    return pace


_NONE, _ONE = np.asarray(0.0), np.asarray(1.0)


def _unchanged(count: int) -> ServingPace:
    return ServingPace(
        np.zeros((len(BATCHES), count)), np.zeros(count), np.ones(count), np.ones(count), np.zeros(count, bool)
    )


def _concerned(known: list[PhaseKnowledge], candidates: ServingCandidates, devices: DeviceTable) -> Integers:
    """Candidates on accelerators that were measured; no term of the prior reaches beyond."""
    names = {point.accelerator for part in known for point in part.points} & set(devices.ids)
    return np.flatnonzero(np.isin(candidates.accelerator, [devices.ids.index(name) for name in names]))


@dataclass(frozen=True)
class _Cases:
    """Candidates as the covariance compares them."""

    scenario: Scenario
    candidates: ServingCandidates
    devices: DeviceTable
    demand: Demand

    def rows(self, known: PhaseKnowledge, batch: float, parts: StepTimes) -> Rows:
        """At one batch, where a step takes so long by resource."""
        assert self.scenario.serving is not None
        words, candidates = known.vocabulary, self.candidates
        accelerator = np.array([words.code("accelerator", name) for name in self.devices.ids], np.int64)
        precision = np.array([words.code("precision", name) for name in PRECISIONS], np.int64)
        model, engine = model_signature(self.scenario.model), self.scenario.serving.engine.engine
        builds = [known.build_of(engine, model, name) for name in self.devices.ids]
        month = np.array([words.code("month", one[1]) for one in builds], np.int64)
        labels = (
            words.code("model", model), accelerator[candidates.accelerator],
            words.code("engine", engine), precision[candidates.weight_precision],
            words.code("arrangement", "one"), words.code("release", known.build_of(engine)[0]),
            month[candidates.accelerator],
        )  # fmt: skip
        share = candidates.devices.astype(np.float64)
        total = np.maximum(np.broadcast_to(parts.total, share.shape), LEAST_TIME_S)
        numbers = (
            np.log2(np.maximum(batch / share, 1e-3)), np.log2(batch), np.log2(share), np.log2(total),
            log2_tokens(self.demand.prompt_tokens), log2_tokens(self.demand.output_tokens),
        )  # fmt: skip
        return Rows(
            np.stack([np.broadcast_to(one, share.shape) for one in labels]),
            np.stack([np.broadcast_to(one, share.shape) for one in numbers]),
            step_shares(parts, total),
        )


@formula(
    title="As own measurements say",
    unit="s",
    expression="predicted_s · local_factor",
    source="residuals of own measurements: Gaussian process, shrunk towards the shipped calibration",
)
def as_measured_s(predicted_s: Floats, local_factor: Floats) -> Floats:
    """A predicted time at the pace that was measured. [s]"""
    return np.asarray(predicted_s * local_factor)


def paced_steps(step: DeploymentSteps, pace: ServingPace | None) -> DeploymentSteps:
    """Tables of step times at the measured pace: decoding by its batch, steps with prompts at that of prompts."""
    if pace is None:
        return step
    usual = _leaf(pace.decode_factor(np.full(step.decode_s.shape[1], WIDTH_BATCH)))
    decode = _leaf(pace.decode_factor(np.broadcast_to(step.batch[:, None], step.decode_s.shape)))
    prefill = _leaf(pace.prefill_factor)
    return replace(
        step,
        decode_s=as_measured_s(step.decode_s, decode),
        prompt_s=as_measured_s(step.prompt_s, prefill),
        cache_token_s=as_measured_s(step.cache_token_s, usual),
        pair_s=as_measured_s(step.pair_s, prefill),
        beside_s=as_measured_s(step.beside_s, usual),
        sequence_s=as_measured_s(step.sequence_s, usual),
    )


def paced_breakdown(times: StepTimes, pace: ServingPace | None, batch: Floats) -> StepTimes:
    """A decode step by resource at the measured pace."""
    if pace is None:
        return times
    factor = _leaf(pace.decode_factor(batch))
    return StepTimes(
        as_measured_s(times.compute_s, factor),
        as_measured_s(times.bandwidth_s, factor),
        as_measured_s(times.interconnect_s, factor),
        as_measured_s(times.host_s, factor),
    )


def _leaf(factor: Floats) -> Floats:
    marked: Floats = leaf(factor, "local_factor", "", SOURCE)
    return marked
