"""Files dragged onto a window as the platform does it: the window's handle hears of it, then whoever is under it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

COPY, LEFT, NO_KEY = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drag_files(window: QWidget, paths: Sequence[Path], place: QPoint) -> bool:
    """Enter, move and let go at a place of a top-level window. False if the files are not wanted there."""
    if not hold_files(window, paths, place):
        return False
    data = _data_of(paths)
    drop = QDropEvent(QPointF(place), COPY, data, LEFT, NO_KEY)
    handle = window.windowHandle()
    assert handle is not None
    QApplication.sendEvent(handle, drop)
    return bool(drop.isAccepted())


def leave(window: QWidget) -> None:
    """Take the files away again without letting go."""
    handle = window.windowHandle()
    assert handle is not None
    QApplication.sendEvent(handle, QDragLeaveEvent())


def _data_of(paths: Sequence[Path]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    # As file managers do, which is what a text field would take.
    data.setText("\n".join(str(path) for path in paths))
    return data


def hold_files(window: QWidget, paths: Sequence[Path], place: QPoint) -> bool:
    """Enter and move, and hold them there. False if they are not wanted."""
    handle, data = window.windowHandle(), _data_of(paths)
    assert handle is not None
    for kind in (QDragEnterEvent, QDragMoveEvent):
        event = kind(place, COPY, data, LEFT, NO_KEY)
        event.ignore()
        QApplication.sendEvent(handle, event)
        if not event.isAccepted():
            return False
    return True
