"""Parameters of a stack, software on a family of devices, for each case: usual values times all effects that apply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.benchmark import ServingCase
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.deployments import formats_of_case
from gpuplanner_gui.engine.serving.samples import WIDE_FORMATS
from gpuplanner_gui.engine.serving.stack_effects import StackTraits, is_known, logs_of

__all__ = ["NAMES", "StackParameters", "StackTraits", "is_known", "logs_of", "stack_parameters", "traits_of"]


@dataclass(frozen=True)
class StackParameters:
    """What a stack makes of timed kernels; factors of time unless a name ends in a unit. Cases' shape."""

    decode_kernels: Floats
    prefill_kernels: Floats
    collectives: Floats
    """Over a scale-up fabric."""
    host_collectives: Floats
    """Over PCIe."""
    layer_sync_s: Floats
    """Of devices that share a layer, beside the collectives' own time."""
    batch_compute: Floats
    """Share of a decode step's products at the peak rate that comes on top: thin products far from the peak."""
    cache_reads: Floats
    """Share of reading the cache once at full bandwidth that comes on top."""
    layer_host_s: Floats
    sequence_host_s: Floats
    prefill_host_s: Floats
    prefill_launch: Floats
    prefill_power: Floats
    """Exponent of FLOPs per joule at the peak with which a device's power limit slows a prefill."""
    stage_loss: Floats
    """Exponent of pipeline stages with which one prompt takes longer than evenly divided work."""
    full_engine: Floats
    """Time of a full engine over that of its steps: scheduling, preemption, uneven replicas."""
    latency_limit: Floats
    """Full rate over the rate at which a latency limit holds, less one."""
    interactive_limit: Floats
    """The same for a limit that suits a reader who waits."""
    speculation: Floats
    """Tokens per step with a draft that a row names."""
    sample_compute: Floats
    """Time of a sample over its FLOPs at the peak rate."""
    sample_power: Floats
    """As `prefill_power`, of samples."""
    sample_memory: Floats
    sample_host_s: Floats
    sample_fill: Floats
    """Samples whose compute time comes on top of every pass: a small batch does not fill the device."""
    sample_limit: Floats
    """As `latency_limit`, of samples."""


NAMES = tuple(StackParameters.__dataclass_fields__)


def traits_of(case: ServingCase, context: Context) -> StackTraits:
    """A case's software, family of devices, kind of model or task, and whether weights are narrower than 16 bits."""
    device = context.catalog.accelerators[case.accelerator]
    family = context.calibration.stacks.family_of(device.architecture, device.kind, device.memory_type)
    is_narrow = any(name not in WIDE_FORMATS for name in vars(formats_of_case(case)).values())
    kind = f"{case.model.kind}, accurate" if case.load == "samples" and case.needs_accuracy else case.model.kind
    return StackTraits(case.software or case.engine, family, kind, is_narrow)


def stack_parameters(cases: Sequence[ServingCase], context: Context) -> StackParameters:
    """The parameters of every case."""
    stacks = context.calibration.stacks
    traits = [traits_of(case, context) for case in cases]
    logs = {one: logs_of(one, stacks) for one in set(traits)}
    return StackParameters(
        **{name: stacks.usual[name] * np.exp([logs[one].get(name, 0.0) for one in traits]) for name in NAMES}
    )
