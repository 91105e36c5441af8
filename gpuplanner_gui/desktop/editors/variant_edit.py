"""A part that may be absent, or of one of several kinds: a choice of the kind, and that kind's form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import CalmComboBox, Place, ValueEditor
from gpuplanner_gui.desktop.editors.shapes import shape_of
from gpuplanner_gui.desktop.editors.starting_values import starting_value
from gpuplanner_gui.desktop.editors.variant_words import variant_words
from gpuplanner_gui.domain.field import Field
from gpuplanner_gui.drawing.language import tr

_INDENT = 10


class VariantEdit(ValueEditor):
    """Another kind takes over the fields that it shares with the one before."""

    is_wide = True

    def __init__(
        self,
        place: Place,
        field: Field,
        struct_editor: Callable[[type[msgspec.Struct], Any], ValueEditor],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
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
        line = QHBoxLayout()
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.box)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(_INDENT, 0, 0, 4)
        self._layout.setSpacing(6)
        self._layout.addLayout(line)

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
