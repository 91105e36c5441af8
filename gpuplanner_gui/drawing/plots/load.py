"""Latency of one replica against load: percentiles, band, targets, planned rate, knee, saturation; simulated or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.domain.plan import LoadCurve
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.overlays import OverlayCurves, overlays_of
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.base import CurvePlot, pen, tick_font, translucent
from gpuplanner_gui.drawing.plots.latency_columns import (
    Floats,
    LatencyColumns,
    closed_form_columns,
    simulated_columns,
)
from gpuplanner_gui.drawing.plots.legend import Entry
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words_verdict import target_name, targets_of

STATISTICS = ("p50", "p95", "p99")
_STYLES = {"p50": Qt.PenStyle.SolidLine, "p95": Qt.PenStyle.SolidLine, "p99": Qt.PenStyle.DotLine}
MOST_TARGETS = 8
LABEL_COVER = 120
"""Of 255: a label stays legible on a curve, and the curve to be seen behind it."""


class LatencyPlot(CurvePlot):
    """`metric` is ttft, itl, tpot or e2e. The closed form at once; simulated curves in front of it when they come."""

    x_link = "rate_per_replica"
    switchable = ("x", "y")

    def __init__(self, metric: str = "ttft", theme: Theme = LIGHT) -> None:
        labels = (tr("Requests per second and replica"), metric.upper())
        super().__init__("req/s", "s", AxisScale(), AxisScale(is_log=True), labels, theme)
        self.metric = metric
        self.columns: LatencyColumns | None = None
        self._has_closed_form = self._has_target = False
        self._others: list[tuple[str, LatencyColumns]] = []
        self._band_ends = (pg.PlotCurveItem(), pg.PlotCurveItem())
        self._band = pg.FillBetweenItem(*self._band_ends)
        self._closed_form = pg.PlotCurveItem(antialias=True)
        self._curves = {name: pg.PlotCurveItem(antialias=True) for name in STATISTICS}
        self._overlays = OverlayCurves(self.item)
        self._planned, self._saturation, self._knee = _upright(0.93), _upright(0.06), _upright(0.34)
        self._targets = [_TargetLine() for _ in range(MOST_TARGETS)]
        lines = (self._planned, self._saturation, self._knee)
        for item in (self._band, self._closed_form, *self._curves.values(), *lines, *self._targets):
            self.item.addItem(item, ignoreBounds=True)
        for line in self._targets:
            line.sigDragged.connect(self._on_target_dragged)
            line.sigPositionChangeFinished.connect(self._on_target_dragged)
        self.set_toggles(
            p50=(self._curves["p50"],),
            p95=(self._curves["p95"],),
            band=(self._band,),
            p99=(self._curves["p99"],),
            closed_form=(self._closed_form,),
            target=tuple(self._targets),
            **self._overlays.toggles(),
        )
        # Before its first turn a plot shows no marks, which would stand at nought.
        self._hide_all()
        self.use_theme(theme)

    @property
    def settings_name(self) -> str:
        return f"{super().settings_name}.{self.metric}"

    def recolour(self) -> None:
        strong, weak, accent = self.theme.series[:3]
        colours = {"p50": weak, "p95": strong, "p99": strong}
        for name, curve in self._curves.items():
            curve.setPen(pen(colours[name], 2 if name == "p95" else 1.5, _STYLES[name]))
        self._closed_form.setPen(pen(accent, 1.5, Qt.PenStyle.DashLine))
        self._band.setBrush(translucent(strong, 32))
        uprights = (
            (self._planned, self.theme.accent),
            (self._saturation, self.theme.muted),
            (self._knee, self.theme.muted),
        )
        for line, colour in uprights:
            line.setPen(pen(colour, 1, Qt.PenStyle.DashLine))
            line.label.setColor(colour)
            line.label.fill = pg.mkBrush(translucent(self.theme.surface, LABEL_COVER))
        for line in self._targets:
            line.recolour(self.theme)
        self._overlays.recolour(self.theme)
        self._show_legend()

    def _legend_shown(self) -> tuple[Any, ...]:
        """What the legend's entries depend on."""
        is_simulated = self.columns is not None and self.columns.is_simulated
        return is_simulated, self._has_closed_form, self._has_target, self._overlays.names

    def _show_legend(self) -> None:
        strong, weak, accent = self.theme.series[:3]
        is_simulated = self.columns is not None and self.columns.is_simulated
        simulated = (Entry(tr("closed form, p95"), accent, "dash", "closed_form"),) if self._has_closed_form else ()
        self.set_legend(
            Entry("p50", weak, "line", "p50"),
            Entry(tr("p95, simulated") if is_simulated else "p95", strong, "line", "p95"),
            Entry(tr("80 % band"), self.theme.unused, key="band"),
            Entry("p99", strong, "dot", "p99"),
            *simulated,
            *((Entry(tr("target"), self.theme.bad, "dash", "target"),) if self._has_target else ()),
            *self._overlays.entries(),
        )

    def draw(self, results: Results) -> None:
        closed = results.load_curve
        simulated = _simulated_curve(results)
        before = self._legend_shown()
        self.columns = columns = self._columns_of(closed, simulated)
        targets = self._targets_of_metric(results)
        if columns is None or not columns.has_latency:
            self.show_message(tr("Waiting for the load curve of the selected candidate."))
            self._hide_all()
            return
        for name, item in self._curves.items():
            self._set_line(item, columns.rates_per_s, columns.statistic(name))
        low, high = self._band_ends
        # The band is filled anew with each of its ends that says that it changed: once is enough.
        low.blockSignals(True)
        self._set_line(low, columns.rates_per_s, columns.low_s)
        low.blockSignals(False)
        self._set_line(high, columns.rates_per_s, columns.high_s)
        # A trace is other traffic than the closed form is about.
        is_trace = simulated is not None and simulated.is_trace
        self._show_closed_form(None if is_trace else closed, columns)
        self._set_upright(self._planned, columns.planned_rate_per_s, tr("planned {rate}"))
        self._set_upright(self._saturation, columns.max_rate_per_s, tr("saturates at {rate}"))
        self._set_upright(self._knee, simulated.knee_rate_per_s if simulated else float("nan"), tr("knee at {rate}"))
        self._show_targets(targets)
        self._show_overlays(results)
        self._set_latency_ranges(columns, [slo.limit_s for _, slo in targets])
        self._has_target = bool(targets)
        if self._legend_shown() != before:
            self._show_legend()
        self.say(self._sentence(columns, targets))

    def _columns_of(self, closed: LoadCurve | None, simulated: SimulatedCurve | None) -> LatencyColumns | None:
        if closed is None or not len(closed.rates_per_s):
            return None
        if simulated is not None and len(simulated.rates_per_s) > 1:
            return simulated_columns(simulated, self.metric, closed)
        return closed_form_columns(closed, self.metric)

    def _show_closed_form(self, closed: LoadCurve | None, columns: LatencyColumns) -> None:
        """Beside a simulation only: alone it is the curve itself."""
        beside = closed_form_columns(closed, self.metric) if closed is not None and columns.is_simulated else None
        self._has_closed_form = beside is not None and beside.has_latency
        if beside is not None and self._has_closed_form:
            self._set_line(self._closed_form, beside.rates_per_s, beside.statistic("p95"))
        else:
            self._closed_form.setData([], [])

    def _show_overlays(self, results: Results) -> None:
        """The closed form's p95 of other scenarios."""
        curves = [(one.scenario.name, one.load_curve) for one in overlays_of(results)]
        columns = [(name, closed_form_columns(curve, self.metric)) for name, curve in curves if curve is not None]
        self._others = [(name, one) for name, one in columns if one.has_latency]
        self._overlays.show(
            [
                (name, self.x_scale.place(one.rates_per_s), self.y_scale.place(one.statistic("p95")))
                for name, one in self._others
            ]
        )

    def _set_line(self, item: pg.PlotCurveItem, rates_per_s: Floats, latency_s: Floats) -> None:
        x = self.x_scale.place(rates_per_s)
        known = np.isfinite(latency_s) & np.isfinite(x)
        item.setData(x[known], self.y_scale.place(latency_s[known]))

    def _hide_all(self) -> None:
        for item in (*self._curves.values(), *self._band_ends, self._closed_form):
            item.setData([], [])
        self._overlays.show([])
        for line in (self._planned, self._saturation, self._knee, *self._targets):
            line.setVisible(False)

    def _targets_of_metric(self, results: Results) -> list[tuple[str, Slo]]:
        return [(path, slo) for path, slo in targets_of(results.scenario) if slo.metric == self.metric]

    def _set_upright(self, line: Any, rate: float, words: str) -> None:
        line.setVisible(bool(np.isfinite(rate)))
        if np.isfinite(rate):
            line.setPos(self.x_scale.place_one(rate))
            text = words.format(rate=format_value(rate, "req/s"))
            if text != line.label.format:
                line.label.setFormat(text)

    def _show_targets(self, targets: list[tuple[str, Slo]]) -> None:
        for line, target in zip(self._targets, [*targets[:MOST_TARGETS], *[None] * MOST_TARGETS]):
            line.show_target(target, self.y_scale)

    def _set_latency_ranges(self, columns: LatencyColumns, limits: list[float]) -> None:
        lowest = float(np.nanmin(columns.statistic("p50"))) * 0.8
        at_plan = float(np.interp(columns.planned_rate_per_s, columns.rates_per_s, columns.statistic("p99")))
        highest = max([lowest * 10, at_plan * 1.5, *[limit * 2.5 for limit in limits]])
        first = 0.9 * float(columns.rates_per_s[0]) if self.x_scale.is_log else 0.0
        last = max([columns.max_rate_per_s, *(other.max_rate_per_s for _, other in self._others)])
        self.set_ranges((first, last * 1.02), (min([lowest, *limits]), highest))

    def _sentence(self, columns: LatencyColumns, targets: list[tuple[str, Slo]]) -> str:
        held = [(rate_held(columns, slo), slo) for _, slo in targets]
        held = [(rate, slo) for rate, slo in held if np.isfinite(rate)]
        if not held:
            latency = float(np.interp(columns.planned_rate_per_s, columns.rates_per_s, columns.statistic("p95")))
            return tr("{name} p95 is {latency} at the planned rate").format(
                name=self.metric.upper(), latency=format_value(latency, "s")
            )
        rate, slo = min(held, key=lambda entry: entry[0])
        if rate <= 0:
            limit = format_value(slo.limit_s, "s")
            return tr("Never holds {name} within {limit}").format(name=target_name(slo), limit=limit)
        return tr("Holds {name} to {rate} per replica").format(name=target_name(slo), rate=format_value(rate, "req/s"))

    def _on_target_dragged(self, line: _TargetLine) -> None:
        limit = float(f"{self.y_scale.value_at(float(line.value())):.2g}")
        if limit != line.limit_s:
            line.limit_s = limit
            self.value_edited.emit(line.path, limit)

    def pick_at(self, x: float, y: float) -> Pick | None:
        """Another scenario's curve; all others are the selected candidate's."""
        return self._overlays.pick_at(self.item.getViewBox(), x, y)

    def readout_at(self, x: float, y: float) -> str:
        columns, rate = self.columns, self.x_scale.value_at(x)
        if columns is None or not 0 <= rate <= columns.max_rate_per_s or not len(columns.rates_per_s):
            return ""
        index = min(int(np.searchsorted(columns.rates_per_s, rate)), len(columns.rates_per_s) - 1)
        parts = [format_value(float(columns.rates_per_s[index]), "req/s")]
        for name in STATISTICS:
            latency = float(columns.statistic(name)[index])
            if np.isfinite(latency):
                parts.append(f"{name} {format_value(latency, 's')}")
        parts.append(tr("{batch} in the batch").format(batch=format_value(float(columns.batch[index]), digits=2)))
        if columns.is_simulated:
            use = format_value(float(columns.kv_use[index]), "share", 2)
            parts.append(tr("KV cache {share} full").format(share=use))
        for name, other in self._others:
            latency = float(np.interp(rate, other.rates_per_s, other.statistic("p95"), right=np.nan))
            parts.append(f"{name} p95 {format_value(latency, 's')}")
        return " · ".join(parts)

    def as_rows(self) -> Rows:
        columns = self.columns
        if columns is None:
            return NO_ROWS
        names = [name for name in ("mean", "p50", "p90", "p95", "p99") if name in columns.latency_s]
        heads = [Column(tr("Rate per replica"), "req/s")]
        heads += [Column(f"{self.metric.upper()} {tr('mean') if name == 'mean' else name}", "s") for name in names]
        heads += [Column(tr("Output tokens"), "tok/s"), Column(tr("Batch"), "seq"), Column(tr("KV cache in use"))]
        values = [columns.rates_per_s, *[columns.statistic(name) for name in names]]
        values += [columns.output_tokens_per_s, columns.batch, columns.kv_use]
        if columns.is_simulated:
            heads.append(Column(tr("Preempted")))
            values.append(columns.preemptions)
        for name, other in self._others:
            heads.append(Column(f"{name} {self.metric.upper()} p95", "s"))
            values.append(np.interp(columns.rates_per_s, other.rates_per_s, other.statistic("p95"), right=np.nan))
        return Rows(tuple(heads), tuple(tuple(float(cell) for cell in row) for row in zip(*values)))


