"""vLLM's and SGLang's benchmarks of a served model: `bench serve`, `bench_serving`, and what both print at their end.

One JSON object per run, or one a line where runs were appended; summary keys are in milliseconds, the rate may be
`Infinity`. `--metadata` merges the planner's own keys at top level, always as text. Older files of SGLang name neither
model nor device; newer ones carry `server_info`. vLLM's `bench throughput` and `bench latency` write objects that name
neither lengths nor, mostly, the model.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any

import msgspec

from gpuplanner_gui.domain.measurement import Figure, MeasuredLoad, MeasurementContext, Statistic
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, json_objects
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import (
    LONGEST_LINE,
    ContextFacts,
    FigureFacts,
    JsonObject,
    context_facts,
    figures_by,
    figures_of,
    is_infinite,
    pair_of,
    plain_line,
    statistic_named,
)
from gpuplanner_gui.files.model_names import precision_hint

CONTEXT: ContextFacts = {
    # What the planner says of a run is a name; the tool's own may be a folder.
    "model_as_written": "model | model_id",
    "accelerator_as_written": "gpu | accelerator | gpu_type | device | hardware",
    "devices": "num_gpus | gpu_count | n_gpus",
    "weight_precision": "precision | quantization | dtype",
    "kv_precision": "kv_precision | kv_cache_dtype",
    "engine_version": "engine_version | vllm_version | version",
    "tensor_parallel": "tensor_parallel_size | tp_size | tp",
    "pipeline_parallel": "pipeline_parallel_size | pp_size | pp",
    "requests": "completed",
    "duration_s": "duration",
}
OF_SERVER: ContextFacts = {
    "model_as_written": "server_info.model_path",
    "weight_precision": "server_info.quantization",
    "engine_version": "server_info.version",
    "tensor_parallel": "server_info.tp_size",
    "pipeline_parallel": "server_info.pp_size",
    "data_parallel": "server_info.dp_size",
    "expert_parallel": "server_info.ep_size",
}
"""What SGLang's server says of itself. Layout comes before the planner's word, the rest after it."""
RATES: FigureFacts = {
    "request_throughput": ("requests_per_s", "mean", 1.0),
    "request_goodput | request_goodput:": ("goodput_per_s", "mean", 1.0),
    "output_throughput": ("output_tokens_per_s", "mean", 1.0),
    "input_throughput": ("input_tokens_per_s", "mean", 1.0),
    "total_token_throughput": ("total_tokens_per_s", "mean", 1.0),
}
_ENGINES = ("vllm", "sglang", "tensorrt-llm", "trtllm", "lmdeploy", "tgi", "llama.cpp", "ollama", "mlx")
_COUNTED_DEVICE = re.compile(r"(\d{1,4})\s*[x×]\s*(\S.*)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})-\d{6}")
_FROM_NAME = re.compile(r"(?i)(llama|qwen|deepseek|mixtral|mistral|gemma|gpt-oss|glm|kimi|phi)")
_KEY = re.compile(r"(mean|median|std|p\d{1,3}(?:\.\d)?)_(ttft|tpot|itl|e2el|e2e_latency)_ms")
_QUANTITY = {"e2el": "e2e", "e2e_latency": "e2e"}


def read_sglang(source: Source, look: Look) -> Findings:
    """Every run of the file."""
    findings = _read("completed", True, source, look)
    if _FROM_NAME.search(look.name) and not look.first.word("model_id", "model"):
        findings.remark("The file does not name the model. Its file name may.")
    return findings


def _read(needed: str, is_of_sglang: bool, source: Source, look: Look) -> Findings:
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        if needed not in result:
            findings.remark("Line {line} is skipped: it is not a result.", line=line)
            continue
        _add(findings, result, line, is_of_sglang)
    return findings


def _add(findings: Findings, result: JsonObject, line: int, is_of_sglang: bool = False) -> None:
    context = _context(result)
    context = _with_server(context, result) if is_of_sglang else context
    asked, done = result.count("num_prompts"), result.count("completed")
    failed = result.count("failed") or max(asked - done, 0)
    note = f"{failed} of {asked or done + failed} requests failed" if failed and done else ""
    findings.add(context, _latencies(result) + figures_by(result, RATES), line, note)


def _context(result: JsonObject) -> MeasurementContext:
    """What the tool itself and the planner's metadata say."""
    found = context_facts(result, CONTEXT)
    counted = _COUNTED_DEVICE.fullmatch(found["accelerator_as_written"].strip())
    if counted is not None:
        found["accelerator_as_written"] = counted[2]
        found["devices"] = found["devices"] or int(counted[1])
    backend = result.word("engine", "backend", "endpoint_type").lower()
    date = _DATE.fullmatch(result.word("date"))
    load, concurrency, rate = _load(result)
    return MeasurementContext(
        **found,
        engine=next((name for name in _ENGINES if name in backend), ""),
        load=load,
        concurrency=concurrency,
        rate_per_s=rate,
        prompt_tokens=_per_request(result, "total_input_tokens", "input_len"),
        output_tokens=_per_request(result, "total_output_tokens", "output_len"),
        measured_on="-".join(date.groups()) if date else "",
    )


