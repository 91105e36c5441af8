"""One of several: a combo box of codes with their words; and a check box for yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import CalmComboBox, Choice, ValueEditor


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
