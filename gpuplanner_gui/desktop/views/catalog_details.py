"""Every figure of one entry, with unit, source, date and confidence."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import (
    QLabel,
    QMenu,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.views.plot_view import ElidedLabel, plain_tool_tip
from gpuplanner_gui.domain.catalog import CatalogModel
from gpuplanner_gui.domain.hardware import Accelerator, NodeType, Offer
from gpuplanner_gui.drawing.details import Detail, details_of
from gpuplanner_gui.drawing.format_rows import format_details
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.files.precision_support import load_precision_support

_FOLDED = ("Architecture",)


class EntryDetails(QWidget):
    """A tree of the entry's fields, and what can be done with it."""

    use_only_requested = Signal(str)
    model_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry: Any = None
        self._title = ElidedLabel(self)
        font = self._title.font()
        font.setWeight(QFont.Weight.DemiBold)
        font.setPointSizeF(font.pointSizeF() + 1)
        self._title.setFont(font)
        self.tree = QTreeWidget(self)
        self.tree.setHeaderLabels([tr("Field"), tr("Value")])
        self.tree.setAccessibleName(tr("Details of the catalogue entry"))
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.tree.setAlternatingRowColors(True)
        self.tree.setWordWrap(True)
        self.tree.setIndentation(12)
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.header().resizeSection(0, 150)
        self.tree.header().setStretchLastSection(True)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self._hint = QLabel(tr("Choose an entry to see its figures and their sources."), self)
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._hint.setWordWrap(True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.use = QPushButton(self)
        self.use.clicked.connect(self._on_use)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 12, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._title)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self._hint, 1)
        layout.addWidget(self.use, 0, Qt.AlignmentFlag.AlignLeft)
        self.show_entry(None)

    def show_entry(self, entry: Any) -> None:
        self.entry = entry
        for widget in (self._title, self.tree):
            widget.setVisible(entry is not None)
        self._hint.setVisible(entry is None)
        self.use.setVisible(isinstance(entry, (Accelerator, NodeType, Offer, CatalogModel)))
        self.tree.clear()
        if entry is None:
            return
        self._title.setText(getattr(entry, "name", "") or f"{entry.provider} {entry.instance}")
        is_model = isinstance(entry, CatalogModel)
        self.use.setText(tr("Plan with this model") if is_model else tr("Use only this accelerator"))
        for detail in _details_of(entry):
            item = _item(detail)
            self.tree.addTopLevelItem(item)
            item.setExpanded(not is_model or detail.title not in _FOLDED)

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
        menu.addAction(tr("Copy value"), lambda: QGuiApplication.clipboard().setText(item.text(1)))
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
