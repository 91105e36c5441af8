"""One kind of the catalogue's entries: filters above a table, and what is pinned side by side."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.catalog_model import FACETS, MEMORY_STEPS_BYTES, CatalogFilter, CatalogTableModel
from gpuplanner_gui.desktop.pages.entry_compare import EntryCompare, Standing
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.filter_chip import FilterChip
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, FlowBox, lay_out
from gpuplanner_gui.desktop.widgets.labels import plain_label
from gpuplanner_gui.desktop.widgets.painted_table import PaintedTable
from gpuplanner_gui.desktop.widgets.table_columns import WholeColumns
from gpuplanner_gui.desktop.widgets.tables import choose_rows, make_quiet
from gpuplanner_gui.desktop.widgets.theme import push_button, search_line, tool_button
from gpuplanner_gui.domain.catalog import Catalog, CatalogKind
from gpuplanner_gui.domain.hardware import PEAK_PRECISIONS
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.drawing.words.choices import words_of_choice
from gpuplanner_gui.files.catalogs import NO_OWN_IDS, OwnIds

SEARCH_WIDTH = 200


class CatalogFilters(QWidget):
    """Emits `changed` with a `CatalogFilter` at every key press and tick."""

    changed = Signal(object)
    kept = ("text", "own", "all_chips")

    def __init__(self, kind: CatalogKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind = kind
        self.text = search_line(tr("Search"), self, name=tr("Search the catalogue"))
        self.text.setFixedWidth(SEARCH_WIDTH)
        self.chips = {facet.name: FilterChip(tr(facet.title)) for facet in FACETS[kind]}
        self.memory = self.precision = None
        if kind == "accelerators":
            self.memory = FilterChip(tr("Memory"), is_single=True)
            self.memory.offer([(step, f"≥ {format_value(step, 'bytes')}") for step in MEMORY_STEPS_BYTES])
            self.precision = FilterChip(tr("Precision"))
            self.precision.offer([(precision, precision.upper()) for precision in PEAK_PRECISIONS])
        self.own = tool_button(
            tr("Own entries"), name="chip", said=tr("Own entries"), is_checkable=True, takes_focus=True
        )
        self.clear = tool_button(tr("Clear filters"), said=tr("Clear filters"), takes_focus=True)
        self._count = plain_label("", self, name="quiet")
        self._lay_out()
        self.text.textChanged.connect(self._tell)
        self.own.toggled.connect(self._tell)
        self.clear.clicked.connect(self.clear_all)
        for chip in self.all_chips.values():
            chip.changed.connect(self._tell)

    def _lay_out(self) -> None:
        # In a splitter, and in a stack, height by width is not asked for.
        box = FlowBox(self)
        for widget in (*self.all_chips.values(), self.own, self.clear):
            widget.setParent(box)
            box.flow.addWidget(widget)
        self.own.hide()
        self.clear.hide()
        self.top = lay_out(QHBoxLayout(), self.text, STRETCH, self._count, spacing=8)
        lay_out(QVBoxLayout(self), self.top, box, margins=(0, 0, 0, 0), spacing=6)

    @property
    def all_chips(self) -> dict[str, FilterChip]:
        more = {"memory": self.memory, "precision": self.precision}
        return {**self.chips, **{f"{name} chip": chip for name, chip in more.items() if chip is not None}}

    def offer(self, model: CatalogTableModel) -> None:
        """Fill the chips with what the entries have; what is ticked stays where it can."""
        for facet in FACETS[self.kind]:
            values = model.values_of(facet.name)
            words = words_of_choice if facet.are_codes else str
            self.chips[facet.name].offer([(value, words(value)) for value in values])
            self.chips[facet.name].setVisible(len(values) > 1)
        if not model.own_ids:
            self.own.setChecked(False)
        self.own.setVisible(bool(model.own_ids))

    def clear_all(self) -> None:
        """Let everything through again."""
        self.text.clear()
        self.own.setChecked(False)
        for chip in self.all_chips.values():
            chip.clear()

    def wanted(self) -> CatalogFilter:
        return CatalogFilter(
            words=tuple(self.text.text().casefold().split()),
            facets=tuple((name, frozenset(chip.values())) for name, chip in self.chips.items() if chip.values()),
            memory_bytes=float(max(self.memory.values(), default=0.0)) if self.memory is not None else 0.0,
            precisions=self.precision.values() if self.precision is not None else (),
            only_own=self.own.isChecked(),
        )

    def show_count(self, shown: int, total: int) -> None:
        if shown == total:
            self._count.setText("")
        else:
            self._count.setText(tr("{shown} of {total}").format(shown=format_value(shown), total=format_value(total)))

    def _tell(self) -> None:
        wanted = self.wanted()
        self.clear.setVisible(wanted != CatalogFilter())
        self.changed.emit(wanted)


HEADING_ROOM, CELL_ROOM, WIDEST = 26, 20, 400
"""Pixels around a heading with its sort mark, around a cell's text, and of the widest column."""
MEASURED_ROWS, MEASURED_TEXTS = 400, 24


