"""`gpuplanner-gui [FILE] [--smoke]`: opens the window."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import __version__

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.smoke import SmokeRun

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
    app = Application(["gpuplanner-gui"])
    _name(app)
    from gpuplanner_gui.desktop.crash import CrashReporter
    from gpuplanner_gui.desktop.main_window import MainWindow
    from gpuplanner_gui.desktop.settings import Key, text_setting, window_settings
    from gpuplanner_gui.desktop.theme import Theme, apply_theme, load_font

    settings = window_settings()
    load_font(app)
    apply_theme(app, Theme(text_setting(settings, Key.THEME, Theme.SYSTEM)))
    window = MainWindow(settings=settings)
    crash = CrashReporter(window.commands.save_project, lambda: window)
    crash.install()
    app.file_requested.connect(lambda name: window.commands.open_path(Path(name)))
    smoke = _smoke(window) if options.smoke else None
    _show(window, options.file)
    code = app.exec()
    crash.uninstall()
    return smoke.code if smoke is not None else code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gpuplanner-gui", description="Plan accelerators for training and serving, in a window."
    )
    parser.add_argument("file", nargs="?", type=Path, help="a .gpuplan project, or a model's config.json")
    parser.add_argument(
        "--smoke", action="store_true", help="open the file, wait for its first complete result on screen, and exit"
    )
    parser.add_argument("--version", action="version", version=f"GPU Planner {__version__}")
    return parser


def _name(app: QApplication) -> None:
    app.setApplicationName("gpuplanner")
    app.setApplicationDisplayName("GPU Planner")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("gpuplanner")
    from gpuplanner_gui.desktop.icons import application_icon

    app.setWindowIcon(application_icon())


def _show(window: MainWindow, file: Path | None) -> None:
    """The shell first; plots, catalogue and file once it is on screen."""

    def go_on() -> None:
        window.compute.start()
        if file is not None:
            window.commands.open_path(file)
        else:
            window.planner.ask()
        window.build_results()

    first_paint = AfterFirstPaint(window)
    first_paint.painted.connect(go_on)
    window.installEventFilter(first_paint)
    window.show()


def _smoke(window: MainWindow) -> SmokeRun:
    from gpuplanner_gui.desktop.smoke import SmokeRun

    return SmokeRun(window, SMOKE_LIMIT_S)


if __name__ == "__main__":
    sys.exit(main())
