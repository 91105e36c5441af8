"""Closed form against simulation within the bands known from the load study."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuplanner_gui.engine.load.agreement import agreement
from gpuplanner_gui.engine.load.arrivals import GammaArrivals
from gpuplanner_gui.engine.load.lengths import LognormalLength
from gpuplanner_gui.engine.load.service import Service, service
from gpuplanner_gui.engine.load.settings import ReplicaSettings
from gpuplanner_gui.engine.load.speculation import Speculation
from gpuplanner_gui.engine.load.step_time import LinearStepTime
from gpuplanner_gui.engine.load.summary import RunSummary, summarised
from gpuplanner_gui.engine.load.traffic import TrafficClass, traffic_sample

LOADS = (0.3, 0.45, 0.6)


def runs(made: Service) -> list[RunSummary]:
    capacity = made.saturation_rate_per_s()
    return [summarised(made.run(load * capacity), load * capacity) for load in LOADS]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prompt", "output", "budget"), [(200, 200, 2048), (600, 150, 2048), (600, 150, 512), (4000, 300, 2048)]
)
def test_closed_form_agrees_with_the_simulation(
    step_time: LinearStepTime, prompt: float, output: float, budget: int
) -> None:
    one = TrafficClass(1.0, LognormalLength(prompt, 0.8, 16_000), LognormalLength(output, 0.7, 3000))
    made = service(step_time, ReplicaSettings(256, budget), traffic_sample([one], 5000, seed=3))
    found = agreement(made, runs(made))
    assert not found.itl_differs.any(), found.itl_error
    assert not found.ttft_differs[:2].any(), found.ttft_error


def test_closed_form_agrees_with_speculation(chat_service: Service) -> None:
    settings = ReplicaSettings(128, 2048, speculation=Speculation(3, 0.7, 0.05))
    made = service(chat_service.step_time, settings, chat_service.traffic)
    found = agreement(made, runs(made))
    assert np.abs(found.itl_error).max() < 0.14
    assert np.abs(found.ttft_error[:2]).max() < 0.25


def test_bursts_are_said_to_differ(chat_service: Service) -> None:
    bursty = replace(chat_service, traffic=replace(chat_service.traffic, arrivals=GammaArrivals(4.0)))
    found = agreement(bursty, runs(bursty))
    assert found.ttft_differs.any()
    assert (found.ttft_error < 0).any()


def test_saturated_rates_are_not_compared(chat_service: Service) -> None:
    rate = 2 * chat_service.saturation_rate_per_s()
    found = agreement(chat_service, [summarised(chat_service.run(rate), rate)])
    assert not found.ttft_differs.any()
    assert not found.itl_differs.any()
