"""What the columns of a table of measurements hold, asked where its headings do not say; first values help to tell."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import CalmComboBox
from gpuplanner_gui.desktop.questions import may_give_up_edits
from gpuplanner_gui.desktop.views.table_style import make_quiet
from gpuplanner_gui.domain.measurement import QUANTITIES
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.calibration import field_title, quantity_title

if TYPE_CHECKING:
    from gpuplanner_gui.files.measurements import TableHead

FIRST_SIZE = (760, 480)
MOST_VALUES = 3
CELL_MARGIN = 3
HEADING, VALUES, HOLDS, STATISTIC, UNIT = range(5)
STATISTICS = ("mean", "p50", "p90", "p95", "p99", "min", "max")
UNITS: dict[str, tuple[str, ...]] = {
    "s": ("ms", "s", "us", "ns"),
    "bytes": ("gib", "gb", "mib", "mb", ""),
    "B/s": ("gb_s", ""),
    "FLOP/s": ("tflops", ""),
    "W": ("w", "kw"),
    "share": ("percent", ""),
}
"""Units that a column of a quantity may have, by the quantity's own, the usual one first; others have none."""
UNIT_SYMBOLS = {
    "ms": "ms", "s": "s", "us": "µs", "ns": "ns", "gib": "GiB", "gb": "GB", "mib": "MiB", "mb": "MB", "gb_s": "GB/s",
    "tflops": "TFLOP/s", "w": "W", "kw": "kW", "percent": "%",
}  # fmt: skip
FIELDS = (
    "model", "accelerator", "devices", "weight_precision", "engine", "engine_version", "concurrency", "rate_per_s",
    "prompt_tokens", "output_tokens", "load", "requests", "duration_s", "tensor_parallel", "pipeline_parallel",
    "data_parallel", "expert_parallel", "context_parallel", "sequence_length", "global_batch", "micro_batch",
    "kv_precision", "operation", "message_bytes", "measured_on",
)  # fmt: skip
"""Parts of the context that a column may hold, those of most tables first."""


def statistic_words(statistic: str) -> str:
    """`p95` is said alike everywhere."""
    return {"mean": tr("mean"), "p50": tr("median"), "min": tr("least"), "max": tr("most")}.get(statistic, statistic)


