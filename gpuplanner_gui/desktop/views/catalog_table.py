"""The quiet table that the catalogue's entries stand in."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from gpuplanner_gui.desktop.views.catalog_model import CatalogModel
from gpuplanner_gui.desktop.views.table_style import row_height
from gpuplanner_gui.drawing.language import tr


def catalog_table(model: CatalogModel, name: str, parent: QWidget) -> QTableView:
    """A table whose columns are as wide as their headings and sample texts need."""
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_height())
    header = table.horizontalHeader()
    header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    header.setHighlightSections(False)
    header.setSectionsMovable(True)
    table.setSortingEnabled(True)
    metrics = table.fontMetrics()
    for place, column in enumerate(model.columns):
        heading = metrics.horizontalAdvance(tr(column.title)) + 26
        header.resizeSection(place, max(heading, metrics.horizontalAdvance(column.sample) + 16))
    header.setStretchLastSection(model.columns[-1].unit is None)
    return table