def catalog_table(model: CatalogTableModel, name: str, parent: QWidget) -> QTableView:
    """A table whose columns are as wide as their headings and sample texts need, until `fit_columns` knows more."""
    table = PaintedTable(parent)
    table.setModel(model)
    table.setAccessibleName(name)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    make_quiet(table)
    choose_rows(table, sorts=True)
    header = table.horizontalHeader()
    for place, column in enumerate(model.columns):
        header.resizeSection(place, _width(table, tr(column.title), [column.sample]))
    header.setStretchLastSection(model.columns[-1].unit is None)
    return table


def fit_columns(table: QTableView, model: CatalogTableModel) -> None:
    """Columns as wide as their numbers and texts, by a sample where rows are many."""
    texts = model.sample_texts(MEASURED_ROWS)
    widths = []
    for place, column in enumerate(model.columns):
        longest = sorted((row[place] for row in texts), key=len)[-MEASURED_TEXTS:]
        widths.append(_width(table, tr(column.title), longest))
    whole = table.findChild(WholeColumns) or WholeColumns(table)
    whole.set_least(widths)


def _width(table: QTableView, title: str, texts: list[str]) -> int:
    metrics = table.fontMetrics()
    heading = metrics.horizontalAdvance(title) + HEADING_ROOM
    return max(heading, min(max(map(metrics.horizontalAdvance, texts), default=0) + CELL_ROOM, round(scaled(WIDEST))))


