"""Text from outside made safe to show: characters that hide or reorder what a reader sees are found and left out."""

from __future__ import annotations

import re

_STARTS = "=+@|\\-＝＋－＠"
"""Signs that begin a formula, full-width ones too: some input methods and importers read them as the plain ones."""
_FORMULA = re.compile(rf"""(?:^|(?<=[;\t\r\n]))(?:[^\S\t\r\n]|")*(?=[{_STARTS}\t\r])""")
_SIGNED_NUMBER = re.compile(r"[+-]?\d[\d.,\u202f\u00a0 ]*(e[+-]?\d+)?\s?[\w%/]{0,8}")


def without_formula(text: str) -> str:
    """The text with an apostrophe before each part that a spreadsheet would compute; a signed number stays one.

    Parts are what stands between semicolons, tabs and line breaks: where those are a spreadsheet's separators, such as
    the semicolon where the comma is the decimal mark, each part begins a cell. Quotation marks in front of a part are
    lost where a file is read with another separator than it was written with.
    """
    return text if _SIGNED_NUMBER.fullmatch(text.strip()) else _FORMULA.sub(r"'\g<0>", text)


LONGEST_NAME = 200

BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters that reorder what a reader sees, as part of a regular expression's class."""
INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f\u2800\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e007f\U000e0100-\U000e01ef"
)
"""Characters that nobody sees; those that join letters and choose the look of emoji are none of them."""
CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
"""Control characters but line breaks and tabs."""
UNPAIRED = "\ud800-\udfff"
"""Halves of characters, which can't be written to a file."""
_UNSAFE = re.compile(f"[{BIDIRECTIONAL}{INVISIBLE}{CONTROL}{UNPAIRED}]")


def plain_text(text: str, longest: int = LONGEST_NAME) -> str:
    """Text safe to show on one line: no control, bidirectional or unpaired characters, at most `longest` long."""
    return " ".join(_UNSAFE.sub("", text).split())[:longest]


def is_unsafe(character: str) -> bool:
    """True for characters that hide or reorder text or can't be written to a file; line breaks and tabs are safe."""
    return _UNSAFE.match(character) is not None


def has_unsafe_text(text: str) -> bool:
    return _UNSAFE.search(text) is not None
