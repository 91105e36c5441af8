"""Prices of tokens, requests and users: worked cases of the notes."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.serving import cost


def test_a_fully_used_device_at_1_41_dollars():
    """1,000 tok/s of answers of one token each: $0.391667 per million."""
    request = cost.fleet_usd_per_request(np.array(1.41), 1_000.0, 1.0)
    assert cost.usd_per_million_output(request, 1.0) == pytest.approx(0.391667, abs=5e-7)


def test_tokens_of_a_device_at_2_35_dollars_and_60_percent_use():
    output = cost.usd_per_million_output(cost.fleet_usd_per_request(np.array(2.35), 2_500.0, 0.6), 1.0)
    prompt = cost.usd_per_million_output(cost.fleet_usd_per_request(np.array(2.35), 20_000.0, 0.6), 1.0)
    assert output == pytest.approx(0.435185, abs=5e-7)
    assert prompt == pytest.approx(0.054398, abs=5e-7)


def test_a_user_and_a_cached_token():
    assert cost.usd_per_user_month(132e-6, 24) == pytest.approx(132e-6 * 24 * 365 / 12)
    assert cost.cached_input_usd_per_million(0.05, 0.1) == pytest.approx(0.005)
