"""Fields whose values are picked from a list: one, or several as chips."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gpuplanner_gui.desktop.editors.base import Choice, ValueEditor
from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.widgets.event_turns import NextTurn
from gpuplanner_gui.desktop.widgets.flow_layout import STRETCH, FlowLayout, lay_out
from gpuplanner_gui.desktop.widgets.theme import search_line, tool_button
from gpuplanner_gui.drawing.language import listed, tr

_CODE = Qt.ItemDataRole.UserRole
_LEAST_WIDTH, _HEIGHT = 320, 360


def unknown_words(code: str) -> str:
    """How an entry is shown that the catalogue does not have, or not any more: nothing but its identifier is known."""
    return tr("Unknown: {name}").format(name=code)


class PickList(QFrame):
    """Closes by Escape or a click beside it. Without `ticked`, one entry is picked and closes it."""

    picked = Signal(str)
    picked_many = Signal(tuple)

    def __init__(
        self, choices: Sequence[Choice], ticked: Sequence[str] | None, search_hint: str, parent: QWidget
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._is_many = ticked is not None
        self.search = search_line(search_hint, self)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = QListWidget(self)
        self.list.setUniformItemSizes(True)
        self.list.setAccessibleName(search_hint)
        self._fill(choices, set(ticked or ()))
        self.list.itemActivated.connect(self._on_activated)
        self.list.itemClicked.connect(self._on_clicked)
        self.list.itemChanged.connect(self._on_ticked)
        lay_out(QVBoxLayout(self), self.search, self.list, margins=(6, 6, 6, 6), spacing=6)

    @classmethod
    def pick_one(cls, button: QWidget, entries: Mapping[str, Any], hint: str, take: Callable[[str], object]) -> None:
        """Open a list of the catalogue's entries, by name, under a button."""
        ordered = sorted(entries.values(), key=lambda entry: entry.name.casefold())
        made = cls([(entry.id, entry.name) for entry in ordered], None, hint, button)
        made.picked.connect(take)
        made.open_under(button)

    def open_under(self, widget: QWidget) -> None:
        self.resize(max(widget.width(), _LEAST_WIDTH), _HEIGHT)
        corner = widget.mapToGlobal(QPoint(0, widget.height()))
        screen = QGuiApplication.screenAt(corner) or QGuiApplication.primaryScreen()
        room = screen.availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self._move(1 if event.key() == Qt.Key.Key_Down else -1)
                return True
            current = self.list.currentItem()
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current is not None:
                self._on_activated(current)
                return True
        return super().eventFilter(watched, event)

    def _fill(self, choices: Sequence[Choice], ticked: set[str]) -> None:
        known = {code for code, _ in choices}
        gone = [(code, unknown_words(code)) for code in sorted(ticked - known)]
        # Those that are ticked come first, so that they are found again.
        for code, words in sorted([*choices, *gone], key=lambda choice: choice[0] not in ticked):
            item = QListWidgetItem(words)
            item.setData(_CODE, code)
            if self._is_many:
                item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
                item.setCheckState(Qt.CheckState.Checked if code in ticked else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _items(self) -> list[QListWidgetItem]:
        return [self.list.item(row) for row in range(self.list.count())]

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        first = None
        for item in self._items():
            key = f"{item.text()} {item.data(_CODE)}".casefold()
            is_match = all(word in key for word in words)
            item.setHidden(not is_match)
            first = first or (item if is_match else None)
        self.list.setCurrentItem(first)  # type: ignore[arg-type]

    def _move(self, step: int) -> None:
        rows = [row for row in range(self.list.count()) if not self.list.item(row).isHidden()]
        if rows:
            at = rows.index(self.list.currentRow()) if self.list.currentRow() in rows else -1
            self.list.setCurrentRow(rows[max(0, min(at + step, len(rows) - 1))])

    def _on_activated(self, item: QListWidgetItem) -> None:
        if self._is_many:
            is_ticked = item.checkState() == Qt.CheckState.Checked
            item.setCheckState(Qt.CheckState.Unchecked if is_ticked else Qt.CheckState.Checked)
        else:
            self.picked.emit(item.data(_CODE))
            self.close()

    def _on_clicked(self, item: QListWidgetItem) -> None:
        if not self._is_many:
            self._on_activated(item)

    def _on_ticked(self) -> None:
        ticked = [item.data(_CODE) for item in self._items() if item.checkState() == Qt.CheckState.Checked]
        self.picked_many.emit(tuple(ticked))


class ChoiceEdit(ValueEditor):
    """A code out of a list; a code that the list lacks is shown as it is, never dropped."""

    def __init__(self, choices: Callable[[], Sequence[Choice]], none_text: str = "") -> None:
        super().__init__()
        self._choices = choices
        self._none_text = none_text
        self._value: Any = None
        self.box = CalmComboBox(self)
        self.box.setSizeAdjustPolicy(CalmComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.box.setMinimumContentsLength(6)
        self.box.activated.connect(self._on_activated)
        lay_out(QHBoxLayout(self), self.box, margins=(0, 0, 0, 0))
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
            self.box.addItem(unknown_words(value) if self.box.count() > 1 else str(value), value)
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

    def __init__(self) -> None:
        super().__init__()
        self.box = QCheckBox(self)
        self.box.clicked.connect(lambda checked: self.edited.emit("", bool(checked)))
        lay_out(QHBoxLayout(self), self.box, STRETCH, margins=(0, 2, 0, 2))

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

    def __init__(self, choices: Sequence[Choice], name: str) -> None:
        super().__init__()
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
        chip = tool_button(
            words, self._on_clicked, self, name="chip", is_checkable=True, said=f"{self._name}: {words}",
            takes_focus=True,
        )  # fmt: skip
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

    def __init__(self, choices: Callable[[], Sequence[Choice]], none_text: str, name: str) -> None:
        super().__init__()
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
        lay_out(QHBoxLayout(self), self.button, margins=(0, 0, 0, 0))
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
        names = [words.get(code) or (unknown_words(code) if words else code) for code in self._value]
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
