"""The text of a PDF can be copied and searched, digits and signs included, in text and in pictures."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from pypdf import PdfReader
from PySide6.QtGui import QPageSize, QPdfWriter, QTextDocument
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.application import document_font, program_font
from gpuplanner_gui.drawing.report.pdf import with_readable_text

SAID = "Serve 1,234,567.89: 40 % (FP8), 2026-11-23; 3 × A+B ~ 5/7 [x] <y> $6 #0"
UNREADABLE = re.compile("[\x00-\x08\x0b-\x1f\ue000-\uf8ff]")


def printed(path: Path, is_plain: bool, said: str = SAID) -> bytes:
    writer = QPdfWriter(str(path))
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    document = QTextDocument()
    document.setDefaultFont(document_font(9) if is_plain else program_font(9))
    document.setHtml(f"<p>{said.replace('<', '&lt;')}</p><p><b>{said.replace('<', '&lt;')}</b></p>")
    document.print_(writer)
    del writer
    return path.read_bytes()


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)


def test_what_is_printed_is_what_is_copied(qapp: QApplication, tmp_path: Path) -> None:
    pdf = printed(tmp_path / "plain.pdf", is_plain=True)
    readable = with_readable_text(pdf)
    assert len(readable) == len(pdf), "no byte moves"
    assert " ".join(text_of(readable).split()).count(SAID) >= 2, "plain and bold; bold may be drawn twice"
    assert not UNREADABLE.search(text_of(readable))


def test_digits_that_come_in_order_are_copied_too(qapp: QApplication, tmp_path: Path) -> None:
    """Qt writes ten glyphs or more as one run, not as a list, where their characters are consecutive."""
    readable = with_readable_text(printed(tmp_path / "run.pdf", is_plain=True, said="Serve 0123456789"))
    assert "Serve 0123456789" in " ".join(text_of(readable).split())


def test_digits_are_lost_without_it(qapp: QApplication, tmp_path: Path) -> None:
    """The two causes stay known: glyphs of equal width, and glyphs that depend on their neighbours."""
    assert "1,234" not in text_of(printed(tmp_path / "plain.pdf", is_plain=True))
    assert UNREADABLE.search(text_of(with_readable_text(printed(tmp_path / "calt.pdf", is_plain=False))))