class CatalogPage(QWidget):
    """Filters above a table, and behind it what is pinned, side by side."""

    changed = Signal()
    """Another entry is chosen, pinned, or the comparison opened or closed."""
    kept = ("filters", "comparison", "table")

    def __init__(self, kind: CatalogKind, title: str) -> None:
        super().__init__()
        self.kind = kind
        self.model = CatalogTableModel(kind)
        self.filters = CatalogFilters(kind, self)
        self.table = catalog_table(self.model, title, self)
        self.compare_button = push_button("", self.open_comparison, self)
        self.empty = plain_label(tr("No entry passes the filters."), self, name="quiet")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pins: list[str] = []
        self._own = NO_OWN_IDS
        self._fit_soon = DrawingTurn(self, self._fit)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._made_list())
        lay_out(QVBoxLayout(self), self._pages, margins=(0, 0, 0, 0))
        self.filters.changed.connect(self._on_filter)
        self.model.rows_changed.connect(self._on_rows_changed)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self.changed.emit())
        self.table.doubleClicked.connect(lambda index: self._toggle_row(index.row()))
        QShortcut(
            QKeySequence("Space"),
            self.table,
            lambda: self._toggle_row(self.table.currentIndex().row()),
            context=Qt.ShortcutContext.WidgetShortcut,
        )
        self._show_pins()

    @cached_property
    def comparison(self) -> EntryCompare:
        """What is pinned, side by side; made when it is first opened."""
        made = EntryCompare(self)
        made.unpin_requested.connect(self.toggle_pin)
        made.closed.connect(self.close_comparison)
        self._pages.addWidget(made)
        return made

    def _made_list(self) -> QWidget:
        box = QWidget(self)
        self.filters.top.addWidget(self.compare_button)
        lay_out(QVBoxLayout(box), self.filters, (self.table, 1), (self.empty, 1), margins=(8, 8, 8, 0), spacing=8)
        return box

    def show_catalog(self, catalog: Catalog, own: OwnIds) -> None:
        """Fill the table; the chosen entry stays chosen, and what is pinned stays pinned where it still is."""
        chosen = self.chosen()
        self._own = own
        self._pins = [entry_id for entry_id in self._pins if entry_id in catalog.entries(self.kind)]
        was_empty = not self.model.entries
        self.model.show_catalog(catalog, own.all_of(self.kind))
        if was_empty:
            # Some of the texts that decide widths are made now, the others in a turn of their own; then it is painted.
            self.table.setUpdatesEnabled(False)
            self.model.sample_texts(MEASURED_ROWS // 4)
            self._fit_soon.start()
        self.filters.offer(self.model)
        self._show_pins()
        if chosen is not None:
            self._select(self.model.row_of_id(chosen.id))

    def _fit(self) -> None:
        fit_columns(self.table, self.model)
        self.table.setUpdatesEnabled(True)

    def choose(self, entry_id: str) -> None:
        """Select an entry and show it; a filter that hides it is cleared."""
        self.close_comparison()
        if self.model.row_of_id(entry_id) < 0:
            self.filters.clear_all()
        self._select(self.model.row_of_id(entry_id))

    def _select(self, row: int) -> None:
        if row >= 0:
            self.table.selectRow(row)
            self.table.scrollTo(self.model.index(row, 0))

    def chosen(self) -> Any:
        source = self.model.source_at(self.table.currentIndex().row())
        return self.model.entries[source] if source >= 0 else None

    def standing_of(self, entry: Any) -> Standing:
        if entry is None:
            return Standing()
        is_own = entry.id in self._own.all_of(self.kind)
        return Standing(entry.id in self._pins, is_own, entry.id not in self._own.whole.get(self.kind, frozenset()))

    def more_kept(self) -> tuple[str, tuple[str, ...], bool]:
        chosen = self.chosen()
        return (chosen.id if chosen is not None else "", tuple(self._pins), self.is_comparing())

    def take_kept(self, value: tuple[str, tuple[str, ...], bool]) -> None:
        """The entry that was chosen, what was pinned, and whether that is being compared."""
        chosen, pins, is_comparing = value
        known = {entry.id for entry in self.model.entries}
        self._pins = [entry_id for entry_id in pins if entry_id in known]
        self._show_pins()
        if chosen:
            self._select(self.model.row_of_id(chosen))
        if is_comparing and self._pins:
            self.open_comparison()

    def toggle_pin(self, entry_id: str) -> None:
        """Pin an entry, or take it out of the comparison."""
        if entry_id in self._pins:
            self._pins.remove(entry_id)
        else:
            self._pins.append(entry_id)
        self._show_pins()
        if self.is_comparing() and not self._pins:
            self.close_comparison()
        self.changed.emit()

    def _toggle_row(self, row: int) -> None:
        source = self.model.source_at(row)
        if source >= 0:
            self.toggle_pin(self.model.entries[source].id)

    def _show_pins(self) -> None:
        self.model.show_pinned(frozenset(self._pins))
        count = len(self._pins)
        self.compare_button.setText(tr("Compare {count} pinned").format(count=count))
        self.compare_button.setVisible(count > 0)
        self.compare_button.setEnabled(count > 1)
        self.compare_button.setToolTip("" if count > 1 else tr("Pin another entry to compare with."))
        if self.is_comparing():
            self.comparison.show_entries(self._pinned_entries(), self.model.catalog)

    def _pinned_entries(self) -> list[Any]:
        by_id = {entry.id: entry for entry in self.model.entries}
        return [by_id[entry_id] for entry_id in self._pins if entry_id in by_id]

    def is_comparing(self) -> bool:
        return self._pages.currentIndex() == 1

    def open_comparison(self) -> None:
        self.comparison.show_entries(self._pinned_entries(), self.model.catalog)
        self._pages.setCurrentWidget(self.comparison)
        self.comparison.table.setFocus()
        self.changed.emit()

    def close_comparison(self) -> None:
        if self.is_comparing():
            self._pages.setCurrentIndex(0)
            self.table.setFocus()
            self.changed.emit()

    def _on_filter(self, wanted: CatalogFilter) -> None:
        """Filter the entries; the chosen one stays chosen while the filters show it."""
        chosen = self.chosen()
        self.model.set_filter(wanted)
        if chosen is not None:
            self._select(self.model.row_of_id(chosen.id))
        self.changed.emit()

    def _on_rows_changed(self) -> None:
        shown = self.model.rowCount()
        self.filters.show_count(shown, len(self.model.entries))
        self.table.setVisible(shown > 0)
        self.empty.setVisible(shown == 0)
        self.empty.setText(
            tr("No entry passes the filters.")
            if self.model.entries
            else tr("The catalogue has no entries of this kind.")
        )
