"""Two-stage scaling: hand-made runs are found again, and what is not measured stays usual and wide."""

from __future__ import annotations

import numpy as np
import pytest

from gpuplanner_gui.engine.evidence.training_own import (
    USUAL_KEPT_ACROSS,
    USUAL_KEPT_INSIDE,
    scaling_fit,
)


def test_runs_inside_and_across_nodes_are_found_again():
    devices = np.array([1.0, 2, 4, 8, 16, 32, 64])
    inside, across = np.log2(np.minimum(devices, 8)), np.log2(np.maximum(devices / 8, 1))
    rates = 1000 * 0.97**inside * 0.92**across
    fit = scaling_fit(devices, rates, 8)
    assert (fit.runs_inside, fit.runs_across) == (4, 3)
    assert np.exp([fit.log_kept_inside, fit.log_kept_across]) == pytest.approx([0.97, 0.92], abs=0.005)
    middle, low, high = fit.throughput_per_device(np.array([256.0]))
    assert middle[0] == pytest.approx(1000 * 0.97**3 * 0.92**5, rel=0.03)
    assert low[0] < middle[0] < high[0]


def test_one_node_says_nothing_of_the_network():
    fit = scaling_fit(np.array([1.0, 2, 4, 8]), 1000 * 0.95 ** np.arange(4.0), 8)
    assert np.exp(fit.log_kept_across) == pytest.approx(USUAL_KEPT_ACROSS)
    _, low, high = fit.throughput_per_device(np.array([8.0, 64.0, 512.0]))
    widths = np.log(high / low)
    assert widths[0] < widths[1] < widths[2]


def test_a_single_run_keeps_the_usual_scaling():
    fit = scaling_fit(np.array([8.0]), np.array([500.0]), 8)
    assert np.exp(fit.log_kept_inside) == pytest.approx(USUAL_KEPT_INSIDE, abs=0.01)
    assert fit.throughput_per_device(np.array([8.0]))[0][0] == pytest.approx(500.0, rel=0.01)
    assert fit.efficiency(np.array([1.0]))[0] == 1.0


@pytest.mark.parametrize(("devices", "rates"), [([], []), ([1.0], [0.0]), ([0.0], [1.0])])
def test_runs_without_numbers_are_refused(devices, rates):
    with pytest.raises(ValueError, match="above 0"):
        scaling_fit(np.array(devices), np.array(rates), 8)
