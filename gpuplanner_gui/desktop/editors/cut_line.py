"""A line to type in whose text, where it is too long, ends in dots and is read whole in the tool tip."""

from __future__ import annotations

import html

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QStyle, QStyleOptionFrame, QToolTip, QWidget

TEXT_MARGIN = 2
"""Pixels that Qt leaves between a line's frame and its text."""


class CutLine(QLineEdit):
    """`QLineEdit` cuts a text in the middle of a letter; here it is seen that there is more."""

    def shown_text(self) -> str:
        """What there is room for while nobody types."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self._text_place().width())

    def is_cut(self) -> bool:
        return self.shown_text() != self.text()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.hasFocus() or not self.text() or not self.is_cut():
            super().paintEvent(event)
            return
        painter = QPainter(self)
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelLineEdit, option, painter, self)
        place, height = self._text_place(), self.fontMetrics().height()
        # Where Qt itself puts the line: rounded down, not up, it would jump when the field is entered.
        place = QRect(place.left(), place.top() + (place.height() - height + 1) // 2, place.width(), height)
        self.style().drawItemText(
            painter, place, Qt.AlignmentFlag.AlignLeft, self.palette(), self.isEnabled(), self.shown_text(),
            self.foregroundRole(),
        )  # fmt: skip
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.is_cut():
            help_text = _help_of(self)
            whole = f"<span>{html.escape(self.text())}</span>"
            QToolTip.showText(event.globalPos(), f"{whole}<br><br>{help_text}" if help_text else whole, self)
            return True
        return super().event(event)

    def _text_place(self) -> QRect:
        option = QStyleOptionFrame()
        self.initStyleOption(option)
        inside = self.style().subElementRect(QStyle.SubElement.SE_LineEditContents, option, self)
        return inside.marginsRemoved(self.textMargins()).adjusted(TEXT_MARGIN, 0, -TEXT_MARGIN, 0)


def _help_of(widget: QWidget | None) -> str:
    """The tool tip of a widget, or of the nearest that it stands in."""
    while widget is not None:
        if widget.toolTip():
            return widget.toolTip()
        widget = widget.parentWidget()
    return ""
