"""Which column of a trace in CSV holds what: known headers, usual names, or names that the planner gives."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Literal

from gpuplanner_gui.domain.trace import TraceFormat
from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.files.errors import FileProblem, no_file, said, unreadable
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
            path, f"line {line}", "the header can't be read ({error})", "Export the trace again", error=error
        ) from None
    if len(cells) > MOST_COLUMNS:
        raise FileProblem(
            path,
            f"line {line}",
            "the table has more than {most_columns} columns",
            "Choose a trace",
            most_columns=MOST_COLUMNS,
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
            path, f"line {line}", "the column {wanted} appears twice", "Rename one", wanted=repr(plain_text(wanted, 40))
        )
    if not count and is_needed:
        shown = ", ".join(plain_text(name, 30) for name in headings[:8]) + (" …" if len(headings) > 8 else "")
        raise FileProblem(
            path,
            f"line {line}",
            "there is no column {wanted}; the columns are: {shown}",
            "Use one of these",
            wanted=repr(plain_text(wanted, 40)),
            shown=shown,
        )
    return headings.index(wanted) if count else -1


def _unit_of(heading: str) -> str:
    plain = heading.replace("(", "_").replace("[", "_").replace(" ", "_").rstrip(")]")
    return next((unit for unit in ("ms", "us", "ns") if plain.endswith(f"_{unit}")), "s")


PARTS = 251
"""A prime, so that numbers in steps of a power of two are spread over all parts."""


class Numbering:
    """Numbers names from 0 in the order in which they are first seen."""

    def __init__(self) -> None:
        self._parts: list[dict[str, int]] = [{} for _ in range(PARTS)]
        self._count = 0

    def number(self, name: str) -> int:
        """The number of a name, the next one if it was not seen before."""
        part = self._parts[hash(name) % PARTS]
        found = part.get(name)
        if found is None:
            found = part[name] = self._count
            self._count += 1
        return found

    def clear(self) -> None:
        """Let go of everything, part by part."""
        for part in self._parts:
            part.clear()
        self._count = 0


class SeenNumbers:
    """A set of whole numbers."""

    def __init__(self) -> None:
        self._parts: list[set[int]] = [set() for _ in range(PARTS)]

    def known_at_start(self, numbers: list[int]) -> int:
        """How many of the numbers, from the first on, were seen before."""
        parts = self._parts
        for place, number in enumerate(numbers):
            if number not in parts[number % PARTS]:
                return place
        return len(numbers)

    def add(self, numbers: Iterable[int]) -> None:
        parts = self._parts
        for number in numbers:
            parts[number % PARTS].add(number)

    def clear(self) -> None:
        """Let go of everything, part by part."""
        for part in self._parts:
            part.clear()


LONGEST_LINE_BYTES = 1_000_000
"""A prompt of ten million tokens has 200 kB of block numbers."""

LARGEST_FILE_BYTES = 16_000_000_000
_BINARY_SHOWS_WITHIN = 32
LINES_PER_LOOK = 2048
"""Lines between two looks at progress and at whether the answer is still wanted; some milliseconds."""


BYTES_AT_ONCE = 1 << 20
"""A thread that reads lets go of Python and takes it back before another has woken up, which then waits anew. With the
usual 8 kB that happens more often than once in a switch interval, and a window stood still for half a second."""


def numbered_lines(
    path: Path, is_cancelled: Callable[[], bool] | None = None, on_progress: Callable[[float], None] | None = None
) -> Iterator[tuple[int, str | None]]:
    """Lines with their numbers from 1, without line ends; None for one that is too long to be a row.

    `on_progress` is told the share of the file that is read. Raises FileProblem for a file that can't be read or is
    not text in UTF-8, CancelledError when `is_cancelled` says so.
    """
    try:
        if not path.is_file():
            raise no_file(path)
        size = path.stat().st_size
        if size > LARGEST_FILE_BYTES:
            limit = LARGEST_FILE_BYTES / 1e9
            raise FileProblem(
                path,
                "",
                "the file has {size} GB; at most {limit} GB are read",
                "Split it",
                size=f"{size / 1e9:.0f}",
                limit=f"{limit:.0f}",
            )
        with path.open("rb", buffering=BYTES_AT_ONCE) as stream:
            _refuse_other_encodings(stream, path)
            yield from _lines(stream, max(size, 1), is_cancelled, on_progress)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def _refuse_other_encodings(stream: BinaryIO, path: Path) -> None:
    start = stream.read(_BINARY_SHOWS_WITHIN)
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(path, "", "the file is in UTF-16, not UTF-8", "Save it in UTF-8")
    if b"\x00" in start:
        raise FileProblem(path, "", "this is not a text file", "Choose a trace in CSV or JSON lines")
    stream.seek(3 if start.startswith(b"\xef\xbb\xbf") else 0)


def _lines(
    stream: BinaryIO, size: int, is_cancelled: Callable[[], bool] | None, on_progress: Callable[[float], None] | None
) -> Iterator[tuple[int, str | None]]:
    number = 0
    while raw := stream.readline(LONGEST_LINE_BYTES):
        number += 1
        if number % LINES_PER_LOOK == 0:
            if is_cancelled is not None and is_cancelled():
                raise CancelledError
            if on_progress is not None:
                on_progress(min(stream.tell() / size, 1.0))
        if len(raw) == LONGEST_LINE_BYTES and not raw.endswith(b"\n"):
            _skip_line(stream, is_cancelled)
            yield number, None
        else:
            yield number, raw.decode("utf-8", "replace").rstrip("\r\n")


def _skip_line(stream: BinaryIO, is_cancelled: Callable[[], bool] | None) -> None:
    while (raw := stream.readline(LONGEST_LINE_BYTES)) and not raw.endswith(b"\n"):
        if is_cancelled is not None and is_cancelled():
            raise CancelledError
