"""Points and priors with hand-picked numbers."""

from __future__ import annotations

from typing import Any

import pytest

from gpuplanner_gui.domain.knowledge import (
    CovarianceTerm,
    LocalPoint,
    LocalPrior,
    MemoryPrior,
    PhasePrior,
    Weighted,
)
from gpuplanner_gui.engine.evidence.posterior import local_prior as local_prior_of
from gpuplanner_gui.files.knowledge import load_calibration

LENGTHS = {"log2_batch": 2.0, "log2_devices": 2.0, "log2_time": 2.0, "log2_prompt": 2.0, "log2_output": 2.0}


def prior(**changes) -> PhasePrior:
    """Factors of a device and model, and of the load on it; noise of 5 %."""
    given: dict[str, Any] = {
        "terms": (
            CovarianceTerm(same=("model", "accelerator"), log_sd=0.3),
            CovarianceTerm(same=("model", "accelerator"), lengths=LENGTHS, log_sd=0.2),
        ),
        "noise_log_sd": 0.05,
        "pools_noise_log_sd": 0.2,
        "signal_scales": (Weighted(scale=1.0, weight=1.0),),
        "noise_scales": (Weighted(scale=1.0, weight=1.0),),
    } | changes
    return PhasePrior(**given)


def point(log_residual: float, **changes) -> LocalPoint:
    """A decode step of 10 ms predicted, measured off by a factor."""
    given = {
        "phase": "decode", "model": "m", "accelerator": "nvidia-h100-sxm-80gb", "engine": "vllm", "precision": "fp8",
        "log2_batch": 4.0, "log2_devices": 0.0, "log2_time": -6.6, "log_residual": log_residual, "quantity": "tpot",
        "measured": 0.01 * 2.718281828459045**log_residual, "predicted": 0.01, "low80": 0.008, "high80": 0.0125,
    } | changes  # fmt: skip
    return LocalPoint(**given)


@pytest.fixture
def local_prior() -> LocalPrior:
    return LocalPrior(
        phases={"decode": prior(), "prefill": prior(), "training": prior()},
        memory=MemoryPrior(model_sd_bytes=1.5e9, run_sd_bytes=2.0e9, source=""),
    )


def shipped_prior() -> LocalPrior:
    """What own measurements start from."""
    return local_prior_of(load_calibration().errors)
