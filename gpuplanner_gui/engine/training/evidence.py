"""How well a training prediction is known: measured kernels or a relative's, and how far errors spread."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.evidence.record import kinds
from gpuplanner_gui.engine.training.job import TrainingJob

UNRELATED_LOG_SD = 0.25
"""Added spread for a device that no relative of its vendor was timed for."""
KERNELS_OF = "vllm"
"""Whose measured kernels stand for training's: PyTorch's own matrix products and flash attention."""
SPACE_KERNELS_OF = "trtllm"
"""Whose measured kernels stand for state-space layers: the chunked scan of Mamba 2, as training runs it."""


def step_log_sd(context: Context, job: TrainingJob, accelerator: Integers) -> Floats:
    """Spread of the logarithm of a step time: the framework's own, and that of kernels taken from a relative."""
    kernels = context.kernels(KERNELS_OF)
    transfer = np.where(kernels.is_measured[:, job.compute_index], 0.0, kernels.log_sd[:, job.compute_index])
    own = job.framework.expert_log_sd if job.numbers.experts else job.framework.log_sd
    per_device = np.sqrt(own**2 + transfer**2 + _alien_log_sd(context) ** 2)
    return np.asarray(per_device[accelerator])


def kinds_of(context: Context, job: TrainingJob, accelerator: Integers) -> Integers:
    """What each prediction rests on, own measurements apart."""
    runs = context.published_training.on_devices(context.devices.ids)
    is_timed = context.kernels(KERNELS_OF).is_measured[:, job.compute_index]
    return kinds(runs, is_timed, context.has_timed_relative)[accelerator]


@lru_cache(maxsize=8)
def _alien_log_sd(context: Context) -> Floats:
    return np.where(context.is_of_timed_vendor, 0.0, UNRELATED_LOG_SD)
