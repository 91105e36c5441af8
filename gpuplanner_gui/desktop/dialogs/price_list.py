"""What a price list or a catalogue pack would change, to be looked at before it counts."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLineEdit,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.dialogs.copy_dialog import CopyDialog
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.flow_layout import FlowLayout, clear, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.rows_table import RowsModel, RowsTable
from gpuplanner_gui.desktop.widgets.tables import IndexedTableModel, TableColumn, make_quiet, sample_width
from gpuplanner_gui.desktop.widgets.theme import choice_box, icon, search_line
from gpuplanner_gui.domain.catalog import Catalog, CatalogKind, Pack
from gpuplanner_gui.domain.price import PRICE_TERMS, PriceRow, PriceTerm
from gpuplanner_gui.domain.quantity import Currency
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_number
from gpuplanner_gui.drawing.words.pack import HEADINGS as PACK_HEADINGS
from gpuplanner_gui.drawing.words.pack import note_text, pack_title, rows_that_hold
from gpuplanner_gui.drawing.words.price_list import (
    FIELD_WORDS,
    PRICE_HEADINGS,
    TERM_WORDS,
    has_remark,
    row_cells,
    rows_summary,
)
from gpuplanner_gui.files.price_list import (
    PRICE_FIELDS,
    PriceField,
    PriceTable,
    currencies_of,
    guessed_reading,
    price_rows,
    stated_by,
)

PACK_SIZE = (1000, 520)
LONGEST_NOTES = 400
"""Characters that leave the table its room; `gpuplanner pack show` prints all."""
WIDEST_COLUMN = 320
FIRST_VALUE_COLUMN = PACK_HEADINGS.index("Now")


class PackDialog(QDialog):
    """Who issued and signed the pack, and every change; accepting it applies nothing by itself."""

    def __init__(
        self, pack: Pack, lines: Sequence[str], rows: Sequence[tuple[str, ...]], has_effect: bool, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pack")
        self.setWindowTitle(tr("Import catalogue pack"))
        title = plain_label(pack_title(pack), wraps=True, name="partTitle")
        self.model = RowsModel()
        self._rows = rows
        self.filter = search_line(tr("Show only changes that contain…"), self)
        self.filter.textChanged.connect(self._show_rows)
        self._show_rows()
        self.table = RowsTable(tr("Changes"), self, self.model)
        self.table.setFrameShape(self.table.Shape.StyledPanel)
        header = self.table.horizontalHeader()
        header.setResizeContentsPrecision(50)
        header.setMaximumSectionSize(WIDEST_COLUMN)
        for column in range(FIRST_VALUE_COLUMN):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)
        for column in range(FIRST_VALUE_COLUMN, len(PACK_HEADINGS)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        keeps = plain_label(
            tr(
                "Projects keep the saved figures of devices that they recommend or name. Other devices use the "
                "new figures, so the recommendation may change."
            ),
            wraps=True,
        )
        buttons = QDialogButtonBox()
        self.apply = buttons.addButton(tr("&Use pack"), QDialogButtonBox.ButtonRole.AcceptRole)
        self.apply.setEnabled(has_effect)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel).setDefault(True)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = lay_out(QVBoxLayout(self), title, spacing=8)
        for line in filter(None, (*lines, note_text(pack, LONGEST_NOTES))):
            layout.addWidget(plain_label(line, wraps=True))
        layout.addWidget(self.filter)
        layout.addWidget(self.table, 1)
        layout.addWidget(keeps)
        layout.addWidget(buttons)
        self.resize(*PACK_SIZE)

    def _show_rows(self) -> None:
        columns = tuple(Column(tr(one)) for one in PACK_HEADINGS)
        self.model.show_rows(Rows(columns, rows_that_hold(self._rows, self.filter.text().strip())))


_SAMPLES = (
    "88 888", "RTX PRO 6000 Blackwell", "Reserved 3 years, per h", "888 888 USD", "$888 888", "2026-10-10",
    "Provider name", "",
)  # fmt: skip
_NUMBERS = (0, 3, 4)


class PriceRowsModel(IndexedTableModel):
    """A row's cells are made when they are looked at: a long list costs nothing."""

    columns = tuple(TableColumn(title, is_number=place in _NUMBERS) for place, title in enumerate(PRICE_HEADINGS))

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[PriceRow, ...] = ()
        self._catalog = Catalog()
        self._only_remarks = False

    def show_rows(self, rows: tuple[PriceRow, ...], catalog: Catalog) -> None:
        self._rows, self._catalog = rows, catalog
        self.refresh()

    def show_only_remarks(self, only: bool) -> None:
        self._only_remarks = only
        self.refresh()

    def source_order(self) -> NDArray[np.int64]:
        shown = (place for place, row in enumerate(self._rows) if not self._only_remarks or has_remark(row))
        return np.fromiter(shown, dtype=np.int64)

    def texts_of(self, source: int) -> Sequence[str]:
        return row_cells(self._rows[source], self._catalog)

    def more_data(self, source: int, column: int, role: int) -> Any:
        row, is_last = self._rows[source], column == len(PRICE_HEADINGS) - 1
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tool_tip(self.texts_of(source)[column])
        if role == Qt.ItemDataRole.ForegroundRole and row.fault is not None:
            palette = QGuiApplication.palette()
            return theme.tone(theme.ERROR, palette) if is_last else palette.color(QPalette.ColorRole.PlaceholderText)
        if role == Qt.ItemDataRole.DecorationRole and is_last:
            return icon("error") if row.fault is not None else icon("warning") if has_remark(row) else None
        return None


