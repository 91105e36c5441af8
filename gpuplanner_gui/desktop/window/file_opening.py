"""Files that are dragged onto a window or opened by name: what each is, and who opens it.

Drops are taken before any field or plot sees them: a field would take a file's name as text, a plot would swallow it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, lay_out
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.desktop.widgets.message_bar import MessageBar, Severity
from gpuplanner_gui.desktop.window.calibrate_controls import MEASUREMENT_SUFFIXES
from gpuplanner_gui.desktop.window.catalog_controls import PACK_SUFFIX
from gpuplanner_gui.desktop.window.page_controls import TRACE_SUFFIXES
from gpuplanner_gui.desktop.window.project_file import SUFFIX
from gpuplanner_gui.drawing.language import tr


class FileDrops(QObject):
    """Watches a top-level window from when it is on screen; while files are over it, shows where they will land."""

    dropped = Signal(object)
    """The local files, when the drag is over: its source waits for whoever handles the drop."""

    def __init__(self, window: QWidget, landing_of: Callable[[Sequence[Path]], Landing]) -> None:
        super().__init__(window)
        self._landing_of = landing_of
        self._paths: list[Path] = []
        """The files that are over the window."""
        self._show_soon = NextTurn(self, lambda: self.hint.show_landing(self._landing_of(self._paths)))
        self.hint = DropHint(window)

    def watch(self, window: QWidget) -> None:
        """Take what is dropped on this window too; once it is shown."""
        handle = window.windowHandle()
        if handle is not None:
            handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.DragLeave, QEvent.Type.Drop):
            self._show_soon.stop()
            self.hint.hide()
        if kind not in (QEvent.Type.DragEnter, QEvent.Type.DragMove, QEvent.Type.Drop):
            return False
        assert isinstance(event, QDropEvent)
        paths = local_files(event)
        if not paths:
            return False
        event.acceptProposedAction()
        if kind == QEvent.Type.DragEnter:
            self._paths = paths
            self._show_soon.start()
        elif kind == QEvent.Type.Drop:
            QTimer.singleShot(0, self, lambda: self.dropped.emit(paths))
        return True


@dataclass(frozen=True)
class Landing:
    """What dropping the dragged files would do."""

    text: str
    place: QWidget
    """The part of the window that takes them."""


class DropHint(QWidget):
    """A frame around the part of the window that takes the files, with what becomes of them."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setObjectName("dropHint")
        self.text = WrappingLabel(parent=self, name="veil")
        self.text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.text.setAutoFillBackground(True)
        self.text.setMargin(12)
        lay_out(QVBoxLayout(self), STRETCH, self.text, STRETCH, margins=(16, 16, 16, 16))
        self.hide()

    def show_landing(self, landing: Landing) -> None:
        self.text.setText(landing.text)
        corner = landing.place.mapTo(self._window, QPoint(0, 0))
        self.setGeometry(QRect(corner, landing.place.size()))
        self.show()
        self.raise_()


def local_files(event: QDropEvent) -> list[Path]:
    """Files and folders of this machine that are dragged."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile() and url.toLocalFile()]


TABLE_SUFFIXES = (".csv", ".tsv")


def open_paths(paths: Sequence[Path], openers: Mapping[str, Callable[[Path], object]], messages: MessageBar) -> None:
    """Each of several files by what opens its kind; a second project is opened beside, what is foreign said at the end.

    Models are opened last: they are for the project that is opened with them.
    """
    # What went wrong with an earlier file is over.
    messages.withdraw_error()
    found = sorted(((kind_of(path), path) for path in paths), key=lambda one: one[0] == "model")
    is_taken = False
    for kind, path in found:
        if kind == "project" and is_taken:
            openers["project_beside"](path)
        elif kind:
            openers[kind](path)
            is_taken = is_taken or kind == "project"
    foreign = [path for kind, path in found if not kind]
    if foreign:
        messages.show_message(partial(foreign_text, foreign), Severity.ERROR)


def kind_of(path: Path) -> str:
    """The kind of a file by name, then content: a key of `LANDINGS`; empty if nothing opens it."""
    from gpuplanner_gui.files.measurements.sets import holds_measurements
    from gpuplanner_gui.files.price_list import looks_like_prices

    suffix = path.suffix.lower()
    if path.is_dir():
        return ""
    if suffix in (SUFFIX, PACK_SUFFIX):
        return "project" if suffix == SUFFIX else "pack"
    # Before measurements: a list that says how much memory a card has is no measurement of it.
    if suffix in (*TABLE_SUFFIXES, ".txt") and looks_like_prices(path):
        return "prices"
    if suffix in MEASUREMENT_SUFFIXES or holds_measurements(path):
        return "measurements"
    if suffix in (*TRACE_SUFFIXES, *TABLE_SUFFIXES):
        return "trace"
    # A name that has no such ending may have been asked for: then it is said what is wrong with the file.
    return "model" if suffix == ".json" or not path.exists() else ""


LANDINGS = {
    "project": "Opens {name}.",
    "pack": "Shows what the pack {name} changes and asks before using it.",
    "prices": "Shows the prices in {name} and asks which to use.",
    "measurements": "Imports the measurements in {name}.",
    "trace": "Imports the traffic in {name}.",
    "model": "Plans the model in {name}.",
}


def landing_text(paths: Sequence[Path], replaced: str) -> str:
    """What dropping the files would do, as text; `replaced` is the planner's model that a new one would replace."""
    kind = kind_of(paths[0])
    if not kind:
        return foreign_text(paths[:1])
    if kind == "model" and replaced:
        text = tr("Asks before the model in {name} replaces {model}.").format(name=paths[0].name, model=replaced)
    else:
        text = tr(LANDINGS[kind]).format(name=paths[0].name)
    more = tr("Then opens {count} more files.").format(count=len(paths) - 1) if len(paths) > 1 else ""
    return f"{text} {more}".strip()


def foreign_text(paths: Sequence[Path]) -> str:
    known = tr(
        "Open a project (.gpuplan), a model's config.json, a benchmark result or log, recorded traffic (CSV, "
        "JSON lines), a price list (CSV) or a pack."
    )
    name = paths[0].name or str(paths[0])
    if len(paths) > 1:
        said = tr("GPU Planner cannot open {count} of these files, such as {name}.")
        return f"{said.format(count=len(paths), name=name)} {known}"
    said = tr("{name} is a folder.") if paths[0].is_dir() else tr("GPU Planner cannot open {name}.")
    return f"{said.format(name=name)} {known}"
