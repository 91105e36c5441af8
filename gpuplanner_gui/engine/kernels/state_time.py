"""Time of layers with a recurrent state: gated delta nets, state-space layers; prefill in chunks, decode by step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.engine.explaining.formula import formula
from gpuplanner_gui.engine.kernels.operation_time import (
    FITTED,
    OUTPUT_BYTES_PER_ELEMENT,
    Device,
    OperationTime,
    overlapped,
)

STATE_PASSES = 2.0
"""A recurrent state is read and written."""


@dataclass(frozen=True)
class StatePrefillParameters:
    """Coefficients of `state_prefill_time`."""

    floor_s: Floats
    compute_efficiency: Floats
    memory_efficiency: Floats
    overlap_loss: Floats
    token_padding: Floats
    sequential_s: Floats


@dataclass(frozen=True)
class StateDecodeParameters:
    """Coefficients of `state_decode_time`."""

    floor_s: Floats
    memory_efficiency: Floats


@formula(
    title="Recurrence over a prompt",
    unit="s",
    expression=(
        "floor_s + sequential_s·new_tokens + smooth_maximum("
        "batch·(new_tokens + tp)·state_flop_per_token/(peak·compute_efficiency), "
        "bytes/(bandwidth·memory_efficiency))"
    ),
    source=f"Gated delta networks, Yang et al. 2024, chunked form; {FITTED}",
)
def state_prefill_time(
    batch: Floats,
    new_tokens: Floats,
    state_flop_per_token: Floats,
    values_per_token: Floats,
    state_bytes: Floats,
    device: Device,
    parameters: StatePrefillParameters,
) -> OperationTime:
    """Seconds of one layer's recurrence over `new_tokens` of each of `batch` sequences, on one device.

    Chunks of one sequence follow one another (`sequential_s` per token); sequences and heads run side by side.
    `values_per_token` counts the layer's inputs and outputs on this device, `state_bytes` one sequence's state,
    `state_flop_per_token` the recurrence alone: about 6 per element of the state.
    """
    p = parameters
    compute_s = batch * (new_tokens + p.token_padding) * state_flop_per_token
    compute_s = compute_s / (device.peak_flop_per_s * p.compute_efficiency)
    traffic = batch * (OUTPUT_BYTES_PER_ELEMENT * values_per_token * new_tokens + STATE_PASSES * state_bytes)
    memory_s = traffic / (device.bandwidth_bytes_per_s * p.memory_efficiency)
    return overlapped(p.floor_s + p.sequential_s * new_tokens, compute_s, memory_s, p.overlap_loss)


@formula(
    title="Recurrence by one token",
    unit="s",
    expression=("floor_s + 2 batch·state_bytes/(bandwidth·memory_efficiency)"),
    source=FITTED,
)
def state_decode_time(
    batch: Floats, state_bytes: Floats, device: Device, parameters: StateDecodeParameters
) -> OperationTime:
    """Seconds of one layer's recurrence by one token of each of `batch` sequences: the states are read and written."""
    memory_s = STATE_PASSES * batch * state_bytes / (device.bandwidth_bytes_per_s * parameters.memory_efficiency)
    return OperationTime(np.broadcast_to(parameters.floor_s, np.shape(memory_s)), np.zeros_like(memory_s), memory_s)
