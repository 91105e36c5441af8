"""Largest rates by bisection over candidates."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.load.capacity import largest_rates


def test_each_candidate_finds_its_own_limit() -> None:
    limits = np.array([0.5, 3.0, 7.25, 20.0])
    found = largest_rates(lambda rate: rate <= limits, np.full(4, 10.0), halvings=40)
    assert found == pytest.approx([0.5, 3.0, 7.25, 10.0])


def test_condition_that_never_holds_gives_zero() -> None:
    found = largest_rates(lambda rate: np.zeros(rate.shape, dtype=bool), 10.0)
    assert found == pytest.approx(0.0, abs=1e-5)
