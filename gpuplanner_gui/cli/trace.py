"""`gpuplanner trace FILE`: what recorded traffic looks like: rate, burstiness, lengths, shared prefixes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from gpuplanner_gui.cli.terminal import JSON, ProgressLine, aligned, command, option, print_answers
from gpuplanner_gui.domain.trace import Trace
from gpuplanner_gui.domain.traffic import LengthFigures, TraceFigures
from gpuplanner_gui.drawing.units import format_value
from gpuplanner_gui.engine.simulation.traffic import trace_figures
from gpuplanner_gui.files.errors import FileProblem
from gpuplanner_gui.files.traces import ColumnNames, UnknownColumns, read_trace
from gpuplanner_gui.files.traces.columns import TimeUnit

FORMATS = {
    "azure_llm": "Azure LLM inference",
    "burstgpt": "BurstGPT",
    "mooncake": "Mooncake",
    "columns": "table",
}
LENGTHS = ("mean", "p50", "p90", "p95", "p99", "longest")
MAPPED = ("time", "prompt", "output", "cached", "session")
UNITS = get_args(TimeUnit)
TRACE_OPTIONS = (
    option(
        "--columns", metavar="time=…,prompt=…,output=…",
        help="column headings of a CSV; cached=… (tokens found in the prefix cache) and session=… are optional",
    ),
    option(
        "--time-unit", choices=UNITS, default="auto", help="unit of plain-number times (default: from the heading)"
    ),
)  # fmt: skip
"""How a table of no known kind is to be read."""


@command(
    "trace", "describe recorded traffic",
    option("file", type=Path, help="Azure LLM or BurstGPT CSV, Mooncake JSON lines, or another CSV"),
    *TRACE_OPTIONS,
    JSON,
)  # fmt: skip
def trace(arguments: argparse.Namespace) -> int:
    """`gpuplanner trace FILE`: what recorded traffic looks like: rate, burstiness, lengths, shared prefixes."""
    read = read_with_progress(arguments.file, arguments)
    figures = trace_figures(read)
    return print_answers(arguments, lambda: as_json(read, figures), lambda: as_text(read, figures))


def read_with_progress(path: Path, arguments: argparse.Namespace) -> Trace:
    """The trace that the arguments name; its progress on standard error, where that is a terminal."""
    names = column_names(path, arguments.columns, arguments.time_unit)
    with ProgressLine(f"Reading {path.name}") as progress:
        try:
            return read_trace(path, names, on_progress=progress.show)
        except UnknownColumns as problem:
            raise FileProblem(problem.path, problem.where, problem.what, _REMEDY) from None


_REMEDY = "Name them with --columns time=…,prompt=…,output=…, or choose a trace of Azure, BurstGPT or Mooncake"


def column_names(path: Path, stated: str | None, time_unit: str) -> ColumnNames | None:
    """Columns as the command line names them; None where it doesn't. Raises FileProblem for what it can't mean."""
    if not stated:
        return None
    parts = [part.partition("=") for part in stated.split(",")]
    found = {name.strip(): heading.strip() for name, _, heading in parts}
    unknown = [name for name in found if name not in MAPPED]
    missing = [name for name in MAPPED[:3] if not found.get(name)]
    if unknown or missing:
        what = f"--columns knows no {unknown[0]!r}" if unknown else f"--columns does not name the {missing[0]}"
        raise FileProblem(path, "", what, "Write --columns time=…,prompt=…,output=…")
    return ColumnNames(**found, time_unit=time_unit)  # type: ignore[arg-type]


def as_text(trace: Trace, figures: TraceFigures) -> list[str]:
    """The figures as lines."""
    lines = [
        f"{trace.name}: {FORMATS[trace.format]}, {format_value(len(trace))} requests in "
        f"{format_value(figures.duration_s, 's')}, {format_value(figures.rate_per_s, 'req/s')}",
        *remarks(trace),
        "",
        burstiness_text(figures),
    ]
    rows = [_length_row("prompt", figures.prompt_tokens), _length_row("answer", figures.output_tokens)]
    lines += ["", aligned(["tokens", *LENGTHS], rows, frozenset(range(1, len(LENGTHS) + 1)))]
    lines += ["", f"Correlation of prompt and answer: {figures.length_correlation:.2f}"]
    if figures.prefix_share is not None:
        lines.append(f"Prefix share: {format_value(figures.prefix_share, 'share')} of prompt tokens, unlimited cache")
    return lines


def remarks(trace: Trace) -> list[str]:
    """What was left out or put in order."""
    lines = []
    if trace.bad_rows:
        lines.append(f"{format_value(trace.bad_rows)} of {format_value(trace.rows)} rows hold no request:")
        lines += [f"  line {row.line}: {row.what}" for row in trace.first_bad]
        if trace.bad_rows > len(trace.first_bad):
            lines.append("  …")
    if trace.failed_requests:
        lines.append(f"{format_value(trace.failed_requests)} requests were not answered and are left out.")
    if trace.rows_out_of_order:
        lines.append(f"{format_value(trace.rows_out_of_order)} rows were out of order and are sorted by time.")
    return lines


def burstiness_text(figures: TraceFigures) -> str:
    """Busiest windows over the mean, and the variation of the gaps."""
    windows = (
        ("second", figures.peak_over_mean_1s),
        ("10 s", figures.peak_over_mean_10s),
        ("minute", figures.peak_over_mean_60s),
    )
    known = ", ".join(f"{name} {value:.2f}" for name, value in windows if value > 0)
    return f"Busiest over mean: {known or 'too short to tell'}; CV of the gaps: {figures.gap_cv:.2f}"


def _length_row(name: str, lengths: LengthFigures) -> list[str]:
    return [name, *(format_value(getattr(lengths, column), "", 4) for column in LENGTHS)]


def as_json(trace: Trace, figures: TraceFigures) -> dict[str, Any]:
    """Everything that the text tells, with keys that stay."""
    return {
        "file": trace.name,
        "format": trace.format,
        "rows": trace.rows,
        "bad_rows": trace.bad_rows,
        "first_bad_rows": [{"line": row.line, "what": row.what} for row in trace.first_bad],
        "failed_requests": trace.failed_requests,
        "rows_out_of_order": trace.rows_out_of_order,
        "requests": figures.requests,
        "duration_s": figures.duration_s,
        "rate_per_s": figures.rate_per_s,
        "peak_over_mean": {
            "1s": figures.peak_over_mean_1s or None,
            "10s": figures.peak_over_mean_10s or None,
            "60s": figures.peak_over_mean_60s or None,
        },
        "gap_cv": figures.gap_cv or None,
        "prompt_tokens": _lengths_json(figures.prompt_tokens),
        "output_tokens": _lengths_json(figures.output_tokens),
        "length_rank_correlation": figures.length_correlation,
        "prefix_share": figures.prefix_share,
    }


def _lengths_json(lengths: LengthFigures) -> dict[str, float]:
    return {name: getattr(lengths, name) for name in (*LENGTHS, "log_sd")}
