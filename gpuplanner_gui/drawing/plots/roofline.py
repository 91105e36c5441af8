"""Roofline of the selected device: what its peaks allow at each arithmetic intensity, and where the workload stands."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QPen

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import Roofline, RooflinePoint
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.candidates import RivalRoofline, are_same
from gpuplanner_gui.drawing.language import listed, phrase, tr
from gpuplanner_gui.drawing.palette import RESOURCES, Theme, resource_colour
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.names import STEPS, Frame, Name, Size
from gpuplanner_gui.drawing.plots.names import point_name as name_of_point
from gpuplanner_gui.drawing.plots.pens import NO_BRUSH, brush, faint, pen, scaled
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick, selected_pick
from gpuplanner_gui.drawing.plots.rival_marks import (
    Line,
    RivalMarks,
    Shown,
    drawable,
    nearest_mark,
    points_to_show,
)
from gpuplanner_gui.drawing.plots.roofline_words import (
    decode_ceiling_text,
    highest_peak,
    mean_prompt_text,
    operation_rows,
    point_text,
    roof_text,
    roofline_sentence,
)
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.candidates import (
    accelerator_name,
    candidate_text,
    is_phase,
    point_name,
    precision_name,
    resource_name,
)
from gpuplanner_gui.drawing.words.decision import short_name

MOST_PRECISIONS = 6
MOST_POINTS = 32
CLOSE_PEAKS = 1.4
"""Ceilings nearer than this have no room for a name each."""
LEAST_HEIGHT_WITH_PEAKS = 330
LEAST_HEIGHT_WITH_USED_PEAKS = 200
"""Least height of the plot where only formats in use are drawn."""
LEAST_SHARE_WITH_NAME = 0.004
"""Least share of a phase's time for a name; smaller operations are points without one."""
PART_ALPHA = 110
"""Opacity of an operation's point beside whole phases, of 255."""
RING_PIXELS = 8.0
"""Pixels by which the ring is wider than its point."""
ROOM_ABOVE = 6.0
"""Above the highest ceiling, for names."""
ROOM_ABOVE_RIVALS = 1.6
ROOM_FOR_FIGURES = 100
"""Right of the last point, for names of ceilings with their figures."""


