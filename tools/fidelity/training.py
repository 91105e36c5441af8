"""How well training is predicted on models × accelerators that the fit has not seen, and peers on the same rows.

    python -m tools.fidelity.training

Refits training's figures without each group of canonical architecture × accelerator in turn, predicts that group, and
writes `build/fidelity/training.md` and `training.csv`. Speeds are judged by step time and tokens per second alone:
sources count FLOPs in different ways. So is memory, by its own fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gpuplanner_gui.domain.arrays import Booleans, Floats
from gpuplanner_gui.domain.constants import Z_80
from gpuplanner_gui.engine.context import Context
from gpuplanner_gui.engine.training.predict import step_log_sd
from tools.fidelity.report_text import (
    ERROR_HEAD,
    error_cells,
    markdown,
    peer_lines,
    percent,
    report_file,
    sections,
    write_report,
    write_rows,
)
from tools.fit_training import memory
from tools.fit_training.fit import Material, left_out_errors, material
from tools.fit_training.parameters import SCORED, Measured, is_fully_stated, works_of
from tools.repository import shipped_context, table_rows

TOO_LOW = -0.15
DETAILS = "Memory by source"
"""First of the tables that stand in the report alone."""


@dataclass(frozen=True)
class Judged:
    """Rows with their relative errors, predicted over measured minus one, and whether the 80 % band held."""

    rows: list[Measured]
    errors: Floats
    is_held: Booleans

    def part(self, chosen: Booleans) -> Judged:
        rows = [row for row, is_in in zip(self.rows, chosen) if is_in]
        return Judged(rows, self.errors[chosen], self.is_held[chosen])

    def where(self, test: Callable[[Measured], bool]) -> Judged:
        return self.part(np.array([test(row) for row in self.rows], bool))


def speeds(found: Material, context: Context) -> Judged:
    """Every row of a speed, predicted by a fit without its group; errors of the metric itself."""
    log_step = left_out_errors(found)
    is_time = np.array([row.case.metric == "step_time" for row in found.rows])
    spread = [_step_spread(row, context) for row in found.rows]
    return Judged(
        found.rows, np.expm1(np.where(is_time, log_step, -log_step)), np.abs(log_step) <= Z_80 * np.array(spread)
    )


def _step_spread(row: Measured, context: Context) -> float:
    job = works_of([row], context)[0].job
    return float(step_log_sd(context, job, np.array([context.devices.ids.index(row.case.accelerator)]))[0])


def memories(context: Context) -> Judged:
    """Every row of peak memory, predicted by a fit without its group."""
    found = memory.peaks(context)
    errors = memory.left_out_errors(found)
    training = context.calibration.training
    spread = np.array([training.framework(row.case.framework).memory_log_sd for row in found.rows])
    return Judged(found.rows, np.expm1(errors), np.abs(errors) <= Z_80 * spread)


def has_experts(row: Measured) -> bool:
    return row.case.model.kind == "moe_decoder" or bool(row.row["moe_experts"])


def is_scored(row: Measured) -> bool:
    return row.case.metric in SCORED


def is_dense_pretraining(row: Measured) -> bool:
    """Dense BF16 and FP8 pre-training from A100 on."""
    family = row.architecture.partition(" ")[0]
    is_modern = family in ("Ampere", "Hopper", "Blackwell")
    return (
        is_modern and not has_experts(row) and row.case.method == "pretraining" and row.case.recipe in ("bf16", "fp8")
    )


def is_published_recomputation(row: Measured) -> bool:
    """The 22B to 1T models on A100 of Korthikanti et al. 2022."""
    return "2205.05198" in row.row["source"] + row.row["source_locator"] or "Korthikanti" in row.row["source"]


CLASSES: tuple[tuple[str, Callable[[Measured], bool], str], ...] = (
    ("all", lambda row: True, "10 %, 90th percentile 30 %"),
    ("dense", lambda row: not has_experts(row), "–"),
    ("dense BF16 and FP8 pre-training", is_dense_pretraining, "8 %"),
    ("22B to 1T on A100 (Korthikanti et al. 2022)", is_published_recomputation, "6 %"),
    ("experts", has_experts, "–"),
    ("FP4", lambda row: row.case.recipe == "fp4", "–"),
    ("tuning", lambda row: row.case.method != "pretraining", "–"),
    ("more than one device", lambda row: row.case.devices > 1, "–"),
    ("1,000 devices and more", lambda row: row.case.devices >= 1000, "–"),
)


def scores(judged: Judged) -> list[str]:
    return error_cells(judged.errors, judged.is_held)


def class_rows(judged: Judged) -> Iterator[list[str]]:
    for name, test, target in CLASSES:
        part = judged.where(test)
        if part.rows:
            yield [name, *scores(part), target]


def rows_by(judged: Judged, key: Callable[[Measured], str]) -> Iterator[list[str]]:
    for name in sorted({key(row) for row in judged.rows}):
        yield [name, *scores(judged.where(lambda row, name=name: key(row) == name))]  # type: ignore[misc]


MEMORY_CLASSES: tuple[tuple[str, Callable[[Measured], bool]], ...] = (
    ("all", lambda row: True),
    ("fully stated", is_fully_stated),
    ("allocated", lambda row: row.case.metric == "peak_memory_allocated"),
    ("reserved", lambda row: row.case.metric == "peak_memory_reserved"),
)


def memory_rows(judged: Judged) -> Iterator[list[str]]:
    for name, test in MEMORY_CLASSES:
        part = judged.where(test)
        if part.rows:
            yield [name, *scores(part), percent(float(np.mean(part.errors < TOO_LOW)))]


def peer_errors(judged: list[Judged]) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Of each tool and metric on the rows that it answered, and ours on the same rows."""
    ours = {
        (row.case.case_id, row.row["metric"]): error
        for part in judged
        for row, error in zip(part.rows, part.errors)
    }  # fmt: skip
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row in table_rows("peer-predictions-training-dev"):
        key = (row["case_id"], row["metric"])
        if key in ours and row["predicted"]:
            error = float(row["predicted"]) / float(row["measured"]) - 1
            found.setdefault((row["tool"], row["metric"]), []).append((error, ours[key]))
    return found


