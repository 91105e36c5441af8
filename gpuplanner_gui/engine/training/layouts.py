"""Ways to spread a training job over devices, as arrays; and the enumeration of all that a search tries."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Integers

AUTO = -1
"""Stands for a choice that the plan makes."""


@dataclass(frozen=True)
class TrainingLayouts:
    """One entry per layout. From `zero_stage` to `virtual_stages` a choice may be `AUTO`."""

    accelerator: Integers
    devices: Integers
    tensor_parallel: Integers
    pipeline_parallel: Integers
    context_parallel: Integers
    expert_parallel: Integers
    zero_stage: Integers
    micro_batch: Integers
    recompute: Integers
    """0 none, 1 selective, 2 full."""
    schedule: Integers
    """Code of `schedules.SCHEDULES`."""
    virtual_stages: Integers
    recompute_share: NDArray[np.float64]
    """Of the layers, with full recomputation; the others keep all. NaN: as few as fit."""

    def __len__(self) -> int:
        return len(self.accelerator)

    @property
    def model_parallel(self) -> Integers:
        """Devices that hold one copy of the model."""
        return self.tensor_parallel * self.pipeline_parallel * self.context_parallel

    @property
    def data_parallel(self) -> Integers:
        return self.devices // self.model_parallel

    def at(self, index: NDArray[np.int64] | slice) -> TrainingLayouts:
        """The layouts at some positions."""
        return TrainingLayouts(*(getattr(self, part.name)[index] for part in fields(self)))


@lru_cache(maxsize=64)
def device_counts(given: int, most: int) -> tuple[int, ...]:
    """The given number of devices, else every power of two up to the most."""
    if given:
        return (given,)
    return tuple(2**power for power in range(most.bit_length()) if 2**power <= most)


@lru_cache(maxsize=64)
def parallel_sizes(
    counts: tuple[int, ...],
    layers: int,
    widest_tensor: int,
    context_sizes: tuple[int, ...],
    expert_sizes: tuple[int, ...],
    deepest: int = 64,
) -> NDArray[np.int64]:
    """Every way to divide each device count, one row of (devices, TP, PP, CP, EP) each; pure combinatorics.

    Tensor-parallel sizes are powers of two, pipeline sizes divisors of what is left, at most the number of layers.
    """
    rows = []
    for count in counts:
        for tensor in _powers_of_two(widest_tensor):
            for context in context_sizes:
                if count % (tensor * context):
                    continue
                left = count // (tensor * context)
                for pipeline in (size for size in range(1, min(left, max(layers, 1), deepest) + 1) if left % size == 0):
                    for expert in expert_sizes:
                        if (count // pipeline) % expert == 0:
                            rows.append((count, tensor, pipeline, context, expert))
    return np.array(rows, np.int64).reshape(-1, 5)


def _powers_of_two(most: int) -> list[int]:
    return [2**power for power in range(most.bit_length()) if 2**power <= most]


def layouts_of(
    accelerators: Integers,
    sizes: NDArray[np.int64],
    zero_stage: int = AUTO,
    micro_batch: int = AUTO,
    recompute: int = AUTO,
    schedule: int = AUTO,
    virtual_stages: int = AUTO,
) -> TrainingLayouts:
    """Every accelerator with every division, accelerators outermost."""
    who = np.repeat(accelerators, len(sizes))
    tiled = np.tile(sizes, (len(accelerators), 1))

    def same(value: int) -> Integers:
        return np.full(len(who), value, np.int64)

    devices, tensor, pipeline, context, expert = tiled.T
    return TrainingLayouts(
        who, devices, tensor, pipeline, context, expert,
        same(zero_stage), same(micro_batch), same(recompute), same(schedule), same(virtual_stages),
        np.full(len(who), np.nan if recompute == AUTO else float(recompute == 2)),
    )  # fmt: skip


def joined(parts: list[TrainingLayouts]) -> TrainingLayouts:
    """Several sets of layouts, one after another."""
    return TrainingLayouts(
        *(np.concatenate([getattr(part, name.name) for part in parts]) for name in fields(TrainingLayouts))
    )
