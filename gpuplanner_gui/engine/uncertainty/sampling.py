"""Latin hypercube samples of uncertain inputs, with rank correlation, and the chance that is asked for.

And which inputs move a result, and which are worth measuring before money is committed.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.decision import TornadoBar
from gpuplanner_gui.domain.economics import Confidence
from gpuplanner_gui.domain.plan import ServingTable
from gpuplanner_gui.domain.preset import UncertaintyDefault, UncertaintyDefaults, scaled
from gpuplanner_gui.domain.quantity import Lognormal, Quantity, central, is_uncertain
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, normal_quantile

COMMON_SHARE = 0.65
"""Correlation of the errors of candidates of one group: the middle of 0.5 to 0.8."""


def sigma_of_band(low80: NDArray[np.floating[Any]] | float, high80: NDArray[np.floating[Any]] | float) -> Floats:
    """Standard deviation of the logarithm that an 80 % band stands for. [1]"""
    with np.errstate(invalid="ignore"):  # A time without bound has no band.
        sigma: Floats = np.log(np.asarray(high80, float) / np.asarray(low80, float)) / (2 * Z_80)
    return sigma


def log_sd_of_pace(table: ServingTable, rows: Integers | Sequence[int] | int) -> Floats:
    """Spread of the logarithm of candidates' step times; of first results where no tokens follow them. [1]"""
    step = sigma_of_band(table.tpot_low80_s[rows], table.tpot_high80_s[rows])
    return np.where(np.isfinite(step), step, sigma_of_band(table.ttft_low80_s[rows], table.ttft_high80_s[rows]))


CHANCES: dict[Confidence, float] = {"expected": 0.5, "p80": 0.8, "p95": 0.95}


def chance_asked(scenario: Scenario) -> float:
    """Chance that every target holds, as the planner asks for it. [1]"""
    return CHANCES[scenario.economics.uncertainty.confidence]


def score_asked(scenario: Scenario) -> float:
    """Standard normal score of that chance: 0 where the expected figures are planned with. [1]"""
    return float(normal_quantile(chance_asked(scenario)))


def own_or_usual(value: Quantity, default: UncertaintyDefault, is_usual: bool) -> Quantity:
    """The planner's own range; else the usual one around the planner's value, where usual spreads count."""
    if is_uncertain(value) or not is_usual:
        return value
    return _usual_around(default, central(value))


def hits_bounds(hits: Quantity) -> tuple[float, float]:
    """Where the share of prompt tokens found in a prefix cache is cut: the field's bounds for a range of the planner's,
    tighter ones for the usual spread."""
    return (0.0, 0.999 if is_uncertain(hits) else max(0.95, central(hits)))


def _usual_around(default: UncertaintyDefault, value: float) -> Quantity:
    """The usual distribution moved to a planner's value: an absolute one keeps its shape in proportion."""
    if default.spread != "absolute":
        return default.around(value)
    spread = default.distribution.value
    middle = central(spread)
    return scaled(spread, value / middle) if middle > 0 and value > 0 else spread


def between_failures(scenario: Scenario, defaults: UncertaintyDefaults) -> tuple[Quantity, float]:
    """A service's time between failures of a replica as a spread and its scale: the planner's own, or the usual one."""
    entered = scenario.service.start.mtbf_s
    if is_uncertain(entered):
        return entered, 1.0
    usual = next((one.distribution.value for one in defaults.inputs if one.id == "failure_rate"), 1.0)
    if isinstance(usual, Lognormal) and scenario.economics.uncertainty.usual_spreads:
        return Lognormal(1.0, usual.sigma), central(entered)
    return 1.0, central(entered)


def sure_between_failures_s(scenario: Scenario, defaults: UncertaintyDefaults) -> float:
    """Time between failures that availability is planned with: half of what may fail is left to the latency. [s]"""
    if chance_asked(scenario) <= CHANCES["expected"]:
        return central(scenario.service.start.mtbf_s)
    spread, scale = between_failures(scenario, defaults)
    return scale * _positive_quantile(spread, (1.0 - chance_asked(scenario)) / 2.0)


def log_sd_of(quantity: Quantity) -> float:
    """Spread of the logarithm of a positive quantity, by its middle 80 %. [1]"""
    return float(sigma_of_band(_positive_quantile(quantity, 0.1), _positive_quantile(quantity, 0.9)))


