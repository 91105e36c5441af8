"""Percentiles of latencies, weighted ones, and how sure a single run makes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats

PERCENTILES = (0.50, 0.90, 0.95, 0.99)
"""Shares that every summary reports, in this order."""

BATCHES = 10
"""Consecutive batches of one run whose spread gives its confidence band."""

STUDENT_90 = 1.383
"""0.9 quantile of Student's t with `BATCHES` − 1 degrees of freedom: an 80 % band on both sides."""


@dataclass(frozen=True)
class Percentiles:
    """Mean and percentiles of a latency; `band_s` is half the width of the 80 % confidence band of each percentile."""

    mean_s: float
    at_s: Floats
    band_s: Floats

    def of(self, share: float) -> float:
        """One of `PERCENTILES`."""
        return float(self.at_s[PERCENTILES.index(share)])


def weighted_percentiles(values: Floats, weights: Floats, shares: Floats) -> Floats:
    """Smallest values below or at which the given shares of the weight lie; NaN without any weight."""
    order = np.argsort(values, kind="stable")
    return _of_ordered(values[order], weights[order], shares)


def _of_ordered(values: Floats, weights: Floats, shares: Floats) -> Floats:
    reached = np.cumsum(weights)
    if not len(reached) or not reached[-1] > 0:
        return np.full(len(shares), np.nan)
    position = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1 - 1e-12))
    return np.asarray(values[np.minimum(position, len(values) - 1)])


def percentiles(values: Floats) -> Percentiles:
    """Of values in order of time; those that are NaN do not count.

    The band comes from percentiles of consecutive batches (batch means); it is NaN with fewer than two values in each.
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        unknown = np.full(len(PERCENTILES), np.nan)
        return Percentiles(float("nan"), unknown, unknown)
    at = np.quantile(finite, PERCENTILES)
    size = len(finite) // BATCHES
    if size < 2:
        return Percentiles(float(finite.mean()), at, np.full(len(PERCENTILES), np.nan))
    batches = finite[: size * BATCHES].reshape(BATCHES, size)
    return Percentiles(float(finite.mean()), at, _band(np.quantile(batches, PERCENTILES, axis=1).T))


def percentiles_of_batches(batches: Iterable[tuple[Floats, Floats]]) -> Percentiles:
    """Of values and their weights, in consecutive batches of time; each is put in order for itself, so that a long
    run's caller comes to speak in between."""
    shares = np.asarray(PERCENTILES)
    parts = []
    for values, weights in batches:
        order = np.argsort(values, kind="stable")
        parts.append((values[order], weights[order]))
    by_batch = [_of_ordered(values, weights, shares) for values, weights in parts]
    known = np.array([row for row in by_batch if np.isfinite(row).all()]).reshape(-1, len(shares))
    all_values, all_weights = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    total = all_weights.sum()
    mean = float(all_weights @ all_values / total) if total > 0 else float("nan")
    return Percentiles(mean, weighted_percentiles(all_values, all_weights, shares), _band(known))


def _band(by_batch: Floats) -> Floats:
    """Half width from percentiles of batches, shape (batches, percentiles)."""
    if len(by_batch) < 2:
        return np.full(by_batch.shape[1], np.nan)
    return np.asarray(STUDENT_90 * by_batch.std(axis=0, ddof=1) / np.sqrt(len(by_batch)))
