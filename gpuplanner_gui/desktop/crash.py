"""When something fails that should not: keep the traceback, tell the planner once, offer to save the work."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from gpuplanner_gui import paths

logger = logging.getLogger(__name__)

LOG_NAME = "gpuplanner.log"
FATAL_LOG_NAME = "gpuplanner-fatal.log"
LARGEST_LOG_BYTES = 2_000_000


class CrashReporter(QObject):
    """Receives every exception that nobody caught, in any thread; shows each kind once."""

    happened = Signal(str, str)
    """Kind and traceback; queued, because the failing thread need not be the window's."""

    def __init__(self, save_work: Callable[[], object], window: Callable[[], QWidget | None]) -> None:
        super().__init__()
        self._save_work = save_work
        self._window = window
        self._shown: dict[str, QMessageBox] = {}
        """The dialog of each kind, kept: without a window as its parent nobody else holds it."""
        self._hooks_before = (sys.excepthook, threading.excepthook)
        self._fatal_log: IO[str] | None = None
        self.happened.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        folder = paths.log_dir()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._fatal_log = open(folder / FATAL_LOG_NAME, "a", encoding="utf-8")  # noqa: SIM115  (open to the end)
            _log_to_file(folder / LOG_NAME)
        except OSError as problem:
            logger.warning("no log file in %s: %s", folder, problem)
        faulthandler.enable(self._fatal_log or sys.__stderr__ or sys.stderr)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception

    def uninstall(self) -> None:
        sys.excepthook, threading.excepthook = self._hooks_before
        faulthandler.disable()
        if self._fatal_log is not None:
            self._fatal_log.close()
            self._fatal_log = None

    def _on_exception(self, kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, problem, trace)
            return
        text = "".join(traceback.format_exception(kind, problem, trace))
        logger.error("not caught:\n%s", text)
        self.happened.emit(_kind_of(kind, trace), text)

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._on_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    @Slot(str, str)
    def _show(self, kind: str, text: str) -> None:
        # A failing paint repeats with every repaint: one dialog for each kind is enough.
        if kind in self._shown:
            return
        box = self._shown[kind] = QMessageBox(self._window())
        box.setObjectName("crash")
        box.setIcon(QMessageBox.Icon.Critical)
        box.setWindowTitle(self.tr("Something went wrong"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(self.tr("GPU Planner met a fault of its own. Your project is still open."))
        box.setInformativeText(
            self.tr("Save your work now, then go on or restart. The details are in %1").replace(
                "%1", str(paths.log_dir() / LOG_NAME)
            )
        )
        box.setDetailedText(text)
        save = box.addButton(self.tr("&Save…"), QMessageBox.ButtonRole.AcceptRole)
        go_on = box.addButton(self.tr("&Continue"), QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(save)
        box.setEscapeButton(go_on)
        save.clicked.connect(self._save_work)
        box.open()


def _kind_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    last = traceback.extract_tb(trace)[-1:] if trace else []
    return f"{kind.__name__}@{last[0].filename}:{last[0].lineno}" if last else kind.__name__


def _log_to_file(path: Path) -> None:
    if path.exists() and path.stat().st_size > LARGEST_LOG_BYTES:
        path.replace(path.with_suffix(".old.log"))
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger("gpuplanner_gui")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    root.info("started %s", datetime.now().astimezone().isoformat(timespec="seconds"))
