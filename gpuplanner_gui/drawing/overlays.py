"""Curves of pinned candidates and of a project's other scenarios, over those of the candidate that is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.drawing.plots.axes import shortened
from gpuplanner_gui.drawing.plots.legend import Entry
from gpuplanner_gui.drawing.plots.pens import pen
from gpuplanner_gui.drawing.plots.picks import Pick, nearest_curve

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.limit_rows import PlannedMemory
    from gpuplanner_gui.drawing.palette import Theme
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
        self.names: list[str] = []
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

    def show(self, lines: list[tuple[str, Floats, Floats]], marks: Sequence[int] = ()) -> None:
        """Name and placed ends of each line; what is not there is cleared.

        `marks` are those of the pinned candidates, whose lines come first: each has its colour in every plot.
        """
        self.names = [name for name, _, _ in lines]
        if tuple(marks) != self._marks and self._theme is not None:
            self._marks = tuple(marks)
            self.recolour(self._theme)
        for place, curve in enumerate(self.curves):
            _, x, y = lines[place] if place < len(lines) else ("", np.empty(0), np.empty(0))
            known = np.isfinite(x) & np.isfinite(y)
            curve.setData(x[known], y[known])

    def pick_at(self, view: pg.ViewBox, x: float, y: float) -> Pick | None:
        """The scenario whose curve is there."""
        place = nearest_curve(self.curves, view, x, y)
        return Pick(self.names[place]) if 0 <= place < len(self.names) else None

    def entries(self) -> tuple[Entry, ...]:
        return tuple(
            Entry(shortened(name, LONGEST_NAME), colour, "dashdot", f"overlay{place}")
            for place, (name, colour) in enumerate(zip(self.names, self._colours))
        )
