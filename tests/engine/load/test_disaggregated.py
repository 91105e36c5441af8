"""Prefill and decode on separate pools."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.simulation.requests import Requests, requests_at
from gpuplanner_gui.engine.simulation.run import (
    KvTransfer,
    ReplicaPool,
    replica_table,
    simulate,
    simulate_disaggregated,
)
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from tests.engine.load.linear import LinearStepTime

TEN_MS = LinearStepTime(0.010, 0.0, 0.0)


def pool(step_time: LinearStepTime, settings: ReplicaSettings, replicas: int = 1) -> ReplicaPool:
    return ReplicaPool(replica_table(step_time, settings), settings, replicas)


def chat(count: int, rate: float) -> Requests:
    rng = np.random.default_rng(0)
    return requests_at(
        np.cumsum(rng.exponential(1 / rate, count)),
        np.clip(rng.lognormal(7, 0.7, count), 1, 8000).astype(int),
        np.clip(rng.lognormal(4.5, 0.7, count), 1, 1000).astype(int),
    )


def test_timeline_of_one_request() -> None:
    settings = ReplicaSettings(8, 100)
    transfer = KvTransfer(kv_bytes_per_token=1e6, bytes_per_s=1e9, latency_s=0.005)
    both = pool(TEN_MS, settings)
    result = simulate_disaggregated(both, both, transfer, requests_at(0.0, 150, 4))
    assert result.served.ttft_s == pytest.approx([0.020])
    assert result.mean_transfer_s == pytest.approx(0.155)
    assert result.served.e2e_s == pytest.approx([0.020 + 0.155 + 0.030])
    times, weights, _ = result.served.itl.values()
    assert sorted(np.repeat(times, weights.astype(int)).round(6).tolist()) == [0.010, 0.010, 0.165]


def test_single_token_needs_no_decode_pool() -> None:
    settings = ReplicaSettings(8, 100)
    both = pool(TEN_MS, settings)
    result = simulate_disaggregated(both, both, KvTransfer(1.0, 1e9), requests_at([0.0, 0.1], 50, 1))
    assert result.served.e2e_s == pytest.approx([0.010, 0.010])
    assert len(result.decode.sent_s) == 0


def test_links_are_used_one_prompt_at_a_time() -> None:
    ready_s, tokens = np.array([0.0, 0.0, 0.0]), np.array([100, 100, 100])
    assert KvTransfer(1.0, 100.0).arrival_s(ready_s, tokens) == pytest.approx([1.0, 2.0, 3.0])
    assert KvTransfer(1.0, 100.0, links=2).arrival_s(ready_s, tokens) == pytest.approx([1.0, 1.0, 2.0])


def test_decoding_is_not_disturbed_by_prompts(step_time: LinearStepTime) -> None:
    requests = chat(600, 6.0)
    settings = ReplicaSettings(128, 2048, 300_000)
    apart = simulate_disaggregated(
        pool(step_time, settings), pool(step_time, settings), KvTransfer(131_072, 50e9), requests
    )
    together = simulate(replica_table(step_time, settings), settings, requests, 2)
    assert apart.served.is_finished.all()
    assert apart.served.littles_law_error < 0.01
    tails = [np.nanquantile(result.tpot_s, 0.99) for result in (apart.served, together)]
    assert tails[0] < tails[1]
