"""Several out of a list: chips for a few choices, a searchable list for many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from gpuplanner_gui.desktop.editors.base import Choice, ValueEditor
from gpuplanner_gui.desktop.editors.flow_layout import FlowLayout
from gpuplanner_gui.desktop.editors.pick_list import PickList
from gpuplanner_gui.desktop.views.next_turn import NextTurn
from gpuplanner_gui.drawing.language import listed, tr

MOST_CHIPS = 12
NAMES_IN_SUMMARY = 2
ROOM_AT_SIDES = 24


class ChipsEdit(ValueEditor):
    """A toggle for each choice, in the order of the list."""

    is_wide = True

    def __init__(self, choices: Sequence[Choice], name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._value: tuple[str, ...] = ()
        self._chips: dict[str, QToolButton] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._name = name
        self._flow = FlowLayout(self)
        for code, words in choices:
            self._add_chip(code, words)

    def _add_chip(self, code: str, words: str) -> None:
        chip = QToolButton(self)
        chip.setObjectName("chip")
        chip.setText(words)
        chip.setCheckable(True)
        chip.setAccessibleName(f"{self._name}: {words}")
        chip.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        chip.clicked.connect(self._on_clicked)
        self._chips[code] = chip
        self._flow.addWidget(chip)

    def show_value(self, value: Any) -> None:
        self._value = value
        for code in value:
            if code not in self._chips:
                self._add_chip(code, code)
        for code, chip in self._chips.items():
            with QSignalBlocker(chip):
                chip.setChecked(code in value)

    def focus_widget(self) -> QWidget:
        return next(iter(self._chips.values()), self)

    def _on_clicked(self) -> None:
        self._value = tuple(code for code, chip in self._chips.items() if chip.isChecked())
        self.edited.emit("", self._value)


class PickManyEdit(ValueEditor):
    """A button that says what is picked and opens a searchable list."""

    def __init__(
        self, choices: Callable[[], Sequence[Choice]], none_text: str, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._choices = choices
        self._none_text = none_text
        self._name = name
        self._value: tuple[str, ...] = ()
        self._summary = ""
        self._elide_soon = NextTurn(self, self._elide)
        self.button = QPushButton(self)
        self.button.setStyleSheet("text-align: left;")
        self.button.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.button.clicked.connect(self._open)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.button)
        self._summarise()

    def show_value(self, value: Any) -> None:
        self._value = tuple(value)
        self._summarise()

    def refresh_choices(self) -> None:
        self._summarise()

    def focus_widget(self) -> QWidget:
        return self.button

    def _summarise(self) -> None:
        words = dict(self._choices())
        names = [words.get(code, code) for code in self._value]
        shown = listed(names[:NAMES_IN_SUMMARY])
        rest = len(names) - NAMES_IN_SUMMARY
        summary = (f"{shown} +{rest}" if rest > 0 else shown) or self._none_text
        self._summary = summary
        self._elide()
        self.button.setAccessibleName(f"{self._name}: {summary}")

    def _elide(self) -> None:
        """Say by an ellipsis that more is picked than there is room for."""
        room = self.button.width() - ROOM_AT_SIDES
        shown = self.button.fontMetrics().elidedText(self._summary, Qt.TextElideMode.ElideRight, room)
        self.button.setText(shown.replace("&", "&&"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide_soon.start()

    def _open(self) -> None:
        pick_list = PickList(self._choices(), self._value, tr("Search…"), self)
        pick_list.setAccessibleName(self._name)
        pick_list.picked_many.connect(self._on_picked)
        pick_list.open_under(self.button)

    def _on_picked(self, codes: tuple[str, ...]) -> None:
        self._value = codes
        self._summarise()
        self.edited.emit("", codes)
