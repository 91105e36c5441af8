"""A line of text in a form, whose undo is the project's."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence

from gpuplanner_gui.desktop.editors.cut_line import CutLine

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
        self.is_invalid = is_invalid
        self.setProperty("invalid", is_invalid)
        self.style().polish(self)
