"""The catalogue: find an entry, read each of its figures with source and date, compare it with others, and use it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QShowEvent
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.pages.catalog_page import CatalogPage
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import FlowLayout, lay_out
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.ui_state import Kept, kept_of, put_back
from gpuplanner_gui.domain.catalog import CATALOG_KINDS, Catalog, CatalogKind, CatalogModel
from gpuplanner_gui.domain.hardware import Accelerator, NodeType, Offer
from gpuplanner_gui.drawing.details import Detail, details_of
from gpuplanner_gui.drawing.format_rows import format_details
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.provenance import known_by, source_of
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.own_entries import NO_OWN_IDS, OwnIds, own_ids
from gpuplanner_gui.files.precision_support import load_precision_support

_FOLDED = ("model",)


@dataclass(frozen=True)
class Standing:
    """What an entry is beside its figures."""

    is_pinned: bool = False
    is_own: bool = False
    is_shipped: bool = True
    """The catalogue has one of this identifier without the planner's own files."""


class EntryDetails(QWidget):
    """A tree of the entry's fields, and what can be done with it."""

    use_only_requested = Signal(str)
    model_chosen = Signal(str)
    pin_requested = Signal(str)
    copy_requested = Signal(str)
    edit_requested = Signal(str)
    remove_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry: Any = None
        self._title = ElidedLabel(self)
        font = self._title.font()
        font.setWeight(QFont.Weight.DemiBold)
        font.setPointSizeF(font.pointSizeF() + 1)
        self._title.setFont(font)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderLabels([tr("Field"), tr("Value"), tr("Known by")])
        self.tree.setAccessibleName(tr("Details of the catalogue entry"))
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.tree.setAlternatingRowColors(True)
        self.tree.setWordWrap(True)
        self.tree.setIndentation(12)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.tree.header().resizeSection(0, 150)
        self.tree.header().resizeSection(2, 92)
        self.tree.header().setMinimumSectionSize(40)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self._hint = plain_label(tr("Choose an entry to see its figures and their sources."), self, wraps=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.use = self._button("", self._on_use)
        self.pin = self._button("", lambda: self.pin_requested.emit(self.entry.id))
        self.copy = self._button(tr("Copy as own device…"), lambda: self.copy_requested.emit(self.entry.id))
        self.edit = self._button(tr("Edit…"), lambda: self.edit_requested.emit(self.entry.id))
        self.remove = self._button("", lambda: self.remove_requested.emit(self.entry.id))
        self._buttons = QWidget(self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self._buttons.setSizePolicy(policy)
        flow = FlowLayout(self._buttons, spacing=6)
        for button in (self.use, self.pin, self.copy, self.edit, self.remove):
            flow.addWidget(button)
        lay_out(
            QVBoxLayout(self), self._title, (self.tree, 1), (self._hint, 1), self._buttons, margins=(12, 12, 8, 8),
            spacing=8,
        )  # fmt: skip
        self.show_entry(None)

    def _button(self, text: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(text, self)
        button.clicked.connect(lambda: act())
        return button

    def show_entry(self, entry: Any, standing: Standing = Standing()) -> None:
        """Show an entry with what may be done to it; None: none is chosen."""
        self.entry = entry
        for widget in (self._title, self.tree, self._buttons):
            widget.setVisible(entry is not None)
        self._hint.setVisible(entry is None)
        self.use.setVisible(isinstance(entry, (Accelerator, NodeType, Offer, CatalogModel)))
        self._show_standing(standing)
        self.tree.clear()
        if entry is None:
            return
        self._title.setText(getattr(entry, "name", "") or f"{entry.provider} {entry.instance}")
        is_model = isinstance(entry, CatalogModel)
        self.use.setText(tr("Plan with this model") if is_model else tr("Use only this accelerator"))
        for detail in _details_of(entry):
            item = _item(detail)
            if detail.name:
                item.setText(2, known_by(entry, detail.name))
                item.setToolTip(2, plain_tool_tip(source_of(entry, detail.name) if item.text(2) else ""))
            self.tree.addTopLevelItem(item)
            item.setExpanded(not is_model or detail.name not in _FOLDED)

    def _show_standing(self, standing: Standing) -> None:
        is_device = isinstance(self.entry, Accelerator)
        self.pin.setText(tr("Unpin") if standing.is_pinned else tr("Pin to compare"))
        self.copy.setVisible(is_device)
        self.edit.setVisible(is_device and standing.is_own and not standing.is_shipped)
        self.remove.setVisible(standing.is_own)
        self.remove.setText(tr("Drop own figures") if standing.is_shipped else tr("Remove"))
        self._buttons.updateGeometry()

    def _on_use(self) -> None:
        entry = self.entry
        if isinstance(entry, CatalogModel):
            self.model_chosen.emit(entry.id)
        elif isinstance(entry, Accelerator):
            self.use_only_requested.emit(entry.id)
        elif isinstance(entry, (NodeType, Offer)):
            self.use_only_requested.emit(entry.accelerator_id)

    def _show_menu(self, place: QPoint) -> None:
        item = self.tree.itemAt(place)
        if item is None:
            return
        menu = QMenu(self.tree)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(tr("Copy Value"), lambda: QGuiApplication.clipboard().setText(item.text(1)))
        menu.popup(self.tree.viewport().mapToGlobal(place))


def _details_of(entry: Any) -> tuple[Detail, ...]:
    """An entry's fields; for an accelerator also which number formats run on it."""
    found = details_of(entry)
    if not isinstance(entry, Accelerator):
        return found
    return (*found, format_details(load_precision_support(), entry))


def _item(detail: Detail) -> QTreeWidgetItem:
    item = QTreeWidgetItem([detail.title, detail.value])
    item.setToolTip(0, plain_tool_tip(detail.help))
    item.setToolTip(1, plain_tool_tip(detail.value))
    item.setTextAlignment(0, Qt.AlignmentFlag.AlignTop)
    for part in detail.parts:
        item.addChild(_item(part))
    return item


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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.catalog: Catalog | None = None
        self._pending: Catalog | None = None
        self._own = NO_OWN_IDS
        self._wanted: tuple[CatalogKind, str] | None = None
        self._was_chosen = False
        """Until an entry is chosen for the first time, the tables have the room of its details too."""
        self._pages: dict[CatalogKind, CatalogPage] = {}
        self._frames: dict[CatalogKind, QVBoxLayout] = {}
        self.tabs = QTabWidget(self)
        self.tabs.setAccessibleName(tr("Kinds of catalogue entries"))
        self.details = EntryDetails(self)
        self.details.setMinimumWidth(260)
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
        self.setFocusProxy(self.page(CATALOG_KINDS[0]).filters.text)

    def _connect_details(self) -> None:
        details = self.details
        details.use_only_requested.connect(self.use_only_requested)
        details.model_chosen.connect(self.model_chosen)
        details.pin_requested.connect(lambda entry_id: self.here().toggle_pin(entry_id))
        details.copy_requested.connect(lambda entry_id: self.own_device_requested.emit(entry_id, False))
        details.edit_requested.connect(lambda entry_id: self.own_device_requested.emit(entry_id, True))
        details.remove_requested.connect(lambda entry_id: self.remove_requested.emit(self.here().kind, entry_id))

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
        self.details.show_entry(entry, page.standing_of(entry))

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
            if self.catalog is not None:
                page.show_catalog(self.catalog, self._own)
        return self._pages[kind]

    def _on_tab_changed(self, place: int) -> None:
        page = self.page(CATALOG_KINDS[place])
        self.setFocusProxy(page.filters.text)
        self._show_details(page)


def _own_ids() -> OwnIds:
    """What is the planner's own; nothing where their files can't be read, which the window says by itself."""
    try:
        return own_ids()
    except FileProblem:
        return NO_OWN_IDS
