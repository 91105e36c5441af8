"""AIPerf and GenAI-Perf: summaries in JSON or CSV, a metric with its unit and statistics, and a record per request."""

from __future__ import annotations

import re
import statistics
from array import array
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, csv_rows
from gpuplanner_gui.files.measurements.source import Source, decoded_json, reason_in
from gpuplanner_gui.files.measurements.values import (
    SECONDS,
    ContextFacts,
    JsonObject,
    context_facts,
    count,
    figures_of,
    is_infinite,
    positive,
    statistic_named,
)

METRICS = {
    "time_to_first_token": "ttft",
    "inter_token_latency": "tpot",
    "request_latency": "e2e",
    "request_throughput": "requests_per_s",
    "output_token_throughput": "output_tokens_per_s",
    "input_token_throughput": "input_tokens_per_s",
    "total_token_throughput": "total_tokens_per_s",
    "output_token_throughput_per_user": "tokens_per_s_per_user",
    "goodput": "goodput_per_s",
}
"""Inter-token latency here is the mean over an answer's tokens but the first: what others call TPOT."""
LATENCIES = ("time_to_first_token", "inter_token_latency", "request_latency")
CONTEXT: ContextFacts = {
    "prompt_tokens": "input_sequence_length.avg",
    "output_tokens": "output_sequence_length.avg",
    "requests": "request_count.avg",
    "duration_s": "benchmark_duration.avg",
}
MISMATCH_SHARE = 0.02
LONGEST_NAME = 200
_NAMED = re.compile(r"(.*?)\s*\(([^()]*)\)\s*")


def _figures(key: str, unit: str, columns: dict[str, Any]) -> list[Figure]:
    """Figures of one metric from its statistics; none for a metric that nobody plans with."""
    quantity = METRICS.get(key)
    if quantity is None:
        return []
    named = ((statistic_named(column), value) for column, value in columns.items())
    scale = SECONDS.get(unit.strip().lower(), 1.0) if key in LATENCIES else 1.0
    return [one for name, value in named if name is not None for one in figures_of({(quantity, name): value}, scale)]


def is_json(look: Look) -> bool:
    if look.kind != "object":
        return False
    latency = look.first.object("request_latency")
    return latency.keys() >= {"unit", "avg"} and ("input_config" in look.first or "request_throughput" in look.first)


def read_json(source: Source, look: Look) -> Findings:
    """The one run that the file sums up."""
    findings, result = Findings(), look.first
    figures = []
    for key in METRICS:
        metric = result.object(key)
        stated = {name: metric.value(name) for name in sorted(metric.keys()) if name not in ("unit", "count", "sum")}
        figures += _figures(key, metric.word("unit"), stated)
    _remark_counts(result, findings)
    note = "the run was cancelled" if result.value("was_cancelled") is True else ""
    errors = result.object("error_request_count").number("avg")
    if errors:
        note = "; ".join(filter(None, (note, f"{errors:.0f} requests failed")))
    findings.add(_context(result), figures, 1, note)
    return findings


def _context(result: JsonObject) -> MeasurementContext:
    load, concurrency, rate = _load(result.object("input_config"))
    gpus = _gpus(result.object("telemetry_data"))
    return MeasurementContext(
        **context_facts(result, CONTEXT),
        model_as_written=_model(result.object("input_config")),
        accelerator_as_written=gpus[0] if gpus else "",
        devices=len(gpus),
        load=load,
        concurrency=concurrency,
        rate_per_s=rate,
        measured_on=result.word("start_time")[:10],
    )


def _model(config: JsonObject) -> str:
    """The model in AIPerf's configuration, or the first of GenAI-Perf's list."""
    for item in config.object("models").objects("items"):
        return item.word("name")
    names = config.value("model_names") or config.value("model") or config.object("endpoint").value("model_names")
    first = names[0] if isinstance(names, list) and names else names
    return first[:200] if isinstance(first, str) else ""


def _load(config: JsonObject) -> tuple[MeasuredLoad, float, float]:
    """What the profiling phase kept: a concurrency or a rate."""
    stated = [phase for phase in config.objects("phases") if phase.word("name", "kind") != "warmup"]
    stated += [config.object("loadgen"), config.object("perf_analyzer").object("stimulus"), config]
    for phase in stated:
        rate = phase.positive("request_rate", "rate")
        if rate and not is_infinite(rate):
            return "open_loop", phase.positive("concurrency"), rate
        if phase.positive("concurrency"):
            return "closed_loop", phase.positive("concurrency"), 0.0
    return "", 0.0, 0.0


def _gpus(telemetry: JsonObject) -> list[str]:
    """Names of the GPUs that DCGM watched, all endpoints together."""
    names: list[str] = []
    endpoints = telemetry.object("endpoints")
    for key in sorted(endpoints.keys()):
        gpus = endpoints.object(key).object("gpus")
        found = (gpus.object(gpu).word("gpu_name", "model_name", "name") for gpu in sorted(gpus.keys()))
        names += filter(None, found)
    return names


def _remark_counts(result: JsonObject, findings: Findings) -> None:
    counted = result.object("output_sequence_length").positive("avg")
    reported = result.object("usage_completion_tokens").positive("avg")
    if counted and reported and abs(counted / reported - 1) > MISMATCH_SHARE:
        findings.remark(
            (
                "The client counted {counted} output tokens per request, but the server reported {reported}. The "
                "client's tokenizer is not the model's, so TPOT is off by the same ratio."
            ),
            counted=f"{counted:g}",
            reported=f"{reported:g}",
        )


def is_csv(look: Look) -> bool:
    first = look.head.partition("\n")[0].strip().lower()
    return first.startswith("metric,avg") and "request latency" in look.head.lower()


