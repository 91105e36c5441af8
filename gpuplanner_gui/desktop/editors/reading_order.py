"""The Tab key goes through a form as one reads it, whenever its fields were made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QGridLayout, QLayout, QWidget

from gpuplanner_gui.desktop.widgets.event_turns import NextTurn


class ReadingOrder(QObject):
    """Keeps the order of a page: Qt's is that in which widgets were made, and forms make theirs as they are needed.

    The page comes where `place` has its place among the parts of the window.
    """

    def __init__(self, page: QWidget, place: QWidget) -> None:
        super().__init__(page)
        self._page, self._place = page, place
        self._known: list[QWidget] = []
        self._soon = NextTurn(self, self._follow)
        page.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        # What is added or taken away anywhere in a page asks it for room.
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._soon.start()
        return False

    def _follow(self) -> None:
        stops = list(stops_in(self._page))
        if stops == self._known:
            return
        self._known = stops
        before = _stop_before(self._place)
        for stop in stops:
            if before is not None:
                QWidget.setTabOrder(before, stop)
            before = stop


def stops_in(widget: QWidget) -> Iterator[QWidget]:
    """What the Tab key may stop at in a widget, by the places in its layouts."""
    layout = widget.layout()
    for child in _placed(layout) if layout is not None else ():
        if child.focusPolicy() & Qt.FocusPolicy.TabFocus:
            yield child
        yield from stops_in(child)


def _placed(layout: QLayout) -> Iterator[QWidget]:
    places = list(range(layout.count()))
    if isinstance(layout, QGridLayout):
        places.sort(key=lambda place: cast("tuple[int, int]", layout.getItemPosition(place))[:2])
    for place in places:
        item = layout.itemAt(place)
        widget, inner = (item.widget(), item.layout()) if item is not None else (None, None)
        if widget is not None:
            yield widget
        elif inner is not None:
            yield from _placed(inner)


def _stop_before(place: QWidget) -> QWidget | None:
    """The last stop before a widget in the order of its window; None where there is none."""
    found = place.previousInFocusChain()
    while found is not None and found is not place:
        if not place.isAncestorOf(found) and found.focusPolicy() & Qt.FocusPolicy.TabFocus:
            return found
        found = found.previousInFocusChain()
    return None
