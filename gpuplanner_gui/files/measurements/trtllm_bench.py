"""TensorRT-LLM's `trtllm-bench`: engine, layout, performance and, with streaming, latencies.

`--report_json` writes them as JSON; without it, the same report stands in the log, and is read as that JSON would be.
"""

from __future__ import annotations

import re
from typing import Any

from gpuplanner_gui.domain.measurement import MeasurementContext
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, json_objects
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import (
    ContextFacts,
    FigureFacts,
    JsonObject,
    context_facts,
    figures_by,
    implied_load,
    pair_of,
    plain_line,
)

TITLE = "= PERFORMANCE OVERVIEW"
FIRST_TITLES = ("= ENGINE DETAILS", "= PYTORCH BACKEND", "= _AUTODEPLOY BACKEND")
_PERCENTILE = re.compile(r"\[(latency|tpot|ttft)\] (p50|p90|p95|p99)")
PERCENTILES = {
    "latency": ("performance", "request_latency_percentiles_ms"),
    "tpot": ("streaming_metrics", "tpot_percentiles"),
    "ttft": ("streaming_metrics", "ttft_percentiles"),
}
PRINTED = {
    "model": ("engine", "model"),
    "model path": ("engine", "model_path"),
    "tensorrt-llm version": ("engine", "version"),
    "tensorrt llm version": ("engine", "version"),
    "dtype": ("engine", "dtype"),
    "kv cache dtype": ("engine", "kv_cache_dtype"),
    "quantization": ("engine", "quantization"),
    "tp size": ("world_info", "tp_size"),
    "pp size": ("world_info", "pp_size"),
    "ep size": ("world_info", "ep_size"),
    "number of requests": ("request_info", "num_requests"),
    "number of concurrent requests": ("request_info", "avg_num_concurrent_requests"),
    "average input length (tokens)": ("request_info", "avg_input_length"),
    "average output length (tokens)": ("request_info", "avg_output_length"),
    "request throughput (req/sec)": ("performance", "request_throughput_req_s"),
    "token throughput (tokens/sec)": ("performance", "system_output_throughput_tok_s"),
    "total output throughput (tokens/sec)": ("performance", "system_output_throughput_tok_s"),
    "total token throughput (tokens/sec)": ("performance", "system_total_throughput_tok_s"),
    "total latency (ms)": ("performance", "total_latency_ms"),
    "average request latency (ms)": ("performance", "avg_request_latency_ms"),
    "per user output throughput [w/ ctx] (tps/user)": ("performance", "output_throughput_per_user_tok_s"),
    "average time-to-first-token [ttft] (ms)": ("streaming_metrics", "avg_ttft_ms"),
    "average time-per-output-token [tpot] (ms)": ("streaming_metrics", "avg_tpot_ms"),
}
"""Labels of the printed report; the printed issue rate is a time, not a rate."""
CONTEXT: ContextFacts = {
    "model_as_written": "engine.model | engine.model_path",
    "accelerator_as_written": "machine.name",
    "devices": "world_info.world_size",
    "weight_precision": "engine.quantization",
    "kv_precision": "engine.kv_cache_dtype",
    "engine_version": "engine.version",
    "tensor_parallel": "world_info.tp_size",
    "pipeline_parallel": "world_info.pp_size",
    "expert_parallel": "world_info.ep_size",
    "concurrency": "request_info.avg_num_concurrent_requests",
    "rate_per_s": "world_info.issue_rate",
    "prompt_tokens": (
        "request_info.avg_input_length | dataset.isl_stats.average | dataset.isl_stats.avg | dataset.avg_isl"
    ),
    "output_tokens": (
        "request_info.avg_output_length | dataset.osl_stats.average | dataset.osl_stats.avg | dataset.avg_osl"
    ),
    "requests": "request_info.num_requests | dataset.num_requests",
}
FIGURES: FigureFacts = {
    "performance.request_throughput_req_s": ("requests_per_s", "mean", 1.0),
    "performance.system_output_throughput_tok_s": ("output_tokens_per_s", "mean", 1.0),
    "performance.system_total_throughput_tok_s": ("total_tokens_per_s", "mean", 1.0),
    "performance.output_throughput_per_user_tok_s": ("tokens_per_s_per_user", "mean", 1.0),
    "performance.avg_request_latency_ms": ("e2e", "mean", 1e-3),
    "streaming_metrics.avg_ttft_ms": ("ttft", "mean", 1e-3),
    "streaming_metrics.avg_tpot_ms": ("tpot", "mean", 1e-3),
} | {
    f"{place}.{name}": (quantity, name, 1e-3)
    for quantity, place in (
        ("e2e", "performance.request_latency_percentiles_ms"),
        ("ttft", "streaming_metrics.ttft_percentiles"),
        ("tpot", "streaming_metrics.tpot_percentiles"),
    )
    for name in ("p50", "p90", "p95", "p99")
} | {
    "energy.total_energy_j": ("energy", "total", 1.0),
    "energy.average_gpu_power": ("power", "mean", 1.0),
}  # fmt: skip
LARGEST_RATE_PER_S = 1e9
"""A larger one stands for all at once."""
TOKEN_ID_PRECISIONS = ("NO_QUANT", "NONE")