def _with_server(stated: MeasurementContext, result: JsonObject) -> MeasurementContext:
    server = context_facts(result, OF_SERVER)
    for name in ("model_as_written", "weight_precision", "engine_version"):
        server[name] = getattr(stated, name) or server[name]
    for name in ("tensor_parallel", "pipeline_parallel", "expert_parallel"):
        server[name] = server[name] or getattr(stated, name)
    # With attention in groups these lie within the tensor-parallel devices; else each is a whole copy.
    is_grouped = result.object("server_info").value("enable_dp_attention") is True
    copies = 1 if is_grouped else max(server["data_parallel"], 1)
    server["weight_precision"] = server["weight_precision"] or precision_hint(server["model_as_written"]) or ""
    is_offline = is_infinite(result.value("request_rate")) and not result.positive("max_concurrency")
    return msgspec.structs.replace(
        stated,
        **server,
        engine=stated.engine or "sglang",
        devices=stated.devices or server["tensor_parallel"] * max(server["pipeline_parallel"], 1) * copies,
        load="offline" if is_offline else stated.load,
    )


def _load(result: JsonObject) -> tuple[MeasuredLoad, float, float]:
    """Kind of load, concurrency and rate. A limit on concurrency at an unlimited rate is a closed loop."""
    rate, concurrency = result.value("request_rate"), result.positive("max_concurrency")
    if is_infinite(rate) or not result.positive("request_rate"):
        prompts = result.count("num_prompts", "completed")
        if concurrency and (not prompts or concurrency < prompts):
            return "closed_loop", concurrency, 0.0
        return ("offline" if is_infinite(rate) else ""), 0.0, 0.0
    return "open_loop", concurrency, result.positive("request_rate")


def _per_request(result: JsonObject, total: str, stated: str) -> float:
    completed = result.count("completed")
    mean = result.positive(total) / completed if completed else 0.0
    return mean or result.positive(stated)


def _latencies(result: JsonObject) -> list[Figure]:
    """All latencies of a result, such as `p99_ttft_ms`, in seconds. Zero stands for what was not measured."""
    found: dict[tuple[str, Statistic], Any] = {}
    for key in sorted(result.keys()):
        match = _KEY.fullmatch(key)
        statistic = statistic_named(match[1]) if match else None
        if match is not None and statistic is not None and result.positive(key):
            found[(_QUANTITY.get(match[2], match[2]), statistic)] = result.positive(key)
    return figures_of(found, 1e-3)


TITLE = "= Serving Benchmark Result ="
_END = re.compile(r"={20,}")
PRINTED = {
    "backend": "backend",
    "successful requests": "completed",
    "failed requests": "failed",
    "maximum request concurrency": "max_concurrency",
    "max request concurrency": "max_concurrency",
    "request rate configured (rps)": "request_rate",
    "traffic request rate": "request_rate",
    "benchmark duration (s)": "duration",
    "total input tokens": "total_input_tokens",
    "total generated tokens": "total_output_tokens",
    "request throughput (req/s)": "request_throughput",
    "request goodput (req/s)": "request_goodput",
    "input token throughput (tok/s)": "input_throughput",
    "output token throughput (tok/s)": "output_throughput",
    "total token throughput (tok/s)": "total_token_throughput",
}
"""Printed labels by the keys that the same tools' JSON has for them, so that both are read in one way."""
_LATENCY = re.compile(r"(mean|median|std|p\d{1,2}(?:\.\d)?) (ttft|tpot|itl|e2el|e2e latency) \(ms\)")
_ARGUMENT = re.compile(
    r"\b(backend|model|request_rate|max_concurrency|num_prompts)=(?:'([^']{1,200})'|([\w.+-]{1,40}))"
)
LONGEST_ARGUMENTS = 20_000
STATED_BEFORE = ("request_rate", "max_concurrency")


