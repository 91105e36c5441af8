"""Worked case E7: TTFT and E2E in closed form; percentiles as mixtures."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.load.latency import (
    PrefillQueue,
    closed_form_e2e_s,
    closed_form_ttft_s,
    itl_percentile_s,
    prefill_queue,
)
from gpuplanner_gui.engine.load.mean_field import MeanFieldState, ReplicaCaps, mean_field_state
from gpuplanner_gui.engine.load.mix import RequestMix, request_mix
from gpuplanner_gui.engine.load.step_time import LinearStepTime

FIXED = request_mix(1000, 200)
CAPS = ReplicaCaps(2048, 1e9, 1e12)


def at(
    step_time: LinearStepTime, rate: float, mix: RequestMix = FIXED, cv: float = 1.0
) -> tuple[MeanFieldState, PrefillQueue]:
    state = mean_field_state(step_time, rate, mix, CAPS)
    return state, prefill_queue(step_time, state, rate, mix, 2048, cv)


def test_prefill_queue_of_the_worked_case(step_time: LinearStepTime) -> None:
    state, queue = at(step_time, 10.0)
    assert queue.mean_service_s == pytest.approx(38.572249e-3, abs=5e-10)
    assert queue.utilisation == pytest.approx(0.385722486, abs=5e-10)
    assert queue.mean_wait_s == pytest.approx(12.110311e-3, abs=5e-10)
    ttft_s = closed_form_ttft_s(queue.mean_service_s, queue.mean_wait_s, queue.residual_s)
    assert ttft_s == pytest.approx(53.495521e-3, abs=5e-10)
    assert closed_form_e2e_s(ttft_s, 200, state.step_time_s) == pytest.approx(2.635527, abs=5e-7)


def test_itl_is_a_mixture_of_two_steps(step_time: LinearStepTime) -> None:
    state, _ = at(step_time, 10.0)
    two = [itl_percentile_s(state.decode_step_s, state.mixed_step_s, state.mixed_share, p) for p in (0.5, 0.99)]
    assert two == pytest.approx([9.158601e-3, float(state.mixed_step_s)], abs=5e-10)


def test_bursts_lengthen_the_wait(step_time: LinearStepTime) -> None:
    _, poisson = at(step_time, 10.0)
    _, bursty = at(step_time, 10.0, cv=2.0)
    assert bursty.mean_wait_s == pytest.approx(4 * float(poisson.mean_wait_s))


def test_saturated_replica_has_no_finite_ttft(step_time: LinearStepTime) -> None:
    _, queue = at(step_time, 40.0)
    assert queue.mean_wait_s == np.inf
    assert closed_form_ttft_s(queue.mean_service_s, queue.mean_wait_s, queue.residual_s) == np.inf
