"""`gpuplanner-gui [FILE] [--smoke]`: opens the window."""

from __future__ import annotations

import argparse
import builtins
import gc
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent, QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import __version__
from gpuplanner_gui.desktop.tasks.runner import are_threads_left, give_back_memory, share_one_heap
from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.files.migrations import version_text

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window.main_window import Handover, MainWindow
    from gpuplanner_gui.desktop.window.windows import OpenWindow, Windows


INTERVAL_MS = 1000
YOUNG, ALL = 1, 2
ALL_EVERY = 30
"""After so many turns what is old is looked through too, as soon as the planner rests."""
REST_S = 1.5
"""Without key, wheel and mouse for this long the planner rests. A look through all takes up to 30 ms, which a drag
would lose a picture to."""
WORTH_IT = 1000
"""New objects since the last turn; with fewer, nothing is looked for."""
LONGEST_LOOK_S = 0.01
"""Where a look through all takes longer, what is there is spared from then on: pages, and modules that these brought,
each of which the program builds once. The time is taken, and no list of the objects: a thread that is filling a tuple
fails where another holds that tuple too."""


def is_in_front() -> bool:
    """Whether keys and mouse go to one of the program's windows."""
    return QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive


INPUTS = frozenset({
    QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonRelease, QEvent.Type.Wheel,
    QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.TouchUpdate, QEvent.Type.NativeGesture,
})  # fmt: skip


def _is_something_passing() -> bool:
    """Whether a button is held, a menu is open or something is drawn, such as the picture of a plot: soon garbage."""
    is_held = QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton
    return is_held or drawing_queue().is_drawing() or QApplication.activePopupWidget() is not None


class Collector(QObject):
    """Collects from now on, until its parent goes, and hands the system what has become free.

    What is spared may become garbage later, such as a form that another kind of part has replaced. Each time that
    the planner has turned to another program, all of it is looked through once.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        share_one_heap()
        self._turn = 0
        """Since the last look through all."""
        self._last_input_s = 0.0
        self._has_looked_at_spared = False
        """Since the program was last in front."""
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._watch)
        self._watch(app.focusWindow())
        timer = QTimer(self, interval=INTERVAL_MS)
        timer.timeout.connect(self._on_turn)
        timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in INPUTS:
            self._last_input_s = time.monotonic()
        return False

    def _watch(self, window: QWindow | None) -> None:
        """Hear what goes to a window as a whole: its widgets hear the same, one call each."""
        if window is not None:
            window.installEventFilter(self)

    def _is_at_rest(self) -> bool:
        return time.monotonic() - self._last_input_s > REST_S and not _is_something_passing()

    def _on_turn(self) -> None:
        self._turn += 1
        is_left = not is_in_front()
        self._has_looked_at_spared &= is_left
        if self._turn >= ALL_EVERY and self._is_at_rest():
            self._turn = 0
            if is_left and not self._has_looked_at_spared:
                self._has_looked_at_spared = True
                gc.unfreeze()
            began_s = time.thread_time()
            gc.collect(ALL)
            if time.thread_time() - began_s > LONGEST_LOOK_S:
                gc.freeze()
            Thread(target=give_back_memory, daemon=True).start()
        elif gc.get_count()[0] > WORTH_IT:
            gc.collect(YOUNG)


HIDDEN = "__orig_import__"


def spare_source_reading() -> None:
    """Import modules from now on without reading their source.

    WORKAROUND for PySide6 (seen in 6.10.3): it takes `__import__` over, and reads the source of every module that any
    other imports, compiled or not, to see whether it may use `from __feature__ import`. No module of this program does,
    and the reading was a tenth of the time until the window could be used. What PySide6 had hidden takes its place
    again; where a later version hides nothing, there is nothing to be done.
    """
    hidden = getattr(builtins, HIDDEN, None)
    if hidden is not None:
        builtins.__import__ = hidden


logger = logging.getLogger(__name__)

SMOKE_LIMIT_S = 60


class Application(QApplication):
    """Hears of files that the desktop asks it to open."""

    file_requested = Signal(str)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.file_requested.emit(event.file())
            return True
        return super().event(event)


class AfterFirstPaint(QObject):
    """Calls back once the window has been on screen."""

    painted = Signal()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self.painted.emit)
        return False


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    spare_source_reading()
    app = Application(["gpuplanner-gui"])
    from gpuplanner_gui.desktop.window.crash import CrashReporter
    from gpuplanner_gui.desktop.window.windows import Windows

    is_alone = options.smoke or options.separate
    crash = CrashReporter()
    # Before all else, so that nothing at the start fails without a trace.
    crash.install()
    try:
        _name(app)
        if not is_alone and _is_taken_over(options.file):
            crash.uninstall()
            return 0
        Collector(app)
        _style(app)
        window = _window(options.file)
    except Exception as problem:
        logger.exception("the window could not be made")
        if options.smoke:
            raise
        crash.tell_failed_start(problem)
        return 1
    windows = Windows(_window, app, lambda handover: _window(handover=handover))
    windows.front_changed.connect(lambda front: crash.protect(front, front.file.save))
    windows.take(window)
    app.file_requested.connect(windows.open_from_outside)
    if not is_alone:
        from gpuplanner_gui.desktop.window.single_instance import InstanceServer

        server = InstanceServer(app)
        server.requested.connect(windows.open_from_outside)
        server.listen()
    smoke = None
    if options.smoke:
        from gpuplanner_gui.desktop.window.smoke import SmokeRun

        smoke = SmokeRun(window, SMOKE_LIMIT_S)
        crash.happened.connect(lambda kind, text: smoke.fail(text))
    _show(windows, options.file, may_ask=smoke is None)
    code = app.exec()
    crash.uninstall()
    code = smoke.code if smoke is not None else code
    if are_threads_left():
        # Whatever they still do nobody waits for; to take them apart would end in a crash instead of an exit.
        logging.shutdown()
        os._exit(code)
    return code


def _is_taken_over(file: Path | None) -> bool:
    from gpuplanner_gui.desktop.window.single_instance import is_taken_over

    return is_taken_over(file)


def _style(app: QApplication) -> None:
    from gpuplanner_gui.desktop.settings import window_settings
    from gpuplanner_gui.desktop.widgets.theme import take_up_settings

    take_up_settings(app, window_settings())


def _window(file: Path | None = None, handover: Handover | None = None) -> MainWindow:
    """A window, not shown yet; with a handover it takes another's place."""
    from gpuplanner_gui.desktop.settings import window_settings
    from gpuplanner_gui.desktop.window.main_window import MainWindow
    from gpuplanner_gui.desktop.window.project_file import SUFFIX
    from gpuplanner_gui.domain.scenario import Project

    awaits_project = file is not None and file.suffix.lower() == SUFFIX
    project = Project() if awaits_project else None
    return MainWindow(settings=window_settings(), project=project, handover=handover)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpuplanner-gui", description="Plan accelerators for training and serving, in a window."
    )
    parser.add_argument("file", nargs="?", type=Path, help="a .gpuplan project, or a model's config.json")
    parser.add_argument(
        "--smoke", action="store_true", help="open the file, wait for its first complete result on screen, and exit"
    )
    parser.add_argument(
        "--separate", action="store_true", help="open a separate window even if the program is already running"
    )
    parser.add_argument("--version", action="version", version=f"GPU Planner {version_text()}")
    return parser


