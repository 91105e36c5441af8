"""Entries of the catalogue: every figure of one with its source, or those pinned side by side, differences marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QGuiApplication, QKeySequence, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.widgets.flow_layout import FlowLayout, clear, flowing, lay_out
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, plain_label, plain_tool_tip
from gpuplanner_gui.desktop.widgets.painted_table import PaintedTable
from gpuplanner_gui.desktop.widgets.style_rules import CELL_PADDING
from gpuplanner_gui.desktop.widgets.tables import IndexedTableModel, TableColumn, choose_rows, make_quiet
from gpuplanner_gui.desktop.widgets.theme import push_button, tool_button
from gpuplanner_gui.domain.catalog import Catalog, CatalogModel
from gpuplanner_gui.domain.hardware import Accelerator, NodeType
from gpuplanner_gui.domain.price import Offer
from gpuplanner_gui.drawing.details import (
    ComparedLine,
    Detail,
    compared,
    details_of,
    differing_count,
    known_by,
    source_of,
)
from gpuplanner_gui.drawing.format_rows import format_details
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.rows import Column, Rows
from gpuplanner_gui.files.knowledge import load_precision_support

_FOLDED = ("model",)


@dataclass(frozen=True)
class Standing:
    """The state of an entry beside its figures: own, changed, pinned."""

    is_pinned: bool = False
    is_own: bool = False
    is_shipped: bool = True
    """The catalogue has one of this identifier without the planner's own files."""


NAMES_WIDTH, LEAST_VALUES_WIDTH, SOURCES_WIDTH = 150.0, 60.0, 92.0
"""Columns of details, in pixels of the usual type."""


class _WrappedValues(QStyledItemDelegate):
    """Rows of a tree as high as their texts need, in the width of the column or, where one spans the row, of that."""

    def __init__(self, tree: QTreeWidget) -> None:
        super().__init__(tree)
        self._tree = tree

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        size, metrics, column = super().sizeHint(option, index), option.fontMetrics, index.column()
        width = self._tree.columnWidth(column)
        if self._tree.isFirstColumnSpanned(index.row(), index.parent()):
            width = self._tree.viewport().width() - 2 * self._tree.indentation()
        place = QRect(0, 0, max(width - 2 * CELL_PADDING, 1), 1)
        text = metrics.boundingRect(place, int(Qt.TextFlag.TextWordWrap), str(index.data() or ""))
        return QSize(size.width(), max(size.height(), size.height() - metrics.height() + text.height()))


