"""Parameters of a fit, as deviations from usual values, and the robust least squares that find them.

A parameter's value for a case is usual · exp(spread · (common + engine's + family's deviation)); a ridge pulls every
deviation to nothing, so that what the cases don't tell stays usual.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats, Integers


@dataclass(frozen=True)
class Parameter:
    """One parameter: usual value, spread of its logarithm, and what may deviate."""

    name: str
    usual: float
    spread: float
    by_engine: bool = False
    by_family: bool = False
    is_common: bool = True
    """Whether engines and families also move together; else each tells about itself alone."""


@dataclass(frozen=True)
class Slot:
    """One number of the fit's vector."""

    parameter: int
    kind: str
    """common, engine or family."""
    index: int = 0


@dataclass(frozen=True)
class ParameterSpace:
    """All parameters of a fit, and which numbers of its vector make them."""

    parameters: tuple[Parameter, ...]
    engines: tuple[str, ...]
    families: tuple[str, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        found: list[Slot] = []
        for position, one in enumerate(self.parameters):
            if one.spread <= 0:
                continue
            if one.is_common:
                found.append(Slot(position, "common"))
            found += [Slot(position, "engine", index) for index in range(len(self.engines)) if one.by_engine]
            found += [Slot(position, "family", index) for index in range(len(self.families)) if one.by_family]
        return tuple(found)

    def values(
        self,
        vector: Floats,
        engine: Integers,
        family: Integers,
        moved: tuple[int, float] = (0, 0.0),
    ) -> dict[str, Floats]:
        """Every parameter of every case; one parameter's deviation `moved` by so much."""
        deviation = np.zeros((len(engine), len(self.parameters)))
        for number, slot in zip(vector, self.slots):
            if slot.kind == "common":
                deviation[:, slot.parameter] += number
            elif slot.kind == "engine":
                deviation[engine == slot.index, slot.parameter] += number
            else:
                deviation[family == slot.index, slot.parameter] += number
        deviation[:, moved[0]] += moved[1]
        usual = np.array([one.usual for one in self.parameters])
        spread = np.array([one.spread for one in self.parameters])
        table = usual * np.exp(np.clip(deviation * spread, -8.0, 8.0))
        return {one.name: table[:, position] for position, one in enumerate(self.parameters)}

    def touched(self, engine: Integers, family: Integers) -> NDArray[np.bool_]:
        """Which cases every number of the vector deviates; shape (cases, slots)."""
        found = np.ones((len(engine), len(self.slots)), np.bool_)
        of_kind = {"engine": engine, "family": family}
        for column, slot in enumerate(self.slots):
            if slot.kind in of_kind:
                found[:, column] = of_kind[slot.kind] == slot.index
        return found

    def engine_values(self, vector: Floats, engine: int) -> dict[str, float]:
        """Parameters of an engine, the families' deviations left out."""
        found = self.values(vector, np.array([engine]), np.array([-1]))
        return {name: float(value[0]) for name, value in found.items()}

    def family_factors(self, vector: Floats, family: int) -> dict[str, float]:
        """What a family multiplies the parameters with that may deviate by family."""
        own = self.values(vector, np.array([-1]), np.array([family]))
        common = self.values(vector, np.array([-1]), np.array([-1]))
        return {one.name: float(own[one.name][0] / common[one.name][0]) for one in self.parameters if one.by_family}

    def ridge(self, strength: Mapping[str, float]) -> Floats:
        """Pull on every number of the vector, by kind of slot."""
        return np.array([strength[slot.kind] for slot in self.slots])


def index_of(names: Sequence[str], among: tuple[str, ...]) -> Integers:
    """Position of each name, -1 where it is not among them."""
    positions = {name: index for index, name in enumerate(among)}
    return np.array([positions.get(name, -1) for name in names], np.int64)


STEP = 1e-3
LONGEST = 0.8


def fitted(
    residuals: Callable[[Floats], Floats],
    start: Floats,
    weight: Floats,
    scale: Floats,
    ridge: Floats,
    iterations: int,
    slopes_at: Callable[[Floats, Floats], Floats],
) -> Floats:
    """The vector that makes robust residuals small.

    Minimises Σ weight · √(1 + (r/scale)²) · scale² + Σ (ridge · x)² by steps that are at most `LONGEST` in any number.
    `slopes_at(vector, residuals)` gives the slopes, shape (residuals, numbers).
    """
    vector = start.copy()
    for _ in range(iterations):
        at = residuals(vector)
        robust = weight / (scale**2 * np.sqrt(1.0 + (at / scale) ** 2))
        slopes = slopes_at(vector, at)
        curvature = slopes.T @ (robust[:, None] * slopes) + np.diag(ridge**2)
        gradient = slopes.T @ (robust * at) + ridge**2 * vector
        change = np.clip(np.linalg.solve(curvature, -gradient), -LONGEST, LONGEST)
        vector = vector + change
        if np.abs(change).max() < 5e-3:
            break
    return vector


def group_weights(groups: list[str]) -> Floats:
    """Weights with which a group counts as the root of its size; they average 1."""
    names, which, sizes = np.unique(np.array(groups), return_inverse=True, return_counts=True)
    weight = 1.0 / np.sqrt(sizes[which])
    return np.asarray(weight * len(groups) / weight.sum()) if len(names) else weight


def weighted_quantile(values: Floats, weight: Floats, share: float) -> float:
    """Where so much of the weight lies below, linear between the values."""
    order = np.argsort(values)
    sorted_weight = weight[order]
    reached = (np.cumsum(sorted_weight) - 0.5 * sorted_weight) / sorted_weight.sum()
    return float(np.interp(share, reached, values[order]))
