"""Own measurements applied to serving candidates: their steps take longer or shorter, their bands narrow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.devices import DeviceTable
from gpuplanner_gui.engine.formula import formula, leaf
from gpuplanner_gui.engine.local_fit.knowledge import PhaseKnowledge, knowledge_of
from gpuplanner_gui.engine.local_fit.rows import Rows, model_signature
from gpuplanner_gui.engine.precision import PRECISIONS
from gpuplanner_gui.engine.replica_time import ReplicaStepTime
from gpuplanner_gui.engine.serving_candidates import ServingCandidates
from gpuplanner_gui.engine.serving_grid import CandidateStepTime
from gpuplanner_gui.engine.serving_step import StepTimes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

BATCHES = np.array([1.0, 8.0, 64.0, 256.0])
"""Sequences per replica at which factors are asked for."""
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
    context: Context, model: Model, engine: str, candidates: ServingCandidates, step_s: Callable[[Floats], Floats]
) -> ServingPace | None:
    """Factors of candidates; None where nothing was measured. `step_s` predicts decode steps at batches (…, N)."""
    if context.calibration.local is None:
        return None
    known, devices = knowledge_of(context.calibration.local), context.devices
    decode, prefill = known.phase("decode"), known.phase("prefill")
    if decode is None and prefill is None:
        return None
    count = len(candidates)
    decode_log, prefill_log = np.zeros((len(BATCHES), count)), np.zeros(count)
    decode_width, prefill_width = np.ones(count), np.ones(count)
    measured = np.zeros(count, bool)
    times = step_s(np.broadcast_to(BATCHES[:, None], (len(BATCHES), count)))
    if decode is not None:
        chosen = _concerned(decode, candidates, devices)
        middle = len(BATCHES) // 2
        for position, batch in enumerate(BATCHES):
            rows = _rows(decode, model, engine, candidates.at(chosen), devices, batch, times[position, chosen])
            log, width, is_measured = decode.factor(rows)
            decode_log[position, chosen] = log
            if position == middle:
                decode_width[chosen], measured[chosen] = width, is_measured
    if prefill is not None:
        chosen = _concerned(prefill, candidates, devices)
        rows = _rows(prefill, model, engine, candidates.at(chosen), devices, BATCHES[1], times[1, chosen])
        prefill_log[chosen], prefill_width[chosen], _ = prefill.factor(rows)
    return ServingPace(decode_log, prefill_log, decode_width, prefill_width, measured)


def _concerned(known: PhaseKnowledge, candidates: ServingCandidates, devices: DeviceTable) -> Integers:
    """Candidates on accelerators that were measured; no term of the prior reaches beyond."""
    codes = {devices.ids.index(point.accelerator) for point in known.points if point.accelerator in devices.ids}
    return np.flatnonzero(np.isin(candidates.accelerator, list(codes)))


def _rows(
    known: PhaseKnowledge,
    model: Model,
    engine: str,
    candidates: ServingCandidates,
    devices: DeviceTable,
    batch: float,
    time_s: Floats,
) -> Rows:
    """Candidates as the covariance compares them, at one batch."""
    words = known.vocabulary
    accelerator = np.array([words.code("accelerator", name) for name in devices.ids], np.int64)
    precision = np.array([words.code("precision", name) for name in PRECISIONS], np.int64)
    labels = (
        words.code("model", model_signature(model)), accelerator[candidates.accelerator], words.code("engine", engine),
        precision[candidates.weight_precision], words.code("arrangement", "one"),
    )  # fmt: skip
    shape = candidates.accelerator.shape
    share = candidates.devices.astype(np.float64)
    numbers = (np.log2(np.maximum(batch / share, 1e-3)), np.log2(share), np.log2(np.maximum(time_s, 1e-9)))
    return Rows(
        np.stack([np.broadcast_to(one, shape) for one in labels]),
        np.stack([np.broadcast_to(one, shape) for one in numbers]),
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


def paced_steps(step: CandidateStepTime, pace: ServingPace | None, max_sequences: float) -> CandidateStepTime:
    """Tables of step times at the measured pace.

    Of a step's tokens, as many as sequences may run, and no more than batches usually have, are decodes.
    """
    if pace is None:
        return step
    decode = pace.decode_factor(np.broadcast_to(step.tokens[:, None], step.base_s.shape))
    prefill = np.broadcast_to(pace.prefill_factor, step.base_s.shape)
    decoding = np.minimum(step.tokens, min(max_sequences, BATCHES[-1]))[:, None]
    share = 1.0 - decoding / step.tokens[:, None]
    base = np.exp((1.0 - share) * np.log(decode) + share * np.log(prefill))
    usual = pace.decode_factor(np.full(step.base_s.shape[1], BATCHES[2]))
    return replace(
        step,
        base_s=as_measured_s(step.base_s, _leaf(base)),
        cache_token_s=as_measured_s(step.cache_token_s, _leaf(usual)),
        pair_s=as_measured_s(step.pair_s, _leaf(pace.prefill_factor)),
        prefill_extra_s=as_measured_s(step.prefill_extra_s, _leaf(pace.prefill_factor)),
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


def paced_replica(step: ReplicaStepTime, pace: ServingPace | None) -> ReplicaStepTime:
    """The simulation's tables of one replica at the measured pace."""
    if pace is None:
        return step
    decode = pace.decode_factor(np.maximum(step.batch, 1.0)[:, None])[:, 0]
    prefill = float(pace.prefill_factor[0])
    return replace(
        step,
        decode_s=as_measured_s(step.decode_s, decode),
        kv_token_s=as_measured_s(step.kv_token_s, decode),
        mixed_extra_s=as_measured_s(step.mixed_extra_s, decode),
        mixed_s=as_measured_s(step.mixed_s, np.asarray(prefill)),
        attention_pair_s=step.attention_pair_s * prefill,
    )


def _leaf(factor: Floats) -> Floats:
    marked: Floats = leaf(factor, "local_factor", "", SOURCE)
    return marked
