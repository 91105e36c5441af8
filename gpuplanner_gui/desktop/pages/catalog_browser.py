"""The catalogue: find an entry, read each of its figures with source and date, compare it with others, and use it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.pages.catalog_page import CatalogPage
from gpuplanner_gui.desktop.pages.entry_compare import EntryDetails
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.ui_state import Kept, kept_of, put_back
from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog, CatalogKind
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.files.catalogs import NO_OWN_IDS, OwnIds, own_ids
from gpuplanner_gui.files.errors import FileProblem

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
    own_device_requested = Signal(str, bool)
    """A device to copy, or an own one to edit (True)."""
    remove_requested = Signal(str, str)
    kept = ("tabs",)

    def __init__(self) -> None:
        super().__init__()
        self.catalog: Catalog | None = None
        self._pending: Catalog | None = None
        self._own = NO_OWN_IDS
        self._wanted: tuple[CatalogKind, str] | None = None
        self._was_chosen = False
        """Whether an entry was chosen before; until then the tables also take the room of its details."""
        self._pages: dict[CatalogKind, CatalogPage] = {}
        self._frames: dict[CatalogKind, QVBoxLayout] = {}
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(tr("Kinds of catalogue entries"))
        self.details = EntryDetails(self)
        self.details.setMinimumWidth(round(scaled(260)))
        for kind in CATALOG_KINDS:
            frame = QWidget()
            self._frames[kind] = QVBoxLayout(frame)
            self._frames[kind].setContentsMargins(0, 0, 0, 0)
            self.tabs.addTab(frame, tr(_TITLES[kind]))
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self._connect_details()
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.tabs)
        split.addWidget(self.details)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([570, 390])
        lay_out(QVBoxLayout(self), split, margins=(0, 0, 0, 0))
        self._fill_soon = NextTurn(self, self._fill)

    def _connect_details(self) -> None:
        details = self.details
        details.use_only_requested.connect(self.use_only_requested)
        details.model_chosen.connect(self.model_chosen)
        details.pin.clicked.connect(lambda: self.here().toggle_pin(details.entry.id))
        details.copy.clicked.connect(lambda: self.own_device_requested.emit(details.entry.id, False))
        details.edit.clicked.connect(lambda: self.own_device_requested.emit(details.entry.id, True))
        details.remove.clicked.connect(lambda: self.remove_requested.emit(self.here().kind, details.entry.id))

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
        if not self._pages:
            # The first page takes a turn of its own.
            self.here()
            self._fill_soon.start()
            return
        self.catalog, self._pending = self._pending, None
        self._own = _own_ids()
        for place, kind in enumerate(CATALOG_KINDS):
            if kind in self._pages:
                self._pages[kind].show_catalog(self.catalog, self._own)
            count = format_value(len(getattr(self.catalog, kind)))
            self.tabs.setTabText(place, f"{tr(_TITLES[kind])} ({count})")
        if self._wanted is not None:
            kind, entry_id = self._wanted
            self._wanted = None
            self.choose(kind, entry_id)
        self._show_details(self.here())

    def here(self) -> CatalogPage:
        """The page in front."""
        return self.page(CATALOG_KINDS[self.tabs.currentIndex()])

    def choose_soon(self, kind: CatalogKind, entry_id: str) -> None:
        """Choose an entry that the next catalogue brings."""
        self._wanted = (kind, entry_id)

    def choose(self, kind: CatalogKind, entry_id: str) -> None:
        """Bring an entry to the front, with the filters out of its way; as soon as the tables are filled."""
        if self._pending is not None:
            self._wanted = (kind, entry_id)
            return
        self.tabs.setCurrentIndex(CATALOG_KINDS.index(kind))
        self.page(kind).choose(entry_id)

    def _show_details(self, page: CatalogPage) -> None:
        if page is not self.here():
            return
        entry = page.chosen()
        self._was_chosen |= entry is not None
        self.details.setVisible(self._was_chosen and not page.is_comparing())
        self.details.show_entry(entry, page.standing_of(entry), self.catalog)

    def more_kept(self) -> dict[CatalogKind, Kept]:
        return {kind: kept_of(page) for kind, page in self._pages.items()}

    def take_kept(self, pages: dict[CatalogKind, Kept]) -> dict[CatalogKind, Kept] | None:
        """The pages' filters, pins, choices and places; all of them wait for the catalogue."""
        if self.catalog is None:
            return pages
        left = {kind: put_back(self.page(kind), kept) for kind, kept in pages.items()}
        return {kind: kept for kind, kept in left.items() if kept} or None

    def page(self, kind: CatalogKind) -> CatalogPage:
        """The page of a kind, made when it is first asked for."""
        if kind not in self._pages:
            page = self._pages[kind] = CatalogPage(kind, tr(_TITLES[kind]))
            page.changed.connect(lambda page=page: self._show_details(page))
            self._frames[kind].addWidget(page)
            if self.focusProxy() is None:
                self.setFocusProxy(page.filters.text)
            if self.catalog is not None:
                page.show_catalog(self.catalog, self._own)
        return self._pages[kind]

    def _on_tab_changed(self, place: int) -> None:
        page = self.page(CATALOG_KINDS[place])
        self.setFocusProxy(page.filters.text)
        self._show_details(page)


def _own_ids() -> OwnIds:
    """Identifiers of the planner's own entries; empty where their files can't be read, which the window reports."""
    try:
        return own_ids()
    except FileProblem:
        return NO_OWN_IDS
