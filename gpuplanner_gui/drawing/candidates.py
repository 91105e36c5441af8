"""Which candidates stand beside the selected one: the best of other devices, neighbours in layout, and rivals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gpuplanner_gui.domain.plan import Reason, ServingPlan, ServingTable, TrainingPlan, TrainingTable
from gpuplanner_gui.drawing.words.reasons import RUNS_ANYWAY

if TYPE_CHECKING:
    from gpuplanner_gui.domain.curves import Roofline

Table = ServingTable | TrainingTable

FIRST_PART = 256
PARTS_FOR_KINDS = 8
_RUNS = np.array([Reason(code) in RUNS_ANYWAY for code in range(max(Reason) + 1)])


def runs(table: Table) -> NDArray[np.bool_]:
    """Candidates that can be run and have numbers, whatever targets they miss."""
    return _run_among(table, slice(None))


def _run_among(table: Table, part: NDArray[np.int64] | slice) -> NDArray[np.bool_]:
    step = table.decode_step_s if isinstance(table, ServingTable) else table.step_time_s
    return np.asarray(_RUNS[table.reason[part]] & np.isfinite(step[part]))


def best_of_each_device(answer: ServingPlan | TrainingPlan, count: int, selected: int = -1) -> tuple[int, ...]:
    """The best candidate of each accelerator, best first, the selected one always among them."""
    table = answer.table
    best = _first_of_each_device(table, count)
    if selected < 0 or selected in best:
        return tuple(best)
    same = [candidate for candidate in best if table.accelerator[candidate] == table.accelerator[selected]]
    best = [selected if candidate in same else candidate for candidate in best]
    return tuple(best if selected in best else [selected, *best[: count - 1]])


def compared_candidates(
    answer: ServingPlan | TrainingPlan, count: int, selected: int, pinned: Sequence[int]
) -> tuple[int, ...]:
    """The selected candidate and the pinned ones that run, best first; without pins, the best of each accelerator."""
    if not pinned:
        return best_of_each_device(answer, count, selected)
    table, shown = answer.table, np.array([one for one in pinned if one != selected], dtype=np.int64)
    shown = np.append(shown[_run_among(table, shown)][: count - 1], selected)
    return tuple(int(one) for one in table.order[np.isin(table.order, shown)])


def _first_of_each_device(table: Table, count: int) -> list[int]:
    """Looks through the order in ever larger parts: the first few devices stand near its beginning."""
    size = FIRST_PART
    while True:
        ranked = table.order[:size]
        ranked = ranked[_run_among(table, ranked)]
        _, first = np.unique(table.accelerator[ranked], return_index=True)
        if len(first) >= count or size >= len(table.order):
            return [int(candidate) for candidate in ranked[np.sort(first)][:count]]
        size *= 8


def best_of_each_kind(answer: ServingPlan | TrainingPlan, count: int, others: tuple[int, ...]) -> tuple[int, ...]:
    """The best candidates that differ in accelerator, size or format from `others` and from each other, best first.

    Only the beginning of the order is looked through.
    """
    table = answer.table
    columns = [table.accelerator, table.devices]
    if isinstance(table, ServingTable):
        columns = [table.accelerator, table.devices_per_replica, table.weight_precision]
    ranked = table.order[: FIRST_PART * PARTS_FOR_KINDS]
    ranked = ranked[_run_among(table, ranked)]
    found = {tuple(int(one[row]) for one in columns): -1 for row in others}
    for row, *kind in zip(ranked.tolist(), *(one[ranked].tolist() for one in columns)):
        found.setdefault(tuple(kind), row)
        if len(found) == count + len(others):
            break
    return tuple(row for row in found.values() if row >= 0)


def layout_neighbours(table: Table, selected: int, count: int) -> tuple[int, ...]:
    """The selected candidate, and those of the same device and precisions on fewer or more devices."""
    same = table.accelerator == table.accelerator[selected]
    if isinstance(table, ServingTable):
        same &= table.weight_precision == table.weight_precision[selected]
        same &= table.kv_precision == table.kv_precision[selected]
        size = table.devices_per_replica
    else:
        size = table.devices
    rank = np.empty(len(table.order), dtype=np.int64)
    rank[table.order] = np.arange(len(table.order))
    others = np.flatnonzero(same & (size != size[selected]))
    if not len(others):
        return (selected,)
    others = others[np.lexsort((rank[others], size[others]))]
    _, first = np.unique(size[others], return_index=True)
    others = others[first]
    nearest = others[np.argsort(np.abs(np.log2(size[others] / size[selected])), kind="stable")][: count - 1]
    shown = [selected, *(int(candidate) for candidate in nearest)]
    return tuple(sorted(shown, key=lambda candidate: int(size[candidate])))


MOST_RIVALS = 4
MARKS = MOST_RIVALS + 1
"""One of the best of as many accelerators is selected, and shows nothing of a rival."""


@dataclass(frozen=True)
class RivalRoofline:
    """A candidate that could be selected instead, and what it makes of its accelerator."""

    candidate: int
    mark: int
    """Index of the rival's mark; it stays the same when another candidate is selected."""
    roofline: Roofline


def rival_marks(answer: ServingPlan | TrainingPlan, selected: int, pinned: Sequence[int] = ()) -> dict[int, int]:
    """Candidates to show beside the selected one, best first, and the mark of each.

    The pinned ones. Where there are none, the best of other accelerators; where there are too few of them, also the
    best of other sizes and formats.
    """
    if pinned:
        return {one: mark for mark, one in enumerate(pinned) if one != selected}
    accelerator = answer.table.accelerator
    best = best_of_each_device(answer, MARKS)
    marks = {one: mark for mark, one in enumerate(best) if accelerator[one] != accelerator[selected]}
    marks = dict(list(marks.items())[:MOST_RIVALS])
    missing = MOST_RIVALS - len(marks)
    if missing:
        free = [mark for mark in range(MARKS) if mark not in marks.values()]
        marks |= dict(zip(best_of_each_kind(answer, missing, (selected, *marks)), free))
    return marks


def rivals_of(marks: Mapping[int, int], rooflines: Sequence[Roofline]) -> tuple[RivalRoofline, ...]:
    """Candidates with their marks, and the roofline of each."""
    return tuple(RivalRoofline(one, mark, roof) for (one, mark), roof in zip(marks.items(), rooflines, strict=True))


def are_same(rivals: Sequence[RivalRoofline], others: Sequence[RivalRoofline]) -> bool:
    """Whether both are the very same candidates with the very same rooflines."""
    return len(rivals) == len(others) and all(
        (one.candidate, one.mark) == (other.candidate, other.mark) and one.roofline is other.roofline
        for one, other in zip(rivals, others)
    )