def read(source: Source, look: Look) -> Findings:
    """Every report of the file."""
    findings = Findings()
    for line, report in json_objects(source, look, findings):
        findings.add(_context(report), figures_by(report, FIGURES), line)
    return findings


def read_printed(source: Source, look: Look) -> Findings:
    """Every report of the log."""
    findings = Findings()
    report: dict[str, Any] = {}
    first = 0
    for line, text in source.lines():
        plain = plain_line(text)
        if any(title in plain for title in FIRST_TITLES) or (not first and TITLE in plain):
            _add_printed(findings, report, first)
            report, first = {}, line
        pair = pair_of(plain) if first else None
        *parts, key = _place(pair[0]) if pair else ("",)
        if pair is not None and key:
            holder = report
            for part in parts:
                holder = holder.setdefault(part, {})
            holder.setdefault(key, pair[1])
    _add_printed(findings, report, first)
    return findings


def _place(label: str) -> tuple[str, ...]:
    """Parts and key of the report in JSON under which the value of a printed label stands."""
    percentile = _PERCENTILE.fullmatch(label)
    return (*PERCENTILES[percentile[1]], percentile[2]) if percentile else PRINTED.get(label, ("",))


def _add_printed(findings: Findings, report: dict[str, Any], line: int) -> None:
    if "performance" in report:
        whole = JsonObject(report)
        findings.add(_context(whole), figures_by(whole, FIGURES), line)


def _context(report: JsonObject) -> MeasurementContext:
    found = context_facts(report, CONTEXT)
    found["devices"] = found["devices"] or found["tensor_parallel"] * max(found["pipeline_parallel"], 1)
    if not found["weight_precision"] or found["weight_precision"].upper() in TOKEN_ID_PRECISIONS:
        found["weight_precision"] = report.object("engine").word("dtype")
    found["rate_per_s"] = found["rate_per_s"] if found["rate_per_s"] < LARGEST_RATE_PER_S else 0.0
    return MeasurementContext(
        **found,
        engine="trtllm",
        load=implied_load(found["rate_per_s"], found["concurrency"]),
        duration_s=report.object("performance").positive("total_latency_ms") * 1e-3,
    )


IMPORTER = Importer(
    "trtllm_bench", "trtllm-bench report", lambda look: look.has("engine", "performance", "world_info"), read,
    ('"world_info"', '"request_info"'),
)  # fmt: skip
PRINTED_IMPORTER = Importer(
    "trtllm_bench", "trtllm-bench report",
    lambda look: look.anywhere(TITLE.encode()) and look.anywhere(b"Request Throughput (req/sec)"), read_printed,
)  # fmt: skip
