"""One line of text, cut where it does not fit."""

from __future__ import annotations

import html

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

LEAST_WIDTH = 20
ROOM_ABOVE_AND_BELOW = 2
ROUNDING_WIDTH = 1
"""An advance is rounded to whole pixels, and what is cut off is reckoned without rounding."""


class ElidedLabel(QLabel):
    """One line of plain text, cut with an ellipsis where it does not fit; the whole of it in the tool tip.

    Paints itself: a `QLabel` that is given a text has everything around it laid out anew, up to the window. Here that
    happens only where the width follows the text, which `fill_width` ends.
    """

    def __init__(self, parent: QWidget | None = None, name: str = "") -> None:
        """`name` is what a screen reader says before the text."""
        super().__init__(parent)
        self._name = name
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setMinimumWidth(LEAST_WIDTH)
        self._whole = ""

    def setText(self, text: str) -> None:
        if text != self._whole:
            width = self.sizeHint().width()
            self._whole = text
            self.setAccessibleName(f"{self._name}: {text}" if self._name else text)
            self._tell_whole()
            self.update()
            has_own_width = self.sizePolicy().horizontalPolicy() is not QSizePolicy.Policy.Ignored
            if has_own_width and self.sizeHint().width() != width:
                self.updateGeometry()

    def fill_width(self) -> None:
        """Be as wide as there is room, whatever the text."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def keep_width(self) -> None:
        """Be as wide as for the present text with shorter ones too."""
        self.setMinimumWidth(self.sizeHint().width())

    def text(self) -> str:
        return self._whole

    def shown_text(self) -> str:
        """What there is room for."""
        return self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.contentsRect().width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_whole()

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self._line_height())

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        text_width = self.fontMetrics().horizontalAdvance(self._whole) + ROUNDING_WIDTH
        needed = text_width + margins.left() + margins.right()
        return QSize(max(needed, self.minimumWidth()), self._line_height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        place = Qt.AlignmentFlag.AlignVCenter | self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask
        self.style().drawItemText(
            painter, self.contentsRect(), place, self.palette(), self.isEnabled(), self.shown_text(),
            self.foregroundRole(),
        )  # fmt: skip
        painter.end()

    def _line_height(self) -> int:
        margins = self.contentsMargins()
        return self.fontMetrics().height() + ROOM_ABOVE_AND_BELOW + margins.top() + margins.bottom()

    def _tell_whole(self) -> None:
        self.setToolTip("" if self.shown_text() == self._whole else plain_tool_tip(self._whole))


def plain_tool_tip(text: str) -> str:
    """A tool tip has no plain-text switch: what looks like markup is escaped."""
    return f"<span>{html.escape(text)}</span>" if "<" in text or "&" in text else text
