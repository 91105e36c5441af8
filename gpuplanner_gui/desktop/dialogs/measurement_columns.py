"""What the columns of a table of measurements hold, asked where its headings do not say; first values help to tell."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.dialogs.columns_dialog import ColumnsDialog, plain_table, wrapped_text
from gpuplanner_gui.desktop.editors.base import CalmComboBox
from gpuplanner_gui.desktop.widgets.layouts import lay_out
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
        lead = wrapped_text(
            tr("The headings of {name} do not say what was measured. Choose it for each column that counts.").format(
                name=name
            )
        )
        lay_out(QVBoxLayout(self), lead, (self.table, 1), self.problem, self.buttons, spacing=10)
        width, height = FIRST_SIZE
        scale = self.fontMetrics().height() / 16
        self.resize(round(width * max(scale, 1.0)), height)

    def _table(self) -> QTableWidget:
        headings = [tr("Column"), tr("First values"), tr("Holds"), tr("Statistic"), tr("Unit")]
        table = plain_table(len(self.places), headings, tr("Columns of the table"))
        # The choices in its cells have the keyboard, one after the other.
        table.setTabKeyNavigation(False)
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

    def choices_made(self) -> tuple[object, ...]:
        return tuple(box.currentData() for box in (*self.holds, *self.statistics, *self.units))


def _held(box: QComboBox) -> QWidget:
    """In a widget of its own: a table shows what stands in its cells again and again, also what is hidden."""
    holder = QWidget()
    lay_out(QHBoxLayout(holder), box, margins=(CELL_MARGIN, 1, CELL_MARGIN, 1))
    return holder


def _box(words: str, heading: str) -> QComboBox:
    """A choice in a row of the table; turning the wheel scrolls the table, not the choice."""
    box = CalmComboBox()
    box.setAccessibleName(words.format(heading=heading))
    box.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    return box
