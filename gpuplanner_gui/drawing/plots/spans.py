"""Rows of spans as one kept item: from here to there, with marks across them and a note behind each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QTransform

from gpuplanner_gui.drawing.palette import Theme
from gpuplanner_gui.drawing.plots.base import MOST_NOTE_SHARE, BarPlot, pen, tick_font
from gpuplanner_gui.drawing.plots.type_size import scaled

HALF = 0.3
NOTE_PIXELS = 140.0


@dataclass(frozen=True)
class Span:
    """One stretch of a row; `thickness` of 1 fills a bar's usual height."""

    row: int
    start: float
    end: float
    colour: str
    thickness: float = 1.0
    is_hatched: bool = False


@dataclass(frozen=True)
class Mark:
    """A line across a row, or across all rows (`row` of -1)."""

    row: int
    at: float
    colour: str
    width: float = 2.0
    is_dashed: bool = False


class SpanItem(pg.GraphicsObject):
    """Draws spans, marks and notes; holds no item of its own for each of them but the notes."""

    def __init__(self) -> None:
        super().__init__()
        self._spans: tuple[Span, ...] = ()
        self._marks: tuple[Mark, ...] = ()
        self._rows = 0
        self._ends = (0.0, 1.0)
        self._notes: list[pg.TextItem] = []
        self._pixels = QTransform()

    def show_spans(
        self,
        spans: Sequence[Span],
        marks: Sequence[Mark],
        notes: Sequence[str],
        ends: tuple[float, float],
        theme: Theme,
        notes_at: Sequence[float] | None = None,
    ) -> None:
        """`ends` is the view's range; notes stand behind each row's last span, or at `notes_at`."""
        self.prepareGeometryChange()
        self._spans, self._marks, self._rows, self._ends = tuple(spans), tuple(marks), len(notes), ends
        self._place_notes(notes, theme, notes_at)
        self.update()

    def boundingRect(self) -> QRectF:
        low, high = self._ends
        return QRectF(low, -0.6, high - low, max(self._rows, 1) + 0.2)

    def paint(self, painter: QPainter, *arguments: Any) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        # In pixels, for the same reason as stacked bars.
        self._pixels = painter.transform()
        painter.resetTransform()
        low, high = self._ends
        for mark in (mark for mark in self._marks if mark.row < 0):
            self._draw_mark(painter, mark)
        for span in self._spans:
            start, end = np.clip((span.start, span.end), low, high)
            half = HALF * span.thickness
            width = max(float(end - start), (high - low) * 0.005)
            place = self._pixels.mapRect(QRectF(float(start), span.row - half, width, 2 * half))
            if span.is_hatched:
                painter.fillRect(place, QBrush(QColor(span.colour), Qt.BrushStyle.BDiagPattern))
                painter.setPen(pen(span.colour))
                painter.drawRect(place)
            else:
                painter.fillRect(place, QColor(span.colour))
        for mark in (mark for mark in self._marks if mark.row >= 0):
            self._draw_mark(painter, mark)

    def _draw_mark(self, painter: QPainter, mark: Mark) -> None:
        low, high = self._ends
        if low <= mark.at <= high:
            style = Qt.PenStyle.DashLine if mark.is_dashed else Qt.PenStyle.SolidLine
            painter.setPen(pen(mark.colour, mark.width, style))
            rows = (-0.6, self._rows - 0.4) if mark.row < 0 else (mark.row - 0.42, mark.row + 0.42)
            painter.drawLine(self._pixels.map(QLineF(mark.at, rows[0], mark.at, rows[1])))

    def _place_notes(self, notes: Sequence[str], theme: Theme, notes_at: Sequence[float] | None) -> None:
        while len(self._notes) < len(notes):
            note = pg.TextItem(anchor=(0, 0.5), fill=None)
            note.setFont(tick_font())
            note.setParentItem(self)
            self._notes.append(note)
        low, high = self._ends
        for row, note in enumerate(self._notes):
            text = notes[row] if row < len(notes) else ""
            note.setVisible(bool(text))
            if not text:
                continue
            note.setColor(QColor(theme.text))
            note.setText(text)
            ends = [span.end for span in self._spans if span.row == row and np.isfinite(span.end)]
            at = notes_at[row] if notes_at is not None else max(ends, default=low)
            note.setAnchor((0, 0.5))
            note.setPos(float(np.clip(at, low, high)), row)


class SpanPlot(BarPlot):
    """Rows of spans between any two values."""

    def __init__(self, unit: str, theme: Theme, most_rows: int) -> None:
        super().__init__(unit, theme, most_rows)
        self.spans = SpanItem()
        self.item.addItem(self.spans, ignoreBounds=True)

    def set_rows(
        self, names: Sequence[str], low: float, high: float, note_pixels: float = NOTE_PIXELS
    ) -> tuple[float, float]:
        """Name the rows and show this range, with room for notes on the right; returns the range shown."""
        self.names.show_names(tuple(names))
        high = low + (high - low) / (1 - min(scaled(note_pixels) / self._bar_room(), MOST_NOTE_SHARE))
        if not high > low:
            high = low + 1.0
        view = self.item.getViewBox()
        wanted = [[low, high], [-0.6, max(len(names), 4) - 0.4]]
        if [sorted(ends) for ends in view.viewRange()] != wanted:
            view.setRange(xRange=wanted[0], yRange=wanted[1], padding=0)
        return low, high

    def show_nothing(self, message: str) -> None:
        """Say why there is nothing to see."""
        self.spans.setVisible(False)
        self.show_message(message)
