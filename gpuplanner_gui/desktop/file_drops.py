"""Files that are dragged onto a window, wherever on it they are let go.

They are taken before any field or plot sees them: a field would take a file's name as text, a plot would swallow it.
"""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QWidget


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
