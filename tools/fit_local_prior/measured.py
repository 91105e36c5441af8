"""Published results as points of local calibration, by group of canonical architecture × accelerator."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.local_calibration import LocalPoint
from gpuplanner_gui.engine.context import Context, context_of
from gpuplanner_gui.files.catalogs import load_shipped_catalog
from gpuplanner_gui.files.knowledge import load_calibration

REPOSITORY = Path(__file__).resolve().parents[2]
LEAST_ROWS = 10
"""Rows of a group that is judged: five to learn from and five to test on."""


@dataclass(frozen=True)
class GroupedPoints:
    """Points of one phase and their groups."""

    points: list[LocalPoint]
    groups: list[str]

    def by_group(self) -> dict[str, np.ndarray]:  # type: ignore[type-arg]
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self.groups):
            found[name].append(index)
        return {name: np.array(members) for name, members in found.items() if len(members) >= LEAST_ROWS}


def told_once(grouped: GroupedPoints) -> GroupedPoints:
    """Each run once: sources list some several times, which would tell of themselves.

    Points of a group are one run where set-up, load and figure are the same; the one that states its build stays.
    """
    kept: dict[tuple[object, ...], int] = {}
    for index, (point, group) in enumerate(zip(grouped.points, grouped.groups)):
        load = (point.log2_batch, point.log2_devices, point.log2_prompt, point.log2_output)
        run = (group, point.engine, point.precision, point.arrangement, *load, point.measured)
        if _stated(point) > _stated(grouped.points[kept.setdefault(run, index)]):
            kept[run] = index
    chosen = sorted(kept.values())
    return GroupedPoints([grouped.points[index] for index in chosen], [grouped.groups[index] for index in chosen])


def _stated(point: LocalPoint) -> int:
    return bool(point.release) + bool(point.month)


def shipped_context() -> Context:
    return context_of(load_shipped_catalog(), load_calibration())


def run_of(case: TrainingCase) -> bytes:
    """What makes a run: sources state several figures of one, which would tell of each other."""
    return msgspec.json.encode(msgspec.structs.replace(case, case_id="", metric="step_time", flop_convention="causal"))
