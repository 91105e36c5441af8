"""What one accelerator gains over another in each phase: points with bands, published pairs, ratios of datasheets."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.curves import PhaseGain, PhaseGains
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.gain_rows import (
    formats_text,
    gain_rows,
    gain_sentence,
    gain_text,
    limit_text,
    measured_like,
    measured_text,
    phase_title,
    ratio_text,
    time_text,
    why_not,
)
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.palette import RESOURCES, resource_colour
from gpuplanner_gui.drawing.plots.axes import AxisScale, HeldRange, NameAxis, ValueAxis
from gpuplanner_gui.drawing.plots.bars import note_offers
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.names import Name
from gpuplanner_gui.drawing.plots.pens import brush, faint, pen, scaled
from gpuplanner_gui.drawing.results import Results, awaited_text
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.units import TIMES
from gpuplanner_gui.drawing.words.candidates import resource_name
from gpuplanner_gui.engine.phases.gains import gains

APART = 0.2
"""Half the distance of a phase's two points, of a row's height."""
NOTE_ROOM = 1.5
"""Factor by which the axis goes on beyond the longest band, for its note; in larger type its power by the scale."""
BEFORE_NOTES = 1.03
"""Factor from the end of the longest band to the notes, so that none seems to end at a number."""


class PhaseGainPlot(Plot):
    """One row for each phase; without FP8 above, with FP8 below."""

    ABOUT = phrase(
        "How many times faster the second accelerator is in each phase. Thin lines span the ratios of peak "
        "compute and memory bandwidth; separate marks are published results."
    )

    def __init__(self) -> None:
        self.names = NameAxis()
        self.x_scale, self.x_range = AxisScale(is_log=True), HeldRange(is_log=True)
        axis = ValueAxis("bottom", TIMES, self.x_scale)
        super().__init__(axis, self.names)
        self.pair: tuple[str, str] = ("", "")
        self.found: PhaseGains | None = None
        axis.setGrid(40)
        axis.setLabel(tr("Relative speed"))
        self.names.setStyle(tickLength=0)
        self.item.getViewBox().invertY(True)
        self._even, self._published, self._bands = (pg.PlotCurveItem(connect="pairs") for _ in range(3))
        self._compute, self._bandwidth = (pg.PlotCurveItem(connect="pairs") for _ in range(2))
        self._points = pg.ScatterPlotItem(pxMode=True)
        self.add(self._published, self._even, self._compute, self._bandwidth, self._bands, self._points)

    def recolour(self) -> None:
        self._even.setPen(pen(self.theme.muted))
        self._published.setPen(pen(faint(self.theme.muted, 90), 9))
        self._bands.setPen(pen(self.theme.text))
        self._compute.setPen(pen(resource_colour(Resource.COMPUTE, self.theme), 1.5, Qt.PenStyle.DashLine))
        self._bandwidth.setPen(pen(resource_colour(Resource.MEMORY_BANDWIDTH, self.theme), 1.5, Qt.PenStyle.DashLine))
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        ratio = self.found.peak_ratio if self.found is not None else {}
        entries = [
            LegendEntry(formats_text(False), self.theme.text, "outline"),
            LegendEntry(tr("BF16 or FP8, the faster"), self.theme.text),
            LegendEntry(tr("80 % range"), self.theme.text, "line"),
        ]  # fmt: skip
        limits = {one.second.limit for one in self.found.gains if math.isfinite(one.gain)} if self.found else set()
        for limit in map(Resource, sorted(limits)):
            words = tr("bound by {what}").format(what=resource_name(limit))
            entries.append(LegendEntry(words, resource_colour(limit, self.theme), RESOURCES[limit].symbol))
        if self.found is not None and self.found.measured:
            entries.append(LegendEntry(tr("published results"), faint(self.theme.muted, 90)))
        for name, title, resource in (
            ("bf16", tr("BF16 peaks {ratio}"), Resource.COMPUTE),
            ("bandwidth", tr("bandwidths {ratio}"), Resource.MEMORY_BANDWIDTH),
        ):
            if name in ratio:
                words = title.format(ratio=ratio_text(ratio[name]))
                entries.append(LegendEntry(words, resource_colour(resource, self.theme), "dash"))
        return tuple(entries)

    def look_like(self, other: Plot) -> None:
        assert isinstance(other, PhaseGainPlot)
        super().look_like(other)
        self.pair = other.pair

    def draw(self, results: Results) -> None:
        speeds = results.known.phases
        if speeds is None or not all(name in speeds.accelerators for name in self.pair):
            self.found = None
            waiting = awaited_text(results.known, "phases", tr("Comparing…"))
            self.show_message(waiting if speeds is None else tr("Choose two accelerators."))
            return
        self.found = gains(speeds, *self.pair, results.catalog)
        rows = [phase_title(one.phase, one.batch) for one in self.found.gains if not one.is_fp8_allowed]
        self.names.show_names(tuple(rows))
        low = self._set_range(len(rows))
        self._draw_lines(self.found, len(rows))
        self._draw_points(self.found, low)
        self.set_legend(*self.legend_entries())
        self.say(gain_sentence(self.found, results.catalog))

    def _set_range(self, rows: int) -> float:
        """Fit the axis; returns where it starts."""
        assert self.found is not None
        known = [one for one in self.found.gains if math.isfinite(one.gain)]
        ends = [1.0, *(one.low80 for one in known), *(one.high80 for one in known)]
        ends += [case.low for case in self.found.measured] + [case.high for case in self.found.measured]
        ends += [self.found.peak_ratio[name] for name in ("bf16", "bandwidth") if name in self.found.peak_ratio]
        low, high = self.x_range.around(min(ends) / 1.05, max(ends) * NOTE_ROOM ** scaled(1.0))
        self.show_range((self.x_scale.place_one(low), self.x_scale.place_one(high)), (-0.6, rows - 0.4))
        return low

    def _draw_lines(self, found: PhaseGains, rows: int) -> None:
        def upright(line: pg.PlotCurveItem, ratio: float | None) -> None:
            ends = [] if ratio is None else [ratio, ratio]
            line.setData(self.x_scale.place(ends), np.array([-0.6, rows - 0.4][: len(ends)]))

        upright(self._even, 1.0)
        upright(self._compute, found.peak_ratio.get("bf16"))
        upright(self._bandwidth, found.peak_ratio.get("bandwidth"))
        spans, places = [], []
        for index, one in enumerate(found.gains):
            cases = measured_like(found, one)
            if cases:
                low, high = min(case.low for case in cases), max(case.high for case in cases)
                spans += [low / 1.01, high * 1.01]
                places += [place_of(index)] * 2
        self._published.setData(self.x_scale.place(spans), np.array(places))

    def _draw_points(self, found: PhaseGains, low: float) -> None:
        known = [(place_of(index), one) for index, one in enumerate(found.gains) if math.isfinite(one.gain)]
        ends = [end for _, one in known for end in (one.low80, one.high80)]
        self._bands.setData(self.x_scale.place(ends), np.repeat([place for place, _ in known], 2))
        colours = [resource_colour(one.second.limit, self.theme) for _, one in known]
        self._points.setData(
            x=self.x_scale.place([one.gain for _, one in known]),
            y=[place for place, _ in known],
            size=11,
            symbol=[RESOURCES[Resource(one.second.limit)].symbol for _, one in known],
            brush=[brush(c if one.is_fp8_allowed else self.theme.surface) for c, (_, one) in zip(colours, known)],
            pen=[pen(colour, 2) for colour in colours],
        )
        upright = (1.0, *(found.peak_ratio[name] for name in ("bf16", "bandwidth") if name in found.peak_ratio))
        high = max((self._end_of(one) for _, one in known), default=1.0)
        high = max(high, *upright) * BEFORE_NOTES
        self.name_all(*(self._note(place_of(index), one, (low, high)) for index, one in enumerate(found.gains)))

    def _note(self, place: float, one: PhaseGain, ends: tuple[float, float]) -> Name:
        """The note of a row: the gain with its band, in a column behind all bands, or why it is unknown."""
        low, high = (self.x_scale.place_one(end) for end in ends)
        if not math.isfinite(one.gain):
            return Name(why_not(one), self.theme.muted, note_offers(place, low))
        return Name(gain_text(one), self.theme.text, note_offers(place, high), is_clear_first=True)

    def _end_of(self, one: PhaseGain) -> float:
        """Right end of a row's marks."""
        cases = measured_like(self.found, one) if self.found is not None else []
        return max([one.high80, *(case.high * 1.01 for case in cases)])

    def readout_at(self, x: float, y: float) -> str:
        if self.found is None:
            return ""
        places = [abs(place_of(index) - y) for index in range(len(self.found.gains))]
        nearest = int(np.argmin(places))
        if places[nearest] > APART * 1.2:
            return ""
        one = self.found.gains[nearest]
        parts = [phase_title(one.phase, one.batch), gain_text(one)]
        if math.isfinite(one.gain):
            parts += [
                f"{time_text(one.first)} → {time_text(one.second)}",
                tr("bound by {what}").format(what=limit_text(one)),
            ]
        if measured_like(self.found, one):
            parts.append(tr("published {span}").format(span=measured_text(self.found, one)))
        return " · ".join(parts)

    def table(self, results: Results) -> Rows:
        return gain_rows(self.found, results.catalog) if self.found is not None else NO_ROWS


def place_of(index: int) -> float:
    """Height of a gain's point: rows of two, without FP8 above."""
    return index // 2 + (APART if index % 2 else -APART)
