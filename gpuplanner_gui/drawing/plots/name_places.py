"""Which of its offers each name inside a plot takes: it lies on no other name, no point and, if it can, no curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats

APART = 1.0
"""Least distance of two names. [pixels]"""
TOUCHING = 0.75
"""Pixels by which a name may reach into a mark, to allow for rounding."""
LATER, CROSSED, CURVED, HELD, BANDED = 0.005, 0.1, 1.0, 0.05, 0.2
"""Costs of a later offer, a straight line through a name and a curve through it; bonus for staying; cost of a line
of a band."""
MOST_CURVED = 0.04
"""Curves through a name, as a share of its width, that count for none."""
STRUCK = 0.5
"""Cost of a line that leads to a name, for each other name that it runs through."""
MISTAKEN = 0.3
"""Cost of a name without such a line that stands nearer to another name's point than to its own."""
READ_ON, BESIDE = 24.0, 0.15
"""Pixels beside a name within which the next one reads as its end, and the cost of standing there."""
LEAST_LED = 3.0
"""Pixels between a point and its name from which a line leads to it."""
CELL = 4.0
"""Curves are looked for in squares of this size. [pixels]"""


class Box(NamedTuple):
    """A rectangle in pixels; y grows downward."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Frame:
    """The part of a plot that is seen, and how its places become pixels."""

    width: float
    height: float
    left: float
    top: float
    wide: float
    """Pixels of one step along the horizontal axis; `high`: along the vertical one."""
    high: float

    @classmethod
    def of(cls, view: pg.ViewBox) -> Frame:
        (left, right), (bottom, top) = view.viewRange()
        width, height = view.width(), view.height()
        wide, high = width / max(right - left, 1e-30), height / max(top - bottom, 1e-30)
        # Rows of bars are counted downward.
        return (
            cls(width, height, left, bottom, wide, -high)
            if view.yInverted()
            else cls(width, height, left, top, wide, high)
        )

    @np.errstate(over="ignore")
    def across(self, x: Any) -> Any:
        """Pixels; infinite for what lies too far out to be counted."""
        return (np.asarray(x, np.float64) - self.left) * self.wide

    @np.errstate(over="ignore")
    def down(self, y: Any) -> Any:
        return (self.top - np.asarray(y, np.float64)) * self.high


class CurveCover:
    """An index of curves that tells how much of a rectangle they cross; built once for many questions."""

    def __init__(self, width: float, height: float, curves: Iterable[tuple[Floats, Floats]]) -> None:
        """`curves` are their places across, rising, and down. In pixels."""
        columns, rows = int(np.ceil(width / CELL)), int(np.ceil(height / CELL))
        edges, tops = np.arange(columns + 1) * CELL, np.arange(rows)[:, None] * CELL
        cells = np.zeros((rows, columns), np.int32)
        for across, down in curves:
            first, last = _columns_of(across, columns)
            if len(across) > 1 and first < last:
                there = np.interp(edges[first : last + 1], across, down, left=np.nan, right=np.nan)
                highest, lowest = np.fmin(there[:-1], there[1:]), np.fmax(there[:-1], there[1:])
                cells[:, first:last] += (highest < tops + CELL) & (lowest >= tops)
        # Of each cell, how many curve cells lie above and left of its lower right corner.
        self._sums = np.zeros((rows + 1, columns + 1), np.int32)
        self._sums[1:, 1:] = cells.cumsum(axis=0).cumsum(axis=1)
        self._size = columns, rows

    def share(self, boxes: Floats) -> Floats:
        """Curves through each rectangle: one for each that runs through from its left to its right.

        A place that is no number, of a mark too far out to be counted, is at the edge.
        """
        columns, rows = self._size
        left, top, width, height = np.nan_to_num(boxes).T
        first, last = (np.clip(np.rint(x / CELL), 0, columns).astype(int) for x in (left, left + width))
        upper, lower = (np.clip(np.rint(y / CELL), 0, rows).astype(int) for y in (top, top + height))
        sums = self._sums
        inside = sums[lower, last] - sums[upper, last] - sums[lower, first] + sums[upper, first]
        return np.asarray(inside / np.maximum(last - first, 1), np.float64)


def _columns_of(across: Floats, columns: int) -> tuple[int, int]:
    """Cells from a curve's left to its right, which may be no numbers: the first, and the one behind the last."""
    if not len(across):
        return 0, 0
    left, right = across[0] / CELL, across[-1] / CELL
    first = int(min(left, columns)) if left > 0 else 0
    return first, int(max(np.ceil(right), 0)) if right < columns else columns


