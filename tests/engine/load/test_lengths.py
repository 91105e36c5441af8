"""Distributions of lengths by their quantiles."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.domain.quantity import Lognormal, Range
from gpuplanner_gui.engine.simulation.traffic import Lengths

SHARES = np.array([1e-9, 1e-4, 0.02, 0.1, 0.5, 0.77, 0.98, 0.9999])


def test_lognormal_median_and_cut() -> None:
    lengths = Lengths(Lognormal(500, 1.0), longest=2000)
    assert lengths.at(np.array([0.5, 0.8413447461])) == pytest.approx([500, 500 * np.e])
    assert lengths.at(np.array([0.9999])) == 2000


def test_uniform_and_fixed() -> None:
    assert Lengths(Range(100, 300)).at(np.array([0.25])) == 150
    assert Lengths(7).at(SHARES).tolist() == [7] * len(SHARES)