def read_csv(source: Source, look: Look) -> Findings:
    """The one run that the file sums up: statistics, then single values. It names neither model nor load."""
    findings = Findings()
    figures: list[Figure] = []
    means: dict[str, float] = {}
    columns: list[str] = []
    for _, cells in csv_rows(source):
        if not cells or not cells[0].strip():
            continue
        if cells[0] == "Metric":
            columns = ["avg" if one == "Value" else one.strip() for one in cells[1:]]
        elif cells[0] == "Endpoint":
            break
        else:
            key, unit = _metric_key(cells[0])
            values = dict(zip(columns, cells[1:], strict=False))
            values.pop("sum", None)
            figures += _figures(key, unit, values)
            means[key] = positive(values.get("avg"))
    context = MeasurementContext(
        prompt_tokens=means.get("input_sequence_length", 0.0),
        output_tokens=means.get("output_sequence_length", 0.0),
        requests=count(means.get("request_count")),
        duration_s=means.get("benchmark_duration", 0.0),
    )
    findings.add(context, figures)
    return findings


def _metric_key(name: str) -> tuple[str, str]:
    """Key and unit of a display name: `Time to First Token (ms)`."""
    found = _NAMED.fullmatch(name[:LONGEST_NAME].strip())
    text, unit = (found[1], found[2]) if found else (name, "")
    return re.sub(r"[^a-z0-9]+", "_", text.strip().lower()).strip("_"), unit


PERCENTILES: dict[Statistic, float] = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0}
MOST_NAMED = 5


class RequestMetric(msgspec.Struct, frozen=True):
    value: float | None = None
    unit: str = ""


class RequestMetrics(msgspec.Struct, frozen=True):
    time_to_first_token: RequestMetric = RequestMetric()
    inter_token_latency: RequestMetric = RequestMetric()
    request_latency: RequestMetric = RequestMetric()
    input_sequence_length: RequestMetric = RequestMetric()
    output_sequence_length: RequestMetric = RequestMetric()


class RequestMetadata(msgspec.Struct, frozen=True):
    request_start_ns: float = 0.0
    request_end_ns: float = 0.0
    benchmark_phase: str = ""
    was_cancelled: bool = False


class RequestRecord(msgspec.Struct, frozen=True):
    metadata: RequestMetadata
    metrics: RequestMetrics
    error: Any = None


def is_records(look: Look) -> bool:
    return look.has("metadata", "metrics") and "request_start_ns" in look.first.object("metadata")


class RequestColumns:
    """Columns of the requests that count: neither warm-up nor failed."""

    def __init__(self) -> None:
        self.latency = {name: array("d") for name in LATENCIES}
        self.prompt, self.output = array("d"), array("d")
        self.first_ns, self.last_ns = float("inf"), 0.0
        self.failed = 0

    def add(self, record: RequestRecord) -> None:
        metadata, metrics = record.metadata, record.metrics
        if metadata.benchmark_phase == "warmup":
            return
        if metadata.was_cancelled or record.error:
            self.failed += 1
            return
        for name, values in self.latency.items():
            metric: RequestMetric = getattr(metrics, name)
            if metric.value is not None and 0 <= metric.value < 1e12:
                values.append(metric.value * SECONDS.get(metric.unit, 1e-3))
        self.prompt.append(positive(metrics.input_sequence_length.value))
        self.output.append(positive(metrics.output_sequence_length.value))
        if metadata.request_start_ns > 0:
            self.first_ns = min(self.first_ns, metadata.request_start_ns)
            self.last_ns = max(self.last_ns, metadata.request_end_ns)

    @property
    def duration_s(self) -> float:
        return max(self.last_ns - self.first_ns, 0.0) * 1e-9 if self.output and np.isfinite(self.first_ns) else 0.0


def read_records(source: Source, look: Look) -> Findings:
    """One run from all its requests."""
    findings, columns = Findings(), RequestColumns()
    line = damaged = 0
    for chunk in source.chunks():
        for raw in chunk.split(b"\n"):
            line += 1
            if not raw.strip():
                continue
            try:
                columns.add(decoded_json(raw, RequestRecord))
            except ValueError as problem:
                damaged += 1
                if damaged <= MOST_NAMED:
                    findings.remark("Line {line} is skipped: {problem}.", line=line, problem=reason_in(problem))
        line -= chunk.endswith(b"\n")
    if not columns.output:
        return findings
    context = MeasurementContext(
        prompt_tokens=statistics.fmean(columns.prompt),
        output_tokens=statistics.fmean(columns.output),
        requests=len(columns.output),
        duration_s=columns.duration_s,
    )
    note = f"{columns.failed} requests failed" if columns.failed else ""
    findings.add(context, _record_figures(columns), 1, note)
    return findings


def _record_figures(columns: RequestColumns) -> list[Figure]:
    figures = []
    for name, values in columns.latency.items():
        if not values:
            continue
        quantity = METRICS[name]
        figures.append(figure(quantity, statistics.fmean(values)))
        found = np.percentile(np.frombuffer(values), list(PERCENTILES.values()))
        figures += [figure(quantity, float(value), name) for name, value in zip(PERCENTILES, found)]
    if columns.duration_s > 0:
        figures.append(figure("requests_per_s", len(columns.output) / columns.duration_s))
        figures.append(figure("output_tokens_per_s", sum(columns.output) / columns.duration_s))
    return figures


JSON = Importer(
    "aiperf_json", "AIPerf or GenAI-Perf summary", is_json, read_json,
    ('"request_latency"', '"time_to_first_token"', '"aiperf_version"'),
)  # fmt: skip
CSV = Importer("aiperf_csv", "AIPerf or GenAI-Perf summary", is_csv, read_csv)
RECORDS = Importer("aiperf_records", "AIPerf records", is_records, read_records, ('"request_start_ns"',))
