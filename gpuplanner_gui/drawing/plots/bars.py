"""Rows of horizontal bars: spans, stacked parts, marks across them and a note behind each, painted as one item."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPolygonF

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.drawing.language import Phrase
from gpuplanner_gui.drawing.palette import Theme
from gpuplanner_gui.drawing.plots.axes import AxisScale, HeldRange, NameAxis, ValueAxis
from gpuplanner_gui.drawing.plots.base import LEAST_HEIGHT_WITH_COUNTS, Plot
from gpuplanner_gui.drawing.plots.legend import LegendEntry, keyed
from gpuplanner_gui.drawing.plots.names import MARGIN, Frame, Name, Size
from gpuplanner_gui.drawing.plots.pens import pen, readable_on, scaled, tick_font
from gpuplanner_gui.drawing.plots.picks import Pick, candidate_pick
from gpuplanner_gui.drawing.results import Results

HALF = 0.32
"""Half a bar's height, of a row's."""
AXIS_PIXELS, LABEL_PIXELS, ROW_PIXELS = 22, 18, 17
ROW_REACH = 0.42
"""Half the height of a row in which the mouse is at its bar, of a row's."""
LEAST_ROWS = 4
"""Fewer bars are not drawn thicker than four."""
LEAST_NOTE, NOTE_ROOM, MOST_NOTE_SHARE = 56, 28, 0.6
"""Pixels kept for a note behind a bar and around it, and the most of the bars' room that it gets."""
NOTE_GAP = 8.0
"""Pixels between a bar and its note."""
WIDTH_STEP = 0.05
"""Relative change of the width from which a plot is drawn again."""
FAINT = 0.62
"""Opacity of rows beside."""
THINNEST = 0.005
"""Least drawn length of a span, as a share of the view's width."""
END_OF_AXIS = 1e-6
"""A value that is the end itself is written."""
ARROW = 7.0
"""Pixels of the arrow head of a span that goes on beyond the end of the axis."""
MOST_PARTS = 12
LEAST_SEEN = 0.001
"""Share of the longest bar from which a part of any bar is seen."""
ALL_ROWS = -1


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
    """A line across a row, or across all rows."""

    row: int
    at: float
    colour: str
    width: float = 2.0
    is_dashed: bool = False


@dataclass(frozen=True)
class Part:
    """One part of every stacked bar."""

    name: str
    colour: str
    is_hatched: bool = False