@lru_cache(maxsize=256)
def _positive_quantile(quantity: Quantity, share: float) -> float:
    return float(bounded_quantile(quantity, share, 1e-6, math.inf))


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

    def part(self, some: slice) -> Sample:
        """Some of the samples; their order is random, so that the first of them stand for all."""
        values, probabilities = (
            {name: column[some] for name, column in columns.items()} for columns in (self.values, self.probabilities)
        )
        return Sample(values, probabilities, len(range(self.count)[some]))


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


REGRESSION_DEGREE = 3
"""Of the polynomial in an input's normal score that stands for the mean result given that input."""


@dataclass(frozen=True)
class InformationValue:
    """What knowing inputs before the decision is worth, in the unit of the result."""

    names: tuple[str, ...]
    value: Floats
    """Of each input alone, best first."""
    noise: float
    """What an input without any influence would show: values below this mean nothing."""


def tornado(
    model: Model,
    quantities: Mapping[str, Quantity],
    result: str,
    bounds: Mapping[str, tuple[float, float]] | None = None,
) -> tuple[TornadoBar, ...]:
    """Result with each uncertain input at its P10 and P90, the others at P50; largest swing first.

    The model is called once. `result` names a result without candidates, shape (samples,).
    """
    names = [name for name, quantity in quantities.items() if is_uncertain(quantity)]
    columns = 2 * len(names)
    inputs = {}
    for name, quantity in quantities.items():
        probability = np.full(columns, 0.5)
        if name in names:
            at = 2 * names.index(name)
            probability[at : at + 2] = 0.1, 0.9
        low, high = (bounds or {}).get(name, (-np.inf, np.inf))
        inputs[name] = bounded_quantile(quantity, probability, low, high)
    if not names:
        return ()
    results = np.asarray(model(inputs)[result], float)
    bars = [
        TornadoBar(
            input=name,
            low_input=float(inputs[name][2 * index]),
            high_input=float(inputs[name][2 * index + 1]),
            result_at_low=float(results[2 * index]),
            result_at_high=float(results[2 * index + 1]),
        )
        for index, name in enumerate(names)
    ]  # fmt: skip
    return tuple(sorted(bars, key=lambda bar: -bar.swing))


def share_from_inputs(
    without_model_error: NDArray[np.floating[Any]], with_model_error: NDArray[np.floating[Any]]
) -> float:
    """Share of the variance of a positive result's logarithm that comes from the inputs; the rest from the models. [1]

    Both results are of the same samples, shape (samples,).
    """
    clean = np.log(np.asarray(without_model_error, float))
    from_inputs = float(np.var(clean))
    total = from_inputs + float(np.var(np.log(np.asarray(with_model_error, float)) - clean))
    return from_inputs / total if total > 0 else 0.0


def value_of_information(sample: Sample, costs: NDArray[np.floating[Any]], seed: int = 0) -> InformationValue:
    """Expected saving from knowing each input before choosing among candidates.

    Parameters
    ----------
    sample : the inputs.
    costs : of each candidate in each sample, shape (candidates, samples), finite; lower is better.
    seed : for the input without influence that tells noise from value.

    Notes
    -----
    Without knowledge the candidate of lowest mean cost is chosen; with an input known, the one of lowest mean cost
    given its value, estimated by a polynomial of degree 3 in the input's normal score.

    References
    ----------
    .. [1] Strong, Oakley and Brennan 2014, Medical Decision Making 34(3), 311-326, regression method.
    """
    cost = np.asarray(costs, float)
    best_now = float(cost.mean(axis=1).min())
    generator = stream(seed, "input without influence")
    noise = best_now - _expected_best(cost, generator.permutation((np.arange(sample.count) + 0.5) / sample.count))
    values = np.array([best_now - _expected_best(cost, sample.probabilities[name]) for name in sample.uncertain])
    order = np.argsort(-values)
    names = tuple(sample.uncertain[index] for index in order)
    return InformationValue(names, values[order], noise)


def _expected_best(cost: Floats, probability: Floats) -> float:
    """Mean over an input's values of the lowest of the candidates' mean costs given that value."""
    scores = np.polynomial.hermite_e.hermevander(normal_quantile(probability), REGRESSION_DEGREE)
    fitted, *_ = np.linalg.lstsq(scores, cost.T, rcond=None)
    return float((scores @ fitted).min(axis=1).mean())
