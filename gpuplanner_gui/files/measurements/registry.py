"""All formats, in the order in which they are asked, and the one door to read a file of any of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from gpuplanner_gui.domain.measurement import Measurement
from gpuplanner_gui.files.errors import FileProblem, said
from gpuplanner_gui.files.measurements import (
    aiperf,
    device_logs,
    guidellm,
    llama_bench,
    loadgen,
    nccl_tests,
    probe,
    profiles,
    serving_json,
    table,
    training_logs,
    trtllm_bench,
)
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look, look_at
from gpuplanner_gui.files.measurements.source import Source, opened

IMPORTERS: tuple[Importer, ...] = (
    probe.IMPORTER,
    trtllm_bench.IMPORTER,
    serving_json.SGLANG,
    serving_json.VLLM,
    serving_json.THROUGHPUT,
    serving_json.LATENCY,
    aiperf.RECORDS,
    guidellm.REPORT,
    llama_bench.JSON,
    training_logs.HF_STATE,
    training_logs.HF_RESULTS,
    aiperf.JSON,
    guidellm.TABLE,
    aiperf.CSV,
    llama_bench.CSV,
    llama_bench.MARKDOWN,
    llama_bench.SQL,
    serving_json.CONSOLE,
    trtllm_bench.PRINTED_IMPORTER,
    loadgen.IMPORTER,
    profiles.DEEPSPEED,
    profiles.TORCH,
    nccl_tests.IMPORTER,
    device_logs.QUERY,
    device_logs.DMON,
    device_logs.DCGMI,
    device_logs.EXPORTER,
    training_logs.MEGATRON,
    training_logs.NEMO,
    training_logs.HF_PRINTED,
    table.IMPORTER,
)
"""Those that tell their files most surely come first."""

NEAR_BYTES = 4_000_000
TRAFFIC_MARKS = ("contexttokens", "hash_ids", "request tokens")
KNOWN = (
    "vLLM, SGLang, AIPerf, GenAI-Perf, TensorRT-LLM, GuideLLM, MLPerf LoadGen, llama-bench, Megatron-LM, NeMo, "
    "Hugging Face Trainer, DeepSpeed, PyTorch profiler, nccl-tests, nvidia-smi, DCGM, the probe, or a CSV table"
)
CUT_LINE = said("The last line has no line end. If the file was cut off there, its last figures are wrong.")


@dataclass(frozen=True)
class ImportedFile:
    """What a file brought, names still as written."""

    path: Path
    tool: str
    title: str
    digest: str
    measurements: tuple[Measurement, ...]
    remarks: tuple[str, ...]


def import_file(
    path: Path,
    columns: Mapping[str, str] | None = None,
    is_cancelled: Callable[[], bool] | None = None,
    on_progress: Callable[[float], None] | None = None,
) -> ImportedFile:
    """Every measurement of a file of any known format, which is told by its content.

    Parameters
    ----------
    columns : mapping of meaning to heading, optional
        For a table whose headings say nothing: `{"ttft_ms": "First token", "gpu": "Card"}`.
    is_cancelled, on_progress
        Asked and told (the share read) every megabyte.

    Raises
    ------
    FileProblem
        For a file that can't be read, is damaged, of no known format, or holds no figure.
    CancelledError
        When `is_cancelled` says so.
    """
    with opened(Path(path), is_cancelled, on_progress) as source:
        look = look_at(source)
        if columns:
            title, tool = table.IMPORTER.title, table.IMPORTER.tool
            findings = table.read_mapped(source, dict(columns))
        else:
            importer = _importer_of(source, look)
            title, tool = importer.title, importer.tool
            findings = importer.read(source, look)
        if not findings.measurements:
            why = (
                f": {findings.remarks[0][:1].lower()}{findings.remarks[0][1:].rstrip('.')}" if findings.remarks else ""
            )
            raise source.problem(
                "",
                "this looks like {title}, but contains no measurement{why}",
                "Choose another file",
                title=title,
                why=why,
            )
        if not look.kind and not source.data[-1:].isspace():
            findings.remark(CUT_LINE)
        return ImportedFile(
            source.path, tool, title, source.digest(), tuple(findings.measurements), tuple(_remarks(findings))
        )


def _remarks(findings: Findings) -> list[str]:
    if not findings.left_out:
        return findings.remarks
    left = said("{count} more results are skipped: the file has too many.", count=f"{findings.left_out:,}")
    return [*findings.remarks, left]


def _importer_of(source: Source, look: Look) -> Importer:
    # What marks a log stands near its beginning as a rule: the whole of it is searched for each mark only if need be.
    for one in (replace(look, searched_bytes=NEAR_BYTES), look):
        for importer in IMPORTERS:
            if importer.recognises(one):
                return importer
    raise _unknown(source, look)


def _likeliest(look: Look) -> str:
    """Title of the format of which a damaged file shows the most marks; empty where it shows none."""
    shown = {one.title: sum(mark in look.head for mark in one.marks) for one in reversed(IMPORTERS)}
    title = max(reversed(shown), key=lambda name: shown[name])
    return title if shown[title] else ""


def _unknown(source: Source, look: Look) -> FileProblem:
    if look.json_problem:
        looks_like = _likeliest(look)
        what = (
            said("this looks like {looks_like}, but", looks_like=looks_like)
            if looks_like
            else "this begins like JSON, but"
        )
        return source.problem(
            "",
            "{what} {json_problem}",
            "Export or copy the complete file again",
            what=what,
            json_problem=look.json_problem,
        )
    if device_logs.lacks_header(look):
        return source.problem(
            "line 1",
            "this looks like an nvidia-smi log without headings",
            "Remove noheader from --format, or add the headings as the first line",
        )
    first = look.head.partition("\n")[0].lower()
    if any(mark in first for mark in TRAFFIC_MARKS):
        return source.problem("", "this is recorded traffic, not a measurement", "Import it as a traffic trace")
    table_problem = table.unknown_headings(source.path, look.head) if not look.kind else None
    if table_problem is not None:
        return table_problem
    return source.problem("", "this is not a known measurement format", "Choose a result of {known}", known=KNOWN)
