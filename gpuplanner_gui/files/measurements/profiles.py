"""Profiles: DeepSpeed's flops profiler, and PyTorch's `key_averages().table()`.

DeepSpeed writes `label:   value unit` lines before a module tree; prefixes and units vary. PyTorch's columns are fixed,
names may be cut, and device columns stand where there is a device: what matters for a plan is where the time goes.
"""

from __future__ import annotations

import re

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, figure
from gpuplanner_gui.files.measurements.importer import Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import Source
from gpuplanner_gui.files.measurements.values import count, scaled, seconds

TITLE = "DeepSpeed Flops Profiler"
_LABEL = re.compile(r"([^:=]{2,60}?)\s*(?:=[^:]*)?:\s+(\S.*)")
TIMES = {
    "fwd latency": "forward_time",
    "bwd latency": "backward_time",
    "step latency": "optimizer_time",
    "iter latency": "step_time",
}
MOST_LINES = 400
"""The labels stand before the tree of modules, which may be long."""


def is_deepspeed(look: Look) -> bool:
    return TITLE in look.head


def read_deepspeed(source: Source, look: Look) -> Findings:
    """The profiled step."""
    findings = Findings()
    labels: dict[str, str] = {}
    first = 0
    for line, text in source.lines():
        if TITLE in text:
            first = line
        found = _LABEL.fullmatch(text.strip()[:300]) if first else None
        if found is not None:
            labels.setdefault(found[1].strip().lower(), found[2])
        if (first and line > first + MOST_LINES) or "Detailed Profile" in text:
            break
    if not any(name in labels for name in TIMES):
        raise source.problem("", "the profile ends before its times", "Copy the complete output")
    findings.add(_context(labels), _figures(labels), first, "one step alone, while it was profiled")
    return findings


def _context(labels: dict[str, str]) -> MeasurementContext:
    return MeasurementContext(
        engine="deepspeed",
        devices=count(labels.get("world size", "").strip()),
        data_parallel=count(labels.get("data parallel size", "").strip()),
        tensor_parallel=count(labels.get("model parallel size", "").strip()),
        micro_batch=count(labels.get("batch size per gpu", "").strip()),
    )


def _figures(labels: dict[str, str]) -> list[Figure]:
    found = []
    for label, quantity in TIMES.items():
        value = seconds(labels.get(label, ""))
        if value:
            found.append(figure(quantity, value))
    for label in ("flops per gpu", "fwd+bwd flops per gpu"):
        rate = scaled(labels.get(label, ""), ("FLOPS", ""))
        if rate and "iter latency" in labels:
            found.append(figure("model_flop_per_s_per_device", rate))
            break
    samples = scaled(labels.get("samples/second", ""))
    if samples:
        found.append(figure("training_samples_per_s", samples))
    return found


DEEPSPEED = Importer("deepspeed_profiler", "DeepSpeed flops profiler", is_deepspeed, read_deepspeed)


SELF_COLUMNS = ("Self CUDA", "Self XPU", "Self HPU", "Self MTIA", "Self CPU")
"""The device's own time where it has a column, else the host's."""
CLASSES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "communication",
        re.compile(r"[nr]ccl|all_?reduce|all_?gather|reduce_?scatter|c10d|all_?to_?all|sendrecv", re.I),
    ),
    ("attention", re.compile(r"attention|flash|fmha|sdpa|softmax", re.I)),
    ("products", re.compile(r"gemm|matmul|::mm|::bmm|addmm|linear|cutlass|cublas|conv|wgmma|nvjet", re.I)),
    ("copies", re.compile(r"memcpy|copy_|::to$|_to_copy|pin_memory", re.I)),
    ("optimizer", re.compile(r"adam|optimizer|foreach|sgd|multi_tensor", re.I)),
)
OTHER = "other"
MAIN_CLASSES = ("products", "attention")


def is_torch(look: Look) -> bool:
    return re.search(r"^[ \t]*Name\s{2,}Self CPU %\s", look.head, re.MULTILINE) is not None


def read_torch(source: Source, look: Look) -> Findings:
    """Time of the operators' own work by class, and each class's share."""
    findings = Findings()
    columns: list[str] = []
    totals: dict[str, float] = {}
    first, rows = 0, 0
    for line, text in source.lines():
        cells = _cells(text)
        if not columns:
            if len(cells) > 3 and cells[0] == "Name":
                columns, first = cells, line
            continue
        own = _own_time_s(columns, cells)
        if own is None:
            continue
        rows += 1
        name = next((one for one, pattern in CLASSES if pattern.search(cells[0])), OTHER)
        totals[name] = totals.get(name, 0.0) + own
    whole = sum(totals.values())
    if not rows or whole <= 0:
        raise source.problem("", "the table has no rows with times", "Copy the complete table")
    for name, spent in sorted(totals.items(), key=lambda item: -item[1]):
        figures = [figure("kernel_time", spent, "total"), figure("kernel_share", spent / whole)]
        findings.add(MeasurementContext(operation=name), figures, first)
    main = sum(totals.get(name, 0.0) for name in MAIN_CLASSES)
    findings.remark(
        "{share} of the operators' own time is outside matrix products and attention.", share=f"{1 - main / whole:.0%}"
    )
    return findings


def _cells(text: str) -> list[str]:
    """Columns stand at least two spaces apart; names hold single ones."""
    return [cell for cell in re.split(r"\s{2,}", text[:5000].strip()) if cell]


def _own_time_s(columns: list[str], cells: list[str]) -> float | None:
    if len(cells) != len(columns) or set(cells[0]) <= {"-"}:
        return None
    if count(cells[columns.index("# of Calls")]) < 1 if "# of Calls" in columns else False:
        return None
    position = next((columns.index(name) for name in SELF_COLUMNS if name in columns), -1)
    return seconds(cells[position]) if position >= 0 else None


TORCH = Importer("torch_profiler", "PyTorch profiler table", is_torch, read_torch)
