"""Open and closed loops, control of a run."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from gpuplanner_gui.engine.cancelling import CancelledError
from gpuplanner_gui.engine.simulation.replica import EVENTS_PER_POLL, RunControl
from gpuplanner_gui.engine.simulation.requests import RequestBook, requests_at
from gpuplanner_gui.engine.simulation.run import replica_table, simulate
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from tests.engine.load.linear import LinearStepTime

TEN_MS = LinearStepTime(0.010, 0.0, 0.0)


def test_cancelled_run_stops_within_a_few_events(step_time: LinearStepTime) -> None:
    asked = 0

    def is_cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    settings = ReplicaSettings(64, 2048)
    requests = requests_at(np.arange(5000) * 0.1, 100, 50)
    with pytest.raises(CancelledError):
        simulate(replica_table(step_time, settings), settings, requests, control=RunControl(is_cancelled))
    assert asked == 3


def test_progress_counts_answers_up_to_the_end(step_time: LinearStepTime) -> None:
    told: list[int] = []
    settings = ReplicaSettings(64, 2048)
    requests = requests_at(np.arange(2000) * 0.1, 100, 50)
    simulate(replica_table(step_time, settings), settings, requests, control=RunControl(on_progress=told.append))
    assert told == sorted(told)
    assert told[-1] > 2000 - EVENTS_PER_POLL


def test_nothing_to_serve_is_an_empty_result(step_time: LinearStepTime) -> None:
    settings = ReplicaSettings(64, 2048)
    result = simulate(replica_table(step_time, settings), settings, requests_at(np.zeros(0), 1, 1))
    assert len(result.ttft_s) == 0
    assert result.throughput_per_s == 0
    assert result.littles_law_error == 0


def test_requests_with_impossible_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="1 token or more"):
        requests_at(0.0, 0, 5)
    with pytest.raises(ValueError, match="finite"):
        requests_at([0.0, np.nan], 5, 5)


def test_requests_are_sorted_by_arrival() -> None:
    requests = requests_at([2.0, 1.0], [10, 20], 5)
    assert requests.prompt_tokens.tolist() == [20, 10]


def test_a_run_of_many_requests_is_cancelled_before_its_columns_are_made(step_time: LinearStepTime) -> None:
    asked = 0

    def is_cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    told: list[int] = []
    settings = ReplicaSettings(64, 2048)
    requests = requests_at(np.arange(1000) * 0.1, 100, 50)
    with pytest.raises(CancelledError):
        simulate(replica_table(step_time, settings), settings, requests, control=RunControl(is_cancelled, told.append))
    assert asked == 6
    assert not told


def test_columns_of_a_long_run_are_no_objects_that_take_long_to_give_back() -> None:
    requests = requests_at(np.arange(60_000) * 0.1, np.arange(60_000) + 1000, np.arange(60_000) + 500)
    before = sys.getallocatedblocks()
    book = RequestBook(requests, ReplicaSettings(64, 2048), requests.output_tokens - 1)
    assert sys.getallocatedblocks() - before < 2000
    assert book.output[59_999] == 60_499
    assert not any(math.isfinite(time_s) for time_s in book.finish_s[::1000])
