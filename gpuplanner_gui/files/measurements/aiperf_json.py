"""AIPerf's and GenAI-Perf's summary in JSON: one object per metric, with its unit and statistics."""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import MeasuredLoad, MeasurementContext
from gpuplanner_gui.files.measurements.aiperf_names import METRICS, metric_figures, statistics_of
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject, is_infinite
from gpuplanner_gui.files.said import said

_GPU = re.compile(r"(?:NVIDIA|AMD|Intel) [\w .-]{2,60}")
MISMATCH_SHARE = 0.02


def recognises(look: Look) -> bool:
    if look.kind != "object":
        return False
    latency = look.first.object("request_latency")
    return latency.keys() >= {"unit", "avg"} and ("input_config" in look.first or "request_throughput" in look.first)


def read(source: Source, look: Look) -> Findings:
    """The one run that the file sums up."""
    findings, result = Findings(), look.first
    figures = []
    for key in METRICS:
        metric = result.object(key)
        figures += metric_figures(key, metric.word("unit"), statistics_of(metric))
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
        model_as_written=_model(result.object("input_config")),
        accelerator_as_written=gpus[0] if gpus else "",
        devices=len(gpus),
        load=load,
        concurrency=concurrency,
        rate_per_s=rate,
        prompt_tokens=result.object("input_sequence_length").positive("avg"),
        output_tokens=result.object("output_sequence_length").positive("avg"),
        requests=result.object("request_count").count("avg"),
        duration_s=result.object("benchmark_duration").positive("avg"),
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
        for gpu in sorted(gpus.keys()):
            name = gpus.object(gpu).word("gpu_name", "model_name", "name")
            names += [name] if name else []
    return names


def _remark_counts(result: JsonObject, findings: Findings) -> None:
    counted = result.object("output_sequence_length").positive("avg")
    reported = result.object("usage_completion_tokens").positive("avg")
    if counted and reported and abs(counted / reported - 1) > MISMATCH_SHARE:
        findings.remark(
            said(
                "The client counted {counted} output tokens per request, the server reported {reported}: "
                "the client's tokenizer is not the model's, and time per token is off by the same ratio.",
                counted=f"{counted:g}",
                reported=f"{reported:g}",
            )
        )


IMPORTER = Importer(
    "aiperf_json", "AIPerf or GenAI-Perf summary", recognises, read,
    ('"request_latency"', '"time_to_first_token"', '"aiperf_version"'),
)  # fmt: skip
