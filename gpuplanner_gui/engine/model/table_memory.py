"""What the memory columns of a plan's tables say together; asked by views before any model is loaded."""

from __future__ import annotations

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.curves import MemoryPart
from gpuplanner_gui.domain.plan import ServingTable, TrainingTable


def memory_bytes(table: TrainingTable) -> Floats:
    """What the most loaded device holds. [bytes]"""
    parts = (
        table.weights_bytes, table.gradients_bytes, table.master_weights_bytes, table.first_moment_bytes,
        table.second_moment_bytes, table.activation_bytes, table.logits_bytes, table.runtime_bytes,
    )  # fmt: skip
    return np.asarray(sum(parts, np.zeros(len(table.order))))


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
