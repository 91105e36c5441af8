"""What plots show beside the selected candidate: rivals' marks and ceilings, curves of pins and other scenarios."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import Roofline, RooflinePoint
from gpuplanner_gui.drawing.candidates import MARKS, RivalRoofline
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import RIVAL_SYMBOLS, Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale, shortened
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.pens import NO_BRUSH, faint, pen
from gpuplanner_gui.drawing.plots.picks import Pick, from_there, nearest_curve, nearest_line
from gpuplanner_gui.drawing.plots.roofline_words import highest_peak
from gpuplanner_gui.drawing.words.candidates import is_phase

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.limit_rows import PlannedMemory
    from gpuplanner_gui.drawing.results import Results, ScenarioOverlay


MOST_OVERLAYS = 4
LONGEST_NAME = 40


def overlays_of(results: Results) -> tuple[ScenarioOverlay, ...]:
    return results.known.overlays[:MOST_OVERLAYS]


def overlaid_memory(results: Results, workload: str) -> tuple[tuple[str, PlannedMemory], ...]:
    """Name of each other scenario that plans the workload, and what fills a device there."""
    return tuple((one.scenario.name, one.memory[workload]) for one in overlays_of(results) if workload in one.memory)


class OverlayCurves:
    """Kept curves, one for each other scenario or pinned candidate, in colours and with legend entries of their own."""

    def __init__(self, item: pg.PlotItem) -> None:
        self.curves = [pg.PlotCurveItem(antialias=True) for _ in range(MOST_OVERLAYS)]
        self._picks: list[Pick] = []
        self._colours: tuple[str, ...] = ()
        self._theme: Theme | None = None
        self._marks: tuple[int, ...] = ()
        for curve in self.curves:
            item.addItem(curve, ignoreBounds=True)

    def toggles(self) -> dict[str, tuple[pg.PlotCurveItem, ...]]:
        return {f"overlay{place}": (curve,) for place, curve in enumerate(self.curves)}

    def recolour(self, theme: Theme) -> None:
        self._theme = theme
        # None of a series, which the scenario at hand may need for its own formats.
        others = [colour for mark, colour in enumerate(theme.rivals) if mark not in self._marks]
        colours = (*(theme.rivals[mark] for mark in self._marks), theme.warning, *others)
        self._colours = colours[:MOST_OVERLAYS]
        for curve, colour in zip(self.curves, self._colours):
            curve.setPen(pen(colour, 2, Qt.PenStyle.DashDotLine))

    @property
    def names(self) -> list[str]:
        return [pick.name for pick in self._picks]

    def show(self, lines: list[tuple[Pick, Floats, Floats]], marks: Sequence[int] = ()) -> None:
        """Each line's candidate or scenario and placed ends; what is not there is cleared.

        `marks` are those of the pinned candidates, whose lines come first: each has its colour in every plot.
        """
        self._picks = [pick for pick, _, _ in lines]
        if tuple(marks) != self._marks and self._theme is not None:
            self._marks = tuple(marks)
            self.recolour(self._theme)
        for place, curve in enumerate(self.curves):
            x, y = lines[place][1:] if place < len(lines) else (np.empty(0), np.empty(0))
            known = np.isfinite(x) & np.isfinite(y)
            curve.setData(x[known], y[known])

    def pick_at(self, view: pg.ViewBox, x: float, y: float) -> Pick | None:
        """The candidate or scenario whose curve is there."""
        place = nearest_curve(self.curves, view, x, y)
        return self._picks[place] if 0 <= place < len(self._picks) else None

    def entries(self) -> tuple[LegendEntry, ...]:
        return tuple(
            LegendEntry(shortened(name, LONGEST_NAME), colour, "dashdot", f"overlay{place}")
            for place, (name, colour) in enumerate(zip(self.names, self._colours))
        )


PHASE_PIXELS = 11.0
LONGEST_RIVAL_NAME = LONGEST_NAME
ABOVE_POINTS = 1
ROOF_ALPHA = 150
"""Opacity of a rival's ceiling, of 255."""
REACH_PIXELS = 7.0
"""Pixels from the edge of a mark within which a click selects it."""
ALL = "rivals"
"""Key of the legend entry that stands for all of them."""
Line = tuple[NDArray[np.float64], NDArray[np.float64]]
NO_LINE: Line = (np.empty(0), np.empty(0))


@dataclass(frozen=True)
class Shown:
    """A rival, what it is called, also in the legend, which of its points are drawn, and whether its ceiling is."""

    rival: RivalRoofline
    name: str
    brief_name: str
    points: tuple[RooflinePoint, ...]
    has_roof: bool = False

    @property
    def key(self) -> str:
        """Key of its legend entry."""
        return f"rival{self.rival.mark}"


def points_to_show(roofline: Roofline, phase: str) -> tuple[RooflinePoint, ...]:
    """A whole phase, or each: operations of several candidates would lie on one another."""
    return tuple(one for one in drawable(roofline) if is_phase(one) and phase in ("", one.phase))


def drawable(roofline: Roofline) -> list[RooflinePoint]:
    """Points that have a place on logarithmic axes."""
    return [one for one in roofline.points if one.intensity_flop_per_byte > 0 and one.achieved_flop_per_s > 0]


