"""What a planner has set in a view, taken from its widgets and put into another one's of the same kind.

A view names the attributes that are worth keeping in `kept`: lines, boxes, chips, tabs, tables, scrolling areas, other
views, and mappings of these. What is no widget's own, it hands over itself by `more_kept` and `take_kept`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLineEdit,
    QTabBar,
    QTableView,
    QTabWidget,
)

from gpuplanner_gui.desktop.widgets.event_turns import WhenDrawn
from gpuplanner_gui.desktop.widgets.filter_chip import FilterChip

Kept = dict[str, Any]
MORE = "more"
WHEN_SHOWN = "scrolledWhenShown"


def kept_of(view: Any) -> Kept:
    """The values of a view's kept attributes."""
    # What a view hands over itself comes first: choosing an entry would scroll to it.
    kept = {MORE: view.more_kept()} if hasattr(view, "more_kept") else {}
    return kept | {name: _value_of(getattr(view, name)) for name in getattr(view, "kept", ())}


def put_back(view: Any, kept: Kept, is_last: bool = False) -> Kept:
    """Put it into another view; returns what found no place yet. The last time, what fits only in part is taken."""
    left = {}
    for name, value in kept.items():
        rest = view.take_kept(value) if name == MORE else _put(getattr(view, name), value, is_last)
        if rest is not None:
            left[name] = rest
    return left


def _value_of(part: Any) -> Any:
    if isinstance(part, Mapping):
        return {key: _value_of(one) for key, one in part.items()}
    for kind, read, _ in _WIDGETS:
        if isinstance(part, kind):
            return read(part)
    return kept_of(part)


def _put(part: Any, value: Any, is_last: bool) -> Any:
    """Put values back; returns what found no place, or None."""
    if isinstance(part, Mapping):
        rest = {key: _put(part[key], one, is_last) if key in part else one for key, one in value.items()}
        rest = {key: one for key, one in rest.items() if one is not None}
        return rest or None
    for kind, _, write in _WIDGETS:
        if isinstance(part, kind):
            return None if write(part, value) or is_last else value
    return put_back(part, value, is_last) or None


def _tick(chip: FilterChip, values: tuple[Any, ...]) -> bool:
    if chip.values() != values:
        chip.tick(*values)
    return chip.values() == values


def _write_text(line: QLineEdit, text: str) -> bool:
    if line.text() != text:
        line.setText(text)
    return True


def _check(button: QAbstractButton, is_checked: bool) -> bool:
    button.setChecked(is_checked)
    return True


def _choose(box: QComboBox | QTabBar | QTabWidget, place: int) -> bool:
    if 0 <= place < box.count():
        if isinstance(box, (QTabBar, QTabWidget)) and not box.isTabVisible(place):
            return False
        box.setCurrentIndex(place)
    return box.currentIndex() == place


def scroll_of(area: QAbstractScrollArea) -> tuple[int, int]:
    """How far an area is scrolled, across and down."""
    return area.horizontalScrollBar().value(), area.verticalScrollBar().value()


class _ScrolledWhenShown(QObject):
    """An area that nobody sees has no size yet, and cannot be scrolled."""

    def __init__(self, area: QAbstractScrollArea, places: tuple[int, int]) -> None:
        super().__init__(area)
        self.setObjectName(WHEN_SHOWN)
        self._area, self._places = area, places
        self._when_filled = WhenDrawn(self, self._scroll)
        area.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show:
            self._area.removeEventFilter(self)
            self.setObjectName("")
            # Not before it has been laid out and filled.
            self._when_filled.start()
        return False

    def _scroll(self) -> None:
        if self._area.isVisible():
            _scroll(self._area, self._places)
        self.deleteLater()


def _scroll(area: QAbstractScrollArea, places: tuple[int, int]) -> bool:
    """Rows that come later move what is seen: until the last time it is done again."""
    if places == (0, 0):
        return True
    if area.isVisible():
        for bar, place in zip((area.horizontalScrollBar(), area.verticalScrollBar()), places, strict=True):
            bar.setValue(place)
    elif area.findChild(_ScrolledWhenShown, WHEN_SHOWN) is None:
        _ScrolledWhenShown(area, places)
    return False


def _table_of(table: QTableView) -> tuple[int, int, tuple[int, int]]:
    header = table.horizontalHeader()
    return header.sortIndicatorSection(), header.sortIndicatorOrder().value, scroll_of(table)


def _arrange(table: QTableView, value: tuple[int, int, tuple[int, int]]) -> bool:
    column, order, places = value
    header = table.horizontalHeader()
    is_other = (header.sortIndicatorSection(), header.sortIndicatorOrder().value) != (column, order)
    if table.isSortingEnabled() and is_other:
        table.sortByColumn(column, Qt.SortOrder(order))
    return _scroll(table, places)


_WIDGETS: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any], Callable[[Any, Any], bool]], ...] = (
    (QLineEdit, QLineEdit.text, _write_text),
    (FilterChip, FilterChip.values, _tick),
    (QAbstractButton, QAbstractButton.isChecked, _check),
    ((QComboBox, QTabBar, QTabWidget), lambda box: box.currentIndex(), _choose),
    (QTableView, _table_of, _arrange),
    (QAbstractScrollArea, scroll_of, _scroll),
)
"""Reader and writer of each kind of widget, subclasses first. A writer says whether all was taken."""
