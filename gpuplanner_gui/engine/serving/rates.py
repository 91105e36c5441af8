"""What a serving engine makes of kernels that were timed alone, year by year; what a family of devices adds."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.serving_engine import DeviceFamily, EngineFacts
from gpuplanner_gui.engine.load.arrays import Numbers, as_floats
from gpuplanner_gui.engine.operations import Elementwise, Experts, Gemm, LatentCore, Operation, StateCore

Floats = NDArray[np.float64]

VOCABULARY_UNIT = 1e5
"""Host time per sequence is stated for a vocabulary of so many tokens, with which sampling grows."""


@dataclass(frozen=True)
class EngineRates:
    """An engine's overheads at a time; each a scalar or an array over candidates. Names as in `EngineFacts`."""

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
    group_admission_steps: Numbers
    start_delay_s: Numbers
    clump_prompts: Numbers
    arrival_chance: Numbers
    mixes_prefill: bool


SHRINKING = (
    "product_launch", "attention_launch", "expert_launch", "small_launch", "decode_step_host_s", "decode_layer_host_s",
    "expert_layer_host_s", "complex_layer_host_s", "sequence_host_s", "prefill_step_host_s", "prefill_layer_host_s",
    "prefill_complex_layer_host_s",
)  # fmt: skip
"""What later releases make smaller."""
LATEST_YEAR = 2026.3
"""Of the releases that measurements were made with; a plan assumes these."""


def rates_of(facts: EngineFacts, year: Numbers = LATEST_YEAR) -> EngineRates:
    """An engine's overheads with the releases of a year; arrays of years give arrays."""
    later = np.exp(-facts.yearly_gain * (as_floats(year) - facts.reference_year))
    values = {
        name: getattr(facts, name) * later if name in SHRINKING else getattr(facts, name)
        for name in EngineRates.__dataclass_fields__
    }
    return EngineRates(**values)


WITHOUT_OVERHEADS = EngineRates(
    **{name: 1.0 for name in EngineRates.__dataclass_fields__ if name.endswith(("_launch", "_factor"))},
    **{
        name: 0.0
        for name in EngineRates.__dataclass_fields__
        if name.endswith(("_s", "_steps", "_tokens", "_share", "_prompts", "_chance"))
    },
    mixes_prefill=True,
)
"""Kernels as they were timed, nothing beside them."""


def without_prefill_host(rates: EngineRates) -> EngineRates:
    """The same with no host time of prefills, which then comes on top."""
    return replace(rates, prefill_step_host_s=0.0, prefill_layer_host_s=0.0, prefill_complex_layer_host_s=0.0)


def crowd_share(clients: Numbers, facts: EngineFacts) -> Floats:
    """How much of the steps that a crowd adds until a prompt is taken in, by clients of a replica; 1 at a crowd. [1]

    What the host does for running requests delays new ones; recipes that look less often from a crowd on add all at
    once.
    """
    crowds = as_floats(clients) / facts.crowd_clients
    return np.asarray(crowds**facts.crowd_growth if facts.crowd_growth > 0 else np.where(crowds >= 1.0, 1.0, 0.0))


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
    log_sd: Floats


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
