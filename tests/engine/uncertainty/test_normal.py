from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.uncertainty.distributions import normal_cdf, normal_quantile


def test_known_quantiles():
    assert normal_quantile([0.5, 0.9, 0.975]) == pytest.approx([0, 1.2815515655446004, 1.959963984540054], abs=1e-15)


def test_ends_are_infinite():
    assert normal_quantile([0.0, 1.0]).tolist() == [-np.inf, np.inf]


@pytest.mark.parametrize("exponent", [1, 2, 3, 5, 8, 11, 12, 20, 100, 300])
def test_tails_agree_with_the_standard_library(exponent: int):
    p = 10.0**-exponent
    assert float(normal_quantile(p)) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-12)


@given(st.floats(1e-12, 1 - 1e-12))
def test_quantile_agrees_with_the_standard_library(p: float):
    assert float(normal_quantile(p)) == pytest.approx(NormalDist().inv_cdf(p), rel=1e-12, abs=1e-14)


@given(st.floats(-8, 8))
def test_distribution_is_the_inverse(z: float):
    assert float(normal_cdf(z)) == pytest.approx(NormalDist().cdf(z), rel=1e-9, abs=1e-16)
    if z < 5:
        assert float(normal_quantile(normal_cdf(z))) == pytest.approx(z, abs=1e-8)


def test_shapes_are_kept():
    assert normal_quantile(np.full((2, 3), 0.3)).shape == (2, 3)
    assert normal_cdf(np.zeros((2, 3))).shape == (2, 3)