def read_printed(source: Source, look: Look) -> Findings:
    """Every block of a log, which may hold several runs, with what was said of its run before."""
    findings = Findings()
    stated: dict[str, Any] = {}
    block: dict[str, Any] | None = None
    first = 0
    for line, text in source.lines():
        plain = plain_line(text)
        if TITLE in plain:
            _add_printed(findings, stated, block, first)
            block, first = {}, line
        elif block is not None and _END.fullmatch(plain):
            _add_printed(findings, stated, block, first)
            stated, block = {}, None
        elif block is not None:
            block |= _named(plain)
        elif "Namespace(" in text[:LONGEST_LINE]:
            stated = {found[1]: found[2] or found[3] for found in _ARGUMENT.finditer(text[:LONGEST_ARGUMENTS])}
        else:
            stated |= {key: value for key, value in _named(plain).items() if key in STATED_BEFORE}
    _add_printed(findings, stated, block, first)
    return findings


def _named(line: str) -> dict[str, str]:
    """The value of a line under the key that the tools' JSON has for it."""
    pair = pair_of(line)
    if pair is None:
        return {}
    label, value = pair
    latency = _LATENCY.fullmatch(label)
    key = f"{latency[1]}_{latency[2].replace(' ', '_')}_ms" if latency else PRINTED.get(label, "")
    return {key: value.split()[0]} if key else {}


def _add_printed(findings: Findings, stated: dict[str, Any], block: dict[str, Any] | None, line: int) -> None:
    if block:
        _add(findings, JsonObject({"model_id": stated.get("model"), **stated, **block}), line)


VLLM = Importer(
    "vllm_serve", "vLLM bench serve", lambda look: look.has("request_throughput", "completed", "duration", "model_id"),
    partial(_read, "request_throughput", False), ('"request_throughput"', '"model_id"'),
)  # fmt: skip
SGLANG = Importer(
    "sglang_serving", "SGLang bench_serving",
    lambda look: look.has("dataset_name", "random_range_ratio", "completed", "duration"),
    read_sglang, ('"random_range_ratio"',),
)  # fmt: skip
CONSOLE = Importer(
    "serving_console", "vLLM or SGLang serving benchmark, as printed", lambda look: look.anywhere(TITLE.encode()),
    read_printed,
)  # fmt: skip


OFFLINE_CONTEXT: ContextFacts = {"model_as_written": "model", "requests": "num_requests", "duration_s": "elapsed_time"}
OFFLINE_RATES: FigureFacts = {
    "requests_per_second": ("requests_per_s", "mean", 1.0),
    # Prompt and answer are not told apart.
    "tokens_per_second": ("total_tokens_per_s", "mean", 1.0),
}
LATENCIES: FigureFacts = {"avg_latency": ("e2e", "mean", 1.0), "percentiles": ("e2e", "*", 1.0)}


def _read_offline(load: MeasuredLoad, facts: FigureFacts, source: Source, look: Look) -> Findings:
    findings = Findings()
    for line, result in json_objects(source, look, findings):
        context = MeasurementContext(**context_facts(result, OFFLINE_CONTEXT), engine="vllm", load=load)
        findings.add(context, figures_by(result, facts), line)
    return findings


THROUGHPUT = Importer(
    "vllm_throughput", "vLLM bench throughput",
    lambda look: look.has("elapsed_time", "num_requests", "tokens_per_second"),
    partial(_read_offline, "offline", OFFLINE_RATES), ('"elapsed_time"', '"num_requests"'),
)  # fmt: skip
LATENCY = Importer(
    "vllm_latency", "vLLM bench latency", lambda look: look.has("avg_latency", "latencies", "percentiles"),
    partial(_read_offline, "batch", LATENCIES), ('"avg_latency"', '"latencies"'),
)  # fmt: skip
