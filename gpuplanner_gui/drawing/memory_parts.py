"""What fills a device's memory, part by part: of candidates of a table, and of the best ones of other scenarios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.catalog import Catalog
from gpuplanner_gui.domain.field import field_of
from gpuplanner_gui.domain.plan import Plan, ServingTable, TrainingTable, column
from gpuplanner_gui.drawing.language import tr
from gpuplanner_gui.drawing.words.candidates import candidate_text

SERVING_PARTS = ("weights", "kv_cache", "activation", "runtime")
TRAINING_PARTS = (
    "weights", "gradients", "master_weights", "first_moment", "second_moment", "activation", "logits", "runtime",
)  # fmt: skip


def memory_parts(workload: str) -> tuple[str, ...]:
    """Names of the parts, from the first of a bar to its last."""
    return SERVING_PARTS if workload == "serving" else TRAINING_PARTS


def part_titles(workload: str) -> list[str]:
    table_type = ServingTable if workload == "serving" else TrainingTable
    return [tr(field_of(table_type, f"{name}_bytes").about.title) for name in memory_parts(workload)]


def part_bytes(table: ServingTable | TrainingTable, workload: str, candidates: Sequence[int]) -> NDArray[np.float64]:
    """Shape (candidates, parts); bytes of one device."""
    rows = list(candidates)
    columns = [column(table, f"{name}_bytes")[rows] for name in memory_parts(workload)]
    return np.stack(columns, axis=1).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class PlannedMemory:
    """One device of the best candidate of a scenario."""

    candidate: str
    """In a line: 2 × H200 SXM · FP8 · TP 2."""
    part_bytes: NDArray[np.float64]
    capacity_bytes: float


def planned_memory(plan: Plan, catalog: Catalog) -> dict[str, PlannedMemory]:
    """By workload, where it has a candidate that runs."""
    found: dict[str, PlannedMemory] = {}
    for workload, answer in (("serving", plan.serving), ("training", plan.training)):
        if answer is None or answer.best < 0:
            continue
        found[workload] = PlannedMemory(
            candidate=candidate_text(plan, catalog, workload, answer.best),
            part_bytes=part_bytes(answer.table, workload, (answer.best,))[0],
            capacity_bytes=float(answer.table.memory_capacity_bytes[answer.best]),
        )
    return found
