"""Plain text in as many lines as it needs, up to a number; cut only where these do not hold it."""

from __future__ import annotations

import re

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.views.elided_label import LEAST_WIDTH, ROOM_ABOVE_AND_BELOW, ElidedLabel

_UNITS_BLANK = re.compile(r"(?<=\d) (?=\S)")
"""A number and its unit stand in one line."""


class LinesLabel(ElidedLabel):
    """As `ElidedLabel`, and as wide as there is room; the layout moves only when a line comes or goes."""

    def __init__(self, most_lines: int, parent: QWidget | None = None) -> None:
        self._most_lines = most_lines
        self._lines: tuple[str, ...] = ("",)
        super().__init__(parent)
        self.fill_width()

    def setText(self, text: str) -> None:
        super().setText(text)
        self._break()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._break()
        super().resizeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._break()

    def lines(self) -> tuple[str, ...]:
        """What is seen, line by line."""
        return tuple(line.rstrip() for line in self._lines)

    def shown_text(self) -> str:
        return "".join(self._lines)

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        inside, height = self.contentsRect(), self.fontMetrics().lineSpacing()
        top = inside.top() + (inside.height() - height * len(self._lines)) // 2
        for place, line in enumerate(self.lines()):
            self.style().drawItemText(
                painter, QRect(inside.left(), top + place * height, inside.width(), height),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.palette(), self.isEnabled(), line,
                self.foregroundRole(),
            )  # fmt: skip
        painter.end()

    def _height(self) -> int:
        return self.fontMetrics().lineSpacing() * len(self._lines) + ROOM_ABOVE_AND_BELOW

    def _break(self) -> None:
        before = len(self._lines)
        self._lines = self._broken(self.text(), max(self.contentsRect().width(), LEAST_WIDTH))
        self._tell_whole()
        if len(self._lines) != before:
            self.updateGeometry()

    def _broken(self, text: str, width: int) -> tuple[str, ...]:
        metrics = self.fontMetrics()
        if metrics.horizontalAdvance(text) <= width:
            return (text,)
        layout = QTextLayout(_UNITS_BLANK.sub("\u00a0", text), self.font())
        anywhere = QTextOption()
        anywhere.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(anywhere)
        lines: list[str] = []
        end = 0
        layout.beginLayout()
        while end < len(text) and len(lines) < self._most_lines - 1:
            line = layout.createLine()
            line.setLineWidth(width)
            lines.append(text[end : end + line.textLength()])
            end += line.textLength()
        layout.endLayout()
        if end < len(text):
            lines.append(metrics.elidedText(text[end:], Qt.TextElideMode.ElideRight, width))
        return tuple(lines)


MOST_TITLE_LINES = 3


class PlotTitle(LinesLabel):
    """The sentence over a plot, bolder than what stands under it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(MOST_TITLE_LINES, parent)
        font = self.font()
        font.setWeight(font.Weight.DemiBold)
        self.setFont(font)
