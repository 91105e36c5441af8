"""The report as PDF: Qt's rich text on A4, plots as vectors, a header and a footer with page numbers on every page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFont,
    QPageLayout,
    QPageSize,
    QPainter,
    QPalette,
    QPdfWriter,
    QPicture,
    QPyTextObject,
    QRawFont,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLayout,
)

from gpuplanner_gui.drawing.application import POINT_SIZE, document_font, drawing_application
from gpuplanner_gui.drawing.details import Detail
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.palette import LIGHT
from gpuplanner_gui.drawing.report.html import element, text
from gpuplanner_gui.drawing.report.model import (
    Block,
    Callout,
    Code,
    Outline,
    Paragraph,
    Report,
    ReportFigure,
    ReportSection,
    Sheet,
    Table,
)
from gpuplanner_gui.drawing.report.pdf_breaks import blocks_of, break_pages
from gpuplanner_gui.drawing.report.plots import WIDTH

PRIVATE = range(0xE000, 0xF900)
SHAPED = range(0x21, 0x7F)
"""Characters that have a glyph of equal width are among these."""
BLANKS = {0x0009: 0x0020, 0x00A0: 0x0020}
"""One glyph has several blanks; Qt takes the first, a tabulator."""
_MAP = re.compile(rb"beginbfrange\n(.*?)endbfrange", re.DOTALL)
_TARGETS = re.compile(rb"\[[^\]]*\]")
_TARGET = re.compile(rb"<([0-9A-F]{4})>")
_RUN = re.compile(rb"(<[0-9A-F]{4}> <[0-9A-F]{4}>) <([0-9A-F]{4})>\n")
"""Ten glyphs or more whose characters Qt found consecutive: the digits, where a text first needs them in order."""


def with_readable_text(pdf: bytes) -> bytes:
    """The same file with the tables that say what each glyph means put right; no byte moves."""
    meanings = BLANKS | private_characters()

    def character(found: re.Match[bytes]) -> bytes:
        code = int(found[1], 16)
        return b"<%04X>" % meanings.get(code, code)

    def target(found: re.Match[bytes]) -> bytes:
        return _TARGET.sub(character, found[0])

    def run(found: re.Match[bytes]) -> bytes:
        code = int(found[2], 16)
        return b"%b <%04X>\n" % (found[1], meanings.get(code, code))

    return _MAP.sub(lambda found: _RUN.sub(run, _TARGETS.sub(target, found[0])), pdf)


@lru_cache(maxsize=1)
def private_characters() -> dict[int, int]:
    """Plain characters for the private characters of the program's typeface."""
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


