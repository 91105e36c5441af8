"""Plain text in as many lines as it needs, however long its words are: a path or a pasted name widens no window."""

from __future__ import annotations

import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

LONGEST_WORD = 20
LEAST_WIDTH = 40
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")
_BREAK = "\u200b"
"""No width, and a line may end there."""


class WrappingLabel(QLabel):
    """`QLabel` breaks lines at blanks alone, and is never narrower than the longest word.

    Where the text can be selected nothing is put into its words, for it would be copied along.
    """

    def __init__(self, text: str = "", parent: QWidget | None = None, is_selectable: bool = False) -> None:
        super().__init__(parent)
        self._whole = ""
        self._is_selectable = is_selectable
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self.setMinimumWidth(LEAST_WIDTH)
        if is_selectable:
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._whole = text
        super().setText(text if self._is_selectable else breakable(text))
        self.setAccessibleName(text)

    def text(self) -> str:
        """As it was given."""
        return self._whole


def breakable(text: str) -> str:
    """The text with places in its longest words where a line may end."""
    return _LONG_WORD.sub(lambda word: _BREAK.join(_pieces(word.group())), text)


def _pieces(word: str) -> list[str]:
    return [word[start : start + LONGEST_WORD] for start in range(0, len(word), LONGEST_WORD)]
