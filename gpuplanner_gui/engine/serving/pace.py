"""Step times at the pace that own measurements show, whatever it was learnt from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula, leaf
from gpuplanner_gui.engine.serving.step import StepTimes
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps

BATCHES = np.array([1.0, 8.0, 64.0, 256.0])
"""Sequences per replica at which factors are asked for."""
WIDTH_BATCH = BATCHES[2]
"""Batch at which the width of the band is taken."""
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
    beyond_log: Floats
    """Log of the factor by which own measurements beat the hardware's limits; that part is ignored."""
    source: str = SOURCE

    def decode_factor(self, sequences: Floats) -> Floats:
        """Factor on a decode step of so many sequences, shape (…, candidates)."""
        if (self.decode_log == self.decode_log[:1]).all():
            return np.broadcast_to(np.exp(self.decode_log[0]), np.shape(sequences))
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


@formula(
    title="Corrected by own measurements",
    unit="s",
    expression="predicted_s · local_factor",
    source="residuals of own measurements: Gaussian process, shrunk towards the shipped calibration; or the fastest"
    " published run (docs/derivations/uncertainty.md#hardly-faster-than-measured)",
)
def as_measured_s(predicted_s: Floats, local_factor: Floats) -> Floats:
    """A predicted time at the pace that was measured. [s]"""
    return np.asarray(predicted_s * local_factor)


def paced_steps(step: DeploymentSteps, pace: ServingPace | None) -> DeploymentSteps:
    """Tables of step times at the measured pace: decoding by its batch, steps with prompts at that of prompts."""
    if pace is None:
        return step
    usual = _leaf(pace, pace.decode_factor(np.full(step.decode_s.shape[1], WIDTH_BATCH)))
    decode = _leaf(pace, pace.decode_factor(np.broadcast_to(step.batch[:, None], step.decode_s.shape)))
    prefill = _leaf(pace, pace.prefill_factor)
    factors = {"decode_s": decode, "cache_token_s": usual, "beside_s": usual, "sequence_s": usual}
    return step.retimed(lambda name, time_s: as_measured_s(time_s, factors.get(name, prefill)))


def paced_breakdown(times: StepTimes, pace: ServingPace | None, batch: Floats) -> StepTimes:
    """A decode step by resource at the measured pace."""
    if pace is None:
        return times
    factor = _leaf(pace, pace.decode_factor(batch))
    return times.retimed(lambda part: as_measured_s(part, factor))


def _leaf(pace: ServingPace, factor: Floats) -> Floats:
    marked: Floats = leaf(factor, "local_factor", "", pace.source)
    return marked
