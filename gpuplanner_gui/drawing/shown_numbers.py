"""Which numbers of a page stand in some words, or in a plot."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from gpuplanner_gui.drawing.numbers import Number
from gpuplanner_gui.drawing.results import WORKLOADS, Results
from gpuplanner_gui.drawing.rows import Column, Rows

ROUND_NUMBERS = 1_000
"""Whole numbers up to here are shared by many values."""
SECONDS_PER_HOUR = 3600.0


def numbers_in(words: str, numbers: Iterable[Number]) -> list[Number]:
    """Those whose values stand in some words as they are written on screen; not those that are a part of another's."""
    found = [one for one in numbers if one.text and re.search(rf"(?<![\w.,]){re.escape(one.text)}(?![\w%])", words)]
    texts = {one.text for one in found}
    return [one for one in found if not any(one.text != other and one.text in other for other in texts)]


def numbers_of_plot(
    rows: Rows, numbers: Iterable[Number], results: Results, made_of: Sequence[str] = ()
) -> list[Number]:
    """Those that a plot's rows show, then what it works out others from, of the candidate that is looked at.

    A number is shown where the rows have its value or its words. Zeros and round values are shared by chance: there
    names or units must agree as well.
    """
    found = _cells(rows)
    written = {cell for row in rows.cells for cell in row if isinstance(cell, str)}
    kept: dict[tuple[str, str], Number] = {}
    behind: dict[tuple[str, str], Number] = {}
    looked_at = {f"{results.candidate(workload)}/{name}" for workload in results.workloads() for name in made_of}
    for one in numbers:
        if one.text in written or any(_is_shown(one, column) for column in found.get(_rounded(one), ())):
            kept.setdefault((one.stage, one.place), one)
        elif one.stage in WORKLOADS and one.place in looked_at and one.value:
            behind.setdefault((one.stage, one.place), one)
    return list({**kept, **behind}.values())


def _cells(rows: Rows) -> dict[float, list[Column]]:
    """Columns by the values that stand in them, rounded."""
    found: dict[float, list[Column]] = {}
    for row in rows.cells:
        for heading, cell in zip(rows.columns, row):
            if isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell):
                found.setdefault(_nine_digits(cell), []).append(heading)
    return found


def _is_shown(number: Number, column: Column) -> bool:
    is_named = _is_named(number, column)
    is_of_unit = number.unit == column.unit
    if not number.value:
        return is_named and is_of_unit
    is_round = number.value == int(number.value) and abs(number.value) < ROUND_NUMBERS
    return not is_round or is_named or (is_of_unit and bool(number.unit))


def _rounded(number: Number) -> float:
    return _nine_digits(number.value * (SECONDS_PER_HOUR if number.unit == "h" else 1.0))


def _nine_digits(value: float) -> float:
    return float(f"{value:.9g}")


def _is_named(number: Number, column: Column) -> bool:
    last = number.title.rpartition(" · ")[2].casefold()
    title = column.title.casefold()
    return last in title or title in last
