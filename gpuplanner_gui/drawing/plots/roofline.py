"""Roofline of the selected device: what its peaks allow at each arithmetic intensity, and where the workload stands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from gpuplanner_gui.domain.plan import Resource, Roofline, RooflinePoint
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, RESOURCES, Theme, resource_colour
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.base import CurvePlot, pen, tick_font
from gpuplanner_gui.drawing.plots.legend import Entry
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words import accelerator_name, precision_name, resource_name

MOST_PRECISIONS = 6
MOST_POINTS = 16
CLOSE_PEAKS = 1.4
"""Ceilings nearer than this have no room for a name each."""
LEAST_HEIGHT_WITH_PEAKS = 330
PHASES = {"prefill": "Prefill", "decode": "Decode", "training": "Training step"}


class RooflinePlot(CurvePlot):
    """Ceilings in the colours of compute and bandwidth; a point for each phase or operation."""

    Y_AXIS_WIDTH = 86

    def __init__(self, workload: str = "serving", theme: Theme = LIGHT) -> None:
        log = AxisScale(is_log=True)
        labels = (tr("FLOP per byte of memory traffic"), tr("FLOP/s"))
        super().__init__("flop/bytes", "flop/s", log, log, labels, theme)
        self.workload = workload
        self.roofline: Roofline | None = None
        self._has_room = True
        self._drawn_with: tuple[Theme, bool] | None = None
        self._bandwidth = (pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True))
        # All ceilings of one kind are one curve of unconnected pairs: a curve item costs half a millisecond to fill.
        self._peaks = (pg.PlotCurveItem(connect="pairs"), pg.PlotCurveItem(connect="pairs"))
        self._points = pg.ScatterPlotItem(pxMode=True)
        self._peak_names = [self._text(anchor=(1, 1)) for _ in range(MOST_PRECISIONS)]
        self._point_names = [self._text(anchor=(0, 0)) for _ in range(MOST_POINTS)]
        for item in (*self._bandwidth, *self._peaks, self._points, *self._peak_names, *self._point_names):
            self.item.addItem(item, ignoreBounds=True)
        self.use_theme(theme)

    def _text(self, anchor: tuple[float, float]) -> Any:
        text = pg.TextItem(anchor=anchor)
        text.setFont(tick_font())
        return text

    def recolour(self) -> None:
        bandwidth = resource_colour(Resource.MEMORY_BANDWIDTH, self.theme)
        compute = resource_colour(Resource.COMPUTE, self.theme)
        for colour, (ceiling, measured) in ((bandwidth, self._bandwidth), (compute, self._peaks)):
            ceiling.setPen(pen(colour, 2))
            measured.setPen(pen(colour, 1, Qt.PenStyle.DashLine))
        for text in (*self._peak_names, *self._point_names):
            text.setColor(QColor(self.theme.text))
        self.set_legend(
            Entry(f"B {resource_name(Resource.MEMORY_BANDWIDTH)}", bandwidth, "line"),
            Entry(f"C {resource_name(Resource.COMPUTE)}", compute, "line"),
            Entry(tr("measured ceiling"), self.theme.muted, "dash"),
        )

    def fit(self, width: float, height: float) -> None:
        super().fit(width, height)
        self._has_room = height >= LEAST_HEIGHT_WITH_PEAKS
        if self.results is not None:
            self.show(self.results)

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        if roofline is not None and roofline is self.roofline and self._drawn_with == (self.theme, self._has_room):
            return
        self.roofline, self._drawn_with = roofline, (self.theme, self._has_room)
        known = {} if roofline is None else {n: r for n, r in roofline.peak_flop_per_s.items() if r > 0}
        if roofline is None or not known or not roofline.bandwidth_bytes_per_s > 0:
            waiting = tr("Waiting for the roofline of the selected candidate.")
            self.show_message(waiting if roofline is None else tr("No peak rate is known for this device."))
            self._hide_all()
            return
        x, y = self._data_ranges(roofline, known)
        self._draw_bandwidth(roofline, x, max(known.values()))
        self._draw_peaks(roofline, known, x)
        self._draw_points(roofline.points)
        self.set_ranges(x, y)
        name = accelerator_name(results.plan.accelerators[roofline.accelerator], results.catalog)
        self.say(self._sentence(roofline, name))

    def _hide_all(self) -> None:
        for line in (*self._bandwidth, *self._peaks):
            line.setData([], [])
        self._points.setData([], [])
        for text in (*self._peak_names, *self._point_names):
            text.setVisible(False)

    def _data_ranges(
        self, roofline: Roofline, known: dict[str, float]
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        points = _drawable(roofline.points)
        intensities = [point.intensity_flop_per_byte for point in points]
        rates = [point.achieved_flop_per_s for point in points]
        ridges = [rate / roofline.bandwidth_bytes_per_s for rate in known.values()]
        x = (min([*intensities, *ridges]) / 4, max([*intensities, *ridges]) * 10)
        y = (min([*rates, x[0] * roofline.bandwidth_bytes_per_s]) / 1.5, max(known.values()) * 2)
        return x, y

    def _draw_bandwidth(self, roofline: Roofline, x: tuple[float, float], highest: float) -> None:
        rates = (roofline.bandwidth_bytes_per_s, roofline.measured_bandwidth_bytes_per_s)
        for line, rate in zip(self._bandwidth, rates):
            if rate > 0:
                ends = np.array([x[0] / 100, highest / rate])
                line.setData(self.x_scale.place(ends), self.y_scale.place(ends * rate))
            else:
                line.setData([], [])

    def _draw_peaks(self, roofline: Roofline, known: dict[str, float], x: tuple[float, float]) -> None:
        ranked = _by_peak(known)[:MOST_PRECISIONS]
        measured = [max(roofline.measured_flop_per_s.get(name, 0.0) for name in names) for names, _ in ranked]
        bandwidths = roofline.bandwidth_bytes_per_s, roofline.measured_bandwidth_bytes_per_s
        for line, peaks, bandwidth in zip(self._peaks, ([peak for _, peak in ranked], measured), bandwidths):
            self._draw_ceilings(line, [peak for peak in peaks if peak > 0 and bandwidth > 0], bandwidth, x[1] * 100)
        for place, text in enumerate(self._peak_names):
            is_close = 0 < place < len(ranked) and ranked[place - 1][1] / ranked[place][1] < CLOSE_PEAKS
            is_named = self._has_room and place < len(ranked) and not is_close
            text.setVisible(is_named)
            if is_named:
                names, peak = ranked[place]
                text.setText(f"{', '.join(precision_name(name) for name in names)} {format_value(peak, 'flop/s')}")
                text.setPos(self.x_scale.place_one(x[1]), self.y_scale.place_one(peak))

    def _draw_ceilings(self, line: Any, peaks: list[float], bandwidth: float, right: float) -> None:
        """From where bandwidth allows each peak to the right edge."""
        ends = [end for peak in peaks for end in (peak / bandwidth, right)]
        line.setData(self.x_scale.place(ends), self.y_scale.place(np.repeat(peaks, 2)))

    def _draw_points(self, points: tuple[RooflinePoint, ...]) -> None:
        shown = _drawable(points)[:MOST_POINTS]
        x = self.x_scale.place([point.intensity_flop_per_byte for point in shown])
        y = self.y_scale.place([point.achieved_flop_per_s for point in shown])
        self._points.setData(
            x=x,
            y=y,
            size=[12 if _is_phase(point) else 8 for point in shown],
            symbol=[RESOURCES[Resource(point.resource)].symbol for point in shown],
            brush=[QColor(resource_colour(point.resource, self.theme)) for point in shown],
            pen=pen(self.theme.surface),
        )
        for index, text in enumerate(self._point_names):
            named = index < len(shown) and _is_phase(shown[index])
            text.setVisible(named)
            if named:
                text.setText(point_name(shown[index]))
                text.setPos(x[index], y[index])

    def _sentence(self, roofline: Roofline, name: str) -> str:
        phases = [point for point in _drawable(roofline.points) if _is_phase(point)]
        parts = [
            tr("{phase} by {resource}").format(phase=point_name(point).lower(), resource=resource_name(point.resource))
            for point in phases[:3]
        ]
        if not parts:
            return tr("{name}: no point of the workload is known").format(name=name)
        if len({point.resource for point in phases}) == 1:
            every = tr("{name}: bound by {resource}")
            return every.format(name=name, resource=resource_name(phases[0].resource))
        return tr("{name}: {parts}").format(name=name, parts=", ".join(parts))

    def readout_at(self, x: float, y: float) -> str:
        if self.roofline is None:
            return ""
        point = self._nearest(x, y)
        if point is None:
            return ""
        return tr("{name}: {intensity} · {rate} · {time} · limit {resource}").format(
            name=point_name(point),
            intensity=format_value(point.intensity_flop_per_byte, "flop/bytes"),
            rate=format_value(point.achieved_flop_per_s, "flop/s"),
            time=format_value(point.time_s, "s"),
            resource=resource_name(point.resource),
        )

    def _nearest(self, x: float, y: float) -> RooflinePoint | None:
        points = _drawable(self.roofline.points)[:MOST_POINTS] if self.roofline else []
        if not points:
            return None
        (left, right), (bottom, top) = self.item.getViewBox().viewRange()
        across = (self.x_scale.place([point.intensity_flop_per_byte for point in points]) - x) / (right - left)
        along = (self.y_scale.place([point.achieved_flop_per_s for point in points]) - y) / (top - bottom)
        distances = np.hypot(across, along)
        nearest = int(np.argmin(distances))
        return points[nearest] if distances[nearest] < 0.06 else None

    def as_rows(self) -> Rows:
        if self.roofline is None:
            return NO_ROWS
        columns = (
            Column(tr("Phase")),
            Column(tr("Operation")),
            Column(tr("Intensity"), "FLOP/B"),
            Column(tr("Achieved"), "FLOP/s"),
            Column(tr("Time"), "s"),
            Column(tr("Limit")),
        )
        cells = tuple(
            (
                point.phase,
                point_name(point),
                float(point.intensity_flop_per_byte),
                float(point.achieved_flop_per_s),
                float(point.time_s),
                resource_name(point.resource),
            )
            for point in self.roofline.points
        )
        return Rows(columns, cells)


def _by_peak(known: dict[str, float]) -> list[tuple[tuple[str, ...], float]]:
    """Peaks from the highest down, with the number formats that share each."""
    peaks = sorted(set(known.values()), reverse=True)
    return [(tuple(name for name, rate in known.items() if rate == peak), peak) for peak in peaks]


def _drawable(points: tuple[RooflinePoint, ...]) -> list[RooflinePoint]:
    return [point for point in points if point.intensity_flop_per_byte > 0 and point.achieved_flop_per_s > 0]


def _is_phase(point: RooflinePoint) -> bool:
    """A whole phase, and not one of its operations."""
    return point.code in (point.phase, "step", "total")


def point_name(point: RooflinePoint) -> str:
    if _is_phase(point):
        return tr(PHASES.get(point.phase, point.phase.capitalize()))
    return point.code.replace("_", " ").replace(".", " ").capitalize()
