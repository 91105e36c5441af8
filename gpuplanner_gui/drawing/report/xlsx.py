"""The report as a workbook: every table a block of cells, numbers as numbers, the cost sheet with live formulas.

A minimal writer of Office Open XML (ECMA-376): texts are inline strings, so that nothing in a file's names can be
taken for a formula; formulas come from calculations of ours alone.
"""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from gpuplanner_gui.domain.names import free_name
from gpuplanner_gui.drawing.details import Detail
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.model import (
    Block,
    Callout,
    Cell,
    Code,
    Outline,
    Paragraph,
    Report,
    ReportFigure,
    Sheet,
    Table,
    clean,
)
from gpuplanner_gui.drawing.report_subjects import SUBJECTS
from gpuplanner_gui.drawing.shown_money import CURRENCIES, local_sign, money_sign
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.drawing.units import WHOLE_FROM

LONGEST_NAME = 31
LONGEST_TEXT = 32_767
WIDEST = 60.0
WRAPPED_AT = 56
"""Letters that surely stand on a line of the widest column."""
LINE_POINTS = 13.5
FIXED_DATE = (2026, 1, 1, 0, 0, 0)
"""Date of the archive's entries, fixed so that the same report gives the same file."""
PLAIN, HEADING, TITLE, STRONG, QUIET, MONO, WRAPPED = range(7)
_FIRST_NUMBER_STYLE = 7
_AMOUNTS = {"": "#,##0.00##", "/h": "#,##0.00##", "/month": "#,##0.00", "/y": "#,##0.00"}
_WHOLE = " whole"
"""Behind a unit: amounts without cents."""
_NUMBER_FORMATS = {
    "": "General", "share": "0.0##%", "s": "#,##0.0##", "other": "#,##0.###",
    **{f"{code}{tail}": f'"{money_sign(code)}"{digits}' for code in CURRENCIES for tail, digits in _AMOUNTS.items()},
    **{f"{code}{tail}{_WHOLE}": f'"{money_sign(code)}"#,##0' for code in CURRENCIES for tail in _AMOUNTS},
}  # fmt: skip
_STYLES = tuple(_NUMBER_FORMATS)
_VARIABLE = re.compile(r"\{([a-z_0-9]+)\}")
_PLACE = re.compile(r"\{(\d+)\}")
_PLAIN_UNITS = {*CURRENCIES, "share", ""}


@dataclass
class Worksheet:
    """Rows of cells that are already XML."""

    name: str
    rows: list[list[str]] = field(default_factory=list)
    widths: dict[int, float] = field(default_factory=dict)
    heights: dict[int, float] = field(default_factory=dict)
    """Heights of rows with several lines; not every program computes them. [points]"""

    @property
    def next_row(self) -> int:
        return len(self.rows) + 1

    def add(self, *cells: str) -> None:
        self.rows.append(list(cells))

    def add_texts(self, *texts: str, style: int = PLAIN) -> None:
        self.add(*(text_cell(_address(self, place), text, style) for place, text in enumerate(texts)))


