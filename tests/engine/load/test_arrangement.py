"""Chat and batch work on one pool or on two; prefill and decode together or apart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.simulation.arrangement import Arrangements, arrangements, pools_apart
from gpuplanner_gui.engine.simulation.result import LatencyTarget, meets
from gpuplanner_gui.engine.simulation.run import (
    DisaggregatedResult,
    KvTransfer,
    ReplicaPool,
    simulate_disaggregated,
)
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, traffic_sample
from tests.engine.load.linear import LinearStepTime, service


@pytest.mark.slow
def test_priorities_never_need_more_than_first_come_first_served(step_time: LinearStepTime) -> None:
    classes = [
        TrafficClass(3.0, Lengths(Lognormal(400, 0.6), 4000), Lengths(Lognormal(80, 0.6), 800)),
        TrafficClass(1.0, Lengths(Lognormal(5000, 0.4), 16_000), Lengths(Lognormal(300, 0.4), 1500), priority=1),
    ]
    made = service(step_time, ReplicaSettings(128, 2048, 300_000), traffic_sample(classes, 1000, seed=2))
    found = arrangements(made, 25.0, [LatencyTarget("ttft", 0.95, 0.3, 0)], 16)
    assert 0 < found.shared_with_priorities <= found.shared
    assert len(found.separate) == 2
    assert found.separate_total == sum(found.separate)
    assert found.separate[0] < found.shared


TRANSFER = KvTransfer(kv_bytes_per_token=131_072, bytes_per_s=50e9)
BOTH = [LatencyTarget("ttft", 0.95, 0.25), LatencyTarget("tpot", 0.95, 0.012)]


def apart(made: Service, rate_per_s: float, prefill: int, decode: int) -> DisaggregatedResult:
    pools = [ReplicaPool(made.table, made.settings, count, made.routing) for count in (prefill, decode)]
    links = replace(TRANSFER, links=min(prefill, decode))
    return simulate_disaggregated(pools[0], pools[1], links, made.traffic.at_rate(rate_per_s), made.traffic.seed)


def test_pools_for_prefill_and_decode_are_the_fewest_that_keep_every_target(chat_service: Service) -> None:
    rate = 60.0
    found = pools_apart(chat_service, rate, BOTH, TRANSFER, 16)
    assert found.prefill > 1
    assert found.decode > 1
    result = apart(chat_service, rate, found.prefill, found.decode)
    assert meets(result.served, BOTH)
    assert found.mean_transfer_s == result.mean_transfer_s
    for prefill, decode in ((found.prefill - 1, found.decode), (found.prefill, found.decode - 1)):
        assert not meets(apart(chat_service, rate, prefill, decode).served, BOTH)


def test_pools_that_are_too_small_for_the_targets_are_told(chat_service: Service) -> None:
    assert pools_apart(chat_service, 60.0, BOTH, TRANSFER, 1).decode == 0
    impossible = [LatencyTarget("tpot", 0.5, 1e-6)]
    assert pools_apart(chat_service, 1.0, impossible, TRANSFER, 4).decode == 0


def test_a_backlog_before_the_decode_pool_counts_although_no_target_tells(chat_service: Service) -> None:
    """Of first tokens alone one replica would be enough to decode, however many wait for it."""
    first = BOTH[:1]
    rate = 400.0
    assert meets(apart(chat_service, rate, 12, 1).served, first)
    assert pools_apart(chat_service, rate, first, TRANSFER, 12).decode > 1


def test_one_class_needs_the_same_in_every_arrangement(chat_service: Service) -> None:
    found = arrangements(chat_service, 40.0, BOTH, 12)
    assert found.shared > 1
    assert (found.shared_with_priorities, found.separate) == (found.shared, (found.shared,))


def test_separate_pools_need_all_of_them() -> None:
    assert Arrangements(4, 3, (2, 5)).separate_total == 7
    assert Arrangements(4, 3, (2, 0)).separate_total == 0, "one class cannot be served at all"
