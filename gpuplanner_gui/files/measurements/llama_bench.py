"""llama-bench in JSON, JSON lines, CSV, SQL and Markdown: one row per test of one stream.

A test with a prompt alone is prefill, with generation alone decode; a depth is what the cache held before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, csv_rows, json_objects
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import amount, count, figures_of, positive, word
from gpuplanner_gui.files.model_names import precision_hint

KEYS = ("n_prompt", "n_gen", "avg_ts", "model_type")
_TEST = re.compile(r"(?:pp ?(\d{1,7}))?\+?(?:tg ?(\d{1,7}))?(?: @ d(\d{1,8}))?")
INSERT = "INSERT INTO llama_bench ("
_INSERTED = re.compile(r"INSERT INTO llama_bench \(([\w, ]*)\) VALUES \((.*)\);")
_QUOTED = re.compile(r"'((?:[^']|'')*)'")
LONGEST_LINE = 20_000
_DEVICE = re.compile(r"^[ \t]{1,8}Device (\d{1,3}): ([^\n]{1,100}?), (?:compute capability|gfx)", re.MULTILINE)
_BUILD = re.compile(r"^build: ([0-9a-f]{6,40}) \(\d+\)", re.MULTILINE)
_KV = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "q8_0": "int8", "q4_0": "int4", "q4_1": "int4"}


def is_csv(look: Look) -> bool:
    first = look.head.partition("\n")[0]
    return all(f"{key}" in first.replace('"', "").split(",") for key in KEYS)


def is_markdown(look: Look) -> bool:
    return any(
        line.startswith("|") and "test" in _cells(line) and "t/s" in _cells(line) for line in look.head.splitlines()
    )


def read_json(source: Source, look: Look) -> Findings:
    findings = Findings()
    for line, row in json_objects(source, look, findings):
        _add(findings, row.values(but="samples_"), line)
    return findings


def read_csv(source: Source, look: Look) -> Findings:
    findings = Findings()
    header: list[str] = []
    for line, cells in csv_rows(source, findings):
        if not header:
            header = cells
        elif cells:
            _add(findings, _row_of(header, cells), line)
    return findings


TRAILING = ("n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts")


def _row_of(header: list[str], cells: list[str]) -> dict[str, Any]:
    """A row by its headings. Some builds head more columns than they fill; the last ones are then read from the end."""
    row = dict(zip(header, cells, strict=False))
    if len(cells) != len(header) and tuple(header[-len(TRAILING) :]) == TRAILING:
        row |= dict(zip(TRAILING, cells[-len(TRAILING) :], strict=False))
    return row


def read_sql(source: Source, look: Look) -> Findings:
    findings = Findings()
    for line, text in source.lines():
        found = _INSERTED.match(text[:LONGEST_LINE])
        if found is not None:
            names = [name.strip() for name in found[1].split(",")]
            values = [value.replace("''", "'") for value in _QUOTED.findall(found[2])]
            _add(findings, _row_of(names, values), line)
    return findings


def read_markdown(source: Source, look: Look) -> Findings:
    """The table as printed: columns vary, sizes are rounded; devices and build stand around it, if at all."""
    findings = Findings()
    devices = ",".join(dict(_DEVICE.findall(look.head)).values())
    build = _BUILD.search(look.head)
    for line, row in _markdown_rows(source):
        test = _TEST.fullmatch(row.get("test", ""))
        rate = amount(row.get("t/s", ""))
        if test is None or rate is None:
            findings.remark("Line {line} is skipped: its test is not known.", line=line)
            continue
        spread = amount(row["t/s"].partition("±")[2])
        values = {
            "n_prompt": test[1], "n_gen": test[2], "n_depth": test[3], "avg_ts": rate[0],
            "stddev_ts": spread[0] if spread else None, "model_type": row.get("model", ""),
            "backends": row.get("backend", ""), "type_k": row.get("type_k", ""),
            "gpu_info": devices, "build_commit": build[1] if build else "", "split_mode": row.get("sm", ""),
        }  # fmt: skip
        _add(findings, values, line)
    return findings


def _markdown_rows(source: Source) -> Iterator[tuple[int, dict[str, str]]]:
    header: list[str] = []
    for line, text in source.lines():
        cells = _cells(text) if text.lstrip().startswith("|") else []
        if not cells or set("".join(cells)) <= set("-: "):
            continue
        if "test" in cells and "t/s" in cells:
            header = cells
        elif header:
            yield line, dict(zip(header, cells, strict=False))


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _add(findings: Findings, row: dict[str, Any], line: int) -> None:
    prompt, answer = count(row.get("n_prompt")), count(row.get("n_gen"))
    context = MeasurementContext(
        model_as_written=_model(row),
        accelerator_as_written=word(row.get("gpu_info")) or _processor(row),
        devices=_devices(row),
        weight_precision=precision_hint(word(row.get("model_type"))) or "",
        kv_precision=_KV.get(word(row.get("type_k")), ""),
        engine="llama.cpp",
        engine_version=word(row.get("build_commit")),
        load="batch",
        concurrency=1.0,
        prompt_tokens=float(prompt),
        output_tokens=float(answer),
        cached_tokens=float(count(row.get("n_depth"))),
        measured_on=word(row.get("test_time"))[:10],
    )
    findings.add(context, _figures(row, prompt, answer), line)


def _figures(row: dict[str, Any], prompt: int, answer: int) -> list[Figure]:
    rate = positive(row.get("avg_ts"))
    if not rate:
        return []
    quantity = "prefill_tokens_per_s" if not answer else "decode_tokens_per_s" if not prompt else "total_tokens_per_s"
    values: dict[tuple[str, Statistic], Any] = {(quantity, "mean"): rate, (quantity, "sd"): row.get("stddev_ts")}
    found = figures_of(values)
    if quantity == "decode_tokens_per_s":
        found.append(figure("tpot", 1.0 / rate))
    elif quantity == "prefill_tokens_per_s":
        found.append(figure("ttft", prompt / rate))
    return found


def _model(row: dict[str, Any]) -> str:
    """The file's name says more than the type: `Qwen2.5-7B-Instruct-Q4_K_M.gguf`, `qwen2 7B Q4_K - Medium`."""
    file = word(row.get("model_filename")).replace("\\", "/").rpartition("/")[2]
    return file.removesuffix(".gguf") or word(row.get("model_type"))


def _devices(row: dict[str, Any]) -> int:
    names = [name for name in word(row.get("gpu_info")).split(",") if name.strip()]
    if not names:
        return 1 if _processor(row) else 0
    return 1 if word(row.get("split_mode")) == "none" else len(names)


def _processor(row: dict[str, Any]) -> str:
    """The CPU where nothing else computes."""
    return word(row.get("cpu_info")) if word(row.get("backends")).upper() in ("CPU", "BLAS") else ""


JSON = Importer("llama_bench", "llama-bench", lambda look: look.has(*KEYS), read_json, ('"n_prompt"', '"avg_ts"'))
CSV = Importer("llama_bench", "llama-bench", is_csv, read_csv)
SQL = Importer("llama_bench", "llama-bench", lambda look: look.anywhere(INSERT.encode()), read_sql)
MARKDOWN = Importer("llama_bench", "llama-bench", is_markdown, read_markdown)