class RowItem(pg.GraphicsObject):
    """Draws spans and marks; holds no item of its own for each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: tuple[Span, ...] = ()
        self.marks: tuple[Mark, ...] = ()
        self.chosen_row = ALL_ROWS
        """Row that stands for the selected candidate: it has a ground."""
        self._rows, self._ends, self._most, self._faint_from = 0, (0.0, 1.0), math.inf, math.inf
        self._theme: Theme | None = None

    def show_rows(
        self,
        rows: int,
        ends: tuple[float, float],
        theme: Theme,
        spans: Iterable[Span],
        marks: Iterable[Mark],
        chosen_row: int = ALL_ROWS,
        faint_from: int | None = None,
        most: float = math.inf,
    ) -> None:
        """`ends` is the view's range; rows from `faint_from` on lie beside for comparison, under a line.

        Spans that go on beyond `most` end there in an arrow head.
        """
        self.prepareGeometryChange()
        self.spans, self.marks, self.chosen_row, self._theme = tuple(spans), tuple(marks), chosen_row, theme
        self._rows, self._ends, self._most = rows, ends, min(most * (1 + END_OF_AXIS), ends[1])
        self._faint_from = math.inf if faint_from is None else faint_from
        self.update()

    def boundingRect(self) -> QRectF:
        # All that is painted: what lay outside would be left behind when another row is the selected one.
        low, high = self._ends
        return QRectF(low, -0.6, high - low, max(self._rows, 1) + 0.2)

    def paint(self, painter: QPainter, *arguments: Any) -> None:
        if self._theme is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        # In pixels: bytes and dollars leave a matrix that browsers take for none, and show no bars in a drawing.
        pixels = painter.transform()
        painter.resetTransform()
        low, high = self._ends
        if self.chosen_row >= 0:
            painter.fillRect(
                pixels.mapRect(QRectF(low, self.chosen_row - 0.46, high - low, 0.92)), QColor(self._theme.grid)
            )
        if math.isfinite(self._faint_from):
            painter.setPen(pen(self._theme.muted, 1, Qt.PenStyle.DashLine))
            painter.drawLine(pixels.map(QLineF(low, self._faint_from - 0.5, high, self._faint_from - 0.5)))
        self._draw_marks(painter, pixels, [mark for mark in self.marks if mark.row == ALL_ROWS])
        begun = {(span.row, span.start, span.colour, span.is_hatched) for span in self.spans}
        thinnest, ends = (high - low) * THINNEST, []
        for span in self.spans:
            painter.setOpacity(FAINT if span.row >= self._faint_from else 1.0)
            start, end = float(np.clip(span.start, low, self._most)), float(np.clip(span.end, low, self._most))
            half, width = HALF * span.thickness, max(end - start, thinnest)
            place = pixels.mapRect(QRectF(start, span.row - half, width, 2 * half))
            self._draw_span(painter, place, span)
            goes_on = (span.row, span.end, span.colour, span.is_hatched) in begun
            if end - start >= thinnest and not goes_on and not span.start <= self._most < span.end:
                ends.append(QLineF(place.topRight(), place.bottomRight()))
        # Over all of them: the next span would cover the line before it, or not, as pixels are rounded.
        painter.setOpacity(1.0)
        painter.setPen(pen(self._theme.surface))
        painter.drawLines(ends)
        self._draw_marks(painter, pixels, [mark for mark in self.marks if mark.row != ALL_ROWS])

    def _draw_span(self, painter: QPainter, place: QRectF, span: Span) -> None:
        if span.start <= self._most < span.end:
            # The head ends where the axis does: behind it stands the row's note.
            place = place.adjusted(0.0, 0.0, -min(scaled(ARROW), place.width()), 0.0)
        style = Qt.BrushStyle.BDiagPattern if span.is_hatched else Qt.BrushStyle.SolidPattern
        painter.fillRect(place, QBrush(QColor(span.colour), style))
        if span.start <= self._most < span.end:
            self._draw_arrow(painter, place, QColor(span.colour))

    def _draw_arrow(self, painter: QPainter, place: QRectF, colour: QColor) -> None:
        """A head at the end of a span that goes on where nothing is drawn."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        tip = QPointF(place.right() + scaled(ARROW), place.center().y())
        painter.drawPolygon(QPolygonF([place.topRight(), tip, place.bottomRight()]))

    def _draw_marks(self, painter: QPainter, pixels: Any, marks: list[Mark]) -> None:
        for mark in marks:
            if self._ends[0] <= mark.at <= self._most:
                style = Qt.PenStyle.DashLine if mark.is_dashed else Qt.PenStyle.SolidLine
                painter.setPen(pen(mark.colour, mark.width, style))
                rows = (-0.6, self._rows - 0.4) if mark.row == ALL_ROWS else (mark.row - 0.42, mark.row + 0.42)
                painter.drawLine(pixels.map(QLineF(mark.at, rows[0], mark.at, rows[1])))


