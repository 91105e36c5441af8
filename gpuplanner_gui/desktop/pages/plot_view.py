"""A plot in a window: its sentence above it, what is under the mouse, and ways to take it along."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPalette,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMenu,
    QMessageBox,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QToolTip,
    QVBoxLayout,
    QWhatsThis,
    QWidget,
)

from gpuplanner_gui.desktop.pages.plot_menu import (
    PlotActions,
    PlotPlace,
    PlotTaking,
    fill_plot_menu,
    plot_choices,
    plot_help,
    say_done,
)
from gpuplanner_gui.desktop.pages.result_view import theme_of
from gpuplanner_gui.desktop.widgets.ask_why import scroll_area_around
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn, NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import ElidedLabel, PlotTitle, plain_label
from gpuplanner_gui.desktop.widgets.rows_table import RowsTable
from gpuplanner_gui.desktop.widgets.theme import tool_button
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.bars import BarPlot
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.curves import CurvePlot
from gpuplanner_gui.drawing.plots.export import content_steps, image_steps, plot_widget
from gpuplanner_gui.drawing.plots.pens import scaled
from gpuplanner_gui.drawing.plots.picks import Pick
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.files.whole_file import write_whole_file

READOUTS_PER_S = 60
LEAST_WIDTH, LEAST_HEIGHT = 220, 150
_BUTTON_EVENTS = (QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.MouseButtonDblClick)
_KEY_EVENTS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


@dataclass(frozen=True)
class KeptPlot:
    """View settings of a plot: picture or table, hidden curves, zoomed range."""

    shows_table: bool
    hidden: frozenset[str]
    """Keys of the legend's entries."""
    seen: Any = None
    """Ends of both axes where only a part is looked at."""


