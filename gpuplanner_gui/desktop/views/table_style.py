"""What the tables share beside the style sheet."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent
from PySide6.QtWidgets import QAbstractItemView, QStyledItemDelegate, QStyleOptionViewItem, QTableView, QToolTip

from gpuplanner_gui.desktop.views.elided_label import plain_tool_tip
from gpuplanner_gui.drawing.plots.type_size import scaled
from gpuplanner_gui.drawing.shown_money import local_sign
from gpuplanner_gui.drawing.unit_words import unit_text

_ROW_HEIGHT = 24
_AMOUNT_OR_NUMBER = re.compile(r"(\$?)([\d\s.,]+?)(\s?)(/?[a-zA-Z][\w/]*)?")


def row_height() -> int:
    """Pixels of a line of any table: larger type stands in higher rows."""
    return round(scaled(_ROW_HEIGHT))


def sample_width(metrics: QFontMetrics, sample: str) -> int:
    """Room for a text that is as wide as most of its column, with its unit in the words of the language."""
    said = _AMOUNT_OR_NUMBER.fullmatch(sample)
    if said is None:
        return metrics.horizontalAdvance(sample)
    sign, number, blank, unit = said.groups()
    return metrics.horizontalAdvance(f"{local_sign(sign)}{number}{blank}{unit_text(unit or '')}")


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
