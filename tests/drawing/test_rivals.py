"""Who stands beside the selected candidate in a roofline: others that differ, each with a mark that it keeps."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from gpuplanner_gui.domain.plan import Reason, ServingPlan, TrainingPlan
from gpuplanner_gui.drawing.candidates import MARKS, MOST_RIVALS, rival_marks, runs
from tests.drawing import synthetic


@pytest.fixture(scope="module")
def serving() -> ServingPlan:
    answer = synthetic.plan(4000).serving
    assert answer is not None
    return answer


def on_one_accelerator(answer: ServingPlan) -> ServingPlan:
    """The same candidates, all of them on the same device."""
    table = msgspec.structs.replace(answer.table, accelerator=np.zeros_like(answer.table.accelerator))
    return msgspec.structs.replace(answer, table=table)


@pytest.mark.parametrize("workload", ["serving", "training"])
def test_rivals_are_the_best_of_other_accelerators(workload: str) -> None:
    plan = synthetic.plan(4000)
    answer: ServingPlan | TrainingPlan | None = plan.serving if workload == "serving" else plan.training
    assert answer is not None
    marks = rival_marks(answer, answer.best)
    devices = [int(answer.table.accelerator[one]) for one in (answer.best, *marks)]
    assert len(marks) == MOST_RIVALS
    assert len(set(devices)) == MOST_RIVALS + 1
    rank = {int(one): place for place, one in enumerate(answer.table.order)}
    assert [rank[one] for one in marks] == sorted(rank[one] for one in marks)
    assert runs(answer.table)[list(marks)].all()


def test_a_rival_keeps_its_mark_when_another_is_selected(serving: ServingPlan) -> None:
    before = rival_marks(serving, serving.best)
    chosen = next(iter(before))
    after = rival_marks(serving, chosen)
    assert chosen not in after
    assert serving.best in after
    kept = before.keys() & after.keys()
    assert len(kept) == MOST_RIVALS - 1
    assert {one: before[one] for one in kept} == {one: after[one] for one in kept}
    assert set(after.values()) < set(range(MARKS))


def test_on_one_accelerator_rivals_differ_in_size_or_format(serving: ServingPlan) -> None:
    alone = on_one_accelerator(serving)
    marks = rival_marks(alone, alone.best)
    table = alone.table
    kinds = {(int(table.devices_per_replica[one]), int(table.weight_precision[one])) for one in (alone.best, *marks)}
    assert len(marks) == MOST_RIVALS
    assert len(kinds) == MOST_RIVALS + 1
    assert len(set(marks.values())) == MOST_RIVALS


def test_one_that_cannot_run_has_rivals_that_can(serving: ServingPlan) -> None:
    unable = int(np.flatnonzero(~runs(serving.table))[0])
    marks = rival_marks(serving, unable)
    assert len(marks) == MOST_RIVALS
    assert unable not in marks


def test_where_nothing_else_runs_there_are_no_rivals(serving: ServingPlan) -> None:
    reason = np.full_like(serving.table.reason, Reason.DOES_NOT_FIT)
    reason[serving.best] = Reason.NONE
    only = msgspec.structs.replace(serving, table=msgspec.structs.replace(serving.table, reason=reason))
    assert rival_marks(only, only.best) == {}


def test_pinned_candidates_take_the_rivals_place_with_the_mark_of_their_pin(serving: ServingPlan) -> None:
    pinned = [int(one) for one in serving.table.order[[7, 3, 11]]]
    assert rival_marks(serving, serving.best, pinned) == {one: mark for mark, one in enumerate(pinned)}
    assert rival_marks(serving, pinned[1], pinned) == {pinned[0]: 0, pinned[2]: 2}, "the others keep their marks"
