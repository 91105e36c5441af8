"""What every plot is: a pyqtgraph item with kept contents, a title that is a sentence, and its numbers as a table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QGraphicsItem

from gpuplanner_gui.drawing.language import Phrase
from gpuplanner_gui.drawing.palette import LIGHT, Theme
from gpuplanner_gui.drawing.plots.axes import ValueAxis
from gpuplanner_gui.drawing.plots.legend import LegendEntry, LegendStrip
from gpuplanner_gui.drawing.plots.names import Name, PlotNames
from gpuplanner_gui.drawing.plots.pens import scaled, tick_font
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.plots.plot_item import plot_item
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import NO_ROWS, Rows
from gpuplanner_gui.drawing.shown_money import money_of, money_shown

LEAST_HEIGHT_WITH_LEGEND = 96
LEAST_HEIGHT_WITH_LABEL, LEAST_HEIGHT_WITH_COUNTS = 180, 112
"""Pixels of a plot that titles its axes, and of one that titles those whose ticks have no unit to tell them by."""
LEAST_TICK_HEIGHT = 18
OUTDATED_OPACITY = 0.45


Swatch = tuple[Phrase, str, str] | tuple[Phrase, str]
"""A legend entry as data: its text, the theme's name of the colour, and its style if it is not a fill."""


