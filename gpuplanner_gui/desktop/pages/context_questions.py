"""What a set of measurements does not say: a named field for each part of its context that is missing."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLabel, QLineEdit, QWidget

from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.widgets.flow_layout import FlowLayout, lay_out
from gpuplanner_gui.desktop.widgets.theme import push_button
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.measurement import OF_LOAD, MeasuredLoad
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.calibration import field_example, field_title, load_words

SPACING = 12
LINE_SPACING = 6
LEAST_WIDTH = 11
"""Least width of a field, in characters; wider if its example is."""
Field = QLineEdit | QComboBox


class NameEdit(QLineEdit):
    """A field that offers names: Enter takes the one that is offered, and only the next hands on what is filled in."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        completer = self.completer()
        popup = completer.popup() if completer is not None else None
        if popup is not None and popup.isVisible() and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            popup.hide()
            event.accept()
            return
        super().keyPressEvent(event)


class ContextQuestions(QWidget):
    """Fields side by side, as many lines of them as need be; those that are filled in are handed on together."""

    stated = Signal(dict)
    """Values by the names of the fields."""
    stated_for_all = Signal(dict)
    """The same, of every set that lacks it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.fields: dict[str, Field] = {}
        self._pairs: dict[str, QWidget] = {}
        self._asked: tuple[str, ...] = ()
        self._about = ""
        self._known: dict[str, list[str]] = {}
        self._flow = FlowLayout(self, SPACING, LINE_SPACING)
        self._label = QLabel(tr("Missing in the set:"), self)
        self._button = push_button(tr("Add to the set"), self.state, self)
        tip = tr("For runs of the same machine and model: fill in all sets at once")
        self.all_button = push_button("", lambda: self._tell(self.stated_for_all), self, tip=tip)
        self.all_button.hide()
        self._label.setMinimumHeight(self._button.sizeHint().height())
        self._flow.addWidget(self._label)
        self._flow.addWidget(self._button)
        self._flow.addWidget(self.all_button)
        self.hide()

    def know(self, catalog: Catalog) -> None:
        """Offer the catalogue's names where one of them is asked for."""
        self._known = {
            "model": sorted(entry.model.name for entry in catalog.models.values()),
            "accelerator": sorted(entry.name for entry in catalog.accelerators.values()),
        }

    def ask(self, names: tuple[str, ...], about: str, sets: int = 1) -> None:
        """Show fields for these, which so many sets lack; what is typed is kept while the same set is asked about."""
        self.all_button.setText(tr("Add to all {count} sets without it").format(count=sets))
        self.all_button.setVisible(sets > 1)
        if about != self._about:
            self._drop(tuple(self.fields))
        self._about, self._asked = about, names
        self._show()

    def allow(self, is_allowed: bool) -> None:
        """Whether what is filled in can be handed on now; it can be typed at any time."""
        for button in (self._button, self.all_button):
            button.setEnabled(is_allowed)

    def state(self) -> None:
        """Hand on what is filled in."""
        self._tell(self.stated)

    def _tell(self, signal: SignalInstance) -> None:
        values = {name: _value(field) for name, field in self.fields.items() if _value(field)}
        if values:
            signal.emit(values)

    def _show(self) -> None:
        names = dict.fromkeys(self._asked)
        load = self.fields.get("load")
        if load is not None and "load" in names:
            # A load counts only with what it was kept at.
            names |= dict.fromkeys(OF_LOAD.get(_as_load(_value(load)), ()))
        gone = tuple(name for name in self.fields if name not in names)
        had_focus = any(self.fields[name].hasFocus() for name in gone)
        self._drop(gone)
        for name in names:
            if name not in self.fields:
                self._add(name)
            self._flow.removeWidget(self._pairs[name])
            self._flow.addWidget(self._pairs[name])
        for button in (self._button, self.all_button):
            self._flow.removeWidget(button)
            self._flow.addWidget(button)
        # The buttons are the oldest: without this, the keyboard would come to them before the fields.
        for one, other in pairwise((*(self.fields[name] for name in names), self._button, self.all_button)):
            QWidget.setTabOrder(one, other)
        self.setVisible(bool(names))
        if had_focus and names:
            # What was told is gone with its field: the keyboard goes on with what is not.
            self.fields[next(iter(names))].setFocus()
        self.updateGeometry()

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            self.fields.pop(name)
            pair = self._pairs.pop(name)
            self._flow.removeWidget(pair)
            pair.hide()
            pair.deleteLater()

    def _add(self, name: str) -> None:
        field = self._load_field() if name == "load" else self._text_field(name)
        field.setAccessibleName(field_title(name))
        pair = QWidget(self)
        label = QLabel(field_title(name), pair)
        label.setBuddy(field)
        lay_out(QHBoxLayout(pair), label, field, margins=(0, 0, 0, 0), spacing=4)
        self.fields[name], self._pairs[name] = field, pair
        pair.show()

    def _text_field(self, name: str) -> QLineEdit:
        field, example = NameEdit(self), field_example(name)
        field.setPlaceholderText(example)
        widest = max(len(example), LEAST_WIDTH) + 3
        field.setMinimumWidth(field.fontMetrics().averageCharWidth() * widest)
        if name in self._known:
            completer = QCompleter(self._known[name], field)
            completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
            completer.setFilterMode(Qt.MatchFlag.MatchContains)
            field.setCompleter(completer)
        field.returnPressed.connect(self.state)
        return field

    def _load_field(self) -> QComboBox:
        box = CalmComboBox(self)
        box.addItem(tr("choose…"), "")
        for load, words in load_words().items():
            box.addItem(words, load)
        box.currentIndexChanged.connect(self._show)
        return box


def _value(field: Field) -> str:
    if isinstance(field, QLineEdit):
        return field.text().strip()
    data = field.currentData()
    return data if isinstance(data, str) else ""


def _as_load(text: str) -> MeasuredLoad:
    return next((load for load in OF_LOAD if load == text), "")
