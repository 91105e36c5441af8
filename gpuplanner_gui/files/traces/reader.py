"""Reads a trace of any known format, row by row; what is no request is counted and shown, and stops nothing."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.said import said
from gpuplanner_gui.files.traces.cells import is_moment, moment_s, seconds, tokens
from gpuplanner_gui.files.traces.collector import Collector
from gpuplanner_gui.files.traces.columns import ColumnNames, Columns, columns_of
from gpuplanner_gui.files.traces.lines import LONGEST_LINE_BYTES, TraceCancelled, numbered_lines
from gpuplanner_gui.files.traces.mooncake import PrefixMemory, read_line

__all__ = ["TraceCancelled", "read_trace"]

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
    TraceCancelled
        When `is_cancelled` says so.
    """
    place = Path(path)
    lines = numbered_lines(place, is_cancelled, on_progress)
    number, first = _first_line(place, lines)
    collector = Collector(place)
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


def _read_mooncake(number: int, first: str, lines: Lines, collector: Collector) -> None:
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


def _read_table(columns: Columns, lines: Lines, collector: Collector) -> None:
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
