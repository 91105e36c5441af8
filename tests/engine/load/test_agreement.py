"""Closed form against simulation within the bands known from the load study."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gpuplanner_gui.engine.load.agreement import (
    LIGHT_TTFT_BAND,
    LONG_ITL_BAND,
    RUN_ERROR,
    SHORT_ITL_BAND,
    SHORT_PROMPT_TOKENS,
)
from gpuplanner_gui.engine.load.arrays import FloatArray
from gpuplanner_gui.engine.load.arrivals import GammaArrivals
from gpuplanner_gui.engine.load.lengths import LognormalLength
from gpuplanner_gui.engine.load.service import Service, service
from gpuplanner_gui.engine.load.settings import ReplicaSettings
from gpuplanner_gui.engine.load.speculation import Speculation
from gpuplanner_gui.engine.load.step_time import LinearStepTime
from gpuplanner_gui.engine.load.summary import summarised
from gpuplanner_gui.engine.load.traffic import TrafficClass, traffic_sample

LOADS = (0.3, 0.45, 0.6)


def errors(made: Service) -> tuple[FloatArray, FloatArray]:
    """Closed form over simulation less 1, mean TTFT and mean ITL at each of `LOADS`."""
    rates = np.array(LOADS) * made.saturation_rate_per_s()
    runs = [summarised(made.run(rate), rate) for rate in rates]
    ttft, itl = made.closed_means(rates)
    return ttft / [run.ttft.mean_s for run in runs] - 1, itl / [run.itl.mean_s for run in runs] - 1


def is_within(error: FloatArray, band: tuple[float, float]) -> bool:
    return bool(((error > band[0] - RUN_ERROR) & (error < band[1] + RUN_ERROR)).all())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prompt", "output", "budget"), [(200, 200, 2048), (600, 150, 2048), (600, 150, 512), (4000, 300, 2048)]
)
def test_closed_form_agrees_with_the_simulation(
    step_time: LinearStepTime, prompt: float, output: float, budget: int
) -> None:
    one = TrafficClass(1.0, LognormalLength(prompt, 0.8, 16_000), LognormalLength(output, 0.7, 3000))
    made = service(step_time, ReplicaSettings(256, budget), traffic_sample([one], 5000, seed=3))
    ttft, itl = errors(made)
    assert is_within(
        itl, SHORT_ITL_BAND if made.traffic.mix().computed_tokens <= SHORT_PROMPT_TOKENS else LONG_ITL_BAND
    )
    assert is_within(ttft[:2], LIGHT_TTFT_BAND)


def test_closed_form_agrees_with_speculation(chat_service: Service) -> None:
    settings = ReplicaSettings(128, 2048, speculation=Speculation(3, 0.7, 0.05))
    ttft, itl = errors(service(chat_service.step_time, settings, chat_service.traffic))
    assert np.abs(itl).max() < 0.14
    assert np.abs(ttft[:2]).max() < 0.25


def test_closed_form_knows_nothing_of_bursts(chat_service: Service) -> None:
    bursty = replace(chat_service, traffic=replace(chat_service.traffic, arrivals=GammaArrivals(4.0)))
    ttft, _ = errors(bursty)
    assert (ttft < LIGHT_TTFT_BAND[0] - RUN_ERROR).any()


def test_closed_form_says_nothing_of_saturated_rates(chat_service: Service) -> None:
    capacity = chat_service.saturation_rate_per_s()
    ttft, itl = chat_service.closed_means(np.array([0.5, 2.0]) * capacity)
    assert np.isfinite(ttft).tolist() == [True, False]
    assert np.isfinite(itl).tolist() == [True, False]
