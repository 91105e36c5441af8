"""Worked case E22: a cosine day, static and autoscaled (how much of it to reserve: tests of the commitments)."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.simulation.replicas import replicas_needed

HOURS = np.arange(1440) / 60
NEEDED = replicas_needed(20 * (1 - 0.8 * np.cos(2 * np.pi * (HOURS - 3) / 24)), 4.65, 1.0).astype(np.int64)


def test_static_peak_against_autoscaled_hours() -> None:
    static_hours, autoscaled_hours = NEEDED.max() * 24, NEEDED.mean() * 24
    assert static_hours == 192
    assert autoscaled_hours == pytest.approx(114.65)
    assert 1 - autoscaled_hours / static_hours == pytest.approx(0.40286, abs=5e-6)
