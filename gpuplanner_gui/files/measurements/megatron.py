"""Megatron-LM's log lines: `iteration N/M | … | elapsed time per iteration (ms): T | … global batch size: B | …`.

Prefixes of ranks and clocks, forks that spell `gloabl`, lines broken in two and everything between them are put up
with. Devices, layout and sequence length stand in the dump of arguments before the first step, where the log has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.measurement import MeasurementContext
from gpuplanner_gui.files.measurements.importer import SEARCHED_BYTES, Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import HEAD_BYTES, Source
from gpuplanner_gui.files.measurements.training_log import FEW_STEPS, WARM_UP_STEPS, StepColumn
from gpuplanner_gui.files.measurements.values import number

MARK = b"elapsed time per iteration (ms):"
KEYS = {
    "step_ms": MARK,
    "batch": b" batch size:",
    "flops": b"throughput per GPU (TFLOP/s/GPU):",
    "older_flops": b"TFLOPs:",
    "samples": b"samples per second:",
    "sequence": b"actual seqlen:",
    "skipped": b"number of skipped iterations:",
}
ARGUMENTS = {
    "devices": "world_size",
    "tensor_parallel": "tensor_model_parallel_size",
    "pipeline_parallel": "pipeline_model_parallel_size",
    "context_parallel": "context_parallel_size",
    "expert_parallel": "expert_model_parallel_size",
    "sequence_length": "seq_length",
    "micro_batch": "micro_batch_size",
}
_WORLD = re.compile(r"using world size: (\d{1,7})")
DUMP = b"- arguments -"
_COLOUR = re.compile(rb"\x1b\[[0-9;]{0,20}m")
LONGEST_RECORD = 3000
LONGEST_NUMBER = 30

Steps = dict[str, NDArray[np.float64]]
"""Columns by key, an entry per step; NaN where a step lacks it."""


def recognises(look: Look) -> bool:
    return not look.kind and look.anywhere(MARK)


def read(source: Source, look: Look) -> Findings:
    """The steps of the log, as one run for each batch size."""
    findings = Findings()
    runs: dict[tuple[float, float], _Run] = {}
    line = 1
    for chunk in map(_without_colours, source.chunks()):
        if MARK in chunk:
            steps = _even_steps(chunk)
            steps = _uneven_steps(chunk) if steps is None else steps
            for key, chosen in _by_shape(steps):
                run = runs.get(key)
                if run is None:
                    run = runs[key] = _Run(line + chunk.count(b"\n", 0, chunk.find(MARK)))
                run.add({name: values[chosen] for name, values in steps.items()})
        line += chunk.count(b"\n")
    dump = _dump(source, look)
    arguments = arguments_of(dump)
    for (batch, sequence), run in runs.items():
        stated = arguments | ({"sequence_length": int(sequence)} if sequence else {})
        context = MeasurementContext(engine="megatron", weight_precision=_precision(dump), global_batch=int(batch))
        run.report(findings, msgspec.structs.replace(context, **stated))
    return findings


def _without_colours(chunk: bytes) -> bytes:
    return _COLOUR.sub(b"", chunk) if b"\x1b[" in chunk else chunk


def _dump(source: Source, look: Look) -> str:
    """The dump of arguments, which stands behind whatever launchers and libraries say first."""
    start = source.data.find(DUMP, 0, SEARCHED_BYTES)
    if start < 0:
        return look.head
    return look.head + "\n" + _without_colours(source.data[start : start + HEAD_BYTES]).decode("utf-8", "replace")


def arguments_of(head: str) -> dict[str, int]:
    """Fields of the context in the dump of arguments: `  seq_length ........ 4096`."""
    found: dict[str, int] = {}
    for name, argument in ARGUMENTS.items():
        match = re.search(rf"^.{{0,60}}\b{argument} \.{{2,}} (\d{{1,9}})\s*$", head, re.MULTILINE)
        if match is not None:
            found[name] = int(match[1])
    world = _WORLD.search(head)
    if world is not None:
        found.setdefault("devices", int(world[1]))
    return found


def _precision(head: str) -> str:
    """The recipe in the dump of arguments; empty where it isn't there."""
    fp8 = re.search(r"\bfp8 \.{2,} (\S+)", head)
    if fp8 is not None and fp8[1] not in ("None", "False"):
        return "fp8"
    return next((name for name in ("bf16", "fp16") if re.search(rf"\b{name} \.{{2,}} True", head)), "")


