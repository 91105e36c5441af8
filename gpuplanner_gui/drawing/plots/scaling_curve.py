"""A run on one device to a hundred thousand: how long, how well used, what it costs; where more gains little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.plan import TrainingPlan
from gpuplanner_gui.domain.training_results import ScalingCurve
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot, draw_dotted
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.names import line_name
from gpuplanner_gui.drawing.plots.pens import pen
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick, nearest_curve
from gpuplanner_gui.drawing.plots.scaling import deadline_names, deadline_s
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, SCALING_COLUMNS, Rows, scaling_rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.training import waiting_text


@dataclass(frozen=True)
class Picture:
    """Description of one of the scaling plots."""

    lines: dict[str, Qt.PenStyle]
    """Columns of the curve, each as a line of this style."""
    axis: str
    unit: str
    is_log: bool


TOP_SHARE = 1.08
"""The highest share seen: a curve at 100 % does not lie on the frame."""
_SOLID, _DASH, _DOT = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine
_DASH_DOT = Qt.PenStyle.DashDotLine
_SHARES = {"efficiency": _SOLID, "mfu": _DASH, "communication_share": _DOT, "host_share": _DASH_DOT}
PICTURES = {
    "time": Picture({"run_time_s": _SOLID}, "Run time", "s", True),
    "efficiency": Picture(_SHARES, "Share", "share", False),
    "cost": Picture({"usd_per_run": _SOLID, "usd_per_hour_saved": _DASH}, "Cost", "USD", True),
}
_LEGEND = {_SOLID: "line", _DASH: "dash", _DOT: "dot", _DASH_DOT: "dashdot"}


class ScalingCurvePlot(CurvePlot):
    """Lines over the number of devices, with the knee, and the devices of the candidate that is looked at."""

    ABOUT = phrase(
        "The training run on 1 to 100,000 devices. Above the knee, more devices gain little. The dotted "
        "vertical line is the selected candidate. Scaling efficiency compares throughput per device with the best of "
        "any number of devices; the other shares are of one step's time, and do not add up to what efficiency loses."
    )

    workload = "training"
    x_link = "devices"

    X = CurveAxis(phrase("Devices"), "", is_log=True)

    def __init__(self, picture: str) -> None:
        self.name = self.variant = picture
        self.picture = PICTURES[picture]
        self.switchable = ("x", "y") if self.picture.is_log else ("x",)
        super().__init__(y=CurveAxis(tr(self.picture.axis), self.picture.unit, self.picture.is_log))
        self._curve: ScalingCurve | None = None
        self._lines = [pg.PlotDataItem(antialias=True) for _ in self.picture.lines]
        self._knee, self._own = pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=90)
        self._deadline = pg.InfiniteLine(angle=0)
        self.add(*self._lines, self._own, self._knee, self._deadline)
        by_column = {column: (item,) for column, item in zip(self.picture.lines, self._lines)}
        self.set_toggles(own=(self._own,), **by_column)

    def _colours(self) -> tuple[str, ...]:
        return (self.theme.accent, self.theme.text, self.theme.series[3], self.theme.series[1])

    def recolour(self) -> None:
        for item, style, colour in zip(self._lines, self.picture.lines.values(), self._colours()):
            draw_dotted(item, pen(colour, 2 if style is _SOLID else 1.5, style), "o", 4)
        self._knee.setPen(pen(self.theme.good, 2))
        self._own.setPen(pen(self.theme.muted, 1, _DOT))
        self._deadline.setPen(pen(self.theme.bad, 1.5, _DASH))
        super().recolour()

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        entries = [
            LegendEntry(tr(SCALING_COLUMNS[column][0]), colour, _LEGEND[style], column)
            for (column, style), colour in zip(self.picture.lines.items(), self._colours())
        ]
        return (*entries, LegendEntry(tr("selected candidate"), self.theme.muted, "dot", "own"))

    def draw(self, results: Results) -> None:
        curve = results.in_depth.scaling
        self._curve = curve
        runs = curve is not None and bool(np.isfinite(curve.run_time_s).any())
        if curve is None:
            self.show_message(waiting_text(results, "scaling", tr("Calculating runs on up to 100 000 devices…")))
            return
        if not runs:
            self.show_message(tr("The run does not fit in memory on any number of these devices."))
            return
        x, self.stops = self.x_scale.place(curve.devices), curve.devices
        for item, column in zip(self._lines, self.picture.lines):
            y = self.y_scale.place(shown_values(curve, column))
            known = np.isfinite(y)
            item.setData(x[known], y[known])
        knee = float(curve.devices[curve.knee])
        self._knee.setValue(self.x_scale.place_one(knee))
        self._show_own(results)
        deadline = deadline_s(results) if self.name == "time" else float("nan")
        knee_text = tr("knee: {devices}").format(devices=format_value(knee))
        self.name_all(
            line_name(self._knee, knee_text, self.theme.good),
            *deadline_names(self._deadline, deadline, self.y_scale, self.theme),
        )
        self._fit(curve, deadline)
        self.say(self._sentence(curve))

    def _show_own(self, results: Results) -> None:
        answer, candidate = results.plan.training, results.candidate("training")
        if answer is not None and candidate >= 0:
            self._own.setValue(self.x_scale.place_one(float(answer.table.devices[candidate])))

    def _fit(self, curve: ScalingCurve, deadline: float) -> None:
        shown = np.concatenate([shown_values(curve, column) for column in self.picture.lines])
        shown = shown[np.isfinite(shown) & (shown > 0)]
        ends = np.append(shown, deadline) if np.isfinite(deadline) else shown
        devices = curve.devices[np.isfinite(curve.run_time_s)]
        x = float(devices[0]) / 1.3, float(curve.devices[-1]) * 2.0
        self.set_ranges(
            x, (float(ends.min()) / 1.5, float(ends.max()) * 1.5) if self.picture.is_log else (0.0, TOP_SHARE)
        )

    def _sentence(self, curve: ScalingCurve) -> str:
        knee = curve.knee
        devices = format_value(float(curve.devices[knee]))
        if self.name == "time":
            time = format_value(float(curve.run_time_s[knee]), "s")
            return tr("More than {devices} devices gain little: with {devices}, the run takes {time}").format(
                devices=devices, time=time
            )
        if self.name == "efficiency":
            return efficiency_sentence(curve)
        beyond = knee + 1
        if beyond < len(curve.devices) and np.isfinite(curve.usd_per_hour_saved[beyond]):
            hourly = float(curve.usd_per_hour_saved[beyond])
            if hourly <= 0:
                return tr("Above {devices} devices, the run gets both shorter and cheaper").format(devices=devices)
            said = tr("From {devices} to {more} devices, each hour saved costs {cost}")
            return said.format(
                devices=devices, more=format_value(float(curve.devices[beyond])), cost=format_value(hourly, "USD")
            )
        if not np.isfinite(curve.usd_per_run).any():
            return tr("No price is known for this device")
        return tr("Above {devices} devices, the run gets no shorter").format(devices=devices)

    def pick_at(self, x: float, y: float) -> Pick | None:
        """The layout of the nearest number of devices, where the plan has it as a candidate."""
        curve, answer = self._curve, self.results.plan.training if self.results is not None else None
        lines = [one.curve for one in self._lines]
        if curve is None or answer is None or nearest_curve(lines, self.item.getViewBox(), x, y) < 0:
            return None
        return candidate_pick(self.results, "training", _candidate_of(curve, self.nearest_stop(x), answer))

    def readout_at(self, x: float, y: float) -> str:
        curve = self._curve
        if curve is None:
            return ""
        place = self.nearest_stop(x)
        devices = tr("{count} devices").format(count=format_value(float(curve.devices[place]), "", 6))
        if not curve.can_run[place]:
            return f"{devices} · {tr('cannot run')}"
        layout = " · ".join(
            f"{name} {int(sizes[place])}"
            for name, sizes in (
                ("TP", curve.tensor_parallel), ("PP", curve.pipeline_parallel), ("DP", curve.data_parallel)
            )
            if sizes[place] > 1
        )  # fmt: skip
        values = [
            f"{tr(title)} {format_value(float(value), unit)}"
            for column, (title, unit) in SCALING_COLUMNS.items()
            if column in self.picture.lines and np.isfinite(value := getattr(curve, column)[place])
        ]
        return " · ".join(one for one in (devices, layout, *values) if one)

    def table(self, results: Results) -> Rows:
        return scaling_rows(self._curve) if self._curve is not None else NO_ROWS


def _candidate_of(curve: ScalingCurve, place: int, answer: TrainingPlan) -> int:
    """The best-ranked candidate with the layout of a number of devices; -1 where the plan has none."""
    table = answer.table
    same = (table.accelerator == curve.accelerator) & (table.devices == curve.devices[place])
    for name in ("tensor_parallel", "pipeline_parallel", "data_parallel"):
        same &= getattr(table, name) == getattr(curve, name)[place]
    ranked = table.order[same[table.order]]
    return int(ranked[0]) if len(ranked) and curve.can_run[place] else -1


def shown_values(curve: ScalingCurve, column: str) -> Floats:
    """A column for drawing; of the cost of an hour saved only what is above zero, where an hour costs anything."""
    values = np.asarray(getattr(curve, column), np.float64)
    return np.where(np.isfinite(values) & (values > 0), values, np.nan) if column == "usd_per_hour_saved" else values


def efficiency_sentence(curve: ScalingCurve) -> str:
    """How fast each device is at the knee, and what takes a step's time there."""
    knee = curve.knee
    kept, exchange, host = (float(one[knee]) for one in (curve.efficiency, curve.communication_share, curve.host_share))
    said = tr(
        "On {devices} devices, each works at {share} of the best speed per device (scaling efficiency). Of a step, "
        "communication takes {exchange}, host and launch {host}"
    )
    return said.format(
        devices=format_value(float(curve.devices[knee])), share=format_value(kept, "share", 2),
        exchange=format_value(exchange, "share", 2), host=format_value(host, "share", 2),
    )  # fmt: skip
