"""Probability to value and back, for the distributions that a planner may enter.

And a quantity as the equally likely values that stand for it: the moments of requests are taken over them.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular, central
from gpuplanner_gui.domain.workload import RequestClass
from gpuplanner_gui.engine.simulation.requests import RequestMix, request_mix

# Coefficients of Wichura 1988, Algorithm AS 241 (routine PPND16), Applied Statistics 37, 477-484, highest power first:
# relative accuracy about 1e-16 over the whole range of doubles.
CENTRE_NUMERATOR = (
    2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
    1971.5909503065514427, 133.14166789178437745, 3.3871328727963666080,
)  # fmt: skip
CENTRE_DENOMINATOR = (
    5226.4952788528545610, 28729.085735721942674, 39307.895800092710610, 21213.794301586595867, 5394.1960214247511077,
    687.18700749205790830, 42.313330701600911252, 1.0,
)  # fmt: skip
TAIL_NUMERATOR = (
    7.7454501427834140764e-4, 0.0227238449892691845833, 0.241780725177450611770, 1.27045825245236838258,
    3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734,
)  # fmt: skip
TAIL_DENOMINATOR = (
    1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.148103976427480074590,
    0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0,
)  # fmt: skip
FAR_NUMERATOR = (
    2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
    0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772,
)  # fmt: skip
FAR_DENOMINATOR = (
    2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
    0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0,
)  # fmt: skip

CENTRE_HALF_WIDTH = 0.425
FAR_FROM = 5.0
"""Of the root of -ln of the tail's probability, beyond which the third pair of polynomials applies."""

_erfc = np.frompyfunc(math.erfc, 1, 1)


def normal_quantile(probability: ArrayLike) -> NDArray[np.float64]:
    """Value that a standard normal stays below with a given probability; infinite at 0 and 1.

    Examples
    --------
    >>> round(float(normal_quantile(0.9)), 9)
    1.281551566
    """
    p = np.asarray(probability, float)
    from_middle = p - 0.5
    is_centre = np.abs(from_middle) <= CENTRE_HALF_WIDTH
    squared = CENTRE_HALF_WIDTH**2 - np.where(is_centre, from_middle, 0.0) ** 2
    centre = from_middle * _ratio(CENTRE_NUMERATOR, CENTRE_DENOMINATOR, squared)
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(-np.log(np.where(is_centre, 0.5, np.minimum(p, 1 - p))))
        near = _ratio(TAIL_NUMERATOR, TAIL_DENOMINATOR, np.minimum(root, FAR_FROM) - 1.6)
        far = _ratio(FAR_NUMERATOR, FAR_DENOMINATOR, np.where(np.isfinite(root), root, FAR_FROM) - FAR_FROM)
    tail = np.where(root <= FAR_FROM, near, np.where(np.isfinite(root), far, np.inf))
    return np.where(is_centre, centre, np.sign(from_middle) * tail)


def normal_cdf(value: ArrayLike) -> NDArray[np.float64]:
    """Probability that a standard normal stays below a value."""
    scaled = -np.asarray(value, float) / math.sqrt(2)
    probability: NDArray[np.float64] = np.asarray(_erfc(scaled), float) / 2
    return probability


def _ratio(numerator: tuple[float, ...], denominator: tuple[float, ...], x: NDArray[Any]) -> NDArray[np.float64]:
    ratio: NDArray[np.float64] = np.polyval(numerator, x) / np.polyval(denominator, x)
    return ratio


def quantile(quantity: Quantity, probability: ArrayLike) -> Floats:
    """Value that the quantity stays below with a given probability; a plain number is itself everywhere."""
    p = np.asarray(probability, float)
    match quantity:
        case Range(low=low, high=high):
            return low + p * (high - low)
        case Triangular(low=low, mode=mode, high=high):
            return _triangular_quantile(p, low, mode, high)
        case Normal(mean=mean, sd=sd):
            return np.full(p.shape, mean) if sd == 0 else mean + sd * normal_quantile(p)
        case Lognormal(median=median, sigma=sigma):
            return np.full(p.shape, median) if sigma == 0 else median * np.exp(sigma * normal_quantile(p))
        case _:
            return np.full(p.shape, float(quantity))


def cumulative(quantity: Quantity, value: ArrayLike) -> Floats:
    """Probability that the quantity stays at or below a value."""
    x = np.asarray(value, float)
    match quantity:
        case Range(low=low, high=high) if high > low:
            return np.clip((x - low) / (high - low), 0.0, 1.0)
        case Triangular(low=low, mode=mode, high=high) if high > low:
            return _triangular_cumulative(x, low, mode, high)
        case Normal(mean=mean, sd=sd) if sd > 0:
            return normal_cdf((x - mean) / sd)
        case Lognormal(median=median, sigma=sigma) if sigma > 0:
            with np.errstate(divide="ignore", invalid="ignore"):
                z = np.log(np.maximum(x, 0.0) / median) / sigma
            return normal_cdf(z)
        case _:
            return (x >= quantile(quantity, 0.5)).astype(float)


def bounded_quantile(quantity: Quantity, probability: ArrayLike, low: float, high: float) -> Floats:
    """Quantile of the distribution cut at a field's bounds, the rest scaled up to a whole.

    A plain number, or a distribution that lies outside its bounds altogether, gives the nearest bound.
    """
    below, up_to = cumulative(quantity, np.nextafter(low, -np.inf)), cumulative(quantity, high)
    inside = below + np.asarray(probability, float) * (up_to - below)
    return np.clip(quantile(quantity, inside), low, high)