def xlsx_bytes(report: Report) -> bytes:
    """The workbook; without pictures: a spreadsheet has the numbers themselves."""
    sheets = list(worksheets(report))
    parts = {
        "[Content_Types].xml": _content_types(len(sheets)),
        "_rels/.rels": _RELATIONS.format(_relation(1, "officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": _workbook(sheets),
        "xl/_rels/workbook.xml.rels": _RELATIONS.format(
            "".join(_relation(n, "worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1))
            + _relation(len(sheets) + 1, "styles", "styles.xml")
        ),
        "xl/styles.xml": _styles(),
    }
    parts |= {f"xl/worksheets/sheet{n}.xml": _sheet_xml(sheet) for n, sheet in enumerate(sheets, 1)}
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, FIXED_DATE), content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def worksheets(report: Report) -> Iterator[Worksheet]:
    """A sheet of each subject that has something to say; the first begins with what the report is of."""
    taken: set[str] = set()
    sheets: dict[str, Worksheet] = {}
    said: dict[str, str] = {}
    scenario = ""
    for section in report.sections:
        scenario = section.title if section.level == 2 else scenario
        blocks = [block for block in section.blocks if not isinstance(block, ReportFigure)]
        if not blocks:
            continue
        title = tr(SUBJECTS.get(section.subject, "Report"))
        sheet = sheets.get(title)
        if sheet is None:
            sheet = sheets[title] = Worksheet(_sheet_name(title, taken))
            if len(sheets) == 1:
                _write_head(sheet, report)
        if said.get(title) != scenario:
            said[title] = scenario
            sheet.add_texts(scenario, style=TITLE)
        if section.title != scenario:
            sheet.add_texts(section.title, style=STRONG)
        for block in blocks:
            _write(sheet, block, section.title)
    yield from sheets.values()


def _write_head(sheet: Worksheet, report: Report) -> None:
    sheet.add_texts(report.title, style=TITLE)
    sheet.add_texts(" · ".join(report.provenance), style=QUIET)
    for line in report.introduction.splitlines():
        sheet.add_texts(line)


def _sheet_name(title: str, taken: set[str]) -> str:
    """A name that a spreadsheet takes: short, without signs of its own, told apart by a number."""
    base = shortened(" ".join(re.sub(r"[\[\]:*?/\\']", " ", clean(title)).split()), LONGEST_NAME - 4) or "Sheet"
    name = free_name(base, lambda one: one.casefold() in taken)
    taken.add(name.casefold())
    return name


def shortened(words: str, most: int) -> str:
    """The first words that fit; of a single long one, its beginning."""
    if len(words) <= most:
        return words
    kept = words[: most + 1].rsplit(" ", 1)[0]
    return kept if len(kept) <= most else words[:most]


def _write(sheet: Worksheet, block: Block, section: str) -> None:
    if isinstance(block, Paragraph):
        sheet.add_texts(block.text, style={"plain": PLAIN, "quiet": QUIET, "strong": STRONG}[block.weight])
    elif isinstance(block, Callout):
        sheet.add_texts(block.title, style=STRONG)
        for line in block.lines:
            sheet.add_texts(line.text, style=QUIET if line.weight == "quiet" else PLAIN)
    elif isinstance(block, Table):
        _write_table(sheet, block, section)
    elif isinstance(block, Sheet):
        _write_calculation(sheet, block)
    elif isinstance(block, Code):
        for text in block.text.splitlines():
            sheet.add_texts(text, style=MONO)
    elif isinstance(block, Outline):
        _write_outline(sheet, block.details, 0)


def _write_table(sheet: Worksheet, table: Table, section: str) -> None:
    sheet.add()
    if table.title != section:
        sheet.add_texts(table.title, style=STRONG)
    units = [_one_unit(table, place) for place in range(len(table.headings))]
    headings = [
        f"{name} [{unit_text(unit)}]" if unit not in _PLAIN_UNITS else name for name, unit in zip(table.headings, units)
    ]
    sheet.add_texts(*headings, style=HEADING)
    first = sheet.next_row
    for row in table.rows:
        lines = max(math.ceil(len(cell.text) / WRAPPED_AT) for cell in row)
        if lines > 1:
            sheet.heights[sheet.next_row] = lines * LINE_POINTS
        sheet.add(*(_cell(sheet, place, cell, units[place], first) for place, cell in enumerate(row)))
    for place, name in enumerate(headings):
        longest = max([len(name), *(_shown_length(row[place], units[place]) for row in table.rows)])
        sheet.widths[place] = max(sheet.widths.get(place, 0), min(WIDEST, longest + 3))


def _shown_length(cell: Cell, unit: str) -> int:
    """Signs of a cell: numbers are shown with more digits than their words have."""
    if cell.number is None or cell.unit != unit:
        return len(cell.text)
    return max(len(cell.text), len(f"{cell.number:,.4f}"))


def _one_unit(table: Table, place: int) -> str:
    """The unit of a column's numbers, if they share one."""
    units = {row[place].unit for row in table.rows if row[place].number is not None}
    return units.pop() if len(units) == 1 else ""


def _cell(sheet: Worksheet, place: int, cell: Cell, unit: str, first: int) -> str:
    """A number where its column says in which unit it is; else the words, which say it themselves."""
    address = _address(sheet, place)
    if cell.number is None or cell.unit != unit:
        return text_cell(address, cell.text, WRAPPED if len(cell.text) > WRAPPED_AT else PLAIN)
    column = address.rstrip("0123456789")
    above = f"{column}{first}:{column}{sheet.next_row - 1}"
    formula = _PLACE.sub(lambda found: _address(sheet, int(found[1])), cell.formula.replace("{above}", above))
    return number_cell(address, cell.number, unit, formula)


def _write_calculation(sheet: Worksheet, calculation: Sheet) -> None:
    sheet.add()
    sheet.add_texts(calculation.title, style=STRONG)
    sheet.add_texts(tr("Item"), tr("Value"), tr("Unit"), style=HEADING)
    first = sheet.next_row
    places = {row.key: f"B{first + place}" for place, row in enumerate(calculation.rows)}
    for row in calculation.rows:
        formula = _VARIABLE.sub(lambda found: places[found[1]], row.expression)
        sheet.add(
            text_cell(_address(sheet, 0), row.title),
            number_cell(_address(sheet, 1), row.value, row.unit, formula),
            text_cell(_address(sheet, 2), "" if row.unit == "share" else unit_text(row.unit)),
        )
    longest = max(len(row.title) for row in calculation.rows)
    sheet.widths |= {0: max(sheet.widths.get(0, 0), longest + 3), 1: 18.0, 2: 16.0}


def _write_outline(sheet: Worksheet, details: tuple[Detail, ...], depth: int) -> None:
    for detail in details:
        note = tr("default") if detail.is_default and detail.value else ""
        sheet.add_texts(f"{'    ' * depth}{detail.title}", detail.value, note)
        _write_outline(sheet, detail.parts, depth + 1)
    sheet.widths |= {0: 48.0, 1: 40.0, 2: 10.0}


def _address(sheet: Worksheet, place: int) -> str:
    name, place = "", place + 1
    while place:
        place, letter = divmod(place - 1, 26)
        name = chr(65 + letter) + name
    return f"{name}{sheet.next_row}"


def text_cell(address: str, text: object, style: int = PLAIN) -> str:
    """A text that stays one, whatever it begins with."""
    shown = escape(clean(text)[:LONGEST_TEXT])
    return f'<c r="{address}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{shown}</t></is></c>'


def number_cell(address: str, number: float, unit: str, formula: str = "") -> str:
    """A number with the format of its unit, by a formula if there is one; its value is stored beside it."""
    kind = f"{unit}{_WHOLE}" if abs(number) >= WHOLE_FROM and f"{unit}{_WHOLE}" in _NUMBER_FORMATS else unit
    style = _FIRST_NUMBER_STYLE + _STYLES.index(kind if kind in _NUMBER_FORMATS else "other")
    written = f"<f>{escape(formula)}</f>" if formula else ""
    return f'<c r="{address}" s="{style}">{written}<v>{number!r}</v></c>'


_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_RELATIONS = f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{{}}</Relationships>'
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def _relation(number: int, kind: str, target: str) -> str:
    return f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{target}"/>'


def _content_types(sheets: int) -> str:
    parts = [f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
             for n in range(1, sheets + 1)]  # fmt: skip
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{"".join(parts)}</Types>'
    )


def _workbook(sheets: list[Worksheet]) -> str:
    entries = "".join(
        f'<sheet name="{escape(sheet.name, {chr(34): "&quot;"})}" sheetId="{n}" r:id="rId{n}"/>'
        for n, sheet in enumerate(sheets, 1)
    )
    return (
        f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{entries}</sheets>'
        '<calcPr calcId="191029" fullCalcOnLoad="1"/></workbook>'
    )


def _sheet_xml(sheet: Worksheet) -> str:
    columns = "".join(
        f'<col min="{place + 1}" max="{place + 1}" width="{width:.1f}" customWidth="1"/>'
        for place, width in sorted(sheet.widths.items())
    )
    heights = {n: f' ht="{height:.1f}" customHeight="1"' for n, height in sheet.heights.items()}
    rows = "".join(f'<row r="{n}"{heights.get(n, "")}>{"".join(cells)}</row>' for n, cells in enumerate(sheet.rows, 1))
    made = f"<cols>{columns}</cols>" if columns else ""
    return (
        f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>{made}'
        f'<sheetData>{rows}</sheetData><pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/></worksheet>'
    )


def _local_format(code: str) -> str:
    """A format with the dollar's sign as the readers know it."""
    return code.replace('"$"', f'"{local_sign("$")}"')


def _styles() -> str:
    """Texts in their weights, then one style for each unit of numbers."""
    formats = "".join(
        f'<numFmt numFmtId="{164 + n}" formatCode="{escape(code, {chr(34): "&quot;"})}"/>'
        for n, code in enumerate(map(_local_format, _NUMBER_FORMATS.values()))
    )
    fonts = (
        '<font><sz val="10"/><name val="Calibri"/></font>',
        '<font><b/><sz val="10"/><name val="Calibri"/></font>',
        '<font><b/><sz val="14"/><name val="Calibri"/></font>',
        '<font><sz val="10"/><color rgb="FF5F6B76"/><name val="Calibri"/></font>',
        '<font><sz val="10"/><name val="Consolas"/></font>',
    )
    top = '<alignment vertical="top"/>'
    wrap = '<alignment vertical="top" wrapText="1"/>'
    texts = [(0, top), (1, wrap), (2, top), (1, top), (3, top), (4, top), (0, wrap)]
    cells = [
        f'<xf numFmtId="0" fontId="{font}" fillId="0" borderId="0" xfId="0" applyFont="1" applyAlignment="1">{how}</xf>'
        for font, how in texts
    ]
    cells += [
        f'<xf numFmtId="{164 + n}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1">{top}</xf>'
        for n in range(len(_NUMBER_FORMATS))
    ]
    return (
        f'{_HEAD}<styleSheet xmlns="{_MAIN}"><numFmts count="{len(_NUMBER_FORMATS)}">{formats}</numFmts>'
        f'<fonts count="{len(fonts)}">{"".join(fonts)}</fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        f'<cellXfs count="{len(cells)}">{"".join(cells)}</cellXfs></styleSheet>'
    )
