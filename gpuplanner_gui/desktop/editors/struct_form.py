"""A form for any struct of the domain: walks the descriptions of its fields and builds a row for each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import FIELD_NAME, Place, Surroundings, ValueEditor, objection
from gpuplanner_gui.desktop.editors.field_row import FieldRow, label_width, note_at
from gpuplanner_gui.desktop.editors.kinds import leaf_editor, shape_of, starting_value, variant_words
from gpuplanner_gui.desktop.editors.list_edit import ListEdit
from gpuplanner_gui.desktop.store import joined
from gpuplanner_gui.desktop.widgets.calm import CalmComboBox
from gpuplanner_gui.desktop.widgets.event_turns import DrawingTurn
from gpuplanner_gui.desktop.widgets.flow_layout import lay_out
from gpuplanner_gui.desktop.widgets.theme import push_button, use_icon
from gpuplanner_gui.domain.field import Field, fields_of
from gpuplanner_gui.drawing.language import tr


class FormSection(ValueEditor):
    """Shows a value's editor under a heading."""

    is_wide = True

    def __init__(self, title: str, make_body: Callable[[], ValueEditor]) -> None:
        super().__init__()
        self._make_body = make_body
        self.title = title
        self._value: Any = None
        self._has_value = False
        self.body: ValueEditor | None = None
        self.header = push_button("", None, self, name="sectionHeader", is_checkable=True, side=10)
        self.header.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.header.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.header.toggled.connect(self._on_toggled)
        self._layout = lay_out(QVBoxLayout(self), self.header, margins=(0, 0, 0, 0), spacing=2)
        self.set_mark(False)
        self._on_toggled(False)

    def show_value(self, value: Any) -> None:
        self._value = value
        self._has_value = True
        if self.body is not None:
            self.body.show_value(value)

    def set_mark(self, differs: bool) -> None:
        """Mark that something inside differs from its default."""
        self.header.setText(f" {self.title}  •" if differs else f" {self.title}")
        self.header.setAccessibleName(self.title)

    def focus_widget(self) -> QWidget:
        return self.header

    def _on_toggled(self, is_open: bool) -> None:
        use_icon(self.header, "down" if is_open else "right")
        if is_open and self.body is None:
            self.body = self._make_body()
            self.body.setParent(self)
            self.body.edited.connect(self.edited)
            if self._has_value:
                self.body.show_value(self._value)
            self._layout.addWidget(self.body)
        if self.body is not None:
            self.body.setVisible(is_open)


_INDENT = 10


class VariantEdit(ValueEditor):
    """Another kind takes over the fields that it shares with the one before."""

    is_wide = True

    def __init__(
        self, place: Place, field: Field, struct_editor: Callable[[type[msgspec.Struct], Any], ValueEditor]
    ) -> None:
        super().__init__()
        shape = shape_of(field.type)
        self._struct_editor = struct_editor
        self._default = place.default
        self._value: Any = None
        self._types: list[type[msgspec.Struct] | None] = [*([None] if shape.is_optional else []), *shape.structs]
        self.form: ValueEditor | None = None
        self._form_type: type | None = None
        self.box = CalmComboBox(self)
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for kind in self._types:
            self.box.addItem(tr("None") if kind is None else variant_words(kind))
        self.box.activated.connect(self._on_kind_chosen)
        line = lay_out(QHBoxLayout(), self.box, margins=(0, 0, 0, 0))
        self._layout = lay_out(QVBoxLayout(self), line, margins=(_INDENT, 0, 0, 4), spacing=6)

    def show_value(self, value: Any) -> None:
        self._value = value
        kind = None if value is None else type(value)
        self.box.setCurrentIndex(self._types.index(kind))
        if kind is not self._form_type:
            self._replace_form(kind)
        if self.form is not None:
            self.form.show_value(value)

    def focus_widget(self) -> QWidget:
        return self.box

    def _replace_form(self, kind: type[msgspec.Struct] | None) -> None:
        if self.form is not None:
            self._layout.removeWidget(self.form)
            self.form.hide()
            self.form.deleteLater()
        self._form_type = kind
        # What differs from the default's own fields is marked; another kind has the defaults of its type.
        default = self._default if kind is not None and type(self._default) is kind else None
        self.form = None if kind is None else self._struct_editor(kind, default)
        if self.form is not None:
            self.form.edited.connect(self.edited)
            self._layout.addWidget(self.form)

    def _on_kind_chosen(self, index: int) -> None:
        kind = self._types[index]
        if kind is (None if self._value is None else type(self._value)):
            return
        self.edited.emit("", None if kind is None else starting_value(kind, self._value))


