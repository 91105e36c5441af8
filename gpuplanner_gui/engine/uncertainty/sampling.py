"""Latin hypercube samples of uncertain inputs, with rank correlation."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Quantity, is_uncertain
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, normal_quantile

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


Correlations = Mapping[tuple[str, str], float]
"""Correlation of the normal scores of two inputs (Gaussian copula), for pairs that move together."""


class ContradictoryCorrelationsError(ValueError):
    """Correlations that no set of inputs can have at once, such as A with B, B with C, but A against C."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(f"no inputs can be correlated as stated: {', '.join(names)}")
        self.names = names


@dataclass(frozen=True)
class Sample:
    """Values of the inputs in each sample."""

    values: dict[str, Floats]
    """Each of shape (samples,), also for inputs that are certain."""
    probabilities: dict[str, Floats]
    """For uncertain inputs, where in its distribution each value lies, 0 to 1."""
    count: int

    @property
    def uncertain(self) -> tuple[str, ...]:
        return tuple(self.probabilities)


def stream(seed: int, name: str) -> np.random.Generator:
    """A random generator of its own for every name: streams of one seed are independent of each other."""
    return np.random.default_rng([seed, zlib.crc32(name.encode())])


def latin_hypercube(count: int, dimensions: int, generator: np.random.Generator) -> Floats:
    """Points of the unit cube, one in each of `count` equal strata of every axis, shape (dimensions, count).

    References
    ----------
    .. [1] McKay, Beckman and Conover 1979, Technometrics 21(2), section 2.
    """
    strata = np.tile(np.arange(count, dtype=float), (dimensions, 1))
    shuffled = generator.permuted(strata, axis=1)
    points: Floats = (shuffled + generator.random((dimensions, count))) / count
    return points


def correlated_ranks(points: Floats, correlation: Floats) -> Floats:
    """Reorder each axis of a Latin hypercube so that the axes are correlated; every stratum keeps its one point.

    Parameters
    ----------
    points : shape (dimensions, count).
    correlation : of the normal scores, shape (dimensions, dimensions), positive definite.

    Notes
    -----
    The correlation that the scores have by chance is taken out first, so the result is near the target also for few
    samples. Raises numpy's LinAlgError for a matrix that is not positive definite.

    References
    ----------
    .. [1] Iman and Conover 1982, Communications in Statistics 11(3), section 2.
    """
    target = np.linalg.cholesky(correlation)
    scores = normal_quantile(points)
    by_chance = np.linalg.cholesky(np.atleast_2d(np.corrcoef(scores)))
    wanted = target @ np.linalg.solve(by_chance, scores)
    ranks = wanted.argsort(axis=1).argsort(axis=1)
    reordered: Floats = np.take_along_axis(np.sort(points, axis=1), ranks, axis=1)
    return reordered


def sample_inputs(
    quantities: Mapping[str, Quantity],
    count: int,
    seed: int,
    correlations: Correlations | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> Sample:
    """Samples of all inputs: the same seed gives the same samples.

    Each input has a random stream of its own, so that scenarios which share an uncorrelated input share its samples,
    whatever else is uncertain in them.

    Parameters
    ----------
    quantities : by name; plain numbers stay what they are.
    count : samples. [1]
    seed : of the random generator.
    correlations : for pairs of names; pairs with a certain or unknown input are left out.
    bounds : lowest and highest value that a field allows; distributions are cut there.

    Raises
    ------
    ContradictoryCorrelationsError
        When the correlations can't hold together.
    """
    names = [name for name, quantity in quantities.items() if is_uncertain(quantity)]
    points = np.array([latin_hypercube(count, 1, stream(seed, name))[0] for name in names]).reshape(-1, count)
    matrix = _matrix(names, correlations or {})
    if names and not np.array_equal(matrix, np.eye(len(names))):
        try:
            points = correlated_ranks(points, matrix)
        except np.linalg.LinAlgError as error:
            raise ContradictoryCorrelationsError(tuple(names)) from error
    probabilities = dict(zip(names, points))
    values = {}
    for name, quantity in quantities.items():
        low, high = (bounds or {}).get(name, (-np.inf, np.inf))
        at = probabilities.get(name, np.full(count, 0.5))
        values[name] = bounded_quantile(quantity, at, low, high)
    return Sample(values, probabilities, count)


def _matrix(names: list[str], correlations: Correlations) -> Floats:
    matrix = np.eye(len(names))
    for (first, second), correlation in correlations.items():
        if first in names and second in names:
            row, column = names.index(first), names.index(second)
            matrix[row, column] = matrix[column, row] = correlation
    return matrix
