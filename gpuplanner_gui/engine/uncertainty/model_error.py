"""Error of the models themselves, from the residuals of their calibration, shared between similar candidates.

A residual is ln(measured / predicted). Groups are told by a key from general to special, such as
(phase, family, engine, precision).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.quantity import Z_90
from gpuplanner_gui.engine.uncertainty.normal import normal_quantile
from gpuplanner_gui.engine.uncertainty.sampling import latin_hypercube, stream

Floats = NDArray[np.float64]
GroupKey = tuple[str, ...]

LEAST_ROWS = 10
"""Residuals that a group needs for a band of its own: an 80 % band leaves one on each side."""
WIDENING_PER_LEVEL = 1.5
"""For each part of the key that had to be given up to find enough residuals."""
COMMON_SHARE = 0.65
"""Correlation of the errors of candidates of one group: the middle of 0.5 to 0.8."""


@dataclass(frozen=True)
class LogError:
    """Error of a model for one group, on a log scale."""

    bias: float
    """Median residual: predictions are to be multiplied by its exponential. [1]"""
    sigma: float
    """Standard deviation of a normal error with the same 80 % band. [1]"""
    rows: int
    missing_levels: int
    """Parts of the key given up; 0 where the group has residuals enough of its own."""

    def band(self, predicted: Floats) -> tuple[Floats, Floats]:
        """P10 and P90 of the truth, given a prediction."""
        low: Floats = predicted * math.exp(self.bias - Z_90 * self.sigma)
        high: Floats = predicted * math.exp(self.bias + Z_90 * self.sigma)
        return low, high


def conformal_half_width(log_residuals: NDArray[np.floating[Any]], coverage: float) -> float:
    """Half-width of a band that holds the next residual with a given probability, whatever the distribution.

    The ⌈coverage·(n + 1)⌉-th smallest absolute residual; infinite where n is too small for the coverage asked.

    References
    ----------
    .. [1] Lei et al. 2018, Distribution-free predictive inference for regression, JASA 113, section 2.2.
    """
    sizes = np.sort(np.abs(log_residuals))
    rank = math.ceil(coverage * (sizes.size + 1) - 1e-9)
    return float(sizes[rank - 1]) if 0 < rank <= sizes.size else math.inf


def log_error(
    residuals: Mapping[GroupKey, NDArray[np.floating[Any]]], key: GroupKey, least_rows: int = LEAST_ROWS
) -> LogError | None:
    """Error for a group from its own residuals, or from ever wider groups, widened for each level given up.

    None where even all residuals together are too few.
    """
    for missing in range(len(key) + 1):
        kept = key[: len(key) - missing]
        pool = [values for group, values in residuals.items() if group[: len(kept)] == kept]
        rows = np.concatenate(pool) if pool else np.empty(0)
        if rows.size >= least_rows:
            bias = float(np.median(rows))
            half_width = conformal_half_width(rows - bias, 0.8)
            return LogError(bias, half_width / Z_90 * WIDENING_PER_LEVEL**missing, rows.size, missing)
    return None


def sigma_of_band(low80: NDArray[np.floating[Any]] | float, high80: NDArray[np.floating[Any]] | float) -> Floats:
    """Standard deviation of the logarithm that an 80 % band stands for. [1]"""
    sigma: Floats = np.log(np.asarray(high80, float) / np.asarray(low80, float)) / (2 * Z_90)
    return sigma


def shared_error_factors(
    sigma: Floats,
    groups: NDArray[np.integer[Any]],
    count: int,
    seed: int,
    common_share: float = COMMON_SHARE,
) -> Floats:
    """Factors to multiply predictions by, alike within a group, so that comparisons are not drowned in common error.

    Parameters
    ----------
    sigma : of each candidate's log error, shape (candidates,). [1]
    groups : whole number of each candidate's group, shape (candidates,).
    count : samples. [1]
    seed : of the random generator.
    common_share : correlation of the log errors of two candidates of one group, 0 to 1.

    Returns
    -------
    Factors with median 1, shape (candidates, count). [1]
    """
    generator = stream(seed, "model error")
    labels, member = np.unique(groups, return_inverse=True)
    common = normal_quantile(latin_hypercube(count, labels.size, generator))
    own = generator.standard_normal((np.size(groups), count))
    score = math.sqrt(common_share) * common[member] + math.sqrt(1 - common_share) * own
    factors: Floats = np.exp(np.asarray(sigma, float)[:, None] * score)
    return factors
