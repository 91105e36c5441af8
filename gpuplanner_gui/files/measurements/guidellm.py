"""GuideLLM's reports: JSON with a list of benchmarks, or CSV with a row for each; a sweep has many.

Request latency is in seconds, the others in milliseconds. GuideLLM's time per output token includes the first token,
so what others call TPOT is its inter-token latency. The CSV has three header rows (group, metric with unit, statistic),
and JSON in some cells.
"""

from __future__ import annotations

from collections.abc import Iterator

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, csv_rows
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import (
    ContextFacts,
    FigureFacts,
    JsonObject,
    context_facts,
    count,
    decoded_or_none,
    figures_by,
    figures_of,
    positive,
    word,
)

CONTEXT: ContextFacts = {
    "model_as_written": "config.backend.model",
    "prompt_tokens": "metrics.prompt_token_count.successful.mean",
    "output_tokens": "metrics.output_token_count.successful.mean",
    "requests": "metrics.request_latency.successful.count",
    "duration_s": "duration",
}
OF_REPORT: ContextFacts = {"model_as_written": "config.spec.backend.model | args.model"}
LATENCIES = (
    ("request_latency", "e2e", 1.0),
    ("time_to_first_token_ms", "ttft", 1e-3),
    ("inter_token_latency_ms", "tpot", 1e-3),
)
RATES: FigureFacts = {
    "metrics.requests_per_second.successful.mean": ("requests_per_s", "mean", 1.0),
    "metrics.prompt_tokens_per_second.successful.mean": ("input_tokens_per_s", "mean", 1.0),
    "metrics.output_tokens_per_second.successful.mean": ("output_tokens_per_s", "mean", 1.0),
    "metrics.tokens_per_second.successful.mean": ("total_tokens_per_s", "mean", 1.0),
}
PERCENTILES: tuple[Statistic, ...] = ("p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999")


def is_report(look: Look) -> bool:
    return look.has("benchmarks") and any("metrics" in one for one in look.first.objects("benchmarks"))


def read_report(source: Source, look: Look) -> Findings:
    """Every benchmark of the report."""
    findings = Findings()
    for benchmark in look.first.objects("benchmarks"):
        errored = benchmark.object("scheduler_state").count("errored_requests")
        findings.add(_context(look.first, benchmark), _figures(benchmark), 0, _note(errored))
    return findings


def _note(failed: int) -> str:
    return f"{failed} requests failed" if failed else ""


def _context(report: JsonObject, benchmark: JsonObject) -> MeasurementContext:
    found = context_facts(benchmark, CONTEXT)
    if not benchmark.object("config").object("backend"):
        found |= context_facts(report, OF_REPORT)
    worker = benchmark.object("worker").word("backend_model")
    found["model_as_written"] = found["model_as_written"] or report.object("args").word("model") or worker
    strategy = benchmark.object("config").object("strategy") or benchmark.object("args").object("strategy")
    load, concurrency, rate = load_of(
        strategy.word("type_"), strategy.positive("rate"), strategy.positive("streams", "max_concurrency")
    )
    return MeasurementContext(**found, load=load, concurrency=concurrency, rate_per_s=rate)


def load_of(kind: str, rate: float, streams: float) -> tuple[MeasuredLoad, float, float]:
    """GuideLLM's strategies as kinds of load; a concurrent strategy keeps `rate` streams in some versions."""
    if kind in ("constant", "poisson", "async"):
        return "open_loop", 0.0, rate
    if kind == "synchronous":
        return "closed_loop", 1.0, 0.0
    if kind == "concurrent":
        return "closed_loop", streams or rate, 0.0
    return ("offline" if kind == "throughput" else ""), 0.0, 0.0


def _figures(benchmark: JsonObject) -> list[Figure]:
    found: list[Figure] = []
    for name, quantity, factor in LATENCIES:
        place = f"metrics.{name}.successful"
        if benchmark.object("metrics").object(name).object("successful").count("count"):
            facts = {f"{place}.mean": (quantity, "mean", factor), f"{place}.std_dev": (quantity, "sd", factor)}
            facts |= {f"{place}.percentiles.{one}": (quantity, one, factor) for one in PERCENTILES}
            found += figures_by(benchmark, facts)
    return found + figures_by(benchmark, RATES)


