"""The catalogue: find an entry, read each of its figures with source and date, and use it."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.views.catalog_details import EntryDetails
from gpuplanner_gui.desktop.views.catalog_filters import CatalogFilters
from gpuplanner_gui.desktop.views.catalog_model import CatalogModel
from gpuplanner_gui.desktop.views.catalog_table import catalog_table
from gpuplanner_gui.desktop.views.next_turn import NextTurn
from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog, CatalogKind
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.units import format_value

_TITLES: dict[CatalogKind, str] = {
    "accelerators": "Accelerators",
    "nodes": "Nodes",
    "links": "Links",
    "offers": "Offers",
    "models": "Models",
}


class CatalogBrowser(QWidget):
    """A tab for each kind of entry, the details of the chosen one beside them."""

    use_only_requested = Signal(str)
    model_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.catalog: Catalog | None = None
        self._pending: Catalog | None = None
        self._pages: dict[CatalogKind, _KindPage] = {}
        self._frames: dict[CatalogKind, QVBoxLayout] = {}
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setAccessibleName(tr("Kinds of catalogue entries"))
        self.details = EntryDetails(self)
        self.details.setMinimumWidth(260)
        for kind in CATALOG_KINDS:
            frame = QWidget()
            self._frames[kind] = QVBoxLayout(frame)
            self._frames[kind].setContentsMargins(0, 0, 0, 0)
            self.tabs.addTab(frame, tr(_TITLES[kind]))
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.details.use_only_requested.connect(self.use_only_requested)
        self.details.model_chosen.connect(self.model_chosen)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.tabs)
        split.addWidget(self.details)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([620, 340])
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(split)
        self._fill_soon = NextTurn(self, self._fill)
        self.setFocusProxy(self.page(CATALOG_KINDS[0]).filters.text)

    def show_catalog(self, catalog: Catalog) -> None:
        """Fill the tables; put off until the browser is seen."""
        self._pending = catalog
        if self.isVisible():
            self._fill()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fill_soon.start()

    def _fill(self) -> None:
        if self._pending is None:
            return
        self.catalog, self._pending = self._pending, None
        for place, kind in enumerate(CATALOG_KINDS):
            if kind in self._pages:
                self._pages[kind].show_catalog(self.catalog)
            count = format_value(len(getattr(self.catalog, kind)))
            self.tabs.setTabText(place, f"{tr(_TITLES[kind])} ({count})")
        self.details.show_entry(None)

    def page(self, kind: CatalogKind) -> _KindPage:
        """The page of a kind, made when it is first asked for."""
        if kind not in self._pages:
            page = self._pages[kind] = _KindPage(kind)
            page.entry_chosen.connect(self.details.show_entry)
            self._frames[kind].addWidget(page)
            if self.catalog is not None:
                page.show_catalog(self.catalog)
        return self._pages[kind]

    def _on_tab_changed(self, place: int) -> None:
        page = self.page(CATALOG_KINDS[place])
        self.setFocusProxy(page.filters.text)
        self.details.show_entry(page.chosen())


class _KindPage(QWidget):
    """Filters above a table."""

    entry_chosen = Signal(object)

    def __init__(self, kind: CatalogKind) -> None:
        super().__init__()
        self.model = CatalogModel(kind)
        self.filters = CatalogFilters(kind, self)
        self.table = catalog_table(self.model, tr(_TITLES[kind]), self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 0)
        layout.setSpacing(8)
        layout.addWidget(self.filters)
        layout.addWidget(self.table, 1)
        self.filters.changed.connect(self.model.set_filter)
        self.model.rows_changed.connect(self._on_rows_changed)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)

    def show_catalog(self, catalog: Catalog) -> None:
        self.model.show_catalog(catalog)
        self.filters.offer(self.model)

    def chosen(self) -> object:
        source = self.model.source_at(self.table.currentIndex().row())
        return self.model.entries[source] if source >= 0 else None

    def _on_row_changed(self, current: QModelIndex) -> None:
        source = self.model.source_at(current.row())
        if source >= 0:
            self.entry_chosen.emit(self.model.entries[source])

    def _on_rows_changed(self) -> None:
        self.filters.show_count(self.model.rowCount(), len(self.model.entries))
