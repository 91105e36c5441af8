"""What a relation is: how a number of an answer is made, by a formula or in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Relation:
    """How a number comes about, who says so, and what goes in."""

    expression: str
    source: str
    inputs: tuple[str, ...] = ()
    formula: str = ""
    """Key of the formula that makes it (`cost.energy.energy_kwh`), which then says expression and source."""


def made_by(formula: str, *inputs: str) -> Relation:
    """A field that a registered formula makes."""
    return Relation("", "", inputs, formula)
