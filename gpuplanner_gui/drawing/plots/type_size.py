"""How large type is, as the planner set it: what holds text grows with it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication


def type_scale() -> float:
    """1 at the usual size."""
    application = QCoreApplication.instance()
    scale = application.property("fontScale") if application is not None else None
    return float(scale or 1.0)


def scaled(pixels: float) -> float:
    """What takes so many pixels at the usual size of type."""
    return pixels * type_scale()
