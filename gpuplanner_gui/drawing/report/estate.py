"""The estate in a report: what it costs, its timeline, money by period, orders by date, futures and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from gpuplanner_gui.drawing.estate_rows import (
    CASH,
    future_rows,
    now_lines,
    order_rows,
    period_rows,
    shown,
    shown_title,
    workload_rows,
)
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.report.model import (
    Block,
    ReportSection,
    amount,
    paragraph,
    rows_cell,
    rows_table,
    section,
    table,
    words,
)
from gpuplanner_gui.drawing.report.plots import estate_figures
from gpuplanner_gui.drawing.results import Results
from gpuplanner_gui.drawing.words.estate import estate_lines, futures_line, futures_meaning, unsure_lines

SUMMED = (*CASH, "proceeds_usd", "net_usd", "emissions_t")
"""Columns of the periods with a total."""


def estate_sections(results: Results) -> Iterator[ReportSection]:
    """Sections about the estate; none where it is not planned."""
    found = results.estate
    if found is None or found.answer is None:
        return
    answer = found.answer
    lines = [*estate_lines(answer), *unsure_lines(results.known.comparison, answer)]
    blocks: list[Block | None] = [paragraph(line) for line in lines]
    blocks += estate_figures(results)
    blocks.append(_period_table(period_rows(answer)))
    blocks.append(rows_table(tr("Orders by date"), shown(order_rows(answer)), has_units=False))
    blocks.append(rows_table(tr("Where workloads run"), shown(workload_rows(answer)), has_units=False))
    if found.ahead is not None:
        blocks.append(paragraph(futures_line(found.ahead)))
        blocks += [paragraph(line) for line in now_lines(answer, found.ahead)]
        blocks.append(paragraph(futures_meaning(answer)))
        blocks.append(rows_table(tr("Futures"), shown(future_rows(found.ahead)), has_units=False))
    yield ReportSection(tr("Estate"), (), level=2, starts_page=True)
    yield from section(tr("Plan of the estate"), blocks)


def _period_table(data: list[dict[str, Any]]) -> Block | None:
    """Cash by period: what each period pays in the end, and totals, are formulas where the format has some."""
    for row in data:
        row["net_usd"] = sum(row[kind] for kind in CASH) - row["proceeds_usd"]
    keys = ["month", *CASH, "proceeds_usd", "net_usd", "power_kw", "emissions_t", "fill"]
    rows = shown([{key: row[key] for key in keys} for row in data])
    net, sold = keys.index("net_usd"), keys.index("proceeds_usd")
    paid = "+".join(f"{{{keys.index(kind)}}}" for kind in CASH)
    cells = []
    for values in rows.cells:
        line = [rows_cell(one, rows.columns[place].unit) for place, one in enumerate(values)]
        line[net] = replace(line[net], formula=f"{paid}-{{{sold}}}")
        cells.append(line)
    total = [words(tr("Total"))]
    for place, key in list(enumerate(keys))[1:]:
        if key in SUMMED:
            whole = sum(float(values[place] or 0.0) for values in rows.cells)
            total.append(replace(amount(whole, rows.columns[place].unit), formula="SUM({above})"))
        else:
            total.append(words(""))
    return table(tr("Money, power and emissions by period"), [shown_title(key) for key in keys], [*cells, total])