class EntryDetails(QWidget):
    """A tree of the entry's fields, and what can be done with it; its browser does what the other buttons say."""

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
        self.tree.setHeaderLabels([tr("Field"), tr("Value"), tr("Source")])
        self.tree.setAccessibleName(tr("Details of the catalogue entry"))
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.tree.setAlternatingRowColors(True)
        self.tree.setWordWrap(True)
        self.tree.setIndentation(12)
        self.tree.setItemDelegate(_WrappedValues(self.tree))
        self.tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setMinimumSectionSize(40)
        self.tree.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self.tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.tree.customContextMenuRequested.connect(self._show_menu)
        self._hint = plain_label(tr("Choose an entry to see its figures and their sources."), self, wraps=True)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.use = push_button("", self._on_use, self)
        self.pin = push_button("", None, self)
        self.copy = push_button(tr("Copy as own device…"), None, self)
        self.edit = push_button(tr("Edit…"), None, self)
        self.remove = push_button("", None, self)
        self._buttons = flowing((self.use, self.pin, self.copy, self.edit, self.remove), self, 6, 6)
        # The buttons stand at the head: messages, as of a copy that was made, lie over the foot of the window.
        lay_out(
            QVBoxLayout(self), self._title, self._buttons, (self.tree, 1), (self._hint, 1), margins=(12, 12, 8, 8),
            spacing=8,
        )  # fmt: skip
        self.show_entry(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names and sources are as wide as the type asks for; without room for values beside them, sources give way."""
        super().resizeEvent(event)
        self.tree.header().resizeSection(0, round(scaled(NAMES_WIDTH)))
        self.tree.header().resizeSection(2, round(scaled(SOURCES_WIDTH)))
        self.tree.setColumnHidden(2, self.width() < scaled(NAMES_WIDTH + SOURCES_WIDTH + LEAST_VALUES_WIDTH))
        self.tree.scheduleDelayedItemsLayout()

    def show_entry(self, entry: Any, standing: Standing = Standing(), catalog: Catalog | None = None) -> None:
        """Show an entry of a catalogue with what may be done to it; None: none is chosen."""
        self.entry = entry
        for widget in (self._title, self.tree, self._buttons):
            widget.setVisible(entry is not None)
        self._hint.setVisible(entry is None)
        self.use.setVisible(isinstance(entry, (Accelerator, NodeType, Offer, CatalogModel)))
        self._show_standing(standing)
        self.tree.clear()
        if entry is None:
            return
        self._title.setText(entry_title(entry))
        is_model = isinstance(entry, CatalogModel)
        self.use.setText(tr("Plan with this model") if is_model else tr("Use only this accelerator"))
        for detail in _details_of(entry, catalog):
            item = _item(detail)
            if detail.name:
                item.setText(2, known_by(entry, detail.name))
                item.setToolTip(2, plain_tool_tip(source_of(entry, detail.name) if item.text(2) else ""))
            self.tree.addTopLevelItem(item)
            for part in filter(lambda one: not one.text(1), map(item.child, range(item.childCount()))):
                part.setFirstColumnSpanned(part.childCount() == 0)
            item.setExpanded(not is_model or detail.name not in _FOLDED)

    def _show_standing(self, standing: Standing) -> None:
        is_device = isinstance(self.entry, Accelerator)
        self.pin.setText(tr("Unpin") if standing.is_pinned else tr("Pin to compare"))
        self.copy.setVisible(is_device)
        self.edit.setVisible(is_device and standing.is_own and not standing.is_shipped)
        self.remove.setVisible(standing.is_own)
        self.remove.setText(tr("Remove own figures") if standing.is_shipped else tr("Remove"))
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
        menu.addAction(tr("Copy Value"), lambda: QGuiApplication.clipboard().setText(item.text(1) or item.text(0)))
        menu.popup(self.tree.viewport().mapToGlobal(place))


def _details_of(entry: Any, catalog: Catalog | None) -> tuple[Detail, ...]:
    """An entry's fields; for an accelerator also which number formats run on it."""
    found = details_of(entry, catalog=catalog)
    if not isinstance(entry, Accelerator):
        return found
    return (*found, format_details(load_precision_support(), entry))


def _item(detail: Detail) -> QTreeWidgetItem:
    item = QTreeWidgetItem([detail.title, detail.value] if detail.title else [detail.value])  # A note has the row.
    item.setToolTip(0, plain_tool_tip(detail.help))
    item.setToolTip(1, plain_tool_tip(detail.value))
    for column in (0, 1):
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignTop)
    for part in detail.parts:
        item.addChild(_item(part))
    return item


DIFFERS = "≠"
FIRST_COLUMN_WIDTH, COLUMN_WIDTH, MOST_COLUMN_WIDTH = 220, 200, 420
MARGIN, SCROLL_BAR = 8, 10