Cells = dict[tuple[str, str, str], str]
LATENCY_COLUMNS = {
    ("Request Latency", "Successful Sec"): ("e2e", 1.0),
    ("Time to First Token", "Successful ms"): ("ttft", 1e-3),
    ("Inter Token Latency", "Successful ms"): ("tpot", 1e-3),
}
RATE_COLUMNS = {
    ("Server Throughput", "Successful Requests/Sec"): "requests_per_s",
    ("Token Throughput", "Successful Input Tokens/Sec"): "input_tokens_per_s",
    ("Token Throughput", "Successful Output Tokens/Sec"): "output_tokens_per_s",
    ("Token Throughput", "Successful Total Tokens/Sec"): "total_tokens_per_s",
}
HEADER_ROWS = 3
LISTED: tuple[Statistic | None, ...] = ("min", None, "p01", "p05", "p10", "p25", "p75", "p90", "p95", "p99", "max")
"""What the cell of percentiles lists: the median is not in it, the 0.1st percentile is what nobody plans with."""


def is_table(look: Look) -> bool:
    first = look.head.partition("\n")[0]
    return first.startswith("Run Info,") and "Request Latency" in first


def read_table(source: Source, look: Look) -> Findings:
    """Every benchmark of the table."""
    findings = Findings()
    for line, cells in _rows(source):
        kind, _, stated = cells.get(("Benchmark", "Strategy", ""), "").partition("@")
        load, concurrency, rate = load_of(kind, positive(stated), positive(stated))
        described = decoded_or_none(cells.get(("Run Info", "Backend", ""), "").encode("utf-8", "replace"))
        context = MeasurementContext(
            model_as_written=word(described.get("model")) if isinstance(described, dict) else "",
            load=load,
            concurrency=concurrency,
            rate_per_s=rate,
            prompt_tokens=positive(cells.get(("Token Metrics", "Successful Input Tokens", "Mean"))),
            output_tokens=positive(cells.get(("Token Metrics", "Successful Output Tokens", "Mean"))),
            requests=count(cells.get(("Request Counts", "Successful", ""))),
            duration_s=positive(cells.get(("Timings", "Duration", "Sec"))),
            measured_on=word(cells.get(("Timings", "Start Time", "")))[:10],
        )
        findings.add(context, _table_figures(cells), line, _note(count(cells.get(("Request Counts", "Errored", "")))))
    return findings


def _rows(source: Source) -> Iterator[tuple[int, Cells]]:
    header: list[list[str]] = []
    for line, cells in csv_rows(source):
        if len(header) < HEADER_ROWS:
            header.append([cell.strip() for cell in cells])
        elif any(cells):
            yield line, dict(zip(zip(*header, strict=False), cells, strict=False))


def _table_figures(cells: Cells) -> list[Figure]:
    found: list[Figure] = []
    for (group, name), (quantity, scale) in LATENCY_COLUMNS.items():
        values: dict[tuple[str, Statistic], object] = {
            (quantity, "mean"): cells.get((group, name, "Mean")),
            (quantity, "p50"): cells.get((group, name, "Median")),
            (quantity, "sd"): cells.get((group, name, "Std Dev")),
        }
        percentiles = decoded_or_none(cells.get((group, name, "Percentiles"), "").encode("utf-8", "replace"))
        if isinstance(percentiles, list) and len(percentiles) == len(LISTED):
            values |= {(quantity, one): value for one, value in zip(LISTED, percentiles) if one is not None}
        found += figures_of(values, scale)
    for (group, name), quantity in RATE_COLUMNS.items():
        found += figures_of({(quantity, "mean"): cells.get((group, name, "Mean"))})
    return found


REPORT = Importer("guidellm_json", "GuideLLM report", is_report, read_report, ('"guidellm_version"', '"benchmarks"'))
TABLE = Importer("guidellm_csv", "GuideLLM table", is_table, read_table)
