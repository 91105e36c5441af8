"""Files dragged onto a window as the platform does it: the window's handle hears of it, then whoever is under it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

COPY, LEFT, NO_KEY = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drag_files(window: QWidget, paths: Sequence[Path], place: QPoint) -> bool:
    """Enter, move and let go at a place of a top-level window. False if the files are not wanted there."""
    handle = window.windowHandle()
    assert handle is not None
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    # As file managers do, which is what a text field would take.
    data.setText("\n".join(str(path) for path in paths))
    for kind in (QDragEnterEvent, QDragMoveEvent):
        event = kind(place, COPY, data, LEFT, NO_KEY)
        event.ignore()
        QApplication.sendEvent(handle, event)
        if not event.isAccepted():
            return False
    drop = QDropEvent(QPointF(place), COPY, data, LEFT, NO_KEY)
    QApplication.sendEvent(handle, drop)
    return bool(drop.isAccepted())
