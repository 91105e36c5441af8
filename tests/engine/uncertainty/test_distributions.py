import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Lognormal, Normal, Range, Triangular
from gpuplanner_gui.engine.uncertainty.distributions import bounded_quantile, cumulative, quantile

P = np.linspace(0.01, 0.99, 99)
DISTRIBUTIONS = [
    Range(2, 5),
    Triangular(1, 1, 4),
    Triangular(1, 4, 4),
    Triangular(0, 2, 5),
    Normal(3, 2),
    Lognormal(2, 0.5),
]


@pytest.mark.parametrize("quantity", DISTRIBUTIONS)
def test_probability_and_value_are_inverse(quantity):
    assert cumulative(quantity, quantile(quantity, P)) == pytest.approx(P, abs=1e-12)


@pytest.mark.parametrize("quantity", DISTRIBUTIONS)
def test_extremes_of_the_domain_agree(quantity):
    low, high = quantity.extremes()
    ends = (0.0, 1.0) if isinstance(quantity, (Range, Triangular)) else (0.1, 0.9)
    assert quantile(quantity, ends) == pytest.approx([low, high])


def test_triangular_by_hand():
    # Density rises to 2/5 at the mode: a share of 2/5 lies below 2.
    assert quantile(Triangular(0, 2, 5), 0.4) == pytest.approx(2)
    assert quantile(Triangular(0, 2, 5), 0.1) == pytest.approx(1)
    assert cumulative(Triangular(0, 2, 5), [-1, 0, 5, 6]).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("quantity", [7.0, Range(7, 7), Triangular(7, 7, 7), Normal(7, 0), Lognormal(7, 0)])
def test_certain_quantities_are_themselves(quantity):
    assert quantile(quantity, P).tolist() == [7.0] * P.size
    assert cumulative(quantity, [6.9, 7.0, 7.1]).tolist() == [0, 1, 1]


def test_bounds_cut_the_distribution_without_heaping_values_on_the_bound():
    values = bounded_quantile(Normal(0.9, 0.3), P, 0.0, 1.0)
    assert values.min() > 0
    assert values.max() < 1
    assert np.all(np.diff(values) > 0)


def test_value_outside_its_bounds_is_the_nearest_bound():
    assert bounded_quantile(Range(3, 4), P, 0.0, 1.0).tolist() == [1.0] * P.size
    assert bounded_quantile(5.0, P, 0.0, 1.0).tolist() == [1.0] * P.size


@given(
    quantity=st.sampled_from(DISTRIBUTIONS),
    low=st.floats(0.5, 2.4),
    width=st.floats(0.5, 10),
    p=st.floats(0.001, 0.999),
)
def test_cut_distribution_stays_in_bounds_and_grows(quantity, low, width, p):
    values = bounded_quantile(quantity, [p / 2, p], low, low + width)
    assert low <= values[0] <= values[1] <= low + width
