"""Numbers as a table: what a plot shows, for reading aloud, copying and exporting."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass

Cell = str | float | int | None

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class Column:
    title: str
    unit: str = ""

    @property
    def heading(self) -> str:
        return f"{self.title} [{self.unit}]" if self.unit else self.title


@dataclass(frozen=True)
class Rows:
    """Columns with their units, and cells: numbers in canonical units, text as it is."""

    columns: tuple[Column, ...]
    cells: tuple[tuple[Cell, ...], ...]

    def csv_text(self) -> str:
        """For a spreadsheet: numbers as numbers, and no text that it would take for a formula."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\r\n")
        writer.writerow([_csv_cell(column.heading) for column in self.columns])
        writer.writerows([[_csv_cell(cell) for cell in row] for row in self.cells])
        return written.getvalue()


NO_ROWS = Rows((), ())


def _csv_cell(cell: Cell) -> Cell:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_STARTS_FORMULA) else cell
    if isinstance(cell, float) and not math.isfinite(cell):
        return ""
    return cell
