"""Rows of a price list as a table: what was understood, and a remark where something is wrong or old."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from gpuplanner_gui.desktop import theme
from gpuplanner_gui.desktop.icons import icon
from gpuplanner_gui.desktop.views.elided_label import plain_tool_tip
from gpuplanner_gui.desktop.views.table_style import make_quiet, sample_width
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.price_row import PriceRow
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.price_list import HEADINGS, has_remark, row_cells

Index = QModelIndex | QPersistentModelIndex
_SAMPLES = (
    "88 888", "RTX PRO 6000 Blackwell", "Reserved 3 years, per h", "888 888 USD", "$888 888", "2026-10-10",
    "Provider name", "",
)  # fmt: skip
_NUMBERS = (0, 3, 4)


class PriceRowsModel(QAbstractTableModel):
    """A row's cells are made when they are looked at: a long list costs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: tuple[PriceRow, ...] = ()
        self._shown: Sequence[PriceRow] = ()
        self._catalog = Catalog()
        self._only_remarks = False

    def show_rows(self, rows: tuple[PriceRow, ...], catalog: Catalog) -> None:
        self._rows, self._catalog = rows, catalog
        self._arrange()

    def show_only_remarks(self, only: bool) -> None:
        self._only_remarks = only
        self._arrange()

    def _arrange(self) -> None:
        self.beginResetModel()
        is_plain = not self._only_remarks
        self._shown = [row for row in self._rows if is_plain or has_remark(row)]
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  (Qt's own signature)
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return tr(HEADINGS[section]) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row_cells(row, self._catalog)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tool_tip(row_cells(row, self._catalog)[index.column()])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(index.column())
        if role == Qt.ItemDataRole.ForegroundRole and row.fault is not None:
            palette = QGuiApplication.palette()
            if index.column() == len(HEADINGS) - 1:
                return theme.tone(theme.ERROR, palette)
            return palette.color(QPalette.ColorRole.PlaceholderText)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == len(HEADINGS) - 1:
            return icon("error") if row.fault is not None else icon("warning") if has_remark(row) else None
        return None


def _alignment(column: int) -> int:
    across = Qt.AlignmentFlag.AlignRight if column in _NUMBERS else Qt.AlignmentFlag.AlignLeft
    return int(across | Qt.AlignmentFlag.AlignVCenter)


def price_rows_table(model: PriceRowsModel, parent: QWidget) -> QTableView:
    table = QTableView(parent)
    table.setModel(model)
    table.setAccessibleName(tr("Rows of the price list"))
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    make_quiet(table)
    table.setFrameShape(QTableView.Shape.StyledPanel)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    header = table.horizontalHeader()
    metrics = table.fontMetrics()
    for place, sample in enumerate(_SAMPLES):
        wide = max(sample_width(metrics, sample), metrics.horizontalAdvance(tr(HEADINGS[place])))
        header.resizeSection(place, wide + 24)
    return table
