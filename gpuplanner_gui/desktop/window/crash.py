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

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMessageBox, QWidget

from gpuplanner_gui import paths
from gpuplanner_gui.desktop.window.fault_report import (
    FATAL_LOG_NAME,
    LOG_NAME,
    PrivateFormatter,
    write_fault_report,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem

logger = logging.getLogger(__name__)

LARGEST_LOG_BYTES = 2_000_000


class CrashReporter(QObject):
    """Receives every exception that nobody caught, in any thread; shows each kind once.

    Installed before the window exists, so that a failure while it is built leaves its trace too; `protect` says
    whose work there is to save once there is any.
    """

    happened = Signal(str, str)
    """Kind and traceback; queued, because the failing thread need not be the window's."""

    def __init__(self) -> None:
        super().__init__()
        self._save_work: Callable[[], object] | None = None
        self._window: QWidget | None = None
        self._shown: dict[str, QMessageBox] = {}
        """The dialog of each kind, kept: without a window as its parent nobody else holds it."""
        self._hooks_before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._fatal_log: IO[str] | None = None
        self.happened.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        folder = paths.log_dir()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._fatal_log = open(folder / FATAL_LOG_NAME, "a", encoding="utf-8")  # noqa: SIM115  (open to the end)
            _log_to_file(folder / LOG_NAME)
        except OSError as problem:
            logger.warning("no log file: %s", problem.strerror)
        stream = self._fatal_log or sys.__stderr__
        # A window's program on Windows has neither where its log cannot be written.
        if stream is not None:
            faulthandler.enable(stream)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        sys.unraisablehook = self._on_unraisable

    def protect(self, window: QWidget, save_work: Callable[[], object]) -> None:
        """From now on, dialogs belong to this window and offer to save its work."""
        self._window, self._save_work = window, save_work

    def tell_failed_start(self, problem: Exception) -> None:
        """Say why there is no window. The trace is in the log."""
        box = self._box(tr("GPU Planner could not start."))
        box.setInformativeText(
            tr(
                "Your files are as they were. Unpack or install the program again; if that does not help, write a"
                " report and send it to whom you have the program from."
            )
        )
        box.setDetailedText("".join(traceback.format_exception(problem)))
        self._add_report_button(box)
        box.addButton(QMessageBox.StandardButton.Close)
        box.exec()

    def uninstall(self) -> None:
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._hooks_before
        faulthandler.disable()
        if self._fatal_log is not None:
            self._fatal_log.close()
            self._fatal_log = None

    def _on_exception(self, kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, problem, trace)
            return
        text = "".join(traceback.format_exception(kind, problem, trace))
        logger.error("not caught", exc_info=(kind, problem, trace))
        self.happened.emit(_kind_of(kind, trace), text)

    def _on_thread_exception(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._on_exception(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def _on_unraisable(self, unraisable: sys.UnraisableHookArgs) -> None:
        """A failure while something was being thrown away: nobody waits for it, and nothing is lost."""
        problem = unraisable.exc_value
        if problem is not None:
            logger.warning("while discarding", exc_info=(type(problem), problem, unraisable.exc_traceback))

    @Slot(str, str)
    def _show(self, kind: str, text: str) -> None:
        # A failing paint repeats with every repaint: one dialog for each kind is enough.
        if kind in self._shown:
            return
        saves = self._save_work is not None
        box = self._shown[kind] = self._box(
            tr("GPU Planner met a fault of its own. Your project is still open.")
            if saves
            else tr("GPU Planner met a fault of its own.")
        )
        box.setInformativeText(
            tr(
                "Save your work now, then go on or restart. A report holds nothing of your project, no file names and"
                " no names of people."
            )
        )
        box.setDetailedText(text)
        self._add_report_button(box)
        go_on = box.addButton(tr("&Continue"), QMessageBox.ButtonRole.RejectRole)
        box.setEscapeButton(go_on)
        if self._save_work is not None:
            save = box.addButton(tr("&Save…"), QMessageBox.ButtonRole.AcceptRole)
            save.clicked.connect(self._save_work)
            box.setDefaultButton(save)
        box.open()

    def _box(self, text: str) -> QMessageBox:
        box = QMessageBox(self._window)
        box.setObjectName("crash")
        box.setIcon(QMessageBox.Icon.Critical)
        box.setWindowTitle(tr("Something went wrong"))
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(text)
        return box

    def _add_report_button(self, box: QMessageBox) -> None:
        button = box.addButton(tr("Write &Report"), QMessageBox.ButtonRole.ActionRole)
        # A message box closes at any of its buttons; this one leaves the question open.
        button.clicked.disconnect()
        button.clicked.connect(lambda: box.setInformativeText(write_and_show_report()))


def write_and_show_report() -> str:
    """Write a fault report and show its folder; a sentence that says where it is, or why it is not."""
    try:
        path = write_fault_report()
    except FileProblem as problem:
        return file_problem_text(problem)
    open_log_folder()
    return tr("The report is in %1. Read it before you pass it on.").replace("%1", str(path))


def open_log_folder() -> None:
    """Show the folder of logs in the desktop's file manager."""
    folder = paths.log_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        logger.warning("no log folder: %s", problem.strerror)
        return
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _kind_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    last = traceback.extract_tb(trace)[-1:] if trace else []
    return f"{kind.__name__}@{last[0].filename}:{last[0].lineno}" if last else kind.__name__


def _log_to_file(path: Path) -> None:
    if path.exists() and path.stat().st_size > LARGEST_LOG_BYTES:
        path.replace(path.with_suffix(".old.log"))
    handler = logging.FileHandler(path, encoding="utf-8", delay=True)
    handler.setFormatter(PrivateFormatter())
    root = logging.getLogger("gpuplanner_gui")
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    root.info("started %s", datetime.now().astimezone().isoformat(timespec="seconds"))