HIDDEN: dict[str, frozenset[str]] = {
    "Model": frozenset({"source", "assumed", "not_understood"}),
    "Traffic": frozenset({"trace"}),
}
"""Fields that are shown elsewhere: by the model's summary, on the load page."""
SIZES_OF_IMAGES = (("RequestClass", "image_width"), ("RequestClass", "image_height"))
"""Fields for the size of generated images, and of images in prompts."""
APPLY_WHEN: dict[tuple[str, str], tuple[str, frozenset[str]]] = {
    ("RequestClass", "denoising_steps"): ("request", frozenset(("image", "video"))),
    ("RequestClass", "prompt_images"): ("request", frozenset(("text",))),
    ("RequestClass", "prompt_audio_s"): ("request", frozenset(("text",))),
    ("RequestClass", "video_frames"): ("request", frozenset(("video",))),
    ("RequestClass", "audio_s"): ("request", frozenset(("audio",))),
    ("RequestClass", "prefix_cache_share"): ("request", frozenset(("text",))),
    ("RequestClass", "session_share"): ("request", frozenset(("text",))),
    ("RequestClass", "prompt_tokens"): ("request", frozenset(("text", "document"))),
    ("RequestClass", "output_tokens"): ("request", frozenset(("text", "audio"))),
    ("Traffic", "burstiness_cv"): ("arrivals", frozenset(("poisson", "gamma"))),
    ("Traffic", "users"): ("arrivals", frozenset(("users",))),
    ("Traffic", "think_time_s"): ("arrivals", frozenset(("users",))),
    ("Traffic", "batch_requests"): ("arrivals", frozenset(("batch",))),
    ("Traffic", "batch_time_s"): ("arrivals", frozenset(("batch",))),
    ("Traffic", "mean_over_peak"): ("arrivals", frozenset(("poisson", "gamma", "mmpp", "trace", "users"))),
    ("Traffic", "hours"): ("arrivals", frozenset(("poisson", "gamma", "mmpp", "trace", "users"))),
    **{
        ("Traffic", f"peak_over_mean_{part}"): ("arrivals", frozenset(("mmpp", "trace")))
        for part in ("1s", "10s", "60s")
    },
}
"""(struct, field) → another field of the struct, and the values of it with which the field says anything."""


MADE_AT_ONCE, MADE_A_TURN = 2, 4
"""Rows that are made with a form, and in each turn of the event loop after that: one takes 3 ms, and a form has 40."""


