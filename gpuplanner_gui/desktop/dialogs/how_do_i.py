"""Help › How Do I: the commonest tasks with their steps, and a button that goes to where the first one begins."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QListWidget, QPushButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.layouts import STRETCH, lay_out
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.tasks import TASKS, Task

TASKS_SIZE = (760, 420)
TASKS_WIDTH = 330


class HowDoIDialog(QDialog):
    """Stays open beside the window, so that steps can be read while they are done."""

    wanted = Signal(str)
    """What a task begins with: a command, or `page:` and a page's name."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("how_do_i")
        self.setWindowTitle(tr("How do I …"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Tasks"))
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setWordWrap(True)
        self.list.setFixedWidth(TASKS_WIDTH)
        self.list.addItems([tr(task.question) for task in TASKS])
        self.title = plain_label(name="partTitle", wraps=True)
        self.steps = plain_label(wraps=True)
        self.steps.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.show_me = QPushButton(tr("&Show me"))
        self.show_me.setToolTip(tr("Go to where the first step is done"))
        self.show_me.clicked.connect(lambda: self.wanted.emit(self.task().opens))
        right = lay_out(
            QVBoxLayout(), self.title, self.steps, STRETCH, (self.show_me, 0, Qt.AlignmentFlag.AlignRight),
            margins=(12, 12, 12, 12), spacing=12,
        )  # fmt: skip
        lay_out(QHBoxLayout(self), self.list, (right, 1), margins=(8, 8, 0, 0))
        self.list.currentRowChanged.connect(self._show)
        self.list.setCurrentRow(0)
        self.resize(*TASKS_SIZE)

    def task(self) -> Task:
        return TASKS[max(self.list.currentRow(), 0)]

    def _show(self, _row: int) -> None:
        task = self.task()
        self.title.setText(tr("How do I {question}").format(question=tr(task.question)))
        self.steps.setText("\n\n".join(f"{number}. {tr(step)}" for number, step in enumerate(task.steps, 1)))
