"""Worked case E7: the mean-field balance of a replica, its caps, and non-linear step times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.load.mean_field import (
    LIMITS,
    ReplicaCaps,
    mean_field_state,
)
from gpuplanner_gui.engine.load.mix import request_mix
from gpuplanner_gui.engine.load.step_time import LinearStepTime
from tests.engine.load.tabulated import TabulatedStepTime

UNLIMITED = ReplicaCaps(2048, 1e9, 1e12)
FIXED = request_mix(1000, 200)


def test_balance_with_poisson_arrivals_and_fixed_lengths(step_time: LinearStepTime) -> None:
    state = mean_field_state(step_time, 10.0, FIXED, UNLIMITED)
    assert state.step_time_s == pytest.approx(12.975031e-3, abs=5e-10)
    assert state.decode_sequences == pytest.approx(25.950062, abs=5e-7)
    assert state.kv_tokens == pytest.approx(28_576.746, abs=5e-4)
    assert state.decode_step_s == pytest.approx(9.158601e-3, abs=5e-10)
    assert not state.is_saturated


def test_mixed_and_decode_steps_average_to_the_mean(step_time: LinearStepTime) -> None:
    state = mean_field_state(step_time, np.linspace(0.1, 18, 20), FIXED, UNLIMITED)
    mean = state.mixed_share * state.mixed_step_s + (1 - state.mixed_share) * state.decode_step_s
    assert mean == pytest.approx(state.step_time_s)


@pytest.mark.parametrize(
    ("caps", "limit"),
    [
        (ReplicaCaps(512, 1e9, 1e12), "token_budget"),
        (ReplicaCaps(2048, 16, 1e12), "sequences"),
        (ReplicaCaps(2048, 1e9, 20_000), "kv_cache"),
    ],
)
def test_capacity_is_reached_at_the_tightest_cap(step_time: LinearStepTime, caps: ReplicaCaps, limit: str) -> None:
    state = mean_field_state(step_time, 1000.0, FIXED, caps)
    assert state.is_saturated
    assert LIMITS[int(state.limit)] == limit
    below = mean_field_state(step_time, float(state.max_rate_per_s) * 0.999999, FIXED, caps)
    assert not below.is_saturated
    assert below.step_time_s == pytest.approx(float(state.step_time_s), rel=1e-3)
    held = {
        "token_budget": below.decode_sequences * 6,
        "sequences": below.decode_sequences,
        "kv_cache": below.kv_tokens,
    }
    allowed = {"token_budget": 512, "sequences": 16, "kv_cache": 20_000}
    assert held[limit] == pytest.approx(allowed[limit], rel=1e-3)


def test_full_reservation_holds_more_and_serves_less(step_time: LinearStepTime) -> None:
    grown = mean_field_state(step_time, 1.0, FIXED, ReplicaCaps(2048, 1e9, 20_000))
    reserved = mean_field_state(step_time, 1.0, FIXED, ReplicaCaps(2048, 1e9, 20_000, reserves_output=True))
    assert reserved.max_rate_per_s < grown.max_rate_per_s
    assert reserved.kv_tokens > grown.kv_tokens


def test_tabulated_step_time_that_is_linear_gives_the_linear_balance(step_time: LinearStepTime) -> None:
    grid = np.array([0.0, 64.0, 512.0, 4096.0])
    table = TabulatedStepTime(
        batch=grid,
        decode_s=6.8e-3 + 29.4e-6 * grid,
        kv_token_s=np.full(4, 55.9e-9),
        tokens=grid,
        mixed_s=6.8e-3 + 29.4e-6 * grid,
    )
    rates = np.linspace(0.5, 20, 9)
    linear = mean_field_state(step_time, rates, FIXED, UNLIMITED)
    tabulated = mean_field_state(table, rates, FIXED, UNLIMITED)
    assert tabulated.step_time_s == pytest.approx(linear.step_time_s, rel=1e-12)


def test_candidates_broadcast() -> None:
    alpha = np.array([5e-3, 10e-3, 20e-3])
    together = mean_field_state(LinearStepTime(alpha, 29.4e-6, 55.9e-9), 8.0, FIXED, UNLIMITED)
    for number, one in enumerate(alpha):
        alone = mean_field_state(LinearStepTime(float(one), 29.4e-6, 55.9e-9), 8.0, FIXED, UNLIMITED)
        assert together.step_time_s[number] == pytest.approx(float(alone.step_time_s), rel=1e-12)


@given(
    rate=st.floats(0.01, 50),
    prompt=st.floats(1, 8000),
    output=st.floats(1, 2000),
    budget=st.integers(64, 16_384),
    sequences=st.integers(1, 512),
)
def test_balance_satisfies_its_own_equation_and_caps(
    rate: float, prompt: float, output: float, budget: int, sequences: int
) -> None:
    mix = request_mix(prompt, output)
    caps = ReplicaCaps(budget, sequences, 1e6)
    step_time = LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9)
    state = mean_field_state(step_time, rate, mix, caps)
    throughput = float(min(rate, state.max_rate_per_s))
    assert state.decode_sequences == pytest.approx(throughput * output * float(state.step_time_s), rel=1e-6)
    assert state.decode_sequences <= sequences * (1 + 1e-9)
    assert state.kv_tokens <= 1e6 * (1 + 1e-9)


@given(rate=st.floats(0.1, 30))
def test_doubling_load_never_shortens_a_step(rate: float) -> None:
    state = mean_field_state(LinearStepTime(6.8e-3, 29.4e-6, 55.9e-9), np.array([rate, 2 * rate]), FIXED, UNLIMITED)
    assert state.step_time_s[1] >= state.step_time_s[0]
