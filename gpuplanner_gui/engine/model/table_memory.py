"""What the memory columns of a plan's tables say together; asked by views before any model is loaded."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import MemoryPart
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable, column

SERVING_MEMORY = ("weights_bytes", "kv_cache_bytes", "activation_bytes", "runtime_bytes")
TRAINING_MEMORY = (
    "weights_bytes", "gradients_bytes", "master_weights_bytes", "first_moment_bytes", "second_moment_bytes",
    "activation_bytes", "logits_bytes", "runtime_bytes",
)  # fmt: skip
"""Columns of what a device holds, from the first of a bar to its last."""


def memory_bytes(table: ServingTable | TrainingTable) -> Floats:
    """What the most loaded device holds, of a service at its planned load. [bytes]"""
    parts = SERVING_MEMORY if isinstance(table, ServingTable) else TRAINING_MEMORY
    return np.asarray(sum((column(table, name) for name in parts), np.zeros(len(table.order))))


def free_share(table: ServingTable | TrainingTable, candidate: int) -> float:
    """Free share of a device's memory, the reserve to keep free included. [1]"""
    return 1.0 - float(memory_bytes(table)[candidate] / table.memory_capacity_bytes[candidate])


def part_too_large(table: ServingTable | TrainingTable, candidate: int) -> MemoryPart:
    """The part at which the memory of a candidate that does not fit runs out.

    `reason_value` of such a candidate holds the bytes that are missing. For training, weights stand for all state.
    """
    runtime = float(table.runtime_bytes[candidate])
    activations = float(table.activation_bytes[candidate])
    if isinstance(table, ServingTable):
        weights = float(table.weights_bytes[candidate])
    else:
        names = ("weights", "gradients", "master_weights", "first_moment", "second_moment")
        weights = sum(float(getattr(table, f"{name}_bytes")[candidate]) for name in names)
        activations += float(table.logits_bytes[candidate])
    room = weights + activations + runtime - float(table.reason_value[candidate])
    if weights > room:
        return MemoryPart.WEIGHTS
    return MemoryPart.ACTIVATIONS if weights + activations > room else MemoryPart.RUNTIME