class CompareModel(IndexedTableModel):
    """The first column marks and names the figure; then a column for each entry."""

    def __init__(self) -> None:
        super().__init__()
        self.names: tuple[str, ...] = ()
        self._all: tuple[ComparedLine, ...] = ()
        self._only_differing = False

    def show_entries(self, entries: Sequence[Any], catalog: Catalog | None) -> None:
        self.names = tuple(entry_title(entry) for entry in entries)
        # The figure, or an entry, whose whole name is in the tool tip.
        self.columns = (TableColumn(tr("Figure")), *(TableColumn(name, name) for name in self.names))
        self._all = compared(entries, catalog) if entries else ()
        self.refresh()

    def show_only_differing(self, only: bool) -> None:
        self._only_differing = only
        self.refresh()

    @property
    def lines(self) -> tuple[ComparedLine, ...]:
        """The lines on screen."""
        return tuple(line for line in self._all if line.differs or not self._only_differing)

    def summary(self) -> str:
        return differing_count(self._all) if len(self.names) > 1 else ""

    def rows(self) -> Rows:
        """The lines on screen as a table to copy."""
        columns = tuple(Column(one.title) for one in self.columns)
        return Rows(columns, tuple((line.title, *(cell.text for cell in line.cells)) for line in self.lines))

    def title_of(self, column: TableColumn) -> str:
        return column.title

    def help_of(self, column: TableColumn) -> str:
        return column.help

    def source_order(self) -> NDArray[np.int64]:
        shown = [line.differs or not self._only_differing for line in self._all]
        return np.flatnonzero(np.array(shown, dtype=bool))

    def texts_of(self, source: int) -> list[str]:
        line = self._all[source]
        cells = (f"{cell.text}  ({cell.ratio})" if cell.ratio else cell.text for cell in line.cells)
        mark = DIFFERS if line.differs else "\u2007"
        return [f"{mark}  {line.title}", *cells]

    def more_data(self, source: int, column: int, role: int) -> Any:
        line = self._all[source]
        if role == Qt.ItemDataRole.FontRole and line.differs:
            font = QFont()
            font.setWeight(QFont.Weight.DemiBold)
            return font
        if role == Qt.ItemDataRole.AccessibleDescriptionRole and line.differs:
            return tr("differs")
        if role == Qt.ItemDataRole.ToolTipRole and column:
            cell = line.cells[column - 1]
            return plain_tool_tip("\n".join(part for part in (cell.text, cell.known) if part))
        return None


class EntryCompare(QWidget):
    """Chips of what is pinned above the table; a chip takes its entry out."""

    unpin_requested = Signal(str)
    closed = Signal()
    kept = ("only_differing",)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = CompareModel()
        self.back = tool_button(
            tr("‹ All entries"), self.closed, self, said=tr("Back to all entries"), takes_focus=True
        )
        self.only_differing = QCheckBox(tr("Only differences"), self)
        self.only_differing.toggled.connect(lambda only: self.model.show_only_differing(only))
        self._summary = plain_label("", self, name="quiet")
        self._chips = QWidget(self)
        self._flow = FlowLayout(self._chips)
        self.table = self._made_table()
        above = lay_out(QHBoxLayout(), self.back, (self._chips, 1), self._summary, self.only_differing, spacing=12)
        lay_out(QVBoxLayout(self), above, (self.table, 1), margins=(MARGIN, MARGIN, MARGIN, 0), spacing=8)

    def _made_table(self) -> QTableView:
        table = PaintedTable(self)
        table.setModel(self.model)
        table.setAccessibleName(tr("Pinned entries side by side"))
        make_quiet(table)
        choose_rows(table)
        table.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        return table

    def show_entries(self, entries: Sequence[Any], catalog: Catalog | None) -> None:
        self.model.show_entries(entries, catalog)
        self._summary.setText(self.model.summary())
        clear(self._flow)
        for entry in entries:
            self._flow.addWidget(self._chip(entry))
        self._share_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def _share_width(self) -> None:
        """Columns as wide as there is room for, within what can be read across; further ones are scrolled to."""
        header, count = self.table.horizontalHeader(), len(self.model.names)
        first = round(scaled(FIRST_COLUMN_WIDTH))
        header.resizeSection(0, first)
        room = (self.width() - first - 2 * MARGIN - SCROLL_BAR) // max(count, 1)
        wide = min(max(room, round(scaled(COLUMN_WIDTH))), round(scaled(MOST_COLUMN_WIDTH)))
        for column in range(1, self.model.columnCount()):
            header.resizeSection(column, wide)

    def _chip(self, entry: Any) -> QToolButton:
        name = entry_title(entry)
        chip = tool_button(
            f"{name} ✕".replace("&", "&&"), lambda: self.unpin_requested.emit(entry.id), self._chips, name="chip",
            said=tr("Unpin {name}").format(name=name), takes_focus=True,
        )  # fmt: skip
        chip.show()
        return chip

    def keyPressEvent(self, event: Any) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.model.rows().csv_text())
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)


def entry_title(entry: Any) -> str:
    """The name of an entry on screen."""
    return getattr(entry, "name", "") or f"{entry.provider} {entry.instance}"
