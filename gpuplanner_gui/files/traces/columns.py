"""Which column of a trace in CSV holds what: known headers, usual names, or names that the planner gives."""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from gpuplanner_gui.domain.trace import TraceFormat
from gpuplanner_gui.files.errors import FileProblem, said
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
        raise ValueError(said("{cell} is not a number of tokens", cell=repr(plain_text(cell, 20))))
    return int(number)


def seconds(cell: str) -> float:
    """A plain finite number."""
    text = cell.strip()
    if not text:
        raise ValueError(said("a cell is empty"))
    if len(text) > LONGEST_NUMBER or "_" in text:
        raise ValueError(said("{cell} is not a number", cell=repr(plain_text(text, 20))))
    try:
        number = float(text)
    except ValueError:
        raise ValueError(said("{cell} is not a number", cell=repr(plain_text(text, 20)))) from None
    if not math.isfinite(number):
        raise ValueError(said("{cell} is not a finite number", cell=repr(plain_text(text, 20))))
    return number


def moment_s(cell: str) -> float:
    """A date with time in ISO 8601, in seconds since 1970; without a zone it is taken as UTC."""
    try:
        moment = datetime.fromisoformat(cell.strip())
    except ValueError:
        raise ValueError(said("{cell} is not a time", cell=repr(plain_text(cell, 40)))) from None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def is_moment(cell: str) -> bool:
    """True for what looks like a date, four digits and a hyphen, rather than a number."""
    return cell[4:5] == "-" or cell.lstrip()[4:5] == "-"


TimeUnit = Literal["auto", "s", "ms", "us", "ns"]
SECONDS: dict[str, float] = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}

MOST_COLUMNS = 1000
DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True)
class ColumnNames:
    """Headings of the columns, upper and lower case alike; `cached` and `session` need not be there.

    `time_unit` is that of times that are plain numbers; auto: by the heading's end (`_ms`), else seconds.
    """

    time: str
    prompt: str
    output: str
    cached: str = ""
    session: str = ""
    time_unit: TimeUnit = "auto"


@dataclass(frozen=True)
class Columns:
    """Positions of the columns in a row; −1 for one that is not there."""

    format: TraceFormat
    delimiter: str
    time: int
    prompt: int
    output: int
    cached: int
    session: int
    seconds_per_unit: float

    @property
    def last(self) -> int:
        return max(self.time, self.prompt, self.output, self.cached, self.session)


KNOWN: tuple[tuple[TraceFormat, ColumnNames], ...] = (
    ("azure_llm", ColumnNames("timestamp", "contexttokens", "generatedtokens")),
    ("burstgpt", ColumnNames("timestamp", "request tokens", "response tokens", session="session id")),
)

USUAL = {
    "time": (
        "timestamp", "time", "arrival", "arrival_time", "arrival_s", "arrived_at", "start_time", "request_time", "ts",
        "time_s", "timestamp_s", "timestamp_ms", "time_ms", "arrival_ms", "timestamp_us", "timestamp_ns", "created_at",
        "datetime", "date",
    ),
    "prompt": (
        "prompt_tokens", "input_tokens", "context_tokens", "prompt_len", "prompt_length", "input_length", "input_len",
        "num_prefill_tokens", "isl", "request_tokens", "prompt", "input", "contexttokens", "request tokens",
    ),
    "output": (
        "output_tokens", "completion_tokens", "generated_tokens", "output_len", "output_length", "num_decode_tokens",
        "osl", "response_tokens", "completion", "output", "generatedtokens", "response tokens",
    ),
    "cached": ("cached_tokens", "prefix_tokens", "cache_hit_tokens"),
    "session": ("session_id", "session", "conversation_id", "chat_id"),
}  # fmt: skip
"""Headings that other programs write, each list in order of preference."""


class UnknownColumns(FileProblem):
    """A table whose headings do not say which columns hold the requests; its user can."""


