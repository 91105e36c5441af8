"""Worked case E7: TTFT and E2E in closed form; percentiles as mixtures."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.load.latency import (
    PrefillQueue,
    closed_form_e2e_s,
    closed_form_ttft_s,
    e2e_percentile_s,
    itl_percentile_s,
    prefill_queue,
    step_mixture,
    ttft_percentile_s,
    wait_within_share,
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


def test_equal_prompts_give_the_finer_mixture_two_points_too(step_time: LinearStepTime) -> None:
    state, _ = at(step_time, 10.0)
    mixture = step_mixture(step_time, state, FIXED, 2048)
    assert mixture.share.sum() == pytest.approx(1.0)
    assert mixture.percentile_s(0.5) == pytest.approx(float(state.decode_step_s))
    assert mixture.percentile_s(0.99) == pytest.approx(float(state.mixed_step_s), rel=1e-3)


def test_chunk_size_sets_the_tail_of_itl_and_the_mean_of_ttft(step_time: LinearStepTime) -> None:
    rng = np.random.default_rng(0)
    mix = request_mix(np.minimum(rng.lognormal(6.5, 1.0, 4000), 8000), rng.lognormal(5.0, 0.8, 4000))
    tail, mean = [], []
    for budget in (2048, 512):
        state = mean_field_state(step_time, 8.0, mix, ReplicaCaps(budget, 1e9, 1e12))
        queue = prefill_queue(step_time, state, 8.0, mix, budget)
        tail.append(float(step_mixture(step_time, state, mix, budget).percentile_s(0.99)))
        mean.append(float(queue.mean_service_s + queue.mean_wait_s + queue.residual_s))
    assert tail[0] > 2.5 * tail[1]
    assert mean[1] > mean[0]


def test_wait_is_exponential_with_a_share_that_does_not_wait() -> None:
    shares = wait_within_share(np.array([-1.0, 0.0, 2.0]), np.array(0.5), np.array(1.0))
    assert shares == pytest.approx([0.0, 0.5, 1 - 0.5 * np.exp(-1.0)])


def test_ttft_percentiles_of_equal_prompts_follow_the_wait(step_time: LinearStepTime) -> None:
    _, queue = at(step_time, 10.0)
    fixed_s = float(queue.mean_service_s + queue.residual_s)
    assert ttft_percentile_s(queue, FIXED.computed_bins, 0.5) == pytest.approx(fixed_s, rel=1e-6)
    expected = fixed_s + float(queue.mean_wait_s / queue.utilisation * np.log(queue.utilisation / 0.01))
    assert ttft_percentile_s(queue, FIXED.computed_bins, 0.99) == pytest.approx(expected, rel=1e-6)


def test_percentiles_rise_with_share_and_load(step_time: LinearStepTime) -> None:
    mix = request_mix(np.array([100.0, 500.0, 4000.0]), np.array([50.0, 200.0, 800.0]))
    rates = np.array([0.5, 2.0, 4.0])
    state = mean_field_state(step_time, rates, mix, CAPS)
    queue = prefill_queue(step_time, state, rates, mix, 2048)
    for percentile_of in (
        lambda p: ttft_percentile_s(queue, mix.computed_bins, p),
        lambda p: e2e_percentile_s(queue, state, mix.output_bins, p),
    ):
        values = np.array([percentile_of(p) for p in (0.5, 0.9, 0.95, 0.99)])
        assert (np.diff(values, axis=0) >= -1e-6).all()
        assert (np.diff(values, axis=1) >= -1e-6).all()


def test_bursts_lengthen_the_wait(step_time: LinearStepTime) -> None:
    _, poisson = at(step_time, 10.0)
    _, bursty = at(step_time, 10.0, cv=2.0)
    assert bursty.mean_wait_s == pytest.approx(4 * float(poisson.mean_wait_s))


def test_saturated_replica_has_no_finite_ttft(step_time: LinearStepTime) -> None:
    _, queue = at(step_time, 40.0)
    assert queue.mean_wait_s == np.inf
    assert ttft_percentile_s(queue, FIXED.computed_bins, 0.5) == np.inf
