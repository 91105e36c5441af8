"""What one accelerator gains over another, phase by phase, with and without FP8; and what was measured of it."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from gpuplanner_gui.domain.curves import MemoryPart
from gpuplanner_gui.domain.field import about

Phase = Literal["training", "prefill", "decode"]


class PhaseTime(msgspec.Struct, frozen=True, kw_only=True):
    """How long one accelerator takes for a phase, and in what format."""

    time_s: Annotated[float, about("Time", "s", "Empty: the device cannot run this phase.")]
    precision: Annotated[str, about("Format", "", "The faster of the allowed formats.")]
    is_emulated: Annotated[bool, about("Emulated", "", "Weights are unpacked before use.")]
    limit: Annotated[int, about("Limit", "", "The resource that takes most of the time.")]
    missing_bytes: Annotated[float, about("Missing memory", "bytes", "Per device; 0: it fits; empty: unknown.")]
    runs_out_at: Annotated[MemoryPart, about("Memory runs out at", "", "Which part no longer fits.")] = MemoryPart.NONE


class PhaseGain(msgspec.Struct, frozen=True, kw_only=True):
    """The time of the first over the time of the second: above one, the second is faster."""

    phase: Phase
    batch: Annotated[int, about("Batch", "seq", "Sequences decoded together; 0 for other phases.")]
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
    gains: tuple[PhaseGain, ...]
    peak_ratio: Annotated[dict[str, float], about("Ratio of datasheet figures", "", "By format, bandwidth and memory.")]
    measured: tuple[MeasuredGain, ...] = ()
