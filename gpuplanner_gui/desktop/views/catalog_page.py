"""One kind of the catalogue's entries: filters above a table, and what is pinned side by side."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLabel, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.views.catalog_details import Standing
from gpuplanner_gui.desktop.views.catalog_filters import CatalogFilters
from gpuplanner_gui.desktop.views.catalog_model import CatalogFilter, CatalogModel
from gpuplanner_gui.desktop.views.catalog_table import catalog_table, fit_columns
from gpuplanner_gui.desktop.views.entry_compare import EntryCompare
from gpuplanner_gui.domain.catalog import Catalog, CatalogKind
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.files.own_entries import NO_OWN_IDS, OwnIds


class CatalogPage(QWidget):
    """Filters above a table, and behind it what is pinned, side by side."""

    changed = Signal()
    """Another entry is chosen, pinned, or the comparison opened or closed."""
    kept = ("filters", "comparison", "table")

    def __init__(self, kind: CatalogKind, title: str) -> None:
        super().__init__()
        self.kind = kind
        self.model = CatalogModel(kind)
        self.filters = CatalogFilters(kind, self)
        self.table = catalog_table(self.model, title, self)
        self.compare_button = QPushButton(self)
        self.compare_button.clicked.connect(self.open_comparison)
        self.empty = QLabel(tr("No entry passes the filters."), self)
        self.empty.setTextFormat(Qt.TextFormat.PlainText)
        self.empty.setObjectName("quiet")
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.comparison = EntryCompare(self)
        self._pins: list[str] = []
        self._own = NO_OWN_IDS
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self._made_list())
        self._pages.addWidget(self.comparison)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._pages)
        self.filters.changed.connect(self._on_filter)
        self.model.rows_changed.connect(self._on_rows_changed)
        self.comparison.unpin_requested.connect(self.toggle_pin)
        self.comparison.closed.connect(self.close_comparison)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self.changed.emit())
        self.table.doubleClicked.connect(lambda index: self._toggle_row(index.row()))
        QShortcut(
            QKeySequence("Space"),
            self.table,
            lambda: self._toggle_row(self.table.currentIndex().row()),
            context=Qt.ShortcutContext.WidgetShortcut,
        )
        self._show_pins()

    def _made_list(self) -> QWidget:
        box = QWidget(self)
        self.filters.add_at_top(self.compare_button)
        layout = QVBoxLayout(box)
        layout.setContentsMargins(8, 8, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(self.filters)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.empty, 1)
        return box

    def show_catalog(self, catalog: Catalog, own: OwnIds) -> None:
        """Fill the table; the chosen entry stays chosen, and what is pinned stays pinned where it still is."""
        chosen = self.chosen()
        self._own = own
        self._pins = [entry_id for entry_id in self._pins if entry_id in catalog.entries(self.kind)]
        was_empty = not self.model.entries
        self.model.show_catalog(catalog, own.all_of(self.kind))
        if was_empty:
            fit_columns(self.table, self.model)
        self.filters.offer(self.model)
        self._show_pins()
        if chosen is not None:
            self._select(self.model.row_of_id(chosen.id))

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
            self.comparison.show_entries(self._pinned_entries())

    def _pinned_entries(self) -> list[Any]:
        by_id = {entry.id: entry for entry in self.model.entries}
        return [by_id[entry_id] for entry_id in self._pins if entry_id in by_id]

    def is_comparing(self) -> bool:
        return self._pages.currentWidget() is self.comparison

    def open_comparison(self) -> None:
        self.comparison.show_entries(self._pinned_entries())
        self._pages.setCurrentWidget(self.comparison)
        self.comparison.table.setFocus()
        self.changed.emit()

    def close_comparison(self) -> None:
        if self.is_comparing():
            self._pages.setCurrentIndex(0)
            self.table.setFocus()
            self.changed.emit()

    def _on_filter(self, wanted: CatalogFilter) -> None:
        """What is chosen stays chosen as long as the filters let it through."""
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
