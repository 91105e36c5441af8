"""Worked case E5 of the load study, and what Erlang's formulas must do at their edges."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.queues import (
    erlang_blocking_share,
    erlang_delay_share,
    square_root_delay_share,
    users_delay_share,
)
from gpuplanner_gui.engine.simulation.requests import requests_at
from gpuplanner_gui.engine.simulation.run import replica_table, simulate
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from tests.engine.load.linear import LinearStepTime


def test_ten_servers_with_eight_erlangs() -> None:
    assert erlang_blocking_share(10, 8.0) == pytest.approx(0.121661064, abs=5e-10)
    assert erlang_delay_share(10, 8.0) == pytest.approx(0.409180151, abs=5e-10)


def test_large_pool_approaches_the_square_root_rule() -> None:
    assert erlang_delay_share(110, 100.0) == pytest.approx(0.237007500285, rel=1e-9)
    assert square_root_delay_share(1.0) == pytest.approx(0.223361275, rel=1e-6)


def test_published_delay_probabilities_of_square_root_staffing() -> None:
    grades = np.array([0.5, 1.0, 1.5, 2.0])
    assert square_root_delay_share(grades) == pytest.approx([0.505, 0.223, 0.085, 0.027], abs=5e-4)


def test_full_load_waits_for_ever() -> None:
    assert erlang_delay_share(4, 4.0) == 1
    assert erlang_delay_share(4, 5.0) == 1


@pytest.mark.slow
def test_simulated_slots_with_exponential_service_wait_as_erlang_says() -> None:
    """Steps of fixed length make each of ten sequence slots a server; outputs are geometric with 1,000 tokens."""
    rng = np.random.default_rng(3)
    count, step_s, slots = 40_000, 0.030, 10
    settings = ReplicaSettings(slots, 2048)
    requests = requests_at(np.cumsum(rng.exponential(30 / 8, count)), 1, rng.geometric(1 / 1000, count))
    result = simulate(replica_table(LinearStepTime(step_s, 0.0, 0.0), settings), settings, requests)
    wait_s = (result.ttft_s - step_s)[count // 10 :]
    load = float(requests.output_tokens.sum()) * step_s / float(requests.arrival_s[-1])
    assert (wait_s > 2 * step_s).mean() == pytest.approx(float(erlang_delay_share(slots, load)), rel=0.05)
    expected_s = float(erlang_delay_share(slots, load)) * 30.0 / (slots - load)
    assert wait_s.mean() == pytest.approx(expected_s, rel=0.15)


@given(servers=st.integers(1, 200), load=st.floats(0.01, 150))
def test_one_more_server_never_makes_more_wait(servers: int, load: float) -> None:
    fewer, more = erlang_delay_share(np.array([servers, servers + 1]), load)
    assert more <= fewer


@given(servers=st.integers(1, 100), load=st.floats(0.1, 90))
def test_blocking_by_recursion_is_the_truncated_poisson_tail(servers: int, load: float) -> None:
    number = np.arange(servers + 1)
    log_weight = number * np.log(load) - np.cumsum(np.log(np.maximum(number, 1)))
    weight = np.exp(log_weight - log_weight.max())
    assert erlang_blocking_share(servers, load) == pytest.approx(weight[-1] / weight.sum(), rel=1e-9)


def test_pools_far_above_their_load_never_wait() -> None:
    assert float(square_root_delay_share(60.0)) == 0.0


def test_users_find_a_place_taken_by_the_others_alone() -> None:
    assert users_delay_share(1, 1, 0.5) == 0.0, "who is alone waits for nobody"
    assert users_delay_share(3, 3, 9.0) == 0.0
    # Two users, one server: the other is served with odds of service over thinking.
    assert users_delay_share(1, 2, 0.5) == pytest.approx(0.5 / 1.5)
    # Three: of the two others none, one or two are there, with weights 1, 2r and 2r².
    assert users_delay_share(1, 3, 0.5) == pytest.approx((1.0 + 0.5) / (1.0 + 1.0 + 0.5))
    many = users_delay_share(50, 40_000, 40.0 / 40_000)
    assert many == pytest.approx(float(erlang_delay_share(50, 40.0)), rel=0.05), "very many are as if at random"
    assert users_delay_share(0, 5, 1.0) == 1.0


def test_pools_of_unlike_sizes_are_blocked_together_as_each_alone() -> None:
    """The small ones end first, and what is hardly loaded is never blocked long before the largest has ended."""
    servers = np.array([3000.0, 0.0, 1.0, 700.0, 12.0, 257.0])
    load = np.array([0.01, 0.5, 0.99, 1.2])[:, None] * np.maximum(servers, 1.0)
    alone = [[float(erlang_blocking_share(*one)) for one in zip(servers, row, strict=True)] for row in load]
    assert erlang_blocking_share(servers, load) == pytest.approx(np.array(alone), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("servers", [60, 400, 15_000])
def test_a_recursion_that_begins_late_ends_where_the_whole_one_does(servers):
    """Erlang's own recursion from no server on, for loads from half of the servers to twice as many."""
    loads = servers * np.array([0.5, 0.9, 0.99, 1.0, 1.1, 2.0])
    whole = np.ones_like(loads)
    for server in range(1, servers + 1):
        whole = loads * whole / (server + loads * whole)
    assert erlang_blocking_share(servers, loads) == pytest.approx(whole, rel=1e-11, abs=1e-300)
    assert float(erlang_blocking_share(servers, loads[2])) == pytest.approx(whole[2], rel=1e-11)


def test_of_many_servers_few_are_counted():
    """A million servers at full load: B is about the square root of 2/(π·servers), and no second is spent on it."""
    began = time.process_time()
    assert float(erlang_blocking_share(1_000_000, 1e6)) == pytest.approx(math.sqrt(2 / math.pi / 1e6), rel=1e-3)
    assert erlang_blocking_share(1_000_000, np.full(8, 1e6)) == pytest.approx(math.sqrt(2 / math.pi / 1e6), rel=1e-3)
    assert time.process_time() - began < 1.0
