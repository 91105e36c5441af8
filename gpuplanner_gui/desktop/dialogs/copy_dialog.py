"""A dialog that edits a copy: what its keys and buttons do, and what it asks before edits are lost."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QPushButton, QWidget

from gpuplanner_gui.desktop.editors.unread import unread_in, unread_text
from gpuplanner_gui.desktop.widgets.questions import may_give_up_edits

CHECK_AFTER_MS = 60


class CopyDialog(QDialog):
    """Edits a copy: Enter ends a field and not the dialog, and what was entered is given up only when asked."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.check_soon = QTimer(self, singleShot=True, interval=CHECK_AFTER_MS)
        self.check_soon.timeout.connect(self.check)

    def add_buttons(self, take: str) -> QDialogButtonBox:
        """The one that takes the copy, `self.take`, and the one that gives it up."""
        buttons = QDialogButtonBox()
        self.take = buttons.addButton(take, QDialogButtonBox.ButtonRole.AcceptRole)
        for button in (self.take, buttons.addButton(QDialogButtonBox.StandardButton.Cancel)):
            button.setAutoDefault(False)
        buttons.accepted.connect(self._on_accepted)
        buttons.rejected.connect(self.reject)
        return buttons

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        # Shown just before, the box has made it the one that Enter presses in any field.
        self.take.setDefault(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the button that has the focus."""
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focused, QPushButton):
            focused.click()
        else:
            super().keyPressEvent(event)

    def is_changed(self) -> bool:
        raise NotImplementedError

    def check(self) -> None:
        """Say what is wrong, which keeps the copy from being taken."""
        raise NotImplementedError

    def show_problem(self, label: QLabel, problem: str) -> None:
        """Say it, or what is typed and can't be read, and let neither be taken."""
        problem = problem or unread_text(unread_in(self))
        label.setText(problem)
        label.setVisible(bool(problem))
        self.take.setEnabled(not problem)

    def end_typing(self) -> None:
        """Take what is typed in the focused field as an edit too."""
        field = self.focusWidget()
        if field is not None:
            field.clearFocus()

    def reject(self) -> None:
        """Close, unless edits would be lost that the planner wants to keep."""
        self.end_typing()
        if not (self.is_changed() or unread_in(self)) or may_give_up_edits(self):
            super().reject()

    def _on_accepted(self) -> None:
        self.end_typing()
        self.check()
        if self.take.isEnabled():
            self.accept()
