"""Names beside points where there is room: none lies over another, over a point or outside the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BESIDE = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a name may stand, best first: right, left, above, below, corners. Heights grow downward."""
FARTHER = (0.0, 12.0, 28.0, 46.0, 66.0, 88.0)
"""How far from its mark, nearest first, in pixels; a line leads from any but the nearest."""


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels; y grows downward."""

    left: float
    top: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        return (
            self.left < other.left + other.width
            and other.left < self.left + self.width
            and self.top < other.top + other.height
            and other.top < self.top + self.height
        )

    def holds(self, other: Box) -> bool:
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.left + other.width <= self.left + self.width
            and other.top + other.height <= self.top + self.height
        )


def free_boxes(
    marks: Sequence[Box], sizes: Sequence[tuple[float, float]], taken: Sequence[Box], room: Box
) -> list[Box | None]:
    """A place for each name beside its mark, in the order given; None for those without a free one.

    `marks` are the points themselves, one for each name, `taken` what else may not be covered.
    """
    placed: list[Box] = [*taken]
    found: list[Box | None] = []
    for own, (width, height) in zip(marks, sizes, strict=True):
        others = [mark for mark in marks if mark is not own]
        found.append(_free(own, width, height, [*placed, *others], room))
        if found[-1] is not None:
            placed.append(found[-1])
    return found


def _free(mark: Box, width: float, height: float, taken: Sequence[Box], room: Box) -> Box | None:
    for away in FARTHER:
        for across, down in BESIDE:
            box = Box(
                mark.left + mark.width / 2 + across * (mark.width + width + 2 * away) / 2 - width / 2,
                mark.top + mark.height / 2 + down * (mark.height + height + 2 * away) / 2 - height / 2,
                width,
                height,
            )
            if room.holds(box) and not any(box.overlaps(other) for other in taken):
                return box
    return None


def leader(mark: Box, name: Box) -> tuple[float, float, float, float] | None:
    """A line from a mark to a name that stands apart from it: ends as x, y, x, y; None for one beside it."""
    x, y = mark.left + mark.width / 2, mark.top + mark.height / 2
    near_x = min(max(x, name.left), name.left + name.width)
    near_y = min(max(y, name.top), name.top + name.height)
    gap = max(abs(near_x - x) - mark.width / 2, abs(near_y - y) - mark.height / 2)
    return (x, y, near_x, near_y) if gap > 3.0 else None
