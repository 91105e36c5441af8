"""Pens, brushes and letters of plots: the same objects for the same looks, as pyqtgraph keeps a symbol for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGuiApplication, QPen

from gpuplanner_gui.drawing.application import type_scale
from gpuplanner_gui.drawing.palette import Theme


def scaled(pixels: float) -> float:
    """Pixels at the present size of type for so many at the usual one."""
    return pixels * type_scale()


TICK_POINTS = 8.5
NO_BRUSH, NO_PEN = QBrush(), QPen(Qt.PenStyle.NoPen)


def tick_font() -> QFont:
    font = QFont(QGuiApplication.font())
    font.setPointSizeF(TICK_POINTS * type_scale())
    return font


def pen(colour: str, width: float = 1.0, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """A cosmetic pen: as wide on every zoom. Always the same object, as pyqtgraph renders a symbol for each new pen."""
    return _pen(colour, width, style, _dots.get() or _screen_dots())


_dots: ContextVar[float] = ContextVar("dots", default=0.0)
"""Dots of what is drawn on in a unit of length, where that is not the screen; 0 where it is."""


@contextmanager
def dots_in_unit(dots: float) -> Iterator[None]:
    """Meanwhile lines are drawn for something with so many dots in a unit of length, as wide as on the screen."""
    token = _dots.set(dots)
    try:
        yield
    finally:
        _dots.reset(token)


def _screen_dots() -> float:
    return QGuiApplication.primaryScreen().devicePixelRatio() if QGuiApplication.instance() is not None else 1.0


@cache
def _pen(colour: str, width: float, style: Qt.PenStyle, dots: float) -> QPen:
    # A cosmetic pen's width is in the dots of what it draws on: where they are dense, lines would be hairs.
    made = QPen(QColor(colour), width if dots == 1 else max(round(width * dots), 1), style)
    made.setCosmetic(True)
    return made


@cache
def brush(colour: str) -> QBrush:
    """Always the same object, as pyqtgraph renders, and keeps, a symbol for each new brush."""
    return QBrush(QColor(colour))


def readable_on(colour: str, theme: Theme) -> str:
    """The theme's text or its ground, whichever stands out more from a colour (contrast ratio of WCAG 2.1)."""

    def luminance(name: str) -> float:
        shown = QColor(name)
        channels = (value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
                    for value in (shown.redF(), shown.greenF(), shown.blueF()))  # fmt: skip
        return sum(weight * one for weight, one in zip((0.2126, 0.7152, 0.0722), channels))

    under = luminance(colour)
    return max(
        (theme.text, theme.surface),
        key=lambda one: (max(luminance(one), under) + 0.05) / (min(luminance(one), under) + 0.05),
    )


def translucent(colour: str, alpha: int) -> QColor:
    made = QColor(colour)
    made.setAlpha(alpha)
    return made


def faint(colour: str, alpha: int) -> str:
    """The same by its name, as `pen` and legends take colours."""
    return translucent(colour, alpha).name(QColor.NameFormat.HexArgb)