class PlotView(PlotActions):
    """Shows one `Plot`; hands on what the planner drags and picks in it."""

    pointed = Signal(str, object)
    """The mouse is at a value (None: at none) of the horizontal axis that plots with this word share."""

    def __init__(self, make: Callable[[], Plot], parent: QWidget | None = None) -> None:
        """`make` is asked for the plot that is shown, and for another for each picture that is taken of it."""
        super().__init__(parent)
        self._make = make
        self._fit_soon = DrawingTurn(self, self._fit)
        self._fit_rows_soon = NextTurn(self, self._fit_rows)
        self._take_theme_soon = NextTurn(self, self._take_theme)
        self._leave_soon = NextTurn(self, self._leave)
        self._help_soon = NextTurn(self, self._show_help)
        self._help_place: QPoint | None = None
        self.plot = plot = make()
        self._place_soon = DrawingTurn(self, plot.labels.place_anew)
        plot.labels.ask_turn = self._place_soon.start
        self.canvas = plot_widget(plot)
        self.canvas.setAccessibleDescription(plot.about())
        self.canvas.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._title = PlotTitle(self)
        self._title.setObjectName("plotTitle")
        self._readout = ElidedLabel(self)
        self._readout.fill_width()
        self._readout.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._message = plain_label("", self, wraps=True)
        self._message.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._table = RowsTable(tr("Numbers of the plot"), self)
        self._more = self._more_button()
        self._back = self._back_button()
        self._stack = QStackedWidget(self)
        self._place = PlotPlace(self.canvas, self._fit_soon.start)
        for page in (self._place, self._message, self._table):
            self._stack.addWidget(page)
        # Axes without anything would be taken for a result.
        self._stack.setCurrentWidget(self._message)
        self._lay_out()
        plot.keep_axes()
        self.shows_table = False
        self._connect()
        self._take_theme()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setSpacing(4)
        self._heading = QStackedWidget(self)
        self._heading.addWidget(self._title)
        self._heading.addWidget(self._readout)
        self._heading.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        top.addWidget(self._heading, 1)
        top.addWidget(self._back, 0, Qt.AlignmentFlag.AlignTop)
        top.addWidget(self._more, 0, Qt.AlignmentFlag.AlignTop)
        lay_out(QVBoxLayout(self), top, (self._stack, 1), margins=(12, 4, 4, 4), spacing=0)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setMinimumSize(round(scaled(LEAST_WIDTH)), round(scaled(LEAST_HEIGHT)))

    def _more_button(self) -> QToolButton:
        button = tool_button(
            "⋯", None, self, is_flat=True, said=tr("More for this plot"), tip=tr("Copy, save, show as table")
        )
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(button)
        menu.aboutToShow.connect(lambda: fill_plot_menu(menu, self))
        button.setMenu(menu)
        button.setStyleSheet("QToolButton::menu-indicator { image: none; }")
        return button

    def _back_button(self) -> QToolButton:
        """There while the planner looks at a part of the plot."""
        button = tool_button(
            tr("Show all"), self._show_all, self, is_flat=True,
            tip=tr("Show the whole plot (or double-click in it)"),
        )  # fmt: skip
        button.hide()
        return button

    def _connect(self) -> None:
        if isinstance(self.plot, CurvePlot):
            plot_choices.apply(self.plot)
            self.plot.moved.connect(self._back.setVisible)
        if isinstance(self.plot, BarPlot):
            self.plot.legend.height_changed.connect(self._fit_rows_soon.start)
        self.plot.candidate_picked.connect(self.candidate_selected)
        self.plot.scenario_picked.connect(self.scenario_selected)
        self.plot.value_edited.connect(self.value_edited)
        scene = self.canvas.scene()
        scene.sigMouseClicked.connect(self._on_clicked)
        self._moves = pg.SignalProxy(scene.sigMouseMoved, rateLimit=READOUTS_PER_S, slot=self._on_moved)
        self.canvas.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.canvas.customContextMenuRequested.connect(self._on_menu_requested)
        self.canvas.installEventFilter(self)
        self.canvas.viewport().installEventFilter(self)

    def event(self, event: QEvent) -> bool:
        """Answer What's This for the plot, asked by the mouse or by the keys."""
        if event.type() == QEvent.Type.QueryWhatsThis:
            event.accept()
            return True
        if event.type() == QEvent.Type.WhatsThis and isinstance(event, QHelpEvent):
            self._help_place = event.globalPos()
            self._help_soon.start()
            return True
        is_key = event.type() in _KEY_EVENTS and isinstance(event, QKeyEvent)
        if is_key and event.matches(QKeySequence.StandardKey.WhatsThis):  # type: ignore[attr-defined]
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self._help_place = self.mapToGlobal(self.rect().center())
                self._help_soon.start()
            return True
        return super().event(event)

    def _show_help(self) -> None:
        if self._help_place is not None:
            QWhatsThis.showText(self._help_place, plot_help(self.plot), self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The right button is the menu's alone; Escape lets go of a line; the cross-hair leaves with the mouse."""
        if event.type() in _BUTTON_EVENTS and isinstance(event, QMouseEvent):
            # The scene would see the press and, as the menu takes the release, hold every later drag for one of both.
            return event.button() == Qt.MouseButton.RightButton
        if event.type() in _KEY_EVENTS and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            return self._on_escape(event)
        if isinstance(event, QWheelEvent):
            return self._scroll_page(event)
        if event.type() == QEvent.Type.Leave and watched is self.canvas.viewport() and not self.plot.is_dragged:
            self._leave_soon.start()
        return super().eventFilter(watched, event)

    def _scroll_page(self, event: QWheelEvent) -> bool:
        """Hand the wheel (without Ctrl) to the page if it can scroll."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            return False
        around = scroll_area_around(self)
        bar = around.verticalScrollBar() if around is not None else None
        if bar is None or bar.maximum() <= 0:
            return False
        QApplication.sendEvent(bar, event)
        return True

    def _on_escape(self, event: QKeyEvent) -> bool:
        if not self.plot.is_dragged:
            return False
        event.accept()
        if event.type() == QEvent.Type.KeyPress:
            self.plot.cancel_drag()
        return True

    def be_at_least(self, height: float) -> None:
        """Set the least height, in pixels at the usual size of type."""
        self.setMinimumHeight(round(scaled(height)))

    def show_results(self, results: Results) -> None:
        self.plot.show(results)
        self._title.setText(self.plot.title)
        self.canvas.setAccessibleName(self.plot.title or self.plot.message)
        self._message.setText(self.plot.message)
        self._show_right_page()

    def forget_drawn(self) -> None:
        self.plot.forget_results()

    def show_as_table(self, is_table: bool) -> None:
        """Numbers instead of the picture: for a screen reader, for trust."""
        self.shows_table = is_table
        self._leave_cross()
        self._say("")
        self._show_right_page()

    def more_kept(self) -> KeptPlot:
        view = self.plot.item.getViewBox()
        is_moved = isinstance(self.plot, CurvePlot) and self.plot.is_moved
        return KeptPlot(self.shows_table, self.plot.hidden, view.viewRange() if is_moved else None)

    def take_kept(self, kept: KeptPlot) -> None:
        """Restore the view settings: table or picture, visible curves, range."""
        self.plot.hide_only(kept.hidden)
        if kept.seen is not None and isinstance(self.plot, CurvePlot):
            self.plot.look_at(*kept.seen)
        if kept.shows_table != self.shows_table:
            self.show_as_table(kept.shows_table)

    def _show_right_page(self) -> None:
        if self.plot.message:
            self._stack.setCurrentWidget(self._message)
        elif self.shows_table:
            self._table.rows_model.show_rows(self.plot.as_rows())
            self._stack.setCurrentWidget(self._table)
        else:
            self._stack.setCurrentWidget(self._place)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._take_theme_soon.start()

    def _take_theme(self) -> None:
        theme = theme_of(self)
        if self.plot.theme is not theme:
            self.plot.use_theme(theme)
        self.canvas.setBackground(QColor(theme.surface))

    def _on_moved(self, event: tuple[Any]) -> None:
        view = self.plot.item.getViewBox()
        self._offer(event[0])
        is_inside = not self.plot.message and view.sceneBoundingRect().contains(event[0])
        place = view.mapSceneToView(event[0])
        self._say(self.plot.readout_at(place.x(), place.y()) if is_inside else "")
        if not is_inside or not isinstance(self.plot, CurvePlot):
            self._leave_cross()
            return
        value = self.plot.x_scale.value_at(place.x())
        self.plot.show_cross(value, place.y())
        self.pointed.emit(self.plot.x_link, value)

    def _offer(self, scene_position: Any) -> None:
        """A hand where a click does something, and a tool tip that says what the mark there stands for."""
        pick = self._pick_at(scene_position)
        is_clickable = bool(self._toggle_at(scene_position)) or (pick is not None and pick.leads_somewhere)
        is_handle = any(line.moving or line.mouseHovering for line in self.plot.handles)
        shape = Qt.CursorShape.PointingHandCursor if is_clickable else Qt.CursorShape.ArrowCursor
        shape = Qt.CursorShape.SizeVerCursor if is_handle else shape
        viewport = self.canvas.viewport()
        if viewport.cursor().shape() != shape:
            viewport.setCursor(shape)
        words = pick.words() if pick is not None else ""
        if words != self.plot.item.toolTip():
            self.plot.item.setToolTip(words)
            QToolTip.hideText()

    def _pick_at(self, scene_position: Any) -> Pick | None:
        """The pick at a place of the plot; the names of bars count as the bars."""
        view = self.plot.item.getViewBox()
        place = view.sceneBoundingRect()
        if isinstance(self.plot, BarPlot):
            place = place.united(self.plot.names.sceneBoundingRect())
        if self.plot.message or self.plot.is_outdated or not place.contains(scene_position):
            return None
        within = view.mapSceneToView(scene_position)
        return self.plot.pick_at(within.x(), within.y())

    def point_at(self, value: float | None) -> None:
        """Put the cross-hair at a value that the mouse is at in another plot; None: take it away."""
        if not isinstance(self.plot, CurvePlot) or self.plot.message or value is None:
            self.plot.show_cross(None)
            self._say("")
            return
        self.plot.show_cross(value)
        self._say(self.plot.readout_at(self.plot.x_scale.place_one(value), float("nan")))

    def _say(self, text: str) -> None:
        self._readout.setText(text)
        self._heading.setCurrentWidget(self._readout if text else self._title)

    def _leave_cross(self) -> None:
        self.plot.show_cross(None)
        self.pointed.emit(self.plot.x_link, None)

    def _leave(self) -> None:
        if not self.canvas.viewport().underMouse():
            self._leave_cross()
            self._say("")

    def _show_all(self) -> None:
        self._leave_cross()
        self._say("")
        self.plot.zoom_back()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_soon.start()

    def _fit(self) -> None:
        self._place.take_room()
        self.plot.fit(self._stack.width(), self._stack.height())
        self.plot.settle()

    def _fit_rows(self) -> None:
        if isinstance(self.plot, BarPlot):
            self.plot.fit_rows(self._stack.height())

    def _toggle_at(self, scene_position: Any) -> str:
        """Key of the legend entry there, if a click on it hides or shows a curve."""
        entry = self.plot.legend.entry_at(scene_position)
        return entry.key if entry is not None and entry in self.plot.toggles() else ""

    def _on_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        key = self._toggle_at(event.scenePos())
        if key:
            self.plot.toggle(key)
            return
        if event.double():
            self._show_all()
            return
        if self.plot.is_outdated:
            return
        view = self.plot.item.getViewBox()
        place = view.mapSceneToView(event.scenePos())
        self.plot.clicked_at(place.x(), place.y())
        self._title.setText(self.plot.title)

    def _on_menu_requested(self, position: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        fill_plot_menu(menu, self)
        menu.popup(self.canvas.mapToGlobal(position))

    def copy_picture(self) -> None:
        twin = self._twin()
        taking = PlotTaking(image_steps(twin, title=self.plot.title), own_plot=twin)
        taking.ended.connect(self._on_copied)
        self._begin(taking)

    def copy_numbers(self) -> None:
        QGuiApplication.clipboard().setText(self.plot.as_rows().tabbed_text())
        say_done(self, tr("The numbers of the plot were copied."))

    def save_as(self, path: Path) -> None:
        """Write the plot, soon; a disk that refuses is told in a box."""
        suffix = path.suffix.lower()
        twin = self._twin() if suffix != ".csv" else None
        steps = content_steps(twin or self.plot, suffix, self.plot.title)
        taking = PlotTaking(steps, partial(_write, path), own_plot=twin)
        taking.ended.connect(self._on_saved)
        taking.failed.connect(self._on_not_saved)
        self._begin(taking)

    def _twin(self) -> Plot:
        """A plot of the same kind that looks the same; what is on screen stays as it is while a picture is taken."""
        twin = self._make()
        twin.look_like(self.plot)
        return twin

    def _begin(self, taking: PlotTaking) -> None:
        say_done(self, tr("Drawing the plot…"))
        taking.start()

    def _on_copied(self, image: QImage) -> None:
        QGuiApplication.clipboard().setImage(image)
        say_done(self, tr("The picture of the plot was copied."))

    def _on_saved(self, path: Path) -> None:
        say_done(self, tr("The plot was saved as {name}.").format(name=path.name))

    def _on_not_saved(self, problem: str) -> None:
        say_done(self, "")
        QMessageBox.warning(self, tr("The plot was not saved"), problem)

    def sizeHint(self) -> QSize:
        return QSize(480, 280)


def _write(path: Path, content: Callable[[], bytes]) -> Path:
    write_whole_file(path, content())
    return path
