"""Lines across the latency plot: targets that can be dragged, planned rate, knee, saturation; names that keep apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from gpuplanner_gui.domain.load_result import SimulatedCurve
from gpuplanner_gui.domain.plan import LoadCurve
from gpuplanner_gui.domain.workload import Slo
from gpuplanner_gui.drawing.palette import Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale
from gpuplanner_gui.drawing.plots.base import ease_grip, pen, tick_font, translucent
from gpuplanner_gui.drawing.plots.label_places import Box, CurveCover, LabelPlaces
from gpuplanner_gui.drawing.units import format_value

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class LatencyColumns:
    """One metric of one replica; arrays over rates. `low` and `high` are the ends of p95's 80 % band."""

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


def closed_form_columns(curve: LoadCurve, metric: str) -> LatencyColumns:
    """From the closed form; its band is the model's own uncertainty."""
    latency: dict[str, Floats] = getattr(curve, f"{metric}_s", {})
    p95 = latency.get("p95", np.full(len(curve.rates_per_s), np.nan))
    return LatencyColumns(
        rates_per_s=curve.rates_per_s,
        latency_s=latency,
        low_s=p95 * curve.low80_factor,
        high_s=p95 * curve.high80_factor,
        output_tokens_per_s=curve.output_tokens_per_s,
        batch=curve.batch,
        kv_use=curve.kv_use,
        preemptions=np.full(len(curve.rates_per_s), np.nan),
        max_rate_per_s=curve.max_rate_per_s,
        planned_rate_per_s=curve.planned_rate_per_s,
        is_simulated=False,
    )


def simulated_columns(curve: SimulatedCurve, metric: str, closed_form: LoadCurve) -> LatencyColumns:
    """From a simulation; its band is the model's uncertainty and the chance in one run together."""
    latency = curve.latency_s[metric]
    p95, chance = latency["p95"], np.nan_to_num(curve.band_s[metric]["p95"])
    below = np.hypot(p95 * (1 - closed_form.low80_factor), chance)
    above = np.hypot(p95 * (closed_form.high80_factor - 1), chance)
    return LatencyColumns(
        rates_per_s=curve.rates_per_s,
        latency_s=latency,
        low_s=np.maximum(p95 - below, p95 * 0.01),
        high_s=p95 + above,
        output_tokens_per_s=curve.output_tokens_per_s,
        batch=curve.batch,
        kv_use=curve.kv_use,
        preemptions=curve.preemptions.astype(np.float64),
        max_rate_per_s=curve.max_rate_per_s,
        planned_rate_per_s=closed_form.planned_rate_per_s,
        is_simulated=True,
    )


MOST_TARGETS = 8
LABEL_COVER = 200
"""Of 255: where a name has to stand on a curve, it stays legible, and the curve to be seen behind it."""
HEIGHTS = tuple(0.06 + 0.87 * step / 15 for step in range(16))
"""Where an upright line's name may stand, as shares of the plot's height."""
ACROSS = (0.02, 0.35, 0.68, 0.18, 0.52, 0.85)
"""The same for a level line, as shares of the width."""
RIGHT, LEFT = (0.0, 0.5), (1.0, 0.5)
BELOW, ABOVE = (0.0, 0.0), (0.0, 1.0)
Anchor = tuple[float, float]
MARGIN = 2.0
"""Around a name, in pixels; its ground covers that too."""


@dataclass(frozen=True)
class Target:
    """A limit on the plot's latency: its path in the scenario, its place among all targets, what it is called."""

    path: str
    place: int
    slo: Slo
    name: str


class LatencyMarks:
    """Owns the lines; `show_targets` and `show_rates` fill them, `place_names` keeps their names apart.

    They stand beside `curves`, not on them, wherever there is room for that.
    """

    def __init__(self, item: pg.PlotItem, curves: Sequence[pg.PlotCurveItem]) -> None:
        self._view, self._curves = item.getViewBox(), curves
        self.planned, self.saturation, self.knee = UprightLine(0.93), UprightLine(0.06), UprightLine(0.34)
        self.targets = [TargetLine() for _ in range(MOST_TARGETS)]
        self.uprights = (self.planned, self.saturation, self.knee)
        self._view.sigResized.connect(lambda *_: self.place_names())

    def recolour(self, theme: Theme) -> None:
        for line, colour in zip(self.uprights, (theme.accent, theme.muted, theme.muted), strict=True):
            line.setPen(pen(colour, 1, Qt.PenStyle.DashLine))
            line.label.setColor(colour)
            line.label.fill = pg.mkBrush(translucent(theme.surface, LABEL_COVER))
        for line in self.targets:
            line.recolour(theme)

    def hide(self) -> None:
        for line in (*self.uprights, *self.targets):
            line.setVisible(False)

    def show_targets(self, targets: Sequence[Target], scale: AxisScale) -> None:
        for line, target in zip(self.targets, [*targets[:MOST_TARGETS], *[None] * MOST_TARGETS]):
            line.show_target(target, scale)

    def place_names(self) -> None:
        """Stand each name where it covers no other; where there is room for one only, the later ones give way."""
        width, height = self._view.width(), self._view.height()
        if min(width, height) < 1:
            return
        (left, right), (low, high) = self._view.viewRange()
        across, up = width / max(right - left, 1e-12), height / max(high - low, 1e-12)
        shown = [line for line in self.uprights if line.isVisible()]
        columns = [(float(line.value()) - left) * across for line in shown]
        targets = [target for target in self.targets if target.isVisible()]
        rows = [(high - float(target.value())) * up for target in targets]
        drawn = [curve.getData() for curve in self._curves if curve.isVisible()]
        pixels = [((x - left) * across, (high - y) * up) for x, y in drawn if x is not None and y is not None]
        offers = [
            *(line.spots(row, width, height) for line, row in zip(targets, rows, strict=True)),
            *(line.spots(column, width, height) for line, column in zip(shown, columns, strict=True)),
        ]
        lines: list[_NamedLine] = [*targets, *shown]
        present = [line.present_among(spots) for line, spots in zip(lines, offers)]
        places = LabelPlaces(width, height, columns, rows, CurveCover(width, height, pixels, MARGIN))
        chosen = places.arrange([[spot.box for spot in spots] for spots in offers], present)
        for line, spots, index in zip(lines, offers, chosen, strict=True):
            line.put_name(spots[index])


