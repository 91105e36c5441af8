"""Published results as points of local calibration, by group of canonical architecture × accelerator."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import msgspec
import numpy as np

from gpuplanner_gui.domain.benchmark import TrainingCase
from gpuplanner_gui.domain.local_calibration import LocalPoint

LEAST_ROWS = 10
"""Rows of a group that is judged: five to learn from and five to test on."""

ROUNDED_S = 5.001e-6
"""Half of the last digit where sources state milliseconds with two: copies of a run are apart by no more."""


@dataclass(frozen=True)
class GroupedPoints:
    """Points of one phase and their groups."""

    points: list[LocalPoint]
    groups: list[str]

    def by_group(self) -> dict[str, np.ndarray]:
        found: dict[str, list[int]] = defaultdict(list)
        for index, name in enumerate(self.groups):
            found[name].append(index)
        return {name: np.array(members) for name, members in found.items() if len(members) >= LEAST_ROWS}


def told_once(grouped: GroupedPoints) -> GroupedPoints:
    """Each run once: sources list some several times, which would tell of themselves.

    Points of a group are one run where set-up and load are the same and the figures too, or where these agree as far
    as sources round them and no build contradicts another; the one that states its build stays.
    """
    alike: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for index, (point, group) in enumerate(zip(grouped.points, grouped.groups)):
        load = (point.log2_batch, point.log2_devices, point.log2_prompt, point.log2_output)
        alike[(group, point.engine, point.precision, point.arrangement, *load)].append(index)
    kept = []
    for members in alike.values():
        told: list[int] = []
        for index in sorted(members, key=lambda one: -_stated(grouped.points[one])):
            if not any(_one_run(grouped.points[index], grouped.points[other]) for other in told):
                told.append(index)
        kept += told
    chosen = sorted(kept)
    return GroupedPoints([grouped.points[index] for index in chosen], [grouped.groups[index] for index in chosen])


def _one_run(left: LocalPoint, right: LocalPoint) -> bool:
    if left.measured == right.measured:
        return True
    builds = ((left.release, right.release), (left.month, right.month))
    return abs(left.measured - right.measured) <= ROUNDED_S and all(a == b or not (a and b) for a, b in builds)


def _stated(point: LocalPoint) -> int:
    return bool(point.release) + bool(point.month)


def run_of(case: TrainingCase) -> bytes:
    """What makes a run: sources state several figures of one, which would tell of each other."""
    return msgspec.json.encode(msgspec.structs.replace(case, case_id="", metric="step_time", flop_convention="causal"))
