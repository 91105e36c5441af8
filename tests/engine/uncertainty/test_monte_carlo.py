import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.engine.uncertainty import sampling as mc


def test_band_of_known_values():
    band = mc.band(np.stack([np.arange(1.0, 101), np.arange(101.0, 201)]))
    assert band.p10.tolist() == [10, 110]
    assert band.p50.tolist() == [50, 150]
    assert band.p90.tolist() == [90, 190]


def test_impossible_samples_count_as_the_worst():
    values = np.arange(100.0)
    values[:20] = np.nan
    assert mc.band(values).p90 == np.inf


def test_probabilities():
    hourly, fixed = np.array([1.0, 1.0, 3.0, 1.0, 5.0]), np.full(5, 2.0)
    assert mc.probability_cheaper(hourly, fixed) == pytest.approx(0.6)
    assert mc.probability_cheaper(fixed, hourly) == pytest.approx(0.4)
    assert mc.probability_best(np.stack([hourly, fixed])) == pytest.approx([0.6, 0.4])


def test_equal_plans_win_half_the_time():
    same = np.ones(10)
    assert mc.probability_cheaper(same, same) == 0.5
    assert mc.probability_best(np.stack([same, same, same + 1])) == pytest.approx([0.5, 0.5, 0])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=200))
def test_percentiles_are_in_order_and_among_the_values(values: list[float]):
    band = mc.band(np.array(values))
    assert band.p10 <= band.p50 <= band.p90
    assert float(band.p50) in values
