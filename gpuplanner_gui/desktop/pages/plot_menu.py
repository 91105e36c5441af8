"""A plot's menu and its place: how the planner wants it drawn, its way to a file or the clipboard, where it stands."""

from __future__ import annotations

import html
import logging
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, QSettings, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QSizePolicy, QWidget

from gpuplanner_gui.desktop.pages.result_view import Drawing
from gpuplanner_gui.desktop.settings import Key, last_folder, list_setting
from gpuplanner_gui.desktop.tasks.runner import STOP_WAIT_MS
from gpuplanner_gui.desktop.widgets.ask_why import ask_why_plot, from_inside_out
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.message_bar import StatusLine
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.plots.base import Plot
from gpuplanner_gui.drawing.plots.curves import CurvePlot
from gpuplanner_gui.drawing.plots.export import Steps
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.drawing.words.glossary import meanings
from gpuplanner_gui.files.errors import FileProblem

logger = logging.getLogger(__name__)

_under_way: set[PlotTaking] = set()
"""Nothing is given up because its view has gone."""


class PlotTaking(QObject):
    """Takes the steps that make something of a plot, and hands the result on."""

    ended = Signal(object)
    """Emits the result of the steps, or what another thread made of it."""
    failed = Signal(str)
    """Emits the reason, as a sentence."""

    _handed_on = Signal()

    def __init__(
        self, steps: Steps[Any], hand_on: Callable[[Any], Any] | None = None, own_plot: Plot | None = None
    ) -> None:
        """`hand_on` is called with the steps' result, on another thread; a `FileProblem` there is told.

        A plot of its own is deleted afterwards.
        """
        super().__init__(QCoreApplication.instance())
        self._plot, self._steps, self._hand_on = own_plot, steps, hand_on
        self._result: Any = None
        self._problem = ""
        self._thread: threading.Thread | None = None
        self._is_told = False
        self._turn = DrawingTurn(self, self._step)
        self._handed_on.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        _under_way.add(self)
        self._turn.start()

    def finish(self) -> None:
        """All that is left, at once, for as long as a window may take to close."""
        while self._thread is None and not self._is_told:
            self._step()
        if self._thread is not None:
            self._thread.join(STOP_WAIT_MS / 1000)
        self._tell()

    def _step(self) -> None:
        if self._thread is not None or self._is_told:
            return
        try:
            next(self._steps)
        except StopIteration as end:
            self._result = end.value
            if self._plot is not None:
                self._plot.deleteLater()
            self._begin_handing_on()
        except Exception:
            self._leave()
            raise
        else:
            self._turn.start()

    def _begin_handing_on(self) -> None:
        if self._hand_on is None:
            self._tell()
            return
        self._thread = threading.Thread(target=self._run, name="plot", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        assert self._hand_on is not None
        try:
            self._result = self._hand_on(self._result)
        except FileProblem as problem:
            self._problem = file_problem_text(problem)
        except Exception as problem:
            logger.exception("a plot could not be taken along")
            self._problem = str(problem).strip() or type(problem).__name__
        self._handed_on.emit()

    def _tell(self) -> None:
        if self._is_told:
            return
        self._leave()
        if self._problem:
            self.failed.emit(self._problem)
        else:
            self.ended.emit(self._result)

    def _leave(self) -> None:
        self._is_told = True
        _under_way.discard(self)
        self.deleteLater()


def finish_takings() -> None:
    """Bring to their end what was asked for, as a window closes."""
    for taking in list(_under_way):
        taking.finish()


class PlotChoices:
    """Kept by a plot's name; without settings as long as the program runs."""

    def __init__(self) -> None:
        self._settings: QSettings | None = None
        self._scales: dict[str, bool] = {}

    def use_settings(self, settings: QSettings) -> None:
        """Remember in these settings from now on, and take what they hold."""
        self._settings = settings
        self._scales = {}
        for entry in list_setting(settings, Key.PLOT_SCALES):
            name, _, scale = entry.partition("=")
            if scale in ("log", "linear"):
                self._scales[name] = scale == "log"

    def apply(self, plot: CurvePlot) -> None:
        """Give a new plot the axes that were chosen for it."""
        for axis in plot.switchable:
            plot.use_scale(axis, self._scales.get(f"{plot.settings_name}/{axis}", plot.is_log(axis)))

    def note(self, plot: CurvePlot, axis: str) -> None:
        """Remember how this axis of a plot is drawn now."""
        self._scales[f"{plot.settings_name}/{axis}"] = plot.is_log(axis)
        if self._settings is not None:
            entries = [f"{name}={'log' if is_log else 'linear'}" for name, is_log in sorted(self._scales.items())]
            self._settings.setValue(Key.PLOT_SCALES, entries)


plot_choices = PlotChoices()


def plot_help(plot: Plot) -> str:
    """The help of a plot in its present state, as marked-up text; lines that are hidden are left out."""
    said = [plot.about()]
    if plot.shown_candidates():
        said.append(tr("Click a mark to select its candidate."))
    if any(line.isVisible() and line.movable for line in plot.handles):
        said.append(tr("Drag a dashed line to change its value."))
    if plot.toggles():
        said.append(tr("Click a name in the legend to hide or show it."))
    if isinstance(plot, CurvePlot):
        said.append(tr("Ctrl+wheel zooms, dragging pans, double-click resets."))
    said.append(tr("Right-click, or ⋯, to copy or save the plot, show it as a table, or explain its numbers."))
    title = html.escape(plot.title or plot.message)
    told = "".join(f"<p>{html.escape(one)}</p>" for one in meanings(plot.title, plot.about()))
    return f"<p style='font-weight:600'>{title}</p><p>{html.escape(' '.join(said))}</p>{told}"


SHOWN_MS = 8_000


def say_done(view: QWidget, text: str) -> None:
    """Show a sentence in the status line of the window that the view is in, for some seconds."""
    for above in from_inside_out(view):
        line = above.findChild(StatusLine, options=Qt.FindChildOption.FindDirectChildrenOnly)
        if line is not None:
            line.showMessage(text, SHOWN_MS)
            return


ZOOM_STEP = 1.25
LONGEST_NAME = 60
FORMATS = {".png": "Picture (*.png)", ".svg": "Drawing (*.svg)", ".csv": "Numbers (*.csv)"}


class PlotActions(Drawing):
    """What the menu of a plot asks of the view that shows it."""

    plot: Plot
    shows_table: bool

    def copy_picture(self) -> None:
        raise NotImplementedError

    def copy_numbers(self) -> None:
        raise NotImplementedError

    def show_as_table(self, is_table: bool) -> None:
        raise NotImplementedError

    def save_as(self, path: Path) -> None:
        raise NotImplementedError


def fill_plot_menu(menu: QMenu, view: PlotActions) -> None:
    """Entries for the plot as it is now."""
    menu.clear()
    plot = view.plot
    has_numbers = not plot.message and not plot.is_outdated
    menu.addAction(tr("&Copy Picture"), view.copy_picture).setEnabled(has_numbers)
    menu.addAction(tr("Copy &Numbers"), view.copy_numbers).setEnabled(has_numbers)
    menu.addAction(tr("&Save Plot…"), lambda: ask_and_save(view)).setEnabled(has_numbers)
    menu.addAction(tr("&Why These Numbers?"), lambda: ask_why_plot(view, plot)).setEnabled(has_numbers)
    menu.addSeparator()
    table = menu.addAction(tr("Show as &Table"))
    table.setCheckable(True)
    table.setChecked(view.shows_table)
    table.toggled.connect(view.show_as_table)
    table.setEnabled(has_numbers)
    _add_curves(menu, plot)
    if isinstance(plot, CurvePlot):
        _add_scales(menu, plot)
        menu.addSeparator()
        menu.addAction(tr("Zoom &In"), lambda: plot.zoom(ZOOM_STEP))
        menu.addAction(tr("Zoom &Out"), lambda: plot.zoom(1 / ZOOM_STEP))
    menu.addAction(tr("Show &All"), plot.zoom_back)


def _add_curves(menu: QMenu, plot: Plot) -> None:
    entries = plot.toggles()
    if not entries:
        return
    curves = menu.addMenu(tr("Cur&ves"))
    for entry in entries:
        action = curves.addAction(entry.name.replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(entry.key not in plot.hidden)
        action.toggled.connect(lambda _, key=entry.key: plot.toggle(key))


def _add_scales(menu: QMenu, plot: CurvePlot) -> None:
    words = {"x": tr("Logarithmic &Horizontal Axis"), "y": tr("&Logarithmic Vertical Axis")}

    def switch(axis: str, is_log: bool) -> None:
        plot.use_scale(axis, is_log)
        plot_choices.note(plot, axis)

    for axis in plot.switchable:
        action = menu.addAction(words[axis])
        action.setCheckable(True)
        action.setChecked(plot.is_log(axis))
        action.toggled.connect(lambda is_log, axis=axis: switch(axis, is_log))


def ask_and_save(view: PlotActions) -> None:
    """Ask where to; a name without a suffix takes the one of the kind that was chosen."""
    kinds = {tr(words): suffix for suffix, words in FORMATS.items()}
    name, kind = QFileDialog.getSaveFileName(
        view, tr("Save plot"), last_folder.place_for(f"{file_stem(view.plot.title)}.png"), ";;".join(kinds)
    )
    if name:
        last_folder.note(Path(name))
        view.save_as(path_with_suffix(Path(name), kinds.get(kind, ".png")))


def path_with_suffix(path: Path, suffix: str) -> Path:
    """The path as named, with the suffix unless it has one of the kinds that can be written."""
    return path if path.suffix.lower() in FORMATS else path.with_name(path.name + suffix)


def file_stem(title: str) -> str:
    """A file's name after a plot's sentence."""
    return re.sub(r"[^\w]+", "-", title)[:LONGEST_NAME].strip("-").lower() or "plot"


class PlotPlace(QWidget):
    """Holds the canvas of a plot, and gives it a new size only when `take_room` is called.

    A window that is resized would lay out and paint all of its plots in one turn. So each is painted as it was, from
    what it has cached, and takes its room in a turn of its own.
    """

    def __init__(self, canvas: QWidget, ask_turn: Callable[[], None]) -> None:
        """`ask_turn` is called when there is another room to be taken."""
        super().__init__()
        self._canvas = canvas
        self._ask_turn = ask_turn
        canvas.setParent(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible():
            self._ask_turn()
        else:
            self.take_room()

    def take_room(self) -> None:
        """Make the canvas as large as its place."""
        self._canvas.setGeometry(self.rect())