class BarPlot(Plot):
    """Horizontal bars, the first on top: what their length is, its unit, how many at most, parts that may be hidden."""

    LENGTH: Phrase
    UNIT = ""
    MOST_ROWS = 8
    PARTS: tuple[tuple[Phrase, str], ...] = ()
    """Name of each part of stacked bars, and the theme's name of its colour."""

    def __init__(self, workload: str = "", *, length: str = "", unit: str = "", most_rows: int = 0) -> None:
        self.most_rows = self.rows = most_rows or self.MOST_ROWS
        """Most bars; `rows` is the number that fits."""
        self._width = 660.0
        self._seen: NDArray[np.bool_] | None = None
        self._bar_pixels = 400.0
        self.names = NameAxis()
        x_axis = self.make_axis(unit or self.UNIT)
        super().__init__(x_axis, self.names)
        self.workload = workload or self.workload
        self.x_range = HeldRange(is_log=False)
        self.item.getViewBox().invertY(True)
        x_axis.setGrid(40)
        x_axis.setLabel(length or self.LENGTH.retold())
        self.names.setStyle(tickLength=0)
        self.bars = RowItem()
        self.add(self.bars)
        self._bar_count = 0
        # A click on the legend's entry of a part (`legend.keyed`) hides it; the others close up.
        self.set_toggles(**{f"part{part}": () for part in range(MOST_PARTS)})
        self.candidates: tuple[int, ...] = ()
        """The candidate of each bar."""
        self.drawn_lengths: Floats = np.zeros((0, 0))
        """Lengths of stacked parts as they are drawn: hidden ones are 0."""

    def make_axis(self, unit: str) -> ValueAxis:
        return ValueAxis("bottom", unit, AxisScale())

    def parts(self) -> tuple[Part, ...]:
        """Parts of stacked bars that the legend names, and hides at a click."""
        return tuple(Part(name.retold(), self.theme.named(colour)) for name, colour in self.PARTS)

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """Parts that some bar has, and what the plot's other marks are."""
        named = keyed(LegendEntry(part.name, part.colour) for part in self.parts())
        seen = [one for place, one in enumerate(named) if self._seen is None or self._seen[place]]
        return (*seen, *super().legend_entries())

    def fit(self, width: float, height: float) -> None:
        super().fit(width, height)
        self._axes[0].showLabel(height >= scaled(LEAST_HEIGHT_WITH_COUNTS))
        rows = self._rows_within(height)
        is_narrower = self.names.use_width(width)
        is_rescaled = abs(width / self._width - 1) > WIDTH_STEP
        if is_rescaled:
            self._width = width
        if rows != self.rows or is_narrower or is_rescaled:
            self.rows = rows
            self.draw_again()

    def fit_rows(self, height: float) -> None:
        """Leave out rows for which a legend of more lines leaves no room; that of fewer brings none back by itself."""
        rows = self._rows_within(height)
        if rows < self.rows:
            self.rows = rows
            self.draw_again()

    def _rows_within(self, height: float) -> int:
        axis = AXIS_PIXELS + (LABEL_PIXELS if height >= scaled(LEAST_HEIGHT_WITH_COUNTS) else 0)
        room = height - scaled(axis) - (self.legend.wanted_height() if self.legend.isVisible() else 0)
        return max(2, min(self.most_rows, int(room / scaled(ROW_PIXELS))))

    def show_nothing(self, message: str) -> None:
        """Say why there is nothing to see."""
        self.candidates, self._bar_count = (), 0
        self.show_message(message)

    def show_stacks(
        self,
        names: Sequence[str],
        parts: Sequence[Part],
        lengths: Floats,
        *,
        notes: Sequence[str] = (),
        capacity: Floats | None = None,
        longest: float | None = None,
        chosen_row: int = ALL_ROWS,
        faint_from: int | None = None,
        is_noted_at_ends: bool = False,
    ) -> None:
        """Bars of stacked parts, lengths of shape (rows, parts), with the row's capacity as a mark across each.

        `longest` ends the view where a bar is too long for the others to be readable. Notes stand behind the marks, or
        behind the bars where they say how long those are.
        """
        lengths = np.nan_to_num(lengths)
        wholes = lengths.sum(axis=1)
        seen = lengths.max(axis=0, initial=0.0) > LEAST_SEEN * wholes.max(initial=0.0)
        self._note_seen(seen)
        marks = np.full(len(wholes), np.nan) if capacity is None else np.asarray(capacity, np.float64)
        is_stated = longest is not None
        longest = (
            float(max(wholes.max(initial=0.0), np.nan_to_num(marks).max(initial=0.0))) if longest is None else longest
        )
        # Behind an empty bar there is all the room.
        behind = [note for note, whole in zip(notes, wholes) if whole > 0]
        self._end_axis_at(longest if is_stated else math.inf)
        ends = self._set_ends(names, 0.0, longest, behind)
        lengths = self._without_hidden(lengths)
        edges = np.cumsum(lengths, axis=1)
        spans = [
            Span(row, float(end - length), float(end), part.colour, 1.0, part.is_hatched)
            for row in range(len(lengths))
            for part, end, length, is_seen in zip(parts, edges[row], lengths[row], seen)
            # The thinnest span is wider than what is not seen: it would be a sliver that the legend does not name.
            if length > 0 and is_seen
        ]
        lines = [
            Mark(row, float(at), self.theme.bad if wholes[row] > at else self.theme.text)
            for row, at in enumerate(marks)
            if np.isfinite(at)
        ]
        self.drawn_lengths = lengths
        self._bar_count = len(names)
        self.bars.show_rows(len(names), ends, self.theme, spans, lines, chosen_row, faint_from)
        inside = self._names_inside(max(chosen_row, 0), parts, edges, lengths) if len(parts) > 1 and names else ()
        self._set_notes(notes, wholes if is_noted_at_ends else np.fmax(wholes, marks), inside, marks)

    def _note_seen(self, seen: NDArray[np.bool_]) -> None:
        """Leave parts that no bar has out of the legend."""
        named = len(self.parts())
        if len(seen) >= named and (self._seen is None or not np.array_equal(seen[:named], self._seen)):
            self._seen = seen[:named]
            self.set_legend(*self.legend_entries())

    def _names_inside(self, row: int, parts: Sequence[Part], edges: Floats, lengths: Floats) -> Iterator[Name]:
        """Names in the parts of one bar that are long enough: nobody has to find their colours in the legend."""
        for place, part in enumerate(parts):
            if not part.name or part.is_hatched:
                continue
            end = float(edges[row, place])
            # A part without length has a name without a place: as many texts are kept whatever is selected.
            offers = inside_offers(row, end - float(lengths[row, place]), end)
            colour = readable_on(part.colour, self.theme)
            yield Name(part.name, colour, offers, of=self.bars, may_cross=True, is_clear_first=True)

    def _without_hidden(self, lengths: Floats) -> Floats:
        hidden = [part for part in range(lengths.shape[1]) if f"part{part}" in self.hidden]
        shown = lengths.copy()
        shown[:, hidden] = 0.0
        return shown

    def show_spans(
        self,
        names: Sequence[str],
        spans: Sequence[Span],
        ends: tuple[float, float],
        *,
        marks: Sequence[Mark] = (),
        notes: Sequence[str] = (),
        are_notes_at_end: bool = False,
    ) -> None:
        """Spans between any two values of a range; notes stand behind each row's last span, or behind the range."""
        most = ends[1]
        self._end_axis_at(most)
        low, high = self._set_ends(names, *ends, notes, is_held=False)
        self._bar_count = len(names)
        self.bars.show_rows(len(names), (low, high), self.theme, spans, marks, most=most)
        last = [
            max((span.end for span in spans if span.row == row and math.isfinite(span.end)), default=low)
            for row in range(len(names))
        ]
        self._set_notes(notes, np.full(len(names), most) if are_notes_at_end else np.array(last, np.float64))

    def _end_axis_at(self, most: float) -> None:
        """Write no values beyond, where notes stand."""
        axis = self._axes[0]
        if isinstance(axis, ValueAxis) and axis.most != most * (1 + END_OF_AXIS):
            axis.most, axis.picture = most * (1 + END_OF_AXIS), None

    def _set_notes(
        self, notes: Sequence[str], at: Floats, inside: Iterable[Name] = (), marks: Floats | None = None
    ) -> None:
        """A note behind each row, muted where it has no bar, and not on its mark; and names inside bars."""
        marks = np.full(len(at), np.nan) if marks is None else marks
        colours = [self.theme.text if one else self.theme.muted for one in at]
        self.name_all(*(
            Name(
                note, colours[row], note_offers(row, float(at[row]), float(marks[row])), of=self.bars,
                may_cross=True, is_clear_first=True,
            )
            for row, note in enumerate(notes)
            if note
        ), *inside)  # fmt: skip

    def _set_ends(
        self, names: Sequence[str], low: float, high: float, notes: Sequence[str], *, is_held: bool = True
    ) -> tuple[float, float]:
        """Name the rows and fit the range, with room for a note behind the longest; returns the range."""
        self.names.show_names(tuple(names))
        if any(notes):
            high = low + (high - low) / (1 - self._note_share(notes))
            if is_held:
                low, high = self.x_range.around(low, high)
        if not high > low:
            high = low + 1.0
        self.show_range((low, high), (-0.6, max(len(names), LEAST_ROWS) - 0.4))
        return low, high

    def _note_share(self, notes: Sequence[str]) -> float:
        """Part of the room beside the names that a note needs; the range begins anew where that room changes."""
        metrics = QFontMetricsF(tick_font())
        needed = max(scaled(LEAST_NOTE), *(metrics.horizontalAdvance(note) for note in notes)) + scaled(NOTE_ROOM)
        room = max(self._width - self.names.names_width, 1.0)
        if abs(room / self._bar_pixels - 1) > WIDTH_STEP:
            self._bar_pixels = room
            self.x_range.forget()
        return min(needed / self._bar_pixels, MOST_NOTE_SHARE)

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        return {self.workload: self.candidates} if self.candidates else {}

    def row_at(self, y: float) -> int:
        """Row of the bar at a height of the view; -1 for none."""
        row = round(y)
        return row if 0 <= row < self._bar_count and abs(y - row) <= ROW_REACH else -1

    def readout_at(self, x: float, y: float) -> str:
        row = self.row_at(y)
        return self.row_readout(self.results, row, x) if row >= 0 and self.results is not None else ""

    def row_readout(self, results: Results, row: int, x: float) -> str:
        """The readout of a bar at a place along it."""
        return ""

    def pick_at(self, x: float, y: float) -> Pick | None:
        row = self.row_at(y)
        if not 0 <= row < len(self.candidates):
            return None
        return candidate_pick(self.results, self.workload, self.candidates[row])


