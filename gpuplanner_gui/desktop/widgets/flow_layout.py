"""Layouts: rows and columns written as one list, and a line that goes on in the next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QLayout, QLayoutItem, QScrollArea, QSizePolicy, QWidget
from shiboken6 import isValid

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


def clear(layout: QLayout) -> None:
    """Take every widget out of a layout, and let go of it."""
    while item := layout.takeAt(0):
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()


def scroll_area(
    inside: QWidget | None = None, parent: QWidget | None = None, *, is_upright: bool = False, takes_focus: bool = True
) -> QScrollArea:
    """An area without a frame for something that grows with it; `is_upright`: it is never scrolled sideways."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QScrollArea.Shape.NoFrame)
    if is_upright:
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if not takes_focus:
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    if inside is not None:
        area.setWidget(inside)
    _Follower(area)
    return area


class _Follower(QObject):
    """Brings into view what the keyboard gives the focus to: from outside the area, Qt itself does not."""

    def __init__(self, area: QScrollArea) -> None:
        super().__init__(area)
        self._area = area
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow)

    def _follow(self, before: QWidget | None, now: QWidget | None) -> None:
        if not isValid(self._area):
            return  # What is taken down gives the focus away before its children go.
        inside = self._area.widget()
        if now is not None and inside is not None and inside.isAncestorOf(now) and not QApplication.mouseButtons():
            self._area.ensureWidgetVisible(now)


class FlowLayout(QLayout):
    """Items from left to right, wrapped at the width there is, each in the middle of its line's height."""

    def __init__(self, parent: QWidget | None = None, spacing: int = 4, line_spacing: int | None = None) -> None:
        """Pixels between items, and between lines where that is not the same."""
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self._line_spacing = spacing if line_spacing is None else line_spacing
        self.setSpacing(spacing)
        self.setContentsMargins(0, 0, 0, 0)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._arrange(QRect(0, 0, width, 0), moves=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._arrange(rect, moves=True)

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, moves: bool) -> int:
        y = rect.y()
        for line in self._lines(rect.width()):
            x, height = rect.x(), max(item.sizeHint().height() for item in line)
            for item in line:
                hint = item.sizeHint()
                if moves:
                    item.setGeometry(QRect(QPoint(x, y + (height - hint.height()) // 2), hint))
                x += hint.width() + self.spacing()
            y += height + self._line_spacing
        return max(y - self._line_spacing - rect.y(), 0)

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        lines: list[list[QLayoutItem]] = []
        taken = 0
        for item in self._items:
            if item.isEmpty():
                continue
            needed = item.sizeHint().width()
            if not lines or taken + needed > width:
                lines.append([])
                taken = 0
            lines[-1].append(item)
            taken += needed + self.spacing()
        return lines


class FlowBox(QWidget):
    """Holds a flow, and stays as tall as its lines also where what it stands in asks for no height by width."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.flow = FlowLayout(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_lines()

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._keep_lines()
        return is_handled

    def _keep_lines(self) -> None:
        self.setFixedHeight(self.flow.heightForWidth(self.width()))


def flowing(widgets: Sequence[QWidget], parent: QWidget, spacing: int, line_spacing: int) -> QWidget:
    """Widgets in a row that goes on in the next line where there is no room, as a widget for another layout."""
    box = QWidget(parent)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    box.setSizePolicy(policy)
    flow = FlowLayout(box, spacing, line_spacing)
    for widget in widgets:
        flow.addWidget(widget)
    return box
