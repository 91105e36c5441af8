"""What training views draw beside the table of layouts: scaling curve, sweeps, the timeline of a step."""

from __future__ import annotations

from typing import Annotated

import msgspec

from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.plan import Booleans, Floats, Integers


class ScalingCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One accelerator at growing device counts, each with its fastest layout; NaN where none can run."""

    accelerator: Annotated[int, about("Accelerator", "", "Index into the plan's accelerators.")]
    devices: Annotated[Integers, about("Devices", "devices")]
    can_run: Annotated[Booleans, about("Can run")]
    reason: Annotated[Integers, about("Reason", "", "Why the best layout of a count cannot run; 0: it can.")]
    tensor_parallel: Annotated[Integers, about("TP")]
    pipeline_parallel: Annotated[Integers, about("PP")]
    data_parallel: Annotated[Integers, about("DP")]
    step_time_s: Annotated[Floats, about("Step time", "s")]
    tokens_per_s: Annotated[Floats, about("Tokens/s", "tok/s", "All devices.")]
    efficiency: Annotated[Floats, about("Scaling efficiency", "", "Throughput per device over the best of any count.")]
    mfu: Annotated[Floats, about("MFU")]
    communication_share: Annotated[Floats, about("Communication", "", "Share of the step, the bubble included.")]
    goodput: Annotated[Floats, about("Goodput", "", "Share of time that moves the run forward.")]
    run_time_s: Annotated[Floats, about("Run time", "s", "Losses and start-up included.")]
    usd_per_run: Annotated[Floats, about("Cost of the run", "USD")]
    usd_per_day_saved: Annotated[
        Floats, about("Marginal cost", "USD/d", "What a day less costs, against the count before.")
    ]
    knee: Annotated[int, about("Knee", "", "Index of the last count worth its devices; -1: none runs.")]


class MemorySweep(msgspec.Struct, frozen=True, kw_only=True):
    """Memory and speed of one layout against sequence length or micro-batch."""

    code: Annotated[str, about("Swept", "", "sequence_length or micro_batch.")]
    values: Annotated[Integers, about("Value")]
    state_bytes: Annotated[Floats, about("State", "bytes")]
    activation_bytes: Annotated[Floats, about("Activations", "bytes", "Logits included.")]
    total_bytes: Annotated[Floats, about("Memory", "bytes")]
    capacity_bytes: Annotated[float, about("Memory of a device", "bytes")]
    fits: Annotated[Booleans, about("Fits")]
    tokens_per_s_per_device: Annotated[Floats, about("Tokens/s/device", "tok/s")]
    largest: Annotated[int, about("Largest that fits", "", "0: not even the smallest.")]


class LargestModel(msgspec.Struct, frozen=True, kw_only=True):
    """The largest model of a shape that a cluster's memory can train."""

    parameters: Annotated[float, about("Parameters")]
    layers: Annotated[int, about("Layers")]
    hidden_size: Annotated[int, about("Hidden size")]
    devices: Annotated[int, about("Devices", "devices")]
    total_memory_bytes: Annotated[float, about("Memory of all devices", "bytes")]
    bytes_per_parameter: Annotated[float, about("Memory per parameter", "bytes/param", "All devices together.")]


class TimelineTask(msgspec.Struct, frozen=True):
    """One pass of one micro-batch on one stage."""

    stage: int
    micro_batch: int
    chunk: int
    """Virtual stage."""
    kind: str
    """forward, backward or weights (the weights' gradients, where a schedule parts them)."""
    start_s: float
    end_s: float


class PipelineTimeline(msgspec.Struct, frozen=True, kw_only=True):
    """The passes of one step over the stages of a pipeline."""

    stages: int
    micro_batches: int
    tasks: tuple[TimelineTask, ...]
    total_s: float
    idle_share: float
    """Of the stages' time."""


class LostBy(msgspec.Struct, frozen=True):
    """Why a runner-up lost: the part of the step that grew most against the winner's."""

    candidate: int
    part: str
    """Column of the table; empty where it cannot run."""
    part_s: float
    total_s: float
    """How much slower the step is."""
    usd: float
    """How much dearer the run is."""
