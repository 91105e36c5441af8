"""A heading that opens and closes what is under it; built when it is first opened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget

from gpuplanner_gui.desktop.editors.base import ValueEditor
from gpuplanner_gui.desktop.widgets.icons import icon_size, use_icon
from gpuplanner_gui.desktop.widgets.layouts import lay_out


class Section(ValueEditor):
    """Shows a value's editor under a heading."""

    is_wide = True

    def __init__(
        self, title: str, make_body: Callable[[], ValueEditor], is_open: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._make_body = make_body
        self.title = title
        self._value: Any = None
        self._has_value = False
        self.body: ValueEditor | None = None
        self.header = QPushButton(self)
        self.header.setObjectName("sectionHeader")
        self.header.setCheckable(True)
        self.header.setIconSize(icon_size(10))
        self.header.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.header.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.header.toggled.connect(self._on_toggled)
        self._layout = lay_out(QVBoxLayout(self), self.header, margins=(0, 0, 0, 0), spacing=2)
        self.set_mark(False)
        self.header.setChecked(is_open)
        self._on_toggled(is_open)

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
