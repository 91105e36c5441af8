"""DeepSpeed's flops profiler: `label:   value unit` lines before a module tree; prefixes and units vary."""

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


def recognises(look: Look) -> bool:
    return TITLE in look.head


def read(source: Source, look: Look) -> Findings:
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


IMPORTER = Importer("deepspeed_profiler", "DeepSpeed flops profiler", recognises, read)
