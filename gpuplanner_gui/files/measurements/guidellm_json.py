"""GuideLLM's JSON: a list of benchmarks, each with its strategy and metrics; a sweep has many.

Request latency is in seconds, the others in milliseconds. GuideLLM's time per output token includes the first token, so
what others call TPOT is its inter-token latency.
"""

from __future__ import annotations

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, figures_of
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject

LATENCIES = (
    ("request_latency", "e2e", 1.0),
    ("time_to_first_token_ms", "ttft", 1e-3),
    ("inter_token_latency_ms", "tpot", 1e-3),
)
RATES = (
    ("requests_per_second", "requests_per_s"),
    ("prompt_tokens_per_second", "input_tokens_per_s"),
    ("output_tokens_per_second", "output_tokens_per_s"),
    ("tokens_per_second", "total_tokens_per_s"),
)
PERCENTILES: tuple[Statistic, ...] = ("p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "p999")


def recognises(look: Look) -> bool:
    return look.has("benchmarks") and any("metrics" in one for one in look.first.objects("benchmarks"))


def read(source: Source, look: Look) -> Findings:
    """Every benchmark of the report."""
    findings = Findings()
    for benchmark in look.first.objects("benchmarks"):
        note = _note(benchmark)
        findings.add(_context(look.first, benchmark), _figures(benchmark.object("metrics")), 0, note)
    return findings


def _context(report: JsonObject, benchmark: JsonObject) -> MeasurementContext:
    config = benchmark.object("config")
    strategy = config.object("strategy") or benchmark.object("args").object("strategy")
    load, concurrency, rate = load_of(
        strategy.word("type_"), strategy.positive("rate"), strategy.positive("streams", "max_concurrency")
    )
    metrics = benchmark.object("metrics")
    worker = benchmark.object("worker")
    backend = config.object("backend") or report.object("config").object("spec").object("backend")
    return MeasurementContext(
        model_as_written=backend.word("model") or report.object("args").word("model") or worker.word("backend_model"),
        load=load,
        concurrency=concurrency,
        rate_per_s=rate,
        prompt_tokens=_successful(metrics, "prompt_token_count").positive("mean"),
        output_tokens=_successful(metrics, "output_token_count").positive("mean"),
        requests=_successful(metrics, "request_latency").count("count"),
        duration_s=benchmark.positive("duration"),
    )


def load_of(kind: str, rate: float, streams: float) -> tuple[MeasuredLoad, float, float]:
    """GuideLLM's strategies as kinds of load; a concurrent strategy keeps `rate` streams in some versions."""
    if kind in ("constant", "poisson", "async"):
        return "open_loop", 0.0, rate
    if kind == "synchronous":
        return "closed_loop", 1.0, 0.0
    if kind == "concurrent":
        return "closed_loop", streams or rate, 0.0
    return ("offline" if kind == "throughput" else ""), 0.0, 0.0


def _successful(metrics: JsonObject, name: str) -> JsonObject:
    return metrics.object(name).object("successful")


def _figures(metrics: JsonObject) -> list[Figure]:
    found: list[Figure] = []
    for name, quantity, scale in LATENCIES:
        part = _successful(metrics, name)
        percentiles = part.object("percentiles")
        values: dict[tuple[str, Statistic], object] = {
            (quantity, "mean"): part.number("mean"),
            (quantity, "sd"): part.number("std_dev"),
        }
        values |= {(quantity, one): percentiles.number(one) for one in PERCENTILES}
        if part.count("count"):
            found += figures_of(values, scale)
    for name, quantity in RATES:
        found += figures_of({(quantity, "mean"): _successful(metrics, name).number("mean")})
    return found


def _note(benchmark: JsonObject) -> str:
    errored = benchmark.object("scheduler_state").count("errored_requests")
    return f"{errored} requests failed" if errored else ""


IMPORTER = Importer("guidellm_json", "GuideLLM report", recognises, read, ('"guidellm_version"', '"benchmarks"'))
