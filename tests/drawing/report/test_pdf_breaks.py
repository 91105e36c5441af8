"""Where pages of the PDF end: never within a row, never right after a heading."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument
from PySide6.QtWidgets import QApplication

from gpuplanner_gui.drawing.report.pdf_breaks import blocks_of, break_pages

PAGE = 300.0


def document_of(rows: list[str], before: int) -> QTextDocument:
    lines = "<p>" + "<br>".join(["line"] * before) + "</p>" if before else ""
    cells = "".join(f"<tr><td>{place}</td><td>{text}</td></tr>" for place, text in enumerate(rows))
    table = f'<table width="100%"><thead><tr><th>Number</th><th>Text</th></tr></thead>{cells}</table>'
    document = QTextDocument()
    document.setHtml(f"{lines}<h3>Table</h3>{table}<h3>After</h3><p>end</p>")
    document.setPageSize(QSizeF(200, PAGE))
    break_pages(document, PAGE)
    return document


def pages_of(document: QTextDocument, block: QTextBlock) -> set[int]:
    top, lines = document.documentLayout().blockBoundingRect(block).top(), block.layout()
    places = [lines.lineAt(index) for index in range(lines.lineCount())]
    ends = [end for line in places for end in (top + line.y() + 1, top + line.y() + line.height() - 1)]
    return {int(end // PAGE) for end in ends}


@pytest.mark.parametrize("before", range(0, 18))
def test_every_row_is_read_on_one_page(qapp: QApplication, before: int) -> None:
    document = document_of(["long words that take several lines " * (1 + place % 4) for place in range(14)], before)
    pages = [pages_of(document, block) for block in blocks_of(document) if QTextCursor(block).currentTable()]
    assert len({page for found in pages for page in found}) > 2
    assert all(len(found) == 1 for found in pages)
    table = next(table for block in blocks_of(document) if (table := QTextCursor(block).currentTable()))
    for row in range(table.rows()):
        cells = [table.cellAt(row, column).firstCursorPosition().block() for column in range(2)]
        assert len({page for cell in cells for page in pages_of(document, cell)}) == 1


@pytest.mark.parametrize("before", range(0, 24, 3))
def test_a_heading_is_followed_by_the_first_row_on_its_page(qapp: QApplication, before: int) -> None:
    document = document_of(["two lines of several words here"] * 3, before)
    heading = next(block for block in blocks_of(document) if block.text() == "Table")
    first = next(block for block in blocks_of(document) if block.text() == "0")
    assert pages_of(document, heading) == pages_of(document, first)


def test_no_page_begins_with_the_lower_edge_of_a_table(qapp: QApplication) -> None:
    """Qt would repeat the header there, over what follows."""
    for before in range(0, 24):
        document = document_of(["word"] * 5, before)
        table = next(table for block in blocks_of(document) if (table := QTextCursor(block).currentTable()))
        last = table.cellAt(table.rows() - 1, 0).firstCursorPosition().block()
        edge = document.documentLayout().frameBoundingRect(table).bottom()
        assert pages_of(document, last) == {int(edge // PAGE)}


def test_a_row_that_fills_most_of_a_page_may_be_cut(qapp: QApplication) -> None:
    document = document_of(["a line of words " * 80], 8)
    pages = [pages_of(document, block) for block in blocks_of(document)]
    assert max(len(found) for found in pages) > 1
