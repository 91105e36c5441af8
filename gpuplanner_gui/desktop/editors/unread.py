"""Fields of a form that keep their old value, as nothing could be made of what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QWidget

from gpuplanner_gui.desktop.editors.base import ValueEditor
from gpuplanner_gui.desktop.editors.text_edit import FieldLine
from gpuplanner_gui.drawing.language import tr

MOST_TOLD = 3
"""Fields that a message names; of more it says the number."""
LONGEST_TEXT = 40


@dataclass(frozen=True)
class UnreadField:
    """A field that keeps its old value."""

    line: FieldLine
    text: str
    kept: str
    """The value that it still has, as it is shown; empty where it has none."""

    @property
    def sentence(self) -> str:
        """The sentence: what is not valid, and which value is kept."""
        words = (
            tr("“{title}” was not changed, because “{text}” is not valid; it is still {kept}.")
            if self.kept
            else tr("“{title}” was not changed, because “{text}” is not valid; it is still empty.")
        )
        return words.format(title=self.line.accessibleName(), text=cut_typed(self.text), kept=cut_typed(self.kept))


def unread_in(form: QWidget) -> list[UnreadField]:
    """Fields with invalid text in a form or a dialog; hidden ones too."""
    found = []
    for line in form.findChildren(FieldLine):
        editor = line.parentWidget()
        if line.is_invalid and isinstance(editor, ValueEditor):
            found.append(UnreadField(line, line.text(), editor.kept_text()))
    return found


def unread_text(fields: Sequence[UnreadField]) -> str:
    """A sentence for each of the first fields, and how many more there are."""
    more = len(fields) - MOST_TOLD
    sentences = [one.sentence for one in fields[:MOST_TOLD]]
    if more > 0:
        sentences.append(tr("More such fields: {count}.").format(count=more))
    return " ".join(sentences)


def cut_typed(text: str) -> str:
    """A typed text in one line, no longer than a sentence has room for."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 1] + "…"
