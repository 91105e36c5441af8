"""What the tables share beside the style sheet."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QToolTip

from gpuplanner_gui.desktop.views.elided_label import plain_tool_tip
from gpuplanner_gui.drawing.plots.type_size import scaled

_ROW_HEIGHT = 24


def row_height() -> int:
    """Pixels of a line of any table: larger type stands in higher rows."""
    return round(scaled(_ROW_HEIGHT))


def make_quiet(table: QTableView) -> None:
    """Neither grid nor frame nor row numbers; every second row shaded; what a cell cuts is in its tool tip."""
    table.setShowGrid(False)
    table.setAlternatingRowColors(True)
    table.setFrameShape(QTableView.Shape.NoFrame)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_height())
    table.horizontalHeader().setHighlightSections(False)
    table.setItemDelegate(CutCells(table))


class CutCells(QStyledItemDelegate):
    """A cell whose text is cut tells it whole, where its model has no tool tip of its own."""

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        text = index.data(Qt.ItemDataRole.DisplayRole)
        has_own = bool(index.data(Qt.ItemDataRole.ToolTipRole))
        if event.type() != QEvent.Type.ToolTip or has_own or not isinstance(text, str):
            return super().helpEvent(event, view, option, index)
        is_cut = self.sizeHint(option, index).width() > view.visualRect(index).width()
        QToolTip.showText(event.globalPos(), plain_tool_tip(text) if is_cut else "", view)
        return is_cut
