"""A line of swatches and names under a plot; part of the picture, so that it is exported with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import pyqtgraph as pg
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen

SWATCH = 10.0
LINE_SWATCH = 22.0
"""Length of a line's swatch, so that a dash can be seen. [pixels]"""
GAP = 5.0
BETWEEN = 12.0
HIDDEN_OPACITY = 0.5
SYMBOL_PEN = 1.5


@dataclass(frozen=True)
class LegendEntry:
    """One name: a filled swatch, or a line where `dash` is set."""

    name: str
    colour: str
    style: str = "fill"
    """fill, hatch, line, dash, dot, dashdot or outline; else the name of a symbol, drawn hollow."""
    key: str = ""
    """Key of the items that a click on the entry hides; empty for none."""
    has_line: bool = field(default=False, kw_only=True)
    """Whether a line in the same colour belongs to the symbol."""


def keyed(entries: Iterable[LegendEntry]) -> tuple[LegendEntry, ...]:
    """Entries for the parts of stacked bars, in their order: a click hides the part and shows it again."""
    return tuple(replace(entry, key=f"part{place}") for place, entry in enumerate(entries))


_PEN_STYLES = {"line": Qt.PenStyle.SolidLine, "dash": Qt.PenStyle.DashLine, "dot": Qt.PenStyle.DotLine,
               "dashdot": Qt.PenStyle.DashDotLine}  # fmt: skip


class LegendStrip(pg.GraphicsWidget):
    """Entries from left to right, wrapped where the plot is narrow."""

    height_changed = Signal()

    def __init__(self, font: QFont) -> None:
        super().__init__()
        self._entries: tuple[LegendEntry, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._text = QColor("black")
        self._font = font
        self._metrics = QFontMetricsF(font)
        self._height = -1.0

    def show_entries(self, entries: tuple[LegendEntry, ...], text_colour: str) -> None:
        if entries == self._entries and self._text.name() == QColor(text_colour).name():
            return
        self._entries, self._text = entries, QColor(text_colour)
        self._fit()
        self.update()

    @property
    def entries(self) -> tuple[LegendEntry, ...]:
        return self._entries

    def show_hidden(self, keys: frozenset[str]) -> None:
        """Strike out the entries whose curves are hidden."""
        if keys != self._hidden:
            self._hidden = keys
            self.update()

    def entry_at(self, scene_position: QPointF) -> LegendEntry | None:
        """The entry under a position of the scene."""
        place = self.mapFromScene(scene_position)
        if not self.isVisible() or not self.rect().contains(place):
            return None
        height = self._line_height()
        for entry, (left, line) in zip(self._entries, self._places()):
            width = _swatch_width(entry) + GAP + self._metrics.horizontalAdvance(entry.name)
            if QRectF(left, line * height, width, height).contains(place):
                return entry
        return None

    def wanted_height(self) -> float:
        return max(self._height, 0.0)

    def resizeEvent(self, event: Any) -> None:
        self._fit()

    def _fit(self) -> None:
        lines = 1 + max((line for _, line in self._places()), default=0)
        height = lines * self._line_height() if self._entries else 0.0
        if self._height != height:
            self._height = height
            self.setPreferredHeight(height)
            self.setMaximumHeight(height if self.isVisible() else 0.0)
            self.height_changed.emit()

    def _line_height(self) -> float:
        return max(self._metrics.height(), SWATCH) + 2

    def _places(self) -> list[tuple[float, int]]:
        """Left edge and line of each entry."""
        places, left, line = [], 0.0, 0
        width = max(self.size().width(), 60.0)
        for entry in self._entries:
            needed = _swatch_width(entry) + GAP + self._metrics.horizontalAdvance(entry.name)
            if left > 0 and left + needed > width:
                left, line = 0.0, line + 1
            places.append((left, line))
            left += needed + BETWEEN
        return places

    def paint(self, painter: QPainter, *arguments: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        height = self._line_height()
        for entry, (left, line) in zip(self._entries, self._places()):
            top = line * height
            swatch = QRectF(left, top + (height - SWATCH) / 2, _swatch_width(entry), SWATCH)
            is_hidden = bool(entry.key) and entry.key in self._hidden
            painter.setOpacity(HIDDEN_OPACITY if is_hidden else 1.0)
            _draw_swatch(painter, swatch, entry)
            self._font.setStrikeOut(is_hidden)
            painter.setFont(self._font)
            painter.setPen(QPen(self._text))
            space = QRectF(swatch.right() + GAP, top, self.size().width(), height)
            painter.drawText(space, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, entry.name)


def _swatch_width(entry: LegendEntry) -> float:
    is_broken = entry.style in _PEN_STYLES and entry.style != "line"
    return LINE_SWATCH if is_broken or entry.has_line else SWATCH


def _draw_swatch(painter: QPainter, swatch: QRectF, entry: LegendEntry) -> None:
    colour = QColor(entry.colour)
    if entry.style == "fill":
        painter.fillRect(swatch, colour)
    elif entry.style == "hatch":
        painter.fillRect(swatch, QBrush(colour, Qt.BrushStyle.BDiagPattern))
    elif entry.style == "outline":
        painter.setPen(QPen(colour))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(swatch.adjusted(0, 0, -1, -1))
    elif entry.style in Symbols:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.translate(swatch.center())
        if entry.has_line:
            painter.setPen(QPen(colour))
            for side in (-1, 1):  # The symbol is hollow, in the plot as here.
                painter.drawLine(QPointF(side * SWATCH / 2, 0), QPointF(side * swatch.width() / 2, 0))
        painter.scale(SWATCH, SWATCH)
        outline = QPen(colour, SYMBOL_PEN)
        outline.setCosmetic(True)
        painter.strokePath(Symbols[entry.style], outline)
        painter.restore()
    else:
        painter.setPen(QPen(QBrush(colour), 2, _PEN_STYLES[entry.style], Qt.PenCapStyle.FlatCap))
        middle = swatch.center().y()
        painter.drawLine(QPointF(swatch.left(), middle), QPointF(swatch.right(), middle))
