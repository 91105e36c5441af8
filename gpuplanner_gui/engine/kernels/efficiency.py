"""Which measured efficiency stands for a device: its own, or its nearest relative's with a wider band.

`parameter_tables` turns the calibration into one table of arrays per operation; `nearest_set` picks a row and says why.
The index goes into `operation_time.gathered`, so a million candidates on ten devices cost ten choices.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.hardware import Accelerator
from gpuplanner_gui.domain.knowledge import KernelCalibration, MeasuredDevice, ParameterSet, Relatedness
from gpuplanner_gui.engine.kernels import operation_time, special_time

PARAMETER_TYPES: Mapping[str, type] = {
    "gemm": operation_time.GemmParameters,
    "prefill_attention": operation_time.PrefillAttentionParameters,
    "decode_attention": operation_time.DecodeAttentionParameters,
    "elementwise": operation_time.ElementwiseParameters,
    "latent_prefill_attention": special_time.LatentPrefillParameters,
    "latent_decode_attention": special_time.LatentDecodeParameters,
    "experts": special_time.ExpertParameters,
    "state_prefill": special_time.StatePrefillParameters,
    "state_decode": special_time.StateDecodeParameters,
}

EvidenceLevel = Literal["measured", "relative"]


class UnknownPrecisionError(LookupError):
    """A precision that the calibration does not describe."""

    def __init__(self, precision: str, known: tuple[str, ...]) -> None:
        super().__init__(precision, known)
        self.precision = precision
        self.known = known


class NoParametersError(LookupError):
    """An operation that the calibration holds no parameter set for."""

    def __init__(self, operation: str) -> None:
        super().__init__(operation)
        self.operation = operation


@dataclass(frozen=True)
class ParameterTable:
    """All sets of one operation; `parameters` holds arrays with one element per set."""

    operation: str
    sets: tuple[ParameterSet, ...]
    parameters: Any


@dataclass(frozen=True)
class KernelEvidence:
    """What an operation's efficiency rests on."""

    index: int
    level: EvidenceLevel
    """`measured`: this accelerator at this precision was timed; `relative`: another stands for it."""
    accelerator: str
    engine: str
    precision: str
    distance: float
    log_sd: float
    """Standard deviation of ln(predicted / measured) to expect of one kernel."""


def parameter_tables(calibration: KernelCalibration) -> dict[str, ParameterTable]:
    """One table per operation that the calibration has sets for."""
    tables = {}
    for operation, kind in PARAMETER_TYPES.items():
        sets = tuple(found for found in calibration.sets if found.operation == operation)
        if sets:
            columns = {
                field.name: np.array([found.parameters[field.name] for found in sets], np.float64)
                for field in fields(kind)
            }
            tables[operation] = ParameterTable(operation, sets, kind(**columns))
    return tables


def device_distances(accelerators: tuple[Accelerator, ...], calibration: KernelCalibration) -> NDArray[np.float64]:
    """How unlike every accelerator is to every measured device, shape (accelerators, devices)."""
    weights = calibration.relatedness
    rows = [[device_distance(wanted, measured, weights) for measured in calibration.devices] for wanted in accelerators]
    return np.array(rows, np.float64).reshape(len(accelerators), len(calibration.devices))


