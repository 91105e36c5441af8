"""What vLLM's and SGLang's serving benchmarks print at their end, in a log that may hold several runs.

Both print one block under the same title; SGLang says its backend in it. Values become those of the JSON that the same
tools write, so that both are read in one way.
"""

from __future__ import annotations

import re
from typing import Any

from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.labels import LONGEST_LINE, pair_of, plain_line
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import JsonObject
from gpuplanner_gui.files.measurements.vllm_serve import context_of, figures_of_result, note_of

TITLE = "= Serving Benchmark Result ="
_END = re.compile(r"={20,}")
KEYS = {
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
_LATENCY = re.compile(r"(mean|median|std|p\d{1,2}(?:\.\d)?) (ttft|tpot|itl|e2el|e2e latency) \(ms\)")
_ARGUMENT = re.compile(
    r"\b(backend|model|request_rate|max_concurrency|num_prompts)=(?:'([^']{1,200})'|([\w.+-]{1,40}))"
)
LONGEST_ARGUMENTS = 20_000
STATED_BEFORE = ("request_rate", "max_concurrency")


def recognises(look: Look) -> bool:
    return not look.kind and look.anywhere(TITLE.encode())


def read(source: Source, look: Look) -> Findings:
    """Every block of the log, with what was said of its run before."""
    findings = Findings()
    stated: dict[str, Any] = {}
    block: dict[str, Any] | None = None
    first = 0
    for line, text in source.lines():
        plain = plain_line(text)
        if TITLE in plain:
            _add(findings, stated, block, first)
            block, first = {}, line
        elif block is not None and _END.fullmatch(plain):
            _add(findings, stated, block, first)
            stated, block = {}, None
        elif block is not None:
            block |= _named(plain)
        elif "Namespace(" in text[:LONGEST_LINE]:
            stated = {found[1]: found[2] or found[3] for found in _ARGUMENT.finditer(text[:LONGEST_ARGUMENTS])}
        else:
            stated |= {key: value for key, value in _named(plain).items() if key in STATED_BEFORE}
    _add(findings, stated, block, first)
    return findings


def _named(line: str) -> dict[str, str]:
    """The value of a line under the key that the tools' JSON has for it."""
    pair = pair_of(line)
    if pair is None:
        return {}
    label, value = pair
    latency = _LATENCY.fullmatch(label)
    key = f"{latency[1]}_{latency[2].replace(' ', '_')}_ms" if latency else KEYS.get(label, "")
    return {key: value.split()[0]} if key else {}


def _add(findings: Findings, stated: dict[str, Any], block: dict[str, Any] | None, line: int) -> None:
    if block:
        result = JsonObject({"model_id": stated.get("model"), **stated, **block})
        findings.add(context_of(result), figures_of_result(result), line, note_of(result))


IMPORTER = Importer("serving_console", "vLLM or SGLang serving benchmark, as printed", recognises, read)
