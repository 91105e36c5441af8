"""Lines across the latency plot: targets that can be dragged, planned rate, knee, saturation, another limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import LoadCurve
from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.curves import ease_grip
from gpuplanner_gui.drawing.plots.names import Name, line_name
from gpuplanner_gui.drawing.plots.pens import pen
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.serving.curves import latency_band_s


@dataclass(frozen=True)
class LatencyColumns:
    """One metric of one replica; arrays over rates. `low` and `high` are the ends of p95's 80 % range."""

    rates_per_s: Floats
    latency_s: dict[str, Floats]
    low_s: Floats
    high_s: Floats
    output_tokens_per_s: Floats
    batch: Floats
    kv_use: Floats
    preemptions: Floats
    max_rate_per_s: float
    planned_rate_per_s: float
    is_simulated: bool

    def statistic(self, name: str) -> Floats:
        """A percentile or the mean; NaN where it is not known."""
        found = self.latency_s.get(name)
        return np.full(len(self.rates_per_s), np.nan) if found is None else found

    @property
    def has_latency(self) -> bool:
        return bool(len(self.rates_per_s)) and bool(np.isfinite(self.statistic("p95")).any())


def closed_form_columns(curve: LoadCurve, metric: str, think_s: float | None = None) -> LatencyColumns:
    """Columns of the closed form; the band is the model's uncertainty, where users think so long if they wait for
    answers."""
    latency: dict[str, Floats] = getattr(curve, f"{metric}_s", {})
    p95 = latency.get("p95", np.full(len(curve.rates_per_s), np.nan))
    low_s, high_s = latency_band_s(curve, metric, p95, curve.rates_per_s, curve.max_rate_per_s, think_s)
    return LatencyColumns(
        rates_per_s=curve.rates_per_s,
        latency_s=latency,
        low_s=low_s,
        high_s=high_s,
        output_tokens_per_s=curve.output_tokens_per_s,
        batch=curve.batch,
        kv_use=curve.kv_use,
        preemptions=np.full(len(curve.rates_per_s), np.nan),
        max_rate_per_s=curve.max_rate_per_s,
        planned_rate_per_s=curve.planned_rate_per_s,
        is_simulated=False,
    )


def simulated_columns(
    curve: SimulatedCurve, metric: str, closed_form: LoadCurve, think_s: float | None = None
) -> LatencyColumns:
    """Columns of a simulation; the band combines the model's uncertainty and the chance in one run.

    Both as ratios: where a percentile jumps from rate to rate, its chance is larger than itself, but it stays above 0.
    """
    latency = curve.latency_s[metric]
    p95, chance = latency["p95"], np.nan_to_num(curve.band_s[metric]["p95"])
    by_chance = np.log1p(np.divide(chance, p95, out=np.zeros_like(p95), where=p95 > 0))
    ends_s = latency_band_s(closed_form, metric, p95, curve.rates_per_s, curve.max_rate_per_s, think_s)
    with np.errstate(invalid="ignore", divide="ignore"):
        below, above = (np.exp(np.hypot(np.log(end_s / p95), by_chance)) for end_s in ends_s)
    return LatencyColumns(
        rates_per_s=curve.rates_per_s,
        latency_s=latency,
        low_s=p95 / below,
        high_s=p95 * above,
        output_tokens_per_s=curve.output_tokens_per_s,
        batch=curve.batch,
        kv_use=curve.kv_use,
        preemptions=curve.preemptions.astype(np.float64),
        max_rate_per_s=curve.max_rate_per_s,
        planned_rate_per_s=closed_form.planned_rate_per_s,
        is_simulated=True,
    )


MOST_TARGETS = 8


@dataclass(frozen=True)
class Target:
    """A limit on the plot's latency: its path in the scenario, its place among all targets, what it is called."""

    path: str
    place: int
    slo: Slo
    name: str


class LatencyMarks:
    """Owns the lines; `show_targets` and `show_rates` fill them, `names` says what they are called."""

    def __init__(self) -> None:
        self.planned, self.saturation, self.knee, self.limit = (pg.InfiniteLine(angle=90) for _ in range(4))
        self.targets = [TargetLine() for _ in range(MOST_TARGETS)]
        self.uprights = (self.planned, self.saturation, self.knee, self.limit)
        self._rates: list[Name] = []
        self._limits: list[Name] = []
        self._theme = LIGHT

    def recolour(self, theme: Theme) -> None:
        self._theme = theme
        for line, colour in zip(self.uprights, (theme.accent, theme.muted, theme.muted, theme.bad), strict=True):
            line.setPen(pen(colour, 1, Qt.PenStyle.DashLine))
        for line in self.targets:
            line.recolour(theme)

    def show_targets(self, targets: Sequence[Target], scale: AxisScale) -> None:
        for line, target in zip(self.targets, [*targets[:MOST_TARGETS], *[None] * MOST_TARGETS]):
            line.show_target(target, scale)
        self._limits = [
            line_name(line, f"{target.name} ≤ {format_value(target.slo.limit_s, 's')}", self._theme.bad)
            for line, target in zip(self.targets, targets)
        ]

    def show_rates(
        self, planned: float, saturation: float, knee: tuple[float, str], scale: AxisScale,
        limit: tuple[float, str] | None = None,
    ) -> None:  # fmt: skip
        """Rates per replica; NaN: no line. `knee`: with the latency that has it, and `limit`: where another latency
        misses its target, by name."""
        limit_rate, limit_name = limit if limit is not None else (np.nan, "")
        accent, muted = self._theme.accent, self._theme.muted
        self._rates = []
        for line, rate, words, colour, near in (
            (self.planned, planned, tr("planned {rate} per replica"), accent, 0.93),
            (self.saturation, saturation, tr("saturates at {rate}"), muted, 0.06),
            (self.knee, knee[0], tr("{name} knee at {rate}"), muted, 0.34),
            (self.limit, limit_rate, tr("{name} target: up to {rate}"), self._theme.bad, 0.2),
        ):
            line.setVisible(bool(np.isfinite(rate)))
            if np.isfinite(rate):
                line.setPos(scale.place_one(rate))
                name = knee[1] if line is self.knee else limit_name
                text = words.format(rate=format_value(rate, "req/s"), name=name)
                self._rates.append(line_name(line, text, colour, near))

    @property
    def names(self) -> list[Name]:
        """Names of all visible lines, the targets first."""
        return [*self._limits, *self._rates]


class TargetLine(pg.InfiniteLine):
    """A limit that can be dragged; it stays where the hand holds it while results come in."""

    def __init__(self) -> None:
        super().__init__(angle=0, movable=True)
        ease_grip(self)
        self.path = ""
        self.limit_s = self.limit_before_s = float("nan")
        """The limit now, and when the drag began."""

    def mouseDragEvent(self, event: Any) -> None:
        if event.isStart():
            self.limit_before_s = self.limit_s
        super().mouseDragEvent(event)

    def recolour(self, theme: Theme) -> None:
        self.setPen(pen(theme.bad, 1.5, Qt.PenStyle.DashLine))
        self.setHoverPen(pen(theme.bad, 3))

    def show_target(self, target: Target | None, scale: AxisScale) -> None:
        self.setVisible(target is not None)
        if target is None:
            return
        self.path = target.path
        if not self.moving:
            self.limit_s = target.slo.limit_s
            self.setValue(scale.place_one(target.slo.limit_s))
