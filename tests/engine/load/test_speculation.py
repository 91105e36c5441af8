"""Speculative decoding by hand: tokens that a step yields, steps that an answer takes, what drafting adds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.requests import request_mix
from gpuplanner_gui.engine.simulation.step_time import Speculation, drafted_step_s, tokens_per_step


def test_a_step_yields_one_more_token_than_is_kept():
    # Two drafts, half of which are kept: 1 token with chance 1/2, 2 with 1/4, 3 with 1/4.
    drafts = Speculation(2, 0.5)
    assert drafts.tokens_per_step == pytest.approx(0.5 * 1 + 0.25 * 2 + 0.25 * 3)
    assert drafts.variance == pytest.approx(0.5 * 1 + 0.25 * 4 + 0.25 * 9 - 1.75**2)
    assert drafts.verified_tokens == 3


def test_all_kept_and_none_kept_are_certain():
    assert Speculation(4, 1.0).tokens_per_step == 5
    assert Speculation(4, 1.0).variance == 0
    assert Speculation(4, 0.0).tokens_per_step == 1
    assert Speculation(4, 0.0).variance == 0
    assert Speculation(4, 1.0).steps(np.array([100.0])) == pytest.approx(20)


def test_steps_of_an_answer_spread_as_drawn_ones_do():
    drafts, rng = Speculation(3, 0.6), np.random.default_rng(5)
    kept = np.cumprod(rng.random((4000, 400, 3)) < 0.6, axis=2).sum(axis=2) + 1
    needed = (np.cumsum(kept, axis=1) < 512).sum(axis=1) + 1
    assert needed.mean() == pytest.approx(float(drafts.steps(np.array(512.0))), rel=0.01)
    assert needed.std() == pytest.approx(float(drafts.steps_sd(np.array(512.0))), rel=0.05)
    assert needed.std() / needed.mean() == pytest.approx(drafts.spread / np.sqrt(512), rel=0.05)


def test_drafting_takes_its_share_of_each_pass():
    # One draft: a tenth of the pass that verifies. Each further one: a tenth of a pass over a token per sequence.
    assert drafted_step_s(20e-3, 10e-3, 1, 0.1) == pytest.approx(22e-3)
    assert drafted_step_s(20e-3, 10e-3, 4, 0.1) == pytest.approx(25e-3)
    assert drafted_step_s(20e-3, 10e-3, 4, 0.0) == 20e-3


@given(st.integers(1, 32), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_more_acceptance_never_yields_less(drafts, first, second):
    low, high = sorted((first, second))
    assert tokens_per_step(drafts, low) <= tokens_per_step(drafts, high) * (1 + 1e-12)
    assert tokens_per_step(drafts, high) * (1 + 1e-12) >= 1
    assert tokens_per_step(drafts, high) <= drafts + 1 + 1e-9


def test_requests_counted_in_steps_pass_every_verified_token() -> None:
    mix = request_mix(np.array([100.0, 300.0]), np.array([60.0, 120.0]))
    drafted = mix.in_steps(3.0, verified_tokens=4)
    assert drafted.output_tokens == pytest.approx(30.0)
    assert drafted.tokens == pytest.approx(200 + 30 * 4)
    assert drafted.context_output == pytest.approx(mix.context_output / 3)
    assert drafted.output_bins.value == pytest.approx(mix.output_bins.value / 3)
    assert drafted.computed_tokens == mix.computed_tokens
