"""TensorRT-LLM `trtllm-bench --report_json`: engine, layout, performance and, with streaming, latencies."""

from __future__ import annotations

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, figures_of, json_objects
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject

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
