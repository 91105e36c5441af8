"""Worked case E22: a cosine day, static and autoscaled, and how much of it to reserve."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.load.diurnal import (
    committed_cost_usd,
    diurnal_sizing,
    replicas_over_time,
    replicas_to_commit,
    share_of_time_needed,
)

HOURS = np.arange(1440) / 60
NEEDED = replicas_over_time(20 * (1 - 0.8 * np.cos(2 * np.pi * (HOURS - 3) / 24)), 4.65)


def test_static_peak_against_autoscaled_hours() -> None:
    sizing = diurnal_sizing(NEEDED, 24.0)
    assert sizing.static_replicas == 8
    assert sizing.static_hours == 192
    assert sizing.autoscaled_hours == pytest.approx(114.65)
    assert sizing.saving_share == pytest.approx(0.40286, abs=5e-6)


def test_reserving_five_costs_least() -> None:
    cost = committed_cost_usd(NEEDED, np.array([4, 5, 6]), 24.0, 2.0, 4.0)
    assert cost == pytest.approx([337.20, 334.47, 340.67], abs=5e-3)
    assert share_of_time_needed(NEEDED)[4:6] == pytest.approx([0.5285, 0.4354], abs=5e-5)
    assert replicas_to_commit(NEEDED, 2.0, 4.0) == 5


@pytest.mark.parametrize("ratio", [0.1, 0.3, 0.55, 0.8, 0.99])
def test_commit_rule_finds_the_cheapest_level(ratio: float) -> None:
    levels = np.arange(0, 9)
    cost = committed_cost_usd(NEEDED, levels, 24.0, ratio, 1.0)
    assert cost[int(replicas_to_commit(NEEDED, ratio, 1.0))] == pytest.approx(cost.min())
