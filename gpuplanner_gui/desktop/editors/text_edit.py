"""A line of text, or several."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from gpuplanner_gui.desktop.editors.base import Place, ValueEditor
from gpuplanner_gui.desktop.editors.field_line import FieldLine
from gpuplanner_gui.files.safe_json import is_unsafe

LONGEST_TEXT = 10_000


def readable_text(text: str) -> str:
    """Without the control and direction characters that a paste may bring and a project file may not hold."""
    return "".join(letter for letter in text if letter == "\n" or not is_unsafe(letter))


class TextEdit(ValueEditor):
    """One line; an empty one is no text where the field may have none."""

    def __init__(self, place: Place, is_optional: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._is_optional = is_optional
        self._value: str | None = ""
        self.line = FieldLine(self)
        self.line.setMaxLength(LONGEST_TEXT)
        self.line.editingFinished.connect(self._on_editing_finished)
        self.line.given_up.connect(lambda: self.show_value(self._value))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.line)

    def show_value(self, value: Any) -> None:
        self._value = value
        text = value or ""
        if self.line.text() != text:
            self.line.show_text(text)
        self.line.settle()
        self._set_problem("")

    def kept_text(self) -> str:
        return self._value or ""

    def focus_widget(self) -> QWidget:
        return self.line

    def _on_editing_finished(self) -> None:
        text: str | None = readable_text(self.line.text()).strip()
        if self._is_optional and not text:
            text = None
        problem = self._place.check(text)
        self._set_problem(problem)
        if not problem and text != self._value:
            self._value = text
            self.line.settle()
            self.edited.emit("", text)

    def _set_problem(self, problem: str) -> None:
        self.line.mark_invalid(bool(problem))
        self.problem_changed.emit(problem)


class NotesEdit(ValueEditor):
    """Several lines, taken when the field is left."""

    is_wide = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value = ""
        self.box = QPlainTextEdit(self)
        self.box.setTabChangesFocus(True)
        self.box.setFixedHeight(self.box.fontMetrics().lineSpacing() * 5)
        self.box.installEventFilter(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.box)

    def show_value(self, value: Any) -> None:
        self._value = value
        if self.box.toPlainText() != value:
            self.box.setPlainText(value)

    def focus_widget(self) -> QWidget:
        return self.box

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_undo = event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
            if is_undo and self.box.toPlainText() == self._value:
                # Nothing is typed: it is the project's step that is to be undone.
                event.ignore()
                return True
        if event.type() == QEvent.Type.FocusOut:
            text = readable_text(self.box.toPlainText())[:LONGEST_TEXT]
            if text != self._value:
                self._value = text
                self.edited.emit("", text)
        return super().eventFilter(watched, event)
