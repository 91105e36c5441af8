"""The few candidates that a roofline shows beside the selected one: pinned, else the best of other accelerators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gpuplanner_gui.drawing.candidates import best_of_each_device, best_of_each_kind

if TYPE_CHECKING:
    from gpuplanner_gui.domain.curves import Roofline
    from gpuplanner_gui.domain.plan import ServingPlan, TrainingPlan

MOST_RIVALS = 4
MARKS = MOST_RIVALS + 1
"""One of the best of as many accelerators is selected, and shows nothing of a rival."""


@dataclass(frozen=True)
class Rival:
    """A candidate that could be selected instead, and what it makes of its accelerator."""

    candidate: int
    mark: int
    """Which of the rivals' marks is its own: it keeps it when another of the best is selected."""
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


def rivals_of(marks: Mapping[int, int], rooflines: Sequence[Roofline]) -> tuple[Rival, ...]:
    """Candidates with their marks, and the roofline of each."""
    return tuple(Rival(one, mark, roof) for (one, mark), roof in zip(marks.items(), rooflines, strict=True))


def are_same(rivals: Sequence[Rival], others: Sequence[Rival]) -> bool:
    """Whether both are the very same candidates with the very same rooflines."""
    return len(rivals) == len(others) and all(
        (one.candidate, one.mark) == (other.candidate, other.mark) and one.roofline is other.roofline
        for one, other in zip(rivals, others)
    )
