"""Runs a model over samples, in batches that can be watched and cancelled, and sums up what came out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuplanner_gui.engine.uncertainty.sampling import Sample

Floats = NDArray[np.float64]
Model = Callable[[Mapping[str, Floats]], Mapping[str, Floats]]
"""Takes inputs of shape (samples,), returns results of shape (…, samples), such as (candidates, samples)."""

DEFAULT_BATCH = 1_000


class Cancelled(Exception):
    """The planner asked for something newer; nothing of the run is kept."""


@dataclass(frozen=True)
class Band:
    """Three percentiles of a result: 10 % of the samples lie below `p10`, half below `p50`, 90 % below `p90`."""

    p10: Floats
    p50: Floats
    p90: Floats


def run(
    model: Model,
    sample: Sample,
    batch: int = DEFAULT_BATCH,
    on_progress: Callable[[float], None] = lambda share: None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> dict[str, Floats]:
    """Results of the model for every sample, samples on the last axis.

    `on_progress` hears the share done after each batch. Raises Cancelled as soon as `is_cancelled` says so between two
    batches. The batch size changes no result.
    """
    collected: dict[str, list[Floats]] = {}
    for start in range(0, sample.count, batch):
        if is_cancelled():
            raise Cancelled
        part = slice(start, min(start + batch, sample.count))
        for name, result in model({name: values[part] for name, values in sample.values.items()}).items():
            collected.setdefault(name, []).append(np.asarray(result, float))
        on_progress(part.stop / sample.count)
    return {name: np.concatenate(results, axis=-1) for name, results in collected.items()}


def band(results: NDArray[np.floating[Any]]) -> Band:
    """P10, P50 and P90 over the samples on the last axis; impossible samples count as infinite.

    For a cost P90 is what it stays below in 90 % of the cases; what is exceeded in 90 % of them is P10.
    """
    finite_or_worst = np.where(np.isnan(results), np.inf, results)
    low, middle, high = np.quantile(finite_or_worst, (0.1, 0.5, 0.9), axis=-1, method="inverted_cdf")
    return Band(low, middle, high)


def probability_at_most(results: NDArray[np.floating[Any]], limit: ArrayLike) -> Floats:
    """Share of the samples that stay at or below a limit: a budget, a date, a latency target. [1]"""
    held: Floats = (np.asarray(results, float) <= np.asarray(limit, float)[..., None]).mean(axis=-1)
    return held


def probability_of_all(*conditions: NDArray[np.bool_]) -> Floats:
    """Share of the samples in which every condition holds at once. [1]"""
    everything = np.logical_and.reduce(np.broadcast_arrays(*conditions))
    share: Floats = everything.mean(axis=-1)
    return share


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
