"""The load curve of users who wait for their answers: as many users as send that many requests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.fleet.readiness import steady_rate_per_s
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, traffic_sample
from tests.engine.load.linear import LinearStepTime, service

THINK_S = 10.0


@pytest.fixture
def crowd(step_time: LinearStepTime) -> Service:
    talk = TrafficClass(1.0, Lengths(Lognormal(600, 0.8), 8000), Lengths(Lognormal(100, 0.7), 2000))
    made = service(step_time, ReplicaSettings(128, 2048, 200_000), traffic_sample([talk], 3000, seed=1), replicas=2)
    return replace(made, think_s=THINK_S)


@pytest.mark.parametrize("load", [0.1, 0.4, 0.7])
def test_users_send_the_rate_that_is_asked_for(crowd: Service, load: float) -> None:
    rate = load * crowd.saturation_rate_per_s()
    assert steady_rate_per_s(crowd.run(rate)) == pytest.approx(rate, rel=0.05)


def test_a_single_user_never_waits_for_another(crowd: Service) -> None:
    alone = replace(crowd, replicas=1)
    rate = 0.5 / (THINK_S + 1.0)
    by_user, at_random = alone.run(rate), replace(alone, think_s=None).run(rate)
    read_s = alone.run(rate / 100).ttft_s
    np.testing.assert_allclose(np.sort(by_user.ttft_s), np.sort(read_s), rtol=1e-6)
    assert np.nanmax(at_random.ttft_s) >= np.nanmax(by_user.ttft_s)


def test_beyond_saturation_users_wait_instead_of_coming(crowd: Service) -> None:
    capacity = crowd.saturation_rate_per_s()
    beyond = crowd.run(1.5 * capacity)
    finished = np.sort(beyond.finish_s)
    early, late = int(0.3 * len(finished)), int(0.7 * len(finished))
    assert (late - early) / (finished[late] - finished[early]) <= 1.1 * capacity
    assert np.nanmean(beyond.ttft_s) > np.nanmean(crowd.run(0.5 * capacity).ttft_s)
