"""What somebody measured: figures with their whole context, grouped as they were imported."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.field import LONGEST_NAME, about

Phase = Literal[
    "prefill", "decode", "serving", "training", "communication", "transfer", "kernel", "power", "memory"
]  # fmt: skip
"""What a figure speaks of. Serving: prefill, decode and waiting together. Kernel: one operation alone."""

MeasuredLoad = Literal["", "closed_loop", "open_loop", "offline", "batch"]
"""Clients that keep a number of requests running; requests at a rate; all requests at once; one batch alone."""

Statistic = Literal[
    "mean", "p01", "p05", "p10", "p25", "p50", "p75", "p90", "p95", "p97", "p99", "p999", "min", "max", "sd", "total"
]  # fmt: skip


class QuantityKind(msgspec.Struct, frozen=True):
    """A quantity that benchmarks report: its name, SI unit, and the phase that it speaks of."""

    title: str
    unit: str
    phase: Phase


MOST_DEVICES = 1_000_000
MOST = 1e9
"""Upper bound of any figure of a run; a mailed file may state anything."""

QUANTITIES: dict[str, QuantityKind] = {
    "ttft": QuantityKind("TTFT", "s", "prefill"),
    "prefill_tokens_per_s": QuantityKind("Prefill", "tok/s", "prefill"),
    "tpot": QuantityKind("TPOT", "s", "decode"),
    "itl": QuantityKind("ITL", "s", "decode"),
    "decode_tokens_per_s": QuantityKind("Decode", "tok/s", "decode"),
    "tokens_per_s_per_user": QuantityKind("Tokens/s/user", "tok/s", "decode"),
    "e2e": QuantityKind("E2E", "s", "serving"),
    "requests_per_s": QuantityKind("Requests", "req/s", "serving"),
    "goodput_per_s": QuantityKind("Goodput", "req/s", "serving"),
    "samples_per_s": QuantityKind("Samples", "samples/s", "serving"),
    "input_tokens_per_s": QuantityKind("Prompt tokens", "tok/s", "serving"),
    "output_tokens_per_s": QuantityKind("Output tokens", "tok/s", "serving"),
    "total_tokens_per_s": QuantityKind("Tokens", "tok/s", "serving"),
    "step_time": QuantityKind("Step time", "s", "training"),
    "training_tokens_per_s": QuantityKind("Training tokens", "tok/s", "training"),
    "training_samples_per_s": QuantityKind("Training samples", "samples/s", "training"),
    "model_flop_per_s_per_device": QuantityKind("Model FLOP/s/device", "FLOP/s", "training"),
    "training_flop_per_s": QuantityKind("Model FLOP/s", "FLOP/s", "training"),
    "forward_time": QuantityKind("Forward pass", "s", "training"),
    "backward_time": QuantityKind("Backward pass", "s", "training"),
    "optimizer_time": QuantityKind("Optimizer step", "s", "training"),
    "collective_time": QuantityKind("Collective", "s", "communication"),
    "algorithm_bandwidth": QuantityKind("Algorithm bandwidth", "B/s", "communication"),
    "bus_bandwidth": QuantityKind("Bus bandwidth", "B/s", "communication"),
    "copy_bandwidth": QuantityKind("Copy", "B/s", "transfer"),
    "kernel_time": QuantityKind("Kernel time", "s", "kernel"),
    "kernel_share": QuantityKind("Share of the time", "share", "kernel"),
    "flop_per_s": QuantityKind("Compute rate", "FLOP/s", "kernel"),
    "memory_bandwidth": QuantityKind("Memory bandwidth", "B/s", "kernel"),
    "power": QuantityKind("Power", "W", "power"),
    "energy": QuantityKind("Energy", "J", "power"),
    "utilisation": QuantityKind("Busy", "share", "power"),
    "memory_used": QuantityKind("Memory used", "bytes", "memory"),
}


PROCESSOR = "cpu"
"""The kind of a device that no accelerator's figures come from."""


