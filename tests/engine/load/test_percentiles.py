"""Percentiles, weighted ones, and their confidence band."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuplanner_gui.engine.simulation.result import PERCENTILES, percentiles, weighted_percentiles


def test_weights_count_as_repetitions() -> None:
    values, weights = np.array([3.0, 1.0, 2.0]), np.array([1.0, 6.0, 3.0])
    found = weighted_percentiles(values, weights, np.array([0.5, 0.6, 0.61, 0.9, 0.91, 1.0]))
    assert found.tolist() == [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]


def test_no_weight_has_no_percentile() -> None:
    assert np.isnan(weighted_percentiles(np.zeros(0), np.zeros(0), np.array([0.5]))).all()


@given(weights=st.lists(st.integers(1, 9), min_size=1, max_size=30), share=st.floats(0.01, 0.99))
def test_weighted_percentile_is_that_of_the_repeated_values(weights: list[int], share: float) -> None:
    values = np.random.default_rng(len(weights)).permutation(len(weights)).astype(float)
    repeated = np.sort(np.repeat(values, weights))
    position = max(int(np.ceil(share * len(repeated) - 1e-9)) - 1, 0)
    found = weighted_percentiles(values, np.array(weights, dtype=float), np.array([share]))
    assert found[0] == repeated[position]


def test_values_that_are_not_known_do_not_count() -> None:
    found = percentiles(np.array([np.nan, 1.0, 2.0, 3.0]))
    assert found.mean_s == 2.0
    assert found.of(0.5) == 2.0
    assert np.isnan(found.band_s).all()
    assert np.isnan(percentiles(np.array([np.nan])).mean_s)


def test_band_holds_the_truth_about_four_times_in_five() -> None:
    rng = np.random.default_rng(8)
    truth = -np.log(1 - np.asarray(PERCENTILES))
    held = np.zeros(len(PERCENTILES))
    for _ in range(300):
        found = percentiles(rng.exponential(1.0, 2000))
        held += np.abs(found.at_s - truth) <= found.band_s
    assert (held[:3] / 300 > 0.70).all()
    assert (held[:3] / 300 < 0.90).all()


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_percentiles_rise(seed: int) -> None:
    found = percentiles(np.random.default_rng(seed).lognormal(0, 1, 200))
    assert (np.diff(found.at_s) >= 0).all()
