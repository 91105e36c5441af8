"""What bounds a decode step as its batch grows: stacked shares of its time, and the batch from which it is compute."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from gpuplanner_gui.domain.plan import BatchShares, Resource
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme, resource_colour
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.base import CurvePlot, pen
from gpuplanner_gui.drawing.plots.legend import Entry
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import decimals_text, format_value
from gpuplanner_gui.drawing.words.candidates import resource_letter, resource_name
from gpuplanner_gui.drawing.words.operations import crossover_text

PARTS = (Resource.COMPUTE, Resource.MEMORY_BANDWIDTH, Resource.INTERCONNECT, Resource.HOST)
"""From the bottom up."""
LEAST_TOP = 256.0
"""The axis goes on at least to this batch."""


class BatchSharesPlot(CurvePlot):
    """Areas in the colours of the resources; upright lines at the planned batch, the largest, and the crossover."""

    switchable = ("x",)

    def __init__(self, theme: Theme = LIGHT) -> None:
        labels = (tr("sequences decoded together"), tr("share of the step"))
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
            "What a decode step's time goes to, by resource, for as many sequences as are decoded together. "
            "Where the lines cross over, computing takes longer than reading memory."
        )

    def draw(self, results: Results) -> None:
        roofline = results.rooflines.get(self.workload)
        self.shares = roofline.batches if roofline is not None else None
        if self.shares is None:
            self.show_message(tr("The selected candidate cannot run: it decodes nothing."))
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
