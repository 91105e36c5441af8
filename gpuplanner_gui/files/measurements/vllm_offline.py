"""vLLM `bench throughput` and `bench latency`: a JSON object that names neither lengths nor, mostly, the model."""

from __future__ import annotations

from functools import partial

from gpuplanner_gui.domain.measurement import MeasuredLoad, MeasurementContext
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, json_objects
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import ContextFacts, FigureFacts, context_facts, figures_by

CONTEXT: ContextFacts = {"model_as_written": "model", "requests": "num_requests", "duration_s": "elapsed_time"}
RATES: FigureFacts = {
    "requests_per_second": ("requests_per_s", "mean", 1.0),
    # Prompt and answer are not told apart.
    "tokens_per_second": ("total_tokens_per_s", "mean", 1.0),
}
LATENCIES: FigureFacts = {"avg_latency": ("e2e", "mean", 1.0), "percentiles": ("e2e", "*", 1.0)}


def is_throughput(look: Look) -> bool:
    return look.has("elapsed_time", "num_requests", "tokens_per_second")


def is_latency(look: Look) -> bool:
    return look.has("avg_latency", "latencies", "percentiles")


def _read(load: MeasuredLoad, facts: FigureFacts, source: Source, look: Look) -> Findings:
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        context = MeasurementContext(**context_facts(result, CONTEXT), engine="vllm", load=load)
        findings.add(context, figures_by(result, facts), line)
    return findings


THROUGHPUT = Importer(
    "vllm_throughput", "vLLM bench throughput", is_throughput, partial(_read, "offline", RATES),
    ('"elapsed_time"', '"num_requests"'),
)  # fmt: skip
LATENCY = Importer(
    "vllm_latency", "vLLM bench latency", is_latency, partial(_read, "batch", LATENCIES),
    ('"avg_latency"', '"latencies"'),
)  # fmt: skip
