"""What training views draw beside the table of layouts: scaling curve, sweeps, the timeline of a step."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats, Integers
from gpuplanner_gui.domain.constants import HOURS_PER_DAY, Z_80
from gpuplanner_gui.domain.field import about
from gpuplanner_gui.domain.plan import TrainingTable


class ScalingCurve(msgspec.Struct, frozen=True, kw_only=True):
    """One accelerator at growing device counts, each with its fastest layout; NaN where none can run."""

    accelerator: Annotated[int, about("Accelerator", "", "Accelerator, by its place among those of the plan.")]
    devices: Annotated[Integers, about("Devices", "devices")]
    can_run: Annotated[Booleans, about("Can run")]
    reason: Annotated[Integers, about("Reason", "", "Why no layout of this size can run; 0: one can.")]
    tensor_parallel: Annotated[Integers, about("TP")]
    pipeline_parallel: Annotated[Integers, about("PP")]
    data_parallel: Annotated[Integers, about("DP")]
    step_time_s: Annotated[Floats, about("Step time", "s")]
    tokens_per_s: Annotated[Floats, about("Tokens/s", "tok/s", "Tokens per second on all devices.")]
    efficiency: Annotated[Floats, about("Scaling efficiency", "", "Throughput per device, relative to the best size.")]
    mfu: Annotated[Floats, about("MFU")]
    communication_share: Annotated[Floats, about("Communication", "", "Share of the step, with the pipeline bubble.")]
    host_share: Annotated[Floats, about("Host and launch", "", "Share of the step that waits for the host.")]
    goodput: Annotated[Floats, about("Goodput", "", "Share of the time that moves the run forward.")]
    run_time_s: Annotated[Floats, about("Run time", "s", "From start to last step, including start-up and losses.")]
    usd_per_run: Annotated[Floats, about("Cost of the run", "USD")]
    usd_per_day_saved: Annotated[
        Floats,
        about("Marginal cost", "USD/d", "Cost of each day saved, compared with the next smaller number of devices."),
    ]
    knee: Annotated[int, about("Knee", "", "Largest number of devices that still pays off; -1: none can run.")]

    @property
    def usd_per_hour_saved(self) -> Floats:
        """Cost of each hour saved, compared with the next smaller number of devices. [USD/h]"""
        return self.usd_per_day_saved / HOURS_PER_DAY


class MemorySweep(msgspec.Struct, frozen=True, kw_only=True):
    """Memory and speed of one layout against sequence length or micro-batch."""

    code: Annotated[str, about("Swept", "", "What varies: sequence length or micro-batch.")]
    values: Annotated[Integers, about("Value")]
    state_bytes: Annotated[Floats, about("State", "bytes")]
    activation_bytes: Annotated[Floats, about("Activations", "bytes", "Activations, including logits.")]
    total_bytes: Annotated[Floats, about("Memory", "bytes")]
    capacity_bytes: Annotated[float, about("Memory of a device", "bytes")]
    fits: Annotated[Booleans, about("Fits")]
    tokens_per_s_per_device: Annotated[Floats, about("Tokens/s/device", "tok/s")]
    largest: Annotated[int, about("Largest that fits", "", "0: not even the smallest value fits.")]


class LargestModel(msgspec.Struct, frozen=True, kw_only=True):
    """The largest model of a shape that a cluster's memory can train."""

    parameters: Annotated[float, about("Parameters")]
    layers: Annotated[int, about("Layers")]
    hidden_size: Annotated[int, about("Hidden size")]
    devices: Annotated[int, about("Devices", "devices")]
    total_memory_bytes: Annotated[float, about("Memory of all devices", "bytes")]
    bytes_per_parameter: Annotated[float, about("Memory per parameter", "bytes/param", "On all devices together.")]
    layout: TrainingTable | None
    """The fastest that holds it, alone in its table; None where no model fits."""


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
    """Idle share of the stages' time."""


