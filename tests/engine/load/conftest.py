"""An 8B-class model on one H100 as a linear step time, and traffic like a chat's."""

from __future__ import annotations

import pytest

from gpuplanner_gui.domain.quantity import Lognormal
from gpuplanner_gui.engine.simulation.service import Service
from gpuplanner_gui.engine.simulation.settings import ReplicaSettings
from gpuplanner_gui.engine.simulation.traffic import Lengths, TrafficClass, TrafficSample, traffic_sample
from tests.engine.load.linear import LinearStepTime, service


@pytest.fixture
def step_time() -> LinearStepTime:
    return LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)


@pytest.fixture
def chat() -> TrafficSample:
    one = TrafficClass(1.0, Lengths(Lognormal(400, 0.9), 8000), Lengths(Lognormal(120, 0.8), 2000))
    return traffic_sample([one], 1000, seed=7)


@pytest.fixture
def chat_service(step_time: LinearStepTime, chat: TrafficSample) -> Service:
    return service(step_time, ReplicaSettings(256, 2048, 400_000), chat)
