"""A plain table in CSV: headings say what a column holds, or the planner does.

A heading is a field of the context (`model`, `gpu`, `isl` …) or a quantity with statistic and unit (`ttft_p95_ms`,
`TPOT (ms)`, `output_tok_s`). Without a unit, numbers are in SI units.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from gpuplanner_gui.domain.measurement import QUANTITIES, Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import (
    LARGEST_VALUE,
    LOADS,
    LONGEST_NUMBER,
    SECONDS,
    STATISTICS,
    WORDS,
    count,
    implied_load,
    number,
    percentile_name,
    positive,
    word,
)

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 500
FIELDS: dict[str, tuple[str, ...]] = {
    "model_as_written": ("model", "model_id", "model_path", "model_name"),
    "accelerator_as_written": ("accelerator", "gpu", "device", "system", "gpu_name", "hardware"),
    "devices": ("devices", "n_gpus", "gpus", "num_gpus", "gpu_count", "device_count", "ranks"),
    "weight_precision": ("weight_precision", "precision", "dtype", "quantization", "recipe"),
    "kv_precision": ("kv_precision", "kv_cache_dtype", "kv_dtype"),
    "engine": ("engine", "backend", "framework"),
    "engine_version": ("engine_version", "backend_version", "framework_version", "version", "release"),
    "tensor_parallel": ("tensor_parallel", "tp", "tp_size"),
    "pipeline_parallel": ("pipeline_parallel", "pp", "pp_size"),
    "data_parallel": ("data_parallel", "dp", "dp_size"),
    "expert_parallel": ("expert_parallel", "ep", "ep_size"),
    "context_parallel": ("context_parallel", "cp", "cp_size"),
    "load": ("load",),
    "concurrency": ("concurrency", "max_concurrency", "batch", "batch_size", "users"),
    "rate_per_s": ("rate_per_s", "request_rate", "request_rate_per_s", "rate", "qps"),
    "prompt_tokens": ("prompt_tokens", "isl", "input_len", "input_tokens", "input_length", "mean_isl"),
    "output_tokens": ("output_tokens", "osl", "output_len", "output_length", "mean_osl"),
    "requests": ("requests", "num_prompts", "completed"),
    "sequence_length": ("sequence_length", "seq_len", "seqlen"),
    "global_batch": ("global_batch", "gbs", "global_batch_size"),
    "micro_batch": ("micro_batch", "mbs", "micro_batch_size"),
    "operation": ("operation", "collective", "kernel", "activity"),
    "message_bytes": ("message_bytes", "bytes"),
    "duration_s": ("duration_s", "duration"),
    "virtualisation_loss": ("virtualisation", "virtualization", "virtualisation_loss", "vm_loss"),
    "measured_on": ("measured_on", "date"),
}
QUANTITY_NAMES: dict[str, tuple[str, ...]] = {
    "itl": ("inter_token_latency",),
    "ttft": ("time_to_first_token",),
    "tpot": ("time_per_output_token",),
    "e2e": ("e2el", "e2e_latency", "request_latency", "latency"),
    "requests_per_s": ("req_s", "request_throughput", "req_throughput", "rps"),
    "output_tokens_per_s": ("output_tok_s", "output_throughput", "throughput_tok_s"),
    "total_tokens_per_s": ("total_tok_s", "total_token_throughput"),
    "input_tokens_per_s": ("input_tok_s",),
    "prefill_tokens_per_s": ("prefill_tok_s",),
    "decode_tokens_per_s": ("decode_tok_s",),
    "training_tokens_per_s": ("train_tokens_per_s", "train_tok_s", "tokens_per_s"),
    "memory_used": ("peak_memory", "memory", "peak_mem"),
    "step_time": ("iteration_time", "time_per_step"),
}
UNITS = {
    **SECONDS, "gb": 1e9, "gib": 2.0**30, "mib": 2.0**20, "mb": 1e6, "w": 1.0, "kw": 1e3, "tflops": 1e12,
    "tflop_s": 1e12, "gb_s": 1e9, "percent": 0.01,
}  # fmt: skip
NOTHING = ("", "-", "–", "n/a", "na", "nan", "null", "none", "[n/a]")
"""What stands in a cell where nothing was measured."""
MOST_HEAD_ROWS = 200
MOST_SHOWN_ROWS = 6
_SEPARATOR = re.compile(r"(?i)sep=([,;\t])")
_DECIMAL_COMMA = re.compile(r"[-+]?(?:\d+,(?:\d{1,2}|\d{4,})|0,\d+|\d{1,3}(?:\.\d{3})+,\d+)")
_DECIMAL_COMMA_BETWEEN_SEMICOLONS = re.compile(r"[-+]?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+")
_GROUPED_BY_DOTS = re.compile(r"[-+]?[1-9]\d{0,2}(?:\.\d{3})+")
_BRACKETS = re.compile(r"\s*[\[(]([^\])]*)[\])]\s*$")


@dataclass(frozen=True)
class QuantityColumn:
    """What a column of figures holds."""

    quantity: str
    statistic: Statistic
    scale: float


@dataclass(frozen=True)
class TableHead:
    """Where a table begins, and how its cells are written."""

    line: int
    headings: tuple[str, ...]
    delimiter: str
    has_decimal_comma: bool
    rows: tuple[tuple[str, ...], ...]
    """The first ones, as they are written."""


class UnknownHeadings(FileProblem):
    """A table none of whose headings names a figure; `head` shows it, so that its reader can say what they hold."""

    def __init__(self, path: Path, head: TableHead) -> None:
        super().__init__(
            path,
            f"line {head.line}",
            "no heading is a known measurement, such as ttft_ms or tokens_per_s",
            "Name the columns with --columns ttft_ms=HEADING,gpu=HEADING",
        )
        self.head = head


def unknown_headings(path: Path, text: str) -> UnknownHeadings | None:
    """The problem of a table that only its reader can explain; None where a text is no table of numbers."""
    head = table_head(text)
    if head is None or not head.rows or any(len(row) != len(head.headings) for row in head.rows):
        return None
    columns = zip(*head.rows)
    is_numbers = [all(number(cell_text(head, cell)) is not None for cell in column) for column in columns]
    return UnknownHeadings(path, head) if any(is_numbers) else None


def cell_text(head: TableHead, cell: str) -> str:
    """A cell with its decimal mark as numbers have it here."""
    return _without_comma(cell) if head.has_decimal_comma else cell


def meaning_of(heading: str) -> str:
    """What a heading says that its column holds, as `--columns` takes it; empty where it says nothing known."""
    if quantity_column(heading) is None:
        return FIELD_BY_NAME.get(_plain(heading), "")
    return heading


def table_head(text: str) -> TableHead | None:
    """The head of the table that a text begins with; None where no line has several cells.

    Empty lines, comments and the line `sep=;` of spreadsheets may stand before it.
    """
    delimiter = ""
    lines = text.split("\n")
    for place, line in enumerate(lines, 1):
        plain = line.strip("\r\n ")
        stated = _SEPARATOR.fullmatch(plain)
        if stated is not None:
            delimiter = stated[1]
        elif plain and not plain.startswith("#"):
            used = delimiter or max(DELIMITERS, key=plain.count)
            headings = tuple(word(cell) for cell in _cells(plain, used)[:MOST_COLUMNS])
            rows = [_cells(one, used) for one in lines[place : place + MOST_HEAD_ROWS] if one.strip()]
            has_comma = any(_has_decimal_comma(cell, used) for row in rows for cell in row)
            shown = tuple(tuple(word(cell) for cell in row) for row in rows[:MOST_SHOWN_ROWS])
            return TableHead(place, headings, used, has_comma, shown) if len(headings) > 1 else None
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter), [])
    except csv.Error:
        return []


def _has_decimal_comma(cell: str, delimiter: str) -> bool:
    """True where a comma marks decimals for sure: `14,1`; spreadsheets put semicolons between cells for its sake."""
    pattern = _DECIMAL_COMMA_BETWEEN_SEMICOLONS if delimiter == ";" else _DECIMAL_COMMA
    return pattern.fullmatch(cell.strip()[:LONGEST_NUMBER]) is not None


def recognises(look: Look) -> bool:
    head = None if look.kind else table_head(look.head)
    return head is not None and any(quantity_column(name) is not None for name in head.headings)


def read_mapped(source: Source, named: dict[str, str]) -> Findings:
    """Every row; `named` maps headings to what they hold. Raises FileProblem for a heading that is not there."""
    findings = Findings()
    head = table_head(source.head())
    if head is None:
        raise source.problem("", "this is not a table: no line has several cells", "Save it as CSV")
    columns = _columns(source, head, named)
    for line, text in source.lines():
        if line <= head.line or not text.strip():
            continue
        if findings.is_full:
            findings.left_out += 1
            continue
        cells = _cells(text, head.delimiter)
        if not cells:
            findings.remark("Line {line} is skipped: it is not a row.", line=line)
            continue
        _add(findings, head, columns, cells, line)
    return findings


def quantity_column(heading: str) -> QuantityColumn | None:
    """What a heading says that its column holds; None where it names no quantity."""
    bracket = _BRACKETS.search(heading)
    unit = _plain(bracket[1]) if bracket else ""
    words = _plain(_BRACKETS.sub("", heading)).removeprefix("measured_").split("_")
    if not unit and len(words) > 1 and "_".join(words) not in _QUANTITY_BY_NAME:
        for width in (2, 1):
            ending = "_".join(words[-width:])
            if len(words) > width and ending in UNITS:
                words, unit = words[:-width], ending
                break
    statistic: Statistic = "mean"
    for position in (-1, 0):
        found = WORDS.get(words[position]) or _statistic(words[position])
        if found is not None and len(words) > 1:
            statistic = found
            words = words[:-1] if position else words[1:]
            break
    quantity = _QUANTITY_BY_NAME.get("_".join(words))
    if quantity is None or (unit and unit not in UNITS):
        return None
    return QuantityColumn(quantity, statistic, UNITS.get(unit, 1.0))


def _statistic(text: str) -> Statistic | None:
    if text in STATISTICS:
        return text  # type: ignore[return-value]
    return percentile_name(text) if re.fullmatch(r"p\d{1,3}", text) else None


_QUANTITY_BY_NAME = {name: name for name in QUANTITIES} | {
    alias: quantity for quantity, aliases in QUANTITY_NAMES.items() for alias in aliases
}
FIELD_BY_NAME = {alias: name for name, aliases in FIELDS.items() for alias in (name, *aliases)}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "_", text.strip().lower().replace("/", "_")).strip("_")


def _columns(source: Source, head: TableHead, named: dict[str, str]) -> dict[int, QuantityColumn | str]:
    columns: dict[int, QuantityColumn | str] = {}
    by_heading = {heading.strip().lower(): meaning for meaning, heading in named.items()}
    unknown = [heading for heading in by_heading if heading not in [name.lower() for name in head.headings]]
    if unknown:
        shown = ", ".join(head.headings[:12])
        raise source.problem(
            f"line {head.line}",
            "there is no column {unknown}; the columns are: {shown}",
            "Use one of these",
            unknown=repr(unknown[0]),
            shown=shown,
        )
    for index, heading in enumerate(head.headings):
        meaning = by_heading.get(heading.lower(), heading)
        column = quantity_column(meaning)
        name = FIELD_BY_NAME.get(_plain(meaning))
        if column is not None and (name is None or meaning != heading):
            columns[index] = column
        elif name is not None:
            columns[index] = name
    if not any(isinstance(one, QuantityColumn) for one in columns.values()):
        raise UnknownHeadings(source.path, head)
    return columns


def _add(
    findings: Findings, head: TableHead, columns: dict[int, QuantityColumn | str], cells: list[str], line: int
) -> None:
    values: dict[str, Any] = {}
    figures: list[Figure] = []
    for index, column in columns.items():
        cell = cells[index].strip() if index < len(cells) else ""
        if cell.lower() in NOTHING:
            continue
        plain = cell_text(head, cell)
        if not isinstance(column, QuantityColumn):
            values[column] = _field_value(column, cell, plain)
            continue
        value = number(plain)
        if value is not None and 0 <= value * column.scale < LARGEST_VALUE:
            figures.append(figure(column.quantity, value * column.scale, column.statistic))
        else:
            findings.remark(
                "Line {line}: {cell} in the column {heading} is skipped, because it is not a number from 0.",
                line=line,
                cell=repr(word(cell, 40)),
                heading=repr(head.headings[index]),
            )
    context = MeasurementContext(**values)
    if not context.load:
        context = msgspec.structs.replace(context, load=implied_load(context.rate_per_s, context.concurrency))
    findings.add(context, figures, line)


def _without_comma(cell: str) -> str:
    """`1.120,5` as `1120.5`."""
    return cell.replace(".", "").replace(",", ".") if "," in cell or _GROUPED_BY_DOTS.fullmatch(cell) else cell


def _field_value(name: str, cell: str, plain: str) -> Any:
    """`plain` is the cell with its decimal mark as numbers have it here."""
    default = getattr(_EMPTY, name)
    if isinstance(default, str):
        return word(cell) if name != "load" else _load(cell)
    return count(plain) if isinstance(default, int) else positive(plain)


_EMPTY = MeasurementContext()


def _load(cell: str) -> str:
    plain = _plain(cell)
    return plain if plain in LOADS else ""


IMPORTER = Importer("table", "table", recognises, lambda source, look: read_mapped(source, {}))