class RooflinePlot(CurvePlot):
    """Ceilings in the colours of compute and bandwidth; a point for each phase or operation; rivals hollow and faint.

    Of one phase, points are as large as their share of its time, and named where there is room. Of all phases, only
    the phases are named.
    """

    ABOUT = phrase(
        "The device's performance ceiling. Under the slope (left), memory bandwidth is the limit; under the "
        "flat line (right), compute is. Each point is a phase or an operation: the further below the "
        "ceiling, the less of the device it uses. Partly filled tiles: kernels compute whole tiles, of few tokens "
        "mostly padding. Hollow marks and thin lines are other devices: each line is a device's datasheet ceiling."
    )

    Y_AXIS_WIDTH = 86
    switchable = ("x", "y")

    X = CurveAxis(phrase("FLOP per byte of memory traffic"), "flop/bytes", is_log=True)
    Y = CurveAxis(phrase("Compute rate"), "flop/s", is_log=True)

    def __init__(self, workload: str = "serving", phase: str = "") -> None:
        super().__init__()
        self.workload, self.phase = workload, phase
        self.variant = f"{workload}.{phase}" if phase else workload
        self.picked = ""
        """Code of the operation that was clicked."""
        self.roofline: Roofline | None = None
        self._name = ""
        """Name of the selected candidate's device."""
        self._has_room = self._has_names = True
        self._drawn_rivals: tuple[RivalRoofline, ...] = ()
        self._drawn_with: tuple[Theme, bool] | None = None
        self._rivals = RivalMarks(self.item)
        self._bandwidth = (pg.PlotCurveItem(antialias=True), pg.PlotCurveItem(antialias=True))
        # All ceilings of one kind are one curve of unconnected pairs: a curve item costs half a millisecond to fill.
        self._peaks = (pg.PlotCurveItem(connect="pairs"), pg.PlotCurveItem(connect="pairs"))
        self._points = pg.ScatterPlotItem(pxMode=True)
        self._ring = pg.ScatterPlotItem(pxMode=True, symbol="o")
        self.add(*self._bandwidth, *self._peaks, self._ring, self._points)
        self.set_toggles(
            bandwidth=(self._bandwidth[0],),
            compute=(self._peaks[0],),
            measured=(self._bandwidth[1], self._peaks[1]),
            **self._rivals.toggles(),
        )

    def look_like(self, other: Plot) -> None:
        assert isinstance(other, RooflinePlot)
        super().look_like(other)
        self.picked = other.picked

    def draw_again(self) -> None:
        self._drawn_with = None
        super().draw_again()

    def recolour(self) -> None:
        self._rivals.recolour(self.theme)
        bandwidth = resource_colour(Resource.MEMORY_BANDWIDTH, self.theme)
        compute = resource_colour(Resource.COMPUTE, self.theme)
        for colour, (ceiling, measured) in ((bandwidth, self._bandwidth), (compute, self._peaks)):
            ceiling.setPen(pen(colour, 2))
            measured.setPen(pen(colour, 1, Qt.PenStyle.DashLine))
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """The legend says what bandwidth the device has, and whose timings the measured ceilings are."""
        bandwidth, measured = resource_name(Resource.MEMORY_BANDWIDTH), tr("reachable ceiling")
        roofline, results = self.roofline, self.results
        if roofline is not None and results is not None and self.phase:
            stated = format_value(roofline.bandwidth_bytes_per_s, "bytes/s")
            reached = format_value(roofline.measured_bandwidth_bytes_per_s, "bytes/s")
            bandwidth = tr("{name} {stated}, of which {reached} can be reached").format(
                name=bandwidth, stated=stated, reached=reached
            )
            if roofline.measured_on not in ("", results.plan.accelerators[roofline.accelerator]):
                other = accelerator_name(roofline.measured_on, results.catalog)
                measured = tr("reachable ceiling, scaled from timings on {name}").format(name=other)
        entries = [LegendEntry(bandwidth, resource_colour(Resource.MEMORY_BANDWIDTH, self.theme), "line", "bandwidth")]
        compute = resource_colour(Resource.COMPUTE, self.theme)
        entries += [LegendEntry(name, compute, "line", "compute") for name in self._peak_texts()]
        limits = {point.resource for point in self._shown()} - {Resource.COMPUTE, Resource.MEMORY_BANDWIDTH}
        for limit in sorted(limits):
            entries.append(LegendEntry(resource_name(limit), resource_colour(limit, self.theme)))
        entries.append(LegendEntry(measured, self.theme.muted, "dash", "measured"))
        return (*entries, *self._rivals.entries(self._has_room))

    def _peak_texts(self) -> list[str]:
        """The compute ceilings of one phase with their figures; else only their name."""
        if self.roofline is None or not self.phase:
            return [resource_name(Resource.COMPUTE)]
        texts = []
        for names, peak in _by_peak(self._ceilings(self.roofline))[:MOST_PRECISIONS]:
            measured = max(self.roofline.measured_flop_per_s.get(name, 0.0) for name in names)
            texts.append(
                tr("{name} {stated}, of which {reached} can be reached").format(
                    name=listed(precision_name(name) for name in names),
                    stated=format_value(peak, "flop/s"),
                    reached=format_value(measured, "flop/s"),
                )
            )
        return texts

    def _shown(self) -> list[RooflinePoint]:
        """Points that are drawn, those that take most time first."""
        if self.roofline is None:
            return []
        points = [one for one in drawable(self.roofline) if not self.phase or one.phase == self.phase]
        if self.phase:
            points.sort(key=lambda one: (not is_phase(one), -one.time_s))
        else:  # Phases are drawn over the operations that they are made of.
            points.sort(key=is_phase)
        return points[-MOST_POINTS:] if not self.phase else points[:MOST_POINTS]

    def fit(self, width: float, height: float) -> None:
        super().fit(width, height)
        self._has_names = height >= scaled(LEAST_HEIGHT_WITH_USED_PEAKS)
        self._has_room = self._has_names if self.phase else height >= scaled(LEAST_HEIGHT_WITH_PEAKS)
        if self.results is not None:
            self.show(self.results)

    def draw(self, results: Results) -> None:
        roofline, rivals = results.rooflines.get(self.workload), results.rivals.get(self.workload, ())
        is_same = roofline is self.roofline and are_same(rivals, self._drawn_rivals)
        if roofline is not None and is_same and self._drawn_with == (self.theme, self._has_room):
            return
        self.roofline, self._drawn_rivals, self._drawn_with = roofline, rivals, (self.theme, self._has_room)
        known = {} if roofline is None else self._ceilings(roofline)
        if roofline is None or not known or not roofline.bandwidth_bytes_per_s > 0:
            waiting = tr("Calculating the roofline of the selected candidate…")
            self.show_message(waiting if roofline is None else tr("No peak rate is known for this device."))
            return
        shown = self._shown()
        if self.phase and not shown:
            self.show_message(tr("The selected candidate cannot run."))
            return
        self._name = candidate_text(results.plan, results.catalog, self.workload, results.candidate(self.workload))
        others = self._shown_rivals(results, roofline, rivals)
        x, y = self._data_ranges(roofline, known, shown, others)
        self._rivals.show(others, self.hidden, (self.x_scale, self.y_scale), (x[0] / 100, x[1] * 100))
        self._draw_bandwidth(roofline, x, max(known.values()))
        self._draw_peaks(roofline, known, x)
        self._draw_points(shown)
        self.set_ranges(x, y)
        self.name_all(*self._names(known, shown, x))
        self.set_legend(*self.legend_entries())
        name = accelerator_name(results.plan.accelerators[roofline.accelerator], results.catalog)
        served, of_prompt = results.plan.serving if self.phase == "prefill" else None, ""
        if served is not None:
            of_prompt = mean_prompt_text(
                roofline, served.mean_prompt_tokens, results.scenario.service.engine.token_budget
            )
        self.say(roofline_sentence(roofline, shown, name, self.phase, of_prompt))

    def _ceilings(self, roofline: Roofline) -> dict[str, float]:
        """Peaks to draw: those of the formats in use for one phase or where little room is, else all."""
        known = {name: rate for name, rate in roofline.peak_flop_per_s.items() if rate > 0}
        used = {name: rate for name, rate in known.items() if name in roofline.formats}
        return used if (self.phase or not self._has_room) and used else known

    def _shown_rivals(self, results: Results, roofline: Roofline, rivals: tuple[RivalRoofline, ...]) -> list[Shown]:
        """A ceiling for each accelerator that has none yet, where there is room."""
        roofed, shown = {roofline.accelerator}, []
        devices = [one.roofline.accelerator for one in rivals]
        for one, device in zip(rivals, devices):
            name = candidate_text(results.plan, results.catalog, self.workload, one.candidate)
            is_alone = devices.count(device) == 1 and device != roofline.accelerator
            brief = accelerator_name(results.plan.accelerators[device], results.catalog) if is_alone else name
            points = points_to_show(one.roofline, self.phase)
            shown.append(Shown(one, name, brief, points, self._has_room and device not in roofed))
            roofed.add(device)
        return shown

    def _data_ranges(
        self, roofline: Roofline, known: dict[str, float], points: list[RooflinePoint], rivals: list[Shown]
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        points = [*points, *(point for one in rivals for point in one.points)]
        highest = max(known.values()) * (ROOM_ABOVE if self.phase else 2.0)
        roofs = [highest_peak(one.rival.roofline) * ROOM_ABOVE_RIVALS for one in rivals if one.has_roof]
        intensities = [point.intensity_flop_per_byte for point in points]
        rates = [point.achieved_flop_per_s for point in points]
        ridges = [rate / roofline.bandwidth_bytes_per_s for rate in known.values()]
        beyond = 10 if self.phase or not self._has_room else ROOM_FOR_FIGURES
        x = (min([*intensities, *ridges]) / 4, max([*intensities, *ridges]) * beyond)
        return x, (min([*rates, x[0] * roofline.bandwidth_bytes_per_s]) / 1.5, max([highest, *roofs]))

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

    def _draw_ceilings(self, line: Any, peaks: list[float], bandwidth: float, right: float) -> None:
        """Draw each peak from where bandwidth allows it to the right edge."""
        ends = [end for peak in peaks for end in (peak / bandwidth, right)]
        line.setData(self.x_scale.place(ends), self.y_scale.place(np.repeat(peaks, 2)))

    @property
    def _own_lines(self) -> list[Line]:
        """The ceilings of the selected candidate, one by one."""
        pairs = [line.getData() for line in self._peaks]
        flat = [(x[at : at + 2], y[at : at + 2]) for x, y in pairs if x is not None for at in range(0, len(x), 2)]
        return [*(line.getData() for line in self._bandwidth), *flat]

    def _draw_points(self, shown: list[RooflinePoint]) -> None:
        x = self.x_scale.place([point.intensity_flop_per_byte for point in shown])
        y = self.y_scale.place([point.achieved_flop_per_s for point in shown])
        self._points.setData(
            x=x,
            y=y,
            size=[self._size(point) for point in shown],
            symbol=[RESOURCES[Resource(point.resource)].symbol for point in shown],
            brush=[self._brush(point) for point in shown],
            pen=[self._outline(point) for point in shown],
        )
        ringed = [index for index, point in enumerate(shown) if point.code == self.picked]
        self._ring.setData(
            x=x[ringed], y=y[ringed], size=[self._size(shown[index]) + RING_PIXELS for index in ringed],
            brush=NO_BRUSH, pen=pen(self.theme.accent, 2),
        )  # fmt: skip

    def _size(self, point: RooflinePoint) -> float:
        """Size of a point; its area grows with the share of the phase's time. [pixels]"""
        if not self.phase:
            return 13.0 if is_phase(point) else 6.0
        # In halves: a symbol of a new size has to be rendered first.
        share = point.share if point.share > 0 else 0.0  # NaN of an operation that no figure times.
        return 14.0 if is_phase(point) else 6.0 + round(32.0 * math.sqrt(share)) / 2

    def _brush(self, point: RooflinePoint) -> QBrush:
        """Faint for the operations of several phases, which lie on one another."""
        if self.phase or is_phase(point):
            return brush(self._colour(point))
        return brush(faint(self._colour(point), PART_ALPHA))

    def _colour(self, point: RooflinePoint) -> str:
        is_whole = self.phase and is_phase(point)
        return self.theme.surface if is_whole else resource_colour(point.resource, self.theme)

    def _outline(self, point: RooflinePoint) -> QPen:
        if self.phase and is_phase(point):
            return pen(resource_colour(point.resource, self.theme), 2.5)
        return pen(self.theme.surface)

    def _names(
        self, known: dict[str, float], shown: list[RooflinePoint], x: tuple[float, float]
    ) -> list[Name]:  # fmt: skip
        """Names of phases, ceilings, then operations, longest first."""
        wholes: list[Name] = []
        parts: list[Name] = []
        for point in shown:
            if not is_phase(point) and not (self.phase and point.share >= LEAST_SHARE_WITH_NAME):
                continue
            across, up = (
                self.x_scale.place_one(point.intensity_flop_per_byte),
                self.y_scale.place_one(point.achieved_flop_per_s),
            )
            size = self._size(point) + (RING_PIXELS if point.code == self.picked else 0.0)
            name = name_of_point(across, up, size, self._point_text(point), self.theme.text)
            (wholes if is_phase(point) else parts).append(name)
        return [*wholes, *self._peak_names(known, x[1]), *parts]

    def _point_text(self, point: RooflinePoint) -> str:
        """A point's name; of a whole phase among those of other devices with the device."""
        if not (self.phase and is_phase(point) and self._rivals.shown and self.roofline and self.results):
            return point_name(point)
        device = short_name(self.results.plan.accelerators[self.roofline.accelerator], self.results.catalog)
        return f"{point_name(point)}, {device}"

    def _peak_names(self, known: dict[str, float], right: float) -> list[Name]:
        """Written into each ceiling; of ceilings nearly as high one is named, the plan's own first."""
        if not self._has_names or self.roofline is None or not self.roofline.bandwidth_bytes_per_s > 0:
            return []
        found, named, used = [], list[float](), set(self.roofline.formats)
        colour = resource_colour(Resource.COMPUTE, self.theme)
        for names, peak in sorted(_by_peak(known)[:MOST_PRECISIONS], key=lambda one: used.isdisjoint(one[0])):
            if not self.phase and any(1 / CLOSE_PEAKS < peak / other < CLOSE_PEAKS for other in named):
                continue
            named.append(peak)
            text = listed(precision_name(name) for name in names)
            if (
                not self.phase and self._has_room
            ):  # Of formats with the same peak one is named, of those in use if it may be.
                name = next((one for one in names if one in self.roofline.formats), names[0])
                text = f"{precision_name(name)} {format_value(peak, 'flop/s')}"
            ends = self.x_scale.place([peak / self.roofline.bandwidth_bytes_per_s, right])
            found.append(_name_on_level(ends, self.y_scale.place_one(peak), text, colour, of=self._peaks[0]))
        return found

    def clicked_at(self, x: float, y: float) -> None:
        """Select the candidate whose mark it is; an operation of the selected one stays marked until the next click."""
        pick = self.pick_at(x, y)
        if pick is not None and pick.leads_somewhere:
            super().clicked_at(x, y)
            return
        point = self._nearest(x, y)
        code = point.code if point is not None else ""
        self.picked = "" if code == self.picked else code
        self.draw_again()
        if point is not None and self.picked:
            self.say(point_text(point))

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Operations and phases are those of the selected candidate, or of a rival, and say so."""
        if self._nearest(x, y) is not None:
            return selected_pick(self.results, self.workload)
        rival, point = self._rival_at(x, y)
        if rival is None:
            return None
        part = point_name(point) if point is not None else ""
        return candidate_pick(self.results, self.workload, rival.rival.candidate, part=part)

    def readout_at(self, x: float, y: float) -> str:
        point = self._nearest(x, y)
        if point is not None:
            ceiling = decode_ceiling_text(self.roofline) if self.roofline and point.code == "decode" else ""
            return " · ".join(filter(None, (point_text(point), ceiling.rstrip("."))))
        rival, point = self._rival_at(x, y)
        if rival is None:
            return ""
        return f"{rival.name}: {point_text(point) if point is not None else roof_text(rival.rival.roofline)}"

    def _rival_at(self, x: float, y: float) -> tuple[Shown | None, RooflinePoint | None]:
        """The rival whose mark or ceiling is at a position, and the point if it is one."""
        found = self._rivals.point_at(x, y)
        if found is not None:
            return found[1:]
        return self._rivals.roof_at(x, y, self._own_lines), None

    def _nearest(self, x: float, y: float) -> RooflinePoint | None:
        """The point of the selected candidate there; none where a rival's is nearer."""
        points = self._shown()
        if not points or self.message:
            return None
        places = np.stack([
            self.x_scale.place([point.intensity_flop_per_byte for point in points]),
            self.y_scale.place([point.achieved_flop_per_s for point in points]),
        ])  # fmt: skip
        sizes = np.array([self._size(point) for point in points])
        nearest, away = nearest_mark(self.item.getViewBox(), places, sizes, x, y)
        rival = self._rivals.point_at(x, y)
        return points[nearest] if nearest >= 0 and (rival is None or away <= rival[0]) else None

    def table(self, results: Results) -> Rows:
        if self.roofline is None:
            return NO_ROWS
        rivals = ((one.name, one.rival.roofline) for one in self._rivals.shown)
        return operation_rows([(self._name, self.roofline), *rivals], self.phase)


def _by_peak(known: dict[str, float]) -> list[tuple[tuple[str, ...], float]]:
    """Peaks from the highest down, with the number formats that share each."""
    peaks = sorted(set(known.values()), reverse=True)
    return [(tuple(name for name, rate in known.items() if rate == peak), peak) for peak in peaks]


def _name_on_level(x: Floats, y: float, text: str, colour: str, of: Any) -> Name:
    """The name of a level stretch between two places, written into it, as near to its right end as can be."""

    def offers(size: Size, frame: Frame) -> Floats:
        (left, right), (width, height) = frame.across(x), size
        first, last = max(float(left), 0.0), min(float(right), frame.width) - 6.0
        ends = np.linspace(last, min(first + width, last), STEPS)
        return np.array([(end - width, float(frame.down(y)) - height / 2, width, height) for end in ends])

    return Name(text, colour, offers, of, may_cross=True, is_inset=True)
