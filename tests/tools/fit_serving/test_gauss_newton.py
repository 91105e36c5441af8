"""The robust fit: finds lines through outliers, stays at the usual where nothing tells."""

from __future__ import annotations

import numpy as np
import pytest

from tools.fit_serving.parameters import fitted, group_weights

X = np.linspace(0, 1, 40)
Y = 1.0 + 2.0 * X
ONE, NO_RIDGE = np.ones(40), np.zeros(2)


def residuals(vector):
    return vector[0] + vector[1] * X - Y


def slopes_of_line(vector, at):
    return np.stack([np.ones(40), X], axis=1)


def test_line_is_found():
    found = fitted(residuals, np.zeros(2), ONE, ONE, NO_RIDGE, 14, slopes_of_line)
    assert found == pytest.approx([1.0, 2.0], abs=1e-3)


def test_a_tenth_of_wild_rows_moves_little():
    wild = Y.copy()
    wild[::10] += 50.0
    found = fitted(
        lambda vector: vector[0] + vector[1] * X - wild, np.zeros(2), ONE, 0.1 * ONE, NO_RIDGE, 60, slopes_of_line
    )
    assert found == pytest.approx([1.0, 2.0], abs=0.1)


def test_ridge_holds_what_no_row_tells():
    slopes = np.stack([np.ones(40), np.zeros(40)], axis=1)
    found = fitted(
        lambda vector: 0.0 * X + vector[0] - 1.0,
        np.zeros(2),
        ONE,
        ONE,
        np.array([0.0, 1.0]),
        14,
        lambda vector, at: slopes,
    )
    assert found == pytest.approx([1.0, 0.0], abs=1e-3)


def test_groups_weigh_as_the_root_of_their_size():
    weight = group_weights(["a"] * 16 + ["b"])
    assert weight[-1] / weight[0] == pytest.approx(4.0)
    assert weight.mean() == pytest.approx(1.0)
