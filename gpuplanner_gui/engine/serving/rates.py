"""What a serving engine makes of kernels that were timed alone; what a family of devices adds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.serving_engine import DeviceFamily, EngineFacts
from gpuplanner_gui.engine.model.operations import Elementwise, Experts, Gemm, LatentCore, Operation, StateCore
from gpuplanner_gui.engine.simulation.arrays import Numbers

VOCABULARY_UNIT = 1e5
"""Host time per sequence is stated for a vocabulary of so many tokens, with which sampling grows."""


@dataclass(frozen=True)
class EngineRates:
    """An engine's overheads; each a scalar or an array over candidates. Names as in `EngineFacts`."""

    product_launch: Numbers
    attention_launch: Numbers
    expert_launch: Numbers
    small_launch: Numbers
    collective_factor: Numbers
    exchange_factor: Numbers
    prefill_factor: Numbers
    prefill_collective_factor: Numbers
    decode_step_host_s: Numbers
    decode_layer_host_s: Numbers
    expert_layer_host_s: Numbers
    complex_layer_host_s: Numbers
    sequence_host_s: Numbers
    prefill_step_host_s: Numbers
    prefill_layer_host_s: Numbers
    prefill_complex_layer_host_s: Numbers
    captured_tokens: Numbers
    captured_launch_share: Numbers
    request_host_s: Numbers
    prompt_token_host_s: Numbers
    admission_steps: Numbers
    mixes_prefill: bool


def rates_of(facts: EngineFacts) -> EngineRates:
    """An engine's overheads."""
    return EngineRates(**{name: getattr(facts, name) for name in EngineRates.__dataclass_fields__})


WITHOUT_OVERHEADS = EngineRates(
    **{name: 1.0 for name in EngineRates.__dataclass_fields__ if name.endswith(("_launch", "_factor"))},
    **{name: 0.0 for name in EngineRates.__dataclass_fields__ if name.endswith(("_s", "_steps", "_tokens", "_share"))},
    mixes_prefill=True,
)
"""Kernels as they were timed, nothing beside them."""


@dataclass(frozen=True)
class LayerCounts:
    """What a pass launches, layer by layer, and the vocabulary that it chooses from."""

    layers: int
    expert_layers: int
    complex_layers: int
    vocabulary: int


def layer_counts(operations: tuple[Operation, ...]) -> LayerCounts:
    """Layers of a model by what they hold; latent attention and recurrent states make a layer complex."""

    def count(kind: type | tuple[type, ...]) -> int:
        return sum(operation.count for operation in operations if isinstance(operation, kind))

    normed = [one for one in operations if isinstance(one, Elementwise) and one.code == "norms"]
    head = max((one.columns for one in operations if isinstance(one, Gemm) and one.on_sampled_tokens), default=0)
    return LayerCounts(sum(one.count for one in normed), count(Experts), count((LatentCore, StateCore)), head)


@dataclass(frozen=True)
class FamilyFactors:
    """How kernels do on each accelerator while serving; shape (accelerators,)."""

    compute_time: Floats
    memory_time: Floats
    product_launch: Floats
    attention_launch: Floats
    expert_launch: Floats
    small_launch: Floats


def family_of(accelerator: Accelerator, families: tuple[DeviceFamily, ...]) -> DeviceFamily:
    """The first family that a device belongs to, by its software's ecosystem and its architecture's name."""
    for family in families:
        in_ecosystem = not family.ecosystems or accelerator.ecosystem in family.ecosystems
        if in_ecosystem and (not family.architectures or accelerator.architecture.startswith(family.architectures)):
            return family
    return DeviceFamily(family="")


def family_factors(accelerators: tuple[Accelerator, ...], families: tuple[DeviceFamily, ...]) -> FamilyFactors:
    """The factors of every accelerator of a catalogue."""
    found = [family_of(entry, families) for entry in accelerators]
    names = FamilyFactors.__dataclass_fields__
    return FamilyFactors(**{name: np.array([getattr(one, name) for one in found], np.float64) for name in names})