def nearest_rows(
    table: ParameterTable, calibration: KernelCalibration, to_device: NDArray[np.float64], engine: str, precision: str
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The row of least distance for every accelerator at once, and that distance; the first in the file among equals.

    `to_device` comes from `device_distances`. Raises UnknownPrecisionError for a precision that the calibration does
    not describe, NoParametersError for an empty table.
    """
    if not table.sets:
        raise NoParametersError(table.operation)
    weights = calibration.relatedness
    column = {(device.accelerator, device.is_own): index for index, device in enumerate(calibration.devices)}
    to_precision = {
        name: precision_distance(precision, name, weights) for name in {found.precision for found in table.sets}
    }
    beside = [
        (0.0 if found.engine == engine else weights.engine) + to_precision[found.precision] for found in table.sets
    ]
    columns = [column[found.accelerator, found.is_own] for found in table.sets]
    distance = to_device[:, columns] + np.array(beside)
    rows = distance.argmin(axis=1)
    return rows, distance[np.arange(len(distance)), rows]


def nearest_set(
    table: ParameterTable, calibration: KernelCalibration, accelerator: Accelerator, engine: str, precision: str
) -> KernelEvidence:
    """The set of least distance to one accelerator, engine and precision. Raises as `nearest_rows` does."""
    to_device = device_distances((accelerator,), calibration)
    rows, distances = nearest_rows(table, calibration, to_device, engine, precision)
    return evidence_of(table, calibration, accelerator, precision, int(rows[0]), float(distances[0]))


def evidence_of(
    table: ParameterTable,
    calibration: KernelCalibration,
    accelerator: Accelerator,
    precision: str,
    index: int,
    distance: float,
) -> KernelEvidence:
    """What a chosen row rests on."""
    found = table.sets[index]
    is_own = found.accelerator == accelerator.id and found.precision == precision
    transfer = calibration.relatedness.transfer_log_sd.get(table.operation, 0.0) * distance
    return KernelEvidence(
        index,
        "measured" if is_own else "relative",
        found.accelerator,
        found.engine,
        found.precision,
        distance,
        math.hypot(found.residual.log_sd, transfer),
    )


def precision_distance(wanted: str, measured: str, weights: Relatedness) -> float:
    """How unlike two precisions are to a kernel. Raises UnknownPrecisionError."""
    if wanted == measured:
        return 0.0
    for name in (wanted, measured):
        if name not in weights.precisions:
            raise UnknownPrecisionError(name, tuple(weights.precisions))
    a, b = weights.precisions[wanted], weights.precisions[measured]
    return (
        weights.per_stored_bits_octave * abs(math.log2(a.stored_bits / b.stored_bits))
        + weights.per_compute_bits_octave * abs(math.log2(a.compute_bits / b.compute_bits))
        + weights.scaling * abs(a.scaling - b.scaling)
    )


def compute_units(accelerator: Accelerator, calibration: KernelCalibration) -> int:
    """Number of compute units to fill: a GPU's own; for other kinds, the nearest measured GPU's.

    A systolic array or a core with wide vectors is not a unit in the sense of the fitted parameters.
    """
    if accelerator.kind in ("gpu", "soc") and accelerator.sm_count:
        return accelerator.sm_count
    nearest = min(calibration.devices, key=lambda device: device_distance(accelerator, device, calibration.relatedness))
    return nearest.compute_units


def device_distance(wanted: Accelerator, measured: MeasuredDevice, weights: Relatedness) -> float:
    """How unlike two devices are: 0 for the same, about 1 for the neighbouring generation.

    What the planner timed stands for no other.
    """
    if wanted.id == measured.accelerator:
        return 0.0
    if measured.is_own:
        return math.inf
    distance = measured.strangeness
    distance += weights.vendor * (wanted.vendor != measured.vendor)
    distance += weights.kind * (wanted.kind != measured.kind)
    if wanted.architecture != measured.architecture:
        is_variant = wanted.architecture.split()[0] == measured.architecture.split()[0]
        distance += weights.variant if is_variant else weights.architecture
    distance += weights.memory_class * (_is_stacked(wanted.memory_type) != _is_stacked(measured.memory_type))
    if wanted.year is not None:
        distance += weights.per_year * abs(wanted.year - measured.year)
    ratio = wanted.memory_bandwidth_bytes_per_s / measured.bandwidth_bytes_per_s
    return distance + weights.per_bandwidth_e_fold * abs(math.log(ratio))


def _is_stacked(memory_type: str) -> bool:
    return memory_type.upper().startswith("HBM")
