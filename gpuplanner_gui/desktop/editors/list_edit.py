"""Parts of one kind, as many as wanted: a card for each, or a line for small ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import FIELD_NAME, Place, Surroundings, ValueEditor, objection, stops_in
from gpuplanner_gui.desktop.editors.kinds import leaf_editor, shape_of, starting_value, variant_words
from gpuplanner_gui.desktop.store import joined
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.labels import LinesLabel, WrappingLabel, plain_label
from gpuplanner_gui.desktop.widgets.theme import push_button, tool_button
from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import Field, fields_of
from gpuplanner_gui.domain.model import LayerGroup
from gpuplanner_gui.domain.names import free_name
from gpuplanner_gui.drawing.language import tr

MOST_IN_A_LINE = 3
HEADS_END = 24
"""Pixels under which the buttons that remove lines stand."""
SHOWN_AT_FIRST, SHOWN_MORE = 3, 10
"""Entries whose forms are made by themselves, and by each press of a button; the first at once, each other in a turn of
its own."""
ADD_WORDS = {
    "RequestClass": "Add request class",
    "Slo": "Add target",
    "LayerGroup": "Add layer group",
    "ExchangeRate": "Add rate",
    "PriceOverride": "Add quoted price",
    "OrderEntry": "Add order item",
    "OwnedStock": "Add owned devices",
    "EstateWorkload": "Add workload",
    "EstateHardware": "Add hardware",
    "EstatePool": "Add pool",
    "EstateSite": "Add site",
    "EstateFuture": "Add future",
    "StandingUnits": "Add units in place",
    "ReservationTerm": "Add reservation",
    "HourClass": "Add hours",
    "YearLimits": "Add a year",
}


class ItemEdit(QFrame):
    """One entry, with buttons to copy and to remove it."""

    edited = Signal(str, object)
    remove_requested = Signal()
    copy_requested = Signal()

    def show_value(self, value: Any) -> None:
        raise NotImplementedError

    def _make_button(self, icon_name: str, words: str) -> QToolButton:
        return tool_button("", None, self, picture=icon_name, side=12, tip=words, said=words, takes_focus=True)

    def _make_remove(self, number: int) -> None:
        self.remove = self._make_button("delete", tr("Remove entry {number}").format(number=number))
        self.remove.clicked.connect(self.remove_requested)


class CardEdit(ItemEdit):
    """A frame with a heading and the entry's form."""

    def __init__(self, number: int, form: ValueEditor, surroundings: Surroundings, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self._number = number
        self._surroundings = surroundings
        self._value: Any = None
        surroundings.changed.connect(self._show_title)
        self._form = form
        self.title = LinesLabel(2, self)
        self.title.setObjectName("sectionTitle")
        self._make_remove(number)
        copy = self._make_button("duplicate", tr("Copy entry {number}").format(number=number))
        copy.clicked.connect(self.copy_requested)
        heading = lay_out(QHBoxLayout(), (self.title, 1), copy, self.remove, margins=(0, 0, 0, 0))
        lay_out(QVBoxLayout(self), heading, form, margins=(8, 6, 6, 8), spacing=6)
        form.edited.connect(self.edited)

    def show_value(self, value: Any) -> None:
        self._value = value
        self._show_title()
        self._form.show_value(value)

    def _show_title(self) -> None:
        name = _card_title(self._value, self._surroundings.catalog)
        self.title.setText(f"{self._number} · {name}" if name else str(self._number))


def _card_title(value: Any, catalog: Catalog | None) -> str:
    """The title of an entry's card: what tells it from the others."""
    if isinstance(value, LayerGroup):
        mixer = variant_words(type(value.mixer)) if value.mixer else tr("no mixer")
        ffn = variant_words(type(value.ffn)) if value.ffn else tr("no feed-forward")
        return f"{value.count} × {mixer}, {ffn}"
    named = next(filter(None, (getattr(value, field, "") for field in ("name", "scenario", "accelerator"))), "")
    device = catalog.accelerators.get(named) if catalog is not None else None
    return device.name if device is not None else named


class LineEdit(ItemEdit):
    """An entry of few fields in one line, with what is wrong under it."""

    def __init__(self, number: int, struct_type: type[msgspec.Struct], place: Place, parent: QWidget) -> None:
        super().__init__(parent)
        self._value: Any = None
        self._editors: dict[str, ValueEditor] = {}
        self._problems: dict[str, str] = {}
        self._make_remove(number)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for column, field in enumerate(fields_of(struct_type)):
            editor = self._field_editor(number, struct_type, field, place)
            layout.addWidget(editor, 0, column)
            layout.setColumnStretch(column, 1)
        layout.addWidget(self.remove, 0, len(self._editors))
        self.problem = WrappingLabel(parent=self, name="problem")
        self.problem.hide()
        layout.addWidget(self.problem, 1, 0, 1, len(self._editors) + 1)

    def show_value(self, value: Any) -> None:
        self._value = value
        for name, editor in self._editors.items():
            editor.show_value(getattr(value, name))

    def _field_editor(self, number: int, struct_type: type[msgspec.Struct], field: Field, place: Place) -> ValueEditor:
        inner = Place(struct_type, field.name, place.surroundings, partial(self._objection, field))
        editor = leaf_editor(inner, field)
        if editor is None:
            raise TypeError(f"{struct_type.__name__}.{field.name} does not fit in a line")
        editor.setProperty(FIELD_NAME, field.name)
        words = f"{tr(field.about.title)} {number}"
        editor.focus_widget().setAccessibleName(words)
        editor.setToolTip(f"{tr(field.about.title)}\n{tr(field.about.help)}".strip())
        editor.edited.connect(lambda path, value: self.edited.emit(joined(field.name, path), value))
        editor.problem_changed.connect(partial(self._on_problem_changed, field.name))
        self._editors[field.name] = editor
        return editor

    def _objection(self, field: Field, value: Any) -> str:
        return objection(self._value, field.name, value)

    def _on_problem_changed(self, name: str, problem: str) -> None:
        self._problems[name] = problem
        text = "\n".join(filter(None, self._problems.values()))
        self.problem.setText(text)
        self.problem.setVisible(bool(text))


class ListEdit(ValueEditor):
    """Entries and a button for one more."""

    is_wide = True

    def __init__(
        self, place: Place, field: Field, struct_editor: Callable[[type[msgspec.Struct]], ValueEditor]
    ) -> None:
        super().__init__()
        item_shape = shape_of(field.type).item
        assert item_shape is not None
        self._place = place
        self._struct_type = item_shape.structs[0]
        self._struct_editor = struct_editor
        self._value: tuple[Any, ...] = ()
        inner = [shape_of(one.type).item for one in fields_of(self._struct_type) if not one.is_quantity]
        holds_lists = any(item is not None and item.structs for item in inner)
        self._is_linewise = len(fields_of(self._struct_type)) <= MOST_IN_A_LINE and not holds_lists
        self._needs_one = field.about.least > 0
        self.items: list[ItemEdit] = []
        self._to_enter: int | None = None
        """Place of a new entry that the cursor goes to once its form is there."""
        self.add = push_button(tr(ADD_WORDS.get(self._struct_type.__name__, "Add")), self._on_add, self, picture="add")
        self.more = push_button("", self._on_more, self)
        self._most_shown = SHOWN_AT_FIRST
        self._next_form = DrawingTurn(self, self._show_next)
        self._layout = lay_out(QVBoxLayout(self), margins=(0, 0, 0, 0), spacing=6 if not self._is_linewise else 4)
        for button in (self.more, self.add):
            self._layout.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        self.heads = self._made_heads()
        if self._is_linewise:
            self._layout.insertWidget(0, self.heads)

    def _made_heads(self) -> QWidget:
        """Headings over entries in lines, as wide as their columns."""
        heads = QWidget(self)
        heads.hide()
        line = lay_out(QHBoxLayout(heads), margins=(0, 0, 0, 0), spacing=4)
        for field in fields_of(self._struct_type) if self._is_linewise else ():
            line.addWidget(plain_label(tr(field.about.title), heads, name="quiet"), 1)
        line.addSpacing(HEADS_END)
        return heads

    def show_value(self, value: Any) -> None:
        waiting = self._most_shown if self._next_form.is_waiting() else 0
        is_one_more = len(value) == len(self._value) + 1 and max(len(self.items), waiting) >= len(self._value)
        self._value = value
        while len(self.items) > len(value):
            item = self.items.pop()
            self._layout.removeWidget(item)
            item.hide()
            item.deleteLater()
        for item, entry in zip(self.items, value):
            self._show_entry(item, entry)
        self._most_shown = max(SHOWN_AT_FIRST, len(value) if is_one_more else len(self.items), waiting)
        self.show_entries(len(self.items) or 1)
        self._next_form.start()

    def show_entries(self, count: int) -> bool:
        """Have the forms of so many entries; whether some had to be made."""
        wanted = min(count, len(self._value))
        is_more = len(self.items) < wanted
        while len(self.items) < wanted:
            self._add_item()
        self._tell_rest()
        return is_more

    def _on_more(self) -> None:
        self._most_shown = len(self.items) + SHOWN_MORE
        self._next_form.start()

    def _show_next(self) -> None:
        place = len(self.items)
        if place < min(self._most_shown, len(self._value)):
            self.show_entries(place + 1)
            self._next_form.start()
        elif self._to_enter is not None:
            self._enter(self._to_enter)

    def _show_entry(self, item: ItemEdit, entry: Any) -> None:
        item.show_value(entry)
        item.remove.setEnabled(not self._needs_one or len(self._value) > 1)

    def _tell_rest(self) -> None:
        self.heads.setVisible(self._is_linewise and bool(self._value))
        rest = len(self._value) - len(self.items)
        self.more.setText(tr("Show more ({count} not shown)").format(count=rest))
        self.more.setVisible(rest > 0)

    def focus_widget(self) -> QWidget:
        return self.add

    def _add_item(self) -> None:
        """Make the next entry's form."""
        index = len(self.items)
        item: ItemEdit
        if self._is_linewise:
            item = LineEdit(index + 1, self._struct_type, self._place, self)
        else:
            item = CardEdit(index + 1, self._struct_editor(self._struct_type), self._place.surroundings, self)
        item.setProperty(FIELD_NAME, f"[{index}]")
        item.edited.connect(lambda path, value: self.edited.emit(joined(f"[{index}]", path), value))
        item.remove_requested.connect(lambda: self.edited.emit("", (*self._value[:index], *self._value[index + 1 :])))
        item.copy_requested.connect(lambda: self._on_copy(index))
        self.items.append(item)
        self._show_entry(item, self._value[index])
        self._layout.insertWidget(index + self._is_linewise, item)

    def _on_add(self) -> None:
        self.edited.emit("", (*self._value, self._named(starting_value(self._struct_type))))
        self._enter_soon(len(self._value) - 1)

    def _enter_soon(self, index: int) -> None:
        """Put the cursor into a new entry, once its form is there."""
        self._to_enter = index
        self._most_shown = max(self._most_shown, index + 1)
        self._next_form.start()

    def _enter(self, index: int) -> None:
        self._to_enter = None
        if index >= len(self.items):
            return
        fields = [stop for stop in stops_in(self.items[index]) if not isinstance(stop, QToolButton)]
        if fields:
            fields[0].setFocus(Qt.FocusReason.TabFocusReason)

    def _on_copy(self, index: int) -> None:
        copy = self._named(self._value[index])
        self.edited.emit("", (*self._value[: index + 1], copy, *self._value[index + 1 :]))
        self._enter_soon(index + 1)

    def _named(self, entry: Any) -> Any:
        """Under a name that no other entry has."""
        if "name" not in entry.__struct_fields__:
            return entry
        taken = {other.name for other in self._value}
        return msgspec.structs.replace(entry, name=free_name(entry.name, taken.__contains__))
