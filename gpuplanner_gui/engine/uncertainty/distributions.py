"""Probability to value and back, for the distributions that a planner may enter."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular
from gpuplanner_gui.engine.uncertainty.normal import normal_cdf, normal_quantile


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
