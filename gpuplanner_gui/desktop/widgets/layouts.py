"""Rows and columns of widgets, written as one list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

Layout = TypeVar("Layout", bound=QBoxLayout)
Item = QWidget | QLayout


@dataclass(frozen=True)
class Gap:
    """Empty room: of so many pixels, or a share of what the others leave."""

    pixels: int = 0
    stretch: int = 0


STRETCH = Gap(stretch=1)


def lay_out(
    layout: Layout,
    *parts: Item | Gap | tuple[Item, int] | tuple[Item, int, Qt.AlignmentFlag],
    margins: tuple[int, int, int, int] | None = None,
    spacing: int | None = None,
) -> Layout:
    """Fill a row or column in order; a part may bring its stretch, and a widget its alignment too.

    Margins are left, top, right and bottom, in pixels as `spacing` is; None leaves them to the style.
    """
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, Gap):
            layout.addStretch(part.stretch) if part.stretch else layout.addSpacing(part.pixels)
            continue
        item, stretch, *alignment = part if isinstance(part, tuple) else (part, 0)
        if isinstance(item, QLayout):
            layout.addLayout(item, stretch)
        else:
            layout.addWidget(item, stretch, *alignment)
    return layout
