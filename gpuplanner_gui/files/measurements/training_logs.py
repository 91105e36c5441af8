"""Training logs: Megatron-LM, NeMo and the Hugging Face Trainer, each run as one measurement without its warm-up.

Megatron's lines read `iteration N/M | … | elapsed time per iteration (ms): T | … global batch size: B | …`. Prefixes of
ranks and clocks, forks that spell `gloabl`, lines broken in two and everything between them are put up with; devices,
layout and sequence length stand in the dump of arguments before the first step, where the log has it. NeMo writes
`train_step_timing in s: 12.6`, `global_batch_size: 512`. The Trainer's `trainer_state.json`, `train_results.json` and
console name neither devices nor model nor precision.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.measurement import Figure, MeasurementContext, Statistic, figure
from gpuplanner_gui.files.measurements.importer import SEARCHED_BYTES, Findings, Importer, Look
from gpuplanner_gui.files.measurements.source import HEAD_BYTES, Source
from gpuplanner_gui.files.measurements.values import JsonObject, count, figures_of, number

_SPREAD: tuple[Statistic, ...] = ("p10", "p90")
WARM_UP_STEPS = 3
"""The first steps compile and allocate; a log that is shorter than twice as many keeps them all."""
FEW_STEPS = "too few steps to exclude the first ones, which compile and allocate"


@dataclass
class StepColumn:
    """Values of one quantity, a number per step."""

    values: array[float] = field(default_factory=lambda: array("d"))

    def add(self, value: float | None) -> None:
        if value is not None and 0 < value < 1e18:
            self.values.append(value)

    def extend(self, values: NDArray[np.float64]) -> None:
        """Many at once; what is no time or rate is left out."""
        self.values.frombytes(values[(values > 0) & (values < 1e18)].astype(np.float64).tobytes())

    @property
    def kept(self) -> NDArray[np.float64]:
        all_values = np.array(self.values)
        return all_values[WARM_UP_STEPS:] if len(all_values) >= 2 * WARM_UP_STEPS else all_values

    def figures(self, quantity: str, scale: float = 1.0) -> list[Figure]:
        """Median, and with several steps the 10th and 90th percentile."""
        kept = self.kept
        if not len(kept):
            return []
        found = [figure(quantity, float(np.median(kept)) * scale, "p50")]
        if len(kept) > WARM_UP_STEPS:
            found += [
                figure(quantity, float(value) * scale, name)
                for name, value in zip(_SPREAD, np.percentile(kept, (10, 90)))
            ]
        return found


NEMO_MARK = b"train_step_timing in s"
_NEMO_VALUE = rb"\s*[:=]\s*([-+.\deE]{1,30})"
NEMO_STEP = re.compile(NEMO_MARK + _NEMO_VALUE)
NEMO_FLOPS = re.compile(rb"TFLOPS_per_GPU" + _NEMO_VALUE)
NEMO_BATCH = re.compile(rb"global_batch_size" + _NEMO_VALUE)


def read_nemo(source: Source, look: Look) -> Findings:
    """All steps of the log as one run."""
    findings = Findings()
    step_s, flops = StepColumn(), StepColumn()
    batch = first = lines = 0
    for chunk in source.chunks():
        if not step_s.values and NEMO_MARK in chunk:
            first = lines + chunk.count(b"\n", 0, chunk.find(NEMO_MARK)) + 1
        lines += chunk.count(b"\n")
        for column, pattern in ((step_s, NEMO_STEP), (flops, NEMO_FLOPS)):
            for found in pattern.findall(chunk):
                column.add(number(found.decode()))
        batches = NEMO_BATCH.findall(chunk)
        batch = count(batches[-1].decode()) if batches else batch
    context = MeasurementContext(engine="nemo", global_batch=batch, requests=len(step_s.values))
    figures = step_s.figures("step_time") + flops.figures("model_flop_per_s_per_device", 1e12)
    findings.add(context, figures, first, FEW_STEPS if len(step_s.values) < 2 * WARM_UP_STEPS else "")
    return findings


NEMO = Importer("nemo", "NeMo log", lambda look: look.anywhere(NEMO_MARK), read_nemo)


PRINTED = "'train_runtime': "
_PRINTED_VALUE = re.compile(r"'(\w{1,60})': '?([-+.\deE]{1,30})")
LONGEST_PRINTED = 2000


def read_state(source: Source, look: Look) -> Findings:
    """Steps between log entries, and the totals of the last entry."""
    findings, state = Findings(), look.first
    step_s, tokens = StepColumn(), StepColumn()
    totals, before = JsonObject({}), None
    for entry in state.objects("log_history"):
        if "train_steps_per_second" in entry:
            totals = entry
            continue
        now = (entry.number("step"), entry.number("train_runtime"), entry.number("num_input_tokens_seen"))
        if before is not None and None not in now[:2] and None not in before[:2]:
            _add_interval(before, now, step_s, tokens)
        before = now
    context = MeasurementContext(
        engine="hf_trainer",
        micro_batch=state.count("train_batch_size"),
        requests=state.count("global_step"),
        duration_s=totals.positive("train_runtime"),
    )
    figures = (
        step_s.figures("step_time") + tokens.figures("training_tokens_per_s") + _totals(totals, bool(step_s.values))
    )
    note = FEW_STEPS if state.count("global_step") < 2 * WARM_UP_STEPS else ""
    findings.add(context, figures, 0, note)
    return findings


Logged = tuple[float | None, float | None, float | None]


def _add_interval(before: Logged, now: Logged, step_s: StepColumn, tokens: StepColumn) -> None:
    """Time per step and tokens per second between two entries of the log."""
    steps, seconds = (now[0] or 0) - (before[0] or 0), (now[1] or 0) - (before[1] or 0)
    if steps <= 0 or seconds <= 0:
        return
    step_s.add(seconds / steps)
    if now[2] is not None and before[2] is not None:
        tokens.add((now[2] - before[2]) / seconds)


def read_results(source: Source, look: Look) -> Findings:
    """The totals of a run; start-up is in them."""
    findings, result = Findings(), look.first
    context = MeasurementContext(engine="hf_trainer", duration_s=result.positive("train_runtime"))
    findings.add(context, _totals(result, False), 1, "the totals include start-up")
    return findings


def read_printed(source: Source, look: Look) -> Findings:
    """The totals of every run in a console's log: a dictionary as Python prints it."""
    findings = Findings()
    for line, text in source.lines():
        if PRINTED not in text:
            continue
        start = text.index(PRINTED)
        result = JsonObject(dict(_PRINTED_VALUE.findall(text[start : start + LONGEST_PRINTED])))
        context = MeasurementContext(engine="hf_trainer", duration_s=result.positive("train_runtime"))
        findings.add(context, _totals(result, False), line, "the totals include start-up")
    return findings


