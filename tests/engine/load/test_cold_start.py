"""Worked cases E20 and E21, contention for storage, roll-out, autoscaling."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.fleet.cold_start import cold_start
from gpuplanner_gui.engine.fleet.fleet_sizing import autoscaling_headroom_per_s, rollout_s, scale_to_zero

WEIGHTS = 141.107413e9


def test_phases_of_a_cold_start_add_up() -> None:
    start = cold_start(WEIGHTS, 5e9, provision_s=120, image_s=30, compile_s=42, graph_capture_s=18, warm_up_s=10)
    assert start.weights_s == pytest.approx(28.221483, abs=5e-7)
    assert start.total_s == pytest.approx(248.221483, abs=5e-7)


def test_replicas_that_load_together_share_the_storage() -> None:
    for replicas, times in ((1, 1), (2, 1), (4, 2), (16, 8)):
        start = cold_start(WEIGHTS, 5e9, storage_bytes_per_s=10e9, replicas=replicas)
        assert start.weights_s == pytest.approx(WEIGHTS * times / 5e9)


def test_rollout_in_waves() -> None:
    assert rollout_s(10, 4, 100.0) == 300


def test_headroom_for_growth_until_a_replica_serves() -> None:
    assert autoscaling_headroom_per_s(2 / 60, 0.0, 238.0) == pytest.approx(7.933, abs=1e-3)
    assert autoscaling_headroom_per_s(2 / 60, 60.0, 238.0) == pytest.approx(9.933, abs=1e-3)


def test_scale_to_zero_with_and_without_keep_alive() -> None:
    billed = scale_to_zero(5.0, 600.0, np.array([0.0, 300.0]), 238.2214)
    assert billed.always_on_s == pytest.approx(605.0)
    assert billed.total == pytest.approx([243.2214, 385.570187], abs=5e-7)
    assert billed.saving_share == pytest.approx([0.5980, 0.3627], abs=5e-5)
    assert billed.cold_share == pytest.approx([1.0, 0.60653], abs=5e-6)


def test_scale_to_zero_costs_more_when_starting_takes_longer_than_the_gap() -> None:
    assert scale_to_zero(5.0, 100.0, 0.0, 238.0).saving_share < 0
    assert scale_to_zero(5.0, 100.0, np.inf, 238.0).saving_share == 0
