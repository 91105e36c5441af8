"""Our own icons, drawn in the text's colour so that they suit every theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from gpuplanner_gui import paths

_SIZES = (16, 32)
"""Single and double resolution."""


def icon(name: str) -> QIcon:
    """An icon of `resources/icons` in the colour of the present palette's text."""
    return coloured_icon(name, QGuiApplication.palette().color(QPalette.ColorRole.WindowText))


def coloured_icon(name: str, colour: QColor) -> QIcon:
    selected = QGuiApplication.palette().color(QPalette.ColorRole.HighlightedText)
    return _coloured_icon(name, colour.name(), selected.name())


def application_icon() -> QIcon:
    return QIcon(str(paths.resources_dir() / "icons" / "application.svg"))


@lru_cache(maxsize=256)
def _coloured_icon(name: str, colour: str, selected: str) -> QIcon:
    drawing = (paths.resources_dir() / "icons" / f"{name}.svg").read_bytes()
    renderer = QSvgRenderer(QByteArray(drawing.replace(b"currentColor", colour.encode())))
    result = QIcon()
    for size in _SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        renderer.render(painter, QRectF(0, 0, size, size))
        painter.end()
        result.addPixmap(pixmap)
        result.addPixmap(_tinted(pixmap, selected), QIcon.Mode.Selected)
    return result


def _tinted(pixmap: QPixmap, colour: str) -> QPixmap:
    tinted = QPixmap(pixmap)
    painter = QPainter(tinted)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(tinted.rect(), QColor(colour))
    painter.end()
    return tinted
