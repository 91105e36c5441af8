"""How far own measurements say something of other cases: the spreads of the error hierarchy, shared out over what two
cases have in common.

What all runs of an installation share is the hierarchy's installation; what differs from run to run falls with the
distance of their loads. Derivation: docs/derivations/uncertainty.md#own-measurements.
"""

from __future__ import annotations

import math
from functools import lru_cache

from gpuplanner_gui.domain.local_calibration import (
    SHARES,
    CovarianceTerm,
    ErrorHierarchy,
    LocalPhase,
    LocalPrior,
    PhasePrior,
    Weighted,
)

ONE_MODEL = ("model", "accelerator")
ONE_ENGINE = (*ONE_MODEL, "engine")
BUILT = (*ONE_ENGINE, "precision", "arrangement", "release", "month")
INSTALLATION: tuple[tuple[tuple[str, ...], float], ...] = (
    (ONE_MODEL, 0.2), (ONE_ENGINE, 0.2), ((*ONE_ENGINE, "release", "month"), 0.2), (BUILT, 0.4),
)  # fmt: skip
"""What runs share, and its part of the installation's variance: the nearer, the more."""
LOAD = {"log2_batch": 2.5, "log2_devices": 0.95, "log2_time": 2.0, "log2_prompt": 4.7, "log2_output": 4.8}
"""Distances at which loads differ."""
RUNNING = {"log2_running": LOAD["log2_batch"], "log2_time": LOAD["log2_time"]}
RUN: tuple[tuple[tuple[str, ...], dict[str, float], float], ...] = (
    (ONE_MODEL, LOAD, 0.15), (ONE_ENGINE, RUNNING, 0.15), (BUILT, LOAD, 0.4),
)  # fmt: skip
"""What near loads share, and its part of a run's variance."""
RESOURCE = 0.15
"""Part of it that the efficiency of a resource has, where all of the time goes there."""
NOISE = 0.15
"""Of a run's spread: what no other run shares."""
POOLS_NOISE_LOG_SD = 0.15
SERVING_SCALES = ((0.3, 1.0), (1.0, 1.0), (10.0, 0.1))
"""Of the variance, with weights: installations as they should be, usual ones, and devices that nobody has timed."""
TRAINING_SCALES = ((0.001, 2.0), (0.03, 1.0), (0.3, 1.0), (1.0, 1.0), (3.0, 0.5), (30.0, 0.01))
"""Likewise. Half of all training steps are predicted to within a few percent, where a factor learned from few runs
would do harm: that a prediction is right is weighed as likely as not."""
NOISE_SCALES = (0.3, 1.0, 4.0, 16.0)
LEAST_WIDTH: dict[LocalPhase, float] = {"prefill": 0.0, "decode": 0.4, "training": 0.5}
"""Of bands, at which four in five hold on the rest of a group that is partly measured (`tools.fidelity.local_fit`)."""


@lru_cache(maxsize=4)
def local_prior(errors: ErrorHierarchy) -> LocalPrior:
    """The prior of own measurements; errors are compared by identity."""
    found: dict[LocalPhase, PhasePrior] = {}
    for phase in LEAST_WIDTH:
        own = errors.training if phase == "training" else errors.phase(phase)
        found[phase] = phase_prior(phase, own.installation, own.run)
    return LocalPrior(phases=found, memory=errors.memory)


def phase_prior(phase: LocalPhase, installation_log_sd: float, run_log_sd: float) -> PhasePrior:
    """The prior of one phase from what its installations and their runs vary by."""

    def spread(whole: float, part: float) -> float:
        return whole * math.sqrt(part)

    terms = (
        *(CovarianceTerm(same=same, log_sd=spread(installation_log_sd, part)) for same, part in INSTALLATION),
        *(CovarianceTerm(same=same, lengths=near, log_sd=spread(run_log_sd, part)) for same, near, part in RUN),
        *(CovarianceTerm(same=ONE_MODEL, share=share, log_sd=spread(run_log_sd, RESOURCE)) for share in SHARES),
    )
    scales = TRAINING_SCALES if phase == "training" else SERVING_SCALES
    return PhasePrior(
        terms=terms,
        noise_log_sd=NOISE * run_log_sd,
        pools_noise_log_sd=POOLS_NOISE_LOG_SD,
        signal_scales=tuple(Weighted(scale=scale, weight=weight) for scale, weight in scales),
        noise_scales=tuple(Weighted(scale=scale, weight=1.0) for scale in NOISE_SCALES),
        least_width=LEAST_WIDTH[phase],
    )
