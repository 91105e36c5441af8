"""A check box whose words are cut where they do not fit."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QStyle, QStyleOptionButton, QStylePainter, QWidget

from gpuplanner_gui.desktop.views.elided_label import plain_tool_tip

LEAST_LETTERS = 4
"""Of the words, which remain to be read however narrow the box is."""


class ElidedCheckBox(QCheckBox):
    """As wide as its words where there is room; else they end in an ellipsis, and the tool tip has them whole."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        whole = super().sizeHint()
        words = self.fontMetrics().size(Qt.TextFlag.TextShowMnemonic, self.text()).width()
        least = min(words, self.fontMetrics().averageCharWidth() * LEAST_LETTERS)
        return QSize(whole.width() - words + least, whole.height())

    def shown_text(self) -> str:
        """What there is room for, with its mnemonic."""
        option = self._option()
        room = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxContents, option, self).width()
        if self.width() >= self.sizeHint().width():
            return self.text()
        mnemonic = Qt.TextFlag.TextShowMnemonic.value
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room, mnemonic)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        is_whole = self.shown_text() == self.text()
        self.setToolTip("" if is_whole else plain_tool_tip(self.text().replace("&", "")))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = self._option()
        option.text = self.shown_text()
        painter.drawControl(QStyle.ControlElement.CE_CheckBox, option)
        painter.end()

    def _option(self) -> QStyleOptionButton:
        option = QStyleOptionButton()
        self.initStyleOption(option)
        return option
