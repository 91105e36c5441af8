"""Comparison of scenarios as a table: inputs that differ, results, ranking; the same for window and report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.decision import ComparisonAnswer, DifferingInput
from gpuplanner_gui.domain.quantity import Money, Quantity
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.rows import Cell, Column, Rows
from gpuplanner_gui.drawing.shown_money import DOLLARS, money_shown, shown_money
from gpuplanner_gui.drawing.units import NOTHING
from gpuplanner_gui.drawing.value_ranges import format_quantity
from gpuplanner_gui.drawing.words.candidates import accelerator_name
from gpuplanner_gui.drawing.words.decision import (
    TERM_CODES,
    criterion_name,
    percent,
    planned_text,
    result_name,
    term_name,
)
from gpuplanner_gui.drawing.words.verdict_level import chance_text, held_back_text, verdict_cell

RESULTS_IN_ORDER = (
    "serving.usd_per_month",
    "serving.usd_per_month_needed",
    "serving.usd_per_million_output_tokens",
    "serving.lifetime_usd",
    "serving.replicas_needed",
    "serving.ttft_p95_s",
    "serving.tpot_p95_s",
    "serving.e2e_p95_s",
    "training.run_time_s",
    "training.usd_per_run",
    "training.device_hours",
    "training.mfu",
)
RATES = "economics.rates"
"""Exchange rates are stated in dollars, whatever currency is shown."""
INPUTS, RESULTS, RANK = "Inputs that differ", "Results", "Ranking"


def is_heading(row: tuple[Cell, ...]) -> bool:
    """Whether a row of a comparison is the title of a section, in any language."""
    return row[0] in {tr(title).upper() for title in (INPUTS, RESULTS, RANK)} and not any(row[1:])


def comparison_rows(answer: ComparisonAnswer, catalog: Catalog) -> Rows:
    """A row for each input that differs, each result with its band, and each criterion; a column for each scenario."""
    columns = (Column(""), *(Column(one.name) for one in answer.scenarios))
    cells: list[tuple[Cell, ...]] = []
    blank = [""] * len(answer.scenarios)
    cells.append((tr(INPUTS).upper(), *blank))
    cells += [(input_title(one), *(value_text(one, value) for value in one.values)) for one in answer.differing]
    if not answer.differing:
        cells.append((tr("none"), *blank))
    cells.append((tr(RESULTS).upper(), *blank))
    if any(one.verdict for one in answer.scenarios):
        said = (verdict_cell(one.verdict) if one.verdict else NOTHING for one in answer.scenarios)
        cells.append((tr("Verdict"), *said))
        back = [held_back_text(one.verdict) if one.verdict else "" for one in answer.scenarios]
        cells += [(tr("Held back because"), *(one or NOTHING for one in back))] if any(back) else []
    cells += _recommended(answer, catalog)
    for code in RESULTS_IN_ORDER:
        bands = [one.headline(code) for one in answer.scenarios]
        if any(bands):
            cells.append((result_name(code), *(planned_text(one) if one else NOTHING for one in bands)))
    cells.append((tr(RANK).upper(), *blank))
    for name in answer.scenarios[0].scores:
        cells.append((criterion_name(name), *(percent(one.scores[name]) for one in answer.scenarios)))
    # None is compared with itself.
    is_alike = all(sum(map(math.isnan, chances)) < 2 for chances in answer.beats)
    title = tr("Score by your weights") if is_alike else tr("Score by your weights (no rank: different work)")
    cells.append((title, *(percent(one.score) for one in answer.scenarios)))
    places = {scenario: place + 1 for place, scenario in enumerate(answer.ranking)}
    if is_alike:
        cells.append((tr("Rank"), *(str(places[index]) for index in range(len(answer.scenarios)))))
    for index, other in enumerate(answer.scenarios):
        chances = [answer.beats[one][index] for one in range(len(answer.scenarios))]
        if not any(map(math.isfinite, chances)):
            continue
        title = tr("Chance: cheaper than {name}").format(name=other.name)
        cells.append((title, *(chance_text(value) for value in chances)))
    return Rows(columns, tuple(cells))


def _recommended(answer: ComparisonAnswer, catalog: Catalog) -> Iterator[tuple[Cell, ...]]:
    for title, names in (
        (tr("Serve on"), [one.serving for one in answer.scenarios]),
        (tr("Train on"), [one.training for one in answer.scenarios]),
    ):
        if any(names):
            yield (title, *(accelerator_name(name, catalog) if name else NOTHING for name in names))


def input_title(one: DifferingInput) -> str:
    """chat › Peak rate; the three innermost of section, item and field."""
    return " › ".join(list(dict.fromkeys(tr(title) for title in one.titles if title))[-3:])


def value_text(one: DifferingInput, value: Any) -> str:
    """A value of an input in words; a dash where a scenario has no such place."""
    if value is None:
        return NOTHING
    if value is True or value is False:
        return tr("yes") if value else tr("no")
    if isinstance(value, Money):
        return f"{format_quantity(value.amount)} {value.currency}"
    if isinstance(value, int | Quantity):
        with money_shown(DOLLARS if one.path.startswith(RATES) else shown_money()):
            return format_quantity(value, one.unit)
    if isinstance(value, str) and value in TERM_CODES:
        return term_name(value)
    if isinstance(value, tuple):
        return ", ".join(str(part) for part in value) or tr("no limit")
    return str(value)
