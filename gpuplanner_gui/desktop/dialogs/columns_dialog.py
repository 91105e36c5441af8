"""What dialogs share that ask what the columns of a table hold: what is wrong, giving up, and how tables look."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QDialog, QDialogButtonBox, QLabel, QPushButton, QTableWidget, QWidget

from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.questions import may_give_up_edits
from gpuplanner_gui.desktop.widgets.tables import make_quiet
from gpuplanner_gui.drawing.language import tr


class ColumnsDialog(QDialog):
    """Imports by one button, which is there to press while nothing stands in the way."""

    chosen = Signal(object)
    """What the columns hold, as the import takes it."""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.problem = wrapped_text("")
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.import_button = QPushButton(tr("&Import"))
        self.import_button.setDefault(True)
        self.buttons.addButton(self.import_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._at_first: tuple[object, ...] = ()

    def reject(self) -> None:
        """Close, unless choices would be lost that the planner wants to keep."""
        if self.choices_made() == self._at_first or may_give_up_edits(self):
            super().reject()

    def accept(self) -> None:
        """Hand the choice on."""
        if self.obstacle():
            return
        self.chosen.emit(self.columns())
        super().accept()

    def choices_made(self) -> tuple[object, ...]:
        """What every box says."""
        raise NotImplementedError

    def obstacle(self) -> str:
        """What still stands in the way; empty where nothing does."""
        raise NotImplementedError

    def columns(self) -> object:
        """What is handed on."""
        raise NotImplementedError

    def begin(self) -> None:
        """What is chosen now is what may be given up without a question."""
        self._at_first = self.choices_made()

    def follow(self) -> None:
        """Say what stands in the way."""
        obstacle = self.obstacle()
        self.problem.setText(obstacle)
        self.import_button.setEnabled(not obstacle)


def wrapped_text(words: str) -> QLabel:
    """Plain text, which may come from a file."""
    label = plain_label(words, wraps=True)
    return label


def plain_table(rows: int, headings: list[str], name: str) -> QTableWidget:
    """A table to look at; `name` is what a screen reader says of it."""
    table = QTableWidget(rows, len(headings))
    table.setAccessibleName(name)
    table.setHorizontalHeaderLabels(headings)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
    make_quiet(table)
    table.setFrameShape(QTableWidget.Shape.StyledPanel)
    table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    return table
