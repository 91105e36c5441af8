"""Worked case E6 and the limits of the single-server queues."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.load.queues import (
    burst_wait_factor,
    parallel_prefill_ttft_s,
    pipelined_prefill_ttft_s,
    prefill_instance_ttft_s,
    single_server_wait_s,
)


def test_equal_prompts_wait_half_as_long_as_exponential_ones() -> None:
    assert single_server_wait_s(4.0, 0.15, 0.15**2) == pytest.approx(0.1125)
    assert single_server_wait_s(4.0, 0.15, 2 * 0.15**2) == pytest.approx(0.225)
    assert prefill_instance_ttft_s(4.0, 0.15) == pytest.approx(0.2625)


def test_parallel_variants_without_gain_are_the_plain_instance() -> None:
    assert parallel_prefill_ttft_s(4.0, 0.15, 1.0) == pytest.approx(0.2625)
    assert pipelined_prefill_ttft_s(0.0, 0.15) == pytest.approx(0.15)


def test_tensor_parallelism_wins_at_low_rate_and_pipelining_at_high_rate() -> None:
    rates = np.array([0.5, 7.5])
    tensor, pipeline = parallel_prefill_ttft_s(rates, 0.2, 1.6), pipelined_prefill_ttft_s(rates, 0.2)
    assert tensor[0] < pipeline[0]
    assert tensor[1] > pipeline[1]


def test_full_load_waits_for_ever() -> None:
    assert prefill_instance_ttft_s(np.array([10.0, 20.0]), 0.1).tolist() == [np.inf, np.inf]


def test_poisson_arrivals_need_no_burst_factor() -> None:
    assert burst_wait_factor(1.0, np.array([0.0, 0.7, 1.0])) == pytest.approx(1.0)
    assert burst_wait_factor(2.0, 1.0) == pytest.approx(2.5)
