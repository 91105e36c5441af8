"""Where prefill and decode spend their time, and on which operations: by the resource that bounds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Resource, Roofline, RooflinePoint
from gpuplanner_gui.drawing.language import labelled, listed, tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme, resource_colour
from gpuplanner_gui.drawing.plots.bars import Bars, Part, StackedBars
from gpuplanner_gui.drawing.plots.base import BarPlot
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.plots.picks import Pick, selected_pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import resource_letter, resource_name
from gpuplanner_gui.drawing.words.operations import is_phase, operation_name, phase_name

RESOURCES = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
MOST_ROWS = 12
PHASES = ("prefill", "decode")
INDENT = "\u2003"


class PhaseSharesPlot(BarPlot):
    """A bar for each phase as a whole, under it its longest operations; all as shares of the phase's time."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("share", theme, MOST_ROWS)
        self._bars = StackedBars()
        self.set_toggles(**self._bars.switches())
        self._points: tuple[RooflinePoint, ...] = ()
        self.item.addItem(self._bars, ignoreBounds=True)
        self.use_theme(theme)

    def recolour(self) -> None:
        names = [f"{resource_letter(one)} {resource_name(one)}" for one in RESOURCES]
        colours = [resource_colour(one, self.theme) for one in RESOURCES]
        self.set_legend(*keyed(Entry(name, colour) for name, colour in zip(names, colours)))

    def about(self) -> str:
        return tr(
            "What each phase's time goes to: a bar for the whole phase, under it its longest operations. The "
            "colour is the resource that the operation waits for."
        )

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        wholes = (
            [] if roofline is None else [one for one in roofline.points if is_phase(one) and _seconds(one).sum() > 0]
        )
        self._bars.setVisible(bool(wholes))
        if roofline is None or not wholes:
            self.show_message(tr("The selected candidate cannot run: it has no operations."))
            self._points = ()
            return
        self._points = self._chosen(roofline, wholes)
        totals = {one.phase: one.time_s for one in wholes}
        lengths = np.array([_seconds(one) / totals[one.phase] for one in self._points])
        names = tuple(_row_name(one, roofline) for one in self._points)
        notes = tuple(_note(one, totals[one.phase]) for one in self._points)
        end = self.set_bars(names, 1.0, notes)
        parts = tuple(Part(resource_name(one), resource_colour(one, self.theme)) for one in RESOURCES)
        self._bars.show_bars(Bars(parts, lengths, None, notes), self.theme, end)
        self.say(_sentence(wholes))

    def _chosen(self, roofline: Roofline, wholes: list[RooflinePoint]) -> tuple[RooflinePoint, ...]:
        """Each phase, and as many of its longest operations as there is room for."""
        room = max(0, self.rows - len(wholes)) // max(1, len(wholes))
        found: list[RooflinePoint] = []
        for whole in wholes:
            parts = [one for one in roofline.points if one.phase == whole.phase and not is_phase(one)]
            found += [whole, *sorted(parts, key=lambda one: -one.time_s)[:room]]
        return tuple(found)

    def row_at(self, y: float) -> int:
        row = round(y)
        return row if 0 <= row < len(self._points) and abs(y - row) <= 0.42 else -1

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Operations are no candidates to pick, but parts of one."""
        return selected_pick(self.results, self.workload) if self.row_at(y) >= 0 else None

    def readout_at(self, x: float, y: float) -> str:
        row = self.row_at(y)
        if row < 0:
            return ""
        one = self._points[row]
        name = phase_name(one.phase) if is_phase(one) else f"{phase_name(one.phase)}, {operation_name(one.code)}"
        split = [
            f"{resource_name(resource)} {format_value(float(time), 's')}"
            for resource, time in zip(RESOURCES, _seconds(one))
            if time > 0
        ]
        return " · ".join([labelled(name, format_value(one.time_s, "s")), *split])

    def as_rows(self) -> Rows:
        roofline = self.results.rooflines.get(self.workload) if self.results is not None else None
        if roofline is None or not self._points:
            return NO_ROWS
        columns = (
            Column(tr("Phase")), Column(tr("Operation")), Column(tr("Time"), "s"),
            *(Column(resource_name(one), "s") for one in RESOURCES),
        )  # fmt: skip
        cells: tuple[tuple[Cell, ...], ...] = tuple(
            (
                phase_name(one.phase), tr("all") if is_phase(one) else operation_name(one.code), one.time_s,
                *(float(time) for time in _seconds(one)),
            )
            for one in roofline.points
            if one.phase in PHASES
        )  # fmt: skip
        return Rows(columns, cells)


def _seconds(point: RooflinePoint) -> NDArray[np.float64]:
    return np.array([point.compute_s, point.bandwidth_s, point.interconnect_s, point.host_s])


def _row_name(point: RooflinePoint, roofline: Roofline) -> str:
    if not is_phase(point):
        return f"{INDENT}{operation_name(point.code)}"
    if point.phase == "decode" and roofline.batches is not None:
        return tr("Decode, batch {batch}").format(batch=decimals_text(roofline.batches.planned_batch))
    return tr("Prefill, {count} tokens").format(count=decimals_text(roofline.prompt_tokens))


def _note(point: RooflinePoint, whole_s: float) -> str:
    if is_phase(point):
        return format_value(point.time_s, "s")
    return format_value(point.time_s / whole_s, "share", 2)


def _sentence(wholes: list[RooflinePoint]) -> str:
    parts = []
    for whole in wholes:
        times = _seconds(whole)
        largest = int(times.argmax())
        parts.append(
            tr("{phase} is {share} {resource}").format(
                phase=phase_name(whole.phase),
                share=format_value(float(times[largest]) / whole.time_s, "share", 2),
                resource=resource_name(RESOURCES[largest]),
            )
        )
    return listed([parts[0], *(part[0].lower() + part[1:] for part in parts[1:])])
