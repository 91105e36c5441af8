"""Where prefill and decode spend their time, and on which operations: by the resource that bounds them."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from gpuplanner_gui.domain.curves import BatchShares, Roofline, RooflinePoint
from gpuplanner_gui.drawing.language import labelled, listed, phrase, tr
from gpuplanner_gui.drawing.palette import SPLIT, resource_colour
from gpuplanner_gui.drawing.plots.bars import LEAST_SEEN, BarPlot, Part
from gpuplanner_gui.drawing.plots.cost import resource_parts
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.pens import pen
from gpuplanner_gui.drawing.plots.picks import Pick, selected_pick
from gpuplanner_gui.drawing.plots.roofline_words import split_s
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Cell, Column, Rows, numbers_beside
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import crossover_text, is_phase, operation_name, phase_name, resource_name

LEAST_TOP = 256.0
"""The axis goes on at least to this batch."""


class BatchSharesPlot(CurvePlot):
    """Areas in the colours of the resources; upright lines at the planned batch, the largest, and the crossover."""

    ABOUT = phrase(
        "Where a decode step spends its time, by batch size. Above the crossover, compute takes longer than "
        "memory traffic."
    )

    switchable = ("x",)

    X = CurveAxis(phrase("Sequences decoded together"), "", is_log=True)
    Y = CurveAxis(phrase("Share of the step"), "share")

    def __init__(self) -> None:
        super().__init__()
        self.shares: BatchShares | None = None
        # The tallest first: each lower area covers it.
        self._areas = [pg.PlotCurveItem(fillLevel=0.0, pen=None) for _ in SPLIT]
        self._planned, self._largest, self._crossover = (pg.PlotCurveItem() for _ in range(3))
        self.add(*reversed(self._areas), self._planned, self._largest, self._crossover)
        self.set_toggles(planned=(self._planned,), largest=(self._largest,), crossover=(self._crossover,))

    def recolour(self) -> None:
        for area, resource in zip(self._areas, SPLIT):
            area.setBrush(QColor(resource_colour(resource, self.theme)))
        self._planned.setPen(pen(self.theme.text, 2))
        self._largest.setPen(pen(self.theme.text, 2, Qt.PenStyle.DashLine))
        self._crossover.setPen(pen(self.theme.surface, 2, Qt.PenStyle.DotLine))
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        parts = resource_parts(SPLIT, self.theme)
        seen = [True] * len(parts) if self.shares is None else _fractions(self.shares).max(axis=1) > LEAST_SEEN
        entries = [LegendEntry(part.name, part.colour) for part, is_seen in zip(parts, seen) if is_seen]
        if self.shares is not None:
            planned = tr("planned batch {batch}").format(batch=format_value(self.shares.planned_batch, digits=2))
            entries.append(LegendEntry(planned, self.theme.text, "line", "planned"))
            if self.shares.largest_batch >= 1:
                largest = tr("memory holds {batch}").format(batch=decimals_text(self.shares.largest_batch))
                entries.append(LegendEntry(largest, self.theme.text, "dash", "largest"))
            if math.isfinite(self.shares.crossover_batch):
                crossover = tr("crossover {batch}").format(batch=decimals_text(self.shares.crossover_batch))
                entries.append(LegendEntry(crossover, self.theme.muted, "dot", "crossover"))
        return tuple(entries)

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        self.shares = roofline.batches if roofline is not None else None
        if self.shares is None:
            self.show_message(tr("The selected candidate cannot run or does not decode."))
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
        self.set_legend(*self.legend_entries())
        self.say(crossover_text(self.shares))

    def _upright(self, line: pg.PlotCurveItem, batch: float) -> None:
        is_there = math.isfinite(batch) and batch >= 1
        line.setData(self.x_scale.place([batch, batch] if is_there else []), np.array([0.0, 1.0] if is_there else []))

    def readout_at(self, x: float, y: float) -> str:
        if self.shares is None:
            return ""
        batch = float(np.clip(self.x_scale.value_at(x), self.shares.batch[0], self.shares.batch[-1]))
        seconds = [float(np.interp(batch, self.shares.batch, one)) for one in split_s(self.shares)]
        total = sum(seconds)
        rate, time = format_value(batch / total, "tok/s"), format_value(total, "s")
        parts = [tr("batch {batch}: {time}, {rate}").format(batch=decimals_text(batch), time=time, rate=rate)]
        parts += [f"{resource_name(one)} {format_value(time / total, 'share', 2)}" for one, time in zip(SPLIT, seconds)]
        return " · ".join(parts)

    def table(self, results: Results) -> Rows:
        if self.shares is None:
            return NO_ROWS
        columns = (
            Column(tr("Batch"), "seq"), Column(tr("Tokens/s"), "tok/s"),
            *(Column(resource_name(one), "s") for one in SPLIT),
        )  # fmt: skip
        seconds = split_s(self.shares)
        rates = self.shares.batch / sum(seconds)
        return Rows(columns, numbers_beside(map(float, self.shares.batch), zip(rates, *seconds)))


def _fractions(shares: BatchShares) -> NDArray[np.float64]:
    stacked = np.stack(split_s(shares))
    fractions: NDArray[np.float64] = stacked / stacked.sum(axis=0)
    return fractions


PHASES = ("prefill", "decode")
INDENT = "\u2003"
REST = "rest"
"""Code of the row that has the time of a phase's operations without one of their own."""
LEAST_REST = 0.005
"""Share of a phase's time from which that row is drawn."""


