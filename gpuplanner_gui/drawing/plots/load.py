"""Latency of one replica against load: percentiles, band, targets, planned rate, knee, limits; simulated or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.drawing.language import phrase, tr
from gpuplanner_gui.drawing.plots.axes import shortened
from gpuplanner_gui.drawing.plots.curves import CurveAxis, CurvePlot
from gpuplanner_gui.drawing.plots.latency_marks import (
    LatencyColumns,
    LatencyMarks,
    Target,
    TargetLine,
    closed_form_columns,
    simulated_columns,
)
from gpuplanner_gui.drawing.plots.legend import LegendEntry
from gpuplanner_gui.drawing.plots.pens import pen, translucent
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick
from gpuplanner_gui.drawing.plots.rival_marks import MOST_OVERLAYS, OverlayCurves, overlays_of
from gpuplanner_gui.drawing.results import Results, simulated_curve
from gpuplanner_gui.drawing.rows import NO_ROWS, Column, Rows
from gpuplanner_gui.drawing.units import as_dragged, format_value
from gpuplanner_gui.drawing.words.targets import owned_target_name, target_name, targets_of, thinking_s

FAR = 100.0
"""Latency that stands for one without end, over the highest of all others."""
STATISTICS = ("p50", "p95", "p99")
LONGEST_NAME = 20
"""Longest name of a class before its target. [letters]"""
_STYLES = {"p50": Qt.PenStyle.SolidLine, "p95": Qt.PenStyle.SolidLine, "p99": Qt.PenStyle.DotLine}
BUSY, MOST_OVER_PLAN = 0.95, 20.0
"""The axis reaches the latency at this share of saturation, if that is not too many times what is planned."""


class LatencyPlot(CurvePlot):
    """`metric` is ttft, itl, tpot or e2e. The closed form at once; simulated curves in front of it when they come."""

    ABOUT = phrase(
        "Latency of one replica against its load. 95 % of the requests are faster than p95. The dashed "
        "horizontal line is your target; vertical lines are request rates. The band is the error of the predicted step "
        "time alone: slower machines are also busier, though users who wait for answers ask them less. The verdict's "
        "80 % range, of all uncertain inputs, is wider."
    )

    x_link = "rate_per_replica"
    switchable = ("x", "y")

    X = CurveAxis(phrase("Requests per second per replica"), "req/s")

    def __init__(self, metric: str = "ttft") -> None:
        super().__init__(y=CurveAxis(metric.upper(), "s", is_log=True))
        self.metric = self.variant = metric
        self.columns: LatencyColumns | None = None
        self._has_closed_form = self._has_target = False
        self._others: list[tuple[str, LatencyColumns]] = []
        self._band_ends = (pg.PlotCurveItem(), pg.PlotCurveItem())
        self._band = pg.FillBetweenItem(*self._band_ends)
        self._closed_form = pg.PlotCurveItem(antialias=True)
        self._curves = {name: pg.PlotCurveItem(antialias=True) for name in STATISTICS}
        self._of_class, self._class_name = pg.PlotCurveItem(antialias=True), ""
        """What a class's own target limits, where the other curves are of several classes together."""
        self._of_class.setZValue(-1)
        self._overlays = OverlayCurves(self.item)
        self.marks = LatencyMarks()
        self.add(
            self._band,
            self._closed_form,
            *self._curves.values(),
            self._of_class,
            *self.marks.uprights,
            *self.marks.targets,
        )
        self.handles = tuple(self.marks.targets)
        for line in self.marks.targets:
            line.sigDragged.connect(self._on_target_dragged)
            line.sigPositionChangeFinished.connect(self._on_target_let_go)
        self.set_toggles(
            p50=(self._curves["p50"],),
            p95=(self._curves["p95"],),
            band=(self._band,),
            p99=(self._curves["p99"],),
            closed_form=(self._closed_form,),
            target=tuple(self.marks.targets),
            of_class=(self._of_class,),
            **self._overlays.toggles(),
        )

    def recolour(self) -> None:
        strong, weak, accent = self.theme.series[:3]
        colours = {"p50": weak, "p95": strong, "p99": strong}
        for name, curve in self._curves.items():
            curve.setPen(pen(colours[name], 2 if name == "p95" else 1.5, _STYLES[name]))
        self._closed_form.setPen(pen(accent, 1.5, Qt.PenStyle.DashLine))
        self._band.setBrush(translucent(strong, 32))
        self._of_class.setPen(pen(self.theme.bad, 1.5))
        self.marks.recolour(self.theme)
        self._overlays.recolour(self.theme)
        super().recolour()

    def _legend_shown(self) -> tuple[Any, ...]:
        """The state that the legend's entries depend on."""
        is_simulated = self.columns is not None and self.columns.is_simulated
        return (
            is_simulated, self._has_closed_form, self._has_users, self._has_target, self._class_name,
            self._overlays.names,
        )  # fmt: skip

    @property
    def _has_users(self) -> bool:
        """Whether users wait for their answers: simulations do as they do, closed forms along the rate do not."""
        return self.results is not None and thinking_s(self.results.scenario) is not None

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        strong, weak, accent = self.theme.series[:3]
        is_simulated = self.columns is not None and self.columns.is_simulated
        quick = tr("quick estimate, random arrivals") if self._has_users else tr("quick estimate")
        simulated = (LegendEntry(quick, accent, "dash", "closed_form"),) if self._has_closed_form else ()
        p95 = tr("p95, simulated") if is_simulated else "p95"
        return (
            LegendEntry("p50", weak, "line", "p50"),
            LegendEntry(tr("p95 of all classes, simulated") if self._class_name else p95, strong, "line", "p95"),
            LegendEntry(tr("80 % range if only the step time is uncertain"), self.theme.unused, key="band"),
            LegendEntry("p99", strong, "dot", "p99"),
            *simulated,
            *((LegendEntry(self._class_name, self.theme.bad, "line", "of_class"),) if self._class_name else ()),
            *((LegendEntry(tr("target"), self.theme.bad, "dash", "target"),) if self._has_target else ()),
            *self._overlays.entries(),
        )

    def draw(self, results: Results) -> None:
        closed = results.load_curve
        simulated = simulated_curve(results)
        before = self._legend_shown()
        self.columns = columns = self._columns_of(closed, simulated)
        targets = self._targets_of_metric(results)
        if columns is None or not columns.has_latency:
            self.show_message(tr("Calculating the load curve of the selected candidate…"))
            return
        for name, item in self._curves.items():
            self._set_line(item, columns.rates_per_s, columns.statistic(name))
        # A trace is other traffic than the closed form is about.
        is_trace = simulated is not None and simulated.is_trace
        self._show_closed_form(None if is_trace else closed, columns)
        knee = simulated.knee_rate_per_s if simulated is not None else float("nan")
        held = self._held(columns, targets, simulated)
        self._show_class(columns, held[1] if held is not None else None, simulated)
        first = self._limits_first(held[0], columns, simulated) if held is not None and held[0] > 0 else None
        planned, most = columns.planned_rate_per_s, columns.max_rate_per_s
        # The knee is that of the first latency, whichever latency the plot shows.
        knee_name = f"{results.scenario.first_latency.upper()} p95"
        self.marks.show_rates(planned, most, (knee, knee_name), self.x_scale, first)
        self.marks.show_targets(targets, self.y_scale)
        self.name_all(*self.marks.names)
        self._show_overlays(results)
        self._set_latency_ranges(columns, [target.slo.limit_s for target in targets])
        self._show_band(columns)
        self._has_target = bool(targets)
        if self._legend_shown() != before:
            self.set_legend(*self.legend_entries())
        self.say(self._sentence(columns, held, first))

    def _columns_of(self, closed: LoadCurve | None, simulated: SimulatedCurve | None) -> LatencyColumns | None:
        if closed is None or not len(closed.rates_per_s):
            return None
        think_s = thinking_s(self.results.scenario) if self.results is not None else None
        if simulated is not None and len(simulated.rates_per_s) > 1:
            # Requests of a trace wait for no answers.
            return simulated_columns(simulated, self.metric, closed, None if simulated.is_trace else think_s)
        return closed_form_columns(closed, self.metric, think_s)

    def _show_closed_form(self, closed: LoadCurve | None, columns: LatencyColumns) -> None:
        """Draw the closed form beside a simulation; without one it is the main curve."""
        beside = closed_form_columns(closed, self.metric) if closed is not None and columns.is_simulated else None
        self._has_closed_form = beside is not None and beside.has_latency
        if beside is not None and self._has_closed_form:
            self._set_line(self._closed_form, beside.rates_per_s, beside.statistic("p95"))
        else:
            self._closed_form.setData([], [])

    def _show_class(self, columns: LatencyColumns, target: Target | None, simulated: SimulatedCurve | None) -> None:
        """The latency of the class whose target is drawn, where there are others."""
        serving = self.results.scenario.serving if self.results is not None else None
        has_own = columns.is_simulated and target is not None and serving is not None and len(serving.classes) > 1
        self._class_name = target.name if has_own and target is not None else ""
        if has_own and target is not None:
            self._set_line(self._of_class, columns.rates_per_s, _limited(columns, target, simulated))
        else:
            self._of_class.setData([], [])

    def _show_band(self, columns: LatencyColumns) -> None:
        """The band of p95 up to where the curve leaves the usual view: beyond, its lower end would lie there alone.

        Where slower machines can't keep up, its upper end lies above the view.
        """
        upto = slice(int(np.argmax(np.append(columns.statistic("p95") > self.y_range.highest, True))) + 1)
        low, high = self._band_ends
        # The band is filled anew with each of its ends that says that it changed: once is enough.
        low.blockSignals(True)
        self._set_line(low, columns.rates_per_s[upto], columns.low_s[upto])
        low.blockSignals(False)
        ends, known = columns.high_s[upto], columns.high_s[np.isfinite(columns.high_s)]
        self._set_line(high, columns.rates_per_s[upto], np.where(np.isposinf(ends), FAR * known.max(initial=1.0), ends))

    def _show_overlays(self, results: Results) -> None:
        """The closed form's p95 of pinned candidates, then of other scenarios."""
        pinned = [candidate_pick(results, "serving", one) for one in results.pinned_curves]
        picks = [*pinned, *(Pick(one.scenario.name) for one in overlays_of(results))]
        curves = [*results.pinned_curves.values(), *(one.load_curve for one in overlays_of(results))]
        found = [
            (pick, closed_form_columns(curve, self.metric))
            for pick, curve in zip(picks, curves, strict=True)
            if pick is not None and curve is not None
        ]
        found = [(pick, one) for pick, one in found if one.has_latency][:MOST_OVERLAYS]
        self._others = [(pick.name, one) for pick, one in found]
        self._overlays.show(
            [
                (pick, self.x_scale.place(one.rates_per_s), self.y_scale.place(one.statistic("p95")))
                for pick, one in found
            ],
            [results.pinned["serving"].index(pick.candidate) for pick, _ in found if pick.candidate >= 0],
        )

    def _set_line(self, item: pg.PlotCurveItem, rates_per_s: Floats, latency_s: Floats) -> None:
        x = self.x_scale.place(rates_per_s)
        known = np.isfinite(latency_s) & np.isfinite(x)
        item.setData(x[known], self.y_scale.place(latency_s[known]))

    def _targets_of_metric(self, results: Results) -> list[Target]:
        """Targets of this latency, named by class where there are several."""
        serving = results.scenario.serving
        classes = serving.classes if serving is not None else ()
        owners = [one.name for one in classes for _ in one.held_slos]
        targets = []
        for place, (path, slo) in enumerate(targets_of(results.scenario)):
            if slo.metric == self.metric:
                owner = f"{shortened(owners[place], LONGEST_NAME)}: " if len(classes) > 1 else ""
                targets.append(Target(path, place, slo, f"{owner}{target_name(slo)}"))
        return targets

    def _set_latency_ranges(self, columns: LatencyColumns, limits: list[float]) -> None:
        lowest = float(np.nanmin(columns.statistic("p50"))) * 0.8
        at_plan = float(np.interp(columns.planned_rate_per_s, columns.rates_per_s, columns.statistic("p99")))
        highest = max([lowest * 10, at_plan * 1.5, *[limit * 2.5 for limit in limits]])
        busy = float(np.interp(BUSY * columns.max_rate_per_s, columns.rates_per_s, columns.statistic("p95")))
        if np.isfinite(busy) and not limits:
            highest = max(highest, min(1.1 * busy, MOST_OVER_PLAN * at_plan))
        first = 0.9 * float(columns.rates_per_s[0]) if self.x_scale.is_log else 0.0
        last = max([columns.max_rate_per_s, *(other.max_rate_per_s for _, other in self._others)])
        self.set_ranges((first, last * 1.02), (min([lowest, *limits]), highest))

    def _held(
        self, columns: LatencyColumns, targets: list[Target], simulated: SimulatedCurve | None
    ) -> tuple[float, Target] | None:
        """The largest rate at which this latency is within all of its targets, and the one that is missed beyond it."""
        held = [(rate_held(columns.rates_per_s, _limited(columns, target, simulated), target), target)
                for target in targets]  # fmt: skip
        known = [(rate, target) for rate, target in held if np.isfinite(rate)]
        if not known:
            return None
        rate, target = min(known, key=lambda entry: entry[0])
        return refined(rate, columns, simulated), target

    def _sentence(
        self, columns: LatencyColumns, held: tuple[float, Target] | None, first: tuple[float, str] | None
    ) -> str:
        serving = self.results.scenario.serving if self.results is not None else None
        first_metric = self.results.scenario.first_latency if self.results is not None else self.metric
        if held is None and serving is not None and serving.traffic.is_batch and self.metric == first_metric:
            return tr("A replica takes up to {most}; the batch needs {rate}").format(
                most=format_value(columns.max_rate_per_s, "req/s"),
                rate=format_value(columns.planned_rate_per_s, "req/s"),
            )
        if held is None:
            latency = float(np.interp(columns.planned_rate_per_s, columns.rates_per_s, columns.statistic("p95")))
            text = tr("{name} p95 is {latency} at the planned rate")
            if serving is not None and serving.traffic.is_batch:
                latency = self._latency_of_batch(latency)
                text = tr("{name} p95 is {latency} while the batch runs")
            return text.format(name=self.metric.upper(), latency=format_value(latency, "s"))
        rate, target = held
        if rate <= 0:
            limit = format_value(target.slo.limit_s, "s")
            return tr("{name} exceeds {limit} at every rate").format(name=target.name, limit=limit)
        words = {"name": target.name, "rate": format_value(rate, "req/s")}
        if first is None:
            said = tr("{name} meets its target up to {rate} per replica")
            quick = tr("{name} meets its target up to {rate} per replica (quick estimate)")
        else:
            words |= {"other": first[1], "first": format_value(first[0], "req/s")}
            said = tr("Targets met: {other} up to {first}, {name} up to {rate}")
            quick = tr("Targets met: {other} up to {first}, {name} up to {rate} (quick estimate)")
        return (said if columns.is_simulated else quick).format(**words)

    def _latency_of_batch(self, of_curve_s: float) -> float:
        """The plan's p95 at the pace at which the batch runs, which is above its mean rate; that of the curve where the
        plan tells none. [s]"""
        results = self.results
        column = getattr(results.plan.served.table, f"{self.metric}_p95_s", None) if results is not None else None
        if results is None or column is None:
            return of_curve_s
        return float(column[results.candidate("serving")])

    def _limits_first(
        self, rate_per_s: float, columns: LatencyColumns, simulated: SimulatedCurve | None
    ) -> tuple[float, str] | None:
        """Rate and name of the target of another latency that is missed before this plot's; None where this one is."""
        results, closed = self.results, self.results.load_curve if self.results is not None else None
        if results is None or closed is None:
            return None
        found = []
        for place, (path, slo) in enumerate(targets_of(results.scenario)):
            if slo.metric == self.metric:
                continue
            target = Target(path, place, slo, owned_target_name(results.scenario, place))
            drawn = simulated if columns.is_simulated else None
            others = simulated_columns(drawn, slo.metric, closed) if drawn else closed_form_columns(closed, slo.metric)
            rate = rate_held(others.rates_per_s, _limited(others, target, drawn), target)
            if np.isfinite(rate):
                found.append((refined(rate, others, drawn), target.name))
        first = min(found, default=None)
        return first if first is not None and first[0] < CLEARLY_BEFORE * rate_per_s else None

    def _on_target_dragged(self, line: TargetLine) -> None:
        limit = as_dragged(self.y_scale.value_at(float(line.value())), "s")
        if limit != line.limit_s:
            line.limit_s = limit
            self.value_edited.emit(line.path, limit)

    def _on_target_let_go(self, line: TargetLine) -> None:
        self._on_target_dragged(line)
        known = self._targets_of_metric(self.results) if self.results is not None else []
        if any(target.path == line.path and target.slo.limit_s == line.limit_s for target in known):
            # The ranges were held while the line was: now they may follow it. Else they do with the results to come.
            self.draw_again()

    def take_back(self, line: TargetLine) -> None:
        if line.limit_s != line.limit_before_s:
            line.limit_s = line.limit_before_s
            self.value_edited.emit(line.path, line.limit_s)

    def pick_at(self, x: float, y: float) -> Pick | None:
        """The curve of a pinned candidate or another scenario; all others are the selected candidate's."""
        return self._overlays.pick_at(self.item.getViewBox(), x, y)

    def readout_at(self, x: float, y: float) -> str:
        columns, rate = self.columns, self.x_scale.value_at(x)
        if columns is None or not 0 <= rate <= columns.max_rate_per_s or not len(columns.rates_per_s):
            return ""
        parts = [format_value(rate, "req/s")]
        for name in STATISTICS:
            latency = self._latency_at(columns, name, rate)
            if np.isfinite(latency) and name not in self.hidden:
                parts.append(f"{name} {format_value(latency, 's')}")
        for place, (name, other) in enumerate(self._others):
            if f"overlay{place}" not in self.hidden:
                parts.append(f"{name} p95 {format_value(self._latency_at(other, 'p95', rate), 's')}")
        batch = float(np.interp(rate, columns.rates_per_s, columns.batch))
        parts.append(tr("{batch} in the batch").format(batch=format_value(batch, digits=2)))
        if columns.is_simulated:
            use = format_value(float(np.interp(rate, columns.rates_per_s, columns.kv_use)), "share", 2)
            parts.append(tr("KV cache {share} full").format(share=use))
        return " · ".join(parts)

    def _latency_at(self, columns: LatencyColumns, name: str, rate: float) -> float:
        """Latency of the drawn curve at a rate; NaN beyond its ends."""
        x, y = self.x_scale.place(columns.rates_per_s), self.y_scale.place(columns.statistic(name))
        return self.y_scale.value_at(float(np.interp(self.x_scale.place_one(rate), x, y, left=np.nan, right=np.nan)))

    def table(self, results: Results) -> Rows:
        columns = self.columns
        if columns is None:
            return NO_ROWS
        names = [name for name in ("mean", "p50", "p90", "p95", "p99") if name in columns.latency_s]
        heads = [Column(tr("Rate per replica"), "req/s")]
        heads += [Column(f"{self.metric.upper()} {tr('mean') if name == 'mean' else name}", "s") for name in names]
        p95 = f"{self.metric.upper()} p95"
        heads += [Column(f"{p95}, {end}", "s") for end in (tr("80 % range, low"), tr("80 % range, high"))]
        heads += [Column(tr("Output tokens"), "tok/s"), Column(tr("Batch"), "seq"), Column(tr("KV cache in use"))]
        values = [columns.rates_per_s, *[columns.statistic(name) for name in names], columns.low_s, columns.high_s]
        values += [columns.output_tokens_per_s, columns.batch, columns.kv_use]
        if columns.is_simulated:
            heads.append(Column(tr("Preempted")))
            values.append(columns.preemptions)
        for name, other in self._others:
            heads.append(Column(f"{name} {p95}", "s"))
            values.append(np.interp(columns.rates_per_s, other.rates_per_s, other.statistic("p95"), right=np.nan))
        return Rows(tuple(heads), tuple(tuple(float(cell) for cell in row) for row in zip(*values)))