def _totals(result: JsonObject, has_steps: bool) -> list[Figure]:
    """Means of the whole run, those that the log itself did not give."""
    steps, runtime = result.positive("train_steps_per_second"), result.positive("train_runtime")
    flop, seen = result.positive("total_flos"), result.positive("num_input_tokens_seen")
    values = {
        ("training_samples_per_s", "mean"): result.number("train_samples_per_second"),
        ("training_flop_per_s", "mean"): flop / runtime if flop and runtime else None,
    }
    if not has_steps:
        values |= {
            ("step_time", "mean"): 1 / steps if steps else None,
            ("training_tokens_per_s", "mean"): seen / runtime if seen and runtime else None,
        }
    return figures_of(values)


HF_STATE = Importer(
    "hf_trainer", "Hugging Face Trainer state", lambda look: look.has("log_history", "global_step"), read_state,
    ('"log_history"',),
)  # fmt: skip
HF_RESULTS = Importer(
    "hf_results", "Hugging Face Trainer results",
    lambda look: look.has("train_runtime", "train_steps_per_second"), read_results, ('"train_runtime"',),
)  # fmt: skip
HF_PRINTED = Importer(
    "hf_results", "Hugging Face Trainer results",
    lambda look: look.anywhere(PRINTED.encode()) and look.anywhere(b"'train_steps_per_second': "), read_printed,
)  # fmt: skip


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


def read_megatron(source: Source, look: Look) -> Findings:
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


MEGATRON = Importer("megatron", "Megatron-LM log", lambda look: look.anywhere(MARK), read_megatron)
