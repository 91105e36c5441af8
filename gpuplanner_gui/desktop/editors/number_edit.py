"""A number with its unit, typed freely; a range or distribution where the field allows one; money."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import Place, ValueEditor
from gpuplanner_gui.desktop.editors.field_line import FieldLine
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_count, parse_money, parse_number, parse_value
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.units import edited_quantity_text, exact_quantity_text, number_signs

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


COUNT = NumberKind(parse_count, exact_quantity_text, is_whole=True)
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


class NumberEdit(ValueEditor):
    """Keeps what was typed until it can be read; says beside it what is wrong."""

    def __init__(
        self, place: Place, kind: NumberKind, unit: str, is_optional: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._place = place
        self._kind = kind
        self._unit = unit
        self._is_optional = is_optional
        self._value: Any = None
        self._problem = ""
        self._shown = ""
        self.line = NumberLine(self)
        self.line.setPlaceholderText(tr("not set") if is_optional else "")
        self.line.textEdited.connect(self._on_text_edited)
        self.line.editingFinished.connect(self._on_editing_finished)
        self.line.stepped.connect(self._step)
        self.line.given_up.connect(self._restore)
        self.line.left.connect(self._on_editing_finished)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(TYPING_PAUSE_MS)
        self._pause.timeout.connect(self._on_pause)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.line)

    def show_value(self, value: Any) -> None:
        """Text that is being typed stays, unless the value became another than the one typed over."""
        is_new = value != self._value or type(value) is not type(self._value)
        self._value = value
        is_untouched = self.line.text() == self._shown
        if is_new or not (is_untouched or self.line.isModified()):
            self._restore()

    def kept_text(self) -> str:
        return self._text(self._value)

    def focus_widget(self) -> QWidget:
        return self.line

    def _text(self, value: Any) -> str:
        return "" if value is None else self._kind.text(value, self._unit)

    def _restore(self) -> None:
        self._pause.stop()
        self._shown = self._text(self._value)
        self.line.show_text(self._shown)
        self._set_problem("")

    def _on_text_edited(self) -> None:
        self._pause.start()

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
        if not text and self._is_optional:
            return None, ""
        if self._value is not None and text == self._text(self._value):
            # The text of a value with many digits is shorter than exact, and still means that value.
            return self._value, self._place.check(self._value)
        try:
            value = self._kind.parse(text, self._unit)
        except NotUnderstood as problem:
            return None, str(problem)
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

    def _set_problem(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self.line.mark_invalid(bool(problem))
            self.problem_changed.emit(problem)