def set_type(label: pg.InfLineLabel) -> None:
    """The type of a line's name; its ground covers little more than the words."""
    label.setFont(tick_font())
    label.textItem.document().setDocumentMargin(MARGIN)


class Spot(NamedTuple):
    """Where a line's name may stand: at a share of its length, on one of its sides."""

    share: float
    anchor: Anchor
    box: Box


class _NamedLine(pg.InfiniteLine):
    """A line whose name may stand at several places along it."""

    def present_among(self, spots: Sequence[Spot]) -> int:
        """Where the name stands now; -1 for a place that is not offered."""
        here = (self.label.orthoPos, self.label.anchors[0])
        return next((index for index, spot in enumerate(spots) if (spot.share, spot.anchor) == here), -1)

    def put_name(self, spot: Spot) -> None:
        label = self.label
        if label.anchors != [spot.anchor, spot.anchor] or label.orthoPos != spot.share:
            label.anchors = [spot.anchor, spot.anchor]
            label.setPosition(spot.share)

    def _name_box(self) -> tuple[float, float]:
        """Width and height of the name in pixels, without the empty margin around it."""
        box = self.label.textItem.boundingRect()
        return box.width() - MARGIN, box.height() - 2 * MARGIN


class UprightLine(_NamedLine):
    """A dashed line at a rate, named at a share of the plot's height where nothing else stands there."""

    def __init__(self, height: float) -> None:
        super().__init__(
            angle=90, label="", labelOpts={"position": height, "anchors": [RIGHT, RIGHT], "movable": False}
        )
        set_type(self.label)
        self._height = height

    def show_rate(self, rate: float, words: str, scale: AxisScale) -> None:
        """`words` have a place for the rate; NaN: no line."""
        self.setVisible(bool(np.isfinite(rate)))
        if np.isfinite(rate):
            self.setPos(scale.place_one(rate))
            text = words.format(rate=format_value(rate, "req/s"))
            if text != self.label.format:
                self.label.setFormat(text)

    def spots(self, column: float, wide: float, high: float) -> list[Spot]:
        """Best first; `column` is where the line stands in a view of this size, in pixels."""
        width, height = self._name_box()
        edge = min(height / 2 / high, 0.5)
        nearest = sorted(HEIGHTS, key=lambda share: abs(share - self._height))
        shares = [min(max(share, edge), 1 - edge) for share in nearest]
        sides = (RIGHT, LEFT) if column + width < wide else (LEFT, RIGHT)
        return [
            Spot(share, side, Box(column - side[0] * width, (1 - share) * high - height / 2, width, height))
            for share in shares
            for side in sides
        ]


class TargetLine(_NamedLine):
    """A limit that can be dragged; it stays where the hand holds it while results come in."""

    def __init__(self) -> None:
        super().__init__(angle=0, movable=True, label="", labelOpts={"position": ACROSS[0], "anchors": [BELOW, BELOW]})
        set_type(self.label)
        ease_grip(self)
        self.path = ""
        self.limit_s = self.limit_before_s = float("nan")
        """As it is told, and as it was when it was taken hold of."""

    def mouseDragEvent(self, event: Any) -> None:
        if event.isStart():
            self.limit_before_s = self.limit_s
        super().mouseDragEvent(event)

    def recolour(self, theme: Theme) -> None:
        self.setPen(pen(theme.bad, 1.5, Qt.PenStyle.DashLine))
        self.setHoverPen(pen(theme.bad, 3))
        self.label.setColor(theme.bad)
        self.label.fill = pg.mkBrush(translucent(theme.surface, LABEL_COVER))

    def show_target(self, target: Target | None, scale: AxisScale) -> None:
        self.setVisible(target is not None)
        if target is None:
            return
        self.path = target.path
        # Names come from outside: braces in them are no places to fill.
        name = target.name.replace("{", "{{").replace("}", "}}")
        text = f"{name} ≤ {format_value(target.slo.limit_s, 's')}"
        if text != self.label.format:
            self.label.setFormat(text)
        if not self.moving:
            self.limit_s = target.slo.limit_s
            self.setValue(scale.place_one(target.slo.limit_s))

    def spots(self, row: float, wide: float, high: float) -> list[Spot]:
        """Best first; `row` is where the line stands in a view of this size, in pixels from above."""
        width, height = self._name_box()
        sides = (BELOW, ABOVE) if row < high / 2 else (ABOVE, BELOW)
        last = max(1 - width / wide, 0.0)
        tops = {BELOW: row + MARGIN, ABOVE: row - MARGIN - height}
        return [
            Spot(share, side, Box(share * wide, tops[side], width, height))
            for share in (min(share, last) for share in ACROSS)
            for side in sides
        ]
