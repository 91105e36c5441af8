"""Cells of a trace as numbers; each raises ValueError with what is wrong, said as the end of a sentence."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.text import plain_text

MOST_TOKENS = 100_000_000
LONGEST_NUMBER = 40


def tokens(cell: str, least: int = 1) -> int:
    """A whole number of tokens; `374` and `374.0` alike."""
    if len(cell) <= 9 and cell.isdecimal() and cell.isascii():
        number = int(cell)
    else:
        number = _whole(cell)
    if number < least:
        raise ValueError(said("{number} tokens", number=number))
    if number > MOST_TOKENS:
        raise ValueError(said("more than {most} tokens", most=f"{MOST_TOKENS:,}"))
    return number


def _whole(cell: str) -> int:
    number = seconds(cell)
    if number != math.floor(number) or abs(number) > 1e15:
        raise ValueError(said("{cell} is no number of tokens", cell=repr(plain_text(cell, 20))))
    return int(number)


def seconds(cell: str) -> float:
    """A plain finite number."""
    text = cell.strip()
    if not text:
        raise ValueError(said("a cell is empty"))
    if len(text) > LONGEST_NUMBER or "_" in text:
        raise ValueError(said("{cell} is no number", cell=repr(plain_text(text, 20))))
    try:
        number = float(text)
    except ValueError:
        raise ValueError(said("{cell} is no number", cell=repr(plain_text(text, 20)))) from None
    if not math.isfinite(number):
        raise ValueError(said("{cell} is no finite number", cell=repr(plain_text(text, 20))))
    return number


def moment_s(cell: str) -> float:
    """A date with time in ISO 8601, in seconds since 1970; without a zone it is taken as UTC."""
    try:
        moment = datetime.fromisoformat(cell.strip())
    except ValueError:
        raise ValueError(said("{cell} is no time", cell=repr(plain_text(cell, 40)))) from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def is_moment(cell: str) -> bool:
    """True for what looks like a date, four digits and a hyphen, rather than a number."""
    return cell[4:5] == "-" or cell.lstrip()[4:5] == "-"
