"""The beginning of a table, so that its user can say which columns hold the requests."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.files.traces.columns import delimiter_of, headings_of, usual_names
from gpuplanner_gui.files.traces.lines import numbered_lines

SHOWN_ROWS = 5
LONGEST_CELL = 60


@dataclass(frozen=True)
class TraceHead:
    """Headings, the first rows, and the heading of each part of a request that has a usual name."""

    path: Path
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    usual: dict[str, str]


def head_of(path: Path) -> TraceHead:
    """The head of a table. Raises FileProblem for a file that has none."""
    lines = [text for _, text in islice(numbered_lines(path), SHOWN_ROWS + 1) if text is not None and text.strip()]
    if not lines:
        raise FileProblem(path, "", "the file is empty", "Choose a trace")
    headings = headings_of(path, 1, lines[0])
    rows = tuple(_cells(line, delimiter_of(lines[0]), len(headings)) for line in lines[1:])
    return TraceHead(path, tuple(plain_text(name, LONGEST_CELL) for name in headings), rows, usual_names(headings))


def _cells(line: str, delimiter: str, count: int) -> tuple[str, ...]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        cells = [line]
    return tuple(plain_text(cell.strip(), LONGEST_CELL) for cell in (cells + [""] * count)[:count])
