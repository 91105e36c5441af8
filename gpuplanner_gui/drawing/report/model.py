"""A report as data: sections of sentences, tables, figures, outlines and commands; each format renders the same."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from gpuplanner_gui.drawing.details import Detail
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Cell as Value
from gpuplanner_gui.drawing.rows import Rows
from gpuplanner_gui.drawing.shown_money import shown_amount, shown_unit
from gpuplanner_gui.drawing.units import format_value

Weight = Literal["plain", "quiet", "strong"]
FIGURE_WIDTH, FIGURE_HEIGHT = 960, 380

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
"""Characters that show nothing but change what is read around them: controls, directions, zero widths."""


def clean(text: object) -> str:
    """Text as a reader sees it, whatever characters a file put between."""
    return _UNSEEN.sub("", str(text))


def clean_detail(detail: Detail) -> Detail:
    """A field with its value and parts, every text cleaned."""
    parts = tuple(clean_detail(one) for one in detail.parts)
    return replace(detail, title=clean(detail.title), value=clean(detail.value), parts=parts)


@dataclass(frozen=True)
class Cell:
    """A text for reading, with its number in canonical units where it is one; money in the scenario's currency."""

    text: str
    number: float | None = None
    unit: str = ""
    formula: str = ""
    """Spreadsheet formula of the number: {2} is the cell of that column in the row, {above} those above it."""


Row = Sequence[Cell | str]
"""Cells of a table; words need nothing beside them."""


def words(value: object) -> Cell:
    return Cell(clean(value))


def amount(value: float, unit: str = "", digits: int = 3) -> Cell:
    """A number with its unit; a dash where it is not known."""
    number = float(value)
    shown = shown_amount(number, unit) if math.isfinite(number) else None
    return Cell(format_value(number, unit, digits), shown, shown_unit(unit))


@dataclass(frozen=True)
class Paragraph:
    text: str
    weight: Weight = "plain"


@dataclass(frozen=True)
class Callout:
    """A highlighted block; `status` is good, warning or bad."""

    title: str
    status: str
    lines: tuple[Paragraph, ...]


@dataclass(frozen=True)
class Table:
    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    quiet_columns: frozenset[int] = frozenset()

    def as_table(self) -> Table:
        return self

    @property
    def number_columns(self) -> frozenset[int]:
        """Columns that hold numbers or nothing."""
        found = set()
        for place in range(len(self.headings)):
            cells = [row[place] for row in self.rows]
            if any(one.number is not None for one in cells) and all(
                one.number is not None or len(one.text) < 2 for one in cells
            ):
                found.add(place)
        return frozenset(found)


@dataclass(frozen=True)
class SheetRow:
    """A line of a calculation: a given number, or one that follows from other lines by their keys in braces."""

    key: str
    title: str
    unit: str
    value: float
    expression: str = ""


@dataclass(frozen=True)
class Sheet:
    """A calculation that a spreadsheet can redo."""

    title: str
    rows: tuple[SheetRow, ...]

    def as_table(self) -> Table:
        """The calculation as a table, its formulas with the titles of lines."""
        titles = {row.key: row.title for row in self.rows}
        rows = tuple(
            (words(row.title), amount(row.value, row.unit), words(_formula_words(row.expression, titles)))
            for row in self.rows
        )
        return Table(self.title, (tr("Item"), tr("Value"), tr("Calculated from")), rows, frozenset({2}))


def _formula_words(expression: str, titles: Mapping[str, str]) -> str:
    """An expression with the titles of its lines; empty for what is given."""
    shown = expression.replace("*", " × ").replace("/", " ÷ ")
    for key, title in titles.items():
        shown = shown.replace(f"{{{key}}}", title)
    return shown


@dataclass(frozen=True)
class ReportFigure:
    """A plot, drawn when a format wants it."""

    name: str
    title: str
    draw: Callable[[], Any]
    """Makes the plot and shows the results in it."""
    height: int = FIGURE_HEIGHT
    """Height of the figure at a width of `FIGURE_WIDTH`. [pixels]"""


@dataclass(frozen=True)
class Outline:
    """Fields and their values, groups inside each other."""

    details: tuple[Detail, ...]


@dataclass(frozen=True)
class Code:
    """A command as it is pasted."""

    text: str


Block = Paragraph | Callout | Table | Sheet | ReportFigure | Outline | Code


@dataclass(frozen=True)
class ReportSection:
    title: str
    blocks: tuple[Block, ...]
    level: int = 3
    """2 begins a scenario, 3 a part of it, 4 a part of that."""
    is_folded: bool = False
    """Whether the section starts folded, in formats that can fold."""
    starts_page: bool = False
    subject: str = ""
    """Key of `report_subjects.SUBJECTS`: by it sections are chosen, and put on a sheet of a workbook."""


@dataclass(frozen=True)
class Report:
    title: str
    provenance: tuple[str, ...]
    """Program, day, age of the catalogue's figures."""
    introduction: str
    sections: tuple[ReportSection, ...]

    def figures(self) -> Iterator[ReportFigure]:
        for section in self.sections:
            yield from (block for block in section.blocks if isinstance(block, ReportFigure))


def section(title: str, blocks: Iterable[Block | None], **options: Any) -> Iterator[ReportSection]:
    """A section of the blocks that are there; none of nothing."""
    kept = tuple(block for block in blocks if block is not None)
    if kept:
        yield ReportSection(clean(title), kept, **options)


def paragraph(text: str, weight: Weight = "plain") -> Paragraph | None:
    shown = clean(text).strip()
    return Paragraph(shown, weight) if shown else None


def table(title: str, headings: Iterable[str], rows: Iterable[Row]) -> Table | None:
    """None of no rows; without columns in which nothing stands, unless formulas count columns."""
    made = [tuple(one if isinstance(one, Cell) else words(one) for one in row) for row in rows]
    titles = [clean(one) for one in headings]
    if not made:
        return None
    counted = any(cell.formula for row in made for cell in row)
    told = [at for at in range(len(titles)) if counted or any(row[at].text for row in made)]
    return Table(clean(title), tuple(titles[at] for at in told), tuple(tuple(row[at] for at in told) for row in made))


def rows_cell(value: Value, unit: str) -> Cell:
    """A number with its unit, or words."""
    return amount(value, unit) if isinstance(value, (int, float)) else words("" if value is None else value)


def rows_table(
    title: str, rows: Rows, *, has_units: bool = True, cell: Callable[[Value, str], Cell] = rows_cell
) -> Table | None:
    """Rows as a page and the command line have them; units stand in the headings where cells do not say them."""
    cells = [[cell(one, column.unit) for one, column in zip(row, rows.columns, strict=True)] for row in rows.cells]
    return table(title, [one.heading if has_units else one.title for one in rows.columns], cells)
