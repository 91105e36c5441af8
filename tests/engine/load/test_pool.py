"""Routers, prefixes that stay with a replica, and replicas that go down."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.pool import Outage, Routing
from gpuplanner_gui.engine.simulation.requests import Requests, requests_at
from gpuplanner_gui.engine.simulation.result import SimulationResult
from gpuplanner_gui.engine.simulation.run import replica_table, simulate
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from tests.engine.load.linear import LinearStepTime

SETTINGS = ReplicaSettings(64, 2048, 100_000)


def traffic(count: int, rate: float, seed: int = 0, sessions: int = 0) -> Requests:
    rng = np.random.default_rng(seed)
    prompts = np.clip(rng.lognormal(6, 0.8, count), 1, 6000).astype(int)
    return requests_at(
        np.cumsum(rng.exponential(1 / rate, count)),
        prompts,
        np.clip(rng.lognormal(4, 0.7, count), 1, 800).astype(int),
        cached_tokens=prompts * 9 // 10 if sessions else 0,
        session=rng.integers(0, sessions, count) if sessions else -1,
    )


def run(
    step_time: LinearStepTime, requests: Requests, routing: Routing, replicas: int = 4, outages: tuple[Outage, ...] = ()
) -> SimulationResult:
    return simulate(replica_table(step_time, SETTINGS), SETTINGS, requests, replicas, routing, outages)


def test_one_replica_routes_everything_to_itself(step_time: LinearStepTime) -> None:
    requests = traffic(300, 5.0)
    results = [run(step_time, requests, routing, replicas=1) for routing in Routing]
    assert all(result.finish_s.tobytes() == results[0].finish_s.tobytes() for result in results)


def test_round_robin_of_equal_replicas_is_each_serving_its_turn(step_time: LinearStepTime) -> None:
    requests = traffic(400, 20.0)
    together = run(step_time, requests, Routing.ROUND_ROBIN)
    table = replica_table(step_time, SETTINGS)
    for turn in range(4):
        mine = np.arange(turn, 400, 4)
        alone = simulate(table, SETTINGS, requests.take(mine))
        np.testing.assert_allclose(together.finish_s[mine], alone.finish_s)


def test_least_load_waits_less_than_random(step_time: LinearStepTime) -> None:
    requests = traffic(1500, 45.0)
    random = run(step_time, requests, Routing.RANDOM)
    least = run(step_time, requests, Routing.LEAST_LOAD)
    assert least.ttft_s.mean() < random.ttft_s.mean()


def test_near_saturation_least_load_waits_less_than_taking_turns(step_time: LinearStepTime) -> None:
    requests = traffic(1500, 160.0)
    in_turn, least = (run(step_time, requests, one) for one in (Routing.ROUND_ROBIN, Routing.LEAST_LOAD))
    assert least.ttft_s.mean() < in_turn.ttft_s.mean()


def test_affinity_keeps_prefixes_where_they_are(step_time: LinearStepTime) -> None:
    requests = traffic(800, 20.0, sessions=100)
    random = run(step_time, requests, Routing.RANDOM, replicas=8)
    affine = run(step_time, requests, Routing.PREFIX_AFFINITY, replicas=8)
    assert affine.ttft_s.mean() < 0.8 * random.ttft_s.mean()


@pytest.mark.parametrize("routing", list(Routing))
def test_loss_of_a_replica_moves_its_requests_to_the_others(step_time: LinearStepTime, routing: Routing) -> None:
    requests = traffic(400, 20.0)
    calm = run(step_time, requests, routing)
    lost = run(step_time, requests, routing, outages=(Outage(5.0, np.inf, 2),))
    assert lost.is_finished.all()
    assert lost.littles_law_error < 1e-6
    assert lost.e2e_s.mean() > calm.e2e_s.mean()


def test_nobody_serves_while_all_replicas_reload(step_time: LinearStepTime) -> None:
    requests = traffic(300, 10.0)
    result = run(step_time, requests, Routing.ROUND_ROBIN, outages=tuple(Outage(10.0, 30.0, n) for n in range(4)))
    assert result.is_finished.all()
    assert result.littles_law_error < 1e-6
    during = (result.first_token_s > 10.2) & (result.first_token_s < 40.0)
    assert not during.any()
    assert result.ttft_s.max() > 29


def test_single_replica_comes_back_and_finishes(step_time: LinearStepTime) -> None:
    requests = traffic(100, 5.0)
    result = run(step_time, requests, Routing.LEAST_LOAD, replicas=1, outages=(Outage(3.0, 10.0), Outage(30.0, 1.0)))
    assert result.is_finished.all()
    assert result.littles_law_error < 1e-6


@given(seed=st.integers(0, 1000), replicas=st.integers(2, 5), routing=st.sampled_from(list(Routing)))
@settings(max_examples=25)
def test_one_more_replica_does_not_lengthen_waits(seed: int, replicas: int, routing: Routing) -> None:
    step_time = LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)
    requests = traffic(400, 60.0, seed)
    fewer = run(step_time, requests, routing, replicas)
    more = run(step_time, requests, routing, replicas + 1)
    assert more.littles_law_error < 0.01
    assert more.ttft_s.mean() <= fewer.ttft_s.mean() * 1.05
    assert more.e2e_s.mean() <= fewer.e2e_s.mean() * 1.02