def inside_offers(row: float, start: float, end: float) -> Callable[[Size, Frame], Floats]:
    """The middle of a part of a bar, where a name has room in it."""

    def offers(size: Size, frame: Frame) -> Floats:
        width, height = size
        left, right = float(frame.across(start)), min(float(frame.across(end)), frame.width)
        top, bottom = sorted((float(frame.down(row - HALF)), float(frame.down(row + HALF))))
        if right - left < width + NOTE_GAP or bottom - top < height:
            return np.empty((0, 4))
        return np.array([((left + right - width) / 2, (top + bottom - height) / 2, width, height)])

    return offers


def note_offers(row: float, at: float, mark: float = math.nan) -> Callable[[Size, Frame], Floats]:
    """Offers for a note behind the end of a bar or a mark near it, or before the end of a bar that reaches the edge."""

    def offers(size: Size, frame: Frame) -> Floats:
        left, middle = float(frame.across(at)), float(frame.down(row))
        width, height = size
        if left < float(frame.across(mark)) < left + NOTE_GAP + width:
            left = float(frame.across(mark))
        return np.array([
            (left + NOTE_GAP - MARGIN, middle - height / 2, width, height),
            (min(left, frame.width) - width - NOTE_GAP, middle - height / 2, width, height),
        ])  # fmt: skip

    return offers
