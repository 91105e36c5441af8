"""A page of plots in a grid whose shape follows the page's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar

from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from gpuplanner_gui.desktop.pages.plot_view import KeptPlot, PlotView
from gpuplanner_gui.desktop.pages.result_view import ResultView
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.results import Results

PLEASANT_ASPECT = 1.9
LEAST_WIDTH = 380
LEAST_HEIGHT = 168
"""Lower plots cannot be read; a page of more rows than fit scrolls."""


class PlotPage(ResultView):
    """Plots beside each other; which are shown may depend on what is planned."""

    plots: ClassVar[Mapping[str, Callable[[], Plot]]] = {}
    """Factories of the plots by name, in reading order."""
    workload = ""
    """The workload whose answer the plots need; empty where they need none."""
    first_row = 0
    """Row of the grid where the plots begin; rows above are the page's own."""
    least_height = LEAST_HEIGHT
    is_tall = False
    """Plots keep their least height in a single row too: a low window scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 8, 8, 8)
        self._grid.setSpacing(8)
        self._plots: dict[str, PlotView] = {}
        self._kept_plots: dict[str, KeptPlot] = {}
        """View settings from an earlier window, for plots that are not made yet."""
        self._names: tuple[str, ...] = ()
        self._columns = 0
        self._arrange_soon = NextTurn(self, lambda: self._arrange(self._names))

    def plots_for(self, context: Results) -> tuple[str, ...]:
        """Names of the plots to show, in reading order."""
        return tuple(self.plots) if not self.workload or context.answer(self.workload) is not None else ()

    def make_plot(self, name: str) -> Plot:
        """A new plot of that name; made when first shown."""
        return self.plots[name]()

    def draw(self, context: Results) -> None:
        names = self.plots_for(context)
        missing = [name for name in names if name not in self._plots]
        if missing:
            # Making a plot takes as long as drawing one; until all are made, those that are there stay.
            self.draw_in_turns(*(partial(self.plot_view, name) for name in missing), partial(self._begin, names))
        else:
            self._begin(names)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not (event.spontaneous() or self._steps) and self._drawn is not None and len(self._names) > 1:
            # Drawn before: each is painted in a turn of its own, as when it was drawn.
            for name in self._names:
                self._plots[name].hide()
            self.draw_in_turns(*(self._plots[name].show for name in self._names))

    def forget_drawn(self) -> None:
        super().forget_drawn()
        for view in self._plots.values():
            view.hide()  # Until it is drawn anew: what is old is not painted, nor all plots in one turn.

    def _begin(self, names: tuple[str, ...]) -> None:
        self._arrange(names)
        self.draw_in_turns(*(partial(self._draw_plot, name) for name in names))

    def _draw_plot(self, name: str) -> None:
        if self._drawn is not None:
            self._plots[name].show_results(self._drawn)
            self._plots[name].show()

    def plot_view(self, name: str) -> PlotView:
        """The view of a plot, made if it is not there yet."""
        if name not in self._plots:
            view = PlotView(partial(self.make_plot, name), self)
            view.candidate_selected.connect(self.candidate_selected)
            view.scenario_selected.connect(self.scenario_selected)
            view.value_edited.connect(self.value_edited)
            view.pointed.connect(lambda link, value, name=name: self._point_others(name, link, value))
            self._plots[name] = view
            # Seen once it is drawn, its place kept: several that are first painted in one turn hold up the window.
            policy = view.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            view.setSizePolicy(policy)
            view.hide()
            if self.is_tall:
                view.be_at_least(self.least_height)
            if name in self._kept_plots:
                view.take_kept(self._kept_plots.pop(name))
        return self._plots[name]

    def more_kept(self) -> dict[str, KeptPlot]:
        return self._kept_plots | {name: view.more_kept() for name, view in self._plots.items()}

    def take_kept(self, kept: dict[str, KeptPlot]) -> None:
        """Plots that are not made yet take theirs when they are."""
        for name, one in kept.items():
            if name in self._plots:
                self._plots[name].take_kept(one)
            else:
                self._kept_plots[name] = one

    def _point_others(self, pointed: str, link: str, value: float | None) -> None:
        """The cross-hair stands at the same value in every plot over the same axis."""
        for name in self._names if link else ():
            if name != pointed and self._plots[name].plot.x_link == link:
                self._plots[name].point_at(value)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_soon.start()

    def width_of_plots(self) -> int:
        """The width left beside the page's own widgets. [pixels]"""
        return self.width()

    def _arrange(self, names: tuple[str, ...]) -> None:
        columns = best_columns(len(names), self.width_of_plots(), self.height())
        if names == self._names and columns == self._columns:
            return
        for name in self._names:
            self._grid.removeWidget(self._plots[name])
            if name not in names:
                self._plots[name].hide()
        for position, name in enumerate(names):
            row, column = divmod(position, columns)
            left_over = columns - column if position == len(names) - 1 else 1
            self._grid.addWidget(self.plot_view(name), self.first_row + row, column, 1, left_over)
        rows = math.ceil(len(names) / columns)
        for row in range(self._grid.rowCount()):
            is_plots = self.first_row <= row < self.first_row + rows
            self._grid.setRowStretch(row, 1 if is_plots else 0)
            self._grid.setRowMinimumHeight(row, round(scaled(self.least_height)) if is_plots and rows > 1 else 0)
        for column in range(self._grid.columnCount()):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
        self._names, self._columns = names, columns
        self._veil.raise_()


def best_columns(count: int, width: float, height: float) -> int:
    """Number of columns that gives plots the most pleasant shape, none of them too narrow to read."""
    if count < 2:
        return 1

    def unpleasantness(columns: int) -> float:
        rows = math.ceil(count / columns)
        aspect = (width / columns) / max(height / rows, 1.0)
        empty = rows * columns - count
        return abs(math.log(max(aspect, 0.01) / PLEASANT_ASPECT)) + 0.4 * empty

    readable = [columns for columns in range(1, count + 1) if width / columns >= scaled(LEAST_WIDTH) or columns == 1]
    return min(readable, key=unpleasantness)