class StageMemory(msgspec.Struct, frozen=True, kw_only=True):
    """What fills one device of each pipeline stage at the peak of a step; arrays with one entry per stage."""

    layers: Annotated[Floats, about("Layers")]
    in_flight: Annotated[Floats, about("In flight", "", "Micro-batches whose activations the stage holds at once.")]
    weights_bytes: Annotated[Floats, about("Weights", "bytes")]
    gradients_bytes: Annotated[Floats, about("Gradients", "bytes")]
    master_weights_bytes: Annotated[Floats, about("Master weights", "bytes")]
    first_moment_bytes: Annotated[Floats, about("First moment", "bytes")]
    second_moment_bytes: Annotated[Floats, about("Second moment", "bytes")]
    gathered_bytes: Annotated[Floats, about("Buffers", "bytes", "Weights gathered by ZeRO 3, and buckets.")]
    activation_bytes: Annotated[Floats, about("Activations", "bytes")]
    logits_bytes: Annotated[Floats, about("Logits and loss", "bytes")]
    fragmentation_bytes: Annotated[Floats, about("Runtime: fragmentation", "bytes", "Reserved, but not used.")]
    library_bytes: Annotated[
        Floats, about("Runtime: libraries, communication", "bytes", "Memory outside the allocator.")
    ]
    capacity_bytes: Annotated[float, about("Memory of a device", "bytes")]
    log_sd: Annotated[
        float, about("Spread of peak memory", "", "Spread of published peaks around predictions made without them.")
    ]

    @property
    def low80_bytes(self) -> Floats:
        """Lower end of the 80 % band of `total_bytes`."""
        return np.asarray(self.reserved_bytes * np.exp(-Z_80 * self.log_sd) + self.library_bytes)

    @property
    def high80_bytes(self) -> Floats:
        """Upper end of the 80 % band of `total_bytes`."""
        return np.asarray(self.reserved_bytes * np.exp(Z_80 * self.log_sd) + self.library_bytes)

    @property
    def allocated_bytes(self) -> Floats:
        """Tensors: what a framework's counter of allocated memory shows."""
        return (
            self.weights_bytes + self.gradients_bytes + self.master_weights_bytes + self.first_moment_bytes
            + self.second_moment_bytes + self.gathered_bytes + self.activation_bytes + self.logits_bytes
        )  # fmt: skip

    @property
    def reserved_bytes(self) -> Floats:
        """What the framework's allocator holds, used or not."""
        return self.allocated_bytes + self.fragmentation_bytes

    @property
    def total_bytes(self) -> Floats:
        """All that is gone from the device."""
        return self.reserved_bytes + self.library_bytes


class StepPhases(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of one training step goes, of the slowest stage; communication counts where it is not hidden."""

    forward_s: Annotated[float, about("Forward", "s")]
    backward_s: Annotated[float, about("Backward", "s")]
    recompute_s: Annotated[float, about("Recompute", "s", "Forward passes repeated to save memory.")]
    optimizer_s: Annotated[float, about("Optimizer", "s")]
    tensor_communication_s: Annotated[float, about("Tensor-parallel communication", "s")]
    pipeline_communication_s: Annotated[float, about("Pipeline communication", "s")]
    bubble_s: Annotated[float, about("Pipeline bubble", "s")]
    data_communication_s: Annotated[float, about("Data-parallel communication", "s")]
    expert_communication_s: Annotated[float, about("Expert-parallel communication", "s")]
    context_communication_s: Annotated[float, about("Context-parallel communication", "s")]
    host_s: Annotated[float, about("Host and launch", "s")]
    input_s: Annotated[float, about("Waiting for data", "s")]
    micro_batches: Annotated[int, about("Micro-batches", "", "Micro-batches of each data-parallel copy in a step.")]

    @property
    def total_s(self) -> float:
        return (
            self.forward_s + self.backward_s + self.recompute_s + self.optimizer_s + self.tensor_communication_s
            + self.pipeline_communication_s + self.bubble_s + self.data_communication_s + self.expert_communication_s
            + self.context_communication_s + self.host_s + self.input_s
        )  # fmt: skip


LayoutObjective = Literal["time", "cost", "devices"]


class LayoutRanking(msgspec.Struct, frozen=True, kw_only=True):
    """Every way to spread a job over one accelerator's devices, each with its best micro-batch and recomputation."""

    accelerator: Annotated[str, about("Accelerator")]
    objective: Annotated[LayoutObjective, about("Ranked by")]
    devices: Annotated[int, about("Devices", "devices", "0: several numbers of devices.")]
    tried: Annotated[int, about("Layouts tried")]
    fitting: Annotated[int, about("Layouts that fit")]
    table: Annotated[TrainingTable, about("Layouts", "", "The best layout of each shape, from best to worst.")]
    on_front: Annotated[Booleans, about("Pareto front", "", "No other layout is better in both respects.")]
    front_by: Annotated[tuple[str, str], about("Front of", "", "The two columns that the Pareto front compares.")]
    lost_part: Annotated[Integers, about("Lost to", "", "Part of the step that grew most; -1: none.")]
    lost_part_s: Annotated[Floats, about("Longer part", "s", "Than in the best layout.")]
    lost_step_s: Annotated[Floats, about("Longer step", "s", "Than the best, at the same number of devices.")]
    parts: Annotated[tuple[str, ...], about("Parts of a step")]

    @property
    def winner(self) -> int:
        """Index of the best layout in the table; -1 where none fits."""
        return 0 if len(self.table.order) and bool(self.table.fits[0]) else -1


class StepDetail(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate in depth: its memory by stage, its step by phase, its passes over the pipeline."""

    candidate: int
    devices: int
    memory: StageMemory
    phases: StepPhases | None
    """None where it cannot run."""
    timeline: PipelineTimeline | None
    schedule: str


class TrainingFits(msgspec.Struct, frozen=True, kw_only=True):
    """How far one layout and its devices go."""

    sequence_length: MemorySweep
    micro_batch: MemorySweep
    largest_model: LargestModel
