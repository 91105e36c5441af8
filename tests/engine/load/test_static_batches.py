"""Static and dynamic batching by hand, and their price against continuous batching."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.simulation.pool import Routing
from gpuplanner_gui.engine.simulation.requests import Requests, requests_at
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.run import replica_table, simulate
from gpuplanner_gui.engine.simulation.settings import Batching, ReplicaSettings
from tests.engine.load.linear import LinearStepTime

TEN_MS = LinearStepTime(0.010, 0.0, 0.0)


def run(settings: ReplicaSettings, requests: Requests) -> SimulationResult:
    return simulate(replica_table(TEN_MS, settings), settings, requests)


def test_static_batch_waits_to_be_full_and_returns_together() -> None:
    settings = ReplicaSettings(2, 100, batching=Batching.STATIC)
    result = run(settings, requests_at([0.0, 1.0, 1.1, 5.0], 10, [3, 6, 1, 1]))
    assert result.first_token_s == pytest.approx([1.010, 1.010, 5.010, 5.010])
    assert result.finish_s == pytest.approx([1.060, 1.060, 5.010, 5.010])
    assert result.littles_law_error < 1e-9


def test_dynamic_batch_starts_when_the_first_has_waited_long_enough() -> None:
    settings = ReplicaSettings(4, 100, batching=Batching.DYNAMIC, batch_wait_s=0.5)
    result = run(settings, requests_at([0.0, 0.3, 0.9, 10.0], 10, 1))
    assert result.first_token_s == pytest.approx([0.510, 0.510, 1.410, 10.010])
    assert result.littles_law_error < 1e-9


def test_padded_batch_keeps_within_the_cache() -> None:
    settings = ReplicaSettings(8, 1000, kv_tokens=300, batching=Batching.STATIC)
    result = run(settings, requests_at(np.zeros(4), [100, 50, 50, 50], 11))
    assert result.peak_kv_tokens <= 300
    assert result.first_token_s[2] > result.finish_s[0]


def test_batch_that_ends_late_starts_the_next_at_once() -> None:
    settings = ReplicaSettings(1, 100, batching=Batching.STATIC)
    result = run(settings, requests_at([0.0, 0.001], 10, 5))
    assert result.finish_s == pytest.approx([0.050, 0.100])


def test_cost_of_prompt_padding_and_of_decoding_to_the_longest() -> None:
    per_token = LinearStepTime(0.0, 0.001, 0.0)
    settings = ReplicaSettings(2, 100, batching=Batching.STATIC)
    result = simulate(replica_table(per_token, settings), settings, requests_at([0.0, 0.0], [100, 20], [1, 4]))
    assert result.first_token_s == pytest.approx([0.200, 0.200])
    assert result.finish_s == pytest.approx([0.206, 0.206])


def test_static_batch_behind_a_router_waits_for_what_may_still_come() -> None:
    settings = ReplicaSettings(2, 100, batching=Batching.STATIC)
    requests = requests_at([0.0, 1.0, 2.0, 3.0, 4.0], 10, 1)
    result = simulate(replica_table(TEN_MS, settings), settings, requests, replicas=2, routing=Routing.ROUND_ROBIN)
    assert result.first_token_s == pytest.approx([2.010, 3.010, 2.010, 3.010, 4.010])
    least = simulate(replica_table(TEN_MS, settings), settings, requests, replicas=2, routing=Routing.LEAST_LOAD)
    assert sorted(least.first_token_s) == pytest.approx([2.010, 2.010, 4.010, 4.010, 4.010])
    assert least.littles_law_error < 1e-9