@dataclass(frozen=True)
class NameObstacles:
    """Obstacles for names, in pixels: edges of the picture, curves, points, upright and level lines."""

    width: float
    height: float
    cover: CurveCover
    bands: CurveCover | None = None
    marks: Floats = field(default_factory=lambda: np.empty((0, 4)))
    uprights: Floats = field(default_factory=lambda: np.empty(0))
    levels: Floats = field(default_factory=lambda: np.empty(0))

    def is_crossed(self, box: Box) -> bool:
        """Whether an upright or level line runs through a name."""
        across = (box.left < self.uprights) & (self.uprights < box.left + box.width)
        down = (box.top < self.levels) & (self.levels < box.top + box.height)
        return bool(across.any() or down.any())

    def costs(self, offers: Floats, may_cross: bool) -> Floats:
        """Cost of each offer, other names aside; infinite for one that can't be taken."""
        left, top, width, height = offers.T
        curved = self.cover.share(offers)
        crossed = ((left[:, None] < self.uprights) & (self.uprights < (left + width)[:, None])).sum(axis=1)
        crossed = crossed + ((top[:, None] < self.levels) & (self.levels < (top + height)[:, None])).sum(axis=1)
        costs = CURVED * curved + CROSSED * crossed + LATER * np.arange(len(offers))
        if self.bands is not None:
            costs = costs + BANDED * self.bands.share(offers)
        outside = (left < 0) | (top < 0) | (left + width > self.width) | (top + height > self.height)
        all_offers = np.array([[left.min(), top.min(), np.ptp(left) + width.max(), np.ptp(top) + height.max()]])
        near = self.marks[_overlap(all_offers, self.marks, 0.0)[0]]
        blocked = outside | _overlap(offers, near, -TOUCHING).any(axis=1)
        return np.where(blocked | ((curved > MOST_CURVED) & (not may_cross)), np.inf, costs)


def arrange(
    names: Sequence[Floats],
    around: NameObstacles,
    may_cross: Sequence[bool] = (),
    present: Sequence[int] = (),
    led_from: Sequence[Box | None] = (),
) -> list[int]:
    """Index of the offer that each name takes, -1 if it is left out; earlier names choose first.

    `present` are the offers where names stand already: they stay unless another is clearly better. Where some would be
    left out or struck through, the opposite order is tried too, and the better of both is taken: the earlier a name,
    the more it counts. `led_from` are the points from which a line leads to a name that stands apart.
    """
    costs = [
        around.costs(offers, may_cross[place] if may_cross else False) if len(offers) else np.empty(0)
        for place, offers in enumerate(names)
    ]
    for cost, here in zip(costs, present):
        if 0 <= here < len(cost):
            cost[here] -= HELD
    points = led_from or [None] * len(names)
    leading = [
        leaders(mark, offers) if mark is not None and len(offers) else np.full((len(offers), 4), np.nan)
        for mark, offers in zip(points, names, strict=True)
    ]
    mistaken = [_mistaken(place, points, offers, lines) for place, (offers, lines) in enumerate(zip(names, leading))]
    costs = [cost + MISTAKEN * wrong for cost, wrong in zip(costs, mistaken)]
    found = []
    for order in (range(len(names)), range(len(names))[::-1]):
        chosen = _in_turn(names, costs, order, leading)
        left_out = sum(1.0 / (1 + place) for place, one in enumerate(chosen) if one < 0)
        unclear = sum(bool(wrong[one]) for wrong, one in zip(mistaken, chosen) if one >= 0)
        found.append((left_out, _lines_through_names(names, leading, chosen) + unclear, chosen))
        if not any(found[-1][:2]):
            break
    return min(found, key=lambda one: one[:2])[2]


