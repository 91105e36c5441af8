"""GuideLLM's CSV: three header rows (group, metric with unit, statistic), one row per benchmark, JSON in some cells."""

from __future__ import annotations

import csv
from collections.abc import Iterator

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.guidellm_json import load_of
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, figures_of
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import count, decoded_text, positive, word

Cells = dict[tuple[str, str, str], str]

LATENCIES = {
    ("Request Latency", "Successful Sec"): ("e2e", 1.0),
    ("Time to First Token", "Successful ms"): ("ttft", 1e-3),
    ("Inter Token Latency", "Successful ms"): ("tpot", 1e-3),
}
RATES = {
    ("Server Throughput", "Successful Requests/Sec"): "requests_per_s",
    ("Token Throughput", "Successful Input Tokens/Sec"): "input_tokens_per_s",
    ("Token Throughput", "Successful Output Tokens/Sec"): "output_tokens_per_s",
    ("Token Throughput", "Successful Total Tokens/Sec"): "total_tokens_per_s",
}
HEADER_ROWS = 3
LISTED: tuple[Statistic | None, ...] = ("min", None, "p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "max")
"""What the cell of percentiles lists: the median is not in it, the 0.1st percentile is what nobody plans with."""


def recognises(look: Look) -> bool:
    first = look.head.partition("\n")[0]
    return first.startswith("Run Info,") and "Request Latency" in first


def read(source: Source, look: Look) -> Findings:
    """Every benchmark of the table."""
    findings = Findings()
    for line, cells in _rows(source):
        strategy = cells.get(("Benchmark", "Strategy", ""), "")
        kind, _, stated = strategy.partition("@")
        load, concurrency, rate = load_of(kind, positive(stated), positive(stated))
        context = MeasurementContext(
            model_as_written=_model(cells.get(("Run Info", "Backend", ""), "")),
            load=load,
            concurrency=concurrency,
            rate_per_s=rate,
            prompt_tokens=positive(cells.get(("Token Metrics", "Successful Input Tokens", "Mean"))),
            output_tokens=positive(cells.get(("Token Metrics", "Successful Output Tokens", "Mean"))),
            requests=count(cells.get(("Request Counts", "Successful", ""))),
            duration_s=positive(cells.get(("Timings", "Duration", "Sec"))),
            measured_on=word(cells.get(("Timings", "Start Time", "")))[:10],
        )
        failed = count(cells.get(("Request Counts", "Errored", "")))
        findings.add(context, _figures(cells), line, f"{failed} requests failed" if failed else "")
    return findings


def _rows(source: Source) -> Iterator[tuple[int, Cells]]:
    header: list[list[str]] = []
    for line, text in source.lines():
        try:
            cells = next(csv.reader([text]), [])
        except csv.Error:
            continue
        if len(header) < HEADER_ROWS:
            header.append([cell.strip() for cell in cells])
        elif any(cells):
            yield line, dict(zip(zip(*header, strict=False), cells, strict=False))


def _figures(cells: Cells) -> list[Figure]:
    found: list[Figure] = []
    for (group, name), (quantity, scale) in LATENCIES.items():
        values: dict[tuple[str, Statistic], object] = {
            (quantity, "mean"): cells.get((group, name, "Mean")),
            (quantity, "p50"): cells.get((group, name, "Median")),
            (quantity, "sd"): cells.get((group, name, "Std Dev")),
        }
        percentiles = decoded_text(cells.get((group, name, "Percentiles"), ""))
        if isinstance(percentiles, list) and len(percentiles) == len(LISTED):
            values |= {(quantity, one): value for one, value in zip(LISTED, percentiles) if one is not None}
        found += figures_of(values, scale)
    for (group, name), quantity in RATES.items():
        found += figures_of({(quantity, "mean"): cells.get((group, name, "Mean"))})
    return found


def _model(backend: str) -> str:
    described = decoded_text(backend)
    return word(described.get("model")) if isinstance(described, dict) else ""


IMPORTER = Importer("guidellm_csv", "GuideLLM table", recognises, read)
