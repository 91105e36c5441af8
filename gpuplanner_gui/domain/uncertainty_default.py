"""How uncertain an input usually is, for planners who know only its central value."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.quantity import Lognormal, Normal, Quantity, Range, Triangular, central
from gpuplanner_gui.domain.sourced import SourcedFigure

Spread = Literal["absolute", "factor", "offset"]
"""The distribution is of the value itself, of a factor on the planner's value, or of an amount added to it."""


class UncertaintyDefault(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A usual distribution of one input."""

    id: Annotated[str, about("Identifier")]
    title: Annotated[str, about("Name")]
    applies_to: Annotated[tuple[str, ...], about("Inputs", "", "Field paths or names of engine inputs.")]
    spread: Annotated[Spread, about("Kind of spread", choices=("absolute", "factor", "offset"))]
    distribution: Annotated[SourcedFigure, about("Distribution")]

    def around(self, value: Quantity) -> Quantity:
        """The distribution for a central value; an absolute one does not depend on it."""
        spread = self.distribution.value
        middle = central(value)
        if self.spread == "absolute":
            return spread
        return scaled(spread, middle) if self.spread == "factor" else shifted(spread, middle)


class Correlation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Two inputs that move together."""

    first: Annotated[str, about("Input")]
    second: Annotated[str, about("With")]
    correlation: Annotated[float, about("Correlation", minimum=-0.99, maximum=0.99)]
    source: Annotated[str, about("Source")]


class UncertaintyDefaults(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file of defaults that ships."""

    highest_training_mfu: Annotated[
        SourcedFigure, about("Highest MFU", "share", "No sample of a training run makes more of a device's peak.")
    ]
    inputs: Annotated[tuple[UncertaintyDefault, ...], about("Inputs")]
    correlations: Annotated[tuple[Correlation, ...], about("Correlations")]


def scaled(spread: Quantity, factor: float) -> Quantity:
    """A quantity with every value multiplied; the kind of distribution stays."""
    match spread:
        case Range(low=low, high=high):
            return Range(low * factor, high * factor)
        case Triangular(low=low, mode=mode, high=high):
            return Triangular(low * factor, mode * factor, high * factor)
        case Normal(mean=mean, sd=sd):
            return Normal(mean * factor, sd * abs(factor))
        case Lognormal(median=median, sigma=sigma):
            return Lognormal(median * factor, sigma)
        case _:
            return float(spread) * factor


def shifted(spread: Quantity, amount: float) -> Quantity:
    """A quantity moved by an amount. Raises ValueError for a lognormal one, whose spread is a factor."""
    match spread:
        case Range(low=low, high=high):
            return Range(low + amount, high + amount)
        case Triangular(low=low, mode=mode, high=high):
            return Triangular(low + amount, mode + amount, high + amount)
        case Normal(mean=mean, sd=sd):
            return Normal(mean + amount, sd)
        case Lognormal():
            raise ValueError("a lognormal spread is a factor, not an offset")
        case _:
            return float(spread) + amount
