"""The order list of a report: positions, cash by quarter, and what no catalogue knows."""

from __future__ import annotations

from collections.abc import Iterator

from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.order_rows import amount_text, cash_rows, order_lines, order_rows
from gpuplanner_gui.drawing.report.model import Block, Cell, Section, paragraph, section, table, words
from gpuplanner_gui.drawing.report.summary import WORKLOAD_TITLES
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.rows import Rows
from gpuplanner_gui.drawing.shown_money import shown_amount, shown_unit


def order_sections(results: Results) -> Iterator[Section]:
    known = results.decision
    for answer in known.ownership.values() if known is not None else ():
        if answer.order is None:
            continue
        title = tr("{workload}: order list").format(workload=tr(WORKLOAD_TITLES[answer.workload]))
        blocks: list[Block | None] = [paragraph(line) for line in order_lines(answer.order)]
        blocks.append(_table(title, order_rows(answer.order)))
        blocks.append(_table(tr("{title}: cash by quarter").format(title=title), cash_rows(answer.order)))
        yield from section(title, blocks)


def _table(title: str, rows: Rows) -> Block | None:
    cells = [[_cell(one, rows.columns[place].unit) for place, one in enumerate(row)] for row in rows.cells]
    return table(title, [column.heading for column in rows.columns], cells)


def _cell(value: str | float | None, unit: str) -> Cell:
    if not isinstance(value, float):
        return words(str(value or ""))
    return Cell(amount_text(value), shown_amount(value, unit), shown_unit(unit))
