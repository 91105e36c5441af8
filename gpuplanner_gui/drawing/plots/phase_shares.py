"""Where prefill and decode spend their time, and on which operations: by the resource that bounds them."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from gpuplanner_gui.domain.curves import BatchShares, Roofline, RooflinePoint
from gpuplanner_gui.domain.plan import Resource
from gpuplanner_gui.drawing.language import labelled, listed, tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme, resource_colour
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.bars import BarPlot, Part
from gpuplanner_gui.drawing.plots.base import CurvePlot, pen
from gpuplanner_gui.drawing.plots.legend import Entry, keyed
from gpuplanner_gui.drawing.plots.picks import Pick, selected_pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import resource_letter, resource_name
from gpuplanner_gui.drawing.words.operations import crossover_text, is_phase, operation_name, phase_name

PARTS = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
"""From the bottom up."""
LEAST_TOP = 256.0
"""The axis goes on at least to this batch."""


class BatchSharesPlot(CurvePlot):
    """Areas in the colours of the resources; upright lines at the planned batch, the largest, and the crossover."""

    switchable = ("x",)

    def __init__(self, theme: Theme = LIGHT) -> None:
        labels = (tr("Sequences decoded together"), tr("Share of the step"))
        super().__init__("", "share", AxisScale(is_log=True), AxisScale(), labels, theme)
        self.shares: BatchShares | None = None
        # The tallest first: each lower area covers it.
        self._areas = [pg.PlotCurveItem(fillLevel=0.0, pen=None) for _ in PARTS]
        self._planned, self._largest, self._crossover = (pg.PlotCurveItem() for _ in range(3))
        for item in (*reversed(self._areas), self._planned, self._largest, self._crossover):
            self.item.addItem(item, ignoreBounds=True)
        self.set_toggles(planned=(self._planned,), largest=(self._largest,), crossover=(self._crossover,))
        self.use_theme(theme)

    def recolour(self) -> None:
        for area, resource in zip(self._areas, PARTS):
            area.setBrush(QColor(resource_colour(resource, self.theme)))
        self._planned.setPen(pen(self.theme.text, 2))
        self._largest.setPen(pen(self.theme.text, 2, Qt.PenStyle.DashLine))
        self._crossover.setPen(pen(self.theme.surface, 2, Qt.PenStyle.DotLine))
        self._name()

    def _name(self) -> None:
        entries = [
            Entry(f"{resource_letter(one)} {resource_name(one)}", resource_colour(one, self.theme)) for one in PARTS
        ]
        if self.shares is not None:
            planned = tr("planned batch {batch}").format(batch=decimals_text(self.shares.planned_batch))
            entries.append(Entry(planned, self.theme.text, "line", "planned"))
            if self.shares.largest_batch >= 1:
                largest = tr("memory holds {batch}").format(batch=decimals_text(self.shares.largest_batch))
                entries.append(Entry(largest, self.theme.text, "dash", "largest"))
            if math.isfinite(self.shares.crossover_batch):
                crossover = tr("crossover {batch}").format(batch=decimals_text(self.shares.crossover_batch))
                entries.append(Entry(crossover, self.theme.muted, "dot", "crossover"))
        self.set_legend(*entries)

    def about(self) -> str:
        return tr(
            "Where a decode step spends its time, by batch size. Beyond the crossover, computing takes longer "
            "than reading memory."
        )

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        self.shares = roofline.batches if roofline is not None else None
        if self.shares is None:
            self.show_message(tr("The selected candidate cannot run, or decodes nothing."))
            return
        x = self.x_scale.place(self.shares.batch)
        for area, top in zip(self._areas, np.cumsum(_fractions(self.shares), axis=0)):
            area.setData(x, top)
        self._upright(self._planned, self.shares.planned_batch)
        self._upright(self._largest, self.shares.largest_batch)
        self._upright(self._crossover, self.shares.crossover_batch)
        reach = [
            self.shares.planned_batch * 4,
            self.shares.largest_batch * 2,
            self.shares.crossover_batch * 2,
            LEAST_TOP,
        ]
        top = min(max(one for one in reach if math.isfinite(one)), float(self.shares.batch[-1]))
        self.set_ranges((float(self.shares.batch[0]), top), (0.0, 1.0))
        if not self.is_moved:
            self.item.getViewBox().setYRange(0.0, 1.0, padding=0)
        self._name()
        self.say(crossover_text(self.shares))

    def _upright(self, line: pg.PlotCurveItem, batch: float) -> None:
        is_there = math.isfinite(batch) and batch >= 1
        line.setData(self.x_scale.place([batch, batch] if is_there else []), np.array([0.0, 1.0] if is_there else []))

    def readout_at(self, x: float, y: float) -> str:
        if self.shares is None:
            return ""
        batch = float(np.clip(self.x_scale.value_at(x), self.shares.batch[0], self.shares.batch[-1]))
        seconds = [float(np.interp(batch, self.shares.batch, one)) for one in _seconds(self.shares)]
        total = sum(seconds)
        rate, time = format_value(batch / total, "tok/s"), format_value(total, "s")
        parts = [tr("batch {batch}: {time}, {rate}").format(batch=decimals_text(batch), time=time, rate=rate)]
        parts += [f"{resource_name(one)} {format_value(time / total, 'share', 2)}" for one, time in zip(PARTS, seconds)]
        return " · ".join(parts)

    def as_rows(self) -> Rows:
        if self.shares is None:
            return NO_ROWS
        columns = (
            Column(tr("Batch"), "seq"), Column(tr("Tokens/s"), "tok/s"),
            *(Column(resource_name(one), "s") for one in PARTS),
        )  # fmt: skip
        seconds = _seconds(self.shares)
        cells = tuple(
            (
                float(batch),
                float(batch / sum(part[index] for part in seconds)),
                *(float(part[index]) for part in seconds),
            )
            for index, batch in enumerate(self.shares.batch)
        )
        return Rows(columns, cells)


def _seconds(shares: BatchShares) -> tuple[NDArray[np.float64], ...]:
    return (shares.compute_s, shares.bandwidth_s, shares.interconnect_s, shares.host_s)


def _fractions(shares: BatchShares) -> NDArray[np.float64]:
    stacked = np.stack(_seconds(shares))
    fractions: NDArray[np.float64] = stacked / stacked.sum(axis=0)
    return fractions


RESOURCES = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
MOST_ROWS = 12
PHASES = ("prefill", "decode")
INDENT = "\u2003"


class PhaseSharesPlot(BarPlot):
    """A bar for each phase as a whole, under it its longest operations; all as shares of the phase's time."""

    def __init__(self, theme: Theme = LIGHT) -> None:
        super().__init__("share", tr("Share of the phase's time"), theme, MOST_ROWS)
        self.let_parts_hide()
        self._points: tuple[RooflinePoint, ...] = ()
        self.use_theme(theme)

    def recolour(self) -> None:
        names = [f"{resource_letter(one)} {resource_name(one)}" for one in RESOURCES]
        colours = [resource_colour(one, self.theme) for one in RESOURCES]
        self.set_legend(*keyed(Entry(name, colour) for name, colour in zip(names, colours)))

    def about(self) -> str:
        return tr(
            "Where each phase spends its time: the whole phase, then its longest operations. The colour is the "
            "resource that limits the operation."
        )

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        wholes = (
            []
            if roofline is None
            else [one for one in roofline.points if is_phase(one) and _phase_shares_seconds(one).sum() > 0]
        )
        if roofline is None or not wholes:
            self._points = ()
            self.show_nothing(tr("The selected candidate cannot run: it has no operations."))
            return
        self._points = self._chosen(roofline, wholes)
        totals = {one.phase: one.time_s for one in wholes}
        lengths = np.array([_phase_shares_seconds(one) / totals[one.phase] for one in self._points])
        names = tuple(_row_name(one, roofline) for one in self._points)
        notes = tuple(_note(one, totals[one.phase]) for one in self._points)
        parts = tuple(Part(resource_name(one), resource_colour(one, self.theme)) for one in RESOURCES)
        self.show_stacks(names, parts, lengths, notes=notes, longest=1.0)
        self.say(_sentence(wholes))

    def _chosen(self, roofline: Roofline, wholes: list[RooflinePoint]) -> tuple[RooflinePoint, ...]:
        """Each phase, and as many of its longest operations as there is room for."""
        room = max(0, self.rows - len(wholes)) // max(1, len(wholes))
        found: list[RooflinePoint] = []
        for whole in wholes:
            parts = [one for one in roofline.points if one.phase == whole.phase and not is_phase(one)]
            found += [whole, *sorted(parts, key=lambda one: -one.time_s)[:room]]
        return tuple(found)

    def _row_count(self) -> int:
        return len(self._points)

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
            for resource, time in zip(RESOURCES, _phase_shares_seconds(one))
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
                *(float(time) for time in _phase_shares_seconds(one)),
            )
            for one in roofline.points
            if one.phase in PHASES
        )  # fmt: skip
        return Rows(columns, cells)


def _phase_shares_seconds(point: RooflinePoint) -> NDArray[np.float64]:
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
        times = _phase_shares_seconds(whole)
        largest = int(times.argmax())
        parts.append(
            tr("{phase}: {share} {resource}").format(
                phase=phase_name(whole.phase),
                share=format_value(float(times[largest]) / whole.time_s, "share", 2),
                resource=resource_name(RESOURCES[largest]),
            )
        )
    return listed([parts[0], *(part[0].lower() + part[1:] for part in parts[1:])])
