"""Makes the text of a PDF copyable: names the glyphs that Qt names by a private character or by the wrong blank.

Figures, points and commas of equal width are glyphs of their own. The typeface gives these a character of Unicode's
private area, which Qt writes as their text: digits would be lost to copying, search and screen readers. Which character
each stands for is asked of the typeface itself, by shaping that character.
"""

from __future__ import annotations

import re
from functools import lru_cache

from PySide6.QtGui import QFont, QRawFont, QTextLayout

from gpuplanner_gui.drawing.application import POINT_SIZE, document_font

PRIVATE = range(0xE000, 0xF900)
SHAPED = range(0x21, 0x7F)
"""Characters that have a glyph of equal width are among these."""
BLANKS = {0x0009: 0x0020, 0x00A0: 0x0020}
"""One glyph has several blanks; Qt takes the first, a tabulator."""
_MAP = re.compile(rb"beginbfrange\n(.*?)endbfrange", re.DOTALL)
_TARGETS = re.compile(rb"\[[^\]]*\]")
_TARGET = re.compile(rb"<([0-9A-F]{4})>")


def with_readable_text(pdf: bytes) -> bytes:
    """The same file with the tables that say what each glyph means put right; no byte moves."""
    meanings = BLANKS | private_characters()

    def character(found: re.Match[bytes]) -> bytes:
        code = int(found[1], 16)
        return b"<%04X>" % meanings.get(code, code)

    def target(found: re.Match[bytes]) -> bytes:
        return _TARGET.sub(character, found[0])

    return _MAP.sub(lambda found: _TARGETS.sub(target, found[0]), pdf)


@lru_cache(maxsize=1)
def private_characters() -> dict[int, int]:
    """What a private character of the program's typeface stands for."""
    known: dict[int, int] = {}
    for weight in (QFont.Weight.Normal, QFont.Weight.DemiBold):
        font = document_font(POINT_SIZE)
        font.setWeight(weight)
        raw = QRawFont.fromFont(font)
        private = {glyphs[0]: code for code in PRIVATE if (glyphs := raw.glyphIndexesForString(chr(code)))}
        private.pop(0, None)
        for code in SHAPED:
            glyph = _glyph_of(chr(code), font)
            if glyph in private:
                known.setdefault(private[glyph], code)
    return known


def _glyph_of(character: str, font: QFont) -> int:
    """The glyph that a character takes with the font's features; 0 where it takes several or none."""
    layout = QTextLayout(character, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    glyphs = [glyph for run in layout.glyphRuns() for glyph in run.glyphIndexes()]
    return int(glyphs[0]) if len(glyphs) == 1 else 0