def price_rows_table(model: PriceRowsModel, parent: QWidget) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(tr("Rows of the price list"))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    make_quiet(table)
    table.setFrameShape(QTableView.Shape.StyledPanel)
    table.setWordWrap(False)
    header = table.horizontalHeader()
    metrics = table.fontMetrics()
    for place, sample in enumerate(_SAMPLES):
        wide = max(sample_width(metrics, sample), metrics.horizontalAdvance(tr(PRICE_HEADINGS[place])))
        header.resizeSection(place, wide + 24)
    return table


FIRST_SIZE = (1080, 640)
COLUMNS_BESIDE = 4
NEEDED: tuple[PriceField, ...] = ("device", "price")
EXAMPLE_ROWS, LONGEST_EXAMPLE = 20, 24
BESIDE_TYPED = 28
"""Pixels of a field's width beside its text."""


class PriceListDialog(CopyDialog):
    """Nothing counts before it is accepted; `stated()` is what to save."""

    def __init__(
        self, table: PriceTable, catalog: Catalog, rates: Mapping[str, float], today: datetime.date, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName("price_list")
        self.setWindowTitle(tr("Import price list"))
        self._table = table
        self._catalog = catalog
        self._today = today
        self._known_rates = {code: f"{rate:g}" for code, rate in rates.items()}
        self._reading = guessed_reading(table)
        self._by_hand: set[QComboBox] = set()
        """Of term and currency, those that the planner chose: they stay whatever column the price is in."""
        self.rows: tuple[PriceRow, ...] = ()
        self.columns = {name: self._column_choice(name) for name in PRICE_FIELDS}
        terms, currencies = [(one, tr(TERM_WORDS[one])) for one in PRICE_TERMS], get_args(Currency)
        self.term = choice_box(terms, tr("Prices are for"))
        self.currency = choice_box(zip(currencies, currencies), tr("Currency"))
        self.date = QLineEdit(today.isoformat())
        self.date.setAccessibleName(tr("Date of the prices"))
        self.per_instance = QCheckBox(tr("Prices cover all devices of a row together"))
        self.rates: dict[str, QLineEdit] = {}
        self._rates_line = QHBoxLayout()
        self._rates_box = QWidget()
        self._rates_box.setLayout(self._rates_line)
        self._rates_line.setContentsMargins(0, 0, 0, 0)
        self.model = PriceRowsModel()
        self.view = price_rows_table(self.model, self)
        self.summary = plain_label(wraps=True)
        self.only_remarks = QCheckBox(tr("Only rows with a remark"))
        self._show_reading()
        self._lay_out()
        self._connect()
        self.read()
        self._at_first = self._choices()
        self.resize(*FIRST_SIZE)

    def stated(self) -> dict[CatalogKind, tuple[dict[str, Any], ...]]:
        """The prices that usable rows add to the planner's own catalogue."""
        return stated_by(self.rows, self._catalog, self._table.name)

    def is_changed(self) -> bool:
        return self._choices() != self._at_first

    def check(self) -> None:
        """The rows that can be used decide."""
        self.read()

    def _choices(self) -> tuple[object, ...]:
        boxes = (*self.columns.values(), self.term, self.currency)
        rates = tuple((code, line.text()) for code, line in self.rates.items())
        return (*(box.currentData() for box in boxes), self.date.text(), self.per_instance.isChecked(), rates)

    def _column_choice(self, name: PriceField) -> QComboBox:
        choices = [(-1, tr("no column"))]
        for at, heading in enumerate(self._table.header):
            # What stands in it tells more than a heading in another language.
            choices.append((at, " — ".join(filter(None, (heading or str(at + 1), self._example_of(at))))))
        name_said = tr("Column of: {field}").format(field=tr(FIELD_WORDS[name]))
        box = choice_box(choices, name_said)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        box.setMinimumContentsLength(14)
        return box

    def _example_of(self, column: int) -> str:
        cells = (row[column] for _, row in self._table.rows[:EXAMPLE_ROWS] if column < len(row))
        found = next((cell for cell in cells if cell), "")
        return found if len(found) <= LONGEST_EXAMPLE else f"{found[: LONGEST_EXAMPLE - 1]}…"

    def _show_reading(self) -> None:
        for name, box in self.columns.items():
            box.setCurrentIndex(max(box.findData(self._reading.columns.get(name, -1)), 0))
        self.term.setCurrentIndex(self.term.findData(self._reading.term))
        self.currency.setCurrentIndex(self.currency.findData(self._reading.currency))

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        for place, name in enumerate(PRICE_FIELDS):
            row, column = divmod(place, COLUMNS_BESIDE)
            grid.addWidget(plain_label(tr(FIELD_WORDS[name]), name="quiet"), row * 2, column)
            grid.addWidget(self.columns[name], row * 2 + 1, column)
            grid.setColumnStretch(column, 1)
        # In two lines where type is large: the dialog would be wider than a small screen.
        otherwise = FlowLayout(spacing=8)
        otherwise.addWidget(plain_label(tr("If a row does not say:"), name="quiet"))
        for widget in (self.term, self.currency, self.date):
            otherwise.addWidget(widget)
        self.date.setFixedWidth(_width_for(self.date, "2028-08-28"))
        otherwise.addWidget(self.per_instance)
        below = lay_out(QHBoxLayout(), (self.summary, 1), self.only_remarks)
        buttons = self.add_buttons(tr("&Import prices"))
        lay_out(QVBoxLayout(self), grid, otherwise, self._rates_box, (self.view, 1), below, buttons, spacing=10)
        self.view.horizontalHeader().setSectionResizeMode(self.model.columnCount() - 1, QHeaderView.ResizeMode.Stretch)

    def _connect(self) -> None:
        self.columns["price"].currentIndexChanged.connect(self._follow_heading)
        for box in (*self.columns.values(), self.term, self.currency):
            box.currentIndexChanged.connect(self.read)
        for box in (self.term, self.currency):
            box.activated.connect(lambda _, box=box: self._by_hand.add(box))
        self.date.editingFinished.connect(self.read)
        self.per_instance.toggled.connect(self.read)
        self.only_remarks.toggled.connect(self.model.show_only_remarks)

    def _follow_heading(self) -> None:
        """Take term and currency from the heading of the price's column, where nobody chose another."""
        place = int(self.columns["price"].currentData())
        guessed = guessed_reading(self._table, {"price": place} if place >= 0 else {})
        for box, code in ((self.term, guessed.term), (self.currency, guessed.currency)):
            if box not in self._by_hand:
                with QSignalBlocker(box):
                    box.setCurrentIndex(box.findData(code))

    def read(self) -> None:
        """Understand the table anew, as the choices say."""
        columns = {name: int(box.currentData()) for name, box in self.columns.items() if box.currentData() >= 0}
        self.per_instance.setVisible("count" in columns)
        self._reading = replace(
            self._reading,
            columns=columns,
            term=cast(PriceTerm, self.term.currentData()),
            currency=str(self.currency.currentData()),
            date=self.date.text().strip(),
            is_per_instance=self.per_instance.isChecked() and "count" in columns,
        )
        self._offer_rates(currencies_of(self._table, self._reading))
        self._read_rows()

    def _offer_rates(self, currencies: tuple[str, ...]) -> None:
        if tuple(self.rates) == currencies:
            return
        typed = {code: line.text() for code, line in self.rates.items()}
        clear(self._rates_line)
        self.rates = {}
        for code in currencies:
            line = QLineEdit(typed.get(code) or self._known_rates.get(code, ""))
            line.setFixedWidth(_width_for(line, "0.0000000"))
            line.setAccessibleName(tr("US dollars for one {currency}").format(currency=code))
            line.setPlaceholderText(tr("rate"))
            line.textChanged.connect(self._read_rows)
            self.rates[code] = line
            self._rates_line.addWidget(plain_label(tr("1 {currency} is").format(currency=code), name="quiet"))
            self._rates_line.addWidget(line)
            self._rates_line.addWidget(plain_label("USD", name="quiet"))
        self._rates_line.addStretch(1)
        self._rates_box.setVisible(bool(currencies))

    def _read_rows(self) -> None:
        rates = {code: rate for code, line in self.rates.items() if (rate := _rate(line.text())) is not None}
        for code, line in self.rates.items():
            line.setProperty("invalid", bool(line.text().strip()) and code not in rates)
            line.style().polish(line)
        self._reading = replace(self._reading, usd_per_unit=rates)
        self.rows = price_rows(self._table, self._reading, self._catalog, self._today)
        self.model.show_rows(self.rows, self._catalog)
        lacking = next((name for name in NEEDED if name not in self._reading.columns), None)
        self.summary.setText(
            rows_summary(self.rows)
            if lacking is None
            else tr("Choose the column for: {part}.").format(part=tr(FIELD_WORDS[lacking]))
        )
        self.take.setEnabled(any(row.fault is None for row in self.rows))


def _width_for(line: QLineEdit, text: str) -> int:
    """The width of a field that shows this text whole at any size of type. [pixels]"""
    line.ensurePolished()
    return line.fontMetrics().horizontalAdvance(text) + BESIDE_TYPED


def _rate(text: str) -> float | None:
    try:
        rate = parse_number(text, "")
    except NotUnderstood:
        return None
    return rate if 0 < rate < 1e6 else None
