"""Files that are dragged onto a window or opened by name: what each is, and who opens it.

Drops are taken before any field or plot sees them: a field would take a file's name as text, a plot would swallow it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, Severity
from gpuplanner_gui.desktop.window.calibrate_controls import MEASUREMENT_SUFFIXES
from gpuplanner_gui.desktop.window.catalog_controls import PACK_SUFFIX
from gpuplanner_gui.desktop.window.new_project import SUFFIX
from gpuplanner_gui.desktop.window.page_controls import TRACE_SUFFIXES
from gpuplanner_gui.drawing.language import tr


class FileDrops(QObject):
    """Watches a top-level window from when it is on screen."""

    dropped = Signal(object)
    """The local files, when the drag is over: its source waits for whoever handles the drop."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)

    def watch(self, window: QWidget) -> None:
        """Take what is dropped on this window too; once it is shown."""
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            return False
        assert isinstance(event, QDropEvent)
        paths = local_files(event)
        if not paths:
            return False
        event.acceptProposedAction()
        if kind == QEvent.Type.Drop:
            QTimer.singleShot(0, self, lambda: self.dropped.emit(paths))
        return True


def local_files(event: QDropEvent) -> list[Path]:
    """Files and folders of this machine that are dragged."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile() and url.toLocalFile()]


TABLE_SUFFIXES = (".csv", ".tsv")
Open = Callable[[Path], object]


@dataclass(frozen=True, kw_only=True)
class Openers:
    """What opens each kind of file."""

    project: Open
    project_beside: Open
    """In a window of its own."""
    pack: Open
    prices: Open
    measurements: Open
    trace: Open
    model: Open


class FileOpening:
    """Finds out what a file is, by its name and then by its content, and has it opened by whoever knows how."""

    def __init__(self, messages: MessageBar, openers: Openers) -> None:
        self._messages, self._openers = messages, openers

    def open_paths(self, paths: Sequence[Path]) -> None:
        """Each of several files; a second project gets a window of its own, and what is foreign is said at the end."""
        # What went wrong with an earlier file is over.
        self._messages.withdraw_error()
        found = [(self._opener(path), path) for path in paths]
        foreign = [path for opens, path in found if opens is None]
        is_taken = False
        for opens, path in found:
            if opens == self._openers.project and is_taken:
                self._openers.project_beside(path)
            elif opens is not None:
                opens(path)
                is_taken = is_taken or opens == self._openers.project
        if foreign:
            self._messages.show_message(partial(_foreign_text, foreign), Severity.ERROR)

    def _opener(self, path: Path) -> Open | None:
        """What opens a file; None for one that GPU Planner has no use for."""
        from gpuplanner_gui.files.measurements.sets import holds_measurements
        from gpuplanner_gui.files.price_list import looks_like_prices

        known, suffix = self._openers, path.suffix.lower()
        if path.is_dir():
            return None
        if suffix == SUFFIX:
            return known.project
        if suffix == PACK_SUFFIX:
            return known.pack
        # Before measurements: a list that says how much memory a card has is no measurement of it.
        if suffix in (*TABLE_SUFFIXES, ".txt") and looks_like_prices(path):
            return known.prices
        if suffix in MEASUREMENT_SUFFIXES or holds_measurements(path):
            return known.measurements
        if suffix in (*TRACE_SUFFIXES, *TABLE_SUFFIXES):
            return known.trace
        # A name that has no such ending may have been asked for: then it is said what is wrong with the file.
        return known.model if suffix == ".json" or not path.exists() else None


def _foreign_text(paths: Sequence[Path]) -> str:
    known = tr(
        "Open a project (.gpuplan), a model's config.json, a benchmark's result or log, recorded traffic (CSV, JSON "
        "lines), a price list (CSV) or a pack."
    )
    name = paths[0].name or str(paths[0])
    if len(paths) > 1:
        said = tr("{count} of these are nothing that GPU Planner opens, {name} among them.")
        return f"{said.format(count=len(paths), name=name)} {known}"
    said = tr("{name} is a folder.") if paths[0].is_dir() else tr("{name} is nothing that GPU Planner opens.")
    return f"{said.format(name=name)} {known}"
