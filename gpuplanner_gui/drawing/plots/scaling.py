"""How long a training run takes on how many devices: the selected device and its best rivals, against the deadline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.plan import TrainingPlan
from gpuplanner_gui.domain.quantity import central
from gpuplanner_gui.drawing.candidates import best_of_each_device, runs
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.palette import RIVAL_SYMBOLS, Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale, shortened
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot, draw_dotted, ease_grip
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.names import Name, line_name
from gpuplanner_gui.drawing.plots.pens import NO_BRUSH, pen
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick, nearest_curve
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows, rows_of
from gpuplanner_gui.drawing.units import as_dragged, format_value
from gpuplanner_gui.drawing.words.candidates import accelerator_of, candidate_text


def deadline_s(results: Results) -> float:
    """Deadline of the run; NaN where there is none. [s]"""
    job = results.scenario.training
    return central(job.deadline_s) if job is not None and job.deadline_s is not None else float("nan")


def deadline_names(line: pg.InfiniteLine, seconds: float, scale: AxisScale, theme: Theme) -> list[Name]:
    """Put a level line at a deadline, and name it; without a deadline (NaN) there is neither."""
    line.setVisible(bool(np.isfinite(seconds)))
    if not np.isfinite(seconds):
        return []
    if not line.moving:
        line.setValue(scale.place_one(seconds))
    return [line_name(line, tr("deadline {time}").format(time=format_value(seconds, "s")), theme.bad)]


DEVICES_SHOWN = 4
_SYMBOLS = ("o", "s", "t1", "d")
_STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)


class ScalingPlot(CurvePlot):
    """Run time over number of devices; each point is the fastest layout of that size."""

    ABOUT = phrase(
        "Run time by number of devices; each point is the fastest layout of that size. Points below the "
        "deadline meet it."
    )

    workload = "training"
    switchable = ("x", "y")

    X, Y = CurveAxis(phrase("Devices"), "", is_log=True), CurveAxis(phrase("Run time"), "s", is_log=True)
    LEGEND = ((phrase("fastest layout of each size"), "accent", "line"),)

    def __init__(self) -> None:
        super().__init__()
        self._curves = [pg.PlotDataItem(antialias=True) for _ in range(DEVICES_SHOWN)]
        self._selected = pg.ScatterPlotItem(pxMode=True)
        self._deadline = pg.InfiniteLine(angle=0, movable=True)
        self.add(*self._curves, self._selected, self._deadline)
        self.handles = (self._deadline,)
        ease_grip(self._deadline)
        self._deadline.sigPositionChangeFinished.connect(self._on_deadline_dragged)
        self._sizes: list[tuple[str, list[int]]] = []

    def _colours(self) -> tuple[str, ...]:
        return (self.theme.accent, *self.theme.series[1:2] * (DEVICES_SHOWN - 1))

    def recolour(self) -> None:
        for curve, colour, symbol, style in zip(self._curves, self._colours(), _SYMBOLS, _STYLES):
            draw_dotted(curve, pen(colour, 2 if style is Qt.PenStyle.SolidLine else 1, style), symbol, 6)
        self._deadline.setPen(pen(self.theme.bad, 1.5, Qt.PenStyle.DashLine))
        self._deadline.setHoverPen(pen(self.theme.bad, 3))
        super().recolour()

    def draw(self, results: Results) -> None:
        answer, selected = results.plan.training, results.candidate("training")
        self._sizes = []
        if answer is None or selected < 0 or not runs(answer.table)[selected]:
            self.show_message(tr("The selected candidate cannot run."))
            return
        self._sizes = self._best_sizes(results, answer, selected)
        for curve in self._curves[len(self._sizes) :]:
            curve.setData([], [])
        for (_, one), curve in zip(self._sizes, self._curves):
            curve.setData(
                self.x_scale.place(answer.table.devices[one]), self.y_scale.place(answer.table.run_time_s[one])
            )
        self._show_selected(answer, selected, results.pinned.get(self.workload, ()))
        deadline = deadline_s(results)
        self.name_all(*deadline_names(self._deadline, deadline, self.y_scale, self.theme))
        self.set_legend(*self.legend_entries())
        self._fit(answer, deadline)
        self.say(self._sentence(answer, selected, deadline))

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """Every device by its symbol: names along curves that cross would stand at another's."""
        (entry,) = super().legend_entries()
        if not self._sizes:
            return (entry,)
        named = tr("{device}, fastest layout of each size").format(device=self._sizes[0][0])
        rivals = zip(self._sizes[1:], self._colours()[1:], _SYMBOLS[1:])
        others = (
            LegendEntry(shortened(name, 24), colour, symbol, has_line=True) for (name, _), colour, symbol in rivals
        )
        return (replace(entry, name=named), *others)

    def _best_sizes(self, results: Results, answer: TrainingPlan, selected: int) -> list[tuple[str, list[int]]]:
        """The fastest candidate of each size, for the devices of the selected, pinned and best candidates."""
        table, found = answer.table, []
        can_run = runs(table) & np.isfinite(table.run_time_s)
        pinned = [one for one in results.pinned.get(self.workload, ()) if can_run[one]]
        others = (*pinned, *best_of_each_device(answer, DEVICES_SHOWN, selected))
        devices = {int(table.accelerator[one]): one for one in (*reversed(others), selected)}
        first = sorted(devices.values(), key=(selected, *others).index)
        for candidate in first[:DEVICES_SHOWN]:
            of_device = np.flatnonzero(can_run & (table.accelerator == table.accelerator[candidate]))
            of_device = of_device[np.lexsort((table.run_time_s[of_device], table.devices[of_device]))]
            _, fastest = np.unique(table.devices[of_device], return_index=True)
            name = accelerator_of(results.plan, results.catalog, table, candidate)
            found.append((name, [int(one) for one in of_device[fastest]]))
        return found

    def _show_selected(self, answer: TrainingPlan, selected: int, pinned: Sequence[int]) -> None:
        """Mark the selected candidate and the pinned ones that can run."""
        marks = {one: mark for mark, one in enumerate(pinned) if one != selected and runs(answer.table)[one]}
        shown = [selected, *marks]
        self._selected.setData(
            x=self.x_scale.place(answer.table.devices[shown].astype(float)),
            y=self.y_scale.place(answer.table.run_time_s[shown]),
            size=12, symbol=["o", *(RIVAL_SYMBOLS[mark] for mark in marks.values())], brush=NO_BRUSH,
            pen=[pen(self.theme.text, 2), *(pen(self.theme.rivals[mark], 1.6) for mark in marks.values())],
        )  # fmt: skip

    def _fit(self, answer: TrainingPlan, deadline: float) -> None:
        shown = [one for _, candidates in self._sizes for one in candidates]
        devices, times = answer.table.devices[shown].astype(float), answer.table.run_time_s[shown]
        lowest, highest = float(times.min()), float(times.max())
        if np.isfinite(deadline):
            lowest, highest = min(lowest, deadline), max(highest, deadline)
        self.set_ranges((float(devices.min()) / 1.3, float(devices.max()) * 3), (lowest / 1.5, highest * 1.5))

    def _sentence(self, answer: TrainingPlan, selected: int, deadline: float) -> str:
        count, device = format_value(float(answer.table.devices[selected])), self._sizes[0][0]
        devices = f"{count} × {device}"
        time = float(answer.table.run_time_s[selected])
        if not np.isfinite(deadline):
            return tr("{devices} finish in {time}").format(devices=devices, time=format_value(time, "s"))
        sentence = tr("{devices} finish in {time}; the deadline is {deadline}")
        if time > deadline:
            sentence = tr("{devices} take {time}, longer than the deadline of {deadline}")
        return sentence.format(devices=devices, time=format_value(time, "s"), deadline=format_value(deadline, "s"))

    def _on_deadline_dragged(self, line: Any) -> None:
        deadline = as_dragged(self.y_scale.value_at(float(line.value())), "s")
        self.value_edited.emit("training.deadline_s", deadline)

    def _near(self, x: float, y: float) -> int:
        """The candidate whose point is nearest; -1 for none near."""
        answer = self.results.plan.training if self.results else None
        shown = [one for _, candidates in self._sizes for one in candidates]
        if answer is None or not shown:
            return -1
        (left, right), (bottom, top) = self.item.getViewBox().viewRange()
        across = (self.x_scale.place(answer.table.devices[shown]) - x) / (right - left)
        along = (self.y_scale.place(answer.table.run_time_s[shown]) - y) / (top - bottom)
        distances = np.hypot(across, along)
        nearest = int(np.argmin(distances))
        return shown[nearest] if distances[nearest] < 0.05 else -1

    def pick_at(self, x: float, y: float) -> Pick | None:
        """The point that is near; on a curve, its nearest point."""
        candidate = self._near(x, y)
        if candidate < 0:
            curves = [one.curve for one in self._curves[: len(self._sizes)]]
            place = nearest_curve(curves, self.item.getViewBox(), x, y)
            candidate = self._nearest_of(self._sizes[place][1], x) if place >= 0 else -1
        return candidate_pick(self.results, "training", candidate)

    def _nearest_of(self, candidates: list[int], x: float) -> int:
        """The candidate of a curve whose number of devices is nearest."""
        answer = self.results.plan.training if self.results is not None else None
        if answer is None:
            return -1
        return candidates[int(np.abs(self.x_scale.place(answer.table.devices[candidates]) - x).argmin())]

    def readout_at(self, x: float, y: float) -> str:
        candidate = self._near(x, y)
        if candidate < 0 or self.results is None or self.results.plan.training is None:
            return ""
        table = self.results.plan.training.table
        name = candidate_text(self.results.plan, self.results.catalog, "training", candidate)
        cost = float(table.usd_per_run[candidate])
        parts = [name, format_value(float(table.run_time_s[candidate]), "s")]
        parts.append(tr("MFU {share}").format(share=format_value(float(table.mfu[candidate]), "share")))
        if np.isfinite(cost):
            parts.append(format_value(cost, "USD"))
        return " · ".join(parts)

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return {"training": [one for _, candidates in self._sizes for one in candidates]}

    def table(self, results: Results) -> Rows:
        answer = results.plan.training
        if answer is None:
            return NO_ROWS
        table = answer.table
        return rows_of(
            [one for _, candidates in self._sizes for one in candidates],
            (tr("Candidate"), "", lambda one: candidate_text(results.plan, results.catalog, "training", one)),
            (tr("Devices"), "", lambda one: int(table.devices[one])),
            (tr("Run time"), "s", lambda one: float(table.run_time_s[one])),
            (tr("MFU"), "share", lambda one: float(table.mfu[one])),
            (tr("Cost of the run"), "USD", lambda one: float(table.usd_per_run[one])),
        )
