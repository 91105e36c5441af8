"""Several numbers in one line, as a load by hour."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import Place, ValueEditor
from gpuplanner_gui.desktop.editors.field_line import FieldLine
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_number
from gpuplanner_gui.drawing.units import exact_quantity_text

MOST_NUMBERS = 1000


class NumbersEdit(ValueEditor):
    """Numbers between blanks; keeps what was typed until it can be read."""

    def __init__(self, place: Place, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._value: tuple[float, ...] = ()
        self.line = FieldLine(self)
        self.line.setPlaceholderText(tr("not set"))
        self.line.editingFinished.connect(self._on_editing_finished)
        self.line.given_up.connect(self._restore)
        self.line.left.connect(self._on_editing_finished)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.line)

    def show_value(self, value: Any) -> None:
        if tuple(value) != self._value or not self.line.isModified():
            self._value = tuple(value)
            self._restore()

    def kept_text(self) -> str:
        return " ".join(exact_quantity_text(number) for number in self._value)

    def focus_widget(self) -> QWidget:
        return self.line

    def _restore(self) -> None:
        self.line.show_text(self.kept_text())
        self._set_problem("")

    def _set_problem(self, problem: str) -> None:
        self.line.mark_invalid(bool(problem))
        self.problem_changed.emit(problem)

    def _on_editing_finished(self) -> None:
        if not self.line.isModified():
            return
        words = self.line.text().replace(";", " ").replace(", ", " ").split()
        try:
            value = tuple(parse_number(word, "") for word in words[:MOST_NUMBERS])
        except NotUnderstood as problem:
            self._set_problem(f"{problem.why} {tr('Numbers stand between blanks: 1 2.5 3.')}")
            return
        problem_text = self._place.check(value)
        if problem_text:
            self._set_problem(problem_text)
            return
        is_new = value != self._value
        self._value = value
        self._restore()
        if is_new:
            self.edited.emit("", value)