MARGIN_MM = 16.0
BAND_MM = 9.0
"""Height of header and footer, each. [mm]"""
FIGURE_OBJECT = QTextFormat.ObjectTypes.UserObject + 1
FIGURE_NUMBER = QTextFormat.Property.UserProperty + 1
_TOKEN = "\ue000{}\ue001"
"""Stands for a figure until the figure is put there; from the private area, which `clean` text may hold but not so."""
_SIZES = {1: 20, 2: 15, 3: 12, 4: 9}
_COLOURS = {"good": LIGHT.good, "warning": LIGHT.warning, "bad": LIGHT.bad}
_QUIET, _LINE, _SHADE = LIGHT.muted, LIGHT.line, LIGHT.window
WIDE_COLUMNS = 8
CHARACTERS = {8: 112.0, 6.5: 136.0}
"""Characters on a line of the page, by type size in points."""
PADDING_CHARACTERS, SHORT_COLUMN, LONG_COLUMN = 4.0, 17.5, 70
BOLD = 1.2
"""Width of a heading's letters over that of others."""
_WORDS = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]{1,4}|[^ \n/\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+/?")


def pdf_bytes(report: Report, pictures: Mapping[ReportFigure, bytes]) -> bytes:
    """The document; `pictures` holds the drawn figures as `QPicture`."""
    drawing_application()
    written = QByteArray()
    buffer = QBuffer(written)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    # A recorded picture keeps its fonts' size only where a point has as many dots as when it was recorded; the
    # document's vectors are exact at any resolution.
    dots_per_inch = QPicture().logicalDpiX()
    writer.setResolution(dots_per_inch)
    writer.setTitle(report.title)
    writer.setCreator("GPU Planner")
    margins = QMarginsF(MARGIN_MM, MARGIN_MM, MARGIN_MM, MARGIN_MM)
    writer.setPageLayout(
        QPageLayout(
            QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, margins, QPageLayout.Unit.Millimeter
        )
    )
    band = BAND_MM / 25.4 * dots_per_inch
    size = QSizeF(writer.width(), writer.height() - 2 * band)
    document, drawer = _document(report, pictures, writer, size)
    _print(document, drawer, writer, report, band)
    buffer.close()
    return with_readable_text(bytes(written.data()))


class FigureDrawer(QPyTextObject):
    """Draws figures among the text, as wide as the page."""

    def __init__(self, figures: list[tuple[QPicture, int]], width: float, parent: QTextDocument) -> None:
        super().__init__(parent)
        self._figures, self._width = figures, width
        self.page = QRectF()
        """The page being printed; figures of other pages are not drawn."""

    def intrinsicSize(self, doc: QTextDocument, position: int, style: QTextFormat) -> QSizeF:
        _, height = self._figures[int(style.property(FIGURE_NUMBER))]
        return QSizeF(self._width, self._width * height / WIDTH)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, position: int, style: QTextFormat
    ) -> None:
        if not self.page.contains(QRectF(rect).center()):
            return
        painter.save()
        painter.translate(rect.topLeft())
        picture, height = self._figures[int(style.property(FIGURE_NUMBER))]
        painter.scale(rect.width() / WIDTH, rect.height() / height)
        painter.drawPicture(0, 0, picture)
        painter.restore()


def _picture(content: bytes) -> QPicture:
    picture = QPicture()
    buffer = QBuffer()
    buffer.setData(QByteArray(content))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    picture.load(buffer)
    return picture


def _document(
    report: Report, pictures: Mapping[ReportFigure, bytes], device: QPdfWriter, size: QSizeF
) -> tuple[QTextDocument, FigureDrawer]:
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setUseDesignMetrics(True)
    document.setDefaultFont(document_font(9))
    layout = document.documentLayout()
    layout.setPaintDevice(device)
    figures = [figure for figure in report.figures() if figure in pictures]
    document.setHtml(_page_html(report, {figure: place for place, figure in enumerate(figures)}))
    drawer = FigureDrawer([(_picture(pictures[one]), one.height) for one in figures], size.width() - 2, document)
    layout.registerHandler(FIGURE_OBJECT, drawer)
    for place in range(len(figures)):
        cursor = document.find(_TOKEN.format(place))
        style = QTextCharFormat()
        style.setObjectType(FIGURE_OBJECT)
        style.setProperty(FIGURE_NUMBER, place)
        cursor.insertText("\ufffc", style)
    _shrink_empty_lines(document)
    document.setPageSize(size)
    break_pages(document, size.height())
    return document, drawer


def _shrink_empty_lines(document: QTextDocument) -> None:
    """Qt ends every table with an empty line, which on a page of its own would be an empty page."""
    style = QTextCharFormat()
    style.setFontPointSize(1)
    for block in blocks_of(document):
        if not block.text() and QTextCursor(block).currentTable() is None:
            cursor = QTextCursor(block)
            cursor.setBlockCharFormat(style)


def _print(document: QTextDocument, drawer: FigureDrawer, writer: QPdfWriter, report: Report, band: float) -> None:
    painter = QPainter(writer)
    size = document.pageSize()
    pages = _pages_with_text(document, size.height())
    context = QAbstractTextDocumentLayout.PaintContext()
    context.palette.setColor(QPalette.ColorRole.Text, QColor("#1C2126"))
    for number, page in enumerate(pages, 1):
        if number > 1:
            writer.newPage()
        _print_bands(painter, writer, report, band, number, len(pages))
        painter.save()
        painter.translate(0, band - page * size.height())
        shown = QRectF(0, page * size.height(), size.width(), size.height())
        painter.setClipRect(shown)
        context.clip = drawer.page = shown
        document.documentLayout().draw(painter, context)
        painter.restore()
    painter.end()


