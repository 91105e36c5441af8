"""Reads a trace of any known format, row by row; what is no request is counted and shown, and stops nothing."""

from __future__ import annotations

import csv
import math
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import msgspec
import numpy as np

from gpuplanner_gui.domain.trace import BadRow, Trace, TraceFormat
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.safe_json import decoded
from gpuplanner_gui.files.text import plain_text
from gpuplanner_gui.files.traces.columns import (
    LONGEST_LINE_BYTES,
    MOST_TOKENS,
    ColumnNames,
    Columns,
    Numbering,
    SeenNumbers,
    columns_of,
    delimiter_of,
    headings_of,
    is_moment,
    moment_s,
    numbered_lines,
    seconds,
    tokens,
    usual_names,
)

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


BLOCK_TOKENS = 512
MOST_BLOCKS = 8_000_000
"""Numbers of different blocks that are remembered; beyond, prompts count as new."""


class TraceLine(msgspec.Struct):
    """One request; time in milliseconds."""

    timestamp: float
    input_length: int
    output_length: int
    hash_ids: list[int] = []


class PrefixMemory:
    """Blocks of all earlier prompts: an unlimited prefix cache."""

    def __init__(self) -> None:
        self._seen = SeenNumbers()
        self._room = MOST_BLOCKS

    def cached_tokens(self, blocks: list[int], prompt_tokens: int) -> int:
        """Tokens at the start of a prompt that an earlier prompt began with; remembers the prompt."""
        known = self._seen.known_at_start(blocks)
        if self._room > 0:
            new = blocks[known:]
            self._seen.add(new)
            self._room -= len(new)
        return min(known * BLOCK_TOKENS, prompt_tokens - 1)

    def forget(self) -> None:
        self._seen.clear()


