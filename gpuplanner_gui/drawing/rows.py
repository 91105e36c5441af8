"""Numbers as a table: what a plot shows, for reading aloud, copying and exporting."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from gpuplanner_gui.domain.training_results import ScalingCurve
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.shown_money import DOLLARS, is_money, shown_amount, shown_money, shown_unit
from gpuplanner_gui.drawing.unit_words import unit_text
from gpuplanner_gui.files.text import without_formula

SCALING_COLUMNS = {
    "step_time_s": ("Step time", "s"),
    "tokens_per_s": ("Tokens/s", "tok/s"),
    "efficiency": ("Scaling efficiency of a step", "share"),
    "mfu": ("MFU", "share"),
    "communication_share": ("Communication and bubble", "share"),
    "host_share": ("Host and launch", "share"),
    "goodput": ("Goodput", "share"),
    "run_time_s": ("Run time", "s"),
    "usd_per_run": ("Cost of the run", "USD"),
    "usd_per_hour_saved": ("Cost of each hour saved", "USD/h"),
}
"""What a scaling curve says of each number of devices: title and unit."""


def scaling_rows(curve: ScalingCurve) -> Rows:
    """The whole curve as a table; the knee is marked in words."""
    columns = [Column(tr("Devices")), Column("TP"), Column("PP"), Column("DP")]
    columns += [Column(tr(title), unit) for title, unit in SCALING_COLUMNS.values()]
    cells = []
    for place, count in enumerate(curve.devices):
        name = tr("{count} (knee)").format(count=int(count)) if place == curve.knee else int(count)
        sizes = (curve.tensor_parallel, curve.pipeline_parallel, curve.data_parallel)
        numbers = [float(getattr(curve, column)[place]) for column in SCALING_COLUMNS]
        cells.append((
            name, *(int(one[place]) for one in sizes),
            *(number if np.isfinite(number) else None for number in numbers),
        ))  # fmt: skip
    return Rows((*columns,), tuple(cells))


Cell = str | float | int | None
T = TypeVar("T")


@dataclass(frozen=True)
class Column:
    title: str
    unit: str = ""

    @property
    def heading(self) -> str:
        """Title and unit, amounts in the currency of the moment."""
        return f"{self.title} [{unit_text(shown_unit(self.unit))}]" if self.unit else self.title


def _shown(rows: Rows) -> Rows:
    """Cells with amounts in the present currency, as their headings say."""
    units = [column.unit for column in rows.columns]
    if shown_money() is DOLLARS or not any(map(is_money, units)):
        return rows
    cells = tuple(
        tuple(
            shown_amount(cell, units[place]) if isinstance(cell, (int, float)) and place < len(units) else cell
            for place, cell in enumerate(row)
        )
        for row in rows.cells
    )
    return Rows(rows.columns, cells)


@dataclass(frozen=True)
class Rows:
    """Columns with their units, and cells: numbers in canonical units, text as it is."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]

    def csv_text(self) -> str:
        """CSV for a spreadsheet: numbers as numbers, and no text that it would take for a formula."""
        written, shown = io.StringIO(), _shown(self)
        writer = csv.writer(written, lineterminator="\r\n")
        writer.writerow([_csv_cell(column.heading) for column in shown.columns])
        writer.writerows([[_csv_cell(cell) for cell in row] for row in shown.cells])
        return written.getvalue()

    def tabbed_text(self) -> str:
        """Tab-separated text for the clipboard, which a spreadsheet can paste."""
        shown = _shown(self)
        headings = [column.heading for column in shown.columns]
        cells = ([cell if isinstance(cell, str) else str(_csv_cell(cell)) for cell in row] for row in shown.cells)
        return tabbed_text([headings, *cells])


def tabbed_text(lines: Iterable[Iterable[str]]) -> str:
    """Cells as they stand on the screen for the clipboard; none that a spreadsheet would take for a formula."""
    return "\n".join("\t".join(_pasted_cell(cell) for cell in line) for line in lines)


NO_ROWS = Rows((), ())


def table_of(items: Iterable[T], *columns: tuple[str, str, Callable[[T], Cell]]) -> Rows:
    """A row for each item; title, unit and value of each column."""
    cells = tuple(tuple(value(one) for _, _, value in columns) for one in items)
    return Rows(tuple(Column(title, unit) for title, unit, _ in columns), cells)


def rows_of(items: Iterable[T], *columns: tuple[str, str, Callable[[T], Cell]]) -> Rows:
    """A table of items as `table_of` makes it; empty without items."""
    made = table_of(items, *columns)
    return made if made.cells else NO_ROWS


def numbers_beside(names: Iterable[Cell], numbers: Iterable[Iterable[float]]) -> tuple[tuple[Cell, ...], ...]:
    """A row for each name, with its numbers behind it."""
    return tuple((name, *map(float, row)) for name, row in zip(names, numbers, strict=True))


def _pasted_cell(text: str) -> str:
    return without_formula(" ".join(text.split()))


def _csv_cell(cell: Cell) -> Cell:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return without_formula(cell)
    if isinstance(cell, float) and not math.isfinite(cell):
        return ""
    return cell
