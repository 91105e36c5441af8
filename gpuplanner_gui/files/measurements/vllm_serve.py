"""vLLM `bench serve` (benchmark_serving): one JSON object, or one per line where runs were appended.

Summary keys are in milliseconds. `--metadata` merges the planner's own keys at top level, always as text.
"""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, figures_of, json_objects
from gpuplanner_gui.files.measurements.latency_keys import latency_figures
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject, is_infinite
from gpuplanner_gui.files.said import said

_ENGINES = ("vllm", "sglang", "tensorrt-llm", "trtllm", "lmdeploy", "tgi", "llama.cpp")
_COUNTED_DEVICE = re.compile(r"(\d{1,4})\s*[x×]\s*(\S.*)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})-\d{6}")


def recognises(look: Look) -> bool:
    return look.has("request_throughput", "completed", "duration") and look.has("model_id")


def read(source: Source, look: Look) -> Findings:
    """Every run of the file."""
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        if "request_throughput" not in result:
            findings.remark(said("Line {line} is left out: it is no result.", line=line))
            continue
        findings.add(context_of(result), figures_of_result(result), line, note_of(result))
    return findings


def context_of(result: JsonObject) -> MeasurementContext:
    """What the tool itself and the planner's metadata say."""
    completed = result.count("completed")
    devices, accelerator = device_of(result.word("gpu", "accelerator", "gpu_type", "device", "hardware"))
    load, concurrency, rate = load_of(result)
    return MeasurementContext(
        # What the planner says of a run is a name; the tool's own may be a folder.
        model_as_written=result.word("model", "model_id"),
        accelerator_as_written=accelerator,
        devices=result.count("num_gpus", "gpu_count", "n_gpus") or devices,
        weight_precision=result.word("precision", "quantization", "dtype"),
        engine=engine_of(result),
        engine_version=result.word("engine_version", "vllm_version", "version"),
        tensor_parallel=result.count("tensor_parallel_size", "tp_size", "tp"),
        pipeline_parallel=result.count("pipeline_parallel_size", "pp_size", "pp"),
        load=load,
        concurrency=concurrency,
        rate_per_s=rate,
        prompt_tokens=_per_request(result, "total_input_tokens", "input_len"),
        output_tokens=_per_request(result, "total_output_tokens", "output_len"),
        requests=completed,
        duration_s=result.positive("duration"),
        measured_on=_date(result.word("date")),
    )


def figures_of_result(result: JsonObject) -> list[Figure]:
    return latency_figures(result) + figures_of(
        {
            ("requests_per_s", "mean"): result.number("request_throughput"),
            ("goodput_per_s", "mean"): result.number("request_goodput", "request_goodput:"),
            ("output_tokens_per_s", "mean"): result.number("output_throughput"),
            ("input_tokens_per_s", "mean"): result.number("input_throughput"),
            ("total_tokens_per_s", "mean"): result.number("total_token_throughput"),
        }
    )


def load_of(result: JsonObject) -> tuple[MeasuredLoad, float, float]:
    """Kind of load, concurrency and rate. A limit on concurrency at an unlimited rate is a closed loop."""
    rate, concurrency = result.value("request_rate"), result.positive("max_concurrency")
    if is_infinite(rate) or not result.positive("request_rate"):
        prompts = result.count("num_prompts", "completed")
        if concurrency and (not prompts or concurrency < prompts):
            return "closed_loop", concurrency, 0.0
        return ("offline", 0.0, 0.0) if is_infinite(rate) else ("", 0.0, 0.0)
    return "open_loop", concurrency, result.positive("request_rate")


def note_of(result: JsonObject) -> str:
    """What stands against the run: requests that failed."""
    asked, done = result.count("num_prompts"), result.count("completed")
    failed = result.count("failed") or max(asked - done, 0)
    return f"{failed} of {asked or done + failed} requests failed" if failed and done else ""


def engine_of(result: JsonObject) -> str:
    """The engine behind the API, where the client's name tells it."""
    backend = result.word("engine", "backend", "endpoint_type").lower()
    return next((name for name in _ENGINES if name in backend), "")


def device_of(text: str) -> tuple[int, str]:
    """Count and name of `4xNVIDIA_L40S`."""
    found = _COUNTED_DEVICE.fullmatch(text.strip())
    return (int(found[1]), found[2]) if found else (0, text)


def _per_request(result: JsonObject, total: str, stated: str) -> float:
    completed = result.count("completed")
    mean = result.positive(total) / completed if completed else 0.0
    return mean or result.positive(stated)


def _date(text: str) -> str:
    found = _DATE.fullmatch(text)
    return f"{found[1]}-{found[2]}-{found[3]}" if found else ""


IMPORTER = Importer("vllm_serve", "vLLM bench serve", recognises, read, ('"request_throughput"', '"model_id"'))
