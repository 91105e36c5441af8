"""Fits every operation's parameters to the thinned kernel timings and writes `catalogs/calibration_kernels.json`.

python -m tools.fit_kernels.fit [operation ...]
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.knowledge import Residual
from tools.fit_kernels.operations import OPERATIONS
from tools.fit_kernels.prepared import (
    DATA,
    FITTED,
    FittedOperation,
    Numbers,
    Prepared,
    decoded,
    fitted,
    load,
    residual_of,
)

Configuration = tuple[dict[str, str], dict[str, Floats], Floats]
"""Key, shapes and times of one measured kernel."""

REPORTED_WEIGHT = 0.5
"""Rows that count at least this much enter the stated error."""
FEWEST_USABLE_ROWS = 60
SERVED_FROM_CACHE = 1.03
"""Rows below this multiple of what memory bandwidth or peak compute allow were not measured from memory."""


@dataclass(frozen=True)
class Group:
    """All rows of one accelerator, engine and precision: its main kernel's."""

    operation: FittedOperation
    key: dict[str, str]
    accelerator: str
    precision: str
    prepared: Prepared
    measured_s: Floats
    rows: NDArray[np.bool_]

    @property
    def full_rows(self) -> int:
        """Usable rows, by how much they count."""
        return int(np.sum(self.prepared.weights[self.rows]))

    def errors(self, vector: Floats) -> Floats:
        parameters = decoded(self.operation.parameters, tuple(self.operation.usual), vector)
        return np.asarray(np.log(self.prepared.seconds_of(parameters) / self.measured_s))

    def fit(self, rows: NDArray[np.bool_], start: Floats | None = None) -> Floats:
        def seconds(parameters: Any) -> Floats:
            return self.prepared.seconds_of(parameters)[rows]

        return fitted(
            self.operation.parameters, self.operation.usual, seconds, self.measured_s[rows],
            self.prepared.weights[rows], start, self.operation.highest,
        )  # fmt: skip


def groups_of(operation: FittedOperation) -> Iterator[Group]:
    """The groups that have enough rows; of several kernels for one precision, the one with most usual rows."""
    specifications = json.loads((DATA / "devices.json").read_text())
    best: dict[tuple[str, str, str], Group] = {}
    for key, shapes, seconds in _configurations(operation):
        precision = operation.precision_of(key)
        if precision is None or len(seconds) < operation.fewest_rows:
            continue
        specification = specifications[key["system"]]
        prepared = operation.prepare(key, shapes, specification)
        rows = seconds > SERVED_FROM_CACHE * prepared.least_s
        if prepared.is_cold is not None:
            rows &= prepared.is_cold
        group = Group(operation, key, specification["accelerator"], precision, prepared, seconds, rows)
        name = (key["system"], key["engine"], precision)
        if group.full_rows >= FEWEST_USABLE_ROWS and (name not in best or best[name].full_rows < group.full_rows):
            best[name] = group
    yield from (best[name] for name in sorted(best))


def _configurations(operation: FittedOperation) -> Iterator[Configuration]:
    """Key, shapes and times of each measured configuration, an engine's kernels joined where the operation says so."""
    table = load(DATA / f"{operation.table}.npz")
    if not operation.model_columns:
        yield from table
        return
    same: dict[tuple[str, str, str], list[Configuration]] = {}
    for key, shapes, seconds in table:
        precision = operation.precision_of(key)
        if precision is not None:
            same.setdefault((key["system"], key["engine"], precision), []).append((key, shapes, seconds))
    for parts in same.values():
        joined = _with_same_models(parts, operation.model_columns)
        kernels = " + ".join(sorted({key["kernel_source"] for key, _, _ in joined}))
        shapes = {name: np.concatenate([part[name] for _, part, _ in joined]) for name in joined[0][1]}
        yield joined[0][0] | {"kernel_source": kernels}, shapes, np.concatenate([times for _, _, times in joined])


def _with_same_models(parts: list[Configuration], columns: tuple[str, ...]) -> list[Configuration]:
    """The configurations of the kernel that serves most models, and of those that serve mostly the same ones."""

    def models(part: Configuration) -> set[tuple[float, ...]]:
        return set(zip(*(part[1][name] for name in columns), strict=True))

    main = max(parts, key=lambda part: (len(models(part)), len(part[2])))
    return [part for part in parts if len(models(part) & models(main)) >= len(models(part)) / 2]


def quarters_of(group: Group) -> Numbers:
    """Which quarter each row is held out with: whole shapes, or single rows where there is one shape only."""
    quarters = group.prepared.shape_group
    is_one = len(np.unique(quarters[group.rows])) == 1
    return np.arange(len(quarters)) % 4.0 if is_one else quarters


def parameter_set(group: Group) -> tuple[dict[str, Any], Residual]:
    """The set fitted to all rows, with the error on quarters of the shapes left out in turn."""
    errors = np.full(len(group.measured_s), np.nan)
    vector = group.fit(group.rows)
    quarters = quarters_of(group)
    for quarter in range(4):
        out = quarters == quarter
        if not (out & group.rows).any() or not (group.rows & ~out).any():
            continue
        trained = group.fit(group.rows & ~out, vector)
        errors[out] = group.errors(trained)[out]
    used = group.rows & (group.prepared.weights >= REPORTED_WEIGHT) & np.isfinite(errors)
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
        "residual": msgspec.structs.asdict(residual),
    }, residual


def significant(value: Any, digits: int = 4) -> float:
    return float(f"{float(value):.{digits}g}")


def main(arguments: list[str]) -> None:
    for operation in OPERATIONS:
        if arguments and (operation.output or operation.name) not in arguments:
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
        write(operation.output or operation.name, sets)


def write(name: str, sets: list[dict[str, Any]]) -> None:
    """One file per operation, to be put together by `tools.fit_kernels.catalogue`."""
    FITTED.mkdir(parents=True, exist_ok=True)
    (FITTED / f"{name}.json").write_text("[\n" + ",\n".join(json.dumps(made) for made in sets) + "\n]\n")


if __name__ == "__main__":
    main(sys.argv[1:])
