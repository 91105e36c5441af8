"""The quiet table that the catalogue's entries stand in."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from gpuplanner_gui.desktop.views.catalog_model import CatalogModel
from gpuplanner_gui.desktop.views.sort_header import SortHeader
from gpuplanner_gui.desktop.views.table_style import make_quiet
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.type_size import scaled

HEADING_ROOM, CELL_ROOM, WIDEST = 26, 20, 230
"""Pixels around a heading with its sort mark, around a cell's text, and of the widest column."""
MEASURED_ROWS, MEASURED_TEXTS = 400, 24
HELD_SHARE = 0.9
"""Of a column's texts; the few that are far longer are cut, and whole in their tool tips."""


def catalog_table(model: CatalogModel, name: str, parent: QWidget) -> QTableView:
    """A table whose columns are as wide as their headings and sample texts need, until `fit_columns` knows more."""
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(name)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    make_quiet(table)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    header = SortHeader(table)
    table.setHorizontalHeader(header)
    header.setSortIndicator(0, Qt.SortOrder.AscendingOrder)
    header.setSectionsMovable(True)
    table.setSortingEnabled(True)
    for place, column in enumerate(model.columns):
        header.resizeSection(place, _width(table, tr(column.title), [column.sample]))
    header.setStretchLastSection(model.columns[-1].unit is None)
    return table


def fit_columns(table: QTableView, model: CatalogModel) -> None:
    """Columns as wide as their numbers and as nearly all of their texts, by a sample where rows are many."""
    texts = model.sample_texts(MEASURED_ROWS)
    for place, column in enumerate(model.columns):
        ordered = sorted((row[place] for row in texts), key=len)
        held = ordered if column.unit is not None else ordered[: math.ceil(HELD_SHARE * len(ordered))]
        table.horizontalHeader().resizeSection(place, _width(table, tr(column.title), held[-MEASURED_TEXTS:]))


def _width(table: QTableView, title: str, texts: list[str]) -> int:
    metrics = table.fontMetrics()
    heading = metrics.horizontalAdvance(title) + HEADING_ROOM
    return max(heading, min(max(map(metrics.horizontalAdvance, texts), default=0) + CELL_ROOM, round(scaled(WIDEST))))
