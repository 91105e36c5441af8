"""Robust fit of positive parameters to times, on the logarithm, with a weak pull towards usual values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from gpuplanner_gui.domain.arrays import Floats

SHARES = ("overlap_loss",)
"""Parameters between 0 and 1; all others are positive."""

LOG_BEST = np.log(1.1)
"""Best efficiency allowed: nearly the peak, with some room for clocks above the stated ones."""

LOSS_SCALE = 0.08
PULL = 0.02
"""Weight of one parameter's pull, per e-fold from its usual value, relative to one log unit of residual rms."""


@dataclass(frozen=True)
class Residual:
    """Error of predictions on rows that the fit had not seen; log error is ln(predicted / measured)."""

    median_error: float
    p90_error: float
    median_log_bias: float
    log_sd: float
    log_p10: float
    log_p90: float
    rows: int


def residual_of(log_error: Floats) -> Residual:
    low, middle, high = np.quantile(log_error, (0.1, 0.5, 0.9))
    error = np.abs(np.expm1(log_error))
    return Residual(
        round(float(np.median(error)), 4),
        round(float(np.quantile(error, 0.9)), 4),
        round(float(middle), 4),
        round(float((high - low) / 2.5631), 4),
        round(float(low), 4),
        round(float(high), 4),
        len(log_error),
    )


def encoded(values: dict[str, float]) -> Floats:
    return np.array([np.log(v / (1 - v)) if name in SHARES else np.log(v) for name, v in values.items()])


def decoded(kind: type, names: tuple[str, ...], vector: Floats) -> Any:
    values = {
        name: 1 / (1 + np.exp(-x)) if name in SHARES else np.exp(x) for name, x in zip(names, vector, strict=True)
    }
    return kind(**{field.name: np.asarray(values[field.name]) for field in fields(kind)})


def fitted(
    kind: type,
    usual: dict[str, float],
    seconds_of: Callable[[Any], Floats],
    measured_s: Floats,
    weights: Floats,
    start: Floats | None = None,
    limits: dict[str, float] | None = None,
) -> Floats:
    """Encoded parameters of least weighted soft-L1 error of log time; `limits` bounds some of them from above."""
    names = tuple(usual)
    centre = encoded(usual)
    target = np.log(measured_s)
    root = np.sqrt(weights / np.mean(weights))
    pull = PULL * LOSS_SCALE * np.sqrt(len(target))

    def errors(vector: Floats) -> Floats:
        difference = np.log(seconds_of(decoded(kind, names, vector))) - target
        return np.concatenate([root * difference, pull * (vector - centre)])

    first = centre if start is None else start
    highest = np.array([_log_limit(name, x, limits or {}) for name, x in zip(names, centre, strict=True)])
    inside = np.clip(first, centre - 9, highest - 1e-3)
    bounds = (centre - 10, highest)
    result = least_squares(errors, inside, loss="soft_l1", f_scale=LOSS_SCALE, max_nfev=60, bounds=bounds)
    vector: Floats = result.x
    return vector


def _log_limit(name: str, usual: float, limits: dict[str, float]) -> float:
    if name in limits:
        return float(np.log(limits[name]))
    return float(LOG_BEST) if name.endswith("_efficiency") else usual + 10
