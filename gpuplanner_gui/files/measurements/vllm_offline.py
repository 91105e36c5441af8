"""vLLM `bench throughput` and `bench latency`: a JSON object that names neither model nor lengths."""

from __future__ import annotations

from gpuplanner_gui.domain.measurement import MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, figures_of, json_objects
from gpuplanner_gui.files.measurements.latency_keys import percentile_name
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject


def is_throughput(look: Look) -> bool:
    return look.has("elapsed_time", "num_requests", "tokens_per_second")


def read_throughput(source: Source, look: Look) -> Findings:
    """Requests and tokens per second with all requests there from the start; prompt and answer are not told apart."""
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        context = MeasurementContext(
            model_as_written=result.word("model"),
            engine="vllm",
            load="offline",
            requests=result.count("num_requests"),
            duration_s=result.positive("elapsed_time"),
        )
        figures = figures_of(
            {
                ("requests_per_s", "mean"): result.number("requests_per_second"),
                ("total_tokens_per_s", "mean"): result.number("tokens_per_second"),
            }
        )
        findings.add(context, figures, line)
    return findings


def is_latency(look: Look) -> bool:
    return look.has("avg_latency", "latencies", "percentiles")


def read_latency(source: Source, look: Look) -> Findings:
    """Seconds of one batch from start to end; batch and lengths are not in the file."""
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        values: dict[tuple[str, Statistic], object] = {("e2e", "mean"): result.number("avg_latency")}
        values |= _percentiles(result.object("percentiles"))
        context = MeasurementContext(model_as_written=result.word("model"), engine="vllm", load="batch")
        findings.add(context, figures_of(values), line)
    return findings


def _percentiles(percentiles: JsonObject) -> dict[tuple[str, Statistic], object]:
    found: dict[tuple[str, Statistic], object] = {}
    for key in sorted(percentiles.keys()):
        name = percentile_name(key)
        if name is not None:
            found[("e2e", name)] = percentiles.number(key)
    return found


THROUGHPUT = Importer(
    "vllm_throughput", "vLLM bench throughput", is_throughput, read_throughput, ('"elapsed_time"', '"num_requests"')
)
LATENCY = Importer("vllm_latency", "vLLM bench latency", is_latency, read_latency, ('"avg_latency"', '"latencies"'))
