"""Chat and batch work on one pool or on two."""

from __future__ import annotations

import pytest

from gpuplanner_gui.engine.load.arrangement import arrangements
from gpuplanner_gui.engine.load.lengths import LognormalLength
from gpuplanner_gui.engine.load.service import service
from gpuplanner_gui.engine.load.settings import ReplicaSettings
from gpuplanner_gui.engine.load.step_time import LinearStepTime
from gpuplanner_gui.engine.load.summary import LatencyMetric, LatencyTarget
from gpuplanner_gui.engine.load.traffic import TrafficClass, traffic_sample


@pytest.mark.slow
def test_priorities_never_need_more_than_first_come_first_served(step_time: LinearStepTime) -> None:
    classes = [
        TrafficClass(3.0, LognormalLength(400, 0.6, 4000), LognormalLength(80, 0.6, 800)),
        TrafficClass(1.0, LognormalLength(5000, 0.4, 16_000), LognormalLength(300, 0.4, 1500), priority=1),
    ]
    made = service(step_time, ReplicaSettings(128, 2048, 300_000), traffic_sample(classes, 1000, seed=2))
    found = arrangements(made, 25.0, [LatencyTarget(LatencyMetric.TTFT, 0.95, 0.3, 0)], 16)
    assert 0 < found.shared_with_priorities <= found.shared
    assert len(found.separate) == 2
    assert found.separate_total == sum(found.separate)
    assert found.separate[0] < found.shared
