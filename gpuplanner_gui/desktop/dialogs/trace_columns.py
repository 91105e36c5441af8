"""Which columns of a table hold the requests, asked where the headings do not say; the first rows help to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.dialogs.columns_dialog import ColumnsDialog, plain_table, wrapped_text
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.files.traces import ColumnNames, TraceHead

TRACE_SIZE = (640, 490)
NEEDED = ("time", "prompt", "output")


def part_words() -> dict[str, str]:
    """What a row says of a request."""
    return {
        "time": tr("Time of the request"),
        "prompt": tr("Tokens of the prompt"),
        "output": tr("Tokens of the answer"),
        "cached": tr("Prompt tokens found in the cache"),
        "session": tr("Session or conversation"),
    }


def unit_words() -> dict[str, str]:
    """Units of times that are plain numbers."""
    return {
        "auto": tr("as the heading says, else seconds"),
        "s": tr("seconds"),
        "ms": tr("milliseconds"),
        "us": tr("microseconds"),
        "ns": tr("nanoseconds"),
    }


class TraceColumnsDialog(ColumnsDialog):
    """A choice for each part of a request; the table below shows what the columns hold. Hands on `ColumnNames`."""

    prices_meant = Signal()
    """The table holds no requests but prices."""
    measurements_meant = Signal()
    """The table holds no requests but results of benchmarks."""

    def __init__(self, head: TraceHead, parent: QWidget | None = None) -> None:
        super().__init__(tr("Columns of the trace"), parent)
        self.resize(*TRACE_SIZE)
        self._head = head
        self.choices = {part: self._choice(part, words) for part, words in part_words().items()}
        self.unit = QComboBox()
        self.unit.setAccessibleName(tr("Unit of the time"))
        for unit, words in unit_words().items():
            self.unit.addItem(words, unit)
        self.prices_button = QPushButton(tr("It is a &price list…"))
        self.prices_button.setAutoDefault(False)
        self.prices_button.clicked.connect(self._on_prices)
        self.buttons.addButton(self.prices_button, QDialogButtonBox.ButtonRole.ResetRole)
        self.measurements_button = QPushButton(tr("It holds &measurements…"))
        self.measurements_button.setAutoDefault(False)
        self.measurements_button.clicked.connect(self._on_measurements)
        self.buttons.addButton(self.measurements_button, QDialogButtonBox.ButtonRole.ResetRole)
        self.rows = _table(head)
        self._lay_out()
        self.follow()
        self.begin()

    def choices_made(self) -> tuple[object, ...]:
        return tuple(box.currentData() for box in (*self.choices.values(), self.unit))

    def _on_prices(self) -> None:
        self.done(QDialog.DialogCode.Rejected)
        self.prices_meant.emit()

    def _on_measurements(self) -> None:
        self.done(QDialog.DialogCode.Rejected)
        self.measurements_meant.emit()

    def _choice(self, part: str, words: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(words)
        box.addItem(tr("choose…") if part in NEEDED else tr("not in the table"), "")
        for heading in self._head.headings:
            if heading:
                box.addItem(heading, heading)
        box.setCurrentIndex(max(box.findData(self._head.usual.get(part, "")), 0))
        box.currentIndexChanged.connect(self.follow)
        return box

    def _lay_out(self) -> None:
        lead = wrapped_text(
            tr("The headings of {name} do not say which columns hold the requests.").format(name=self._head.path.name)
        )
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for part, words in part_words().items():
            if part == "time":
                row = lay_out(QHBoxLayout(), (self.choices[part], 1), QLabel(tr("in")), self.unit)
                form.addRow(words, row)
            else:
                form.addRow(words, self.choices[part])
        lay_out(QVBoxLayout(self), lead, form, (self.rows, 1), self.problem, self.buttons, spacing=10)

    def obstacle(self) -> str:
        words = part_words()
        taken: dict[str, str] = {}
        for part, box in self.choices.items():
            heading = box.currentData()
            if not heading and part in NEEDED:
                return tr("Choose the column for: {part}.").format(part=words[part])
            if heading in taken:
                return tr("{first} and {second} can't both be in {heading}.").format(
                    first=words[taken[heading]], second=words[part], heading=heading
                )
            if heading:
                taken[heading] = part
        return ""

    def columns(self) -> ColumnNames:
        from gpuplanner_gui.files.traces import ColumnNames

        named = {part: box.currentData() for part, box in self.choices.items()}
        return ColumnNames(**named, time_unit=self.unit.currentData())


def _table(head: TraceHead) -> QTableWidget:
    table = plain_table(len(head.rows), list(head.headings), tr("First rows of the table"))
    for number, row in enumerate(head.rows):
        for column, text in enumerate(row):
            table.setItem(number, column, QTableWidgetItem(text))
    table.resizeColumnsToContents()
    return table
