"""How far each measured case lies from its prediction: as shipped, and as the planner's other measurements say."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.pens import NO_BRUSH, NO_PEN, brush, faint, pen, translucent
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.calibration import case_text, quantity_title
from gpuplanner_gui.engine.evidence.knowledge import PointVerdict

REACHES = (0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
"""Reaches of the axis from 0, so that small residuals look small."""
NEAR = 0.5
EDGE = 1.35
"""More than the reach, so that the texts of the ticks at its ends have room in a low picture."""


class ResidualsPlot(CurvePlot):
    """A column for each case: measured over predicted time, with the band around 1."""

    ABOUT = phrase(
        "How much slower each run was than predicted; below 0 it was faster. Hollow marks: prediction "
        "without your runs. Filled marks: prediction from your other runs. 80 % of runs should lie within "
        "the band."
    )

    X, Y = CurveAxis(phrase("Run"), ""), CurveAxis(phrase("Measured vs predicted time"), "share")

    def __init__(self) -> None:
        super().__init__()
        # Cases are counted: there is none between the second and the third.
        self.item.getAxis("bottom").least_step = 1.0
        self._bands = pg.PlotDataItem(connect="pairs")
        self._even = pg.InfiniteLine(angle=0, pos=0.0)
        self._before = pg.ScatterPlotItem(pxMode=True)
        self._after = pg.ScatterPlotItem(pxMode=True)
        self.add(self._bands, self._even, self._before, self._after)
        self._verdicts: tuple[PointVerdict, ...] = ()

    def recolour(self) -> None:
        self._bands.setPen(pg.mkPen(translucent(self.theme.muted, 70), width=7))
        self._even.setPen(pen(self.theme.muted, 1, Qt.PenStyle.DashLine))
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        return (
            LegendEntry(tr("without your runs"), self.theme.muted, "outline"),
            LegendEntry(tr("from your other runs"), self.theme.accent),
            LegendEntry(tr("outlier"), self.theme.bad),
            LegendEntry(tr("80 % range"), faint(self.theme.muted, 110)),
        )

    def draw(self, results: Results) -> None:
        view = results.known.calibration
        self._verdicts = view.verdicts if view is not None else ()
        found = self._verdicts
        self.stops = range(1, len(found) + 1)
        if not found:
            self.show_message(tr("Measured runs appear here with their predictions."))
            return
        number = np.arange(1.0, len(found) + 1.0)
        before, after = (np.array([_slowness(one, value) - 1.0 for one in found]) for value in ("before", "after"))
        width = np.array([max(one.high80 / one.after, 1.0) for one in found])
        self._before.setData(number, before, size=8, brush=NO_BRUSH, pen=pen(self.theme.muted, 1.5))
        colours = [brush(self.theme.bad if one.is_outlier else self.theme.accent) for one in found]
        symbols = ["t1" if one.is_outlier else "o" for one in found]
        self._after.setData(number, after, size=8, brush=colours, pen=NO_PEN, symbol=symbols)
        ends = np.stack([1.0 / width, width], axis=1).ravel() - 1.0
        self._bands.setData(np.repeat(number, 2), ends)
        reach = float(max(np.abs(part).max() for part in (before, after, ends)))
        self._show_range(len(found), next((one for one in REACHES if one >= reach), reach))
        self.say(_sentence(found))

    def _show_range(self, count: int, reach: float) -> None:
        """All cases, and as far below 0 as above, but for times below none."""
        if not self._is_moved:
            y_range = (-EDGE * min(reach, 1.0), EDGE * reach)
            self.item.getViewBox().setRange(xRange=(0.3, count + 0.7), yRange=y_range, padding=0)

    def readout_at(self, x: float, y: float) -> str:
        place = round(x) - 1
        if not 0 <= place < len(self._verdicts) or abs(x - place - 1) > NEAR or self.results is None:
            return ""
        one = self._verdicts[place]
        run = self.results.project.measurements[one.point.set_index].measurements[one.point.measurement_index]
        said = tr(
            "{case}: {quantity}, {before} of the prediction without your runs, {after} of the prediction "
            "from your other runs"
        )
        return said.format(
            case=case_text(run.context, self.results.catalog), quantity=quantity_title(one.point.quantity),
            before=format_value(_slowness(one, "before"), "share", 3),
            after=format_value(_slowness(one, "after"), "share", 3),
        )  # fmt: skip

    def table(self, results: Results) -> Rows:
        return rows_of(
            enumerate(self._verdicts, 1),
            (tr("Run"), "", lambda one: one[0]),
            (tr("Without your runs"), "", lambda one: _slowness(one[1], "before")),
            (tr("Prediction (other runs)"), "", lambda one: _slowness(one[1], "after")),
            (tr("Outlier"), "", lambda one: tr("yes") if one[1].is_outlier else ""),
        )


def _slowness(one: PointVerdict, which: str) -> float:
    """Measured over predicted time."""
    return one.slowness_before if which == "before" else one.slowness_after


def _sentence(found: tuple[PointVerdict, ...]) -> str:
    ratio = math.exp(float(np.median([math.log(_slowness(one, "before")) for one in found])))
    off = format_value(abs(ratio - 1.0), "share", 2)
    if abs(ratio - 1.0) < 0.005:
        return tr("Half of the runs are slower than predicted, half are faster")
    return (tr("The median run is {off} slower than predicted without your runs") if ratio > 1 else tr(
        "The median run is {off} faster than predicted without your runs"
    )).format(off=off)  # fmt: skip
