"""Pipeline schedules pass by pass agree with their closed forms."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.training.step_phases import pipeline_timeline


@given(stages=st.integers(1, 8), times=st.integers(1, 4), forward=st.floats(0.1, 3.0))
def test_bubble_of_one_forward_one_backward(stages: int, times: int, forward: float):
    count = stages * times
    found = pipeline_timeline(stages, count, 1, "1f1b", forward, 2 * forward)
    assert found.total_s == pytest.approx((count + stages - 1) * 3 * forward)


@given(stages=st.integers(2, 6), times=st.integers(1, 3), chunks=st.integers(2, 4))
def test_bubble_of_interleaved_stages(stages: int, times: int, chunks: int):
    count = stages * times
    found = pipeline_timeline(stages, count, chunks, "interleaved", 1.0, 2.0)
    assert found.total_s == pytest.approx(3 * count + 3 * (stages - 1) / chunks)


@given(stages=st.integers(2, 8), times=st.integers(2, 4))
def test_zero_bubble_leaves_a_third(stages: int, times: int):
    count = stages * times
    found = pipeline_timeline(stages, count, 1, "zero_bubble", 1.0, 2.0)
    assert found.total_s == pytest.approx(3 * count + (stages - 1))


@pytest.mark.parametrize("schedule", ["1f1b", "interleaved", "zero_bubble"])
def test_every_pass_runs_once_after_what_it_needs_and_alone_on_its_stage(schedule):
    found = pipeline_timeline(4, 8, 2, schedule, 1.0, 2.0)
    runs = Counter((task.stage, task.micro_batch, task.chunk, task.kind) for task in found.tasks)
    assert set(runs.values()) == {1}
    assert {task.micro_batch for task in found.tasks} == set(range(8))
    ends = {(task.kind, task.micro_batch, task.chunk, task.stage): task.end_s for task in found.tasks}
    for task in found.tasks:
        if task.kind == "forward" and task.stage:
            assert task.start_s >= ends[("forward", task.micro_batch, task.chunk, task.stage - 1)] - 1e-9
        if task.kind == "backward" and task.stage < 3:
            assert task.start_s >= ends[("backward", task.micro_batch, task.chunk, task.stage + 1)] - 1e-9
    for stage in range(4):
        mine = sorted((task.start_s, task.end_s) for task in found.tasks if task.stage == stage)
        assert all(end <= start + 1e-9 for (_, end), (start, _) in itertools.pairwise(mine))
