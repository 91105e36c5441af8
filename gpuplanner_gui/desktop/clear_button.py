"""A button in a text field that empties it, with a name for those who do not see it."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit, QToolButton

from gpuplanner_gui.drawing.language import tr


def add_clear_button(field: QLineEdit) -> None:
    field.setClearButtonEnabled(True)
    for button in field.findChildren(QToolButton):
        button.setAccessibleName(tr("Clear"))