def read_line(text: str) -> TraceLine:
    """The request of a line. Raises ValueError with what is wrong."""
    try:
        line: TraceLine = decoded(text, TraceLine)
    except msgspec.ValidationError as problem:
        what, _, where = str(problem).partition(" - at ")
        place = f" in {where.strip('`').removeprefix('$.')}" if where else ""
        raise ValueError(f"{what[:1].lower()}{what[1:100]}{place[:60]}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        raise ValueError(said("no JSON object with timestamp, input_length and output_length")) from None
    if not 1 <= line.input_length <= MOST_TOKENS:
        raise ValueError(said("the prompt has {count} tokens", count=line.input_length))
    if not 1 <= line.output_length <= MOST_TOKENS:
        raise ValueError(said("the answer has {count} tokens", count=line.output_length))
    if not math.isfinite(line.timestamp):
        raise ValueError(said("the time is not a finite number"))
    if len(line.hash_ids) > math.ceil(line.input_length / BLOCK_TOKENS):
        raise ValueError(
            said(
                "{blocks} blocks are more than a prompt of {tokens} tokens has",
                blocks=len(line.hash_ids),
                tokens=line.input_length,
            )
        )
    return line


MOST_REQUESTS = 20_000_000
BAD_ROWS_SHOWN = 5
LONGEST_SPAN_S = 10 * 366 * 86400.0
"""A row this far from the first has a wrong time."""


class TraceCollector:
    """Takes requests in the order of the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._time = array("d")
        self._prompt, self._output, self._cached, self._session = (array("i") for _ in range(4))
        self._latest = -np.inf
        self._sessions = Numbering()
        self.rows = self.bad_rows = self.failed = self.out_of_order = 0
        self.first_bad: list[BadRow] = []

    def add(self, time_s: float, prompt: int, output: int, cached: int = 0, session: str = "") -> None:
        """One request. Raises ValueError for a time far from the first, FileProblem for one request too many."""
        times = self._time
        if times and abs(time_s - times[0]) > LONGEST_SPAN_S:
            raise ValueError(said("its time is more than ten years from that of the first row"))
        if len(times) >= MOST_REQUESTS:
            raise FileProblem(
                self._path,
                "",
                "the trace has more than {most_requests} requests",
                "Choose a part of it",
                most_requests=f"{MOST_REQUESTS:,}",
            )
        if time_s < self._latest:
            self.out_of_order += 1
        else:
            self._latest = time_s
        times.append(time_s)
        self._prompt.append(prompt)
        self._output.append(output)
        self._cached.append(min(cached, prompt - 1))
        self._session.append(self._sessions.number(session) if session else -1)

    def add_bad(self, line: int, what: str) -> None:
        self.bad_rows += 1
        if len(self.first_bad) < BAD_ROWS_SHOWN:
            self.first_bad.append(BadRow(line, what))

    def trace(self, kind: TraceFormat, has_prefixes: bool) -> Trace:
        """All requests, sorted by time. Raises FileProblem when there is none."""
        if not self._time:
            self._refuse_empty()
        self._sessions.clear()
        times = np.frombuffer(self._time, dtype=np.float64)
        order = np.argsort(times, kind="stable") if self.out_of_order else slice(None)
        columns = [np.frombuffer(column, dtype=np.int32)[order].astype(np.int64) for column in self._columns()]
        return Trace(
            name=self._path.name,
            format=kind,
            arrival_s=times[order] - times.min(),
            prompt_tokens=columns[0],
            output_tokens=columns[1],
            cached_tokens=columns[2],
            session=columns[3],
            rows=self.rows,
            bad_rows=self.bad_rows,
            first_bad=tuple(self.first_bad),
            failed_requests=self.failed,
            rows_out_of_order=self.out_of_order,
            has_prefixes=has_prefixes,
        )

    def _columns(self) -> tuple[array[int], ...]:
        return self._prompt, self._output, self._cached, self._session

    def _refuse_empty(self) -> None:
        if self.first_bad:
            first = self.first_bad[0]
            what = said("no row holds a request; the first: {what}", what=first.what)
            raise FileProblem(self._path, f"line {first.line}", what, "Choose a trace, or name its columns")
        raise FileProblem(self._path, "", "the file holds no requests", "Choose a trace")


Lines = Iterator[tuple[int, str | None]]


def read_trace(
    path: Path | str,
    names: ColumnNames | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> Trace:
    """The requests of a trace.

    Parameters
    ----------
    path : Path
        Azure LLM inference CSV (2023 or 2024), BurstGPT CSV (any version), Mooncake JSON lines, or a CSV whose header
        has usual names.
    names : ColumnNames, optional
        Columns of any other CSV.
    is_cancelled, on_progress
        Asked and told (the share read) every few milliseconds.

    Raises
    ------
    FileProblem
        For a file that can't be read, is no trace, or holds not a single request.
    CancelledError
        When `is_cancelled` says so.
    """
    place = Path(path)
    lines = numbered_lines(place, is_cancelled, on_progress)
    number, first = _first_line(place, lines)
    collector = TraceCollector(place)
    if names is None and first.lstrip().startswith("{"):
        _read_mooncake(number, first, lines, collector)
        return collector.trace("mooncake", has_prefixes=True)
    columns = columns_of(place, number, first, names)
    _read_table(columns, lines, collector)
    return collector.trace(columns.format, has_prefixes=columns.cached >= 0)


def _first_line(path: Path, lines: Lines) -> tuple[int, str]:
    for number, text in lines:
        if text is None:
            raise FileProblem(path, f"line {number}", "the line is too long for a trace", "Choose a trace")
        if text.strip():
            return number, text
    raise FileProblem(path, "", "the file is empty", "Choose a trace")


def _read_mooncake(number: int, first: str, lines: Lines, collector: TraceCollector) -> None:
    memory = PrefixMemory()

    def take(line: int, text: str | None) -> None:
        collector.rows += 1
        try:
            if text is None:
                raise ValueError(_TOO_LONG)
            row = read_line(text)
            cached = memory.cached_tokens(row.hash_ids, row.input_length)
            collector.add(row.timestamp * 1e-3, row.input_length, row.output_length, cached)
        except ValueError as problem:
            collector.add_bad(line, problem.args[0])

    take(number, first)
    for line, text in lines:
        if text is None or text.strip():
            take(line, text)
    memory.forget()


_TOO_LONG = said("the line is longer than {most} bytes", most=f"{LONGEST_LINE_BYTES:,}")


def _read_table(columns: Columns, lines: Lines, collector: TraceCollector) -> None:
    delimiter, last = columns.delimiter, columns.last
    is_burstgpt = columns.format == "burstgpt"
    least_output = 0 if is_burstgpt else 1
    for line, text in lines:
        if text is not None and not text.strip():
            continue
        collector.rows += 1
        try:
            if text is None:
                raise ValueError(_TOO_LONG)
            cells = text.split(delimiter) if '"' not in text else _quoted_cells(text, delimiter)
            if len(cells) <= last:
                raise ValueError(said("{count} of {least} cells", count=len(cells), least=last + 1))
            output = tokens(cells[columns.output], least_output)
            if not output:
                collector.failed += 1
                continue
            time = cells[columns.time]
            collector.add(
                moment_s(time) if is_moment(time) else seconds(time) * columns.seconds_per_unit,
                tokens(cells[columns.prompt]),
                output,
                tokens(cells[columns.cached], 0) if columns.cached >= 0 else 0,
                cells[columns.session].strip()[:100] if columns.session >= 0 else "",
            )
        except ValueError as problem:
            collector.add_bad(line, problem.args[0])


def _quoted_cells(text: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([text], delimiter=delimiter), [])
    except csv.Error as error:
        raise ValueError(said("the row can't be read ({error})", error=error)) from None