def _pages_with_text(document: QTextDocument, page_height: float) -> list[int]:
    """Qt may put nothing but the lower edge of a table on a page of its own; such a page is not printed."""
    layout, found = document.documentLayout(), set()
    for block in blocks_of(document):
        top = layout.blockBoundingRect(block).top()
        for place in range(block.layout().lineCount() if block.text() else 0):
            line = block.layout().lineAt(place)
            found.add(int((top + line.y() + line.height() / 2) // page_height))
    return sorted(found) or [0]


def _print_bands(painter: QPainter, writer: QPdfWriter, report: Report, band: float, page: int, pages: int) -> None:
    painter.setFont(QFont(document_font(7.5)))
    painter.setPen(QColor(_QUIET))
    width, height = writer.width(), writer.height()
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
    metrics = painter.fontMetrics()
    title = metrics.elidedText(report.title, Qt.TextElideMode.ElideRight, round(width * 0.9))
    painter.drawText(QRectF(0, 0, width, band), left, title)
    below = QRectF(0, height - band, width, band)
    number = tr("Page {page} of {pages}").format(page=page, pages=pages)
    bottom = Qt.AlignmentFlag.AlignBottom
    room = round(width - 2 * metrics.horizontalAdvance(number))
    provenance = metrics.elidedText(" · ".join(report.provenance[:3]), Qt.TextElideMode.ElideRight, room)
    painter.drawText(below, Qt.AlignmentFlag.AlignLeft | bottom, provenance)
    painter.drawText(below, Qt.AlignmentFlag.AlignRight | bottom, number)


def _page_html(report: Report, figures: Mapping[ReportFigure, int]) -> str:
    body = _heading(1, report.title) + _paragraph(" · ".join(report.provenance), "quiet")
    body += "".join(_paragraph(line) for line in report.introduction.splitlines())
    body += "".join(_section(one, figures) for one in report.sections)
    return f"<html><body>{body}</body></html>"


def _section(section: ReportSection, figures: Mapping[ReportFigure, int]) -> str:
    inner = "".join(_block(block, section, figures) for block in section.blocks)
    return _heading(section.level, section.title, section.starts_page) + inner


def _heading(level: int, title: str, starts_page: bool = False) -> str:
    broken = "page-break-before: always;" if starts_page else ""
    above = {1: 0, 2: 0, 3: 14, 4: 8}[level]
    style = f"font-size: {_SIZES[level]}pt; font-weight: 600; margin-top: {above}px; margin-bottom: 4px; {broken}"
    return f'<h{level} style="{style}">{text(title)}</h{level}>'


def _paragraph(sentence: str, weight: str = "plain") -> str:
    style = {"plain": "", "quiet": f"color: {_QUIET}; font-size: 8pt;", "strong": "font-weight: 600;"}[weight]
    return f'<p style="margin-top: 2px; margin-bottom: 3px; {style}">{text(sentence)}</p>' if sentence else ""


def _block(block: Block, section: ReportSection, figures: Mapping[ReportFigure, int]) -> str:
    if isinstance(block, Paragraph):
        return _paragraph(block.text, block.weight)
    if isinstance(block, Callout):
        return _callout(block)
    if isinstance(block, (Table, Sheet)):
        caption = _heading(4, block.title) if block.title != section.title else ""
        return caption + _table(block.as_table())
    if isinstance(block, Code):
        lines = "<br>".join(text(line).replace("  ", "&nbsp; ") for line in block.text.splitlines())
        style = f"background-color: {_SHADE}; font-family: monospace; font-size: 7.5pt; margin: 4px 0;"
        return f'<p style="{style}">{lines}</p>'
    if isinstance(block, Outline):
        return _outline(block.details)
    return f"<p>{_TOKEN.format(figures[block])}</p>" if block in figures else ""


def _callout(block: Callout) -> str:
    lines = _paragraph(block.title, "quiet") + "".join(_paragraph(one.text, one.weight) for one in block.lines)
    bar = f'<td width="4" bgcolor="{_COLOURS.get(block.status, _QUIET)}"></td>'
    inner = f'<td bgcolor="{_SHADE}" style="padding: 6px 10px;">{lines}</td>'
    return f'<table width="100%" cellspacing="0" cellpadding="0" style="margin-top: 6px;"><tr>{bar}{inner}</tr></table>'


def _table(whole: Table) -> str:
    """Columns that say something; header lines are repeated on every page that the table runs over."""
    kept = [place for place in range(len(whole.headings)) if any(row[place].text for row in whole.rows)]
    rows = tuple(tuple(row[place] for place in kept) for row in whole.rows)
    table = Table(whole.title, tuple(whole.headings[place] for place in kept), rows)
    points = 6.5 if len(table.headings) >= WIDE_COLUMNS else 8
    right, widths = table.number_columns, _widths(table, CHARACTERS[points])

    def row(tag: str, cells: Iterable[str], colour: str) -> str:
        inner = []
        for place, value in enumerate(cells):
            align = "right" if place in right else "left"
            style = (
                f"padding: 2px 5px; border-bottom: 1px solid {_LINE}; color: {colour}; font-size: {points}pt;"
                f" font-weight: {'600' if tag == 'th' else '400'};"
            )
            how = f'align="{align}" valign="top" width="{widths[place]}%"'
            inner.append(f'<{tag} {how} style="{style}">{text(value)}</{tag}>')
        return element("tr", "".join(inner))

    head = f"<thead>{row('th', table.headings, _QUIET)}</thead>"
    body = "".join(row("td", (cell.text for cell in line), "#1C2126") for line in table.rows)
    return f'<table width="100%" cellspacing="0" cellpadding="0" style="margin-bottom: 6px;">{head}{body}</table>'


def _widths(table: Table, capacity: float) -> list[float]:
    """Column widths in percent: short columns take what they need, long ones share the rest by length."""
    natural, longest_words = [], []
    for place, heading in enumerate(table.headings):
        texts = [row[place].text for row in table.rows]
        short = max(map(_wide_length, texts))
        word = max(_longest_word(heading) * BOLD, *map(_longest_word, texts))
        natural.append(max(short, word) + PADDING_CHARACTERS)
        longest_words.append(word + PADDING_CHARACTERS)
    if sum(natural) > capacity:
        fixed = {place for place, length in enumerate(natural) if length <= SHORT_COLUMN}
        rest = max(capacity - sum(natural[place] for place in fixed), 0.0)
        wanted = sum(min(length, LONG_COLUMN) for place, length in enumerate(natural) if place not in fixed)
        natural = [
            length if place in fixed else max(rest * min(length, LONG_COLUMN) / wanted, longest_words[place])
            for place, length in enumerate(natural)
        ]
    return [round(100 * length / sum(natural), 1) for length in natural]


def _wide_length(words: str) -> int:
    """Letters, those of Chinese, Japanese and Korean counted twice."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in words)


def _longest_word(words: str) -> int:
    """Length of the longest part that can't be broken; wide letters break anywhere and count in pairs."""
    return max((_wide_length(word) for word in _WORDS.findall(words)), default=0)


def _outline(details: tuple[Detail, ...]) -> str:
    rows = "".join(_outline_rows(details, 0))
    return f'<table width="100%" cellspacing="0" cellpadding="0">{rows}</table>'


def _outline_rows(details: Iterable[Detail], depth: int) -> Iterator[str]:
    for detail in details:
        note = f" ({tr('default')})" if detail.is_default and detail.value else ""
        style = f"padding: 1px 5px 1px {5 + 14 * depth}px; color: {_QUIET}; font-size: 8pt;"
        name = f'<td style="{style}">{text(detail.title)}</td>'
        value = f'<td style="padding: 1px 5px; font-size: 8pt;">{text(detail.value)}{text(note)}</td>'
        yield element("tr", name + value)
        yield from _outline_rows(detail.parts, depth + 1)
