"""Fields of text: a line that shows what can't be read, and longer text."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QStyle, QStyleOptionFrame, QToolTip, QWidget

from gpuplanner_gui.desktop.editors.base import Place, ValueEditor
from gpuplanner_gui.desktop.widgets.ask_why import from_inside_out
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.files.text import is_unsafe

TEXT_MARGIN = 2
"""Pixels that Qt leaves between a line's frame and its text."""


class CutLine(QLineEdit):
    """`QLineEdit` cuts a text in the middle of a letter; here it is seen that there is more."""

    def shown_text(self) -> str:
        """The text that fits while nobody types."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self._text_place().width())

    def is_cut(self) -> bool:
        return self.shown_text() != self.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or not self.text() or not self.is_cut():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        place, height = self._text_place(), self.fontMetrics().height()
        # Where Qt itself puts the line: rounded down, not up, it would jump when the field is entered.
        place = QRect(place.left(), place.top() + (place.height() - height + 1) // 2, place.width(), height)
        self.style().drawItemText(
            painter, place, Qt.AlignmentFlag.AlignLeft, self.palette(), self.isEnabled(), self.shown_text(),
            self.foregroundRole(),
        )  # fmt: skip
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.is_cut():
            help_text = next(filter(None, (one.toolTip() for one in from_inside_out(self))), "")
            whole = f"<span>{html.escape(self.text())}</span>"
            QToolTip.showText(event.globalPos(), f"{whole}<br><br>{help_text}" if help_text else whole, self)
            return True
        return super().event(event)

    def _text_place(self) -> QRect:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return inside.marginsRemoved(self.textMargins()).adjusted(TEXT_MARGIN, 0, -TEXT_MARGIN, 0)


Standard = QKeySequence.StandardKey


class FieldLine(CutLine):
    """Keeps to itself only what is being typed: Undo and Escape give it up, any other Undo or Redo is the window's.

    Left to itself, a line takes both keys and goes through its own texts, also where nothing was typed in it: the
    project would stay as it is, or get an edit more in place of one less.
    """

    given_up = Signal()
    left = Signal()

    is_invalid = False
    """Whether the text could not be taken."""
    _settled = ""

    @property
    def is_pending(self) -> bool:
        """Whether the text says something that was not taken yet."""
        return self.text() != self._settled

    def show_text(self, text: str) -> None:
        """Show what the project holds."""
        self.setText(text)
        self.setCursorPosition(0)
        self.setModified(False)
        self.settle()

    def settle(self) -> None:
        """The text was taken as it stands."""
        self._settled = self.text()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if self._gives_up(event):
                event.accept()
                return True
            if event.matches(Standard.Undo) or event.matches(Standard.Redo):
                event.ignore()
                return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._gives_up(event):
            self.given_up.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # editingFinished comes only if the text changed since it came last; a text that is still wrong needs more.
        self.left.emit()

    def _gives_up(self, event: QKeyEvent) -> bool:
        is_way_back = event.key() == Qt.Key.Key_Escape or event.matches(Standard.Undo)
        return is_way_back and self.is_pending

    def mark_invalid(self, is_invalid: bool) -> None:
        """Frame the line in the colour of errors, or as usual."""
        if is_invalid == self.is_invalid:
            return
        self.is_invalid = is_invalid
        self.setProperty("invalid", is_invalid)
        self.style().polish(self)


LONGEST_TEXT = 10_000


def readable_text(text: str) -> str:
    """The text without the control and direction characters that a paste may bring and a project file may not hold."""
    return "".join(letter for letter in text if letter == "\n" or not is_unsafe(letter))


class TypedEdit(ValueEditor):
    """A value that is typed into a line; says beside it what is wrong."""

    def __init__(self, place: Place, make: Callable[[QWidget], FieldLine]) -> None:
        super().__init__()
        self._place = place
        self._problem = ""
        self.line = make(self)
        self.line.editingFinished.connect(self._on_editing_finished)
        lay_out(QHBoxLayout(self), self.line, margins=(0, 0, 0, 0))

    def focus_widget(self) -> QWidget:
        return self.line

    def _on_editing_finished(self) -> None:
        """Take what was typed."""
        raise NotImplementedError

    def _set_problem(self, problem: str) -> None:
        if problem != self._problem:
            self._problem = problem
            self.line.mark_invalid(bool(problem))
            self.problem_changed.emit(problem)
            self._place.surroundings.problem_changed.emit()


class TextEdit(TypedEdit):
    """One line; an empty one is no text where the field may have none."""

    def __init__(self, place: Place, is_optional: bool = False) -> None:
        super().__init__(place, FieldLine)
        self._is_optional = is_optional
        self._value: str | None = ""
        self.line.setMaxLength(LONGEST_TEXT)
        self.line.given_up.connect(lambda: self.show_value(self._value))

    def show_value(self, value: Any) -> None:
        self._value = value
        text = value or ""
        if self.line.text() != text:
            self.line.show_text(text)
        self.line.settle()
        self._set_problem("")

    def kept_text(self) -> str:
        return self._value or ""

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


class NotesEdit(ValueEditor):
    """Several lines, taken when the field is left."""

    is_wide = True

    def __init__(self) -> None:
        super().__init__()
        self._value = ""
        self.box = QPlainTextEdit(self)
        self.box.setTabChangesFocus(True)
        self.box.setFixedHeight(self.box.fontMetrics().lineSpacing() * 5)
        self.box.installEventFilter(self)
        lay_out(QHBoxLayout(self), self.box, margins=(0, 0, 0, 0))

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
