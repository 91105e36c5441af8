"""Latency of one replica against load: percentiles, the band of the prediction, targets, planned rate, saturation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.plan import LoadCurve
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.base import CurvePlot, pen, tick_font, translucent
from gpuplanner_gui.drawing.plots.legend import Entry
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words_verdict import target_name, targets_of

STATISTICS = ("p50", "p95", "p99")
_STYLES = {"p50": Qt.PenStyle.SolidLine, "p95": Qt.PenStyle.SolidLine, "p99": Qt.PenStyle.DotLine}
MOST_TARGETS = 8


class LatencyPlot(CurvePlot):
    """`metric` is ttft, tpot or e2e."""

    def __init__(self, metric: str = "ttft", theme: Theme = LIGHT) -> None:
        labels = (tr("Requests per second and replica"), metric.upper())
        super().__init__("req/s", "s", AxisScale(), AxisScale(is_log=True), labels, theme)
        self.metric = metric
        self.curve: LoadCurve | None = None
        self._band_ends = (pg.PlotCurveItem(), pg.PlotCurveItem())
        self._band = pg.FillBetweenItem(*self._band_ends)
        self._curves = {name: pg.PlotCurveItem(antialias=True) for name in STATISTICS}
        self._planned, self._saturation = _upright(0.93), _upright(0.06)
        self._targets = [_TargetLine() for _ in range(MOST_TARGETS)]
        for item in (self._band, *self._curves.values(), self._planned, self._saturation, *self._targets):
            self.item.addItem(item, ignoreBounds=True)
        for line in self._targets:
            line.sigDragged.connect(self._on_target_dragged)
            line.sigPositionChangeFinished.connect(self._on_target_dragged)
        self.use_theme(theme)

    def recolour(self) -> None:
        strong, weak = self.theme.series[:2]
        colours = {"p50": weak, "p95": strong, "p99": strong}
        for name, curve in self._curves.items():
            curve.setPen(pen(colours[name], 2 if name == "p95" else 1.5, _STYLES[name]))
        self._band.setBrush(translucent(strong, 32))
        for line, colour in ((self._planned, self.theme.accent), (self._saturation, self.theme.muted)):
            line.setPen(pen(colour, 1, Qt.PenStyle.DashLine))
            line.label.setColor(colour)
            line.label.fill = pg.mkBrush(translucent(self.theme.surface, 190))
        for line in self._targets:
            line.recolour(self.theme)
        self.set_legend(
            Entry("p50", weak, "line"),
            Entry("p95", strong, "line"),
            Entry(tr("80 % band"), self.theme.unused),
            Entry("p99", strong, "dot"),
            Entry(tr("target"), self.theme.bad, "dash"),
        )

    def draw(self, results: Results) -> None:
        curve = results.load_curve
        self.curve = curve
        targets = self._targets_of_metric(results)
        if curve is None or not len(curve.rates_per_s):
            self.show_message(tr("Waiting for the load curve of the selected candidate."))
            self._hide_all()
            return
        for name, item in self._curves.items():
            item.setData(curve.rates_per_s, self._placed(curve, name))
        for end, factor in zip(self._band_ends, (curve.low80_factor, curve.high80_factor)):
            end.setData(curve.rates_per_s, self.y_scale.place(self._latencies(curve, "p95") * factor))
        self._set_upright(self._planned, curve.planned_rate_per_s, tr("planned {rate}"))
        self._set_upright(self._saturation, curve.max_rate_per_s, tr("saturates at {rate}"))
        self._show_targets(targets)
        self._set_latency_ranges(curve, [slo.limit_s for _, slo in targets])
        self.say(self._sentence(curve, targets))

    def _hide_all(self) -> None:
        for item in (*self._curves.values(), *self._band_ends):
            item.setData([], [])
        for line in (self._planned, self._saturation, *self._targets):
            line.setVisible(False)

    def _targets_of_metric(self, results: Results) -> list[tuple[str, Slo]]:
        return [(path, slo) for path, slo in targets_of(results.scenario) if slo.metric == self.metric]

    def _latencies(self, curve: LoadCurve, statistic: str) -> NDArray[np.float64]:
        found = getattr(curve, f"{self.metric}_s").get(statistic)
        return np.full(len(curve.rates_per_s), np.nan) if found is None else found

    def _placed(self, curve: LoadCurve, statistic: str) -> NDArray[np.float64]:
        return self.y_scale.place(self._latencies(curve, statistic))

    def _set_upright(self, line: Any, rate: float, words: str) -> None:
        line.setVisible(bool(np.isfinite(rate)))
        if np.isfinite(rate):
            line.setPos(self.x_scale.place_one(rate))
            line.label.setFormat(words.format(rate=format_value(rate, "req/s")))

    def _show_targets(self, targets: list[tuple[str, Slo]]) -> None:
        for line, target in zip(self._targets, [*targets[:MOST_TARGETS], *[None] * MOST_TARGETS]):
            line.show_target(target, self.y_scale)

    def _set_latency_ranges(self, curve: LoadCurve, limits: list[float]) -> None:
        lowest = float(np.nanmin(self._latencies(curve, "p50"))) * 0.8
        at_plan = float(np.interp(curve.planned_rate_per_s, curve.rates_per_s, self._latencies(curve, "p99")))
        highest = max([lowest * 10, at_plan * 1.5, *[limit * 2.5 for limit in limits]])
        self.set_ranges((0.0, curve.max_rate_per_s * 1.02), (min([lowest, *limits]), highest))

    def _sentence(self, curve: LoadCurve, targets: list[tuple[str, Slo]]) -> str:
        held = [(self._rate_held(curve, slo), slo) for _, slo in targets]
        held = [(rate, slo) for rate, slo in held if np.isfinite(rate)]
        if not held:
            latency = float(np.interp(curve.planned_rate_per_s, curve.rates_per_s, self._latencies(curve, "p95")))
            return tr("{name} p95 is {latency} at the planned rate").format(
                name=self.metric.upper(), latency=format_value(latency, "s")
            )
        rate, slo = min(held, key=lambda entry: entry[0])
        if rate <= 0:
            limit = format_value(slo.limit_s, "s")
            return tr("Never holds {name} within {limit}").format(name=target_name(slo), limit=limit)
        return tr("Holds {name} to {rate} per replica").format(name=target_name(slo), rate=format_value(rate, "req/s"))

    def _rate_held(self, curve: LoadCurve, slo: Slo) -> float:
        """Largest rate at which the curve is within the target, read off the curve; NaN without such a curve."""
        latencies = self._latencies(curve, f"p{slo.percentile:g}")
        if np.isnan(latencies).all():
            return float("nan")
        over = np.flatnonzero(latencies > slo.limit_s)
        if not len(over):
            return float(curve.rates_per_s[-1])
        first = int(over[0])
        if first == 0:
            return 0.0
        pair = slice(first - 1, first + 1)
        return float(np.interp(slo.limit_s, latencies[pair], curve.rates_per_s[pair]))

    def _on_target_dragged(self, line: _TargetLine) -> None:
        limit = float(f"{self.y_scale.value_at(float(line.value())):.2g}")
        if limit != line.limit_s:
            line.limit_s = limit
            self.value_edited.emit(line.path, limit)

    def readout_at(self, x: float, y: float) -> str:
        curve = self.curve
        if curve is None or not 0 <= x <= curve.max_rate_per_s or not len(curve.rates_per_s):
            return ""
        index = min(int(np.searchsorted(curve.rates_per_s, x)), len(curve.rates_per_s) - 1)
        parts = [format_value(float(curve.rates_per_s[index]), "req/s")]
        for name in STATISTICS:
            latency = float(self._latencies(curve, name)[index])
            if np.isfinite(latency):
                parts.append(f"{name} {format_value(latency, 's')}")
        parts.append(tr("{batch} in the batch").format(batch=format_value(float(curve.batch[index]), digits=2)))
        return " · ".join(parts)

    def as_rows(self) -> Rows:
        curve = self.curve
        if curve is None:
            return NO_ROWS
        names = [name for name in ("mean", "p50", "p90", "p95", "p99") if name in getattr(curve, f"{self.metric}_s")]
        columns = [Column(tr("Rate per replica"), "req/s")]
        columns += [Column(f"{self.metric.upper()} {name}", "s") for name in names]
        columns += [Column(tr("Output tokens"), "tok/s"), Column(tr("Batch"), "seq"), Column(tr("KV cache in use"))]
        values = [curve.rates_per_s, *[self._latencies(curve, name) for name in names]]
        values += [curve.output_tokens_per_s, curve.batch, curve.kv_use]
        return Rows(tuple(columns), tuple(tuple(float(cell) for cell in row) for row in zip(*values)))


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
        super().__init__(angle=0, movable=True, label="", labelOpts={"position": 0.02, "anchors": [(0, 1), (0, 1)]})
        self.label.setFont(tick_font())
        self.path = ""
        self.limit_s = float("nan")

    def recolour(self, theme: Theme) -> None:
        self.setPen(pen(theme.bad, 1.5, Qt.PenStyle.DashLine))
        self.setHoverPen(pen(theme.bad, 3))
        self.label.setColor(theme.bad)

    def show_target(self, target: tuple[str, Slo] | None, scale: AxisScale) -> None:
        self.setVisible(target is not None)
        if target is None:
            return
        self.path, slo = target
        self.label.setFormat(f"{target_name(slo)} ≤ {format_value(slo.limit_s, 's')}")
        if not self.moving:
            self.limit_s = slo.limit_s
            self.setValue(scale.place_one(slo.limit_s))
