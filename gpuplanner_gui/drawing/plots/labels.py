"""Names beside points where there is room: none lies over another, over a point or outside the picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

BESIDE = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Where a name may stand, best first: right, left, above, below, corners. Heights grow downward."""
Edges = list[tuple[float, float, float, float]]
"""Rectangles as left, top, right, bottom."""
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
    x, y = mark.left + mark.width / 2 - width / 2, mark.top + mark.height / 2 - height / 2
    right, bottom = room.left + room.width - width, room.top + room.height - height
    edges = [(one.left, one.top, one.left + one.width, one.top + one.height) for one in taken]
    for away in FARTHER:
        beside, above = (mark.width + width + 2 * away) / 2, (mark.height + height + 2 * away) / 2
        for across, down in BESIDE:
            left, top = x + across * beside, y + down * above
            if room.left <= left <= right and room.top <= top <= bottom and _is_free(left, top, width, height, edges):
                return Box(left, top, width, height)
    return None


def _is_free(left: float, top: float, width: float, height: float, edges: Edges) -> bool:
    """Whether none of the rectangles is overlapped."""
    right, bottom = left + width, top + height
    for other_left, other_top, other_right, other_bottom in edges:
        if left < other_right and other_left < right and top < other_bottom and other_top < bottom:
            return False
    return True


def leader(mark: Box, name: Box) -> tuple[float, float, float, float] | None:
    """A line from a mark to a name that stands apart from it: ends as x, y, x, y; None for one beside it."""
    x, y = mark.left + mark.width / 2, mark.top + mark.height / 2
    near_x = min(max(x, name.left), name.left + name.width)
    near_y = min(max(y, name.top), name.top + name.height)
    gap = max(abs(near_x - x) - mark.width / 2, abs(near_y - y) - mark.height / 2)
    return (x, y, near_x, near_y) if gap > 3.0 else None
