"""When something fails that should not: tell once, offer to save, and keep a trace without private words."""

from __future__ import annotations

import faulthandler
import getpass
import logging
import os
import platform
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import IO

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QLocale, QObject, Qt, QUrl, Signal, Slot, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from gpuplanner_gui import paths
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.files import file_problem_text
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.migrations import version_text
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

LAYOUT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LOG_NAME = "gpuplanner.log"
FATAL_LOG_NAME = "gpuplanner-fatal.log"
MOST_CAUSES = 10
LARGEST_READ_BYTES = 100_000_000
MOST_LINES = 2_000
"""Most lines of each log in a report, the newest."""
HIDDEN = "…"

ExceptionInfo = tuple[type[BaseException] | None, BaseException | None, TracebackType | None]

_RECORD = re.compile(r"(\d{4}-\d\d-\d\d [\d:,]{12} [A-Z]+ gpuplanner_gui[\w.]*: )(.*)")
_PLACE = re.compile(r"  (?:File )?\"?(.*?)\"?(?:, line |:)(\d+),? in ([\w<>.]+)")
_AS_IT_IS = re.compile(
    r"raised \w+|Fatal Python error: [\w ]+|(?:Current t|T)hread 0x[0-9a-f]+ \(most recent call first\):"
    r"|Extension modules: [\w., ]+ \(total: \d+\)|Stack \(most recent call first\):"
)
_OF_PROGRAM = re.compile(r".*(?<!\w)((?:gpuplanner_gui|site-packages|lib[\\/]python3\.\d+)[\\/].*)")
_NOT_OURS = re.compile(r"""'.*'|".*"|(?:\b[A-Za-z]:)?[\\/].*|(?<=: ).*""")
"""Parts of a log message that may hold private text: quotations, paths and reasons."""


class PrivateFormatter(logging.Formatter):
    """Formats exceptions without their messages, and messages without reasons, paths and what stands in quotes."""

    def __init__(self) -> None:
        super().__init__(LAYOUT)

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(private_lines(super().format(record)))

    def formatException(self, ei: ExceptionInfo) -> str:
        return private_trace(ei[1]) if ei[1] is not None else ""


def private_trace(problem: BaseException) -> str:
    """An exception and its causes, the first last: kind, and the places in the program that it came through."""
    lines = []
    for one in _with_causes(problem):
        lines.append(f"raised {type(one).__name__}")
        for frame in traceback.extract_tb(one.__traceback__):
            lines.append(f"  {frame.filename}:{frame.lineno} in {frame.name}")
    return "\n".join(lines)


def _with_causes(problem: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = problem
    for _ in range(MOST_CAUSES):
        if one is None:
            return
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def private_lines(text: str) -> Iterator[str]:
    """The lines that a log may hold, without what is private in them; others are left out."""
    names = _names_of_people()
    for line in text.splitlines():
        if record := _RECORD.fullmatch(line):
            yield record[1] + names.sub(HIDDEN, _NOT_OURS.sub(HIDDEN, record[2]))
        elif place := _PLACE.fullmatch(line):
            file = _OF_PROGRAM.fullmatch(place[1])
            yield f"  {file[1] if file else HIDDEN}:{place[2]} in {place[3]}"
        elif _AS_IT_IS.fullmatch(line):
            yield line


def _names_of_people() -> re.Pattern[str]:
    """The names of the user and of the machine, as words."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = ""
    names = {user, os.path.basename(os.path.expanduser("~")), platform.node(), platform.node().partition(".")[0]}
    stated = [re.escape(name) for name in sorted(names, key=len, reverse=True) if name]
    return re.compile(rf"(?<!\w)(?:{'|'.join(stated) or '(?!)'})(?!\w)", re.IGNORECASE)


def write_fault_report() -> Path:
    """Write the report into the log folder, under the time of day. Raises FileProblem."""
    path = paths.log_dir() / f"fault-report-{datetime.now():%Y-%m-%d-%H%M%S}.txt"
    make_folder(path.parent)
    write_whole_file(path, report_text().encode("utf-8"))
    return path


def report_text() -> str:
    """Versions, the system, and what is left of the logs when all that is private is out. Raises FileProblem."""
    screens = ", ".join(f"{one.size().width()}x{one.size().height()} at {one.devicePixelRatio():g}"
                        for one in QGuiApplication.screens())  # fmt: skip
    facts = {
        "GPU Planner": version_text(),
        "Python": platform.python_version(),
        "Qt, PySide6": f"{qVersion()}, {pyside_version}",
        "System": f"{platform.system()} {platform.release()} {platform.machine()}, {os.cpu_count()} cores",
        "Display": f"{QGuiApplication.platformName()}, {screens}",
        "Language": QLocale.system().name(),
    }
    lines = ["Fault report of GPU Planner. It contains no project data, file names or personal names:",
             "please read it before you send it.", ""]  # fmt: skip
    lines += [f"{name}: {value}" for name, value in facts.items()]
    for name in (LOG_NAME, FATAL_LOG_NAME):
        path = paths.log_dir() / name
        held = read_bytes(path, LARGEST_READ_BYTES) if path.is_file() else b""
        found = held.decode("utf-8", "replace").splitlines()
        kept = list(private_lines("\n".join(found[-MOST_LINES:])))
        lines += ["", f"{name}: {len(kept)} of {len(found)} lines", *kept]
    return "\n".join(lines) + "\n"


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
        """Attach fault dialogs to this window; they offer to save its work."""
        self._window, self._save_work = window, save_work

    def tell_failed_start(self, problem: Exception) -> None:
        """Say why there is no window. The trace is in the log."""
        box = self._box(tr("GPU Planner could not start."))
        box.setInformativeText(
            tr(
                "Your files were not changed. Install the program again. If that does not help, write a report "
                "and send it to whoever gave you the program."
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
            tr("GPU Planner had an internal error. Your project is still open.")
            if saves
            else tr("GPU Planner had an internal error.")
        )
        box.setInformativeText(
            tr(
                "Save your work now, then continue or restart. A report contains no project data, file names or "
                "personal names."
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
    return tr("The report is in %1. Read it before you send it.").replace("%1", str(path))


def open_log_folder() -> None:
    """Show the folder of logs in the desktop's file manager."""
    try:
        open_folder(paths.log_dir())
    except OSError as problem:
        logger.warning("no log folder: %s", problem.strerror)


def open_folder(folder: Path) -> None:
    """Show a folder in the desktop's file manager, made where it is not there. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
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
