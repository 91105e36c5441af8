"""Bursts, losses, reloads, a cold cache and longer prompts: what passes and what does not."""

from __future__ import annotations

import math

import pytest

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.fleet.stress import Disturbance, StressTest, of_the_whole, stress
from gpuplanner_gui.engine.simulation.result import LatencyTarget
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, traffic_sample
from tests.engine.load.linear import LinearStepTime, service

TARGETS = (LatencyTarget("ttft", 0.95, 0.5), LatencyTarget("tpot", 0.95, 0.03))
RATE = 50.0


@pytest.fixture
def pool(step_time: LinearStepTime) -> Service:
    talk = TrafficClass(
        1.0,
        Lengths(Lognormal(600, 0.8), 8000),
        Lengths(Lognormal(100, 0.7), 2000),
        cached_share=0.5,
        prefix_is_shared=True,
    )
    return service(step_time, ReplicaSettings(128, 2048, 200_000), traffic_sample([talk], 800, seed=1), replicas=4)


def test_quiet_service_passes_a_small_burst_and_fails_a_large_one(pool: Service) -> None:
    small = stress(pool, RATE, StressTest(Disturbance.BURST, 10.0, factor=1.3), TARGETS)
    large = stress(pool, RATE, StressTest(Disturbance.BURST, 30.0, factor=8.0), TARGETS)
    assert small.passes
    assert not large.passes
    assert large.targets[0].measured_s > small.targets[0].measured_s
    assert large.worst_ttft_s > 2.0


def test_service_recovers_after_a_burst(pool: Service) -> None:
    outcome = stress(pool, RATE, StressTest(Disturbance.BURST, 20.0, watched_s=120.0, factor=5.0), TARGETS)
    assert 0 < outcome.recovery_s < 120
    brief = stress(pool, RATE, StressTest(Disturbance.BURST, 20.0, watched_s=2.0, factor=5.0), TARGETS)
    assert math.isinf(brief.recovery_s)


def test_one_lost_replica_is_borne_but_not_three(pool: Service) -> None:
    one = stress(pool, RATE, StressTest(Disturbance.REPLICA_LOSS, 60.0, replicas=(1,)), TARGETS)
    three = stress(pool, RATE, StressTest(Disturbance.REPLICA_LOSS, 60.0, replicas=(0, 1, 2)), TARGETS)
    assert one.passes
    assert one.unanswered == 0
    assert not three.passes


def test_replica_that_does_not_exist_cannot_be_lost(pool: Service) -> None:
    with pytest.raises(ValueError, match="replicas 0 to 3"):
        stress(pool, RATE, StressTest(Disturbance.REPLICA_LOSS, 60.0, replicas=(4,)), TARGETS)


def test_reload_of_all_at_once_stops_service_while_waves_do_not(pool: Service) -> None:
    every = (0, 1, 2, 3)
    together = StressTest(Disturbance.RELOAD, 60.0, replicas=every)
    in_waves = StressTest(Disturbance.RELOAD, 60.0, replicas=every, at_once=1)
    assert (together.waves, in_waves.waves) == (1, 4)
    stopped, rolling = stress(pool, RATE, together, TARGETS), stress(pool, RATE, in_waves, TARGETS)
    assert stopped.worst_ttft_s > 55
    assert not stopped.passes
    assert rolling.targets[0].measured_s < 1.0


def test_cold_cache_and_longer_prompts_slow_first_tokens(pool: Service) -> None:
    calm = stress(pool, RATE, StressTest(Disturbance.BURST, 60.0, factor=1.0), TARGETS)
    cold = stress(pool, RATE, StressTest(Disturbance.COLD_CACHE, 60.0), TARGETS)
    longer = stress(pool, RATE, StressTest(Disturbance.LONGER_PROMPTS, 60.0, factor=3.0), TARGETS)
    assert calm.targets[0].measured_s < cold.targets[0].measured_s
    assert cold.targets[0].measured_s < longer.targets[0].measured_s


def test_outcome_says_which_target_is_broken(pool: Service) -> None:
    strict = (LatencyTarget("ttft", 0.95, 10.0), LatencyTarget("tpot", 0.95, 1e-4))
    outcome = stress(pool, RATE, StressTest(Disturbance.BURST, 5.0, factor=1.1), strict)
    assert [one.is_kept for one in outcome.targets] == [True, False]
    assert not outcome.passes


def test_a_test_that_would_fill_the_memory_is_refused(pool: Service) -> None:
    with pytest.raises(ValueError, match="too long to simulate"):
        stress(pool, RATE, StressTest(Disturbance.REPLICA_LOSS, 1e8, replicas=(0,)), TARGETS)
    with pytest.raises(ValueError, match="too long to simulate"):
        stress(pool, RATE, StressTest(Disturbance.BURST, 60.0, factor=1e8), TARGETS)


@pytest.mark.parametrize(("factor", "piles_up"), [(1.2, False), (12.0, True)])
def test_a_part_of_a_disturbance_tells_of_the_whole(pool: Service, factor: float, piles_up: bool) -> None:
    whole = StressTest(Disturbance.BURST, 60.0, 120.0, factor)
    calm = stress(pool, RATE, StressTest(Disturbance.BURST, 60.0, factor=1.0), TARGETS)
    usual = [one.measured_s for one in calm.targets]
    full = stress(pool, RATE, whole, TARGETS)
    quarter = stress(pool, RATE, whole.shortened(0.25), TARGETS)
    part = of_the_whole(quarter, whole, 0.25, usual, piles_up)
    assert part.duration_s == full.duration_s
    assert (full.targets[0].measured_s > 20 * usual[0]) == piles_up
    assert part.targets[0].measured_s == pytest.approx(full.targets[0].measured_s, rel=0.15)


def test_longer_requests_take_longer_to_answer(pool: Service) -> None:
    e2e = (LatencyTarget("e2e", 0.5, 60.0),)
    calm = stress(pool, RATE, StressTest(Disturbance.BURST, 60.0, factor=1.0), e2e)
    longer = stress(pool, RATE, StressTest(Disturbance.LONGER_REQUESTS, 60.0, factor=1.5), e2e)
    assert longer.targets[0].measured_s > 1.2 * calm.targets[0].measured_s
    assert longer.recovery_s == 0.0


def test_a_single_long_prompt_is_no_sign_that_a_service_has_not_recovered(step_time: LinearStepTime) -> None:
    talk = TrafficClass(1.0, Lengths(Lognormal(700, 1.2), 60_000), Lengths(Lognormal(100, 0.7), 2000))
    targets = (LatencyTarget("ttft", 0.95, 0.5),)
    for seed in range(6):
        traffic = traffic_sample([talk], 800, seed=seed)
        calm = service(step_time, ReplicaSettings(128, 2048, 200_000), traffic, replicas=4)
        outcome = stress(calm, 4.0, StressTest(Disturbance.RELOAD, 60.0, 60.0, replicas=(0, 1), at_once=1), targets)
        assert outcome.worst_ttft_s > targets[0].limit_s
        assert outcome.targets[0].measured_s < targets[0].limit_s
        assert outcome.recovery_s == 0.0
        assert outcome.passes
