"""What a log may hold, and one file of it to carry out of a site: nothing of a project, no paths, no names of people.

A line is kept only in a form that the program itself writes, so that what nobody thought of stays out.
"""

from __future__ import annotations

import getpass
import logging
import os
import platform
import re
import traceback
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QLocale, qVersion
from PySide6.QtGui import QGuiApplication

from gpuplanner_gui import paths
from gpuplanner_gui.files.migrations import version_text
from gpuplanner_gui.files.safe_json import read_bytes
from gpuplanner_gui.files.whole_file import make_folder, write_whole_file

LAYOUT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
LOG_NAME = "gpuplanner.log"
FATAL_LOG_NAME = "gpuplanner-fatal.log"
MOST_CAUSES = 10
LARGEST_READ_BYTES = 100_000_000
MOST_LINES = 2_000
"""Of each log, the newest."""
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
"""What a message quotes, paths, and what it gives as a reason."""


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
    lines = ["Fault report of GPU Planner. It holds nothing of a project, no file names and no names of people:",
             "please read it before you pass it on.", ""]  # fmt: skip
    lines += [f"{name}: {value}" for name, value in facts.items()]
    for name in (LOG_NAME, FATAL_LOG_NAME):
        path = paths.log_dir() / name
        held = read_bytes(path, LARGEST_READ_BYTES) if path.is_file() else b""
        found = held.decode("utf-8", "replace").splitlines()
        kept = list(private_lines("\n".join(found[-MOST_LINES:])))
        lines += ["", f"{name}: {len(kept)} of {len(found)} lines", *kept]
    return "\n".join(lines) + "\n"