class Figure(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """One number that was measured, in the SI unit of its quantity."""

    quantity: Annotated[str, about("Quantity", "", choices=tuple(QUANTITIES))]
    statistic: Annotated[Statistic, about("Statistic")] = "mean"
    value: Annotated[float, about("Value", minimum=0)]
    phase: Annotated[Phase, about("Phase")]
    unit: Annotated[str, about("Unit")]


def figure(quantity: str, value: float, statistic: Statistic = "mean", phase: Phase | None = None) -> Figure:
    """A figure of a known quantity. Raises KeyError for another."""
    kind = QUANTITIES[quantity]
    return Figure(quantity=quantity, statistic=statistic, value=value, phase=phase or kind.phase, unit=kind.unit)


class MeasurementContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Under what circumstances figures were measured; 0 and empty mean that nobody said."""

    model: Annotated[str, about("Model", "", "Identifier in the catalogue.")] = ""
    model_as_written: Annotated[str, about("Model as written")] = ""
    accelerator: Annotated[str, about("Accelerator", "", "Identifier in the catalogue.")] = ""
    accelerator_as_written: Annotated[str, about("Accelerator as written")] = ""
    device_kind: Annotated[str, about("Kind of device", "", "As the tool names it: cpu, cuda, xpu, mps.")] = ""
    devices: Annotated[int, about("Devices", "devices", "All devices in the run.", minimum=0, maximum=MOST_DEVICES)] = 0
    weight_precision: Annotated[str, about("Precision", "", "Of the weights; the recipe of a training run.")] = ""
    kv_precision: Annotated[str, about("KV cache")] = ""
    engine: Annotated[str, about("Engine", "", "Serving engine or training framework.")] = ""
    engine_version: Annotated[str, about("Version")] = ""
    engine_as_written: Annotated[
        str, about("Engine as written", "", "Kept where predictions use another framework's behaviour for it.")
    ] = ""
    tensor_parallel: Annotated[int, about("TP", minimum=0, maximum=MOST_DEVICES)] = 0
    pipeline_parallel: Annotated[int, about("PP", minimum=0, maximum=MOST_DEVICES)] = 0
    data_parallel: Annotated[int, about("DP", minimum=0, maximum=MOST_DEVICES)] = 0
    expert_parallel: Annotated[int, about("EP", minimum=0, maximum=MOST_DEVICES)] = 0
    context_parallel: Annotated[int, about("CP", minimum=0, maximum=MOST_DEVICES)] = 0
    load: Annotated[MeasuredLoad, about("Load", "", "Closed loop, open loop, offline or batch.")] = ""
    concurrency: Annotated[
        float, about("Concurrency", "", "Concurrent requests, or the batch.", minimum=0, maximum=MOST)
    ] = 0.0
    rate_per_s: Annotated[float, about("Request rate", "req/s", minimum=0, maximum=MOST)] = 0.0
    prompt_tokens: Annotated[float, about("Prompt", "tok", "Mean per request.", minimum=0, maximum=MOST)] = 0.0
    output_tokens: Annotated[float, about("Answer", "tok", "Mean per request.", minimum=0, maximum=MOST)] = 0.0
    cached_tokens: Annotated[
        float, about("Depth", "tok", "In the cache before the first.", minimum=0, maximum=MOST)
    ] = 0.0
    requests: Annotated[int, about("Requests", "", "Requests answered in the run.", minimum=0)] = 0
    sequence_length: Annotated[int, about("Sequence length", "tok", minimum=0, maximum=1_000_000_000)] = 0
    global_batch: Annotated[int, about("Global batch", "seq", minimum=0, maximum=1_000_000_000)] = 0
    micro_batch: Annotated[int, about("Micro-batch", "seq", minimum=0, maximum=1_000_000_000)] = 0
    operation: Annotated[
        str, about("Operation", "", "Collective, kernel or copy, or what ran during a power reading.")
    ] = ""
    message_bytes: Annotated[float, about("Message", "bytes", minimum=0)] = 0.0
    shape: Annotated[str, about("Shape", "", "Shape of the kernel's operands.")] = ""
    duration_s: Annotated[float, about("Duration", "s", "Duration of the run.", minimum=0)] = 0.0
    virtualisation_loss: Annotated[
        float, about("Virtualisation", "share", "Work lost to it in the run; 0: bare metal.", minimum=0, maximum=0.9)
    ] = 0.0
    measured_on: Annotated[str, about("Measured on")] = ""


class Measurement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Figures of one run, their context, and where in the file they stand."""

    context: Annotated[MeasurementContext, about("Context")]
    figures: Annotated[tuple[Figure, ...], about("Figures", most=500)]
    line: Annotated[int, about("Line", "", "Line in the file; 0: the result spans several lines.", minimum=0)] = 0
    note: Annotated[str, about("Note", "", "Doubts about the result that the tool itself states.")] = ""

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Phases that the figures speak of, each once."""
        return tuple(dict.fromkeys(one.phase for one in self.figures))


class MeasurementSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one file brought."""

    name: Annotated[str, about("Name", longest=LONGEST_NAME)]
    source: Annotated[str, about("File")] = ""
    tool: Annotated[str, about("Tool")] = ""
    digest: Annotated[str, about("Digest", "", "SHA-256 of the file.")] = ""
    imported_on: Annotated[str, about("Imported on")] = ""
    is_used: Annotated[bool, about("Used", "", "Plans use this set for calibration.")] = True
    measurements: Annotated[tuple[Measurement, ...], about("Measurements", most=20_000)] = ()


_SERVED = ("model", "accelerator", "devices", "weight_precision", "engine")
NEEDED: dict[Phase, tuple[str, ...]] = {
    "prefill": (*_SERVED, "prompt_tokens", "load"),
    "decode": (*_SERVED, "output_tokens", "load"),
    "serving": (*_SERVED, "prompt_tokens", "output_tokens", "load"),
    "training": (*_SERVED, "sequence_length", "global_batch"),
    "communication": ("accelerator", "devices", "operation", "message_bytes"),
    "transfer": ("accelerator", "operation", "message_bytes"),
    "kernel": ("accelerator", "weight_precision", "operation"),
    "power": ("accelerator", "operation"),
    "memory": ("accelerator", "operation"),
}
"""Context without which a figure says nothing: another batch or precision is twice as fast."""

OF_LOAD: dict[MeasuredLoad, tuple[str, ...]] = {"closed_loop": ("concurrency",), "open_loop": ("rate_per_s",)}


def missing_context(measurement: Measurement) -> tuple[str, ...]:
    """Names of the context's fields that the figures need and nobody gave; empty: the figures are accepted.

    An operation timed alone, such as a block's prefill, needs what a kernel needs; memory under load needs that load,
    memory of a training step what the step needs. A profile needs its devices: shares change with scale. What ran on a
    processor is a record, whatever the processor's name.
    """
    context = measurement.context
    needed: dict[str, None] = {}
    for phase in measurement.phases:
        is_alone = phase in ("prefill", "decode", "training") and context.operation
        is_of_load = phase == "memory" and context.load
        is_training = "training" in measurement.phases or context.sequence_length
        is_of_step = phase == "memory" and is_training and not context.operation
        kind: Phase = "kernel" if is_alone else "serving" if is_of_load else "training" if is_of_step else phase
        needed.update(dict.fromkeys(NEEDED[kind]))
    if any(one.quantity == "kernel_share" for one in measurement.figures):
        needed["devices"] = None
    if context.device_kind == PROCESSOR:
        needed.pop("accelerator", None)
    if "load" in needed:
        needed.update(dict.fromkeys(OF_LOAD.get(context.load, ())))
    return tuple(name for name in needed if not getattr(context, name))


def accepted(sets: tuple[MeasurementSet, ...]) -> Iterator[Measurement]:
    """Measurements with their whole context, of the sets that are in use."""
    for one in sets:
        if one.is_used:
            yield from (measurement for measurement in one.measurements if not missing_context(measurement))


Workload = Literal["serving", "training"]
SPEAKS_OF: dict[Workload, frozenset[Phase]] = {
    "serving": frozenset(("prefill", "decode", "serving", "memory")),
    "training": frozenset(("training", "memory")),
}


def foreign_phases(measurement: Measurement, workload: Workload) -> tuple[Phase, ...]:
    """Phases that say nothing about a workload: a training step does not predict serving, nor the reverse."""
    other: Workload = "training" if workload == "serving" else "serving"
    alien = SPEAKS_OF[other] - SPEAKS_OF[workload]
    return tuple(phase for phase in measurement.phases if phase in alien)


class EvidenceRow(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """One published figure with its context; a row of the table."""

    source: Annotated[int, about("Source", "", "Place in the table's sources.", minimum=0)]
    model: Annotated[str, about("Model", "", "Catalogue id.")]
    accelerator: Annotated[str, about("Accelerator", "", "Catalogue id.")]
    devices: Annotated[int, about("Devices", minimum=1)]
    precision: Annotated[str, about("Precision")]
    engine: Annotated[str, about("Engine")]
    parallel: Annotated[tuple[int, int, int, int], about("TP, PP, DP, EP")]
    load: Annotated[MeasuredLoad, about("Load", "", "Empty for training.")]
    concurrency: Annotated[float, about("Concurrency", "", "Concurrent requests; for training the global batch.")]
    prompt_tokens: Annotated[float, about("Prompt", "tok", "For training the sequence length.", minimum=0)]
    output_tokens: Annotated[float, about("Answer", "tok", minimum=0)]
    quantity: Annotated[str, about("Quantity")]
    value: Annotated[float, about("Value", "", "In the SI unit of the quantity.", above=0)]

    @property
    def measurement(self) -> Measurement:
        """The row as if it had been imported."""
        tensor, pipeline, data, expert = self.parallel
        common = MeasurementContext(
            model=self.model, accelerator=self.accelerator, devices=self.devices, weight_precision=self.precision,
            engine=self.engine, tensor_parallel=tensor, pipeline_parallel=pipeline, data_parallel=data,
            expert_parallel=expert,
        )  # fmt: skip
        if self.load:
            context = msgspec.structs.replace(
                common, load=self.load, concurrency=self.concurrency, prompt_tokens=self.prompt_tokens,
                output_tokens=self.output_tokens,
            )  # fmt: skip
        else:
            context = msgspec.structs.replace(
                common, sequence_length=round(self.prompt_tokens), global_batch=round(self.concurrency)
            )
        return Measurement(context=context, figures=(figure(self.quantity, self.value),))


class FastestRun(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """The published serving run of a device and format that comes nearest to its prediction."""

    accelerator: Annotated[str, about("Accelerator", "", "Catalogue id.")]
    precision: Annotated[str, about("Precision")]
    runs: Annotated[int, about("Runs", minimum=1)]
    slowdown: Annotated[float, about("Measured time over the predicted one", above=0)]
    source: Annotated[int, about("Source", "", "Place in the table's sources.", minimum=0)]
    model: Annotated[str, about("Model", "", "Catalogue id.")]


class EvidenceTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, eq=False):
    """Published measurements and where they stand."""

    date: Annotated[str, about("As of")]
    sources: Annotated[tuple[str, ...], about("Sources")]
    rows: Annotated[tuple[EvidenceRow, ...], about("Rows")]
    fastest: Annotated[tuple[FastestRun, ...], about("Fastest runs")] = ()
    served_lead: Annotated[
        float, about("Lead over published runs", "", "By which a plan surpasses them at most.", above=0, maximum=1)
    ] = 0.15
    served_lead_reason: Annotated[str, about("Reason of that lead")] = ""


class Evidence(IntEnum):
    """How a prediction is known."""

    MEASURED = 0
    CALIBRATED = 1
    SPECIFICATION = 2


class EvidenceKind(IntEnum):
    """What a prediction rests on, nearest first."""

    OWN = 0
    """The planner's own measurements."""
    PUBLISHED = 1
    """Published runs on the device."""
    TIMED = 2
    """Kernels timed on the device."""
    RELATIVE = 3
    """Kernels timed on a device of its vendor and kind."""
    DATASHEET = 4