def _even_steps(chunk: bytes) -> Steps | None:
    """Steps of a stretch in which every record has the same keys; None where it isn't so."""
    found: Steps = {}
    for name, key in KEYS.items():
        numbers = _numbers(chunk.split(key)[1:])
        if numbers is None:
            return None
        found[name] = numbers
    count = len(found["step_ms"])
    if any(len(values) not in (0, count) for values in found.values()):
        return None
    return {name: values if len(values) else np.full(count, np.nan) for name, values in found.items()}


def _numbers(parts: list[bytes]) -> NDArray[np.float64] | None:
    """The number that each part begins with, of `current/average |` the first; None where one is none."""
    for end in (b"|", b"/"):
        try:
            # A number that reaches to no bar fails as a float, and so does one that is too long.
            return np.array([float(part[: part.find(end, 0, LONGEST_NUMBER)]) for part in parts])
        except ValueError:
            continue
    return None


def _uneven_steps(chunk: bytes) -> Steps:
    """Steps record by record; each reaches over at most two lines."""
    rows: list[list[float]] = []
    position = chunk.find(MARK)
    while position >= 0:
        after = chunk.find(MARK, position + len(MARK))
        start = max(chunk.rfind(b"\n", 0, position) + 1, position - LONGEST_RECORD, 0)
        limit = min(after if after >= 0 else len(chunk), position + LONGEST_RECORD)
        first = chunk.find(b"\n", position, limit)
        second = chunk.find(b"\n", first + 1, limit) if first >= 0 else -1
        record = chunk[start : second if second >= 0 else limit].replace(b"\n", b" ")
        rows.append([_value(record, key) for key in KEYS.values()])
        position = after
    columns = np.array(rows, np.float64).reshape(len(rows), len(KEYS)).T
    return dict(zip(KEYS, columns))


def _value(record: bytes, key: bytes) -> float:
    """The number behind a key, of `current/average` the current one; NaN where there is none."""
    _, sign, rest = record.partition(key)
    words = rest[:LONGEST_NUMBER].split(None, 1) if sign else []
    value = number(words[0].strip(b"|").partition(b"/")[0].decode("ascii", "replace")) if words else None
    return np.nan if value is None else value


def _by_shape(steps: Steps) -> Iterator[tuple[tuple[float, float], NDArray[np.bool_]]]:
    """Steps of one batch size and sequence length each, 0 where unknown."""
    shapes = np.nan_to_num(np.stack([steps["batch"], steps["sequence"]]))
    for batch, sequence in dict.fromkeys(map(tuple, shapes.T.tolist())):
        yield (batch, sequence), (shapes[0] == batch) & (shapes[1] == sequence)


class _Run:
    """Steps of one batch size."""

    def __init__(self, line: int) -> None:
        self.line = line
        self.step_ms, self.flops, self.samples = StepColumn(), StepColumn(), StepColumn()
        self.skipped = 0.0

    def add(self, steps: Steps) -> None:
        self.step_ms.extend(steps["step_ms"])
        self.flops.extend(np.where(np.isnan(steps["flops"]), steps["older_flops"], steps["flops"]))
        self.samples.extend(steps["samples"])
        self.skipped += float(np.nansum(steps["skipped"]))

    def report(self, findings: Findings, context: MeasurementContext) -> None:
        steps = len(self.step_ms.values)
        figures = (
            self.step_ms.figures("step_time", 1e-3)
            + self.flops.figures("model_flop_per_s_per_device", 1e12)
            + self.samples.figures("training_samples_per_s")
        )
        notes = [FEW_STEPS] if steps < 2 * WARM_UP_STEPS else []
        if 0 < self.skipped < 1e12:
            notes.append(f"{self.skipped:.0f} steps were skipped")
        findings.add(context, figures, self.line, "; ".join(notes))


IMPORTER = Importer("megatron", "Megatron-LM log", recognises, read)
