"""Names inside a plot: the one place that decides where each stands.

A name has several offers, best first. It takes the best that lies in the picture and on no other name, no point and, if
that can be had, no curve. Without such an offer it is left out: the readout tells it all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QBrush, QColor, QFont

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.drawing.palette import Theme
from gpuplanner_gui.drawing.plots.name_places import (
    Box,
    CurveCover,
    Frame,
    NameObstacles,
    arrange,
    leaders,
)

Size = tuple[float, float]
"""Width and height of a name, in pixels."""
MARGIN = 2.0
"""Pixels around the letters; the ground behind a name covers them too. Above and below, names may share them."""
GROUND_ALPHA = 200
"""Opacity (of 255) of the ground behind a name, so that a line behind it can still be seen."""
NO_GROUND = QBrush()
ABOVE_MARKS = 50
BAND_LINES = 7
"""Lines from edge to edge of a band that stand for its area."""
HEIGHTS = tuple(0.06 + 0.87 * step / 15 for step in range(16))
"""Heights for the name of an upright line, as shares of the plot's height."""
ACROSS = (0.02, 0.35, 0.68, 0.18, 0.52, 0.85)
"""The same of a level line, as shares of the width."""
BESIDE = ((1, 0), (-1, 0), (0, -1), (0, 1), (1, -1), (1, 1), (-1, -1), (-1, 1))
"""Directions for the name of a point, best first: right, left, above, below, corners. Heights grow downward."""
FARTHER = (0.0, 12.0, 28.0, 46.0, 66.0, 88.0)
"""Distances of a name from its point, nearest first; a line leads from any but the nearest. [pixels]"""
STEPS = 14
"""Places along a level line at which its name may stand."""


def beside_upright(column: float, near: float, size: Size, frame: Frame) -> Floats:
    """Offers beside an upright line, best near a share of the height; `column` is where the line stands."""
    (width, height), room = size, frame.height
    edge = min(height / 2 / room, 0.5)
    shares = [min(max(share, edge), 1 - edge) for share in sorted(HEIGHTS, key=lambda share: abs(share - near))]
    sides = (column + MARGIN, column - MARGIN - width)
    sides = sides if column + width < frame.width else sides[::-1]
    return np.array([(side, (1 - share) * room - height / 2, width, height) for share in shares for side in sides])


def beside_level(row: float, size: Size, frame: Frame) -> Floats:
    """Below or above a level line; `row` is where the line stands."""
    width, height = size
    sides = (row + MARGIN, row - MARGIN - height) if row < frame.height / 2 else (row - MARGIN - height, row + MARGIN)
    last = max(1 - width / frame.width, 0.0)
    shares = [min(share, last) for share in ACROSS]
    return np.array([(share * frame.width, side, width, height) for share in shares for side in sides])


def around_point(mark: Box, size: Size) -> Floats:
    """Offers around a point, near ones first."""
    width, height = size
    x, y = mark.left + mark.width / 2 - width / 2, mark.top + mark.height / 2 - height / 2
    return np.array([
        (x + side * (mark.width + width + 2 * away) / 2, y + down * (mark.height + height + 2 * away) / 2, *size)
        for away in FARTHER
        for side, down in BESIDE
    ])  # fmt: skip


@dataclass(frozen=True)
class Name:
    """A text, what it is the name of, and where it may stand: offers by its size and by what is seen of the plot."""

    text: str
    colour: str
    offers: Callable[[Size, Frame], Floats]
    of: Any = None
    """The item that it names: without it, the name goes too."""
    may_cross: bool = False
    """Whether the name may lie on a curve if it has no other place."""
    is_clear_first: bool = False
    """Whether the first offer lies beside all that is painted, where it needs no ground."""
    is_inset: bool = False
    """Whether it is written into its line, which its ground hides."""
    mark: Callable[[Frame], Box] | None = None
    """The point to which a line leads."""


def line_name(line: pg.InfiniteLine, text: str, colour: str, near: float = 0.93) -> Name:
    """The name of an upright or level line, wherever it is dragged; `near` is the best share of the height."""

    def offers(size: Size, frame: Frame) -> Floats:
        if line.angle == 0:
            return beside_level(float(frame.down(line.value())), size, frame)
        return beside_upright(float(frame.across(line.value())), near, size, frame)

    return Name(text, colour, offers, line)


def point_name(x: float, y: float, pixels: float, text: str, colour: str) -> Name:
    """The name of a point of so many pixels."""

    def mark(frame: Frame) -> Box:
        return Box(float(frame.across(x)) - pixels / 2, float(frame.down(y)) - pixels / 2, pixels, pixels)

    return Name(text, colour, lambda size, frame: around_point(mark(frame), size), mark=mark)


