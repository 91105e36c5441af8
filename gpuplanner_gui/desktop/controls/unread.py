"""Says after a save or a report which fields it could not include, and asks before their text is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from gpuplanner_gui.desktop.input_pane import InputPane
from gpuplanner_gui.desktop.message_bar import Severity
from gpuplanner_gui.desktop.unread_fields import go_to_field, unread_fields, unread_text
from gpuplanner_gui.drawing.language import tr

if TYPE_CHECKING:
    from gpuplanner_gui.desktop.window_parts import WindowParts

TOPIC = "unread"


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
        messages.withdraw(TOPIC)
        found = unread_fields(inputs)
        if not found:
            return False
        first = found[0]
        messages.show_message(
            f"{done} {unread_text(found)}",
            Severity.WARNING,
            lambda: tr("Show"),
            (InputPane, lambda inputs: go_to_field(inputs, first.part, first.row)),
            topic=TOPIC,
        )
        return True
