"""The report as Markdown and as CSV."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

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
    amount,
)
from gpuplanner_gui.drawing.rows import Cell as Value
from gpuplanner_gui.drawing.rows import Column, Rows

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~$&])")
_STARTS_LIST = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$|[-+=])")


def markdown_text(report: Report, pictures: Mapping[ReportFigure, str]) -> str:
    """Markdown with tables; `pictures` names the file of each figure beside it, those without one are left out."""
    lines = [f"# {escaped(report.title)}", "", escaped(" · ".join(report.provenance)), ""]
    lines += [line for text in report.introduction.splitlines() for line in (escaped(text), "")]
    for section in report.sections:
        lines += [f"{'#' * section.level} {escaped(section.title)}", ""]
        for block in section.blocks:
            lines += [*_markdown(block, section.title, pictures), ""]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str) -> str:
    """Text that shows as it is: no markup, no HTML, no list, on one line."""
    plain = _MARKUP.sub(r"\\\1", " ".join(text.split()))
    return _STARTS_LIST.sub(r"\1\\\2", plain)


def _markdown(block: Block, section: str, pictures: Mapping[ReportFigure, str]) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield f"**{escaped(block.text)}**" if block.weight == "strong" else escaped(block.text)
    elif isinstance(block, Callout):
        yield f"> **{escaped(block.title)}**"
        yield from (f"> \n> {escaped(line.text)}" for line in block.lines)
    elif isinstance(block, (Table, Sheet)):
        if block.title != section:
            yield f"**{escaped(block.title)}**"
            yield ""
        yield from _markdown_table(block.as_table())
    elif isinstance(block, Code):
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", block.text)), default=0))
        yield f"{fence}sh"
        yield from block.text.splitlines()
        yield fence
    elif isinstance(block, Outline):
        yield from _outline(block.details, 0)
    elif block in pictures:
        yield f"![{escaped(block.title)}]({pictures[block]})"


def _markdown_table(table: Table) -> Iterator[str]:
    right = table.number_columns
    yield f"| {' | '.join(escaped(one) or ' ' for one in table.headings)} |"
    yield f"|{'|'.join('---:' if place in right else '---' for place in range(len(table.headings)))}|"
    for row in table.rows:
        yield f"| {' | '.join(escaped(cell.text) or ' ' for cell in row)} |"


def _outline(details: tuple[Detail, ...], depth: int) -> Iterator[str]:
    for detail in details:
        note = f" ({tr('default')})" if detail.is_default and detail.value else ""
        middle = ": " if detail.title and detail.value else ""
        yield f"{'  ' * depth}- {escaped(detail.title)}{middle}{escaped(detail.value)}{note}"
        yield from _outline(detail.parts, depth + 1)


def csv_text(report: Report) -> str:
    """Every number of the report, one a line: where it stands, the number in its canonical unit, and as it reads."""
    columns = tuple(
        Column(tr(name)) for name in ("Scenario", "Section", "Table", "Row", "Column", "Value", "Unit", "Text")
    )
    lines: list[tuple[Value, ...]] = []
    scenario = ""
    for section in report.sections:
        scenario = section.title if section.level == 2 else scenario
        lines += ((scenario, section.title, *line) for block in section.blocks for line in _lines(block))
    return Rows(columns, tuple(lines)).csv_text()


def _lines(block: Block) -> Iterator[tuple[Value, ...]]:
    if isinstance(block, Table):
        yield from _table_lines(block)
    elif isinstance(block, Sheet):
        yield from _sheet_lines(block)
    elif isinstance(block, (Paragraph, Code)):
        yield ("", "", "", None, "", block.text)
    elif isinstance(block, Callout):
        yield from ((block.title, "", "", None, "", line.text) for line in block.lines)
    elif isinstance(block, Outline):
        yield from _outline_lines(block.details, ())


def _table_lines(table: Table) -> Iterator[tuple[Value, ...]]:
    for row in table.rows:
        name = row[0].text
        first = 0 if row[0].number is not None or len(row) == 1 else 1
        for heading, cell in zip(table.headings[first:], row[first:]):
            if cell.text:
                yield (table.title, name, heading, *_value(cell))


def _value(cell: Cell) -> tuple[Value, ...]:
    return (cell.number, cell.unit if cell.number is not None else "", cell.text)


def _sheet_lines(sheet: Sheet) -> Iterator[tuple[Value, ...]]:
    for row in sheet.rows:
        yield (sheet.title, row.title, tr("Value"), *_value(amount(row.value, row.unit)))


def _outline_lines(details: tuple[Detail, ...], above: tuple[str, ...]) -> Iterator[tuple[Value, ...]]:
    for detail in details:
        path = (*above, detail.title)
        if detail.value:
            note = tr("default") if detail.is_default else ""
            yield (" › ".join(part for part in path[:-1] if part), detail.title, note, None, "", detail.value)
        yield from _outline_lines(detail.parts, path)
