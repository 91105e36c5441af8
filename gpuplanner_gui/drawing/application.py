"""A Qt application for drawing without a window, with the program's typeface."""

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QFontDatabase
from PySide6.QtWidgets import QApplication

from gpuplanner_gui import paths

FONT_FAMILY = "Inter"
POINT_SIZE = 10.0
FONT_SCALE = "fontScale"
"""Property of the application: how much larger than the platform's its type is."""


def type_scale() -> float:
    """1 at the usual size of type."""
    running = QCoreApplication.instance()
    return float((running.property(FONT_SCALE) if running is not None else None) or 1.0)


def drawing_application() -> QApplication:
    """The running application, or a new one that needs no display."""
    running = QApplication.instance()
    if isinstance(running, QApplication):
        return running
    if not _has_display():
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication(["gpuplanner"])
    application.setFont(program_font())
    return application


def program_font(point_size: float = POINT_SIZE) -> QFont:
    """The shipped typeface with figures of equal width; loaded once."""
    if FONT_FAMILY not in QFontDatabase.families():
        for file in sorted((paths.resources_dir() / "fonts").glob("*.otf")):
            QFontDatabase.addApplicationFont(str(file))
    return typeface(point_size)


def typeface(point_size: float) -> QFont:
    """The same, where it is loaded."""
    font = QFont(FONT_FAMILY)
    font.setPointSizeF(point_size if point_size > 0 else POINT_SIZE)
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def document_font(point_size: float) -> QFont:
    """The same typeface for documents, without glyphs that depend on their neighbours: nothing says what they mean."""
    font = program_font(point_size)
    for feature in ("calt", "case"):
        font.setFeature(QFont.Tag(feature), 0)
    return font


def _has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
