"""What benchmarks of the window share: the program with an example in it, and when it has come to rest."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, QSettings, QTimer
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.desktop.main import Collector, spare_source_reading
from gpuplanner_gui.desktop.tasks.planning_engine import ShippedEngine
from gpuplanner_gui.desktop.widgets import theme
from gpuplanner_gui.desktop.widgets.event_turns import drawing_queue
from gpuplanner_gui.desktop.window.main_window import MainWindow
from gpuplanner_gui.paths import resources_dir

EXAMPLE = "70b-chat"
SMALL_SCREEN = (1280, 720)
WAIT_MS = 60_000
LOOK_EVERY_MS = 20
REST_MS = 200
"""After the answer has been drawn: what follows it has begun by then."""


@contextmanager
def example_window(size: tuple[int, int] = SMALL_SCREEN) -> Iterator[MainWindow]:
    """The main window as the program makes it, in folders of its own, with the first answer drawn."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GPUPLANNER_HOME"] = folder
        spare_source_reading()
        app = QApplication([])
        theme.load_font(app)
        theme.apply_theme(app, theme.ThemeChoice.LIGHT)
        Collector(app)
        settings = QSettings(str(Path(folder) / "window.ini"), QSettings.Format.IniFormat)
        window = MainWindow(ShippedEngine, settings)
        window.resize(*size)
        window.show()
        window.build_results()
        window.compute.start()
        window.file.open_template(resources_dir() / "examples" / f"{EXAMPLE}.gpuplan")
        settle(window)
        yield window
        window.store.undo_stack.setClean()
        window.close()


def wait(milliseconds: int) -> None:
    """Let events and the other threads run; Qt's own wait for tests keeps Python to itself."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def settle(window: MainWindow, rest_ms: int = REST_MS) -> None:
    """Wait until the newest edit is answered and drawn, and a little longer."""
    waited = 0
    while (window.compute.state != "current" or drawing_queue().is_drawing()) and waited < WAIT_MS:
        wait(LOOK_EVERY_MS)
        waited += LOOK_EVERY_MS
    wait(rest_ms)


def build_pages(window: MainWindow) -> None:
    """Build what the program builds when it has nothing else to do."""
    while window._prepare_one():
        wait(1)
    settle(window)