class Plot(QObject):
    """One picture. `show` fills it; `title`, `message` and `as_rows` tell in words what it shows.

    A plot that derives from it says as data what it is: `ABOUT`, `LEGEND`, and the axes of its kind. It implements
    `draw`, and `table` for its numbers.
    """

    ABOUT: Phrase
    """Help of the plot: what it shows and how to read it."""
    LEGEND: tuple[Swatch, ...] = ()

    value_edited = Signal(str, object)
    """A line was dragged: path in the scenario, new value."""
    candidate_picked = Signal(str, int)
    """A bar, point or curve was clicked: workload, index in its table."""
    scenario_picked = Signal(str)
    """Emits the name of another scenario whose mark was clicked."""

    workload = "serving"
    x_link = ""
    """Plots with the same word share their cross-hair: it stands at the same value of the horizontal axis."""
    made_of: tuple[str, ...] = ()
    """Columns of a candidate that the plot works its own figures out from."""
    switchable: tuple[str, ...] = ()
    """Axes, "x" and "y", that the planner may turn from linear to logarithmic and back."""
    handles: tuple[pg.InfiniteLine, ...] = ()
    """Lines that the planner may drag."""

    variant = ""
    """Tells plots of a kind apart for which the planner may choose otherwise."""

    def __init__(self, x_axis: pg.AxisItem, y_axis: pg.AxisItem) -> None:
        super().__init__()
        self.theme = LIGHT
        self._is_coloured = False
        self.title = ""
        self.message = ""
        """Why there is nothing to see; empty when there is."""
        self.is_outdated = False
        """Whether the picture belongs to an earlier plan."""
        self.results: Results | None = None
        self.item = plot_item(x_axis, y_axis)
        self.item.hideButtons()
        self.item.setMouseEnabled(x=False, y=False)
        self.item.getViewBox().setDefaultPadding(0.0)
        self._contents = self.item.getViewBox().childGroup
        """All that is drawn within the axes: seen only where there is something to show."""
        self._contents.setVisible(False)
        self.legend = LegendStrip(tick_font())
        self.item.layout.addItem(self.legend, 4, 0, 1, 2)
        self.labels = PlotNames(self.item)
        """Names within the plot."""
        for axis in (x_axis, y_axis):
            axis.setStyle(tickFont=tick_font(), tickLength=-4, autoReduceTextSpace=False, hideOverlappingLabels=False)
        # Left to itself, the axis gives its texts four fifths of their height, and cuts large type off below.
        height = math.ceil(QFontMetricsF(tick_font()).height())
        x_axis.setStyle(autoExpandTextSpace=False, tickTextHeight=max(height, LEAST_TICK_HEIGHT))
        self._axes = (x_axis, y_axis)
        self._toggles: dict[str, tuple[Any, ...]] = {}
        self.hidden: frozenset[str] = frozenset()
        """Keys of the legend entries whose curves the planner has hidden."""

    @contextmanager
    def as_vectors(self) -> Iterator[None]:
        """Meanwhile nothing is painted from a picture that was kept for the screen."""
        before = [axis.cacheMode() for axis in self._axes]
        scene = self.item.scene()
        symbols = [one for one in scene.items() if isinstance(one, pg.ScatterPlotItem)] if scene is not None else []
        for axis in self._axes:
            axis.setCacheMode(QGraphicsItem.CacheMode.NoCache)
        for one in symbols:
            one.setExportMode(True, {})
        yield
        for one in symbols:
            one.setExportMode(False)
        for axis, mode in zip(self._axes, before):
            axis.setCacheMode(mode)

    def keep_axes(self) -> None:
        """Cache ticks, their texts and the grid on a screen, so that a new curve does not repaint them."""
        for axis in self._axes:
            axis.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)

    @property
    def settings_name(self) -> str:
        """Key under which the planner's choices for this plot are stored."""
        return ".".join(part for part in (type(self).__name__, self.variant) if part)

    def show(self, results: Results) -> None:
        """Fill the kept items from results."""
        if not self._is_coloured:
            self.take_colours()
        self.results = results
        self._set_outdated(False)
        self.labels.is_held = True
        with money_shown(money_of(results.scenario.economics)):
            for axis in self._axes:
                if isinstance(axis, ValueAxis):
                    axis.follow_money()
            self.draw(results)
        self._hide_hidden()
        self._contents.setVisible(not self.message)
        self.labels.is_held = False
        self.settle()
        self.labels.place()

    def settle(self) -> None:
        """Lay out before the window paints: else ticks of another width move everything once all is painted."""
        self.item.layout.activate()
        self.item.getViewBox().prepareForPaint()

    def look_like(self, other: Plot) -> None:
        """Take the results, the colours and all that the planner chose in another plot of this kind; not drawn yet."""
        self.results, self.theme, self.hidden = other.results, other.theme, other.hidden
        self.legend.show_hidden(other.hidden)

    def keep_outdated(self) -> bool:
        """Leave what is drawn, dimmed, until the answer is there that is being worked out; False where nothing is."""
        if not self.title:
            return False
        self._set_outdated(True)
        return True

    def _set_outdated(self, is_outdated: bool) -> None:
        if self.is_outdated != is_outdated:
            self.is_outdated = is_outdated
            self.item.setOpacity(OUTDATED_OPACITY if is_outdated else 1.0)

    def forget_results(self) -> None:
        """Let go of the results; what was drawn of them stays until others are shown."""
        self.results = None

    def draw_again(self) -> None:
        """Draw what is shown anew, also where nothing has changed but how it is to look."""
        if self.results is not None:
            self.show(self.results)

    def set_toggles(self, **items: tuple[Any, ...]) -> None:
        """Set the items that the legend entry of each key hides."""
        self._toggles = items

    def toggles(self) -> tuple[LegendEntry, ...]:
        """Legend entries that hide and show curves, each key once."""
        first = {entry.key: entry for entry in reversed(self.legend.entries) if entry.key in self._toggles}
        return tuple(entry for entry in self.legend.entries if first.get(entry.key) is entry)

    def toggle(self, key: str) -> None:
        """Hide the curves of a legend entry, or show them again; kept while results change."""
        if key not in self._toggles:
            return
        is_shown = key in self.hidden
        self.hidden = self.hidden - {key} if is_shown else self.hidden | {key}
        for item in self._toggles[key] if is_shown else ():
            item.setVisible(True)
        self.legend.show_hidden(self.hidden)
        self.draw_again()

    def hide_only(self, keys: frozenset[str]) -> None:
        """Hide the curves of these legend entries and of no others, also of what is drawn only later."""
        for key in self.hidden ^ keys:
            self.toggle(key)
        self.hidden = keys
        self.legend.show_hidden(keys)

    def _hide_hidden(self) -> None:
        for key in self.hidden:
            for item in self._toggles.get(key, ()):
                item.setVisible(False)

    def about(self) -> str:
        """What a plot of this kind shows, and how it is to be read."""
        return self.ABOUT.retold()

    def draw(self, results: Results) -> None:
        raise NotImplementedError

    def as_rows(self) -> Rows:
        """The numbers that the plot shows, in canonical units; none without results."""
        return self.table(self.results) if self.results is not None and not self.message else NO_ROWS

    def table(self, results: Results) -> Rows:
        """The numbers of these results."""
        return NO_ROWS

    def shown_candidates(self) -> Mapping[str, Sequence[int]]:
        """Workload to the candidates of its table that the plot tells of; none where it tells of an answer."""
        return {}

    def use_theme(self, theme: Theme) -> None:
        """Take other colours, and draw again what was shown."""
        self.theme = theme
        self.take_colours()
        if self.results is not None:
            self.show(self.results)

    def take_colours(self) -> None:
        """Give axes, kept items and the legend the theme's colours, without drawing anew."""
        self._is_coloured = True
        for axis in self._axes:
            axis.setPen(pg.mkPen(self.theme.line))
            axis.setTextPen(pg.mkPen(self.theme.muted))
        self.recolour()

    def recolour(self) -> None:
        """Give kept items and the legend the theme's colours."""
        self.set_legend(*self.legend_entries())

    def legend_entries(self) -> tuple[LegendEntry, ...]:
        """Entries of the legend."""
        return tuple(
            LegendEntry(name.retold(), self.theme.named(colour), *style) for name, colour, *style in self.LEGEND
        )

    def add(self, *items: Any) -> None:
        """Keep these items in the plot, the later ones over the earlier."""
        for item in items:
            self.item.addItem(item, ignoreBounds=True)

    def readout_at(self, x: float, y: float) -> str:
        """The readout at a position of the view; empty if nothing is near."""
        return ""

    def pick_at(self, x: float, y: float) -> Pick | None:
        """The candidate or scenario that what stands there stands for."""
        return None

    def clicked_at(self, x: float, y: float) -> None:
        """Pick what stands there, if anything."""
        pick = self.pick_at(x, y)
        if pick is None or not pick.leads_somewhere:
            return
        if pick.candidate >= 0:
            self.candidate_picked.emit(pick.workload, pick.candidate)
        else:
            self.scenario_picked.emit(pick.name)

    def zoom_back(self) -> None:
        """Show all data again, after the planner has moved the view."""
        self.draw_again()

    def show_cross(self, x: float | None, y: float | None = None) -> None:
        """Put the cross-hair at a value of the horizontal axis and a position of the vertical one; None: away."""

    @property
    def is_dragged(self) -> bool:
        """Whether the planner holds one of the lines."""
        return any(line.moving for line in self.handles)

    def cancel_drag(self) -> bool:
        """Put the line that is being dragged back to where it was; False where none is."""
        held = next((line for line in self.handles if line.moving), None)
        if held is None:
            return False
        held.moving = False
        held.setPos(held.startPosition)
        self.take_back(held)
        return True

    def take_back(self, line: Any) -> None:
        """Undo what was told of a line while it was dragged."""

    def fit(self, width: float, height: float) -> None:
        """Leave out what a small picture has no room for. Sizes in pixels."""
        has_room = height >= scaled(LEAST_HEIGHT_WITH_LEGEND)
        self.legend.setVisible(has_room)
        self.legend.setMaximumHeight(self.legend.wanted_height() if has_room else 0.0)

    def show_range(self, x: Sequence[float], y: Sequence[float]) -> None:
        """Show this part of the plot, in places on its axes; a view that does already is not drawn anew."""
        view = self.item.getViewBox()
        if [sorted(ends) for ends in view.viewRange()] != [[*x], [*y]]:
            view.setRange(xRange=x, yRange=y, padding=0)

    def name_all(self, *names: Name) -> None:
        """Name these things within the plot, and no others; the first are named where there is no room for all."""
        self.labels.show(names, self.theme, tick_font())

    def set_legend(self, *entries: LegendEntry) -> None:
        self.legend.show_entries(entries, self.theme.muted)

    def say(self, title: str) -> None:
        """Set the sentence of a plot that has something to show."""
        self.title = title
        self.message = ""

    def show_message(self, message: str) -> None:
        """Say why there is nothing to see."""
        self.message = message
        self.title = ""
