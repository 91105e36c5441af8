"""Fits every operation's parameters to the thinned kernel timings and writes `catalogs/calibration_kernels.json`.

python -m tools.fit_kernels.fit [operation ...]
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tools.fit_kernels.operations import OPERATIONS, FittedOperation, Prepared
from tools.fit_kernels.robust import Residual, decoded, fitted, residual_of
from tools.fit_kernels.tables import load

REPOSITORY = Path(__file__).resolve().parents[2]
DATA = REPOSITORY / "tests" / "fidelity" / "data" / "kernels"
Array = NDArray[np.float64]

SERVED_FROM_CACHE = 1.03
"""Rows below this multiple of what memory bandwidth or peak compute allow were not measured from memory."""
FEWEST_ROWS = 300


@dataclass(frozen=True)
class Group:
    """All rows of one accelerator, engine and precision: its main kernel's."""

    operation: FittedOperation
    key: dict[str, str]
    accelerator: str
    precision: str
    prepared: Prepared
    measured_s: Array
    rows: NDArray[np.bool_]

    def errors(self, vector: Array) -> Array:
        parameters = decoded(self.operation.parameters, tuple(self.operation.usual), vector)
        return np.asarray(np.log(self.prepared.seconds_of(parameters) / self.measured_s))

    def fit(self, rows: NDArray[np.bool_], start: Array | None = None) -> Array:
        def seconds(parameters: Any) -> Array:
            return self.prepared.seconds_of(parameters)[rows]

        return fitted(
            self.operation.parameters, self.operation.usual, seconds, self.measured_s[rows],
            self.prepared.weights[rows], start,
        )  # fmt: skip


def groups_of(operation: FittedOperation) -> Iterator[Group]:
    """The groups that have enough rows; of several kernels for one precision, the one with most rows."""
    specifications = json.loads((DATA / "devices.json").read_text())
    best: dict[tuple[str, str, str], tuple[dict[str, str], dict[str, Array], Array]] = {}
    for key, shapes, seconds in load(DATA / f"{operation.table}.npz"):
        precision = operation.precision_of(key)
        if precision is None or len(seconds) < FEWEST_ROWS:
            continue
        name = (key["system"], key["engine"], precision)
        if name not in best or len(best[name][2]) < len(seconds):
            best[name] = (key, shapes, seconds)
    for (system, _, precision), (key, shapes, seconds) in sorted(best.items(), key=lambda item: item[0]):
        prepared = operation.prepare(key, shapes, specifications[system])
        rows = seconds > SERVED_FROM_CACHE * prepared.least_s
        yield Group(operation, key, specifications[system]["accelerator"], precision, prepared, seconds, rows)


def parameter_set(group: Group) -> tuple[dict[str, Any], Residual]:
    """The set fitted to all rows, with the error on quarters of the shapes left out in turn."""
    errors = np.full(len(group.measured_s), np.nan)
    vector = group.fit(group.rows)
    for quarter in range(4):
        out = group.prepared.shape_group == quarter
        if not (out & group.rows).any():
            continue
        trained = group.fit(group.rows & ~out, vector)
        errors[out] = group.errors(trained)[out]
    used = group.rows & (group.prepared.weights >= 1) & np.isfinite(errors)
    residual = residual_of(errors[used])
    parameters = decoded(group.operation.parameters, tuple(group.operation.usual), vector)
    values = {field.name: significant(getattr(parameters, field.name)) for field in dataclasses.fields(parameters)}
    return {
        "operation": group.operation.name,
        "accelerator": group.accelerator,
        "engine": group.key["engine"],
        "engine_version": group.key["engine_version"],
        "kernel": group.key["kernel_source"],
        "precision": group.precision,
        "parameters": values,
        "residual": dataclasses.asdict(residual),
    }, residual


def significant(value: Any, digits: int = 4) -> float:
    return float(f"{float(value):.{digits}g}")


def main(arguments: list[str]) -> None:
    for operation in OPERATIONS:
        if arguments and operation.name not in arguments:
            continue
        sets = []
        for group in groups_of(operation):
            made, residual = parameter_set(group)
            sets.append(made)
            print(
                f"{operation.name:18s} {group.accelerator:38s} {made['engine']:7s} {group.precision:14s}"
                f" median {100 * residual.median_error:5.1f} %  p90 {100 * residual.p90_error:5.1f} %"
                f"  bias {100 * residual.median_log_bias:5.1f} %  {residual.rows} rows"
                f"  floor {made['parameters']['floor_s'] * 1e6:.1f} us",
                flush=True,
            )
        write(operation.name, sets)


def write(name: str, sets: list[dict[str, Any]]) -> None:
    """One file per operation, to be put together by `tools.fit_kernels.catalogue`."""
    folder = REPOSITORY / "build" / "fit_kernels"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text("[\n" + ",\n".join(json.dumps(made) for made in sets) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
