"""How well kernel times are predicted on shapes, and on accelerators, that the fit has not seen.

    python -m tools.fidelity.kernels

Refits each set without a quarter of its shapes (whole weight shapes, head counts or models), predicts that quarter, and
writes `build/fidelity/kernels.md` and `kernels.csv`. Then each accelerator and each architecture is predicted from the
others, and collectives on sizes left out.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.files.knowledge import load_kernel_calibration
from tools.fidelity.report_text import markdown, percent, report_file, sections, write_report, write_rows
from tools.fit_kernels.fit import REPORTED_WEIGHT, Group, groups_of, quarters_of
from tools.fit_kernels.operations import OPERATIONS
from tools.fit_kernels.prepared import CATALOGUE, residual_of
from tools.fit_kernels.transfer import Transferred, transferred
from tools.repository import grouped

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
    lines = []
    for operation, same in grouped(rows, lambda row: row.operation).items():
        medians = [row.median_error for row in same]
        shares = (
            np.median(medians),
            max(medians),
            np.median([row.p90_error for row in same]),
            np.nanmedian([row.in_band for row in same]),
        )
        target = percent(TARGETS[operation]) if operation in TARGETS else "–"
        lines.append([operation, str(len(same)), *(percent(float(share)) for share in shares), target])
    head = ["operation", "sets", "median error, median set", "worst set", "90th percentile, median set", "in band"]
    return markdown([*head, "target"], lines)


def transfer_summary(rows: list[Transferred]) -> list[str]:
    lines = []
    for name in dict.fromkeys(operation.name for operation in OPERATIONS):
        cells = [name]
        for left_out in ("accelerator", "architecture"):
            part = [row for row in rows if (row.operation, row.left_out) == (name, left_out)]
            cells += [
                percent(float(np.median([row.median_error for row in part]))),
                percent(float(np.median([abs(row.median_log_bias) for row in part]))),
            ]
        lines.append(cells)
    parts = [cell for one in ("accelerator", "architecture") for cell in (f"without its {one}: median error", "bias")]
    return markdown(["operation", *parts], lines)


def detail(rows: list[Row]) -> list[str]:
    head = ["operation", "accelerator", "engine", "precision", "timings", "median error", "90th percentile", "bias"]
    return markdown(
        [*head, "in band"],
        ([row.operation, row.accelerator, row.engine, row.precision, str(row.rows),
          *map(percent, (row.median_error, row.p90_error, row.median_log_bias, row.in_band))] for row in rows),
    )  # fmt: skip


def collective_detail() -> list[str]:
    head = ["collective", "accelerator", "library", "engine", "median error, sizes left out", "90th percentile"]
    return markdown(
        head,
        ([one.collective, one.accelerator, one.library, one.engine or "–", percent(one.residual.median_error),
          percent(one.residual.p90_error)] for one in load_kernel_calibration(CATALOGUE).calibration.collectives),
    )  # fmt: skip


DETAILS = "Each set, shapes left out"
"""First of the tables that stand in the report alone."""


def main() -> None:
    rows = shape_rows()
    transfers = list(transferred(load_kernel_calibration(CATALOGUE).calibration))
    parts = [
        ("Shapes left out", summary(rows)),
        ("Accelerators left out: what a device without measurements gets from its nearest relative",
         transfer_summary(transfers)),
        (DETAILS, detail(rows)),
        ("Collectives, as fitted (every third size left out in turn)", collective_detail()),
    ]  # fmt: skip
    write_report("kernels.md", sections("Kernel times against measurements", parts), f"## {DETAILS}")
    names = [field.name for field in dataclasses.fields(Row)]
    write_rows(report_file("kernels.csv"), names, (dataclasses.astuple(row) for row in rows))


if __name__ == "__main__":
    main()
