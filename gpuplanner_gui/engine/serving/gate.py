"""Which serving candidates can run at all, and why the others cannot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.model import MoeFfn
from gpuplanner_gui.domain.plan import Reason
from gpuplanner_gui.domain.precision_support import SupportedOperation
from gpuplanner_gui.domain.scenario import Scenario
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.serving.candidates import ServingCandidates
from gpuplanner_gui.engine.serving.memory import ServingMemory

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Gate:
    """A reason per candidate, and the number that belongs to it."""

    reason: Integers
    value: Floats

    def close(self, where: NDArray[np.bool_], reason: Reason, value: Floats | float) -> Gate:
        """Give a reason to those that have none yet."""
        first = where & (self.reason == Reason.NONE)
        if not first.any():
            return self
        return Gate(np.where(first, int(reason), self.reason), np.where(first, value, self.value))


def serving_gate(scenario: Scenario, context: Context, candidates: ServingCandidates, memory: ServingMemory) -> Gate:
    """Reasons in the order in which a planner would want to hear them."""
    who = candidates.accelerator
    devices, hardware = context.devices, scenario.hardware
    gate = Gate(np.zeros(len(candidates), np.int64), np.zeros(len(candidates)))
    gate = gate.close(~context.allowed(hardware)[who], Reason.EXCLUDED, 0.0)
    not_sold = context.cannot_be_bought(hardware, scenario.economics.serving_procurement)
    gate = gate.close(not_sold[who], Reason.END_OF_LIFE, 0.0)
    gate = gate.close(np.isnan(memory.capacity), Reason.NO_MEMORY_FIGURE, 0.0)
    gate = gate.close(np.isnan(devices.bandwidth_bytes_per_s[who]), Reason.NO_BANDWIDTH_FIGURE, 0.0)
    peak = devices.peak_flop_per_s[who, candidates.weight_precision]
    gate = gate.close(np.isnan(peak), Reason.NO_COMPUTE_FIGURE, 0.0)
    gate = _without_refused_formats(gate, scenario, context, candidates)
    outside = candidates.tensor_parallel > devices.scale_up_domain[who]
    if not hardware.tensor_parallel_across_nodes:
        gate = gate.close(outside, Reason.BEYOND_SCALE_UP_DOMAIN, devices.scale_up_domain[who])
    alone = (candidates.devices > 1) & np.isnan(devices.scale_up_bytes_per_s[who])
    gate = gate.close(alone, Reason.BEYOND_SCALE_UP_DOMAIN, 1.0)
    heads, layers = context.heads(scenario.model), context.layer_count(scenario.model)
    if heads:
        gate = gate.close(heads % candidates.tensor_parallel != 0, Reason.HEADS_NOT_DIVISIBLE, float(heads))
    gate = gate.close(candidates.pipeline_parallel > max(layers, 1), Reason.LAYERS_NOT_DIVISIBLE, float(layers))
    gate = gate.close(memory.pool < 0, Reason.DOES_NOT_FIT, -memory.pool)
    gate = gate.close(
        memory.pool < memory.cache_of_longest, Reason.KV_CACHE_TOO_SMALL, memory.cache_of_longest - memory.pool
    )
    return gate


def _without_refused_formats(gate: Gate, scenario: Scenario, context: Context, candidates: ServingCandidates) -> Gate:
    """Weights or a cache in a format that the engine does not run on the device."""
    assert scenario.serving is not None
    engine, who = scenario.serving.engine.engine, candidates.accelerator
    operations: tuple[tuple[SupportedOperation, Integers], ...] = (
        ("products", candidates.weight_precision), ("kv_cache", candidates.kv_precision),
    )  # fmt: skip
    if any(isinstance(group.ffn, MoeFfn) for group in scenario.model.layers):
        operations = (*operations, ("experts", candidates.weight_precision))
    for operation, precision in operations:
        is_refused = context.refused(engine, operation)[who, precision]
        gate = gate.close(is_refused, Reason.PRECISION_NOT_SUPPORTED, precision.astype(np.float64))
    return gate