def _name(app: QApplication) -> None:
    app.setApplicationName("gpuplanner")
    app.setApplicationDisplayName("GPU Planner")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("gpuplanner")
    from gpuplanner_gui.desktop.widgets.theme import application_icon

    app.setWindowIcon(application_icon())


def _show(windows: Windows, file: Path | None, may_ask: bool) -> None:
    """The shell first; then plots and table; then the project, so that a large file delays no window."""
    from gpuplanner_gui.desktop.window.windows import kept_open_windows, put_in_place

    window = windows.front
    found = kept_open_windows(window.settings) if may_ask and file is None else []

    def build() -> None:
        window.build_results()
        QTimer.singleShot(0, open_project)

    def open_project() -> None:
        is_begun = _begin(windows, file, found) or not may_ask or window.recovery.offer_at_start()
        if not is_begun:
            window.workspace.show_start_page()
        window.planner.ask()
        if may_ask:
            from gpuplanner_gui.desktop.window.tour import offer_at_first_run

            offer_at_first_run(window.parts)
        # Last, as the thread takes half of the interpreter's time from what the planner looks at.
        window.compute.start()

    first_paint = AfterFirstPaint(window)
    first_paint.painted.connect(build)
    window.installEventFilter(first_paint)
    if found:
        put_in_place(window, found[-1])
    window.show()


def _begin(windows: Windows, file: Path | None, found: list[OpenWindow]) -> bool:
    """Open what was asked for by name, or else the windows of the last run. False where nothing came of it."""
    window = windows.front
    if file is not None:
        window.commands.open_path(file)
    is_begun = windows.bring_back(found) if found else file is not None
    if window.file.is_reading:
        once = Qt.ConnectionType.SingleShotConnection
        window.file.reading_changed.connect(lambda: _begin_anew_without_file(window), once)
    else:
        is_begun = not _begin_anew_without_file(window) and is_begun
    if is_begun:
        window.recovery.mention()
    return is_begun


def _begin_anew_without_file(window: MainWindow) -> bool:
    """Where the file could not be opened: what is wrong with it stands above the ways to begin."""
    from gpuplanner_gui.desktop.window.project_file import new_project

    is_without = window.file.path is None and not window.store.project.scenarios
    if is_without:
        window.store.open_project(new_project())
        window.workspace.show_start_page()
    return is_without


if __name__ == "__main__":
    sys.exit(main())
