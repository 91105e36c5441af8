"""The numbers of a page as a list: any of them can be asked why it is what it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHeaderView, QLabel, QLineEdit, QTreeWidget, QTreeWidgetItem, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.clear_button import add_clear_button
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.drawing.numbers import Number

NUMBER_ROLE = Qt.ItemDataRole.UserRole


class NumbersList(QWidget):
    """Titles and values, with a field that leaves those that hold its words; Enter or a double click asks."""

    chosen = Signal(str, str)
    """Stage and place of the number that is asked about."""
    kept = ("filter", "tree")

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = QLabel(tr("Choose a number of this page to see what it comes from."), self)
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._hint.setWordWrap(True)
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(tr("Name or value"))
        self.filter.setAccessibleName(tr("Numbers to show"))
        add_clear_button(self.filter)
        self.filter.textChanged.connect(self._apply_filter)
        self.filter.returnPressed.connect(self._ask_first)
        self.tree = QTreeWidget(self)
        self.tree.setAccessibleName(tr("Numbers of this page"))
        self.tree.setHeaderLabels([tr("Number"), tr("Value")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setAlternatingRowColors(True)
        self.tree.setFrameShape(QTreeWidget.Shape.NoFrame)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.itemActivated.connect(self._ask)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self._hint)
        layout.addWidget(self.filter)
        layout.addWidget(self.tree, 1)

    def show_numbers(self, numbers: Sequence[Number], words: str = "") -> None:
        """List these; `words` fills the field."""
        self.tree.clear()
        items = []
        for one in numbers:
            item = QTreeWidgetItem([one.title, one.text])
            item.setToolTip(0, one.title)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setData(0, NUMBER_ROLE, (one.stage, one.place))
            items.append(item)
        self.tree.addTopLevelItems(items)
        self._hint.setText(
            tr("Choose a number of this page to see what it comes from.") if items else tr("No numbers are there yet.")
        )
        self.filter.setText(words)
        self._apply_filter(words)

    def _apply_filter(self, words: str) -> None:
        sought = words.casefold().split()
        for index in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(index)
            if item is not None:
                text = f"{item.text(0)} {item.text(1)}".casefold()
                item.setHidden(not all(word in text for word in sought))

    def _ask_first(self) -> None:
        for index in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(index)
            if item is not None and not item.isHidden():
                self._ask(item)
                return

    def _ask(self, item: QTreeWidgetItem, column: int = 0) -> None:
        self.chosen.emit(*item.data(0, NUMBER_ROLE))