def report(speed: Judged, peak: Judged) -> list[str]:
    scored = speed.where(is_scored)
    parts: list[tuple[str, list[str]]] = [
        ("Step time and tokens per second, groups of architecture × accelerator left out",
         markdown(["class", *ERROR_HEAD, "target"], class_rows(scored))),
        ("Peak memory, groups of architecture × accelerator left out",
         markdown(["class", *ERROR_HEAD, "more than 15 % low"], memory_rows(peak))),
        ("Peers on the same rows", peer_lines(peer_errors([speed, peak]))),
        (DETAILS, markdown(["source", *ERROR_HEAD], rows_by(peak, lambda row: row.row["source"]))),
        ("Speed by accelerator",
         markdown(["accelerator", *ERROR_HEAD], rows_by(scored, lambda row: row.case.accelerator))),
        ("Speed by source", markdown(["source", *ERROR_HEAD], rows_by(scored, lambda row: row.row["source"]))),
        ("Speed by group", markdown(["group", *ERROR_HEAD], rows_by(scored, _model_and_accelerator))),
    ]  # fmt: skip
    return sections("Training against published results", parts)


def _model_and_accelerator(row: Measured) -> str:
    return f"{row.row['model']} × {row.case.accelerator}"


def main() -> None:
    context = shipped_context()
    speed, peak = speeds(material(context), context), memories(context)
    write_report("training.md", report(speed, peak), f"## {DETAILS}")
    rows = (
        [row.case.case_id, row.group, row.case.metric, row.value, f"{error:.4f}", int(is_held)]
        for part in (speed, peak)
        for row, error, is_held in zip(part.rows, part.errors, part.is_held)
    )
    write_rows(report_file("training.csv"), ["case_id", "group", "metric", "measured", "error", "in_band"], rows)


if __name__ == "__main__":
    main()