class PhaseSharesPlot(BarPlot):
    """A bar for each phase as a whole, under it its longest operations; all as shares of the phase's time."""

    ABOUT = phrase(
        "Where each phase spends its time: the whole phase, then its operations, longest first. Colours are the "
        "resources that the time goes to; compute includes the padding of partly filled tiles."
    )

    LENGTH, UNIT, MOST_ROWS = phrase("Share of the phase's time"), "share", 12
    _points: tuple[RooflinePoint, ...] = ()

    def parts(self) -> tuple[Part, ...]:
        return resource_parts(SPLIT, self.theme)

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        wholes = [] if roofline is None else [one for one in roofline.points if is_phase(one) and sum(split_s(one)) > 0]
        if roofline is None or not wholes:
            self._points = ()
            self.show_nothing(tr("The selected candidate cannot run."))
            return
        self._points = self._chosen(roofline, wholes)
        totals = {one.phase: one.time_s for one in wholes}
        lengths = np.array([split_s(one) for one in self._points]) / [[totals[one.phase]] for one in self._points]
        names = tuple(_row_name(one, roofline) for one in self._points)
        notes = tuple(_note(one, totals[one.phase], roofline.encoder_s) for one in self._points)
        self.show_stacks(names, self.parts(), lengths, notes=notes, longest=1.0)
        self.say(_sentence(wholes))

    def _chosen(self, roofline: Roofline, wholes: list[RooflinePoint]) -> tuple[RooflinePoint, ...]:
        """Each phase, and as many of its longest operations as there is room for."""
        room = max(0, self.rows - len(wholes)) // max(1, len(wholes))
        found: list[RooflinePoint] = []
        for whole in wholes:
            parts = [one for one in roofline.points if one.phase == whole.phase and not is_phase(one)]
            found += [whole, *_with_rest(whole, sorted(parts, key=lambda one: -one.time_s), room)]
        return tuple(found)

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Operations are no candidates to pick, but parts of one."""
        return selected_pick(self.results, self.workload) if self.row_at(y) >= 0 else None

    def row_readout(self, results: Results, row: int, x: float) -> str:
        one = self._points[row]
        name = phase_name(one.phase) if is_phase(one) else f"{phase_name(one.phase)}, {_operation_name(one)}"
        split = [
            f"{resource_name(resource)} {format_value(float(time), 's')}"
            for resource, time in zip(SPLIT, split_s(one))
            if time > 0
        ]
        return " · ".join([labelled(name, format_value(one.time_s, "s")), *split])

    def table(self, results: Results) -> Rows:
        roofline = results.rooflines[self.workload]
        columns = (
            Column(tr("Phase")), Column(tr("Operation")), Column(tr("Time"), "s"),
            *(Column(resource_name(one), "s") for one in SPLIT),
        )  # fmt: skip
        cells: tuple[tuple[Cell, ...], ...] = tuple(
            (
                phase_name(one.phase), tr("all") if is_phase(one) else operation_name(one.code), one.time_s,
                *(float(time) for time in split_s(one)),
            )
            for one in roofline.points
            if one.phase in PHASES
        )  # fmt: skip
        return Rows(columns, cells)


def _with_rest(whole: RooflinePoint, longest: list[RooflinePoint], room: int) -> list[RooflinePoint]:
    """As many operations of a phase as there is room for; what they leave of its time is the last row."""
    if room < 2 or _rest(whole, longest[:room]).time_s < LEAST_REST * whole.time_s:
        return longest[:room]
    shown = longest[: room - 1]
    return [*shown, _rest(whole, shown)]


def _rest(whole: RooflinePoint, shown: list[RooflinePoint]) -> RooflinePoint:
    named = [split_s(one) for one in shown]
    left = [
        max(0.0, float(time) - sum(float(one[place]) for one in named)) for place, time in enumerate(split_s(whole))
    ]
    compute, bandwidth, interconnect, host = left
    return msgspec.structs.replace(
        whole, code=REST, time_s=sum(left), compute_s=compute, bandwidth_s=bandwidth, interconnect_s=interconnect,
        host_s=host,
    )  # fmt: skip


def _operation_name(point: RooflinePoint) -> str:
    return tr("All others") if point.code == REST else operation_name(point.code)


def _row_name(point: RooflinePoint, roofline: Roofline) -> str:
    if not is_phase(point):
        return f"{INDENT}{_operation_name(point)}"
    if point.phase == "decode" and roofline.batches is not None:
        return tr("Decode, batch {batch}").format(batch=format_value(roofline.batches.planned_batch, digits=2))
    return tr("Prefill, {count} tokens").format(count=decimals_text(roofline.prompt_tokens))


def _note(point: RooflinePoint, whole_s: float, encoder_s: float) -> str:
    if is_phase(point) and point.phase == "prefill" and encoder_s > 0:
        time, encoder = format_value(point.time_s, "s"), format_value(encoder_s, "s")
        return tr("{time}, after {encoder} of the encoder").format(time=time, encoder=encoder)
    if is_phase(point):
        return format_value(point.time_s, "s")
    return format_value(point.time_s / whole_s, "share", 2)


def _sentence(wholes: list[RooflinePoint]) -> str:
    parts = []
    for whole in wholes:
        times = split_s(whole)
        largest = int(np.argmax(times))
        parts.append(
            tr("{phase}: {share} {resource}").format(
                phase=phase_name(whole.phase),
                share=format_value(float(times[largest]) / whole.time_s, "share", 2),
                resource=resource_name(SPLIT[largest]),
            )
        )
    return listed([parts[0], *(part[0].lower() + part[1:] for part in parts[1:])])
