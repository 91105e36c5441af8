"""TensorRT-LLM's `trtllm-bench`: engine, layout, performance and, with streaming, latencies.

`--report_json` writes them as JSON; without it, the same report stands in the log, and is read as that JSON would be.
"""

from __future__ import annotations

import re
from typing import Any

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, figures_of, json_objects
from gpuplanner_gui.files.measurements.labels import pair_of, plain_line
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject

TITLE = "= PERFORMANCE OVERVIEW"
FIRST_TITLES = ("= ENGINE DETAILS", "= PYTORCH BACKEND", "= _AUTODEPLOY BACKEND")
_PERCENTILE = re.compile(r"\[(latency|tpot|ttft)\] (p50|p90|p95|p99)")
OF_PERCENTILES = {
    "latency": "request_latency_percentiles_ms", "tpot": "tpot_percentiles", "ttft": "ttft_percentiles",
}  # fmt: skip
WHERE_PERCENTILES = {
    "request_latency_percentiles_ms": "performance",
    "tpot_percentiles": "streaming_metrics",
    "ttft_percentiles": "streaming_metrics",
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
PERCENTILES: tuple[Statistic, ...] = ("p50", "p90", "p95", "p99")
TOKEN_ID_PRECISIONS = ("NO_QUANT", "NONE")


def recognises(look: Look) -> bool:
    return look.has("engine", "performance", "world_info")


def read(source: Source, look: Look) -> Findings:
    """Every report of the file."""
    findings = Findings()
    for line, report in json_objects(source, look, findings):
        findings.add(_context(report), _figures(report), line)
    return findings


def is_printed(look: Look) -> bool:
    return not look.kind and look.anywhere(TITLE.encode()) and look.anywhere(b"Request Throughput (req/sec)")


def read_printed(source: Source, look: Look) -> Findings:
    """Every report of the log."""
    findings = Findings()
    report: dict[str, dict[str, Any]] = {}
    first = 0
    for line, text in source.lines():
        plain = plain_line(text)
        if any(title in plain for title in FIRST_TITLES) or (not first and TITLE in plain):
            _add_printed(findings, report, first)
            report, first = {}, line
        pair = pair_of(plain) if first else None
        place = _place(pair[0]) if pair else None
        if pair is not None and place is not None:
            report.setdefault(place[0], {}).setdefault(place[1], pair[1])
    _add_printed(findings, report, first)
    return findings


def _place(label: str) -> tuple[str, str] | None:
    """Part and key of the report in JSON under which the value of a printed label stands."""
    percentile = _PERCENTILE.fullmatch(label)
    return (OF_PERCENTILES[percentile[1]], percentile[2]) if percentile else PRINTED.get(label)


def _add_printed(findings: Findings, report: dict[str, dict[str, Any]], line: int) -> None:
    if "performance" not in report:
        return
    for key, part in WHERE_PERCENTILES.items():
        report.setdefault(part, {})[key] = report.get(key, {})
    whole = JsonObject(report)
    findings.add(_context(whole), _figures(whole), line)


def _context(report: JsonObject) -> MeasurementContext:
    engine, world, machine = report.object("engine"), report.object("world_info"), report.object("machine")
    requests, data = report.object("request_info"), report.object("dataset")
    tp, pp = world.count("tp_size"), world.count("pp_size")
    rate = world.positive("issue_rate")
    concurrency = requests.positive("avg_num_concurrent_requests")
    quantization = engine.word("quantization")
    if quantization.upper() in TOKEN_ID_PRECISIONS:
        quantization = ""
    return MeasurementContext(
        model_as_written=engine.word("model", "model_path"),
        accelerator_as_written=machine.word("name"),
        devices=world.count("world_size") or tp * max(pp, 1),
        weight_precision=quantization or engine.word("dtype"),
        kv_precision=engine.word("kv_cache_dtype"),
        engine="trtllm",
        engine_version=engine.word("version"),
        tensor_parallel=tp,
        pipeline_parallel=pp,
        expert_parallel=world.count("ep_size"),
        load="open_loop" if rate and rate < 1e9 else "closed_loop" if concurrency else "",
        concurrency=concurrency,
        rate_per_s=rate if rate < 1e9 else 0.0,
        prompt_tokens=requests.positive("avg_input_length") or _mean(data, "isl_stats", "avg_isl"),
        output_tokens=requests.positive("avg_output_length") or _mean(data, "osl_stats", "avg_osl"),
        requests=requests.count("num_requests") or data.count("num_requests"),
        duration_s=report.object("performance").positive("total_latency_ms") * 1e-3,
    )


def _mean(data: JsonObject, newer: str, older: str) -> float:
    return data.object(newer).positive("average", "avg") or data.positive(older)


def _figures(report: JsonObject) -> list[Figure]:
    performance, streaming = report.object("performance"), report.object("streaming_metrics")
    rates = figures_of(
        {
            ("requests_per_s", "mean"): performance.number("request_throughput_req_s"),
            ("output_tokens_per_s", "mean"): performance.number("system_output_throughput_tok_s"),
            ("total_tokens_per_s", "mean"): performance.number("system_total_throughput_tok_s"),
            ("tokens_per_s_per_user", "mean"): performance.number("output_throughput_per_user_tok_s"),
        }
    )
    milliseconds = {
        ("e2e", "mean"): performance.number("avg_request_latency_ms"),
        ("ttft", "mean"): streaming.number("avg_ttft_ms"),
        ("tpot", "mean"): streaming.number("avg_tpot_ms"),
    } | {
        (quantity, name): part.number(name)
        for quantity, part in (
            ("e2e", performance.object("request_latency_percentiles_ms")),
            ("ttft", streaming.object("ttft_percentiles")),
            ("tpot", streaming.object("tpot_percentiles")),
        )
        for name in PERCENTILES
    }
    energy = report.object("energy")
    power = figures_of(
        {
            ("energy", "total"): energy.number("total_energy_j"),
            ("power", "mean"): energy.number("average_gpu_power"),
        }
    )
    return rates + figures_of(milliseconds, 1e-3) + power  # type: ignore[arg-type]


IMPORTER = Importer("trtllm_bench", "trtllm-bench report", recognises, read, ('"world_info"', '"request_info"'))
PRINTED_IMPORTER = Importer("trtllm_bench", "trtllm-bench report", is_printed, read_printed)
