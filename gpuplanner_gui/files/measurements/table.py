"""A plain table in CSV: headings say what a column holds, or the planner does.

A heading is a field of the context (`model`, `gpu`, `isl` …) or a quantity with statistic and unit (`ttft_p95_ms`,
`TPOT (ms)`, `output_tok_s`). Without a unit, numbers are in SI units.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Any

import msgspec

from gpuplanner_gui.domain.measurement import QUANTITIES, Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import LARGEST_VALUE, Findings, Importer, Look
from gpuplanner_gui.files.measurements.latency_keys import STATISTICS, percentile_name
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import SECONDS, count, number, positive, word
from gpuplanner_gui.files.said import said

DELIMITERS = (",", ";", "\t")
MOST_COLUMNS = 500
FIELDS: dict[str, tuple[str, ...]] = {
    "model_as_written": ("model", "model_id", "model_path", "model_name"),
    "accelerator_as_written": ("accelerator", "gpu", "device", "system", "gpu_name", "hardware"),
    "devices": ("devices", "n_gpus", "gpus", "num_gpus", "gpu_count", "device_count", "ranks"),
    "weight_precision": ("weight_precision", "precision", "dtype", "quantization", "recipe"),
    "kv_precision": ("kv_precision", "kv_cache_dtype", "kv_dtype"),
    "engine": ("engine", "backend", "framework"),
    "engine_version": ("engine_version", "backend_version", "framework_version", "version", "release"),
    "tensor_parallel": ("tensor_parallel", "tp", "tp_size"),
    "pipeline_parallel": ("pipeline_parallel", "pp", "pp_size"),
    "data_parallel": ("data_parallel", "dp", "dp_size"),
    "expert_parallel": ("expert_parallel", "ep", "ep_size"),
    "context_parallel": ("context_parallel", "cp", "cp_size"),
    "load": ("load",),
    "concurrency": ("concurrency", "max_concurrency", "batch", "batch_size", "users"),
    "rate_per_s": ("rate_per_s", "request_rate", "request_rate_per_s", "rate", "qps"),
    "prompt_tokens": ("prompt_tokens", "isl", "input_len", "input_tokens", "input_length", "mean_isl"),
    "output_tokens": ("output_tokens", "osl", "output_len", "output_length", "mean_osl"),
    "requests": ("requests", "num_prompts", "completed"),
    "sequence_length": ("sequence_length", "seq_len", "seqlen"),
    "global_batch": ("global_batch", "gbs", "global_batch_size"),
    "micro_batch": ("micro_batch", "mbs", "micro_batch_size"),
    "operation": ("operation", "collective", "kernel", "activity"),
    "message_bytes": ("message_bytes", "bytes"),
    "duration_s": ("duration_s", "duration"),
    "virtualisation_loss": ("virtualisation", "virtualization", "virtualisation_loss", "vm_loss"),
    "measured_on": ("measured_on", "date"),
}
QUANTITY_NAMES: dict[str, tuple[str, ...]] = {
    "itl": ("inter_token_latency",),
    "ttft": ("time_to_first_token",),
    "tpot": ("time_per_output_token",),
    "e2e": ("e2el", "e2e_latency", "request_latency", "latency"),
    "requests_per_s": ("req_s", "request_throughput", "req_throughput", "rps"),
    "output_tokens_per_s": ("output_tok_s", "output_throughput", "throughput_tok_s"),
    "total_tokens_per_s": ("total_tok_s", "total_token_throughput"),
    "input_tokens_per_s": ("input_tok_s",),
    "prefill_tokens_per_s": ("prefill_tok_s",),
    "decode_tokens_per_s": ("decode_tok_s",),
    "training_tokens_per_s": ("train_tokens_per_s", "train_tok_s", "tokens_per_s"),
    "memory_used": ("peak_memory", "memory", "peak_mem"),
    "step_time": ("iteration_time", "time_per_step"),
}
UNITS = {
    **SECONDS, "gb": 1e9, "gib": 2.0**30, "mib": 2.0**20, "mb": 1e6, "w": 1.0, "kw": 1e3, "tflops": 1e12,
    "tflop_s": 1e12, "gb_s": 1e9, "percent": 0.01,
}  # fmt: skip
_BRACKETS = re.compile(r"\s*[\[(]([^\])]*)[\])]\s*$")
_WORDS: dict[str, Statistic] = {"mean": "mean", "avg": "mean", "average": "mean", "median": "p50", "std": "sd"}


@dataclass(frozen=True)
class QuantityColumn:
    """What a column of figures holds."""

    quantity: str
    statistic: Statistic
    scale: float


def recognises(look: Look) -> bool:
    if look.kind:
        return False
    header = _header(look.head.partition("\n")[0])
    return len(header) > 1 and any(quantity_column(name) is not None for name in header)


def read(source: Source, look: Look) -> Findings:
    return read_mapped(source, {})


def read_mapped(source: Source, named: dict[str, str]) -> Findings:
    """Every row; `named` maps headings to what they hold. Raises FileProblem for a heading that is not there."""
    findings = Findings()
    header: list[str] = []
    columns: dict[int, QuantityColumn | str] = {}
    delimiter = ","
    for line, text in source.lines():
        if not text.strip():
            continue
        if not header:
            delimiter = max(DELIMITERS, key=text.count)
            header = _header(text)
            columns = _columns(source, header, named)
            continue
        try:
            cells = next(csv.reader([text], delimiter=delimiter), [])
        except csv.Error:
            findings.remark(said("Line {line} is left out: it is no row.", line=line))
            continue
        _add(findings, columns, cells, line)
    return findings


def quantity_column(heading: str) -> QuantityColumn | None:
    """What a heading says that its column holds; None where it names no quantity."""
    bracket = _BRACKETS.search(heading)
    unit = _plain(bracket[1]) if bracket else ""
    words = _plain(_BRACKETS.sub("", heading)).removeprefix("measured_").split("_")
    if not unit and len(words) > 1 and "_".join(words) not in _QUANTITY_BY_NAME:
        for width in (2, 1):
            ending = "_".join(words[-width:])
            if len(words) > width and ending in UNITS:
                words, unit = words[:-width], ending
                break
    statistic: Statistic = "mean"
    for position in (-1, 0):
        found = _WORDS.get(words[position]) or _statistic(words[position])
        if found is not None and len(words) > 1:
            statistic = found
            words = words[:-1] if position else words[1:]
            break
    quantity = _QUANTITY_BY_NAME.get("_".join(words))
    if quantity is None or (unit and unit not in UNITS):
        return None
    return QuantityColumn(quantity, statistic, UNITS.get(unit, 1.0))


def _statistic(text: str) -> Statistic | None:
    if text in STATISTICS:
        return text  # type: ignore[return-value]
    return percentile_name(text) if re.fullmatch(r"p\d{1,3}", text) else None


_QUANTITY_BY_NAME = {name: name for name in QUANTITIES} | {
    alias: quantity for quantity, aliases in QUANTITY_NAMES.items() for alias in aliases
}
_FIELD_BY_NAME = {alias: name for name, aliases in FIELDS.items() for alias in (name, *aliases)}


def _plain(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "_", text.strip().lower().replace("/", "_")).strip("_")


def _header(line: str) -> list[str]:
    text = line.strip("\r\n")
    try:
        cells = next(csv.reader([text], delimiter=max(DELIMITERS, key=text.count)), [])
    except csv.Error:
        return []
    return [word(cell) for cell in cells[:MOST_COLUMNS]]


def _columns(source: Source, header: list[str], named: dict[str, str]) -> dict[int, QuantityColumn | str]:
    columns: dict[int, QuantityColumn | str] = {}
    by_heading = {heading.strip().lower(): meaning for meaning, heading in named.items()}
    unknown = [heading for heading in by_heading if heading not in [name.lower() for name in header]]
    if unknown:
        shown = ", ".join(header[:12])
        raise source.problem(
            "line 1",
            said("there is no column {unknown}; the columns are: {shown}", unknown=repr(unknown[0]), shown=shown),
            "Name one that is there",
        )
    for index, heading in enumerate(header):
        meaning = by_heading.get(heading.lower(), heading)
        column = quantity_column(meaning)
        name = _FIELD_BY_NAME.get(_plain(meaning))
        if column is not None and (name is None or meaning != heading):
            columns[index] = column
        elif name is not None:
            columns[index] = name
    if not any(isinstance(one, QuantityColumn) for one in columns.values()):
        raise source.problem(
            "line 1",
            "no column holds a figure that is known, such as ttft_ms or tokens_per_s",
            "Name it with --columns",
        )
    return columns


def _add(findings: Findings, columns: dict[int, QuantityColumn | str], cells: list[str], line: int) -> None:
    values: dict[str, Any] = {}
    figures: list[Figure] = []
    for index, column in columns.items():
        cell = cells[index].strip() if index < len(cells) else ""
        if not cell:
            continue
        if isinstance(column, QuantityColumn):
            value = number(cell)
            if value is not None and 0 <= value * column.scale < LARGEST_VALUE:
                figures.append(figure(column.quantity, value * column.scale, column.statistic))
        else:
            values[column] = _field_value(column, cell)
    context = MeasurementContext(**values)
    if not context.load and (context.rate_per_s or context.concurrency):
        load = "open_loop" if context.rate_per_s else "closed_loop"
        context = msgspec.structs.replace(context, load=load)
    findings.add(context, figures, line)


def _field_value(name: str, cell: str) -> Any:
    default = getattr(_EMPTY, name)
    if isinstance(default, str):
        return word(cell) if name != "load" else _load(cell)
    return count(cell) if isinstance(default, int) else positive(cell)


_EMPTY = MeasurementContext()
_LOADS = ("closed_loop", "open_loop", "offline", "batch")


def _load(cell: str) -> str:
    plain = _plain(cell)
    return plain if plain in _LOADS else ""


IMPORTER = Importer("table", "table", recognises, read)
