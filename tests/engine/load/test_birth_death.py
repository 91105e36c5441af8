"""Worked case E8, and the queue's limits against Erlang's formulas."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.load.birth_death import (
    STABILITY_MARGIN,
    birth_death_latency,
    birth_death_slo_rate_per_s,
    birth_death_state,
    continuous_batching_service_rates,
)
from gpuplanner_gui.engine.load.erlang import erlang_blocking_share, erlang_wait_s

BATCH = np.arange(1, 5)


def test_four_slots_and_two_waiting_places() -> None:
    state = birth_death_state(2.0, BATCH / (0.8 + 0.2 * BATCH), 2)
    expected = [0.083247, 0.166494, 0.199792, 0.186473, 0.149178, 0.119343, 0.095474]
    assert state.probabilities == pytest.approx(expected, abs=1e-5)
    assert state.present == pytest.approx(2.891766, abs=1e-5)
    assert state.in_service == pytest.approx(2.581475, abs=1e-5)
    assert state.throughput_per_s == pytest.approx(1.809052, abs=1e-5)
    assert state.response_s == pytest.approx(1.598498, abs=1e-5)
    assert state.wait_s == pytest.approx(0.171521, abs=1e-5)
    assert state.service_s == pytest.approx(1.426977, abs=1e-5)


def test_without_waiting_places_it_is_erlang_b() -> None:
    state = birth_death_state(8.0, np.arange(1, 11) * 1.0, 0)
    assert state.blocked_share == pytest.approx(float(erlang_blocking_share(10, 8.0)), rel=1e-12)


def test_with_many_waiting_places_it_is_erlang_c() -> None:
    state = birth_death_state(8.0, np.arange(1, 11) * 1.0, 2000)
    assert state.wait_s == pytest.approx(float(erlang_wait_s(10, 8.0, 1.0)), rel=1e-9)


def test_candidates_and_rates_broadcast_and_stay_finite_far_above_capacity() -> None:
    rates = np.stack([np.arange(1, 65) * 0.1, np.arange(1, 65) * 0.2])
    state = birth_death_state(np.array([1.0, 1000.0]), rates, 500)
    assert state.probabilities.shape == (2, 565)
    assert np.isfinite(state.response_s).all()
    assert state.throughput_per_s[1] == pytest.approx(12.8, rel=1e-3)


def test_latency_is_made_of_wait_prefill_and_steps() -> None:
    batch = np.arange(1, 33)
    prefill_s, step_s = 0.03 + 0.0 * batch, 0.006 + 0.0002 * batch
    rates = continuous_batching_service_rates(prefill_s, step_s, 100.0)
    assert rates[0] == pytest.approx(1 / (0.03 + 100 * 0.0062))
    light = birth_death_state(0.01, rates, 100)
    latency = birth_death_latency(light, prefill_s, step_s, 100.0)
    assert latency.itl_s == pytest.approx(0.0062, rel=1e-2)
    assert latency.e2e_s == pytest.approx(0.65, rel=1e-2)
    assert latency.ttft_s == pytest.approx(0.0362, rel=1e-2)


def test_largest_rate_within_limits_of_the_means() -> None:
    batch = np.arange(1, 33)
    prefill_s = np.stack([0.03 + 0.0 * batch, 0.06 + 0.0 * batch])
    step_s = np.stack([0.006 + 0.0002 * batch, 0.006 + 0.0002 * batch])
    rates = continuous_batching_service_rates(prefill_s, step_s, 100.0)
    found = birth_death_slo_rate_per_s(prefill_s, step_s, 100.0, 200, ttft_limit_s=0.1, itl_limit_s=0.010)
    at_limit = birth_death_latency(birth_death_state(found, rates, 200), prefill_s, step_s, 100.0)
    assert (at_limit.itl_s <= 0.010).all()
    above = birth_death_latency(birth_death_state(found * 1.02, rates, 200), prefill_s, step_s, 100.0)
    assert ((above.itl_s > 0.010) | (above.ttft_s > 0.1)).all()
    free = birth_death_slo_rate_per_s(prefill_s, step_s, 100.0, 200)
    assert free == pytest.approx((1 - STABILITY_MARGIN) * rates[:, -1])
    assert birth_death_slo_rate_per_s(prefill_s, step_s, 100.0, 200, ttft_limit_s=0.01) == pytest.approx(0.0, abs=1e-4)