def _triangular_quantile(p: Floats, low: float, mode: float, high: float) -> Floats:
    if high == low:
        return np.full(p.shape, low)
    at_mode = (mode - low) / (high - low)
    rising = low + np.sqrt(p * (high - low) * (mode - low))
    falling = high - np.sqrt((1 - p) * (high - low) * (high - mode))
    return np.where(p < at_mode, rising, falling)


def _triangular_cumulative(x: Floats, low: float, mode: float, high: float) -> Floats:
    inside = np.clip(x, low, high)
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = (inside - low) ** 2 / ((high - low) * (mode - low))
        falling = 1 - (high - inside) ** 2 / ((high - low) * (high - mode))
    return np.where(inside < mode, rising, np.where(inside >= high, 1.0, falling))


LATE_SHARE = 0.999
"""Of the requests that are no longer: the context that an engine is started with must hold them."""
TAIL_STRATA = 20_000
"""Prompts that tell a share of one in ten thousand."""
STRATA = 64
"""Values that stand for one distribution, enough for its 99th percentile: the mean of 64 mid-quantiles of a lognormal
with sigma 1 is 1.3 % low, so the values are scaled to the exact mean."""


@lru_cache(maxsize=256)
def representative_values(quantity: Quantity, strata: int = STRATA) -> Floats:
    """Mid-quantiles of a distribution, scaled to its exact mean; a single value for a plain number. Read only."""
    values: Floats
    if isinstance(quantity, (int, float)):
        values = np.array([float(quantity)])
    else:
        values = np.maximum(quantile(quantity, (np.arange(strata) + 0.5) / strata), 0.0)
        values = np.asarray(values * (_mean(quantity) / values.mean()) if values.mean() > 0 else values)
    values.setflags(write=False)
    return values


def _mean(quantity: Range | Triangular | Normal | Lognormal) -> float:
    if isinstance(quantity, Range):
        return quantity.central
    if isinstance(quantity, Triangular):
        return (quantity.low + quantity.mode + quantity.high) / 3
    if isinstance(quantity, Normal):
        return quantity.mean
    return float(quantity.median * np.exp(quantity.sigma**2 / 2))


def longest_request_tokens(classes: tuple[RequestClass, ...]) -> float:
    """Prompt and answer of the longest request in a thousand, of the class whose are longest. [tokens]

    One of the two is then long, the other usual: they are independent.
    """
    found = []
    for one in classes:
        long = [quantile_of(length, LATE_SHARE) for length in (one.prompt_tokens, one.output_tokens)]
        usual = [representative_values(length).mean() for length in (one.prompt_tokens, one.output_tokens)]
        found += [long[0] + usual[1], usual[0] + long[1]]
    return float(max(found))


def refused_share(classes: tuple[RequestClass, ...], longest_tokens: float) -> float:
    """Share of all requests whose prompt and answer together are longer than a context. [1]

    Of every prompt length, the answers that no longer fit; the two are independent.
    """
    rates = np.array([central(one.peak_rate_per_s) for one in classes])
    refused = []
    for one in classes:
        prompts = representative_values(one.prompt_tokens, TAIL_STRATA)
        refused.append(1.0 - float(cumulative(one.output_tokens, longest_tokens - prompts).mean()))
    return max(float(rates @ np.array(refused) / rates.sum()), 0.0)


def quantile_of(quantity: Quantity, share: float) -> float:
    """The length that so many are not longer than; a plain number's own. [tokens]"""
    if isinstance(quantity, (int, float)):
        return float(quantity)
    return max(float(quantile(quantity, np.array([share]))[0]), 0.0)


def class_mix(classes: tuple[RequestClass, ...]) -> RequestMix:
    """Moments of all request classes together, each weighted by its rate; prompt and answer independent.

    The published traces show no correlation of the two (docs/derivations/load.md#recorded-traffic).
    """
    return _mix(tuple(
        (one.prompt_tokens, one.output_tokens, central(one.prefix_cache_share), central(one.peak_rate_per_s))
        for one in classes
    ))  # fmt: skip


@lru_cache(maxsize=64)
def _mix(classes: tuple[tuple[Quantity, Quantity, float, float], ...]) -> RequestMix:
    """Of prompts, answers, shares of prompts that are cached, and rates."""
    prompts, outputs, cached, weights, kinds = [], [], [], [], []
    for kind, (prompt_tokens, output_tokens, share, rate_per_s) in enumerate(classes):
        prompt, output = np.meshgrid(
            np.maximum(representative_values(prompt_tokens), 1.0), np.maximum(representative_values(output_tokens), 1.0)
        )
        prompts.append(prompt.ravel())
        outputs.append(output.ravel())
        cached.append(prompt.ravel() * share)
        weights.append(np.full(prompt.size, rate_per_s / prompt.size))
        kinds.append(np.full(prompt.size, float(kind)))
    return request_mix(*(np.concatenate(columns) for columns in (prompts, outputs, cached, weights, kinds)))


def mean_prompt_tokens(classes: tuple[RequestClass, ...]) -> float:
    """Prompt length, cached part included, averaged over all requests. [tokens]"""
    rates = np.array([central(one.peak_rate_per_s) for one in classes])
    means = np.array([float(representative_values(one.prompt_tokens).mean()) for one in classes])
    # Shares first: of one class the mean is then its own to the last bit, and load grids outlive edits of its rate.
    return float(rates / rates.sum() @ means)
