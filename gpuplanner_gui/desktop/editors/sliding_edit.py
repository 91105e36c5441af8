"""A number with a slider under it: between its bounds, or by factors around where it stands."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QBoxLayout, QSlider, QWidget

from gpuplanner_gui.desktop.editors.base import Place
from gpuplanner_gui.desktop.editors.number_edit import NumberEdit, NumberKind
from gpuplanner_gui.domain.field import About
from gpuplanner_gui.drawing.language import tr

STEPS = 200
MIDDLE = STEPS // 2
FACTOR = 10.0
"""An unbounded value goes to so many times itself, or to so small a part, in one pull."""
DIGITS = 3


@dataclass(frozen=True)
class Track:
    """Which value each place of a slider stands for."""

    low: float | None
    high: float | None

    @property
    def is_bounded(self) -> bool:
        return self.low is not None and self.high is not None

    def value_at(self, step: int, around: float) -> float:
        """The value at a step, rounded; `around` is the value in the middle of an unbounded track."""
        if self.low is None or self.high is None:
            return _rounded(around * FACTOR ** ((step - MIDDLE) / MIDDLE))
        decimals = max(0, math.ceil(-math.log10((self.high - self.low) / STEPS)))
        return min(self.high, round(self.low + (self.high - self.low) * step / STEPS, decimals))

    def step_of(self, value: float) -> int:
        if self.low is None or self.high is None:
            return MIDDLE
        share = (value - self.low) / (self.high - self.low)
        return round(STEPS * min(max(share, 0.0), 1.0))


def track_of(about: About) -> Track:
    """From a field's bounds; an open end is not reached by the slider."""
    low = about.minimum if about.minimum is not None else about.above
    return Track(low, about.maximum) if low is not None and about.maximum is not None else Track(None, None)


class SlidingEdit(NumberEdit):
    """The line for exact values and ranges, the slider for trying out."""

    def __init__(
        self, place: Place, kind: NumberKind, about: About, is_optional: bool, parent: QWidget | None = None
    ) -> None:
        self._track = track_of(about)
        self._around = 1.0
        super().__init__(place, kind, about.unit, is_optional, parent)
        self.slider = CalmSlider(Qt.Orientation.Horizontal, self)
        self.slider.setRange(0, STEPS)
        self.slider.setPageStep(STEPS // 10)
        self.slider.setAccessibleName(tr("{name}, slider").format(name=tr(about.title)))
        self.slider.valueChanged.connect(self._on_slid)
        self.slider.sliderReleased.connect(self._follow_value)
        layout = self.layout()
        assert isinstance(layout, QBoxLayout)
        layout.setDirection(QBoxLayout.Direction.TopToBottom)
        layout.setSpacing(0)
        layout.addWidget(self.slider)
        self.setTabOrder(self.line, self.slider)

    def show_value(self, value: Any) -> None:
        super().show_value(value)
        self._follow_value()

    def _take(self, value: Any) -> None:
        super()._take(value)
        self._follow_value()

    def _follow_value(self) -> None:
        """Put the handle where the value is, unless it is being pulled; a range or nothing has no place."""
        is_number = isinstance(self._value, (int, float))
        can_slide = is_number and (self._track.is_bounded or self._value > 0)
        self.slider.setEnabled(can_slide)
        if self.slider.isSliderDown():
            return
        with QSignalBlocker(self.slider):
            self.slider.setValue(self._track.step_of(float(self._value)) if can_slide else MIDDLE)
        if can_slide:
            self._around = float(self._value)

    def _on_slid(self, step: int) -> None:
        moved: float = self._track.value_at(step, self._around)
        if self._kind.is_whole:
            moved = round(moved)
        if not self._place.check(moved):
            self._take(moved)
            self._restore()


class CalmSlider(QSlider):
    """One that a wheel over a scrolling form does not move."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS - 1}e}")
