"""What a device without measurements would get: each accelerator, and each architecture, predicted from the others.

    python -m tools.fit_kernels.transfer

Writes the spread that distance adds, by operation, for `tools.fit_kernels.catalogue`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.hardware import Accelerator, PeakRates
from gpuplanner_gui.domain.knowledge import KernelCalibration, MeasuredDevice, ParameterSet
from gpuplanner_gui.engine.kernels.efficiency import PARAMETER_TYPES, ParameterTable, nearest_set, parameter_tables
from gpuplanner_gui.files.knowledge import load_kernel_calibration
from tools.fit_kernels.fit import REPORTED_WEIGHT, Group, groups_of
from tools.fit_kernels.operations import OPERATIONS
from tools.fit_kernels.prepared import CATALOGUE, FITTED, residual_of

NORMAL_MEDIAN = 0.6745


@dataclass(frozen=True)
class Transferred:
    """One group predicted with another accelerator's parameters."""

    operation: str
    accelerator: str
    engine: str
    precision: str
    left_out: str
    """`accelerator` or `architecture`."""
    stand_in: str
    distance: float
    median_error: float
    p90_error: float
    median_log_bias: float
    log_sd: float
    own_log_sd: float


def accelerator_of(device: MeasuredDevice) -> Accelerator:
    return Accelerator(
        id=device.accelerator,
        name=device.accelerator,
        vendor=device.vendor,
        kind=device.kind,  # type: ignore[arg-type]
        ecosystem="cuda",
        architecture=device.architecture,
        year=device.year,
        memory_nominal_bytes=1.0,
        memory_type=device.memory_type,
        memory_bandwidth_bytes_per_s=device.bandwidth_bytes_per_s,
        peak_dense_flop_per_s=PeakRates(),
    )


def transferred(calibration: KernelCalibration) -> Iterator[Transferred]:
    devices = {device.accelerator: device for device in calibration.devices}
    tables = parameter_tables(calibration)
    leaving: dict[str, Callable[[ParameterSet, MeasuredDevice], bool]] = {
        "accelerator": lambda other, own: other.accelerator != own.accelerator,
        "architecture": lambda other, own: (
            devices[other.accelerator].architecture.split()[0] != own.architecture.split()[0]
        ),
    }
    for operation in OPERATIONS:
        for group in groups_of(operation):
            for left_out, is_left in leaving.items():
                own = devices[group.accelerator]
                others = tuple(other for other in tables[operation.name].sets if is_left(other, own))
                if others:
                    yield _one(calibration, group, others, left_out, own)


def _one(
    calibration: KernelCalibration, group: Group, others: tuple[ParameterSet, ...], left_out: str, own: MeasuredDevice
) -> Transferred:
    table = ParameterTable(group.operation.name, others, None)
    found = nearest_set(table, calibration, accelerator_of(own), group.key["engine"], group.precision)
    kind = PARAMETER_TYPES[group.operation.name]
    parameters = kind(**{name: np.asarray(value) for name, value in others[found.index].parameters.items()})
    rows = group.rows & (group.prepared.weights >= REPORTED_WEIGHT)
    errors = np.log(group.prepared.seconds_of(parameters)[rows] / group.measured_s[rows])
    residual = residual_of(errors)
    return Transferred(
        group.operation.name, group.accelerator, group.key["engine"], group.precision, left_out, found.accelerator,
        found.distance, residual.median_error, residual.p90_error, residual.median_log_bias,
        float(np.median(np.abs(errors))) / NORMAL_MEDIAN, others[found.index].residual.log_sd,
    )  # fmt: skip


def spread_per_distance(rows: list[Transferred]) -> float:
    """Standard deviation that a unit of distance adds: median over the groups of what exceeds the usual error."""
    added = [np.sqrt(max(row.log_sd**2 - row.own_log_sd**2, 0.0)) / max(row.distance, 0.3) for row in rows]
    return round(float(np.median(added)), 3)


def main() -> None:
    calibration = load_kernel_calibration(CATALOGUE).calibration
    rows = list(transferred(calibration))
    rates = {}
    for name in dict.fromkeys(operation.name for operation in OPERATIONS):
        same = [row for row in rows if row.operation == name]
        rates[name] = spread_per_distance([row for row in same if row.left_out == "architecture"])
        for left_out in ("accelerator", "architecture"):
            part = [row for row in same if row.left_out == left_out]
            errors = [row.median_error for row in part]
            print(
                f"{name:22s} without its {left_out:13s}: median error {100 * np.median(errors):5.1f} %,"
                f" worst group {100 * max(errors):5.1f} %, median |bias|"
                f" {100 * np.median([abs(row.median_log_bias) for row in part]):5.1f} %"
            )
        print(f"{name:22s} spread per distance {rates[name]}")
    rates["elementwise"] = max(rates.values())
    (FITTED / "transfer.json").write_text(json.dumps(rates, indent=1) + "\n")
    (FITTED / "transfer_rows.json").write_bytes(msgspec.json.encode([dataclasses.asdict(row) for row in rows]))


if __name__ == "__main__":
    main()