def _lines_through_names(names: Sequence[Floats], leading: Sequence[Floats], chosen: Sequence[int]) -> int:
    """How many names are struck through by a line that leads to another one."""
    placed = [(place, one) for place, one in enumerate(chosen) if one >= 0]
    if not placed:
        return 0
    lines, boxes = (np.array([those[place][one] for place, one in placed]) for those in (leading, names))
    return int((_struck(lines, boxes) & ~np.eye(len(placed), dtype=bool)).sum())


def leaders(mark: Box, names: Floats) -> Floats:
    """Lines from a point to names that stand apart from it: ends as x, y, x, y; no numbers for a name beside it."""
    x, y = mark.left + mark.width / 2, mark.top + mark.height / 2
    left, top, width, height = names.T
    near_x, near_y = np.clip(x, left, left + width), np.clip(y, top, top + height)
    gap = np.maximum(np.abs(near_x - x) - mark.width / 2, np.abs(near_y - y) - mark.height / 2)
    lines = np.stack([np.full_like(near_x, x), np.full_like(near_y, y), near_x, near_y], axis=1)
    return np.where((gap > LEAST_LED)[:, None], lines, np.nan)


def _mistaken(place: int, points: Sequence[Box | None], offers: Floats, lines: Floats) -> NDArray[np.bool_]:
    """Which offers of a name would be read as the name of another point: no line leads to them, and it is nearer."""
    own = points[place]
    others = [one for at, one in enumerate(points) if at != place and one is not None]
    if own is None or not others or not len(offers):
        return np.zeros(len(offers), np.bool_)
    left, top, width, height = (column[:, None] for column in offers.T)
    x, y = (np.array([one[end] + one[end + 2] / 2 for one in (own, *others)]) for end in (0, 1))
    away = np.hypot(x - np.clip(x, left, left + width), y - np.clip(y, top, top + height))
    return np.asarray((away[:, 1:].min(axis=1) < away[:, 0]) & np.isnan(lines[:, 0]))


def _struck(lines: Floats, boxes: Floats) -> NDArray[np.bool_]:
    """Matrix of which lines run through which boxes; shape (lines, boxes)."""
    # Parts of each line's way at which it comes in and goes out, of both directions at once.
    enters, leaves = np.zeros((len(lines), len(boxes))), np.ones((len(lines), len(boxes)))
    with np.errstate(divide="ignore", invalid="ignore"):  # No line is no number, and an upright one runs on for ever.
        for end in (0, 1):
            start, way = lines[:, [end]], lines[:, [end + 2]] - lines[:, [end]]
            near, far = (boxes[:, end] - start) / way, (boxes[:, end] + boxes[:, end + 2] - start) / way
            enters, leaves = np.maximum(enters, np.minimum(near, far)), np.minimum(leaves, np.maximum(near, far))
    return np.asarray(enters < leaves)


def _in_turn(
    names: Sequence[Floats], costs: Sequence[Floats], order: Sequence[int], leading: Sequence[Floats]
) -> list[int]:
    chosen, taken, led = [-1] * len(names), np.empty((0, 4)), np.empty((0, 4))
    for place in order:
        if not len(names[place]):
            continue
        struck = _struck(leading[place], taken).sum(axis=1) + _struck(led, names[place]).sum(axis=0)
        beside = _overlap(names[place] + [-READ_ON, 0.0, 2 * READ_ON, 0.0], taken, 0.0).any(axis=1)
        costly = costs[place] + STRUCK * struck + BESIDE * beside
        free = np.where(_overlap(names[place], taken, APART).any(axis=1), np.inf, costly)
        best = int(free.argmin())
        if np.isfinite(free[best]):
            chosen[place] = best
            taken = np.vstack([taken, names[place][best]])
            if np.isfinite(leading[place][best]).all():
                led = np.vstack([led, leading[place][best]])
    return chosen


def _overlap(boxes: Floats, others: Floats, apart: float) -> NDArray[np.bool_]:
    """Matrix of which boxes lie nearer than this to which others; shape (boxes, others)."""
    left, top, width, height = (column[:, None] for column in boxes.T)
    x, y, across, down = others.T
    return np.asarray(
        (left < x + across + apart) & (x < left + width + apart) & (top < y + down + apart) & (y < top + height + apart)
    )
