"""Where pages end: a heading stays with what it heads, and the lines of a table's row stay together.

Qt's layout keeps neither. It breaks pages before blocks outside tables alone, so a row is moved by room before it.
"""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtGui import QTextBlock, QTextCursor, QTextDocument, QTextFormat, QTextLine, QTextTable, QTextTableCell

TALLEST_KEPT = 0.5
"""Share of a page: a row that is higher may be cut."""
_ROUNDING = 1.0
"""A line that goes over a page's end by less does so by rounding."""


def break_pages(document: QTextDocument, page_height: float) -> None:
    """Move headings and rows, in their order, as what is moved moves all that follows."""
    done: list[QTextTable] = []
    for block in blocks_of(document):
        table = _table_of(block)
        if table is None:
            if _is_alone(document, block, page_height):
                _begin_page(document, block)
        elif table not in done[-1:]:
            done.append(table)
            _keep_rows_whole(document, table, page_height)


def blocks_of(document: QTextDocument) -> Iterator[QTextBlock]:
    block = document.begin()
    while block.isValid():
        yield block
        block = block.next()


def _table_of(block: QTextBlock) -> QTextTable | None:
    return QTextCursor(block).currentTable()


def _is_alone(document: QTextDocument, block: QTextBlock, page_height: float) -> bool:
    """Whether a heading's page ends before what it heads has begun."""
    following, before = block.next(), block.previous()
    if not block.blockFormat().headingLevel() or not following.isValid():
        return False
    if before.isValid() and before.blockFormat().headingLevel():
        # Headings that follow each other go to the next page together, with the first of them.
        return False
    while following.blockFormat().headingLevel() and following.next().isValid():
        following = following.next()
    layout = document.documentLayout()
    here = layout.blockBoundingRect(block)
    return int(here.top() // page_height) != int(_begun(document, following, page_height) // page_height)


def _begun(document: QTextDocument, block: QTextBlock, page_height: float) -> float:
    """Depth of the content that a heading must stay with: a table's first row, or the first lines."""
    table = _table_of(block)
    if table is not None and table.rows() > 1:
        bottom = _extent(document, _cells(table, _header_rows(table)))[1]
        return bottom - _ROUNDING
    there = document.documentLayout().blockBoundingRect(block)
    return there.top() + min(there.height(), page_height / 40)


def _begin_page(document: QTextDocument, block: QTextBlock) -> None:
    style = block.blockFormat()
    style.setPageBreakPolicy(QTextFormat.PageBreakFlag.PageBreak_AlwaysBefore)
    QTextCursor(block).setBlockFormat(style)
    _lay_out_anew(document)


def _keep_rows_whole(document: QTextDocument, table: QTextTable, page_height: float) -> None:
    for row in range(_header_rows(table), table.rows()):
        cells = _cells(table, row)
        top, bottom = _extent(document, cells)
        end = (top // page_height + 1) * page_height
        if bottom > end + _ROUNDING and max(map(_height, cells)) < TALLEST_KEPT * page_height:
            _push(document, table, row, end - top)
    _keep_edge_with_row(document, table, page_height)


def _keep_edge_with_row(document: QTextDocument, table: QTextTable, page_height: float) -> None:
    """Keep a table's lower edge with its last row; else Qt repeats the header on the next page."""
    last = table.rows() - 1
    top = _extent(document, _cells(table, last))[0]
    edge = document.documentLayout().frameBoundingRect(table).bottom()
    if int(edge // page_height) != int(top // page_height) and table.rows() > _header_rows(table) + 1:
        _push(document, table, last, (top // page_height + 1) * page_height - top)


def _header_rows(table: QTextTable) -> int:
    """Rows that are repeated on every page."""
    return table.format().toTableFormat().headerRowCount()


def _cells(table: QTextTable, row: int) -> list[QTextTableCell]:
    return [table.cellAt(row, column) for column in range(table.columns())]


def _extent(document: QTextDocument, cells: list[QTextTableCell]) -> tuple[float, float]:
    """Extent from the top of the first line to the bottom of the last."""
    layout = document.documentLayout()
    ends: list[float] = []
    for block in (block for cell in cells for block in _blocks_in(cell)):
        place = layout.blockBoundingRect(block).top()
        for line in _lines(block):
            ends += [place + line.y(), place + line.y() + line.height()]
    return (min(ends, default=0.0), max(ends, default=0.0))


def _height(cell: QTextTableCell) -> float:
    """Height of the lines, without gaps at page ends."""
    return sum(line.height() for line in _cell_lines(cell))


def _cell_lines(cell: QTextTableCell) -> Iterator[QTextLine]:
    for block in _blocks_in(cell):
        yield from _lines(block)


def _blocks_in(cell: QTextTableCell) -> Iterator[QTextBlock]:
    block, last = cell.firstCursorPosition().block(), cell.lastCursorPosition().block()
    while block.isValid():
        yield block
        if block == last:
            return
        block = block.next()


def _lines(block: QTextBlock) -> Iterator[QTextLine]:
    lines = block.layout()
    for index in range(lines.lineCount()):
        yield lines.lineAt(index)


def _push(document: QTextDocument, table: QTextTable, row: int, distance: float) -> None:
    """Move a row down by room under the one before it, or, where a header is before it, above its own text.

    Half a line is left at the page's end: the row's first line has no room there, and Qt counts the room under a text
    as room that its own last line must have.
    """
    is_first = row <= _header_rows(table)
    half_line = min(line.height() for cell in _cells(table, row) for line in _cell_lines(cell)) / 2
    distance = max(distance - half_line, 0.0)
    cursor = QTextCursor(document)
    cursor.beginEditBlock()
    for cell in _cells(table, row if is_first else row - 1):
        style = cell.format().toTableCellFormat()
        if is_first:
            style.setTopPadding(style.topPadding() + distance)
        else:
            style.setBottomPadding(style.bottomPadding() + distance)
        cell.setFormat(style)
    cursor.endEditBlock()
    _lay_out_anew(document)


def _lay_out_anew(document: QTextDocument) -> None:
    """All of it: laying out only what changed loses what follows a table that grew."""
    document.markContentsDirty(0, document.characterCount())
