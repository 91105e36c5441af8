"""Memory of a device against sequence length or micro-batch, its capacity, and the largest that fits."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.model import Model
from gpuplanner_gui.domain.training_results import MemorySweep
from gpuplanner_gui.domain.workload import MOST_TOKENS
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot, draw_dotted
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.names import line_name
from gpuplanner_gui.drawing.plots.pens import pen, translucent
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows, rows_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.training import waiting_text
from gpuplanner_gui.engine.training.model_numbers import sample_tokens

HIGHEST = 2.2
"""Height up to which memory is drawn, as a multiple of the capacity."""
TITLES = {"sequence_length": "Sequence length", "micro_batch": "Micro-batch"}


def _has_free_length(model: Model) -> bool:
    """Whether a sequence may be as long as one likes, as text may."""
    return sample_tokens(model, MOST_TOKENS) == MOST_TOKENS


class SweepPlot(CurvePlot):
    """Areas of state and of activations above it; the present value and the largest that fits are marked."""

    ABOUT = phrase(
        "Memory of a device as sequences or micro-batches grow. The horizontal line is its capacity; "
        "vertical lines are the plan and the largest value that fits."
    )

    workload = "training"
    switchable = ("x",)

    Y = CurveAxis(phrase("Memory per device"), "bytes")

    def __init__(self, code: str) -> None:
        self.code = self.variant = code
        super().__init__(CurveAxis(tr(TITLES[code]), "", is_log=True))
        self._sweep: MemorySweep | None = None
        self._is_planned_largest = False
        self._state, self._total = pg.PlotCurveItem(antialias=True), pg.PlotDataItem(antialias=True)
        self._floor = pg.PlotCurveItem()
        self._areas = (
            pg.FillBetweenItem(self._state, self._floor), pg.FillBetweenItem(self._total.curve, self._state)
        )  # fmt: skip
        self._capacity = pg.InfiniteLine(angle=0)
        self._largest, self._own = pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=90)
        self.add(*self._areas, self._floor, self._state, self._total, self._capacity, self._own, self._largest)
        self.set_toggles(
            state=(self._areas[0], self._state),
            activations=(self._areas[1], self._total),
            capacity=(self._capacity,),
            planned=(self._own,),
        )

    def recolour(self) -> None:
        state, activation = self.theme.parts["master_weights"], self.theme.parts["activation"]
        for area, colour in zip(self._areas, (state, activation)):
            area.setBrush(translucent(colour, 110))
        self._floor.setPen(None)
        self._state.setPen(pen(state, 1.5))
        draw_dotted(self._total, pen(activation, 2), "o", 4)
        self._capacity.setPen(pen(self.theme.text, 1.5))
        self._largest.setPen(pen(self.theme.good, 2))
        self._own.setPen(pen(self.theme.muted, 1, Qt.PenStyle.DotLine))
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        state, activation = self.theme.parts["master_weights"], self.theme.parts["activation"]
        entries = (
            LegendEntry(tr("state"), state, key="state"),
            LegendEntry(tr("activations, logits, buffers"), activation, key="activations"),
            LegendEntry(tr("usable device memory"), self.theme.text, "line", "capacity"),
        )
        # Under the line of the largest, that of the plan is not seen.
        planned = LegendEntry(tr("as planned"), self.theme.muted, "dot", "planned")
        return entries if self._is_planned_largest else (*entries, planned)

    def draw(self, results: Results) -> None:
        fits = results.in_depth.fits
        has_one = self.code != "sequence_length" or _has_free_length(results.scenario.model)
        self._sweep = getattr(fits, self.code) if fits is not None and has_one else None
        self.stops = () if self._sweep is None else self._sweep.values
        sweep = self._sweep
        if sweep is None:
            waiting, none = tr("Calculating memory limits…"), tr("This model has no sequences of tokens.")
            self.show_message(waiting_text(results, "fits", waiting if has_one else none))
            return
        x, top = self.x_scale.place(sweep.values), sweep.capacity_bytes * HIGHEST
        total = np.minimum(sweep.total_bytes, 4 * top)
        self._floor.setData(x, np.zeros(len(x)))
        self._state.setData(x, np.minimum(sweep.state_bytes, total))
        self._total.setData(x, total)
        self._capacity.setValue(sweep.capacity_bytes)
        size = tr("{size} of a device").format(size=format_value(sweep.capacity_bytes, "bytes"))
        names = [line_name(self._capacity, size, self.theme.text)]
        self._largest.setVisible(sweep.largest > 0)
        self._is_planned_largest = sweep.largest == self._planned(results)
        if sweep.largest > 0:
            self._largest.setValue(self.x_scale.place_one(float(sweep.largest)))
            words = (
                tr("planned, and the largest tried that fits: {value}")
                if self._is_planned_largest
                else tr("largest tried that fits: {value}")
            )
            largest = words.format(value=format_value(float(sweep.largest), "", 7))
            names.append(line_name(self._largest, largest, self.theme.good, near=0.8))
        self.name_all(*names)
        self._own.setValue(self.x_scale.place_one(self._planned(results)))
        highest = min(float(np.nanmax(total)) * 1.1, top)
        lowest = float(sweep.values[0])
        # What does not fit by far is drawn no further than to the edge above.
        beyond = sweep.values[sweep.total_bytes > top]
        last = max(float(beyond[0]), self._planned(results)) if len(beyond) else float(sweep.values[-1]) * 1.9
        self.set_ranges((lowest / 1.2, max(last, lowest * 3.8)),
                        (0.0, max(highest, sweep.capacity_bytes * 1.15)))  # fmt: skip
        self.set_legend(*self.legend_entries())
        self.say(self._sentence(sweep))

    def _planned(self, results: Results) -> float:
        training, answer = results.scenario.training, results.plan.training
        if training is None or answer is None:
            return 1.0
        if self.code == "sequence_length":
            return float(training.sequence_length)
        return float(answer.table.micro_batch[results.candidate("training")])

    def _sentence(self, sweep: MemorySweep) -> str:
        if not sweep.largest:
            return tr("Even the smallest does not fit: weights and optimizer state alone take {state}").format(
                state=format_value(float(sweep.state_bytes[0]), "bytes")
            )
        largest = format_value(float(sweep.largest), "", 7)
        if self.code == "sequence_length":
            return self._among(
                sweep, tr("Of the lengths tried, sequences of {largest} tokens fit with this layout"), largest
            )
        if sweep.largest == 1:
            return tr("Only a micro-batch of 1 fits with this layout")
        best = int(np.nanargmax(sweep.tokens_per_s_per_device))
        said = self._among(sweep, tr("With this layout, micro-batches of {largest} fit"), largest)
        return tr("{one}; {other}").format(
            one=said, other=tr("{best} is fastest").format(best=format_value(float(sweep.values[best])))
        )

    def _among(self, sweep: MemorySweep, fits: str, largest: str) -> str:
        """What fits, and the next value tried, which does not: only some were tried."""
        beyond = sweep.values[sweep.values > sweep.largest]
        if not len(beyond):
            return fits.format(largest=largest)
        return tr("{fits}, {next} do not").format(
            fits=fits.format(largest=largest), next=format_value(float(beyond.min()), "", 7)
        )

    def readout_at(self, x: float, y: float) -> str:
        sweep = self._sweep
        if sweep is None:
            return ""
        place = self.nearest_stop(x)
        value = f"{tr(TITLES[self.code])} {format_value(float(sweep.values[place]), '', 7)}"
        parts = [
            value,
            tr("state {size}").format(size=format_value(float(sweep.state_bytes[place]), "bytes")),
            tr("activations {size}").format(size=format_value(float(sweep.activation_bytes[place]), "bytes")),
            tr("in all {size}").format(size=format_value(float(sweep.total_bytes[place]), "bytes")),
        ]
        rate = float(sweep.tokens_per_s_per_device[place])
        parts.append(f"{format_value(rate, 'tok/s')} {tr('per device')}" if np.isfinite(rate) else tr("does not fit"))
        return " · ".join(parts)

    def table(self, results: Results) -> Rows:
        sweep = self._sweep
        if sweep is None:
            return NO_ROWS
        rate = np.where(np.isfinite(sweep.tokens_per_s_per_device), sweep.tokens_per_s_per_device, np.nan)
        return rows_of(
            range(len(sweep.values)),
            (tr(TITLES[self.code]), "", lambda place: int(sweep.values[place])),
            (tr("State"), "bytes", lambda place: float(sweep.state_bytes[place])),
            (tr("Activations and logits"), "bytes", lambda place: float(sweep.activation_bytes[place])),
            (tr("Memory"), "bytes", lambda place: float(sweep.total_bytes[place])),
            (tr("Fits"), "", lambda place: tr("yes") if sweep.fits[place] else tr("no")),
            (tr("Tokens/s/device"), "tok/s", lambda place: None if np.isnan(rate[place]) else float(rate[place])),
        )
