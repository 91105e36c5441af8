"""Text for a spreadsheet: nothing in it is taken for a formula, whatever the spreadsheet takes for a separator."""

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
