"""A filter as a chip: it says what it lets through, and opens a menu to tick more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

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

    def __init__(self, title: str, is_single: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.setObjectName("chip")
        self.setCheckable(True)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_of_values = TickMenu(self)
        self.setMenu(self.menu_of_values)
        self._group: QActionGroup | None = None
        if is_single:
            self._group = QActionGroup(self)
            self._group.setExclusionPolicy(QActionGroup.ExclusionPolicy.ExclusiveOptional)
        self._ticked: dict[Any, QAction] = {}
        self._clear = self.menu_of_values.addAction(tr("Any"))
        self._clear.triggered.connect(self.clear)
        self.menu_of_values.addSeparator()
        self._say()

    def offer(self, choices: Sequence[tuple[Any, str]]) -> None:
        """Say what may be ticked, as value and words; what is ticked stays where it can."""
        ticked = set(self.values())
        if [value for value, _ in choices] == list(self._ticked):
            return
        for action in self._ticked.values():
            self.menu_of_values.removeAction(action)
            action.deleteLater()
        self._ticked = {}
        for value, words in choices:
            action = QAction(words.replace("&", "&&"), self.menu_of_values, checkable=True, checked=value in ticked)
            action.triggered.connect(self._on_ticked)
            if self._group is not None:
                self._group.addAction(action)
            self.menu_of_values.addAction(action)
            self._ticked[value] = action
        self._say()
        if set(self.values()) != ticked:
            self.changed.emit()

    def values(self) -> tuple[Any, ...]:
        """The ticked values, in the order of the menu."""
        return tuple(value for value, action in self._ticked.items() if action.isChecked())

    def tick(self, *values: Any) -> None:
        """Tick these values and no other; one that is not offered is left out."""
        for value, action in self._ticked.items():
            action.setChecked(value in values)
        self._on_ticked()

    def clear(self) -> None:
        """Let everything through again."""
        if self.values():
            for action in self._ticked.values():
                action.setChecked(False)
            self._on_ticked()

    def nextCheckState(self) -> None:
        """A click opens the menu; the chip is lit by what is ticked alone."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.clear()
            return
        super().keyPressEvent(event)

    def _on_ticked(self) -> None:
        self._say()
        self.changed.emit()

    def _say(self) -> None:
        words = [action.text().replace("&&", "&") for action in self._ticked.values() if action.isChecked()]
        shown = listed(words[:NAMES_ON_CHIP])
        if len(words) > NAMES_ON_CHIP:
            shown = f"{shown} +{len(words) - NAMES_ON_CHIP}"
        text = labelled(self.title, shown) if words else f"{self.title} ▾"
        self.setText(text.replace("&", "&&"))
        self.setChecked(bool(words))
        self.setAccessibleName(f"{self.title}: {', '.join(words) or tr('Any')}")
        self._clear.setEnabled(bool(words))
