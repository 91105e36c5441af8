"""What is open and half typed in the forms of a part: which sections, and texts that cannot be read yet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QEvent
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QScrollArea, QWidget

from gpuplanner_gui.desktop.editors.base import FIELD_NAME
from gpuplanner_gui.desktop.editors.section import Section


@dataclass
class KeptForm:
    """Of one part's page."""

    sections: dict[str, bool] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    focused: str = ""
    cursor: int = 0
    scroll: int = 0


def place_in_form(widget: QWidget, page: QWidget) -> str:
    """Names from the page down to the widget: classes/[0]/prompt_tokens."""
    names: list[str] = []
    one: QWidget | None = widget
    while one is not None and one is not page:
        name = one.property(FIELD_NAME)
        if name:
            names.append(str(name))
        one = one.parentWidget()
    return "/".join(reversed(names))


def settle(page: QWidget) -> None:
    """Take what has been typed, as leaving each field would; what cannot be read stays in its field."""
    for line in page.findChildren(QLineEdit):
        if line.isModified():
            line.editingFinished.emit()
    for box in page.findChildren(QPlainTextEdit):
        QApplication.sendEvent(box, QFocusEvent(QEvent.Type.FocusOut))


def form_of(area: QScrollArea, page: QWidget) -> KeptForm:
    """What is open, half typed and in sight on a part's page."""
    kept = KeptForm(scroll=area.verticalScrollBar().value())
    kept.sections = {place_in_form(one, page): one.header.isChecked() for one in page.findChildren(Section)}
    for line in _lines(page):
        place = place_in_form(line, page)
        if line.isModified():
            kept.texts[place] = line.text()
        if page.window().focusWidget() is line:
            kept.focused, kept.cursor = place, line.cursorPosition()
    return kept


def show_form(area: QScrollArea, page: QWidget, kept: KeptForm) -> bool:
    """Open, type and scroll as it was; False while the page is too short to be scrolled so far."""
    is_more = True
    while is_more:
        # An opened section may hold others.
        is_more = _open_sections(page, kept.sections)
    for line in _lines(page):
        place = place_in_form(line, page)
        text = kept.texts.pop(place, None)
        if text is not None and text != line.text():
            line.setText(text)
            line.setModified(True)
            line.textEdited.emit(text)
            line.editingFinished.emit()
        if kept.focused and place == kept.focused:
            line.setFocus()
            line.setCursorPosition(kept.cursor)
            kept.focused = ""
    bar = area.verticalScrollBar()
    bar.setValue(kept.scroll)
    return bar.value() == kept.scroll


def _open_sections(page: QWidget, wanted: dict[str, bool]) -> bool:
    is_changed = False
    for section in page.findChildren(Section):
        is_open = wanted.get(place_in_form(section, page))
        if is_open is not None and section.header.isChecked() != is_open:
            section.header.setChecked(is_open)
            is_changed = True
    return is_changed


def _lines(page: QWidget) -> Iterator[QLineEdit]:
    return (line for line in page.findChildren(QLineEdit) if not line.isReadOnly())
