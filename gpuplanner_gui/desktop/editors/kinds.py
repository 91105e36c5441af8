"""Which editor a field gets: a table from the shape of its type to the widget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import Choice, Place, ValueEditor
from gpuplanner_gui.desktop.editors.choices_edit import MOST_CHIPS, ChipsEdit, ChoiceEdit, FlagEdit, PickManyEdit
from gpuplanner_gui.desktop.editors.field_types import Shape, shape_of
from gpuplanner_gui.desktop.editors.number_edit import (
    COUNT,
    MONEY,
    NUMBER,
    QUANTITY,
    NumberEdit,
    NumberKind,
    SlidingEdit,
)
from gpuplanner_gui.desktop.editors.text_edit import FieldLine, NotesEdit, TextEdit
from gpuplanner_gui.desktop.widgets.labels import WrappingLabel
from gpuplanner_gui.desktop.widgets.layouts import lay_out
from gpuplanner_gui.domain.field import Field
from gpuplanner_gui.domain.quantity import Money
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.typed_values import NotUnderstood, parse_number
from gpuplanner_gui.drawing.units import exact_quantity_text
from gpuplanner_gui.drawing.words.choices import words_of_choice

MOST_NUMBERS = 1000


class NumbersEdit(ValueEditor):
    """Numbers between blanks; keeps what was typed until it can be read."""

    def __init__(self, place: Place, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = place
        self._value: tuple[float, ...] = ()
        self.line = FieldLine(self)
        self.line.setPlaceholderText(tr("not set"))
        self.line.editingFinished.connect(self._on_editing_finished)
        self.line.given_up.connect(self._restore)
        self.line.left.connect(self._on_editing_finished)
        lay_out(QHBoxLayout(self), self.line, margins=(0, 0, 0, 0))

    def show_value(self, value: Any) -> None:
        if tuple(value) != self._value or not self.line.isModified():
            self._value = tuple(value)
            self._restore()

    def kept_text(self) -> str:
        return " ".join(exact_quantity_text(number) for number in self._value)

    def focus_widget(self) -> QWidget:
        return self.line

    def _restore(self) -> None:
        self.line.show_text(self.kept_text())
        self._set_problem("")

    def _set_problem(self, problem: str) -> None:
        self.line.mark_invalid(bool(problem))
        self.problem_changed.emit(problem)

    def _on_editing_finished(self) -> None:
        if not self.line.isModified():
            return
        words = self.line.text().replace(";", " ").replace(", ", " ").split()
        try:
            value = tuple(parse_number(word, "") for word in words[:MOST_NUMBERS])
        except NotUnderstood as problem:
            self._set_problem(f"{problem.why} {tr('Numbers stand between blanks: 1 2.5 3.')}")
            return
        problem_text = self._place.check(value)
        if problem_text:
            self._set_problem(problem_text)
            return
        is_new = value != self._value
        self._value = value
        self._restore()
        if is_new:
            self.edited.emit("", value)


@dataclass(frozen=True)
class Asked:
    """What an editor is asked for."""

    place: Place
    field: Field
    shape: Shape


Maker = Callable[[Asked], ValueEditor]


class TextsView(ValueEditor):
    """Texts that an import left, to read."""

    is_wide = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = WrappingLabel(parent=self)
        self.label.setObjectName("quiet")
        lay_out(QVBoxLayout(self), self.label, margins=(0, 0, 0, 0))

    def show_value(self, value: Sequence[str]) -> None:
        self.label.setText("\n".join(value) or tr("nothing"))


def _number(kind: NumberKind) -> Maker:
    def made(asked: Asked) -> ValueEditor:
        about = asked.field.about
        if about.slides:
            return SlidingEdit(asked.place, kind, about, asked.shape.is_optional)
        return NumberEdit(asked.place, kind, about.unit, asked.shape.is_optional)

    return made


def _choice(asked: Asked) -> ValueEditor:
    codes = asked.shape.codes or asked.field.about.choices
    return ChoiceEdit(lambda: [(code, words_of_choice(code)) for code in codes], _none_text(asked))


def _catalogue_choice(asked: Asked) -> ValueEditor:
    place = asked.place

    def choices() -> Sequence[Choice]:
        known = place.surroundings.choices(place.struct_type.__name__, place.name)
        has_none = any(code == "" for code, _ in known)
        return [("", tr("Usual one")), *known] if asked.field.default == "" and not has_none else known

    editor = ChoiceEdit(choices)
    place.surroundings.changed.connect(editor.refresh_choices)
    return editor


def _chips(asked: Asked) -> ValueEditor:
    codes = asked.shape.item.codes if asked.shape.item else ()
    return ChipsEdit([(code, words_of_choice(code)) for code in codes], tr(asked.field.about.title))


def _pick_many(asked: Asked) -> ValueEditor:
    place = asked.place

    def choices() -> Sequence[Choice]:
        return place.surroundings.choices(place.struct_type.__name__, place.name)

    if 0 < len(choices()) <= MOST_CHIPS:
        return ChipsEdit(choices(), tr(asked.field.about.title))
    editor = PickManyEdit(choices, tr("Any"), tr(asked.field.about.title))
    place.surroundings.changed.connect(editor.refresh_choices)
    return editor


def _text(asked: Asked) -> ValueEditor:
    return NotesEdit() if asked.field.name == "notes" else TextEdit(asked.place, asked.shape.is_optional)


def _none_text(asked: Asked) -> str:
    return tr("not set") if asked.shape.is_optional else ""


def _has_catalogue_choices(asked: Asked) -> bool:
    return asked.place.surroundings.has_choices(asked.place.struct_type.__name__, asked.place.name)


def _is_numbers(asked: Asked) -> bool:
    return asked.shape.item is not None and asked.shape.item.plain is float


def _is_texts(asked: Asked) -> bool:
    return asked.shape.item is not None and asked.shape.item.plain is str


LEAVES: tuple[tuple[Callable[[Asked], bool], Maker], ...] = (
    (lambda asked: asked.field.is_quantity, _number(QUANTITY)),
    (lambda asked: asked.shape.plain is bool, lambda asked: FlagEdit()),
    (lambda asked: asked.shape.plain is int, _number(COUNT)),
    (lambda asked: asked.shape.plain is float, _number(NUMBER)),
    (lambda asked: asked.shape.plain is Money, _number(MONEY)),
    (lambda asked: bool(asked.shape.codes or asked.field.about.choices), _choice),
    (lambda asked: asked.shape.plain is str and _has_catalogue_choices(asked), _catalogue_choice),
    (lambda asked: asked.shape.plain is str, _text),
    (lambda asked: asked.shape.item is not None and bool(asked.shape.item.codes), _chips),
    (_is_numbers, lambda asked: NumbersEdit(asked.place)),
    (lambda asked: _is_texts(asked) and _has_catalogue_choices(asked), _pick_many),
    (_is_texts, lambda asked: TextsView()),
)
"""The first that fits is taken."""


def leaf_editor(place: Place, field: Field) -> ValueEditor | None:
    """An editor for a field that holds no struct; None for one that does."""
    asked = Asked(place, field, Shape() if field.is_quantity else shape_of(field.type))
    if field.is_quantity:
        asked = Asked(place, field, Shape(is_optional=_is_optional(field)))
    return next((make(asked) for fits, make in LEAVES if fits(asked)), None)


def _is_optional(field: Field) -> bool:
    from typing import get_args

    return type(None) in get_args(field.type)
