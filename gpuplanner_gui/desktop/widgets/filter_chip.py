"""A filter as a chip: it says what it lets through, and opens a menu to tick more."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolButton

from gpuplanner_gui.drawing.language import labelled, listed, tr

NAMES_ON_CHIP = 2


class TickMenu(QMenu):
    """A menu that stays open while entries are ticked."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if action is not None and action.isCheckable() and action.isEnabled():
            action.trigger()
            return
        super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self.activeAction()
        if event.key() == Qt.Key.Key_Space and action is not None and action.isCheckable():
            action.trigger()
            return
        super().keyPressEvent(event)


class FilterChip(QToolButton):
    """One or several values of one property; nothing ticked lets everything through."""

    changed = Signal()

    def __init__(self, title: str, is_single: bool = False) -> None:
        super().__init__()
        self.title = title
        self.setObjectName("chip")
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._is_single = is_single
        self._words: dict[Any, str] = {}
        """Of every value that may be ticked, in the order of the menu."""
        self._ticked: set[Any] = set()
        self._actions: dict[Any, QAction] = {}
        self.menu_of_values = TickMenu(self)
        self.menu_of_values.aboutToShow.connect(self._fill)
        self.setMenu(self.menu_of_values)
        self._say()

    def offer(self, choices: Sequence[tuple[Any, str]]) -> None:
        """Say what may be ticked, as value and words; what is ticked stays where it can."""
        words = dict(choices)
        if list(words) == list(self._words):
            return
        self._words, was = words, self._ticked
        self._ticked = was & words.keys()
        self._actions = {}
        self._say()
        if self._ticked != was:
            self.changed.emit()

    def _fill(self) -> None:
        """Make the menu's entries when it is opened: a catalogue has hundreds, and most menus stay shut."""
        if not self._actions:
            self.menu_of_values.clear()
            self.menu_of_values.addAction(tr("Any")).triggered.connect(self.clear)
            self.menu_of_values.addSeparator()
            for value, words in self._words.items():
                action = self._actions[value] = self.menu_of_values.addAction(words.replace("&", "&&"))
                action.setCheckable(True)
                action.triggered.connect(partial(self._toggle, value))
        self._show_ticks()

    def values(self) -> tuple[Any, ...]:
        """The ticked values, in the order of the menu."""
        return tuple(value for value in self._words if value in self._ticked)

    def tick(self, *values: Any) -> None:
        """Tick these values and no other; one that is not offered is left out."""
        self._ticked = set(values) & self._words.keys()
        self._show_ticks()
        self._say()
        self.changed.emit()

    def clear(self) -> None:
        """Let everything through again."""
        if self._ticked:
            self.tick()

    def _toggle(self, value: Any) -> None:
        others = set() if self._is_single else self._ticked - {value}
        self.tick(*others, *({value} - self._ticked))

    def nextCheckState(self) -> None:
        """A click opens the menu; the chip is lit by what is ticked alone."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear()
            return
        super().keyPressEvent(event)

    def _show_ticks(self) -> None:
        for value, action in self._actions.items():
            action.setChecked(value in self._ticked)
        if self._actions:
            self.menu_of_values.actions()[0].setEnabled(bool(self._ticked))

    def _say(self) -> None:
        words = [self._words[value] for value in self.values()]
        shown = listed(words[:NAMES_ON_CHIP])
        if len(words) > NAMES_ON_CHIP:
            shown = f"{shown} +{len(words) - NAMES_ON_CHIP}"
        text = labelled(self.title, shown) if words else f"{self.title} ▾"
        self.setText(text.replace("&", "&&"))
        self.setChecked(bool(words))
        self.setAccessibleName(f"{self.title}: {', '.join(words) or tr('Any')}")
