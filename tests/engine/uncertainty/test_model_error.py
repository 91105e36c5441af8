import numpy as np
import pytest

from gpuplanner_gui.engine.uncertainty import sampling


def test_width_of_a_band_is_that_of_a_normal_logarithm() -> None:
    """80 % of a normal distribution lie within 1.2816 standard deviations."""
    sigma = np.array([0.05, 0.3])
    low, high = 5.0 * np.exp(-1.2815515655 * sigma), 5.0 * np.exp(1.2815515655 * sigma)
    assert sampling.sigma_of_band(low, high) == pytest.approx(sigma)
