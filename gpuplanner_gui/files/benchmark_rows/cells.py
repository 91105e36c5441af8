"""Cells of a row of text: numbers and words, read as hostile; what is no number is a problem of that row alone."""

from __future__ import annotations

import math
from collections.abc import Mapping

from gpuplanner_gui.files.benchmark_rows.question import RowProblem
from gpuplanner_gui.files.text import plain_text

LONGEST_ECHO = 80
LARGEST = 1e15

Row = Mapping[str, str]


def shown(text: str) -> str:
    """A cell's text as an error may repeat it: one line, no control characters, not long."""
    plain = plain_text(text)
    return plain if len(plain) <= LONGEST_ECHO else plain[: LONGEST_ECHO - 1] + "…"


def word(row: Row, name: str) -> str:
    """A cell without surrounding space; empty where the column is missing."""
    return row.get(name, "").strip()


def number(row: Row, name: str, *, least: float = 0.0) -> float | None:
    """A cell as a number, None where it is empty. Raises RowProblem."""
    text = word(row, name)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        raise RowProblem(f"{name} is {shown(text)!r}, which is no number") from None
    if not math.isfinite(value) or not least <= value <= LARGEST:
        raise RowProblem(f"{name} is {shown(text)}, which is out of range")
    return value


def count(row: Row, name: str, default: int = 1) -> int:
    """A cell as a whole number of at least 1; `default` where it is empty or 0. Raises RowProblem."""
    value = number(row, name)
    if value is None or value < 1:
        return default
    if value > 1e6:
        raise RowProblem(f"{name} is {value:g}, which is out of range")
    return round(value)


def measured(row: Row, name: str) -> float | None:
    """A measured value; None where it is empty, no number, or not above 0, as hidden values may be."""
    try:
        value = number(row, name)
    except RowProblem:
        return None
    return value if value else None
