"""Horizontal stacked bars as one kept item, with a mark across each bar and a note behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QTransform

from gpuplanner_gui.drawing.palette import Theme
from gpuplanner_gui.drawing.plots.base import NO_BRUSH, brush, pen, tick_font

HATCH = Qt.BrushStyle.BDiagPattern
HALF = 0.32
"""Half a bar's height, of a row's."""


@dataclass(frozen=True)
class Part:
    """One part of every bar."""

    name: str
    colour: str
    is_hatched: bool = False


@dataclass(frozen=True)
class Bars:
    """What is drawn: lengths (rows, parts) in data units, a mark per row (NaN: none), a note per row."""

    parts: tuple[Part, ...]
    lengths: NDArray[np.float64]
    marks: NDArray[np.float64] | None = None
    notes: tuple[str, ...] = ()
    emphasised: int = -1
    """Row that stands for the selected candidate."""
    faint_from: int | None = None
    """First row of what is laid beside for comparison, drawn fainter and under a line."""


MOST_PARTS = 12
FAINT = 0.62
"""Opacity of rows beside."""


class PartSwitch:
    """Hides one part of every bar and shows it again, as a legend's entry does with a curve."""

    def __init__(self, bars: StackedBars, part: int) -> None:
        self._bars = bars
        self._part = part

    def setVisible(self, is_visible: bool) -> None:
        self._bars.show_part(self._part, is_visible)


class StackedBars(pg.GraphicsObject):
    """Draws the bars; holds no item of its own for each of them."""

    def __init__(self) -> None:
        super().__init__()
        self._hidden_parts: frozenset[int] = frozenset()
        self._bars: Bars | None = None
        self._theme: Theme | None = None
        self._end = 0.0
        """Of the view, where the ground of the selected candidate's row goes to."""
        self._notes: list[pg.TextItem] = []
        self._pixels = QTransform()
        """From data to what is painted on."""

    def show_bars(self, bars: Bars, theme: Theme, highest: float) -> None:
        """`highest` is where the view ends: a bar that goes further has its note before the edge."""
        self.prepareGeometryChange()
        self._bars, self._theme, self._end = bars, theme, highest
        self._place_notes(bars, theme, highest)
        self.update()

    def switches(self) -> dict[str, tuple[PartSwitch, ...]]:
        """What the keys of `legend.keyed` entries hide."""
        return {f"part{part}": (PartSwitch(self, part),) for part in range(MOST_PARTS)}

    def show_part(self, part: int, is_shown: bool) -> None:
        """Draw a part or leave it out; the others close up."""
        hidden = self._hidden_parts - {part} if is_shown else self._hidden_parts | {part}
        if hidden != self._hidden_parts:
            self._hidden_parts = hidden
            self.update()

    def drawn_lengths(self) -> NDArray[np.float64]:
        """Lengths as they are drawn: hidden parts are 0."""
        if self._bars is None:
            return np.zeros((0, 0))
        lengths = np.nan_to_num(self._bars.lengths)
        hidden = [part for part in self._hidden_parts if part < lengths.shape[1]]
        lengths[:, hidden] = 0.0
        return lengths

    def boundingRect(self) -> QRectF:
        if self._bars is None or not len(self._bars.lengths):
            return QRectF()
        # All that is painted: what lay outside would be left behind when another row is the selected one.
        return QRectF(0.0, -0.6, max(_longest(self._bars), self._end) or 1.0, len(self._bars.lengths) + 0.2)

    def paint(self, painter: QPainter, *arguments: Any) -> None:
        if self._bars is None or self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        # In pixels: bytes and dollars leave a matrix that browsers take for none, and show no bars in a drawing.
        self._pixels = painter.transform()
        painter.resetTransform()
        bars, theme = self._bars, self._theme
        ends = np.cumsum(self.drawn_lengths(), axis=1)
        wholes = np.nansum(bars.lengths, axis=1)
        for row, row_ends in enumerate(ends):
            if row == bars.emphasised:
                painter.fillRect(self._pixels.mapRect(QRectF(0, row - 0.46, self._end, 0.92)), QColor(theme.grid))
            is_beside = bars.faint_from is not None and row >= bars.faint_from
            if is_beside and row == bars.faint_from:
                painter.setPen(pen(theme.muted, 1, Qt.PenStyle.DashLine))
                painter.drawLine(self._pixels.map(QLineF(0, row - 0.5, self._end, row - 0.5)))
            painter.setOpacity(FAINT if is_beside else 1.0)
            start = 0.0
            for part, end in zip(bars.parts, row_ends):
                if end > start:
                    place = self._pixels.mapRect(QRectF(start, row - HALF, end - start, 2 * HALF))
                    self._draw_part(painter, place, part, theme)
                start = float(end)
            self._draw_mark(painter, row, float(wholes[row]))

    def _draw_part(self, painter: QPainter, place: QRectF, part: Part, theme: Theme) -> None:
        if part.is_hatched:
            painter.fillRect(place, QBrush(QColor(part.colour), HATCH))
        else:
            painter.fillRect(place, brush(part.colour))
        painter.setPen(pen(theme.surface))
        painter.drawLine(place.topRight(), place.bottomRight())

    def _draw_mark(self, painter: QPainter, row: int, end: float) -> None:
        if self._bars is None or self._theme is None or self._bars.marks is None:
            return
        mark = float(self._bars.marks[row])
        if np.isfinite(mark):
            painter.setPen(pen(self._theme.bad if end > mark else self._theme.text, 2))
            painter.drawLine(self._pixels.map(QLineF(mark, row - 0.42, mark, row + 0.42)))

    def _place_notes(self, bars: Bars, theme: Theme, highest: float) -> None:
        while len(self._notes) < len(bars.notes):
            note = pg.TextItem(anchor=(0, 0.5), fill=None)
            note.setFont(tick_font())
            note.setParentItem(self)
            self._notes.append(note)
        ends = np.nansum(bars.lengths, axis=1)
        for row, note in enumerate(self._notes):
            shown = row < len(bars.notes) and bool(bars.notes[row])
            note.setVisible(shown)
            if shown:
                mark = 0.0 if bars.marks is None else np.nan_to_num(bars.marks[row])
                if note.color != QColor(theme.text):
                    note.setColor(QColor(theme.text))
                if note.toPlainText() != bars.notes[row]:
                    note.setText(bars.notes[row])
                end = max(float(ends[row]), float(mark))
                is_cut = end > highest * 0.97
                _set_anchor(note, (1.0, 0.5) if is_cut else (0.0, 0.5))
                note.fill = brush(theme.surface) if is_cut else NO_BRUSH
                note.setPos(min(end, highest * 0.99), row)


def _set_anchor(note: pg.TextItem, anchor: tuple[float, float]) -> None:
    """Which point of its text a note is placed by; the same again would have it laid out anew."""
    if (note.anchor.x(), note.anchor.y()) != anchor:
        note.setAnchor(anchor)


def _longest(bars: Bars) -> float:
    ends = np.nansum(bars.lengths, axis=1)
    marks = [] if bars.marks is None else list(np.nan_to_num(bars.marks))
    return float(max([*ends, *marks], default=0.0))
