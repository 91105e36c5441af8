"""Robust least squares with a ridge: re-weighted Gauss-Newton in plain NumPy, so that reports need no SciPy."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gpuplanner_gui.domain.arrays import Floats

STEP = 1e-3
LONGEST = 0.8


def fitted(
    residuals: Callable[[Floats], Floats],
    start: Floats,
    weight: Floats,
    scale: Floats,
    ridge: Floats,
    iterations: int = 14,
    slopes_at: Callable[[Floats, Floats], Floats] | None = None,
) -> Floats:
    """The vector that makes robust residuals small.

    Minimises Σ weight · √(1 + (r/scale)²) · scale² + Σ (ridge · x)² by steps that are at most `LONGEST` in any number.
    `slopes_at(vector, residuals)` gives the slopes, shape (residuals, numbers); else each number is moved in turn.
    """
    vector = start.copy()
    for _ in range(iterations):
        at = residuals(vector)
        robust = weight / (scale**2 * np.sqrt(1.0 + (at / scale) ** 2))
        slopes = slopes_at(vector, at) if slopes_at else _moved_slopes(residuals, vector, at)
        curvature = slopes.T @ (robust[:, None] * slopes) + np.diag(ridge**2)
        gradient = slopes.T @ (robust * at) + ridge**2 * vector
        change = np.clip(np.linalg.solve(curvature, -gradient), -LONGEST, LONGEST)
        vector = vector + change
        if np.abs(change).max() < 5e-3:
            break
    return vector


def _moved_slopes(residuals: Callable[[Floats], Floats], vector: Floats, at: Floats) -> Floats:
    slopes = np.empty((len(at), len(vector)))
    for column in range(len(vector)):
        moved = vector.copy()
        moved[column] += STEP
        slopes[:, column] = (residuals(moved) - at) / STEP
    return slopes


def group_weights(groups: list[str]) -> Floats:
    """Weights with which a group counts as the root of its size; they average 1."""
    names, which, sizes = np.unique(np.array(groups), return_inverse=True, return_counts=True)
    weight = 1.0 / np.sqrt(sizes[which])
    return np.asarray(weight * len(groups) / weight.sum()) if len(names) else weight
