"""A number that a planner may know exactly, as a range, or as a distribution; and money."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from gpuplanner_gui.domain.constants import Z_80


class Range(msgspec.Struct, frozen=True, tag="range", forbid_unknown_fields=True):
    """All values from `low` to `high` are equally likely."""

    low: float
    high: float

    @property
    def central(self) -> float:
        return (self.low + self.high) / 2

    def extremes(self) -> tuple[float, float]:
        return self.low, self.high


class Triangular(msgspec.Struct, frozen=True, tag="triangular", forbid_unknown_fields=True):
    """A triangular distribution between `low` and `high`, most likely `mode`, which a plan
    uses as the central value."""

    low: float
    mode: float
    high: float

    @property
    def central(self) -> float:
        return self.mode

    def extremes(self) -> tuple[float, float]:
        return self.low, self.high


class Normal(msgspec.Struct, frozen=True, tag="normal", forbid_unknown_fields=True):
    """Symmetric around `mean` with standard deviation `sd`, both in the field's unit."""

    mean: float
    sd: float

    @property
    def central(self) -> float:
        return self.mean

    def extremes(self) -> tuple[float, float]:
        return self.mean - Z_80 * self.sd, self.mean + Z_80 * self.sd


class Lognormal(msgspec.Struct, frozen=True, tag="lognormal", forbid_unknown_fields=True):
    """Skewed and positive: `median` in the field's unit, `sigma` the standard deviation of the logarithm."""

    median: float
    sigma: float

    @property
    def central(self) -> float:
        return self.median

    def extremes(self) -> tuple[float, float]:
        return self.median * math.exp(-Z_80 * self.sigma), self.median * math.exp(Z_80 * self.sigma)


Quantity = float | Range | Triangular | Normal | Lognormal


def central(quantity: Quantity) -> float:
    """The single number that a plan without uncertainty uses: the value, the middle, the mode or the median."""
    return float(quantity) if isinstance(quantity, (int, float)) else quantity.central


def is_uncertain(quantity: Quantity) -> bool:
    return not isinstance(quantity, (int, float))


def upper_end(quantity: Quantity) -> float:
    """Its upper end; of a distribution without one, three standard deviations beyond the middle."""
    if isinstance(quantity, Normal):
        return quantity.mean + 3.0 * quantity.sd
    if isinstance(quantity, Lognormal):
        return quantity.median * math.exp(min(3.0 * quantity.sigma, 100.0))
    return float(quantity) if isinstance(quantity, (int, float)) else quantity.high


def numbers_of(quantity: Quantity) -> tuple[float, ...]:
    """Every number that the quantity holds, for checks of bounds and finiteness."""
    if isinstance(quantity, (int, float)):
        return (float(quantity),)
    return tuple(float(getattr(quantity, name)) for name in quantity.__struct_fields__)


Currency = Literal[
    "USD", "EUR", "GBP", "JPY", "CNY", "TWD", "KRW", "INR", "CHF", "CAD", "AUD", "SGD", "SEK", "NOK", "DKK", "PLN",
    "BRL", "AED", "SAR", "HKD",
]  # fmt: skip


class Money(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An amount in a named currency; `usd_per_unit` of the economics turns it into dollars."""

    amount: Quantity
    currency: Currency = "USD"
