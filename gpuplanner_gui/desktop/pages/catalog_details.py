"""Every figure of one entry, with unit, source, date and confidence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.flow_layout import FlowLayout
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.domain.catalog import CatalogModel
from gpuplanner_gui.domain.hardware import Accelerator, NodeType
from gpuplanner_gui.domain.price import Offer
from gpuplanner_gui.drawing.details import Detail, details_of, known_by, source_of
from gpuplanner_gui.drawing.format_rows import format_details
from gpuplanner_gui.drawing.language import tr
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