def _limited(columns: LatencyColumns, target: Target, simulated: SimulatedCurve | None) -> Floats:
    """The latency that a target limits at every rate: simulated of its own class; of all requests in closed form."""
    if simulated is not None and columns.is_simulated and target.place < len(simulated.targets_s):
        return simulated.targets_s[target.place]
    return columns.statistic(f"p{target.slo.percentile:g}")


CLEARLY_BEFORE = 0.98
"""A target that is missed at this share of another's rate or below is missed first."""


def refined(rate_per_s: float, columns: LatencyColumns, simulated: SimulatedCurve | None) -> float:
    """A rate that was read off a curve, as the search for the rate that keeps every target found it; no saturated one.

    A curve of so many requests goes a little further than a queue that never ends. A rate a little above the one found
    is the same rate, read off less closely.
    """
    if simulated is not None and CLEARLY_BEFORE * rate_per_s < simulated.slo_rate_per_s < READ_OFF * rate_per_s:
        rate_per_s = simulated.slo_rate_per_s
    return min(rate_per_s, columns.max_rate_per_s)


READ_OFF = 1.1
"""How far a rate that is read off a curve may be from the one that was searched for."""


def rate_held(rates_per_s: Floats, latency_s: Floats, target: Target) -> float:
    """Largest rate at which a curve is within the target, read off it; NaN without such a curve."""
    if np.isnan(latency_s).all():
        return float("nan")
    over = np.flatnonzero(latency_s > target.slo.limit_s)
    if not len(over):
        return float(rates_per_s[-1])
    first = int(over[0])
    if first == 0:
        return 0.0
    pair = slice(first - 1, first + 1)
    return float(np.interp(target.slo.limit_s, latency_s[pair], rates_per_s[pair]))
