"""Numbers with a unit, typed or slid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QBoxLayout, QSlider

from gpuplanner_gui.desktop.editors.base import Place
from gpuplanner_gui.desktop.editors.text_edit import FieldLine, TypedEdit
from gpuplanner_gui.domain.field import About
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_count, parse_money, parse_number, parse_value
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.units import edited_quantity_text, number_signs

_FROM_ZERO = Decimal("0.1")


def stepped(value: float, steps: int, is_whole: bool) -> float:
    """The number `steps` key presses away: each a tenth of its leading digit's place, of a whole number at least 1."""
    step = Decimal(1).scaleb(math.floor(math.log10(abs(value))) - 1) if value else _FROM_ZERO
    if is_whole:
        return int(value) + steps * max(int(step), 1)
    return float(Decimal(repr(float(value))) + steps * step)


TYPING_PAUSE_MS = 350
"""A value that can be read is taken when the planner stops typing for so long; one that can't, only at the end."""


@dataclass(frozen=True)
class NumberKind:
    """How one kind of number is read and written."""

    parse: Callable[[str, str], Any]
    text: Callable[[Any, str], str]
    is_whole: bool = False


def _money_text(value: Money, unit: str) -> str:
    tail = "" if unit in ("", "1") else f"/{unit_text(unit.removeprefix('1/'))}"
    amount = edited_quantity_text(value.amount)
    is_behind = number_signs().is_money_behind
    return f"{amount} {value.currency}{tail}" if is_behind else f"{value.currency} {amount}{tail}"


COUNT = NumberKind(parse_count, edited_quantity_text, is_whole=True)
NUMBER = NumberKind(parse_number, edited_quantity_text)
QUANTITY = NumberKind(parse_value, edited_quantity_text)
MONEY = NumberKind(parse_money, _money_text)


class NumberLine(FieldLine):
    """A line that steps its number by Up and Down."""

    stepped = Signal(int)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: 1, Qt.Key.Key_Down: -1, Qt.Key.Key_PageUp: 10, Qt.Key.Key_PageDown: -10}
        if event.key() in steps and not event.modifiers() & Qt.KeyboardModifier.AltModifier:
            self.stepped.emit(steps[Qt.Key(event.key())])
        else:
            super().keyPressEvent(event)


class NumberEdit(TypedEdit):
    """Keeps what was typed until it can be read; says beside it what is wrong."""

    line: NumberLine

    def __init__(self, place: Place, kind: NumberKind, about: About, is_optional: bool) -> None:
        super().__init__(place, NumberLine)
        self._kind = kind
        self._unit = about.unit
        self._zero_means = about.zero_means
        self._is_optional = is_optional
        self._value: Any = None
        self._shown = ""
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._on_pause)
        self.line.setPlaceholderText(tr(about.zero_means or "not set") if about.zero_means or is_optional else "")
        self.line.textEdited.connect(lambda: self._pause.start())
        self.line.stepped.connect(self._step)
        self.line.given_up.connect(self._restore)
        self.line.left.connect(self._on_editing_finished)

    def show_value(self, value: Any) -> None:
        """Text that is being typed stays, unless the value became another than the one typed over."""
        is_new = value != self._value or type(value) is not type(self._value)
        self._value = value
        is_untouched = self.line.text() == self._shown
        if is_new or not (is_untouched or self.line.isModified()):
            self._restore()

    def kept_text(self) -> str:
        return self._text(self._value)

    def _text(self, value: Any) -> str:
        is_left_open = value is None or (self._zero_means and value == 0)
        return "" if is_left_open else self._kind.text(value, self._unit)

    def _restore(self) -> None:
        self._pause.stop()
        self._shown = self._text(self._value)
        self.line.show_text(self._shown)
        self._set_problem("")

    def _on_pause(self) -> None:
        value, problem = self._read()
        if not problem:
            self._set_problem("")
            self.line.settle()
            self._take(value)
        elif self._problem:
            self._set_problem(problem)

    def _on_editing_finished(self) -> None:
        self._pause.stop()
        if not self.line.isModified():
            if self.line.text() == self._shown:
                self._set_problem("")
            return
        value, problem = self._read()
        if problem:
            self._set_problem(problem)
            return
        self._take(value)
        self._restore()

    def _read(self) -> tuple[Any, str]:
        text = self.line.text().strip()
        if not text and self._zero_means:
            return 0, ""
        if not text and self._is_optional:
            return None, ""
        if self._value is not None and text == self._text(self._value):
            # The text of a value with many digits is shorter than exact, and still means that value.
            return self._value, self._place.check(self._value)
        try:
            value = self._kind.parse(text, self._unit)
        except NotUnderstood as problem:
            return None, problem.told_by(self._place.check)
        return value, self._place.check(value)

    def _take(self, value: Any) -> None:
        if value != self._value:
            self._value = value
            self.edited.emit("", value)

    def _step(self, steps: int) -> None:
        value, problem = self._read()
        if problem or value is None or not isinstance(value, (int, float)):
            return
        moved = stepped(value, steps, self._kind.is_whole)
        if not self._place.check(moved):
            self._take(moved)
            self._restore()


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
            return float(f"{(around * FACTOR ** ((step - MIDDLE) / MIDDLE)):.{DIGITS - 1}e}")
        decimals = max(0, math.ceil(-math.log10((self.high - self.low) / STEPS)))
        return min(self.high, round(self.low + (self.high - self.low) * step / STEPS, decimals))

    def step_of(self, value: float) -> int:
        if self.low is None or self.high is None:
            return MIDDLE
        share = (value - self.low) / (self.high - self.low)
        return round(STEPS * min(max(share, 0.0), 1.0))


MOST_EVEN = 100.0
"""Widest track with even steps. Wider bounds only keep out slips, and lie far from what anybody plans: there a single
step would be larger than the values."""


def track_of(about: About) -> Track:
    """The slider's track from a field's bounds; it does not reach an open end, nor one that is far away."""
    low = about.minimum if about.minimum is not None else about.above
    if low is None or about.maximum is None or about.maximum - low > MOST_EVEN:
        return Track(None, None)
    return Track(low, about.maximum)


class SlidingEdit(NumberEdit):
    """The line for exact values and ranges, the slider for trying out."""

    def __init__(self, place: Place, kind: NumberKind, about: About, is_optional: bool) -> None:
        self._track = track_of(about)
        self._around = 1.0
        super().__init__(place, kind, about, is_optional)
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
