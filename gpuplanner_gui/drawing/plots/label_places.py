"""Where the names of lines stand in a plot, so that none lies on another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

LATER = 0.01
"""What a later choice costs, as a share of the name's area: it is taken only where an earlier one is worse."""
COVERED = 10.0
"""What covering another name costs, per share of the name's area that does, beside that of standing out of view."""
CROSSED = 0.1
"""What a line through a name costs, as a share of its area."""


@dataclass(frozen=True)
class Box:
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


@dataclass
class LabelPlaces:
    """Gives each name in turn the best of its choices, beside those that already stand."""

    width: float
    height: float
    uprights: Sequence[float] = ()
    """Where upright lines cross the view."""
    taken: list[Box] = field(default_factory=list)

    def choose(self, choices: Sequence[Box]) -> int:
        """The index of the choice that covers least; it is taken from then on."""
        best = min(range(len(choices)), key=lambda index: self._cost(choices[index]) + LATER * index)
        self.taken.append(choices[best])
        return best

    def _cost(self, box: Box) -> float:
        """For what lies on other names or out of view, and a little for lines through it."""
        covered = sum(box.shared(other) for other in self.taken)
        outside = box.area - box.shared(Box(0.0, 0.0, self.width, self.height))
        crossed = sum(box.left < place < box.left + box.width for place in self.uprights)
        return (COVERED * covered + outside) / max(box.area, 1.0) + CROSSED * crossed
