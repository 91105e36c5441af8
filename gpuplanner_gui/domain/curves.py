"""What one candidate does under load, at its roofline and at the limits of its memory; what its store costs.

And what another accelerator gains over it, phase by phase, with what was measured of such gains.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.arrays import Floats, Integers
from gpuplanner_gui.domain.field import about


class MemoryPart(IntEnum):
    """Parts of a device's memory, in the order in which they are placed."""

    NONE = 0
    """Everything fits."""
    WEIGHTS = 1
    ACTIVATIONS = 2
    RUNTIME = 3
    KV_CACHE = 4
    UNKNOWN = 5
    """The memory size is not known."""


class ServingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """One entry per candidate; bytes are of one device."""

    concurrency: float
    """Sequences that the questions take for given."""
    context_tokens: float
    model_parameters: float
    model_context: int
    """Longest context that the model was made for; 0: not stated."""
    free_bytes: Annotated[
        Floats, about("Free memory", "bytes", "Memory that the engine may use and does not; negative: too little.")
    ]
    missing_bytes: Annotated[
        Floats,
        about("Missing memory", "bytes", "Memory missing beyond the engine's share and the headroom; 0: it fits."),
    ]
    runs_out_at: Annotated[Integers, about("Does not fit", "", "A `MemoryPart`.")]
    largest_concurrency: Annotated[Floats, about("Largest concurrency", "seq", "At the given context.")]
    longest_context: Annotated[Floats, about("Longest context", "tok", "At the given concurrency, by memory alone.")]
    longest_alone: Floats
    """Longest context of one sequence, by memory alone. [tokens]"""
    largest_parameters: Annotated[
        Floats, about("Largest model", "param", "With this model's cache, activations and mix of formats.")
    ]
    contexts: Floats
    """Tokens, from short to long; the rows of `concurrency_by_context`."""
    concurrency_by_context: Floats
    """Sequences that fit; shape (contexts, candidates)."""


class LoadCurve(msgspec.Struct, frozen=True, kw_only=True):
    """Latency of one replica against request rate, for the selected candidate."""

    candidate: int
    rates_per_s: Floats
    ttft_s: dict[str, Floats]
    """TTFT by statistic: mean, p50, p90, p95, p99. [s]"""
    itl_mean_s: Floats
    """Mean gap between two deliveries to a client: a step, whose tokens arrive at once with drafts. [s]"""
    tpot_s: dict[str, Floats]
    e2e_s: dict[str, Floats]
    output_tokens_per_s: Floats
    batch: Floats
    kv_use: Floats
    max_rate_per_s: float
    slo_rate_per_s: float
    planned_rate_per_s: float
    low80_factor: float
    """Step time over the predicted one, with 10 %,"""
    high80_factor: float
    """and with 90 %,"""
    first_token_power: float = 1.0
    """of which times to first tokens take this power: their error is wider."""


class RooflinePoint(msgspec.Struct, frozen=True, kw_only=True):
    """One operation or phase of a candidate on its roofline."""

    code: str
    phase: str
    """prefill, decode, training, or sample: a pass over images, documents or audio."""
    intensity_flop_per_byte: float
    achieved_flop_per_s: float
    time_s: float
    resource: int
    """What most of its time goes to."""
    compute_s: float = 0.0
    bandwidth_s: float = 0.0
    interconnect_s: float = 0.0
    host_s: float = 0.0
    """Host and launch time, floors of kernels included; adds up to `time_s` with the other three. [s]"""
    share: float = 0.0
    """Share of its phase's kernel time."""
    precision: str = ""
    """Format of its products; empty for a whole phase."""


class BatchShares(msgspec.Struct, frozen=True, kw_only=True):
    """Where a decode step's time goes, from small batches to large ones; arrays over `batch`."""

    batch: Floats
    compute_s: Floats
    bandwidth_s: Floats
    interconnect_s: Floats
    host_s: Floats
    planned_batch: float
    largest_batch: float
    "Sequences of mean length that the KV pool holds."
    crossover_batch: float
    """Batch from which compute takes longer than memory traffic; infinite where it never does."""


class Roofline(msgspec.Struct, frozen=True, kw_only=True):
    """Ceilings of one device, and the workload's points under them."""

    accelerator: int
    peak_flop_per_s: dict[str, float]
    """Dense datasheet peak by precision."""
    measured_flop_per_s: dict[str, float]
    bandwidth_bytes_per_s: float
    measured_bandwidth_bytes_per_s: float
    points: tuple[RooflinePoint, ...]
    formats: tuple[str, ...] = ()
    """Formats that the candidate computes in; empty: not known."""
    measured_on: str = ""
    """Accelerator whose timings the measured ceilings come from."""
    batches: BatchShares | None = None
    context_tokens: float = 0.0
    """Context of a decoding sequence."""
    prompt_tokens: float = 0.0
    """Prompt tokens of the prefill."""
    decode_ceiling_tokens_per_s: Annotated[float, about("Decode ceiling", "tok/s")] = math.nan
    """Decode rate of a replica at the planned batch if it only read weights and cache at the datasheet's bandwidth."""
    encoder_s: float = 0.0
    """Time of the encoder of images or audio before the mean prompt, which is no operation of the prefill. [s]"""