def _simulated_curve(results: Results) -> SimulatedCurve | None:
    """The simulated curve, if it is about the candidate that is looked at."""
    simulation = results.simulation
    if simulation is None or simulation.curve is None or simulation.candidate != results.candidate("serving"):
        return None
    return simulation.curve


def rate_held(columns: LatencyColumns, slo: Slo) -> float:
    """Largest rate at which a curve is within the target, read off it; NaN without such a curve."""
    latencies = columns.statistic(f"p{slo.percentile:g}")
    if np.isnan(latencies).all():
        return float("nan")
    over = np.flatnonzero(latencies > slo.limit_s)
    if not len(over):
        return float(columns.rates_per_s[-1])
    first = int(over[0])
    if first == 0:
        return 0.0
    pair = slice(first - 1, first + 1)
    return float(np.interp(slo.limit_s, latencies[pair], columns.rates_per_s[pair]))


def _upright(height: float) -> Any:
    """A dashed line across the plot, named at a share of its height."""
    line = pg.InfiniteLine(
        angle=90, label="", labelOpts={"position": height, "anchors": [(0, 0.5), (1, 0.5)], "movable": False}
    )
    line.label.setFont(tick_font())
    return line


class _TargetLine(pg.InfiniteLine):
    """A limit that can be dragged; it stays where the hand holds it while results come in."""

    def __init__(self) -> None:
        super().__init__(angle=0, movable=True, label="", labelOpts={"position": 0.02, "anchors": [(0, 0), (0, 1)]})
        self.label.setFont(tick_font())
        self.path = ""
        self.limit_s = float("nan")

    def recolour(self, theme: Theme) -> None:
        self.setPen(pen(theme.bad, 1.5, Qt.PenStyle.DashLine))
        self.setHoverPen(pen(theme.bad, 3))
        self.label.setColor(theme.bad)
        self.label.fill = pg.mkBrush(translucent(theme.surface, 190))

    def show_target(self, target: tuple[str, Slo] | None, scale: AxisScale) -> None:
        self.setVisible(target is not None)
        if target is None:
            return
        self.path, slo = target
        self.label.setFormat(f"{target_name(slo)} ≤ {format_value(slo.limit_s, 's')}")
        if not self.moving:
            self.limit_s = slo.limit_s
            self.setValue(scale.place_one(slo.limit_s))