class StructForm(ValueEditor):
    """Leaves and lists in the order they are declared, then the structs within as sections, then advanced fields."""

    is_wide = True

    def __init__(
        self,
        struct_type: type[msgspec.Struct],
        surroundings: Surroundings,
        default: Any = None,
        names: Sequence[str] | None = None,
        folds_parts: bool = True,
    ) -> None:
        """`folds_parts`: structs within come last, in sections that open; else each in its place under its title."""
        super().__init__()
        self._struct_type = struct_type
        self._surroundings = surroundings
        self._default = default
        self._value: Any = None
        self._shown: list[Callable[[Any], None]] = []
        """Shows a struct's value in each row and section."""
        self._rows: list[FieldRow] = []
        self._layout = lay_out(QVBoxLayout(self), margins=(0, 0, 0, 0), spacing=6)
        hidden = HIDDEN.get(struct_type.__name__, frozenset())
        fields = [field for field in fields_of(struct_type) if field.name not in hidden]
        advanced = [field for field in fields if field.about.advanced and names is None]
        plain = [field for field in fields if (not field.about.advanced if names is None else field.name in names)]
        folded = [field for field in plain if folds_parts and _is_part(field)]
        self._to_make: list[Callable[[], None]] = [
            *(partial(self._add_field, field) for field in plain if field not in folded),
            *(partial(self._add_part, field) for field in folded),
            *([partial(self._add_advanced, advanced)] if advanced else []),
        ]
        self._make_soon = DrawingTurn(self, lambda: self._make(MADE_A_TURN))
        self._make(MADE_AT_ONCE)

    def show_value(self, value: Any) -> None:
        self._value = value
        for show in self._shown:
            show(value)

    def complete(self) -> bool:
        """Make at once what would be made in later turns; whether that was anything."""
        was_short = bool(self._to_make)
        self._make(len(self._to_make))
        return was_short

    def _make(self, most: int) -> None:
        """Make so many of the rows and sections that are still to come."""
        shown = len(self._shown)
        steps, self._to_make = self._to_make[:most], self._to_make[most:]
        for step in steps:
            step()
        width = label_width(self._rows)
        for row in self._rows:
            row.use_label_width(width)
        if self._value is not None:
            for show in self._shown[shown:]:
                show(self._value)
        if self._to_make:
            self._make_soon.start()

    def _add_field(self, field: Field) -> None:
        place = self._place(field)
        editor = leaf_editor(place, field)
        if editor is None and _is_part(field):
            editor = self._open_part(field)
        elif editor is None:
            kind = VariantEdit if shape_of(field.type).item is None else ListEdit
            editor = kind(place, field, self._struct_editor)
        self._add_row(field, editor)

    def _add_row(self, field: Field, editor: ValueEditor) -> None:
        default, has_default = self._default_of(field)
        row = FieldRow(field, editor, default, has_default, self)
        row.setProperty(FIELD_NAME, field.name)
        editor.edited.connect(partial(self._on_edited, field.name))
        row.reset_requested.connect(lambda: self.edited.emit(field.name, default))
        self._layout.addWidget(row)
        self._rows.append(row)

        key = self._struct_type.__name__, field.name
        is_conditional = key in APPLY_WHEN or key in SIZES_OF_IMAGES

        def show(struct: Any) -> None:
            if is_conditional:
                row.setVisible(_applies(key, struct))
            row.show_note(note_at(struct, field.name, self._surroundings.scenario))
            row.show_value(getattr(struct, field.name))

        self._shown.append(show)

    def _add_part(self, field: Field) -> None:
        section = FormSection(tr(field.about.title), partial(self._open_part, field))
        section.header.setToolTip(tr(field.about.help) if field.about.help else "")
        section.edited.connect(partial(self._on_edited, field.name))
        self._add_section(section, field.name, [field], lambda struct: getattr(struct, field.name))

    def _open_part(self, field: Field) -> StructForm:
        return _indented(StructForm(shape_of(field.type).structs[0], self._surroundings, self._default_of(field)[0]))

    def _add_advanced(self, fields: Sequence[Field]) -> None:
        names = [field.name for field in fields]
        make = partial(StructForm, self._struct_type, self._surroundings, self._default, names)
        section = FormSection(tr("More"), make)
        section.edited.connect(self.edited)
        self._add_section(section, "more", fields, lambda struct: struct)

    def _add_section(
        self, section: FormSection, name: str, fields: Sequence[Field], value_of: Callable[[Any], Any]
    ) -> None:
        """Show `value_of` the struct in a section, which is marked where one of these fields differs."""
        section.setProperty(FIELD_NAME, name)
        self._layout.addWidget(section)
        defaults = {field.name: self._default_of(field)[0] for field in fields if self._default_of(field)[1]}

        def show(struct: Any) -> None:
            section.show_value(value_of(struct))
            section.set_mark(any(getattr(struct, name) != default for name, default in defaults.items()))

        self._shown.append(show)

    def _struct_editor(self, struct_type: type[msgspec.Struct], default: Any = None) -> ValueEditor:
        return StructForm(struct_type, self._surroundings, default)

    def _place(self, field: Field) -> Place:
        check, default = partial(self._objection, field), self._default_of(field)[0]
        return Place(self._struct_type, field.name, self._surroundings, check, default)

    def _default_of(self, field: Field) -> tuple[Any, bool]:
        if self._default is not None:
            return getattr(self._default, field.name), True
        return field.default, field.has_default

    def _objection(self, field: Field, value: Any) -> str:
        """Why the domain refuses a value of this field, as a sentence; empty if it accepts it."""
        return objection(self._value, field.name, value) if self._value is not None else ""

    def _on_edited(self, name: str, path: str, value: Any) -> None:
        self.edited.emit(joined(name, path), value)


def _is_part(field: Field) -> bool:
    """Whether a field always holds one kind of struct."""
    if field.is_quantity:
        return False
    shape = shape_of(field.type)
    return shape.item is None and not shape.is_optional and len(shape.structs) == 1


def _applies(key: tuple[str, str], struct: Any) -> bool:
    """Whether a field means anything beside the others of its struct."""
    if key in SIZES_OF_IMAGES:
        return struct.request in ("image", "video") or (struct.request == "text" and struct.prompt_images > 0)
    other, values = APPLY_WHEN[key]
    return getattr(struct, other) in values


def _indented(form: StructForm) -> StructForm:
    form.layout().setContentsMargins(_INDENT, 2, 0, 6)  # type: ignore[union-attr]
    return form
