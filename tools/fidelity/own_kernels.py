"""What a few timings of a device's own bring: each device, and each architecture, as if it had never been timed.

    python -m tools.fidelity.own_kernels

Takes published timings at the probe's sizes for a probe's, fits them (`engine.evidence.own_kernels`), predicts all
other timings of the device, and writes `build/fidelity/own_kernels.md`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.domain.knowledge import KernelCalibration
from gpuplanner_gui.domain.measurement import Measurement, MeasurementContext, MeasurementSet, figure
from gpuplanner_gui.engine.evidence.own_kernels import own_kernels
from gpuplanner_gui.engine.kernels.efficiency import nearest_set, parameter_tables
from gpuplanner_gui.engine.kernels.operation_time import GemmParameters
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_kernel_calibration
from tools.fidelity.report_text import markdown, write_report
from tools.fit_kernels.fit import REPORTED_WEIGHT, Group, groups_of
from tools.fit_kernels.operations import OPERATIONS
from tools.fit_kernels.prepared import CATALOGUE, DATA, load

ENGINE = "vllm"
"""Whose products in 16 bits are PyTorch's own; those in 8 bits hold the quantising of their activations."""
TIMED = ("bf16", "fp8")
TOKENS = (1, 16, 64, 256, 2048)
WEIGHTS = ((4096, 4096), (28672, 4096), (4096, 14336))


@dataclass(frozen=True)
class Outcome:
    """Errors on the timings that were not given."""

    median_error: float
    log_sd: float
    in_band: float


@dataclass(frozen=True)
class Row:
    accelerator: str
    precision: str
    left_out: str
    given: int
    before: Outcome
    after: Outcome


def shapes_of(group: Group) -> dict[str, NDArray[np.float64]]:
    """Sizes of a group's products, row by row."""
    for key, shapes, _ in load(DATA / "gemm.npz"):
        if key == group.key:
            return shapes
    raise KeyError(group.key)


def given_rows(shapes: dict[str, NDArray[np.float64]]) -> list[int]:
    """The timings whose sizes are nearest to the probe's."""
    logs = {name: np.log(shapes[name]) for name in ("m", "n", "k")}
    found = {
        int(np.argmin(abs(logs["m"] - math.log(m)) + abs(logs["n"] - math.log(n)) + abs(logs["k"] - math.log(k))))
        for m in TOKENS
        for n, k in WEIGHTS
    }
    return sorted(found)


def as_probed(group: Group, shapes: dict[str, NDArray[np.float64]], rows: list[int]) -> MeasurementSet:
    runs = []
    for row in rows:
        sizes = " ".join(f"{name}={int(shapes[name][row])}" for name in ("m", "n", "k"))
        context = MeasurementContext(
            accelerator=group.accelerator, devices=1, weight_precision=group.precision, engine=ENGINE,
            operation="gemm", shape=f"{sizes} launch=graph", device_kind="cuda",
        )  # fmt: skip
        runs.append(Measurement(context=context, figures=(figure("kernel_time", float(group.measured_s[row]), "p50"),)))
    return MeasurementSet(name="probe", measurements=tuple(runs))


def without(kernels: KernelCalibration, group: Group, left_out: str) -> KernelCalibration:
    """The calibration without the device, or without its whole architecture."""
    families = {one.accelerator: one.architecture.split()[0] for one in kernels.devices}
    gone = {
        name
        for name, family in families.items()
        if name == group.accelerator or (left_out == "architecture" and family == families[group.accelerator])
    }
    return msgspec.structs.replace(
        kernels,
        devices=tuple(one for one in kernels.devices if one.accelerator not in gone),
        sets=tuple(one for one in kernels.sets if one.accelerator not in gone),
    )


def outcome(kernels: KernelCalibration, group: Group, tested: NDArray[np.bool_], catalog: Catalog) -> Outcome:
    table = parameter_tables(kernels)["gemm"]
    found = nearest_set(table, kernels, catalog.accelerators[group.accelerator], ENGINE, group.precision)
    values = {name: np.asarray(value) for name, value in table.sets[found.index].parameters.items()}
    errors = np.log(group.prepared.seconds_of(GemmParameters(**values))[tested] / group.measured_s[tested])
    in_band = float(np.mean(np.abs(errors) <= Z_80 * found.log_sd))
    return Outcome(float(np.median(np.abs(np.expm1(errors)))), found.log_sd, in_band)


def rows() -> Iterator[Row]:
    catalog, kernels = load_shipped_catalog(), load_kernel_calibration(CATALOGUE).calibration
    gemm = next(operation for operation in OPERATIONS if operation.name == "gemm")
    for group in groups_of(gemm):
        if group.key["engine"] != ENGINE or group.precision not in TIMED:
            continue
        shapes = shapes_of(group)
        given = given_rows(shapes)
        tested = group.rows & (group.prepared.weights >= REPORTED_WEIGHT)
        tested[given] = False
        for left_out in ("device", "architecture"):
            unknown = without(kernels, group, left_out)
            found, _ = own_kernels((as_probed(group, shapes, given),), catalog, unknown)
            outcomes = (outcome(one, group, tested, catalog) for one in (unknown, found))
            yield Row(group.accelerator, group.precision, left_out, len(given), *outcomes)


def main() -> None:
    found = list(rows())
    head = ["accelerator", "products", "without its", "timings given", "median error", "band (log sd)"]
    table = [
        [row.accelerator, row.precision, row.left_out, str(row.given),
         f"{row.before.median_error:.1%} → {row.after.median_error:.1%}",
         f"{row.before.log_sd:.3f} → {row.after.log_sd:.3f}", f"{row.before.in_band:.0%} → {row.after.in_band:.0%}"]
        for row in found
    ]  # fmt: skip
    middle = [
        float(np.median([getattr(getattr(row, side), name) for row in found]))
        for name in ("median_error", "log_sd", "in_band")
        for side in ("before", "after")
    ]
    worse = [row for row in found if row.after.median_error > row.before.median_error]
    most = max((row.after.median_error - row.before.median_error for row in worse), default=0.0)
    said = (
        f"Middle of {len(found)}: error {middle[0]:.1%} → {middle[1]:.1%}, log sd {middle[2]:.3f} → {middle[3]:.3f}, in"
        f" the band {middle[4]:.0%} → {middle[5]:.0%}. Worse in {len(worse)}, by {most:.1%} at most."
    )
    write_report("own_kernels.md", [*markdown([*head, "in the 80 % band"], table), "", said])


if __name__ == "__main__":
    main()
