"""Distributions of prompt and output lengths, drawn through their quantiles so that runs can share random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from gpuplanner_gui.domain.arrays import Floats


class Lengths(Protocol):
    """A distribution of lengths in tokens."""

    def at(self, shares: Floats) -> Floats:
        """Quantiles at shares strictly between 0 and 1, same shape. [tokens]"""
        ...


@dataclass(frozen=True)
class FixedLength:
    tokens: float

    def at(self, shares: Floats) -> Floats:
        return np.full(shares.shape, self.tokens)


@dataclass(frozen=True)
class UniformLength:
    low: float
    high: float

    def at(self, shares: Floats) -> Floats:
        return self.low + shares * (self.high - self.low)


@dataclass(frozen=True)
class LognormalLength:
    """`sigma` is the standard deviation of the logarithm; lengths above `longest` become `longest`."""

    median: float
    sigma: float
    longest: float = np.inf

    def at(self, shares: Floats) -> Floats:
        return np.minimum(self.median * np.exp(self.sigma * normal_quantile(shares)), self.longest)


_CENTRAL = (
    (
        -3.969683028665376e01,
        2.209460984245205e02,
        -2.759285104469687e02,
        1.383577518672690e02,
        -3.066479806614716e01,
        2.506628277459239e00,
    ),
    (
        -5.447609879822406e01,
        1.615858368580409e02,
        -1.556989798598866e02,
        6.680131188771972e01,
        -1.328068155288572e01,
        1.0,
    ),
)
_TAIL = (
    (
        -7.784894002430293e-03,
        -3.223964580411365e-01,
        -2.400758277161838e00,
        -2.549732539343734e00,
        4.374664141464968e00,
        2.938163982698783e00,
    ),
    (7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e00, 3.754408661907416e00, 1.0),
)
_TAIL_SHARE = 0.02425


def normal_quantile(shares: Floats) -> Floats:
    """Standard normal quantiles at shares strictly between 0 and 1.

    Relative error below 1.15e-9.

    References
    ----------
    .. [1] P. J. Acklam, An algorithm for computing the inverse normal cumulative distribution function, 2003.
    """
    centred = shares - 0.5
    square = centred**2
    central = centred * np.polyval(_CENTRAL[0], square) / np.polyval(_CENTRAL[1], square)
    outer = np.sqrt(-2 * np.log(np.minimum(shares, 1 - shares)))
    tail = np.polyval(_TAIL[0], outer) / np.polyval(_TAIL[1], outer)
    in_tail = np.minimum(shares, 1 - shares) < _TAIL_SHARE
    return np.where(in_tail, np.where(shares < 0.5, tail, -tail), central)
