"""Several numbers in one line, as a load by hour."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from gpuplanner_gui.desktop.editors.base import Place, ValueEditor
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
        self.line = QLineEdit(self)
        self.line.setPlaceholderText(tr("not set"))
        self.line.editingFinished.connect(self._on_editing_finished)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.line)
        self.setFocusProxy(self.line)

    def show_value(self, value: Any) -> None:
        if tuple(value) != self._value or not self.line.isModified():
            self._value = tuple(value)
            self.line.setText(" ".join(exact_quantity_text(number) for number in self._value))
            self.line.setCursorPosition(0)
            self.problem_changed.emit("")

    def focus_widget(self) -> QWidget:
        return self.line

    def _on_editing_finished(self) -> None:
        words = self.line.text().replace(";", " ").replace(", ", " ").split()
        try:
            value = tuple(parse_number(word, "") for word in words[:MOST_NUMBERS])
        except NotUnderstood as problem:
            self.problem_changed.emit(problem.why)
            return
        problem_text = self._place.check(value)
        self.problem_changed.emit(problem_text)
        if not problem_text and value != self._value:
            self._value = value
            self.line.setModified(False)
            self.edited.emit("", value)
