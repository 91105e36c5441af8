"""AIPerf's records, one JSON object per request: their statistics are made here."""

from __future__ import annotations

import statistics
from array import array
from typing import Any

import msgspec
import numpy as np

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source, decoded_json, reason_in
from gpuplanner_gui.files.measurements.values import SECONDS, positive
from gpuplanner_gui.files.said import said

QUANTITIES = {"time_to_first_token": "ttft", "inter_token_latency": "tpot", "request_latency": "e2e"}
PERCENTILES: dict[Statistic, float] = {"p50": 50.0, "p90": 90.0, "p95": 95.0, "p99": 99.0}
MOST_NAMED = 5


class Metric(msgspec.Struct, frozen=True):
    value: float | None = None
    unit: str = ""


class Metrics(msgspec.Struct, frozen=True):
    time_to_first_token: Metric = Metric()
    inter_token_latency: Metric = Metric()
    request_latency: Metric = Metric()
    input_sequence_length: Metric = Metric()
    output_sequence_length: Metric = Metric()


class Metadata(msgspec.Struct, frozen=True):
    request_start_ns: float = 0.0
    request_end_ns: float = 0.0
    benchmark_phase: str = ""
    was_cancelled: bool = False


class Record(msgspec.Struct, frozen=True):
    metadata: Metadata
    metrics: Metrics
    error: Any = None


def recognises(look: Look) -> bool:
    return look.has("metadata", "metrics") and "request_start_ns" in look.first.object("metadata")


class Columns:
    """Columns of the requests that count: neither warm-up nor failed."""

    def __init__(self) -> None:
        self.latency = {name: array("d") for name in QUANTITIES}
        self.prompt, self.output = array("d"), array("d")
        self.first_ns, self.last_ns = float("inf"), 0.0
        self.failed = 0

    def add(self, record: Record) -> None:
        metadata, metrics = record.metadata, record.metrics
        if metadata.benchmark_phase == "warmup":
            return
        if metadata.was_cancelled or record.error:
            self.failed += 1
            return
        for name, values in self.latency.items():
            metric: Metric = getattr(metrics, name)
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


def read(source: Source, look: Look) -> Findings:
    """One run from all its requests."""
    findings, columns = Findings(), Columns()
    line = damaged = 0
    for chunk in source.chunks():
        for raw in chunk.split(b"\n"):
            line += 1
            if not raw.strip():
                continue
            try:
                columns.add(decoded_json(raw, Record))
            except ValueError as problem:
                damaged += 1
                if damaged <= MOST_NAMED:
                    findings.remark(said("Line {line} is left out: {problem}.", line=line, problem=reason_in(problem)))
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
    findings.add(context, _figures(columns), 1, note)
    return findings


def _figures(columns: Columns) -> list[Figure]:
    figures = []
    for name, values in columns.latency.items():
        if not values:
            continue
        quantity = QUANTITIES[name]
        figures.append(figure(quantity, statistics.fmean(values)))
        found = np.percentile(np.frombuffer(values), list(PERCENTILES.values()))
        figures += [figure(quantity, float(value), name) for name, value in zip(PERCENTILES, found)]
    if columns.duration_s > 0:
        figures.append(figure("requests_per_s", len(columns.output) / columns.duration_s))
        figures.append(figure("output_tokens_per_s", sum(columns.output) / columns.duration_s))
    return figures


IMPORTER = Importer("aiperf_records", "AIPerf records", recognises, read, ('"request_start_ns"',))