def axis_title_name(text: str, colour: str) -> Name:
    """The title of the vertical axis, within the plot at the upper end of the axis."""

    def offers(size: Size, frame: Frame) -> Floats:
        width, height = size
        tops = np.linspace(0.0, max(frame.height - height, 0.0), len(HEIGHTS))
        return np.array([(MARGIN, top, width, height) for top in tops])

    return Name(text, colour, offers, may_cross=True)


class PlotNames:
    """Keeps the texts of a plot, and places them anew whenever something moves."""

    def __init__(self, item: pg.PlotItem) -> None:
        self._item, self._view = item, item.getViewBox()
        self._names: tuple[Name, ...] = ()
        self._title: Name | None = None
        self._texts: list[pg.TextItem] = []
        self._chosen: list[int] = []
        self._ground = self._opaque = NO_GROUND
        self._leaders: pg.PlotCurveItem | None = None
        """Made when it is first needed, as the texts are: a plot without names pays nothing."""
        self._followed: set[int] = set()
        self.is_held = False
        """While a plot is drawn, nothing is placed: what it shows is half of this and half of that."""
        self.ask_turn: Callable[[], None] | None = None
        """Where plots share a window: asks for a turn in which `place_anew` follows another size."""
        self._is_resized = False
        self._view.sigRangeChanged.connect(self.place)
        self._view.sigResized.connect(self._on_resized)

    def lead_with(self, title: Name | None, theme: Theme, font: QFont) -> None:
        """The title of an axis, placed before all names; None where it stands beside the axis."""
        names = self._names[1:] if self._title is not None else self._names
        self._title = title
        self.show(names, theme, font)
        self.place()

    def show(self, names: Sequence[Name], theme: Theme, font: QFont) -> None:
        """These names and no others; they are placed when the plot is drawn."""
        names = self._names = tuple(names) if self._title is None else (self._title, *names)
        while len(self._texts) < len(names):
            self._texts.append(self._new_text(font))
        ground = QColor(theme.surface)
        ground.setAlpha(GROUND_ALPHA)
        self._ground, self._opaque = pg.mkBrush(ground), pg.mkBrush(theme.surface)
        if self._leaders is None and any(name.mark is not None for name in names):
            self._leaders = pg.PlotCurveItem(connect="pairs")
            self._item.addItem(self._leaders, ignoreBounds=True)
        if self._leaders is not None:
            self._leaders.setPen(pg.mkPen(theme.muted))
        for text, name in zip(self._texts, names):
            if text.color != QColor(name.colour):
                text.setColor(QColor(name.colour))
            if text.toPlainText() != name.text:
                text.setText(name.text)
            if name.of is not None and id(name.of) not in self._followed and isinstance(name.of, pg.InfiniteLine):
                self._followed.add(id(name.of))
                name.of.sigPositionChanged.connect(self.place)

    def _new_text(self, font: QFont) -> pg.TextItem:
        text = pg.TextItem(anchor=(0, 0))
        text.setFont(font)
        text.textItem.document().setDocumentMargin(MARGIN)
        text.setZValue(ABOVE_MARKS)
        text.hide()
        self._item.addItem(text, ignoreBounds=True)
        return text

    def shown(self) -> list[str]:
        """The names that have found a place."""
        return [text.toPlainText() for text in self._texts if text.isVisible()]

    def stand_like(self, other: PlotNames) -> None:
        """Begin where another plot's names stand: what stands well stays, so that places depend on what was before."""
        self._chosen = list(other._chosen)

    def _on_resized(self) -> None:
        self._is_resized = True
        (self.ask_turn or self.place)()

    def place_anew(self) -> None:
        """Place the names where nothing has done so since the plot took another size."""
        if self._is_resized:
            self.place()

    def place(self) -> None:
        """Stand each name where it covers nothing, and leave out those without such a place."""
        if self.is_held or not self._texts:
            return
        self._is_resized = False
        frame = Frame.of(self._view)
        if min(frame.width, frame.height) < 1 or not self._names:
            self._put([], [], frame, None)
            return
        there = [place for place, name in enumerate(self._names) if name.of is None or name.of.isVisible()]
        names = [self._names[place] for place in there]
        sizes = [self._texts[place].textItem.boundingRect() for place in there]
        offers = [name.offers((size.width(), size.height() - 2 * MARGIN), frame) for name, size in zip(names, sizes)]
        present = [self._present(place) for place in there]
        led_from = [name.mark(frame) if name.mark is not None else None for name in names]
        around = self._surroundings(frame)
        chosen = arrange(offers, around, [name.may_cross for name in names], present, led_from)
        self._chosen = [-1] * len(self._names)
        for place, choice in zip(there, chosen):
            self._chosen[place] = choice
        self._put(
            [(place, Box(*map(float, boxes[one]))) for place, boxes, one in zip(there, offers, chosen) if one >= 0],
            [mark for mark, one in zip(led_from, chosen) if one >= 0],
            frame, around,
        )  # fmt: skip

    def _present(self, place: int) -> int:
        """The offer where a name stands; -1 for none, or where the first is worth going back to."""
        is_known = place < len(self._chosen) and not self._names[place].is_clear_first
        return self._chosen[place] if is_known else -1

    def _put(
        self, placed: list[tuple[int, Box]], marks: list[Box | None], frame: Frame, around: NameObstacles | None
    ) -> None:
        boxes = dict(placed)
        for place, text in enumerate(self._texts):
            box = boxes.get(place)
            if text.isVisible() != (box is not None):
                text.setVisible(box is not None)
            if box is not None:
                is_clear = self._names[place].is_clear_first and self._chosen[place] == 0
                # A line that runs through a name ends at the name's edges, that it can be read.
                hides = self._names[place].is_inset or (around is not None and around.is_crossed(box))
                text.fill = NO_GROUND if is_clear else self._opaque if hides else self._ground
                text.setPos(frame.left + box.left / frame.wide, frame.top - (box.top - MARGIN) / frame.high)
        if self._leaders is None:
            return
        lines = [leaders(mark, np.array([box])) for (_, box), mark in zip(placed, marks) if mark is not None]
        ends = np.array([line[0] for line in lines if np.isfinite(line).all()]).reshape(-1, 2)
        self._leaders.setData(frame.left + ends[:, 0] / frame.wide, frame.top - ends[:, 1] / frame.high)

    def _surroundings(self, frame: Frame) -> NameObstacles:
        """The obstacles that the plot draws."""
        curves: list[tuple[Floats, Floats]] = []
        bands: list[tuple[Floats, Floats]] = []
        marks: list[Floats] = [np.empty((0, 4))]
        lines: dict[int, list[float]] = {0: [], 90: []}
        for one in self._item.items:
            if one is self._leaders or not one.isVisible():
                continue
            if isinstance(one, pg.InfiniteLine) and one.zValue() < ABOVE_MARKS:
                at = frame.down(one.value()) if one.angle == 0 else frame.across(one.value())
                lines[int(one.angle)].append(float(at))
            elif isinstance(one, pg.ScatterPlotItem):
                size = np.where(one.data["size"] < 0, one.opts["size"], one.data["size"])
                marks.append(_boxes(one.data["x"], one.data["y"], size, frame))
            elif isinstance(one, pg.FillBetweenItem):
                bands += _band_lines(one, frame)
            elif isinstance(one, (pg.PlotCurveItem, pg.PlotDataItem)):
                # A curve behind the others yields to a name, as a band does.
                (curves if one.zValue() >= 0 else bands).extend(_pixels(one, frame))
                x, y = one.getData()
                if one.opts.get("symbol") and x is not None:
                    marks.append(_boxes(x, y, one.opts["symbolSize"], frame))
        cover, of_bands = (CurveCover(frame.width, frame.height, ones) for ones in (curves, bands))
        uprights, levels = (np.array(lines[angle]) for angle in (90, 0))
        return NameObstacles(
            frame.width, frame.height, cover, of_bands if bands else None, np.vstack(marks), uprights, levels
        )


def _band_lines(band: pg.FillBetweenItem, frame: Frame) -> list[tuple[Floats, Floats]]:
    """Lines through a band between two curves over the same places."""
    (x, low), (other_x, high) = (curve.getData() for curve in band.curves)
    if x is None or other_x is None or len(x) < 2 or not np.array_equal(x, other_x):
        return []
    return [(frame.across(x), frame.down(low + share * (high - low))) for share in np.linspace(0.0, 1.0, BAND_LINES)]


def _boxes(x: Floats, y: Floats, size: Any, frame: Frame) -> Floats:
    size = np.broadcast_to(size, np.shape(x))
    return np.stack([frame.across(x) - size / 2, frame.down(y) - size / 2, size, size], axis=1)


def _pixels(curve: Any, frame: Frame) -> list[tuple[Floats, Floats]]:
    """A curve, or the lines of one that is drawn in pairs."""
    x, y = curve.getData()
    if x is None or not len(x):
        return []
    across, down = frame.across(x), frame.down(y)
    if curve.opts.get("connect") == "pairs":
        return [(across[at : at + 2], down[at : at + 2]) for at in range(0, len(across) - 1, 2)]
    return [(across, down)]