class RivalMarks:
    """Owns the marks; `show` fills them, `point_at` and `roof_at` tell whose is where."""

    def __init__(self, item: pg.PlotItem) -> None:
        # All points are one item: items, not points, are what takes time.
        self.points = pg.ScatterPlotItem(pxMode=True)
        self.roofs = [pg.PlotCurveItem(antialias=True) for _ in range(MARKS)]
        self.shown: tuple[Shown, ...] = ()
        self._drawn: list[Shown] = []
        self._view = item.getViewBox()
        self._colours: tuple[str, ...] = ()
        self._owners: list[tuple[Shown, RooflinePoint]] = []
        self._places, self._sizes = np.empty((2, 0)), np.empty(0)
        self._lines = [NO_LINE] * MARKS
        # The marks lie over those of the selected candidate, through which they could not be seen.
        self.points.setZValue(ABOVE_POINTS)
        for part in (*self.roofs, self.points):
            item.addItem(part, ignoreBounds=True)

    def recolour(self, theme: Theme) -> None:
        self._colours = theme.rivals
        for roof, colour in zip(self.roofs, self._colours):
            # Wider than one pixel, a smoothed line takes three times as long to paint.
            roof.setPen(pen(faint(colour, ROOF_ALPHA)))

    def toggles(self) -> dict[str, tuple[pg.PlotCurveItem, ...]]:
        """Keys of legend entries; the points that they hide are left out when they are drawn again."""
        return {ALL: (), **{f"rival{mark}": (roof,) for mark, roof in enumerate(self.roofs)}}

    def entries(self, has_room: bool) -> tuple[LegendEntry, ...]:
        """One for each, or a single one for all of them."""
        if not has_room and self.shown:
            mark = self.shown[0].rival.mark
            return (LegendEntry(tr("other candidates"), self._colours[mark], RIVAL_SYMBOLS[mark], ALL),)
        return tuple(
            LegendEntry(
                shortened(one.brief_name, LONGEST_RIVAL_NAME),
                self._colours[mark],
                RIVAL_SYMBOLS[mark],
                one.key,
                has_line=one.has_roof,
            )
            for one, mark in ((one, one.rival.mark) for one in self.shown)
        )

    def show(
        self,
        shown: Sequence[Shown],
        hidden: frozenset[str],
        scales: tuple[AxisScale, AxisScale],
        ends: tuple[float, float],
    ) -> None:
        """Name these, and draw all but the hidden; ceilings reach from one end to the other, in FLOP per byte."""
        self.shown = tuple(shown)
        self._drawn = [one for one in shown if not {one.key, ALL} & hidden]
        self._owners = [(one, point) for one in self._drawn for point in one.points]
        x = scales[0].place([point.intensity_flop_per_byte for _, point in self._owners])
        y = scales[1].place([point.achieved_flop_per_s for _, point in self._owners])
        self._places = np.stack([x, y])
        self._sizes = np.full(len(self._owners), PHASE_PIXELS)
        marks = [one.rival.mark for one, _ in self._owners]
        self.points.setData(
            x=x, y=y, size=self._sizes, symbol=[RIVAL_SYMBOLS[mark] for mark in marks], brush=NO_BRUSH,
            pen=[pen(self._colours[mark], 1.3) for mark in marks],
        )  # fmt: skip
        roofs = [one.rival for one in self._drawn if one.has_roof]
        lines = {one.mark: _roof(one.roofline, scales, ends) for one in roofs}
        for mark, roof in enumerate(self.roofs):
            line = lines.get(mark, NO_LINE)
            if not all(map(np.array_equal, line, self._lines[mark])):
                self._lines[mark] = line
                roof.setData(*line)

    def point_at(self, x: float, y: float) -> tuple[float, Shown, RooflinePoint] | None:
        """The point nearest to a position of the view, if that is in its reach, and how many pixels it is away."""
        nearest, away = nearest_mark(self._view, self._places, self._sizes, x, y)
        return (away, *self._owners[nearest]) if nearest >= 0 else None

    def roof_at(self, x: float, y: float, others: Sequence[Line]) -> Shown | None:
        """The rival whose ceiling is near; none where one of `others` is as near."""
        drawn = [one for one in self._drawn if one.has_roof]
        place = nearest_line([*(self._lines[one.rival.mark] for one in drawn), *others], self._view, x, y)
        return drawn[place] if 0 <= place < len(drawn) else None


def nearest_mark(
    view: pg.ViewBox, places: NDArray[np.float64], sizes: NDArray[np.float64], x: float, y: float
) -> tuple[int, float]:
    """The nearest mark to a position of the view (-1 for none in reach), and its distance in pixels."""
    away = np.hypot(*from_there(view, places[0], places[1], x, y).T) if len(sizes) else np.empty(0)
    away = np.where(away <= sizes / 2 + REACH_PIXELS, away, np.inf)
    nearest = int(np.argmin(away)) if np.isfinite(away).any() else -1
    return nearest, float(away[nearest]) if nearest >= 0 else math.inf


def _roof(roofline: Roofline, scales: tuple[AxisScale, AxisScale], ends: tuple[float, float]) -> Line:
    """Bandwidth up to the highest peak of the formats in use, and that peak from there on."""
    peak, bandwidth = highest_peak(roofline), roofline.bandwidth_bytes_per_s
    if not (peak > 0 and bandwidth > 0):
        return NO_LINE
    ridge = peak / bandwidth
    x = np.array([min(ends[0], ridge), ridge, max(ends[1], ridge)])
    return scales[0].place(x), scales[1].place(np.minimum(x * bandwidth, peak))