class MeasurementColumnsDialog(QDialog):
    """A row for each column: its heading, its first values, and what it holds."""

    chosen = Signal(object)
    """Headings by what they hold, as `import_file` takes them."""

    def __init__(self, name: str, head: TableHead, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Columns of the measurements"))
        self._head = head
        self.places = [place for place, heading in enumerate(head.headings) if heading]
        self.holds = [self._holds(head.headings[place]) for place in self.places]
        self.statistics = [self._statistic(head.headings[place]) for place in self.places]
        self.units = [self._unit(head.headings[place]) for place in self.places]
        self.table = self._table()
        self.problem = QLabel()
        self.problem.setTextFormat(Qt.TextFormat.PlainText)
        self.problem.setWordWrap(True)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.import_button = QPushButton(tr("&Import"))
        self.import_button.setDefault(True)
        self.buttons.addButton(self.import_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._lay_out(name)
        for row, box in enumerate(self.holds):
            box.currentIndexChanged.connect(lambda _, row=row: self._on_meaning(row))
            self.statistics[row].currentIndexChanged.connect(self._follow)
            self._on_meaning(row)
        self._in_order()
        self._at_first = self._state()

    def reject(self) -> None:
        """Close, unless choices would be lost that the planner wants to keep."""
        if self._state() == self._at_first or may_give_up_edits(self):
            super().reject()

    def accept(self) -> None:
        """Hand the choice on."""
        if self._problem():
            return
        columns = {meaning: self._head.headings[place] for meaning, place in zip(self._meanings(), self.places)}
        columns.pop("", None)
        self.chosen.emit(columns)
        super().accept()

    def _lay_out(self, name: str) -> None:
        lead = QLabel(
            tr("The headings of {name} do not say what was measured. Choose it for each column that counts.").format(
                name=name
            )
        )
        lead.setTextFormat(Qt.TextFormat.PlainText)
        lead.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(lead)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.problem)
        layout.addWidget(self.buttons)
        width, height = FIRST_SIZE
        scale = self.fontMetrics().height() / 16
        self.resize(round(width * max(scale, 1.0)), height)

    def _table(self) -> QTableWidget:
        table = QTableWidget(len(self.places), UNIT + 1)
        table.setAccessibleName(tr("Columns of the table"))
        table.setHorizontalHeaderLabels(
            [tr("Column"), tr("First values"), tr("Holds"), tr("Statistic"), tr("Unit")]
        )  # fmt: skip
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        # The choices in its cells have the keyboard, one after the other.
        table.setTabKeyNavigation(False)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        make_quiet(table)
        table.setFrameShape(QTableWidget.Shape.StyledPanel)
        for row, place in enumerate(self.places):
            values = ", ".join(cells[place] for cells in self._head.rows[:MOST_VALUES])
            for column, text in ((HEADING, self._head.headings[place]), (VALUES, values)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                table.setItem(row, column, item)
            for column, box in ((HOLDS, self.holds[row]), (STATISTIC, self.statistics[row]), (UNIT, self.units[row])):
                table.setCellWidget(row, column, _held(box))
        header = table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column in (HEADING, VALUES):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        for column, boxes in ((HOLDS, self.holds), (STATISTIC, self.statistics), (UNIT, self.units)):
            widest = max(box.sizeHint().width() for box in boxes)
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, max(widest + 2 * CELL_MARGIN, header.sectionSizeHint(column)))
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        return table

    def _holds(self, heading: str) -> QComboBox:
        from gpuplanner_gui.files.measurements.table import meaning_of

        box = _box(tr("What {heading} holds"), heading)
        box.addItem(tr("not used"), "")
        for quantity in QUANTITIES:
            box.addItem(quantity_title(quantity), quantity)
        box.insertSeparator(box.count())
        for name in FIELDS:
            box.addItem(field_title(name), name)
        box.setCurrentIndex(max(box.findData(meaning_of(heading).removesuffix("_as_written")), 0))
        return box

    def _statistic(self, heading: str) -> QComboBox:
        box = _box(tr("Statistic of {heading}"), heading)
        for statistic in STATISTICS:
            box.addItem(statistic_words(statistic), statistic)
        found = next((name for name in STATISTICS[1:] if name in heading.lower().replace("median", "p50")), "mean")
        box.setCurrentIndex(box.findData(found))
        return box

    def _unit(self, heading: str) -> QComboBox:
        """With every unit for now, so that its width suits them all."""
        box = _box(tr("Unit of {heading}"), heading)
        box.addItems([*UNIT_SYMBOLS.values(), *(kind.unit for kind in QUANTITIES.values())])
        return box

    def _in_order(self) -> None:
        """The keyboard goes through the table row by row."""
        boxes = [box for row in zip(self.holds, self.statistics, self.units) for box in row]
        for before, after in itertools.pairwise(boxes):
            self.setTabOrder(before, after)
        self.setTabOrder(boxes[-1], self.import_button)
        boxes[0].setFocus()

    def _on_meaning(self, row: int) -> None:
        """Statistic and unit are asked of figures alone."""
        quantity = self.holds[row].currentData()
        units = UNITS.get(QUANTITIES[quantity].unit, ("",)) if quantity in QUANTITIES else ("",)
        box = self.units[row]
        box.clear()
        for unit in units:
            box.addItem(UNIT_SYMBOLS.get(unit, QUANTITIES[quantity].unit if quantity in QUANTITIES else ""), unit)
        box.setVisible(quantity in QUANTITIES)
        self.statistics[row].setVisible(quantity in QUANTITIES)
        self._follow()

    def _follow(self) -> None:
        problem = self._problem()
        self.problem.setText(problem)
        self.import_button.setEnabled(not problem)

    def _meanings(self) -> list[str]:
        """What each column holds, as `--columns` spells it; empty for one that is not used."""
        made = []
        for holds, statistic, unit in zip(self.holds, self.statistics, self.units):
            what = holds.currentData() or ""
            parts = (what, statistic.currentData(), unit.currentData()) if what in QUANTITIES else (what,)
            made.append("_".join(part for part in parts if part))
        return made

    def _problem(self) -> str:
        """What still stands in the way; empty where nothing does."""
        if not any(box.currentData() in QUANTITIES for box in self.holds):
            return tr("Choose at least one column that holds a figure, such as TTFT or step time.")
        taken: dict[str, str] = {}
        for meaning, place, box in zip(self._meanings(), self.places, self.holds):
            heading = self._head.headings[place]
            if meaning and meaning in taken:
                return tr("{first} and {second} can't both hold {what}.").format(
                    first=taken[meaning], second=heading, what=box.currentText()
                )
            taken[meaning] = heading
        return ""

    def _state(self) -> tuple[object, ...]:
        return tuple(box.currentData() for box in (*self.holds, *self.statistics, *self.units))


def _held(box: QComboBox) -> QWidget:
    """In a widget of its own: a table shows what stands in its cells again and again, also what is hidden."""
    holder = QWidget()
    layout = QHBoxLayout(holder)
    layout.setContentsMargins(CELL_MARGIN, 1, CELL_MARGIN, 1)
    layout.addWidget(box)
    return holder


def _box(words: str, heading: str) -> QComboBox:
    """A choice in a row of the table; turning the wheel scrolls the table, not the choice."""
    box = CalmComboBox()
    box.setAccessibleName(words.format(heading=heading))
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return box
