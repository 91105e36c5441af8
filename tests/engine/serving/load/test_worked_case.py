"""Worked case E7: a replica under a known load in closed form, beside its simulation."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.serving.engine_release import Admission
from gpuplanner_gui.engine.serving.load.balance import load_states
from gpuplanner_gui.engine.serving.load.first_token import itl_percentile_s
from gpuplanner_gui.engine.serving.load.rates import requests_at_load
from gpuplanner_gui.engine.serving.load.states import LOAD_GRID, LoadStates
from gpuplanner_gui.engine.serving.step_table import DeploymentSteps
from gpuplanner_gui.engine.simulation.requests import ReplicaCaps, request_mix

FIXED, BUDGET = request_mix(1000, 200), 2048
ALPHA_S, BETA_S, GAMMA_S = 6.8e-3, 29.4e-6, 55.9e-9
"""A step, each of its tokens, each cached token that it reads."""
SIZES = np.array([1.0, float(BUDGET)])
STEPS = DeploymentSteps(
    batch=SIZES,
    decode_s=(ALPHA_S + BETA_S * SIZES)[:, None],
    tokens=SIZES,
    prompt_s=(ALPHA_S + BETA_S * SIZES)[:, None],
    cache_token_s=np.array([GAMMA_S]),
    pair_s=np.zeros(1),
    beside_s=np.zeros(1),
    sequence_s=np.zeros(1),
)


def at(rate_per_s: float, cv: float = 1.0) -> LoadStates:
    most, _ = ReplicaCaps(BUDGET, 1e9, 1e12).requests_per_step(FIXED)
    host = Admission(0.0, 0.0)

    def states(requests):
        return load_states(STEPS, requests, FIXED, BUDGET, cv, host, most_requests=np.array([float(most)]))

    grid = LOAD_GRID[:, None] * float(most)
    rates = states(grid).rate_per_s
    return states(requests_at_load(rates, grid, np.array([rate_per_s]))[None, :])


def test_latency_is_that_of_the_simulated_reference():
    """Reference at 10.506 requests/s: 14.06 ms between tokens, first token after 58.2 ms, answer after 2.856 s."""
    found = at(10.506)
    assert found.step_s[0, 0] == pytest.approx(14.06e-3, rel=0.05)
    assert found.ttft_mean_s[0, 0] == pytest.approx(58.2e-3, rel=0.1)
    assert found.e2e_mean_s[0, 0] == pytest.approx(2.856, rel=0.05)


def test_steps_are_in_balance_with_the_load():
    """Little's law: requests a second, times 200 steps of an answer, times their length, are the batch."""
    found = at(10.0)
    assert found.batch[0, 0] == pytest.approx(found.rate_per_s[0, 0] * 200 * found.step_s[0, 0], rel=0.01)
    alone_s = ALPHA_S + BETA_S * found.batch[0, 0] + GAMMA_S * found.batch[0, 0] * 1100
    assert found.decode_step_s[0, 0] == pytest.approx(alone_s, rel=0.02)


def test_gaps_between_tokens_are_a_mixture_of_two_steps():
    found = at(10.0)
    low, high = (itl_percentile_s(found.decode_step_s, found.mixed_step_s, found.mixed_share, p) for p in (0.5, 0.99))
    assert (low, high) == (found.decode_step_s, found.mixed_step_s)


def test_bursts_lengthen_the_wait():
    assert at(10.0, cv=2.0).wait_s[0, 0] == pytest.approx(4 * at(10.0).wait_s[0, 0])


def test_caps_bound_the_requests_of_a_step():
    """1,200 tokens a request: 2,048 allow 1.71; 100 sequences of 200 steps 0.5; 33,000 cached tokens 0.15."""
    for caps, most, which in (
        (ReplicaCaps(BUDGET, 1e9, 1e12), 2048 / 1200, 0),
        (ReplicaCaps(BUDGET, 100, 1e12), 0.5, 1),
        (ReplicaCaps(BUDGET, 100, 33_000), 33_000 / (200 * 1100 + 1000**2 / 2 / BUDGET), 2),
    ):
        found, limit = caps.requests_per_step(FIXED)
        assert (float(found), int(limit)) == (pytest.approx(most), which)
