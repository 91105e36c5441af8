"""Fields whose text could not be taken: which they are, said after a save, and the way there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QScrollArea

from gpuplanner_gui.desktop.editors.field_row import FieldRow
from gpuplanner_gui.desktop.editors.input_pane import InputPane
from gpuplanner_gui.desktop.editors.section import Section
from gpuplanner_gui.desktop.editors.text_edit import FieldLine
from gpuplanner_gui.desktop.widgets.message_bar import Severity
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.editors.input_pane import InputPane
    from gpuplanner_gui.desktop.editors.scenario_parts import Part
    from gpuplanner_gui.desktop.window.window_parts import WindowParts

MOST_TOLD = 3
"""Fields that a message names; of more it says the number."""
LONGEST_TEXT = 40


@dataclass(frozen=True)
class UnreadField:
    """A field that keeps its old value, as nothing could be made of what was typed."""

    part: Part
    row: FieldRow
    text: str
    kept: str
    """The value that it still has, as it is shown; empty where it has none."""

    @property
    def sentence(self) -> str:
        """What is wrong and what holds instead."""
        words = (
            tr("“{title}” cannot be taken as it stands: “{text}”; {kept} was kept.")
            if self.kept
            else tr("“{title}” cannot be taken as it stands: “{text}”; it stays without a value.")
        )
        return words.format(title=self.row.label.text(), text=_short(self.text), kept=_short(self.kept))


def unread_fields(inputs: InputPane) -> list[UnreadField]:
    """Of the scenario at hand, in the order of the project's parts; also those that are out of sight."""
    found = []
    for part, page in inputs.editor.built_pages():
        for row in page.findChildren(FieldRow):
            line = row.editor.focus_widget()
            if isinstance(line, FieldLine) and line.is_invalid:
                found.append(UnreadField(part, row, line.text(), row.editor.kept_text()))
    return found


def unread_text(fields: Sequence[UnreadField]) -> str:
    """A sentence for each of the first fields, and how many more there are."""
    more = len(fields) - MOST_TOLD
    sentences = [one.sentence for one in fields[:MOST_TOLD]]
    if more > 0:
        sentences.append(tr("Further fields like that: {count}.").format(count=more))
    return " ".join(sentences)


def go_to_field(inputs: InputPane, part: Part, target: FieldRow | Section) -> None:
    """Show a field or section of a form, opening what it is in, and put the cursor there."""
    inputs.show_part(part)
    parent = target.parent()
    while parent is not None and not isinstance(parent, QScrollArea):
        if isinstance(parent, Section):
            parent.header.setChecked(True)
        parent = parent.parent()
    if isinstance(target, Section):
        target.header.setChecked(True)
    field = target.editor.focus_widget() if isinstance(target, FieldRow) else target.focus_widget()
    field.setFocus(Qt.FocusReason.ShortcutFocusReason)
    if isinstance(parent, QScrollArea):
        parent.ensureWidgetVisible(target)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1] + "…"


UNREAD_TOPIC = "unread"


class UnreadControls(QObject):
    """Looks at the fields when they matter; nothing is kept of them."""

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.frame)
        self._parts = parts
        parts.file.unread = lambda: unread_text(unread_fields(parts.inputs))
        parts.file.saved.connect(lambda: self.say_after(tr("Saved.")))

    def say_after(self, done: str) -> bool:
        """Tell what was done and what it does not hold, with the way to the first such field. False if it has all."""
        messages, inputs = self._parts.messages, self._parts.inputs
        messages.withdraw(UNREAD_TOPIC)
        found = unread_fields(inputs)
        if not found:
            return False
        first = found[0]
        messages.show_message(
            f"{done} {unread_text(found)}",
            Severity.WARNING,
            lambda: tr("Show"),
            (InputPane, lambda inputs: go_to_field(inputs, first.part, first.row)),
            topic=UNREAD_TOPIC,
        )
        return True
