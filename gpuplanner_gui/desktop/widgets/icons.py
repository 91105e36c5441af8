"""Our own icons, drawn in the text's colour so that they suit every theme."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QToolButton

from gpuplanner_gui import paths
from gpuplanner_gui.drawing.language import tr

ICON_NAME = "iconName"
"""Property of a button whose icon follows the theme."""
_SIDES = (12, 16, 24, 32)
"""Of the icons in use, in pixels of a screen that is not scaled."""


def icon_size(side: int) -> QSize:
    """Of an icon that is so wide at the usual size of type."""
    app = QGuiApplication.instance()
    return QSize(side, side) * float((app.property("fontScale") if app is not None else None) or 1.0)


def icon(name: str) -> QIcon:
    """An icon of `resources/icons` in the colour of the present palette's text."""
    return coloured_icon(name, QGuiApplication.palette().color(QPalette.ColorRole.WindowText))


def use_icon(button: QAbstractButton, name: str) -> None:
    """Give a button an icon that follows the theme."""
    button.setProperty(ICON_NAME, name)
    button.setIcon(icon(name))


def refresh_icons() -> None:
    """Draw the icons of all buttons in the colour of the present palette's text."""
    for widget in QApplication.allWidgets():
        name = widget.property(ICON_NAME)
        if name and isinstance(widget, QAbstractButton):
            widget.setIcon(icon(name))


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
    dots = QGuiApplication.primaryScreen().devicePixelRatio()
    for size in sorted({round(side * dots) for side in _SIDES}):
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


def add_clear_button(field: QLineEdit) -> None:
    field.setClearButtonEnabled(True)
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))
