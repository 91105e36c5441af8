"""Where the names of lines stand in a plot, so that none lies on another, nor on a curve if that can be helped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
LATER = 0.005
"""What a later choice costs, as a share of the name's area: it is taken only where an earlier one is worse."""
COVERED = 100.0
"""What covering another name costs, per share of the name's area that does."""
OUTSIDE = 10.0
"""The same of standing out of view."""
CROSSED = 0.1
"""What a straight line through a name costs, as a share of its area."""
CURVED = 1.0
"""What a curve costs that runs through a name from end to end."""
HELD = 0.05
"""What it is worth that a name stays where it stands."""
LEAST_UNSEEN = 0.5
"""Square pixels that are but rounding."""
CELL = 4.0
"""Pixels; curves are looked for in squares of this size."""


class Box(NamedTuple):
    """A rectangle in pixels of the view, from its left upper corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def area(self) -> float:
        return self.width * self.height

    def shared(self, other: Box) -> float:
        """Area that both cover."""
        width = min(self.left + self.width, other.left + other.width) - max(self.left, other.left)
        height = min(self.top + self.height, other.top + other.height) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)


class CurveCover:
    """How much of a rectangle curves run through. Built once for all that is asked of it."""

    def __init__(
        self, width: float, height: float, curves: Iterable[tuple[Floats, Floats]], margin: float = 0.0
    ) -> None:
        """`curves` are their places across, rising, and down; `margin` is looked at around rectangles. In pixels."""
        self._margin = margin
        columns, rows = math.ceil(width / CELL), math.ceil(height / CELL)
        edges, tops = np.arange(columns + 1) * CELL, np.arange(rows)[:, None] * CELL
        cells = np.zeros((rows, columns), np.int32)
        for across, down in curves:
            if len(across) > 1:
                there = np.interp(edges, across, down, left=np.nan, right=np.nan)
                highest, lowest = np.fmin(there[:-1], there[1:]), np.fmax(there[:-1], there[1:])
                cells += (highest < tops + CELL) & (lowest >= tops)
        # Of each cell, how many curve cells lie above and left of its lower right corner.
        self._sums = np.zeros((rows + 1, columns + 1), np.int32)
        self._sums[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
        self._size = rows, columns

    def share(self, box: Box) -> float:
        """Curves through a rectangle: one for each that runs through from its left to its right."""
        left, right = self._cell(box.left, 1), self._cell(box.left + box.width, 1)
        top = self._cell(box.top - self._margin, 0)
        bottom = self._cell(box.top + box.height + self._margin, 0)
        sums = self._sums
        inside = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
        return float(inside / max(right - left, 1))

    def _cell(self, pixels: float, axis: int) -> int:
        return min(max(round(pixels / CELL), 0), self._size[axis])


@dataclass
class LabelPlaces:
    """Gives each name in turn the best of its choices, beside those that already stand."""

    width: float
    height: float
    uprights: Sequence[float] = ()
    """Where upright lines cross the view."""
    levels: Sequence[float] = ()
    """The same of level lines, from above."""
    curves: CurveCover | None = None
    taken: list[Box] = field(default_factory=list)

    def arrange(self, names: Sequence[Sequence[Box]], present: Sequence[int]) -> list[int]:
        """The choice of each name.

        Where some would be cut or lie on others, other orders are tried, then as if there were no curves.
        """
        forth = range(len(names))
        tries: list[tuple[Sequence[int], CurveCover | None]] = [
            (order, curves) for curves in (self.curves, None) for order in (forth, forth[::-1])
        ]
        found = []
        for order, self.curves in tries:
            self.taken.clear()
            chosen = {place: self.choose(names[place], present[place]) for place in order}
            found.append((self._unseen(), [chosen[place] for place in forth]))
            if not found[-1][0]:
                break
        return min(found, key=lambda one: one[0])[1]

    def _unseen(self) -> float:
        """Area of names that lies on others or out of view."""
        view = Box(0.0, 0.0, self.width, self.height)
        outside = sum(one.area - one.shared(view) for one in self.taken)
        covered = sum(one.shared(other) for place, one in enumerate(self.taken) for other in self.taken[:place])
        return outside + covered if outside + covered > LEAST_UNSEEN else 0.0

    def choose(self, choices: Sequence[Box], present: int = -1) -> int:
        """The index of the choice that covers least; it is taken from then on.

        `present` is the choice where the name stands already: it stays there unless another is clearly better.
        """
        best, least = 0, math.inf
        if present >= 0:
            best, least = present, self._cost(choices[present]) - HELD
        for index, box in enumerate(choices):
            if least <= LATER * index:
                break
            cost = self._cost(box) + LATER * index
            if cost < least:
                best, least = index, cost
        self.taken.append(choices[best])
        return best

    def _cost(self, box: Box) -> float:
        """For what lies on other names or out of view, less for curves, and a little for lines through it."""
        covered = sum(box.shared(other) for other in self.taken)
        outside = box.area - box.shared(Box(0.0, 0.0, self.width, self.height))
        crossed = sum(box.left < place < box.left + box.width for place in self.uprights)
        crossed += sum(box.top < place < box.top + box.height for place in self.levels)
        curved = self.curves.share(box) if self.curves is not None else 0.0
        unseen = (COVERED * covered + OUTSIDE * outside) / max(box.area, 1.0)
        return unseen + CURVED * curved + CROSSED * crossed
