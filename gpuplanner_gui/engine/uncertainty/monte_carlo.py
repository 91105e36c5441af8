"""Sums up what a model makes of samples: bands, and how often one candidate beats another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats

Model = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]
"""Takes inputs of shape (samples,), returns results of shape (…, samples), such as (candidates, samples)."""


@dataclass(frozen=True)
class Band:
    """Three percentiles of a result: 10 % of the samples lie below `p10`, half below `p50`, 90 % below `p90`."""

    p10: Floats
    p50: Floats
    p90: Floats


def band(results: NDArray[np.floating[Any]]) -> Band:
    """P10, P50 and P90 over the samples on the last axis; impossible samples count as infinite.

    For a cost P90 is what it stays below in 90 % of the cases; what is exceeded in 90 % of them is P10.
    """
    finite_or_worst = np.where(np.isnan(results), np.inf, results)
    low, middle, high = np.quantile(finite_or_worst, (0.1, 0.5, 0.9), axis=-1, method="inverted_cdf")
    return Band(low, middle, high)


def probability_cheaper(first: NDArray[np.floating[Any]], second: NDArray[np.floating[Any]]) -> Floats:
    """Share of the samples in which the first is below the second, of the same samples; ties count half. [1]"""
    below: Floats = (np.less(first, second) + 0.5 * np.equal(first, second)).mean(axis=-1)
    return below


def probability_best(results: NDArray[np.floating[Any]]) -> Floats:
    """For candidates on the first axis, the share of samples in which each is the lowest; ties are shared. [1]"""
    values = np.asarray(results, float)
    lowest = values == values.min(axis=0)
    wins = np.where(lowest, 1.0, 0.0) / lowest.sum(axis=0)
    share: Floats = wins.mean(axis=-1)
    return share
