import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplanner_gui.domain.quantity import Normal
from gpuplanner_gui.engine.uncertainty import model_error, monte_carlo
from gpuplanner_gui.engine.uncertainty.sampling import sample_inputs


def normal_residuals(sigma: float, count: int, bias: float = 0.0, seed: int = 0) -> np.ndarray:
    return bias + sigma * np.random.default_rng(seed).standard_normal(count)


def test_conformal_rank_by_hand():
    residuals = np.array([0.1, -0.2, 0.3, -0.4, 0.5, 0.6, 0.7, 0.8, -0.9])
    # ⌈0.8·10⌉ = 8th smallest size of nine
    assert model_error.conformal_half_width(residuals, 0.8) == pytest.approx(0.8)
    assert model_error.conformal_half_width(residuals, 0.5) == pytest.approx(0.5)


def test_too_few_residuals_have_no_band():
    assert model_error.conformal_half_width(np.array([0.1, 0.2]), 0.8) == math.inf
    assert model_error.conformal_half_width(np.empty(0), 0.8) == math.inf


def test_bias_and_spread_of_a_group():
    residuals = {("decode", "hopper"): normal_residuals(0.1, 5_000, bias=0.05)}
    found = model_error.log_error(residuals, ("decode", "hopper"))
    assert found.bias == pytest.approx(0.05, abs=0.005)
    assert found.sigma == pytest.approx(0.1, rel=0.05)
    assert (found.rows, found.missing_levels) == (5_000, 0)


def test_band_holds_the_share_of_new_cases_it_promises():
    found = model_error.log_error({("a",): normal_residuals(0.2, 400, bias=-0.1)}, ("a",))
    low, high = found.band(np.ones(20_000))
    truth = np.exp(normal_residuals(0.2, 20_000, bias=-0.1, seed=9))
    assert 0.75 < np.mean((low <= truth) & (truth <= high)) < 0.85


def test_unknown_group_takes_its_wider_familys_error_widened():
    residuals = {
        ("decode", "hopper", "vllm"): normal_residuals(0.1, 500),
        ("decode", "hopper", "sglang"): normal_residuals(0.1, 3),
        ("prefill", "ampere", "vllm"): normal_residuals(0.5, 500),
    }
    own = model_error.log_error(residuals, ("decode", "hopper", "vllm"))
    sparse = model_error.log_error(residuals, ("decode", "hopper", "sglang"))
    far = model_error.log_error(residuals, ("decode", "blackwell", "vllm"))
    assert (own.missing_levels, sparse.missing_levels, far.missing_levels) == (0, 1, 2)
    assert sparse.sigma == pytest.approx(1.5 * own.sigma, rel=0.05)
    assert far.sigma == pytest.approx(2.25 * own.sigma, rel=0.05)


def test_no_evidence_at_all():
    assert model_error.log_error({("a",): np.array([0.1])}, ("a",)) is None


def test_band_and_sigma_are_inverse():
    error = model_error.LogError(0.0, 0.3, 100, 0)
    low, high = error.band(np.array([5.0]))
    assert model_error.sigma_of_band(low, high) == pytest.approx([0.3])


def test_factors_have_median_one_and_the_asked_spread():
    factors = model_error.shared_error_factors(np.array([0.1, 0.3]), np.array([0, 1]), 20_000, seed=1)
    assert np.median(factors, axis=1) == pytest.approx([1, 1], rel=0.01)
    assert np.log(factors).std(axis=1) == pytest.approx([0.1, 0.3], rel=0.02)


def test_errors_are_shared_within_a_group_and_independent_between_groups():
    factors = model_error.shared_error_factors(np.full(3, 0.2), np.array([4, 4, 9]), 20_000, 1, common_share=0.65)
    correlation = np.corrcoef(np.log(factors))
    assert correlation[0, 1] == pytest.approx(0.65, abs=0.02)
    assert correlation[0, 2] == pytest.approx(0, abs=0.02)


def test_sharing_error_makes_a_small_difference_visible():
    sigma = np.full(2, 0.3)
    predicted = np.array([[1.0], [1.1]])
    alone = predicted * model_error.shared_error_factors(sigma, np.array([0, 1]), 5_000, 1)
    together = predicted * model_error.shared_error_factors(sigma, np.array([0, 0]), 5_000, 1, common_share=0.8)
    apart = monte_carlo.probability_cheaper(alone[0], alone[1])
    assert monte_carlo.probability_cheaper(together[0], together[1]) > apart > 0.5


def test_error_of_models_does_not_follow_the_inputs_of_the_same_seed():
    inputs = sample_inputs({"price": Normal(0, 1)}, 5_000, seed=3).values["price"]
    factors = model_error.shared_error_factors(np.array([0.2]), np.array([0]), 5_000, seed=3, common_share=1.0)
    assert abs(np.corrcoef(inputs, np.log(factors[0]))[0, 1]) < 0.05


@given(seed=st.integers(0, 1_000), sigma=st.floats(0, 1))
def test_same_seed_same_factors(seed: int, sigma: float):
    sigmas = np.array([sigma, 0.0])
    first = model_error.shared_error_factors(sigmas, np.array([0, 1]), 50, seed)
    assert np.array_equal(first, model_error.shared_error_factors(sigmas, np.array([0, 1]), 50, seed))
    assert np.all(first[1] == 1)