class SimulatedFleet(msgspec.Struct, frozen=True, kw_only=True):
    """What the simulation says of the recommended fleet."""

    candidate: int
    replicas: int
    """Replicas that carry the peak within the targets, without spares and zones; 0 where no number does."""
    quick_replicas: int
    """The same number by the quick estimate."""
    rate_share: float
    """Rate that a replica takes within the targets over the quick estimate's, as far as the simulation shows."""
    limit_shares: tuple[float, ...] = ()
    """The same within each target alone; infinite beyond what was simulated."""
    is_in_table: bool = False
    """Whether the plan's table has that rate for the candidate, and what follows from it: where its replicas moved."""
    requests: int
    seed: int
    nearest_s: tuple[float, ...] = ()
    """What each target limits with the number of replicas that comes nearest, where none keeps them all."""
    nearest_replicas: int = 0
    """That number, without spares and zones; 0 where one keeps them."""
    most_replicas: int = 0
    """The largest number that was tried in vain; 0 where one keeps them."""

    @property
    def share_of_table(self) -> float:
        """Rate that a replica takes within the targets over the table's."""
        return 1.0 if self.is_in_table else self.rate_share


class StoreRun(msgspec.Struct, frozen=True, kw_only=True):
    """The recommended run with a checkpoint store of some write rate; layout, failures and prices stay."""

    write_bytes_per_s: Annotated[float, about("Checkpoint write rate", "bytes/s")]
    write_s: Annotated[float, about("Checkpoint write", "s")]
    interval_s: Annotated[float, about("Checkpoint interval", "s")]
    goodput: Annotated[float, about("Goodput")]
    run_time_s: Annotated[float, about("Run time", "s")]
    usd_per_run: Annotated[float, about("Cost of the run", "USD")]


Phase = Literal["training", "prefill", "decode"]


class PhaseTime(msgspec.Struct, frozen=True, kw_only=True):
    """How long one accelerator takes for a phase, and in what format."""

    time_s: Annotated[float, about("Time", "s", "Empty: the device cannot run this phase.")]
    precision: Annotated[str, about("Format", "", "The faster of the allowed formats.")]
    is_emulated: Annotated[bool, about("Emulated", "", "Weights are unpacked before use.")]
    limit: Annotated[int, about("Limit", "", "The resource that takes most of the time.")]
    missing_bytes: Annotated[float, about("Missing memory", "bytes", "Per device; 0: it fits; empty: unknown.")]
    runs_out_at: Annotated[MemoryPart, about("Does not fit", "", "Which part no longer fits.")] = MemoryPart.NONE


class PhaseGain(msgspec.Struct, frozen=True, kw_only=True):
    """The time of the first over the time of the second: above one, the second is faster."""

    phase: Phase
    batch: Annotated[int, about("Batch", "seq", "Sequences decoded together, or of a training step; 0 of a prefill.")]
    is_fp8_allowed: Annotated[bool, about("FP8 allowed", "", "Each device uses the faster of BF16 and FP8.")]
    devices: Annotated[int, about("Devices", "devices", "Devices of each kind; 0: no number of both holds it.")]
    first: PhaseTime
    second: PhaseTime
    gain: Annotated[float, about("Gain", "", "How many times faster; empty where one of them cannot run it.")]
    low80: Annotated[float, about("Gain, low", "", "Lower end of the 80 % band.")]
    high80: Annotated[float, about("Gain, high", "", "Upper end of the 80 % band.")]


class MeasuredGain(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Published results of two accelerators in the same configuration, as ratios."""

    first: Annotated[str, about("Accelerator")]
    second: Annotated[str, about("Accelerator compared with it")]
    phase: Phase
    model: Annotated[str, about("Model")]
    first_precision: Annotated[str, about("Format on the first")]
    second_precision: Annotated[str, about("Format on the second")]
    devices: Annotated[int, about("Devices", "devices", "Devices of each kind.", minimum=1)]
    batch_low: Annotated[int, about("Smallest batch", "seq", minimum=0)] = 0
    batch_high: Annotated[int, about("Largest batch", "seq", minimum=0)] = 0
    pairs: Annotated[int, about("Pairs of results", minimum=1)]
    low: Annotated[float, about("Smallest gain", above=0)]
    median: Annotated[float, about("Median gain", above=0)]
    high: Annotated[float, about("Largest gain", above=0)]
    software: Annotated[str, about("Software", "", "Engine and release, where the source states them.")] = ""
    source: Annotated[str, about("Source")]


class PhaseGains(msgspec.Struct, frozen=True, kw_only=True):
    """Every phase of one model on two accelerators."""

    first: str
    second: str
    prompt_tokens: float
    context_tokens: float
    sequence_tokens: int
    gains: tuple[PhaseGain, ...]
    peak_ratio: Annotated[dict[str, float], about("Ratio of datasheet figures", "", "By format, bandwidth and memory.")]
    measured: tuple[MeasuredGain, ...] = ()
    timed_on: tuple[tuple[str, str], ...] = ()
    """An accelerator of the two that no serving kernel was timed on, and one whose timings stand for it."""
