"""Several out of a list: chips for a few choices, a searchable list for many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QWidget

from gpuplanner_gui.desktop.editors.base import CalmComboBox, Choice, ValueEditor
from gpuplanner_gui.desktop.editors.flow_layout import FlowLayout
from gpuplanner_gui.desktop.editors.pick_list import PickList
from gpuplanner_gui.desktop.views.next_turn import NextTurn
from gpuplanner_gui.drawing.language import listed, tr


class ChoiceEdit(ValueEditor):
    """A code out of a list; a code that the list lacks is shown as it is, never dropped."""

    def __init__(
        self, choices: Callable[[], Sequence[Choice]], none_text: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._choices = choices
        self._none_text = none_text
        self._value: Any = None
        self.box = CalmComboBox(self)
        self.box.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(6)
        self.box.activated.connect(self._on_activated)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.box)
        self.refresh_choices()

    def refresh_choices(self) -> None:
        self.box.clear()
        if self._none_text:
            self.box.addItem(self._none_text, None)
        for code, words in self._choices():
            self.box.addItem(words, code)
        self.show_value(self._value)

    def show_value(self, value: Any) -> None:
        self._value = value
        index = self._index_of(value)
        if index < 0 and value not in (None, ""):
            self.box.addItem(str(value), value)
            index = self.box.count() - 1
        self.box.setCurrentIndex(index)

    def focus_widget(self) -> QWidget:
        return self.box

    def _index_of(self, value: Any) -> int:
        # findData(None) finds nothing: an invalid variant equals no other.
        return next((index for index in range(self.box.count()) if self.box.itemData(index) == value), -1)

    def _on_activated(self, index: int) -> None:
        value = self.box.itemData(index)
        if value != self._value:
            self._value = value
            self.edited.emit("", value)


class FlagEdit(ValueEditor):
    """Yes or no."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(self)
        self.box.clicked.connect(lambda checked: self.edited.emit("", bool(checked)))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 2, 0, 2)
        layout.addWidget(self.box)
        layout.addStretch(1)

    def show_value(self, value: Any) -> None:
        self.box.setChecked(bool(value))

    def focus_widget(self) -> QWidget:
        return self.box


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