def columns_of(path: Path, line: int, header: str, names: ColumnNames | None) -> Columns:
    """Where the header line puts the columns.

    Raises UnknownColumns for a header that tells no trace, FileProblem for one that lacks a named column or names one
    twice.
    """
    delimiter = delimiter_of(header)
    headings = headings_of(path, line, header)
    if names is not None:
        return _positions(path, line, headings, delimiter, "columns", names)
    for known_format, known in KNOWN:
        if {known.time, known.prompt, known.output} <= set(headings):
            return _positions(path, line, headings, delimiter, known_format, known)
    usual = usual_names(headings)
    missing = [part for part in ("time", "prompt", "output") if not usual[part]]
    if missing:
        shown = ", ".join(plain_text(name, 30) for name in headings[:8]) + (" …" if len(headings) > 8 else "")
        kind = UnknownColumns if len(set(headings) - {""}) >= len(_WORDS) else FileProblem
        raise kind(
            path,
            f"line {line}",
            said(
                "there is no column for the {words}; the columns are: {shown}",
                words=_WORDS[missing[0]],
                shown=shown or "none",
            ),
            "Choose the columns for time, prompt and answer, or choose a trace of Azure, BurstGPT or Mooncake",
        )
    return _positions(path, line, headings, delimiter, "columns", ColumnNames(**usual))  # type: ignore[arg-type]


def delimiter_of(header: str) -> str:
    """What stands between the cells."""
    return max(DELIMITERS, key=header.count)


def usual_names(headings: list[str]) -> dict[str, str]:
    """The heading of each part of a request that has a usual one; empty for the others."""
    return {part: _first_usual(headings, choices) for part, choices in USUAL.items()}


def _first_usual(headings: list[str], choices: tuple[str, ...]) -> str:
    """The heading that is one of the usual names, a unit in brackets aside; empty for none."""
    bare = {heading.partition("(")[0].partition("[")[0].strip(): heading for heading in reversed(headings)}
    return next((bare[name] for name in choices if name in bare), "")


_WORDS = {"time": "time of a request", "prompt": "prompt's tokens", "output": "answer's tokens"}


def headings_of(path: Path, line: int, header: str) -> list[str]:
    """The header's cells in lower case. Raises FileProblem for one that can't be read."""
    try:
        cells = next(csv.reader([header], delimiter=delimiter_of(header)), [])
    except csv.Error as error:
        raise FileProblem(
            path, f"line {line}", said("the header can't be read ({error})", error=error), "Export the trace again"
        ) from None
    if len(cells) > MOST_COLUMNS:
        raise FileProblem(
            path,
            f"line {line}",
            said("the table has more than {most_columns} columns", most_columns=MOST_COLUMNS),
            "Choose a trace",
        )
    return [" ".join(cell.strip().lower().split()) for cell in cells]


def _positions(
    path: Path, line: int, headings: list[str], delimiter: str, kind: TraceFormat, names: ColumnNames
) -> Columns:
    found: dict[str, int] = {}
    for part in fields(ColumnNames):
        if part.name == "time_unit":
            continue
        wanted = " ".join(getattr(names, part.name).strip().lower().split())
        found[part.name] = _position(path, line, headings, wanted, kind == "columns" or part.name != "session")
    unit = names.time_unit if names.time_unit != "auto" else _unit_of(headings[found["time"]])
    return Columns(format=kind, delimiter=delimiter, seconds_per_unit=SECONDS[unit], **found)


def _position(path: Path, line: int, headings: list[str], wanted: str, is_needed: bool) -> int:
    if not wanted:
        return -1
    count = headings.count(wanted)
    if count > 1:
        raise FileProblem(
            path,
            f"line {line}",
            said("the column {wanted} appears twice", wanted=repr(plain_text(wanted, 40))),
            "Rename one",
        )
    if not count and is_needed:
        shown = ", ".join(plain_text(name, 30) for name in headings[:8]) + (" …" if len(headings) > 8 else "")
        raise FileProblem(
            path,
            f"line {line}",
            said(
                "there is no column {wanted}; the columns are: {shown}",
                wanted=repr(plain_text(wanted, 40)),
                shown=shown,
            ),
            "Use one of these",
        )
    return headings.index(wanted) if count else -1


def _unit_of(heading: str) -> str:
    plain = heading.replace("(", "_").replace("[", "_").replace(" ", "_").rstrip(")]")
    return next((unit for unit in ("ms", "us", "ns") if plain.endswith(f"_{unit}")), "s")
