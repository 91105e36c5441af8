"""What every plot over two axes of values is: ranges that are held, scales that may be switched, a cross-hair."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Signal
from PySide6.QtGui import QPen

from gpuplanner_gui.drawing.language import Phrase
from gpuplanner_gui.drawing.plots.axes import AxisScale, HeldRange, ValueAxis
from gpuplanner_gui.drawing.plots.base import LEAST_HEIGHT_WITH_COUNTS, LEAST_HEIGHT_WITH_LABEL, Plot
from gpuplanner_gui.drawing.plots.names import axis_title_name
from gpuplanner_gui.drawing.plots.pens import pen, scaled, tick_font

LEAST_WIDTH_WITH_LABEL = 400
GRIP_PIXELS = 4.5
LOG_SHARE = 1e-3
"""Start of a logarithmic axis whose values reach zero, as a share of its end."""


@dataclass(frozen=True)
class CurveAxis:
    """Description of a value axis: title, unit and scale."""

    title: str
    unit: str
    is_log: bool = False


class CurvePlot(Plot):
    """A plot over two value axes, whose ranges are held while data moves a little."""

    X: CurveAxis
    Y: CurveAxis
    Y_AXIS_WIDTH = 58

    stops: Any = ()
    """Values of the horizontal axis that alone can be read: the cross-hair stands at one of them. None: at all."""

    moved = Signal(bool)
    """The planner looks at a part of the plot, or at all of it again."""

    def __init__(self, x: CurveAxis | None = None, y: CurveAxis | None = None) -> None:
        x, y = x or self.X, y or self.Y
        self._least_heights = [LEAST_HEIGHT_WITH_LABEL if one.unit else LEAST_HEIGHT_WITH_COUNTS for one in (x, y)]
        self.x_scale, self.y_scale = AxisScale(x.is_log), AxisScale(y.is_log)
        self.x_range, self.y_range = HeldRange(x.is_log), HeldRange(y.is_log)
        x_axis, y_axis = ValueAxis("bottom", x.unit, self.x_scale), ValueAxis("left", y.unit, self.y_scale)
        super().__init__(x_axis, y_axis)
        y_axis.setGrid(40)
        for axis, said in zip((x_axis, y_axis), (x, y)):
            axis.setLabel(said.title.retold() if isinstance(said.title, Phrase) else said.title)
        self._show_y_label(True)
        self.item.setMouseEnabled(x=True, y=True)
        self._is_moved = False
        self._cross = pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=0)
        for line in self._cross:
            line.setZValue(100)
            line.hide()
        self.add(*self._cross)
        self.item.getViewBox().sigRangeChangedManually.connect(self._on_moved)

    def fit(self, width: float, height: float) -> None:
        super().fit(width, height)
        has_room_below, has_room_beside = (height >= scaled(least) for least in self._least_heights)
        self._axes[0].showLabel(has_room_below)
        self._show_y_label(has_room_beside and width >= scaled(LEAST_WIDTH_WITH_LABEL))

    def _show_y_label(self, is_shown: bool) -> None:
        """The title beside the vertical axis, or where that takes too much room at its upper end, within the plot."""
        axis = self._axes[1]
        axis.showLabel(is_shown)
        self._has_y_label = is_shown
        self._lead_names()
        label = math.ceil(axis.label.boundingRect().height()) if is_shown else 0
        axis.setWidth(round(scaled(self.Y_AXIS_WIDTH)) + label)

    def _lead_names(self) -> None:
        title = axis_title_name(self._axes[1].labelText, self.theme.muted)
        self.labels.lead_with(None if self._has_y_label else title, self.theme, tick_font())

    def take_colours(self) -> None:
        self._lead_names()
        for line in self._cross:
            line.setPen(pen(self.theme.muted))
        super().take_colours()

    def show_cross(self, x: float | None, y: float | None = None) -> None:
        upright, level = self._cross
        place = float("nan") if x is None else self._at_stop(self.x_scale.place_one(x))
        upright.setVisible(math.isfinite(place))
        if math.isfinite(place):
            upright.setValue(place)
        level.setVisible(y is not None)
        if y is not None:
            level.setValue(y)

    def nearest_stop(self, place: float) -> int:
        """Index of the stop nearest to a place on the horizontal axis."""
        return int(np.abs(self.x_scale.place(self.stops) - place).argmin())

    def _at_stop(self, place: float) -> float:
        has_stop = len(self.stops) and math.isfinite(place)
        return float(self.x_scale.place(self.stops)[self.nearest_stop(place)]) if has_stop else place

    @property
    def is_moved(self) -> bool:
        return self._is_moved

    def _on_moved(self, *_: Any) -> None:
        self._set_moved(True)

    def _set_moved(self, is_moved: bool) -> None:
        if is_moved != self._is_moved:
            self._is_moved = is_moved
            self.moved.emit(is_moved)

    def look_like(self, other: Plot) -> None:
        assert isinstance(other, CurvePlot)
        for axis in self.switchable:
            self.use_scale(axis, other.is_log(axis))
        super().look_like(other)
        self.labels.stand_like(other.labels)
        self.x_range, self.y_range = copy(other.x_range), copy(other.y_range)
        if other.is_moved:
            self.look_at(*other.item.getViewBox().viewRange())

    def zoom(self, factor: float) -> None:
        """Look closer (above one) or from farther, at the middle of what is seen."""
        self.item.getViewBox().scaleBy((1 / factor, 1 / factor))
        self._set_moved(True)

    def look_at(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Look at a part of the plot, given as places on its axes."""
        self.item.getViewBox().setRange(xRange=x, yRange=y, padding=0)
        self._set_moved(True)

    def zoom_back(self) -> None:
        self._set_moved(False)
        self.x_range.forget()
        self.y_range.forget()
        self.draw_again()

    def is_log(self, axis: str) -> bool:
        return (self.x_scale if axis == "x" else self.y_scale).is_log

    def use_scale(self, axis: str, is_log: bool) -> None:
        """Make an axis linear or logarithmic; what is shown is placed anew."""
        if axis not in self.switchable or is_log == self.is_log(axis):
            return
        scale, held = AxisScale(is_log), HeldRange(is_log)
        if axis == "x":
            self.x_scale, self.x_range = scale, held
        else:
            self.y_scale, self.y_range = scale, held
        self._axes["xy".index(axis)].use_scale(scale)
        self.show_cross(None)
        self._set_moved(False)
        self.draw_again()

    def set_ranges(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        """Show these data ranges, or more; nothing moves while the planner looks at a part of it or drags a line."""
        if self._is_moved or self.is_dragged:
            return
        x, y = (
            (ends[1] * LOG_SHARE if scale.is_log and ends[0] <= 0 < ends[1] else ends[0], ends[1])
            for scale, ends in ((self.x_scale, x), (self.y_scale, y))
        )
        wanted_x, wanted_y = (
            [scale.place_one(end) for end in held.around(*ends)]
            for scale, held, ends in ((self.x_scale, self.x_range, x), (self.y_scale, self.y_range, y))
        )
        view = self.item.getViewBox()
        # There are no rates, tokens or seconds below nought to be seen from farther away.
        view.setLimits(xMin=None if self.x_scale.is_log else 0.0, yMin=None if self.y_scale.is_log else 0.0)
        self.show_range(wanted_x, wanted_y)


def draw_dotted(curve: pg.PlotDataItem, line: QPen, symbol: str, size: float) -> None:
    """A curve with a filled symbol of its own colour at each of its points."""
    curve.setPen(line)
    curve.setSymbol(symbol)
    curve.setSymbolSize(size)
    curve.setSymbolPen(None)
    curve.setSymbolBrush(line.color())


def ease_grip(line: pg.InfiniteLine) -> None:
    """Let the mouse take hold of a line from a little beside it; pyqtgraph keeps so much room for markers only."""
    line._maxMarkerSize = GRIP_PIXELS
