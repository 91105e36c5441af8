"""How well kernel times are predicted on shapes, and on accelerators, that the fit has not seen.

    python -m tools.fidelity.kernels

Refits each set without a quarter of its shapes (whole weight shapes, head counts or models), predicts that quarter, and
writes `build/fidelity/kernels.md` and `kernels.csv`. Then each accelerator and each architecture is predicted from the
others, and collectives on sizes left out.
"""

from __future__ import annotations

import csv
import dataclasses
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.files.calibration import load_kernel_calibration
from tools.fidelity.report_text import percent, report_file
from tools.fit_kernels.fit import REPORTED_WEIGHT, Group, groups_of, quarters_of
from tools.fit_kernels.operations import OPERATIONS
from tools.fit_kernels.prepared import CATALOGUE
from tools.fit_kernels.robust import residual_of
from tools.fit_kernels.transfer import Transferred, transferred

TARGETS = {"gemm": 0.08}
"""Median error asked for on shapes left out."""


@dataclass(frozen=True)
class Row:
    """One set's error on the quarter of shapes that it was not fitted to."""

    operation: str
    accelerator: str
    engine: str
    precision: str
    rows: int
    median_error: float
    p90_error: float
    median_log_bias: float
    in_band: float
    """Share within the 80 % band that the shipped calibration states for the set."""


def left_out_quarter(group: Group, quarter: int) -> Floats | None:
    """Log errors on a quarter of the shapes after a fit to the others; None where there is nothing to hold out."""
    out = quarters_of(group) == quarter
    tested = out & group.rows & (group.prepared.weights >= REPORTED_WEIGHT)
    if not tested.any() or not (group.rows & ~out).any():
        return None
    return group.errors(group.fit(group.rows & ~out))[tested]


def shape_rows() -> list[Row]:
    stated = {
        (found.operation, found.accelerator, found.engine, found.precision): found.residual.log_sd
        for found in load_kernel_calibration(CATALOGUE).calibration.sets
    }
    rows = []
    for operation in OPERATIONS:
        for number, group in enumerate(groups_of(operation)):
            errors = next(
                (made for shift in range(4) if (made := left_out_quarter(group, (number + shift) % 4)) is not None),
                None,
            )
            if errors is None:
                continue
            name = (operation.name, group.accelerator, group.key["engine"], group.precision)
            residual = residual_of(errors)
            band = Z_80 * stated.get(name, math.nan)
            rows.append(
                Row(
                    *name, residual.rows, residual.median_error, residual.p90_error, residual.median_log_bias,
                    float(np.mean(np.abs(errors) <= band)),
                )
            )  # fmt: skip
        print(f"{operation.name}: done", flush=True)
    return rows


def summary(rows: list[Row]) -> list[str]:
    lines = [
        "| operation | sets | median error, median set | worst set | 90th percentile, median set | in band | target |",
        "|---|---|---|---|---|---|---|",
    ]
    by_operation: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_operation[row.operation].append(row)
    for operation, same in by_operation.items():
        medians = [row.median_error for row in same]
        target = percent(TARGETS[operation]) if operation in TARGETS else "–"
        lines.append(
            f"| {operation} | {len(same)} | {percent(float(np.median(medians)))} | {percent(max(medians))} |"
            f" {percent(float(np.median([row.p90_error for row in same])))} |"
            f" {percent(float(np.nanmedian([row.in_band for row in same])))} | {target} |"
        )
    return lines


def transfer_summary(rows: list[Transferred]) -> list[str]:
    lines = [
        "| operation | without its accelerator: median error | bias | without its architecture: median error | bias |",
        "|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(operation.name for operation in OPERATIONS):
        cells = []
        for left_out in ("accelerator", "architecture"):
            part = [row for row in rows if (row.operation, row.left_out) == (name, left_out)]
            cells += [
                percent(float(np.median([row.median_error for row in part]))),
                percent(float(np.median([abs(row.median_log_bias) for row in part]))),
            ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return lines


def detail(rows: list[Row]) -> list[str]:
    lines = [
        "| operation | accelerator | engine | precision | timings | median error | 90th percentile | bias | in band |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row.operation} | {row.accelerator} | {row.engine} | {row.precision} | {row.rows} |"
            f" {percent(row.median_error)} | {percent(row.p90_error)} | {percent(row.median_log_bias)} |"
            f" {percent(row.in_band)} |"
        )
    return lines


def collective_detail() -> list[str]:
    lines = [
        "| collective | accelerator | library | engine | median error, sizes left out | 90th percentile |",
        "|---|---|---|---|---|---|",
    ]
    for found in load_kernel_calibration(CATALOGUE).calibration.collectives:
        lines.append(
            f"| {found.collective} | {found.accelerator} | {found.library} | {found.engine or '–'} |"
            f" {percent(found.residual.median_error)} | {percent(found.residual.p90_error)} |"
        )
    return lines


def write(path: Path, rows: list[Row], transfers: list[Transferred]) -> None:
    sections = [
        ("# Kernel times against measurements", []),
        ("## Shapes left out", summary(rows)),
        ("## Accelerators left out: what a device without measurements gets from its nearest relative",
         transfer_summary(transfers)),
        ("## Each set, shapes left out", detail(rows)),
        ("## Collectives, as fitted (every third size left out in turn)", collective_detail()),
    ]  # fmt: skip
    path.write_text("\n\n".join("\n".join([title, "", *lines]) for title, lines in sections) + "\n", encoding="utf-8")
    with path.with_suffix(".csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Row)])
        writer.writeheader()
        writer.writerows(dataclasses.asdict(row) for row in rows)


def main() -> None:
    rows = shape_rows()
    transfers = list(transferred(load_kernel_calibration(CATALOGUE).calibration))
    write(report_file("kernels.md"), rows, transfers)
    print("\n".join([*summary(rows), "", *transfer_summary(transfers)]))


if __name__ == "__main__":
    main()
