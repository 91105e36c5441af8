"""What each measure would save, alone and one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

LeverCode = Literal[
    "faster", "spot", "commit", "smaller_model", "quantise", "batching", "scale_to_zero", "prefix_cache", "own"
]


@dataclass(frozen=True)
class Lever:
    """A measure, as what it does to device-hours and to their price; 1 leaves a factor as it is."""

    code: LeverCode
    hours_factor: float = 1.0
    price_factor: float = 1.0

    @property
    def cost_factor(self) -> float:
        return self.hours_factor * self.price_factor


@dataclass(frozen=True)
class LeverSavings:
    """Savings of measures on one cost. [USD]"""

    codes: tuple[LeverCode, ...]
    alone_usd: NDArray[np.float64]
    """If only this one is taken."""
    in_order_usd: NDArray[np.float64]
    """If it is taken after the ones before it: these add up to the whole saving."""
    base_usd: float

    @property
    def total(self) -> float:
        return float(self.in_order_usd.sum())

    @property
    def final_usd(self) -> float:
        return self.base_usd - self.total


def lever_savings(base_usd: float, levers: tuple[Lever, ...]) -> LeverSavings:
    """What each measure saves on `base_usd`; a negative saving is an extra cost. [USD]

    Factors multiply: a run that takes half the hours on capacity at half the price costs a quarter.
    """
    factors = np.array([lever.cost_factor for lever in levers])
    left = base_usd * np.concatenate([[1.0], np.cumprod(factors)])
    return LeverSavings(tuple(lever.code for lever in levers), base_usd * (1 - factors), left[:-1] - left[1:], base_usd)


def training_levers(
    speedup: float, spot_usd_per_useful_h: float, usd_per_h: float, is_restartable: bool
) -> tuple[Lever, ...]:
    """Faster training, spot capacity, or both; spot only for a run that can restart from a checkpoint.

    `speedup` is of work per device-hour: better efficiency, lower precision, other hardware at the same price.
    """
    faster = Lever("faster", hours_factor=1 / speedup)
    if not is_restartable:
        return (faster,)
    return faster, Lever("spot", price_factor=spot_usd_per_useful_h / usd_per_h)
