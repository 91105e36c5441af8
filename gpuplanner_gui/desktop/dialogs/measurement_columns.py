"""What the columns of a table hold, measurements or recorded traffic, asked where its headings do not say."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.questions import may_give_up_edits
from gpuplanner_gui.desktop.widgets.tables import make_quiet
from gpuplanner_gui.desktop.widgets.theme import choice_box
from gpuplanner_gui.domain.measurement import QUANTITIES
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.calibration import field_title, quantity_title

if TYPE_CHECKING:
    from gpuplanner_gui.files.measurements import TableHead
    from gpuplanner_gui.files.traces import ColumnNames, TraceHead


class ColumnsDialog(QDialog):
    """Imports by one button, which is there to press while nothing stands in the way."""

    chosen = Signal(object)
    """What the columns hold, as the import takes it."""

    def __init__(self, title: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.problem = plain_label(wraps=True)
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
        """The texts of all boxes."""
        raise NotImplementedError

    def obstacle(self) -> str:
        """What still prevents the import; empty if nothing does."""
        raise NotImplementedError

    def columns(self) -> object:
        """The chosen columns, as the import takes them."""
        raise NotImplementedError

    def begin(self) -> None:
        """Take the present choices as unchanged: leaving them asks no question."""
        self._at_first = self.choices_made()

    def follow(self) -> None:
        """Say what stands in the way."""
        obstacle = self.obstacle()
        self.problem.setText(obstacle)
        self.import_button.setEnabled(not obstacle)


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


TRACE_SIZE = (640, 490)
NEEDED = ("time", "prompt", "output")


def part_words() -> dict[str, str]:
    """The name of a part of a request, as its row shows it."""
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
        "auto": tr("from the heading, otherwise seconds"),
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
        self.unit = choice_box(unit_words().items(), tr("Unit of the time"))
        self.prices_button = self._way_out(tr("Import as &price list…"), self.prices_meant)
        self.measurements_button = self._way_out(tr("Import as &measurements…"), self.measurements_meant)
        self.rows = _table(head)
        self._lay_out()
        self.follow()
        self.begin()

    def choices_made(self) -> tuple[object, ...]:
        return tuple(box.currentData() for box in (*self.choices.values(), self.unit))

    def _way_out(self, words: str, meant: SignalInstance) -> QPushButton:
        """A button that says that the table holds something else."""
        button = QPushButton(words)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: self.done(QDialog.DialogCode.Rejected))
        button.clicked.connect(lambda: meant.emit())
        self.buttons.addButton(button, QDialogButtonBox.ButtonRole.ResetRole)
        return button

    def _choice(self, part: str, words: str) -> QComboBox:
        none = tr("choose…") if part in NEEDED else tr("none")
        box = choice_box([("", none), *((one, one) for one in self._head.headings if one)], words)
        box.setCurrentIndex(max(box.findData(self._head.usual.get(part, "")), 0))
        box.currentIndexChanged.connect(self.follow)
        return box

    def _lay_out(self) -> None:
        lead = plain_label(
            wraps=True,
            text=tr("The headings of {name} do not identify the columns of the requests. Choose them below.").format(
                name=self._head.path.name
            ),
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
                return tr("{first} and {second} cannot use the same column, {heading}.").format(
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


class MeasurementColumnsDialog(ColumnsDialog):
    """A row for each column: its heading, its first values, and what it holds. Hands on headings by what they hold."""

    def __init__(self, name: str, head: TableHead, parent: QWidget | None = None) -> None:
        super().__init__(tr("Columns of the measurements"), parent)
        self._head = head
        self.places = [place for place, heading in enumerate(head.headings) if heading]
        self.holds = [self._holds(head.headings[place]) for place in self.places]
        self.statistics = [self._statistic(head.headings[place]) for place in self.places]
        self.units = [self._unit(head.headings[place]) for place in self.places]
        self.table = self._table()
        self._lay_out(name)
        for row, box in enumerate(self.holds):
            box.currentIndexChanged.connect(lambda _, row=row: self._on_meaning(row))
            self.statistics[row].currentIndexChanged.connect(self.follow)
            self._on_meaning(row)
        self._in_order()
        self.begin()

    def columns(self) -> dict[str, str]:
        columns = {meaning: self._head.headings[place] for meaning, place in zip(self._meanings(), self.places)}
        columns.pop("", None)
        return columns

    def _lay_out(self, name: str) -> None:
        lead = plain_label(
            wraps=True,
            text=tr(
                "The headings of {name} do not identify the measurements. Choose the content of each column to import."
            ).format(name=name),
        )
        lay_out(QVBoxLayout(self), lead, (self.table, 1), self.problem, self.buttons, spacing=10)
        width, height = FIRST_SIZE
        scale = self.fontMetrics().height() / 16
        self.resize(round(width * max(scale, 1.0)), height)

    def _table(self) -> QTableWidget:
        headings = [tr("Column"), tr("First values"), tr("Content"), tr("Statistic"), tr("Unit")]
        table = plain_table(len(self.places), headings, tr("Columns of the table"))
        # The choices in its cells have the keyboard, one after the other.
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for row, place in enumerate(self.places):
            values = ", ".join(cells[place] for cells in self._head.rows[:MOST_VALUES])
            for column, text in ((HEADING, self._head.headings[place]), (VALUES, values)):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                table.setItem(row, column, item)
            for column, box in ((HOLDS, self.holds[row]), (STATISTIC, self.statistics[row]), (UNIT, self.units[row])):
                table.setCellWidget(row, column, _held(box))
        header = table.horizontalHeader()
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

        quantities = ((quantity, quantity_title(quantity)) for quantity in QUANTITIES)
        box = _box(tr("Content of {heading}"), heading, [("", tr("not used")), *quantities])
        box.insertSeparator(box.count())
        for name in FIELDS:
            box.addItem(field_title(name), name)
        box.setCurrentIndex(max(box.findData(meaning_of(heading).removesuffix("_as_written")), 0))
        return box

    def _statistic(self, heading: str) -> QComboBox:
        choices = ((statistic, statistic_words(statistic)) for statistic in STATISTICS)
        box = _box(tr("Statistic of {heading}"), heading, choices)
        found = next((name for name in STATISTICS[1:] if name in heading.lower().replace("median", "p50")), "mean")
        box.setCurrentIndex(box.findData(found))
        return box

    def _unit(self, heading: str) -> QComboBox:
        """The choice of units; filled with every unit at first, so that its width suits them all."""
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
        self.follow()

    def _meanings(self) -> list[str]:
        """What each column holds, as `--columns` spells it; empty for one that is not used."""
        made = []
        for holds, statistic, unit in zip(self.holds, self.statistics, self.units):
            what = holds.currentData() or ""
            parts = (what, statistic.currentData(), unit.currentData()) if what in QUANTITIES else (what,)
            made.append("_".join(part for part in parts if part))
        return made

    def obstacle(self) -> str:
        if not any(box.currentData() in QUANTITIES for box in self.holds):
            return tr("Choose at least one column with a measurement, such as TTFT or step time.")
        taken: dict[str, str] = {}
        for meaning, place, box in zip(self._meanings(), self.places, self.holds):
            heading = self._head.headings[place]
            if meaning and meaning in taken:
                return tr("{first} and {second} cannot both be {what}.").format(
                    first=taken[meaning], second=heading, what=box.currentText()
                )
            taken[meaning] = heading
        return ""

    def choices_made(self) -> tuple[object, ...]:
        return tuple(box.currentData() for box in (*self.holds, *self.statistics, *self.units))


def _held(box: QComboBox) -> QWidget:
    """The box in a widget of its own: a table shows what stands in its cells again and again, also what is hidden."""
    holder = QWidget()
    lay_out(QHBoxLayout(holder), box, margins=(CELL_MARGIN, 1, CELL_MARGIN, 1))
    return holder


def _box(words: str, heading: str, choices: Iterable[tuple[str, str]] = ()) -> QComboBox:
    """A choice in a row of the table; turning the wheel scrolls the table, not the choice."""
    box = choice_box(choices, words.format(heading=heading))
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return box
