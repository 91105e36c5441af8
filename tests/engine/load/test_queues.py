"""Worked case E6 and the limits of the single-server queues."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.simulation.queues import (
    burst_wait_factor,
    single_server_wait_s,
)


def test_equal_prompts_wait_half_as_long_as_exponential_ones() -> None:
    assert single_server_wait_s(4.0, 0.15, 0.15**2) == pytest.approx(0.1125)
    assert single_server_wait_s(4.0, 0.15, 2 * 0.15**2) == pytest.approx(0.225)


def test_full_load_waits_for_ever() -> None:
    assert single_server_wait_s(np.array([10.0, 20.0]), 0.1, 0.01).tolist() == [np.inf, np.inf]


def test_poisson_arrivals_need_no_burst_factor() -> None:
    assert burst_wait_factor(1.0, np.array([0.0, 0.7, 1.0])) == pytest.approx(1.0)
    assert burst_wait_factor(2.0, 1.0) == pytest.approx(2.5)
